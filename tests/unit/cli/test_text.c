// SPDX-License-Identifier: MIT
// Text for people, case by case: numbers, quotation marks, line breaks, and tables and heat maps of chosen values.
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/tables/table_lines.h"
#include "cli/terminal/text.h"
#include "lab/text/clean_text.h"
#include "cli/tables/run_table.h"
#include "cli/figures/heat.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/api/run.h"

Test(text, numbers)
{
    cr_expect_str_eq(cli_text_count(0).of, "0");
    cr_expect_str_eq(cli_text_count(999).of, "999");
    cr_expect_str_eq(cli_text_count(1000).of, "1,000");
    cr_expect_str_eq(cli_text_count(1234567).of, "1,234,567");
    cr_expect_str_eq(cli_text_count(UINT64_MAX).of, "18,446,744,073,709,551,615");
    cr_expect_str_eq(cli_text_real(NAN).of, "-");
    cr_expect_str_eq(cli_text_real(0.1234567).of, "0.123457");
    cr_expect_str_eq(cli_text_amount(NAN).of, "-");
    cr_expect_str_eq(cli_text_amount(-1234.0).of, "-1,234");
    cr_expect_str_eq(cli_text_amount(999999.5).of, "1e+06");
    cr_expect_str_eq(cli_text_amount(1000000.5).of, "1,000,001");
    cr_expect_str_eq(cli_text_amount(1e15).of, "1e+15");
    cr_expect_str_eq(cli_text_amount(999999999999999.0).of, "999,999,999,999,999");
    cr_expect_str_eq(cli_text_factor(0.5).of, "0.5");
    cr_expect_str_eq(cli_text_factor(1.0).of, "1");
    cr_expect_str_eq(cli_text_factor(1.0 - 2.5e-9).of, "0.9999999975");
    cr_expect_str_eq(cli_text_factor(1.0 - 1e-5).of, "0.99999"); // six digits suffice
    cr_expect_str_eq(cli_text_plural(1, "run").of, "1 run");
    cr_expect_str_eq(cli_text_plural(0, "run").of, "0 runs");
    cr_expect_str_eq(cli_text_plural(2000, "step").of, "2,000 steps");
}

Test(text, units)
{
    static const struct {
        double seconds;
        const char *text;
    } times[] = {{1.0, "1 s"},        {0.9995, "1e+03 ms"}, {0.25, "250 ms"}, {1e-3, "1 ms"},
                 {9.99e-4, "999 us"}, {1.5e-6, "1.5 us"},   {0.0, "0 us"},    {12345.0, "1.23e+04 s"}};
    static const struct {
        uint64_t bytes;
        const char *text;
    } sizes[] = {{0, "0 bytes"},
                 {1023, "1023 bytes"},
                 {1024, "1.0 KiB"},
                 {1536, "1.5 KiB"},
                 {1048575, "1024.0 KiB"},
                 {1048576, "1.0 MiB"},
                 {UINT64_C(5) << 30, "5.0 GiB"},
                 {UINT64_C(5000) << 40, "5000.0 TiB"}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        cr_expect_str_eq(cli_text_seconds(times[i].seconds).of, times[i].text);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cr_expect_str_eq(cli_text_bytes(sizes[i].bytes).of, sizes[i].text);
    }
}

