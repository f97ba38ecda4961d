// SPDX-License-Identifier: MIT
// The page consists of fixed parts (cli/page/parts/) and uPlot, which are built into the command, and of the records as
// JSON. The page's script draws everything from the JSON.
#include "cli/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/page/page_drawing.h"
#include "lab/record/json.h"
#include "lab/record/profile.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"
#include "threads/api/report.h"

// Limits that keep a page small. The page reports what was left out.
enum {
    DRAWN = 12,  // records that keep traces and loads
    TRACES = 64, // runs of a record that keep their traces
    ROWS = 500,  // rows of a trace
    LOADS = 4    // runs of a record that keep arrays by processor or link
};

// The names that the linker gives to the parts.
#define PART(name) extern const char _binary_##name##_start[], _binary_##name##_end[]
PART(head_html);
PART(uplot_css);
PART(page_css);
PART(body_html);
PART(uplot_js);
PART(script_js);

#define BYTES(name) _binary_##name##_start, _binary_##name##_end

struct part {
    const char *before; // text that precedes it
    const char *begin, *end;
};
static const struct part above[] = {{"", BYTES(head_html)},
                                    {"<style>\n", BYTES(uplot_css)},
                                    {"\n", BYTES(page_css)},
                                    {"</style>\n</head>\n", BYTES(body_html)}};
static const struct part below[] = {{"<script>\n", BYTES(uplot_js)}, {"</script>\n<script>\n", BYTES(script_js)}};

bool report_page_has_charts(void)
{
    return &_binary_uplot_js_end[0] > &_binary_uplot_js_start[0]; // compilers assume that two arrays are never equal
}

// Keeps at most ROWS rows, evenly spread. The first and the last row are among them.
static void thin_trace(struct ek_report *run)
{
    if (run->trace_count <= ROWS) {
        return;
    }
    for (size_t i = 0; i < ROWS; i++) {
        run->trace[i] = run->trace[i * (run->trace_count - 1) / (ROWS - 1)];
    }
    run->trace_count = ROWS;
}

static void drop_trace(struct ek_report *run)
{
    free(run->trace);
    run->trace = NULL;
    run->trace_count = 0;
}

static void drop_loads(struct ek_report *run)
{
    free(run->initial);
    free(run->final);
    free(run->flow);
    free(run->frame);
    free(run->frame_load);
    free(run->quota);
    free(run->free.link);
    lab_profile_drop(&run->profile);
    run->frame = NULL;
    run->frame_count = 0;
    run->initial = run->final = run->frame_load = run->quota = NULL;
    run->flow = NULL;
    run->free.link = NULL;
    run->flow_count = run->quota_dimensions = run->free.link_count = 0;
}

static size_t most_rows(const struct lab_record *record)
{
    size_t most = 0;
    for (size_t i = 0; i < record->count; i++) {
        most = record->runs[i].trace_count > most ? record->runs[i].trace_count : most;
    }
    return most;
}

// Drops the parts that the record with this index in the page may not keep. The trace of a recording is bounded
// already.
static void trim(struct report_page_item *item, size_t index)
{
    struct lab_record *record = &item->record;
    for (size_t i = 0; i < record->count; i++) {
        if (!item->timeline.operation) {
            thin_trace(&record->runs[i]);
        }
        if (index >= DRAWN || i >= TRACES) {
            drop_trace(&record->runs[i]);
        }
        if (index >= DRAWN || i >= LOADS) {
            drop_loads(&record->runs[i]);
        }
    }
}

static void destroy_item(struct report_page_item *item)
{
    free(item->file);
    lab_record_destroy(&item->record);
    lab_timeline_destroy(&item->timeline);
}

// Returns `array` with room for one more than `count` items, or NULL if memory is short.
static void *grown(void *array, size_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; // a power of two, or 0
    return full ? realloc(array, (count > 0 ? 2 * count : 1) * size) : array;
}

static bool fail_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for so many records: give fewer");
}

// Returns whether the page draws the topology of the record with this index: it does so once for each.
static bool is_drawn(const struct report_page *page, const struct lab_record *record)
{
    bool found = page->count >= DRAWN;
    for (size_t i = 0; i < page->count; i++) {
        found = found || strcmp(page->items[i].record.topology.spec, record->topology.spec) == 0;
    }
    return !found;
}

