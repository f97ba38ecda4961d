// SPDX-License-Identifier: MIT
// Fuzzes records (run.json): a record that can be read can be shown, and does not change when it is written and read
// again.
#include "tests/fuzz/fuzz.h"

#include "cli/figures/chart.h"
#include "cli/figures/figure.h"
#include "cli/tables/run_csv.h"
#include "cli/tables/run_table.h"
#include "lab/record/curve.h"
#include "lab/record/record.h"
#include "threads/api/report.h"

// The text of a stream.
struct page {
    char *text;
    size_t length;
    FILE *out;
};

static void page_begin(struct page *page)
{
    page->out = open_memstream(&page->text, &page->length);
    assert(page->out);
}

static void page_end(struct page *page)
{
    int closed = fclose(page->out);
    assert(closed == 0);
    (void)closed;
}

// Writes a record and reads it back.
static void go_round(struct page *page, const struct lab_record *record, struct lab_record *copy)
{
    struct ek_error error = {0};
    page_begin(page);
    lab_record_write(page->out, record, LAB_WITH_ALL);
    page_end(page);
    bool good = lab_record_read(page->text, page->length, copy, &error);
    assert(good);
    (void)good;
}

// Writing and reading may drop values that no run writes together. After one such round the record must stay the
// same.
static void check_stays(const struct lab_record *record)
{
    struct page page[3];
    struct lab_record copy[3];
    for (int i = 0; i < 3; i++) {
        go_round(&page[i], i > 0 ? &copy[i - 1] : record, &copy[i]);
    }
    assert(page[1].length == page[2].length && memcmp(page[1].text, page[2].text, page[2].length) == 0);
    for (int i = 0; i < 3; i++) {
        lab_record_destroy(&copy[i]);
        free(page[i].text);
    }
}

static void draw(FILE *out, const struct lab_record *record)
{
    struct lab_figure figure;
    struct report_look look = {0};
    struct ek_error error;
    assert(lab_curve_figure(&figure, record, &error));
    report_figure_script(out, &figure, &look, "a.svg", true);
    lab_figure_destroy(&figure);
}

// Checks that what is shown cannot act on a terminal.
static void check_shows(const struct lab_record *record)
{
    struct page page;
    const struct ek_report *first = &record->runs[0];
    struct cli_terminal terminal = {.columns = 100};
    page_begin(&page);
    report_run_table(page.out, record, record->topology.dimensions == 2 && first->initial && first->final);
    for (size_t run = 0; run < record->count; run++) {
        report_csv_write_run(page.out, record, run);
    }
    report_csv_write_trace(page.out, record);
    report_csv_write_final(page.out, record);
    if (first->trace_count > 0) {
        report_chart_draw(page.out, &terminal, first,
                          (struct report_chart_size){REPORT_CHART_COLUMNS, REPORT_CHART_ROWS}, 0.9);
        draw(page.out, record);
    }
    page_end(&page);
    for (size_t i = 0; i < page.length; i++) {
        assert((unsigned char)page.text[i] >= 0x20 || page.text[i] == '\n');
    }
    free(page.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct lab_record record;
    struct ek_error error = {.at = -1};
    if (!lab_record_read((const char *)data, size, &record, &error)) {
        tests_fuzz_check_error(&error, "", "");
        return 0;
    }
    check_stays(&record);
    check_shows(&record);
    lab_record_destroy(&record);
    return 0;
}