// The first and the last character of each length, and their neighbours (RFC 3629).
Test(text, utf8)
{
    static const char *const good[] = {"",
                                       "a",
                                       "\x7F",
                                       "\xC2\x80",
                                       "\xDF\xBF",
                                       "\xE0\xA0\x80",
                                       "\xED\x9F\xBF",
                                       "\xEE\x80\x80",
                                       "\xEF\xBF\xBF",
                                       "\xF0\x90\x80\x80",
                                       "\xF4\x8F\xBF\xBF"};
    static const char *const bad[] = {"\x80",
                                      "\xBF",
                                      "\xC0\x80",
                                      "\xC1\xBF",
                                      "\xC2",
                                      "\xC2z",
                                      "\xE0\x9F\xBF",
                                      "\xE0\xA0",
                                      "\xED\xA0\x80",
                                      "\xED\xBF\xBF",
                                      "\xE1\x80z",
                                      "\xF0\x8F\xBF\xBF",
                                      "\xF0\x90\x80",
                                      "\xF4\x90\x80\x80",
                                      "\xF5\x80\x80\x80",
                                      "\xF1\x80\x80z",
                                      "\xFE",
                                      "\xFF",
                                      "a\xC2\x80\x80"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_expect(lab_text_is_utf8(good[i]), "number %zu", i);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_not(lab_text_is_utf8(bad[i]), "number %zu", i);
    }
    char dirty[] = "a\033[31m\x7F\xC2\x9B,\xC3\xA9";
    lab_text_clean(dirty);
    cr_expect_str_eq(dirty, "a?[31m???,\xC3\xA9");
    char latin[] = "\xE9!";
    lab_text_clean(latin);
    cr_expect_str_eq(latin, "?!");
    // The direction of writing, invisible spaces and letters, and tags; then an accent, two signs and an emoji.
    // NOLINTNEXTLINE(misc-misleading-bidirectional): the test removes them
    char hidden[] = "a\xE2\x80\xAE\xE2\x80\x8B\xE2\x81\xA6\xD8\x9C\xC2\xAD\xE3\x85\xA4\xEF\xBB\xBF\xF3\xA0\x81\x81z";
    lab_text_clean(hidden);
    cr_expect_str_eq(hidden, "a???????????????????????z");
    char shown[] = "\xCC\x81\xE2\x80\xA7\xE2\x80\xAF\xF0\x9F\x98\x80";
    lab_text_clean(shown);
    cr_expect_str_eq(shown, "\xCC\x81\xE2\x80\xA7\xE2\x80\xAF\xF0\x9F\x98\x80");
}

// Returns the text written to the stream in memory. The caller frees it.
static char *written(FILE *out, char **text)
{
    fclose(out);
    return *text;
}

// Checks that the text contains every part, where a space in a part matches any spaces and line ends.
static void expect_parts(const char *text, const char *const *parts, size_t count)
{
    char *words = strdup(text);
    cr_assert(words);
    size_t length = 0;
    for (const char *c = text; *c; c++) {
        bool space = *c == ' ' || *c == '\n';
        if (!space || length == 0 || words[length - 1] != ' ') {
            words[length++] = space ? ' ' : *c;
        }
    }
    words[length] = '\0';
    for (size_t i = 0; i < count; i++) {
        cr_expect(strstr(words, parts[i]), "'%s' is not in\n%s", parts[i], text);
    }
    free(words);
}

static FILE *begin(char **text)
{
    static size_t length;
    FILE *out = open_memstream(text, &length);
    cr_assert(out);
    return out;
}