bool report_page_add(struct report_page *page, const char *file, struct lab_record *record,
                     struct lab_timeline *timeline, struct ek_error *error)
{
    struct report_page_item *items = grown(page->items, page->count, sizeof *items);
    page->items = items ? items : page->items;
    struct report_page_item item = {.file = lab_text_clean_copy(file), .rows = most_rows(record), .record = *record};
    item.timeline = timeline ? *timeline : item.timeline;
    if (!items || !item.file) {
        destroy_item(&item);
        return fail_memory(error);
    }
    item.drawn = is_drawn(page, record);
    trim(&item, page->count);
    items[page->count++] = item;
    return true;
}

bool report_page_add_contention(struct report_page *page, const char *file, struct lab_contention *measured,
                                struct ek_error *error)
{
    struct report_page_contention *all = grown(page->contentions, page->contentions_count, sizeof *all);
    page->contentions = all ? all : page->contentions;
    char *name = lab_text_clean_copy(file);
    if (!all || !name) {
        free(name);
        lab_contention_destroy(measured);
        return fail_memory(error);
    }
    all[page->contentions_count++] = (struct report_page_contention){.file = name, .measured = *measured};
    return true;
}

void report_page_destroy(struct report_page *page)
{
    for (size_t i = 0; i < page->count; i++) {
        destroy_item(&page->items[i]);
    }
    for (size_t i = 0; i < page->contentions_count; i++) {
        free(page->contentions[i].file);
        lab_contention_destroy(&page->contentions[i].measured);
    }
    free(page->items);
    free(page->contentions);
}

// Writes JSON with '<' escaped, so no text can end the script element. In JSON '<' occurs in strings only.
static void write_safely(FILE *out, const char *text)
{
    for (const char *end; (end = strchr(text, '<')) != NULL; text = end + 1) {
        fwrite(text, 1, (size_t)(end - text), out);
        fputs("\\u003c", out);
    }
    fputs(text, out);
}

static void write_record(FILE *out, const void *of)
{
    const struct report_page_item *item = of;
    fputs("{\"file\": ", out);
    lab_json_write(out, json_string(item->file), JSON_ENCODE_ANY);
    if (item->timeline.operation) {
        fputs(", \"timeline\": ", out);
        lab_timeline_write(out, &item->timeline);
    }
    fprintf(out, ", \"rows\": %zu, \"record\":\n", item->rows);
    lab_record_write(out, &item->record, LAB_WITH_ALL);
    if (item->drawn) {
        report_page_drawing(out, &item->record);
    }
    fputc('}', out);
}

static void write_contention(FILE *out, const void *of)
{
    const struct report_page_contention *contention = of;
    fputs("{\"file\": ", out);
    lab_json_write(out, json_string(contention->file), JSON_ENCODE_ANY);
    fputs(", \"measured\":\n", out);
    lab_contention_write(out, &contention->measured, NULL);
    fputc('}', out);
}

static bool write_data(FILE *out, const void *item, void (*write)(FILE *out, const void *item))
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        write(text.out, item);
    }
    char *data = lab_stream_end(&text);
    bool good = data;
    if (good) {
        write_safely(out, data);
    }
    free(data);
    return good;
}

static void write_parts(FILE *out, const struct part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputs(parts[i].before, out);
        fwrite(parts[i].begin, 1, (size_t)(parts[i].end - parts[i].begin), out);
    }
}

bool report_page_write(FILE *out, const struct report_page *page)
{
    write_parts(out, above, sizeof above / sizeof *above);
    fprintf(out, "<script id=\"data\" type=\"application/json\">\n{\"version\": \"%s\", \"items\": [", ek_version());
    bool good = true;
    for (size_t i = 0; good && i < page->count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        good = write_data(out, &page->items[i], write_record);
    }
    fputs("], \"contentions\": [", out);
    for (size_t i = 0; good && i < page->contentions_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", out);
        good = write_data(out, &page->contentions[i], write_contention);
    }
    fputs("]}\n</script>\n", out);
    write_parts(out, below, sizeof below / sizeof *below);
    fputs("</script>\n</body>\n</html>\n", out);
    return good;
}