Test(text, words_are_quoted_for_a_shell)
{
    static const char *const cases[][2] = {{"torus:8x8", "torus:8x8"},
                                           {"", "''"},
                                           {"a b", "'a b'"},
                                           {"it's", "'it'\\''s'"},
                                           {"a\\b", "'a\\b'"},
                                           {"a\nb", "$'a\\012b'"},
                                           {"a\n\\b'", "$'a\\012\\134b\\047'"},
                                           {"\xC3\xA9", "'\xC3\xA9'"},
                                           {"\xE9\\", "$'\\351\\134'"},
                                           // NOLINTNEXTLINE(misc-misleading-bidirectional): the test quotes it
                                           {"a\xE2\x80\xAEz", "$'a\\342\\200\\256z'"},
                                           {"\xC2\x9B", "$'\\302\\233'"},
                                           {"otis(mesh:2x2)", "'otis(mesh:2x2)'"},
                                           {"~", "'~'"},
                                           {"$(x)", "'$(x)'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text;
        FILE *out = begin(&text);
        lab_shell_quote(out, cases[i][0]);
        cr_expect_str_eq(written(out, &text), cases[i][1]);
        free(text);
    }
}

Test(text, words_are_wrapped)
{
    char *text;
    FILE *out = begin(&text);
    cli_text_wrap(out, "one two three four", 2, 11); // nine characters a line
    cli_text_wrap(out, "d\xC3\xA9j\xC3\xA0 vu h\xC3\xA9", 0, 10);
    cli_text_labelled(out, "label", 10, "text");
    cli_text_labelled(out, "a long label", 10, "text");
    cr_expect_str_eq(written(out, &text), "  one two\n  three\n  four\nd\xC3\xA9j\xC3\xA0 vu h\xC3\xA9\n"
                                          "  label   text\n  a long label\n          text\n");
    free(text);
    struct cli_line line = {0};
    for (int i = 0; i < 1000; i++) {
        cli_line_add(&line, "\xC3\xA9");
    }
    cr_expect(lab_text_is_utf8(line.of) && strlen(line.of) < sizeof line.of);
    cr_expect_str_eq(line.of + strlen(line.of) - 5, "\xC3\xA9...");
}

// A text that fits in the line stays. Of a longer text as many characters stay as fit, however many bytes they have.
Test(text, words_are_shortened)
{
    char *text;
    FILE *out = begin(&text);
    cr_expect_not(cli_text_shorten(out, 0, "one twothree", 2, 10));
    cr_expect(cli_text_shorten(out, 0, "one twothreef five", 2, 10), "longer than a line without its indent");
    cr_expect(cli_text_shorten(out, 1, "d\xC3\xA9j\xC3\xA0-vu-h\xC3\xA9", 2, 9));
    cr_expect_str_eq(written(out, &text), "  one\n  twothree\n  one\n  twoth...\n  five\n d\xC3\xA9j\xC3\xA0...\n");
    free(text);
}

// Loads from 0 to 9 before, one for each shade, and equal loads after.
Test(text, a_heat_map)
{
    double before[10], after[10];
    for (int p = 0; p < 10; p++) {
        before[p] = p;
        after[p] = 4.5;
    }
    struct lab_topology topology = {.processors = 10, .dimensions = 2, .side = {5, 2}};
    struct cli_terminal terminal = {.columns = 80};
    struct ek_report report = {.initial = before, .final = after};
    char *text;
    FILE *out = begin(&text);
    report_heat_draw(out, &terminal, &topology, &report);
    cr_expect_str_eq(written(out, &text), "  before        after\n"
                                          "  0 to 9        4.5 to 4.5\n"
                                          "  ..::--==++    **********\n"
                                          "  **xx##%%@@    **********\n"
                                          "  min ..::--==++**xx##%%@@ max\n"
                                          "  Each map has its own scale: the range after the run is 0 % of the range "
                                          "before.\n");
    free(text);
    after[9] = 0.0;
    before[0] = 9.0;
    out = begin(&text);
    report_heat_draw(out, &terminal, &topology, &report);
    cr_expect(strstr(written(out, &text), "the range after the run is 56.2 % of the range"), "%s", text); // 4.5 of 8
    free(text);
    for (int p = 0; p < 10; p++) {
        before[p] = after[p] = 4.5;
    }
    out = begin(&text);
    report_heat_draw(out, &terminal, &topology, &report);
    cr_expect(strstr(written(out, &text), "Each map has its own scale.\n"), "%s", text);
    free(text);
    after[0] = NAN;
    terminal.columns = 10; // a cell is the mean of a square
    out = begin(&text);
    report_heat_draw(out, &terminal, &topology, &report);
    cr_expect(strstr(written(out, &text), "A cell is the mean of 5x5 processors."), "%s", text);
    cr_expect(strstr(text, "4.5 to 4.5"), "%s", text);
    free(text);
}

// Fills the report of a run in free timing. Each value has its place in the table.
static void fill(struct ek_report *report)
{
    *report = (struct ek_report){
        .timed = true,
        .operations = 500,
        .messages = 4000,
        .elapsed_s = 2.0,
        .free = {
            .audits = 3,
            .audit_interval = 0.5,
            .reached_s = 0.042,
            .reached_window_s = 0.043,
            .reached_operations = 4444,
            .latency = {.count = 9, .median = 1e-3, .p90 = 2e-3, .p99 = 3e-3, .maximum = 4e-3},
            .operation_time = {.count = 9, .median = 5e-3, .p90 = 6e-3, .p99 = 7e-3, .maximum = 8e-3},
            .longest_wait = 9e-3,
            .refusals = 11,
            .abandoned = 12,
            .engagements = 200,
            .overlaps = 26,
            .overlap_most = 14,
            .asked = 80.0,
            .got = 60.0,
            .stale = 15,
            .stale_age = {.count = 15, .median = 16e-3},
            .announced_age = {.count = 39, .median = 40e-3, .p99 = 41e-3, .maximum = 42e-3},
            .spheres_sampled = 17,
            .spheres = 18.0,
            .sphere_operations = {.count = 19, .mean = 2.0, .maximum = 20.0},
            .sphere_processors = {.count = 19, .mean = 21.0, .maximum = 22.0},
            .delay_asked = {.count = 23, .median = 24e-3},
            .delay_realised = {.count = 23, .median = 29e-3},
            .mailbox_capacity = 25,
            .depth = {3, 1},
            .depth_most = 27,
            .stalls = 100,
            .turns = 3000,
            .empty_turns = 300,
            .sleeps = 28,
            .wakes = 7,
            .switches_voluntary = 31,
            .switches_forced = 32,
            .migrations = 33,
            .waited = {1.0, 2.0, 3.0, 4.0, 5.0},
            .fault_lag = 0.3,
            .faults = {
                .link_failures = 34, .processor_failures = 35, .repairs = 36, .returned = 37, .load_returned = 38.0}}};
}

Test(text, a_table_of_free_timing)
{
    static const char *const parts[] = {
        "operations: 250 per second; messages: 2,000 per second",
        "held from 42 ms and 4,444 operations on; 43 ms earlier it did not",
        "3 audits every 500 ms, all exact",
        "median 5 ms, 99 % within 7 ms, at most 8 ms; longest wait to begin one: 9 ms",
        "11 requests by neighbours; 12 attempts to begin an operation failed",
        "13 % of 200 engagements took a neighbour that was in another operation; at most 14 at once",
        "18 at a time, with 2 operations each (at most 20) and 21 processors (at most 22)",
        "median 1 ms, 99 % within 3 ms, at most 4 ms",
        "at most 27 messages in one, whose capacity is 25; 75 % of those emptied held one message; 2.5 % of messages "
        "stalled",
        "75 % of the requested load was available; 15 requests fell short; median age of their information 16 ms",
        "age when load was sent upon it: median 40 ms, 99 % within 41 ms, at most 42 ms",
        "6.25 % for answers, 12.5 % for a neighbour's operation, 18.8 % for room in a mailbox, 25 % after a "
        "refusal, 31.2 % idle of the processors' time",
        "3,000, 10 % empty; 28 sleeps, 7 ended by a neighbour",
        "31 voluntary, 32 forced, 33 migrations",
        "24 ms requested, 29 ms realised (medians)",
        "warning: they differ by more than 20 %",
        "34 links and 35 processors failed, 36 repairs; 37 parcels were returned with 38 of load",
        "warning: they came up to 300 ms late",
    };
    struct lab_record record = {.count = 1};
    struct ek_report report;
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "ring:8",
                                       .method = "adf",
                                       .timing = "free",
                                       .carrier = "pool:1",
                                       .stop = "never",
                                       .faults = "link:1",
                                       .seconds_max = 1.0};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert(lab_record_begin(&record, machine, "evenkeel run", 1, true, &error));
    ek_machine_destroy(machine);
    fill(&report);
    record.runs = &report;
    record.count = 1;
    char *text;
    FILE *out = begin(&text);
    struct cli_terminal terminal = {.columns = 110};
    report_run_table_free(out, &terminal, &record);
    expect_parts(written(out, &text), parts, sizeof parts / sizeof *parts);
    free(text);
    record.runs = NULL;
    record.count = 0;
    lab_record_destroy(&record);
}

// Counts of operations, each beside the theory of its kind.
Test(text, a_table_of_domains)
{
    static const char *const parts[] = {"operations before after left theory",
                                        "alone 30 500 100 0.2 +- 0.025 0.375",
                                        "overlapped 1,000 600 150 0.25",
                                        "spheres",
                                        "adjacent 41 700 350 0.5 +- 0.01 <= 0.625",
                                        "1 shared 42 800 80 0.1",
                                        "2 shared 43 900 90 0.1 +- 0.02",
                                        "others 44 1000 950 0.95 +- 0.03",
                                        "45 operations: the log has lost part of them or of their overlaps"};
    struct ek_report report = {.has_effects = true,
                               .effects = {.alone = {30, 500.0, 100.0, 0.2, 0.025},
                                           .overlapped = {1000, 600.0, 150.0, 0.25, NAN},
                                           .adjacent = {41, 700.0, 350.0, 0.5, 0.01},
                                           .one_shared = {42, 800.0, 80.0, 0.1, NAN},
                                           .two_shared = {43, 900.0, 90.0, 0.1, 0.02},
                                           .many = {44, 1000.0, 950.0, 0.95, 0.03},
                                           .unknown = 45}};
    struct lab_record record = {.runs = &report, .count = 1, .facts_count = 3};
    record.facts[0] = (struct ek_fact){.name = "left_alone", .value = 0.375};
    record.facts[1] = (struct ek_fact){.name = "left_adjacent_most", .value = 0.625};
    record.facts[2] = (struct ek_fact){.name = "left_adjacent_more", .value = 9.0};
    struct cli_terminal terminal = {.columns = 110};
    char *text;
    FILE *out = begin(&text);
    report_run_table_effects(out, &terminal, &record);
    expect_parts(written(out, &text), parts, sizeof parts / sizeof *parts);
    free(text);
    report.effects = (struct ek_effects){.alone = {3, 4.0, 1.0, 0.25, 0.1}, .overlapped = {5, -NAN, NAN, NAN, NAN}};
    out = begin(&text);
    report_run_table_effects(out, &terminal, &record);
    static const char *const few[] = {"alone 3 4 1 0.25 +- 0.1 0.375", "overlapped 5 - - -"};
    expect_parts(written(out, &text), few, 2);
    cr_expect(!strstr(text, "spheres") && !strstr(text, "unknown"), "%s", text);
    free(text);
    report.effects.alone.count = report.effects.overlapped.count = 0;
    out = begin(&text);
    report_run_table_effects(out, &terminal, &record);
    cr_expect_str_empty(written(out, &text));
    free(text);
}

// For several runs the table shows in how many the criterion held, and the mean, deviation and range of each column.
Test(text, a_table_of_runs)
{
    struct lab_record record;
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "ring:8", .method = "adf", .carrier = "pool:1", .stop = "spread:1"};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert(lab_record_begin(&record, machine, "evenkeel run", 3, false, &error));
    ek_machine_destroy(machine);
    for (unsigned r = 0; r < 3; r++) {
        double count = r < 2 ? r + 1.0 : 6.0;
        struct ek_report report = {.seed = 41 + r,
                                   .converged = r > 0,
                                   .operations = (uint64_t)count,
                                   .steps = (uint64_t)(10.0 * count),
                                   .variance_final = 100.0 * count,
                                   .spread_final = 0.5 * count,
                                   .moved = 1000.0 * count,
                                   .messages = (uint64_t)(10000.0 * count),
                                   .elapsed_s = count};
        cr_assert(lab_record_add(&record, &report, &error));
    }
    static const char *const parts[] = {
        "spread:1 reached in 2 of 3 runs",  "seed operations steps variance spread moved messages seconds",
        "41 1 10 100 0.5 1,000 10,000 1",   "43 6 60 600 3 6,000 60,000 6",
        "mean 3 30 300 1.5 3,000 30,000 3", "sd 2.64575 26.4575 264.575 1.32288 2645.75 26457.5 2.64575",
        "min 1 10 100 0.5 1,000 10,000 1",  "max 6 60 600 3 6,000 60,000 6",
    };
    char *text;
    FILE *out = begin(&text);
    report_run_table(out, &record, false);
    expect_parts(written(out, &text), parts, sizeof parts / sizeof *parts);
    free(text);
    lab_record_destroy(&record);
}
