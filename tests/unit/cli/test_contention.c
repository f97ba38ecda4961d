// SPDX-License-Identifier: MIT
// The report of `contention`, from samples written by hand: means, ratios, their intervals and words, in JSON and
// back, in the table, in CSV and in the picture.
#include <criterion/criterion.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/contention_report.h"
#include "tests/support/golden.h"

enum { RUNS = 5 };

static struct lab_contention measured;

static void set_text(struct lab_experiment_spec *cell, const char *option, const char *text)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (strcmp(ek_axis_at(i)->option, option) == 0) {
            cell->text[i] = text;
        }
    }
}

static void add(struct lab_experiment_spec cell, const char *axis, const char *value, double messages[RUNS])
{
    struct ek_error error;
    if (*axis) {
        set_text(&cell, axis, value);
    }
    size_t before = measured.count;
    cr_assert(lab_contention_add(&measured, &cell, axis, value, 0, &error));
    cr_assert_eq(measured.count, before + 1);
    struct lab_point *point = &measured.point[before];
    for (point->count = 0; messages && point->count < RUNS; point->count++) {
        for (size_t c = 0; c < LAB_COSTS; c++) {
            point->sample[point->count][c] = messages[point->count] / (double)(1 + c);
        }
    }
}

// The base has 100 to 300. The second mailbox has twice as much in each run. One port has once more, once less and else
// the same. A carrier that was refused has no samples.
static void begin(void)
{
    struct ek_error error;
    struct lab_experiment_spec cell = {.text = {0}};
    cr_assert(lab_contention_begin(&measured, "evenkeel contention", RUNS, &error));
    static const char *const base[][2] = {{"topology", "ring:8"}, {"method", "adf"}, {"carrier", "threads"},
                                          {"mailbox", "spsc:4"},  {"ports", "all"},  {"for", "10ms"},
                                          {"seed", "7"},          {"timing", "free"}};
    for (size_t i = 0; i < sizeof base / sizeof *base; i++) {
        set_text(&cell, base[i][0], base[i][1]);
    }
    add(cell, "", "", (double[]){100.0, 150.0, 200.0, 250.0, 300.0});
    add(cell, "mailbox", "mutex:4", (double[]){200.0, 300.0, 400.0, 500.0, 600.0});
    add(cell, "ports", "one", (double[]){50.0, 150.0, 200.0, 250.0, 600.0});
    add(cell, "carrier", "pool:99", NULL);
    add(cell, "unpinned", "true", (double[]){10.0, 15.1, 20.4, 24.9, 29.7});
    snprintf(measured.point[3].refusal, sizeof measured.point[3].refusal, "no more than 64 workers");
    measured.turns = RUNS;
    for (size_t i = 0; i < RUNS; i++) {
        measured.host_limit[LAB_HOST_YIELDS][i] = 1e6 * (double)(1 + i);
        measured.host_limit[LAB_HOST_TRANSFER][i] = i == 1 ? NAN : 50e-9;
        measured.host_limit[LAB_HOST_MEMORY][i] = 8e9;
    }
    measured.others = 0.125;
    measured.host = (struct lab_host){.processor = "a processor", .cores = 4, .memory_bytes = UINT64_C(8) << 30};
}

static void end(void)
{
    lab_contention_destroy(&measured);
}

static void expect_interval(struct lab_interval found, double value, double low, double high)
{
    cr_expect_float_eq(found.value, value, 1e-6 * value, "%.9g", found.value);
    cr_expect_float_eq(found.low, low, 1e-6 * fabs(low) + 1e-9, "%.9g", found.low);
    cr_expect_float_eq(found.high, high, 1e-6 * high, "%.9g", found.high);
}

// Fewer than five values have a mean, but no interval.
static void expect_no_interval(struct lab_interval found, double value)
{
    cr_expect_float_eq(found.value, value, 1e-6 * value, "%.9g", found.value);
    cr_expect(isnan(found.low) && isnan(found.high), "%.9g to %.9g", found.low, found.high);
    cr_expect_null(lab_contention_difference(&found));
}

// Student's t for four degrees of freedom at 97.5 % is 2.77644511, and the standard deviation of the base is the root
// of 6250.
Test(contention, intervals, .init = begin, .fini = end)
{
    const struct lab_point *point = measured.point;
    double reach = 2.7764451051977987 * sqrt(6250.0 / 5.0);
    expect_interval(lab_contention_mean(&point[0], LAB_COST_MESSAGES), 200.0, 200.0 - reach, 200.0 + reach);
    expect_interval(lab_contention_mean(&point[0], LAB_COST_LATENCY), 200.0 / 3.0, (200.0 - reach) / 3.0,
                    (200.0 + reach) / 3.0);
    expect_interval(lab_contention_ratio(&point[1], &point[0], LAB_COST_MESSAGES), 2.0, 2.0, 2.0);
    double apart = 2.7764451051977987 * log(2.0) * sqrt(0.5 / 5.0); // of the logarithms of 1/2, 1, 1, 1 and 2
    expect_interval(lab_contention_ratio(&point[2], &point[0], LAB_COST_MESSAGES), 1.0, exp(-apart), exp(apart));
    cr_expect(isnan(lab_contention_mean(&point[3], LAB_COST_MESSAGES).value));
    cr_expect(isnan(lab_contention_ratio(&point[3], &point[0], LAB_COST_MESSAGES).value));
    measured.point[2].sample[1][LAB_COST_STALLS] = 0.0;
    cr_expect(isnan(lab_contention_ratio(&point[2], &point[0], LAB_COST_STALLS).value), "a ratio to 0 is not a number");
    measured.point[2].sample[1][LAB_COST_STALLS] = NAN;
    cr_expect(isnan(lab_contention_mean(&point[2], LAB_COST_STALLS).value));
    // The measuring may be interrupted after a turn's first experiments, or before its last ones: then pairs are fewer.
    for (size_t i = 0; i < 2; i++) {
        measured.point[i].count = 4;
        expect_no_interval(lab_contention_ratio(&point[1], &point[0], LAB_COST_MESSAGES), 2.0);
        expect_no_interval(lab_contention_mean(&point[i], LAB_COST_MESSAGES), i == 0 ? 175.0 : 350.0);
        measured.point[i].count = RUNS;
    }
    cr_expect_float_eq(lab_contention_limit(&measured, LAB_HOST_YIELDS).value, 3e6, 1e-3);
    expect_no_interval(lab_contention_limit(&measured, LAB_HOST_TRANSFER), 50e-9);
}

Test(contention, differences)
{
    cr_expect_str_eq(lab_contention_difference(&(struct lab_interval){.value = 1.5, .low = 1.1, .high = 2.0}), "more");
    cr_expect_str_eq(lab_contention_difference(&(struct lab_interval){.value = 0.5, .low = 0.4, .high = 0.9}), "less");
    cr_expect_str_eq(lab_contention_difference(&(struct lab_interval){.value = 1.5, .low = 1.0, .high = 2.0}), "none");
    cr_expect_str_eq(lab_contention_difference(&(struct lab_interval){.value = 0.9, .low = 0.8, .high = 1.0}), "none");
    cr_expect_null(lab_contention_difference(&(struct lab_interval){.value = 1.5, .low = NAN, .high = NAN}));
}

// An experiment that is in the list already is not added, however it is written.
Test(contention, no_experiment_twice, .init = begin, .fini = end)
{
    struct ek_error error;
    struct lab_experiment_spec cell = measured.point[0].spec;
    set_text(&cell, "unpinned", "false");
    cr_expect(lab_contention_add(&measured, &cell, "unpinned", "false", 0, &error));
    cr_expect_eq(measured.count, 5);
    cr_expect_str_eq(measured.point[1].command, "evenkeel run --topology ring:8 --method adf --timing free --for 10ms "
                                                "--mailbox mutex:4 --seed 7");
}

static char *written(void (*write)(FILE *out))
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    write(out);
    cr_assert_eq(fclose(out), 0);
    return text;
}

static void write_json(FILE *out)
{
    lab_contention_write(out, &measured, NULL);
}

static void write_csv(FILE *out)
{
    report_csv_write_contention(out, &measured);
}

static struct lab_contention before;

static void write_table(FILE *out)
{
    report_contention_table(out, &measured, before.count > 0 ? &before : NULL);
}

static void write_compared(FILE *out)
{
    lab_contention_write(out, &measured, &before);
}

static double number_at(const json_t *json, const char *group, const char *name)
{
    return json_number_value(json_object_get(json_object_get(json, group), name));
}

Test(contention, json_and_back, .init = begin, .fini = end)
{
    struct ek_error error;
    char *text = written(write_json);
    cr_assert(lab_contention_read(text, strlen(text), &before, &error), "%s", error.sentence);
    json_t *whole = json_loads(text, 0, NULL);
    const json_t *point = json_array_get(json_object_get(whole, "points"), 1);
    const json_t *messages = json_object_get(point, "messages_per_s");
    cr_expect_float_eq(number_at(messages, "mean", "value"), 400.0, 1e-9);
    cr_expect_float_eq(number_at(messages, "to_base", "value"), 2.0, 1e-12);
    cr_expect_str_eq(json_string_value(json_object_get(json_object_get(messages, "to_base"), "difference")), "more");
    cr_expect_float_eq(json_number_value(json_object_get(whole, "others_share")), 0.125, 0.0);
    json_decref(whole);
    free(text);
    cr_assert_eq(before.count, measured.count);
    cr_expect_eq(before.host.cores, 4);
    cr_expect_eq(before.runs, RUNS);
    cr_expect_eq(before.turns, RUNS);
    cr_expect(isnan(before.host_limit[LAB_HOST_TRANSFER][1]) && before.host_limit[LAB_HOST_MEMORY][2] == 8e9);
    for (size_t i = 0; i < before.count; i++) {
        cr_expect_str_eq(before.point[i].axis, measured.point[i].axis);
        cr_expect_str_eq(before.point[i].refusal, measured.point[i].refusal);
        cr_assert_eq(before.point[i].count, measured.point[i].count);
        cr_expect_eq(lab_contention_same(&before, &measured.point[i]), &before.point[i]);
        for (size_t r = 0; r < before.point[i].count; r++) {
            cr_expect_arr_eq(before.point[i].sample[r], measured.point[i].sample[r], sizeof *before.point[i].sample);
        }
    }

    measured.point[1].sample[0][LAB_COST_MESSAGES] *= 3.0;
    text = written(write_compared);
    whole = json_loads(text, 0, NULL);
    messages = json_object_get(json_array_get(json_object_get(whole, "points"), 1), "messages_per_s");
    cr_expect_float_eq(number_at(messages, "to_baseline", "value"), pow(3.0, 0.2), 1e-12);
    json_decref(whole);
    free(text);
    lab_contention_destroy(&before);
}

// A file that is cut, has another schema, or has impossible numbers is refused as a whole.
Test(contention, damaged, .init = begin, .fini = end)
{
    struct ek_error error;
    char *text = written(write_json);
    for (size_t length = 0; length + 2 < strlen(text); length += 97) {
        cr_expect_not(lab_contention_read(text, length, &before, &error), "%zu bytes", length);
        cr_expect_eq(before.count, 0);
    }
    static const char *const damages[][2] = {{"contention/1", "contention/2"},     {"\"base\": 0", "\"base\": 9"},
                                             {"\"runs\": 5", "\"runs\": 4"},       {"\"runs\": 5", "\"runs\":-5"},
                                             {"\"value\": \"\"", "\"value\": 12"}, {"yields_per_s", "yelds_per_s_"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *damaged = strdup(text);
        char *at = strstr(damaged, damages[i][0]);
        cr_assert_not_null(at, "%s", damages[i][0]);
        memcpy(at, damages[i][1], strlen(damages[i][1]));
        cr_expect_not(lab_contention_read(damaged, strlen(damaged), &before, &error), "%s", damages[i][1]);
        free(damaged);
    }
    free(text);
}

static void expect_line(const char *text, const char *line)
{
    cr_expect(strstr(text, line), "no '%s' in\n%s", line, text);
}

Test(contention, table, .init = begin, .fini = end)
{
    char *text = written(write_table);
    expect_line(text,
                "  base: adf on ring:8, carrier threads, mailbox spsc:4, all ports, free timing, all processors\n"
                "  always invoke; means of 5 runs of 10ms for each experiment, in turn, back and forth; intervals: 95\n"
                "  % by Student's t\n");
    expect_line(text, "    base                        200  102 to 298              100  \n");
    expect_line(text, "  mailbox\n    mutex:4                     400  204 to 596              200  x2 (2 to 2)\n");
    expect_line(text, "  ports\n    one                         250  0 to 510                125  no difference seen "
                      "(0.544 to 1.84)\n");
    expect_line(text, "    pool:99                no more than 64 workers\n");
    expect_line(text, "  unpinned\n    yes ");
    expect_line(text,
                "this computer, measured between the runs: 3M yields per second (two threads per core); a cache\n"
                "  line reaches another core in 50 ns; a thread that copies memory reads and writes 8G bytes per\n"
                "  second; other programs used 12.5 % of the time\n");
    cr_expect_null(strstr(text, "since the baseline"));
    free(text);

    struct ek_error error;
    text = written(write_json);
    cr_assert(lab_contention_read(text, strlen(text), &before, &error));
    free(text);
    before.point[2].command[0] = '?';
    text = written(write_table);
    expect_line(text, "    mutex:4                     400      400  no difference seen (1 to 1)\n");
    expect_line(text, "    one                    not in the baseline\n");
    free(text);
    lab_contention_destroy(&before);
}

static void expect_last(const char *sentence)
{
    char *text = written(write_table);
    char *last = strstr(text, "of the time\n\n  ");
    cr_assert_not_null(last);
    last += strlen("of the time\n\n  ");
    last[strlen(last) - 1] = '\0';
    for (char *end = strchr(last, '\n'); end; end = strchr(end, '\n')) {
        memmove(end, end + 2, strlen(end + 2) + 1); // a line that goes on begins with two blanks
        *end = ' ';
    }
    cr_expect_str_eq(last, sentence);
    free(text);
}

// The last sentence. Unpinned is the farthest from the base, and its interval is narrow: a tenth of the messages.
Test(contention, last_sentence, .init = begin, .fini = end)
{
    expect_last("a difference is seen in 2 of 3 comparisons with the base, the largest for unpinned yes: 0.1 times the "
                "messages per second; of twenty comparisons of equal experiments about one shows a difference; other "
                "programs took part of the time: repeat this on an idle computer");
    measured.others = 0.05;
    for (size_t r = 0; r < RUNS; r++) { // the last one differs from the base, but less than the first
        measured.point[4].sample[r][LAB_COST_MESSAGES] = 0.75 * measured.point[0].sample[r][LAB_COST_MESSAGES];
    }
    expect_last(
        "a difference is seen in 2 of 3 comparisons with the base, the largest for mailbox mutex:4: 2 times the "
        "messages per second; of twenty comparisons of equal experiments about one shows a difference");
    measured.point[4].count = 0;
    expect_last(
        "a difference is seen in 1 of 2 comparisons with the base, the largest for mailbox mutex:4: 2 times the "
        "messages per second; of twenty comparisons of equal experiments about one shows a difference");
    measured.point[1].count = 4;
    expect_last("no difference is seen in 1 comparison with the base; more --runs narrow the intervals");
    measured.point[2].count = 4;
    measured.others = NAN;
    expect_last("nothing can be compared: it needs 5 --runs or more, and a list, as in --ports all,one");
}

// Each run has a line. The columns add up to the samples.
Test(contention, csv, .init = begin, .fini = end)
{
    char *text = written(write_csv);
    expect_line(text,
                "axis,value,run,messages_per_s,operations_per_s,latency_median_s,latency_p99_s,stalls_per_message,"
                "empty_turns_share,sleeps_per_s,switches_per_message,command\n,,0,100,50,");
    size_t lines = 0;
    double sum = 0.0;
    for (const char *line = strchr(text, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        char axis[20] = "", value[20] = "";
        double messages;
        int run;
        if (sscanf(line, "%19[^,],%19[^,],%d,%lf", axis, value, &run, &messages) == 4) {
            sum += messages;
        }
        lines++;
    }
    cr_expect_eq(lines, 4 * RUNS);
    cr_expect_float_eq(sum, 2000.0 + 1250.0 + 100.1, 1e-9);
    free(text);
}

Test(contention, picture, .init = begin, .fini = end)
{
    struct ek_error error;
    struct lab_figure figure;
    cr_assert(report_contention_figure(&figure, &measured, &error));
    static const char *const names[] = {
        "base", "", "mailbox mutex:4", "", "ports one", "", "carrier pool:99", "", "unpinned yes"};
    cr_assert_eq(figure.names, sizeof names / sizeof *names);
    for (size_t i = 0; i < figure.names; i++) {
        cr_expect_str_eq(figure.name[i], names[i]);
    }
    const struct lab_series *series = &figure.series[0];
    cr_assert_eq(series->count, 5);
    cr_expect(series->x[1] == 2.0 && series->y[1] == 400.0 && series->x[4] == 8.0);
    cr_expect(isnan(series->y[3]), "a refused experiment has no point");
    struct lab_interval mean = lab_contention_mean(&measured.point[4], LAB_COST_MESSAGES);
    cr_expect(series->low[4] == mean.low && series->high[4] == mean.high);
    cr_expect_str_eq(series->label, "mean with its interval: 95 % by Student's t");
    cr_expect(figure.y.logarithmic);
    lab_figure_destroy(&figure);
    measured.runs = 4; // four runs have no interval: its ends are their mean
    measured.point[1].count = 4;
    cr_assert(report_contention_figure(&figure, &measured, &error));
    series = &figure.series[0];
    cr_expect(series->y[1] == 350.0 && series->low[1] == 350.0 && series->high[1] == 350.0);
    cr_expect_str_eq(series->label, "mean of 4 runs: 5 would have an interval");
    lab_figure_destroy(&figure);
}

Test(contention, ticks)
{
    struct lab_cpu_ticks ticks;
    cr_expect(lab_cpu_ticks_read("cpu  10 20 30 400 50 6 7 8 9 0\n", &ticks));
    cr_expect_eq(ticks.all, 531);
    cr_expect_eq(ticks.working, 81);
    cr_expect_not(lab_cpu_ticks_read("cpu0 10 20\n", &ticks));
    cr_expect_not(lab_cpu_ticks_read("intr 1 2 3 4 5 6 7 8\n", &ticks));
}

// The computer's limits must be plausible for any computer, and the time of other programs for any time.
Test(contention, limits)
{
    struct lab_other_programs others;
    lab_other_programs_begin(&others);
    double floor[LAB_HOST_LIMITS];
    lab_host_limits_measure(0.01, floor);
    cr_expect(floor[LAB_HOST_YIELDS] > 0.0 && floor[LAB_HOST_YIELDS] < 1e10);
    cr_expect(floor[LAB_HOST_MEMORY] > 1e5 && floor[LAB_HOST_MEMORY] < 1e13);
    cr_expect(isnan(floor[LAB_HOST_TRANSFER]) || (floor[LAB_HOST_TRANSFER] > 1e-10 && floor[LAB_HOST_TRANSFER] < 1.0));
    double share = lab_other_programs_end(&others);
    cr_expect(isnan(share) || (share >= 0.0 && share <= 1.0));
}

static void show(const char *what)
{
    printf("\n== %s\n", what);
    report_contention_table(stdout, &measured, before.count > 0 ? &before : NULL);
    lab_contention_write(stdout, &measured, before.count > 0 ? &before : NULL);
    write_csv(stdout);
    printf("disturbed: %d\n", report_contention_disturbed(&measured));
    struct lab_figure figure;
    struct ek_error error;
    cr_assert(report_contention_figure(&figure, &measured, &error));
    printf("figure: %s\n%s\n%s\n", figure.title, figure.note, figure.series[0].label);
    for (size_t i = 0; i < figure.series[0].count; i++) {
        const struct lab_series *series = &figure.series[0];
        printf("%g %g (%g to %g)\n", series->x[i], series->y[i], series->low[i], series->high[i]);
    }
    for (size_t i = 0; i < figure.names; i++) {
        printf("%zu: %s\n", i, figure.name[i]);
    }
    lab_figure_destroy(&figure);
}

// Everything that the report says of these samples, also beside a baseline, without a computer's limits, and of one run
// with a barrier, which is in rounds.
Test(contention, all_of_it, .init = begin, .fini = end)
{
    struct ek_error error;
    struct golden golden = golden_begin();
    show("five runs");
    char *text = written(write_json);
    cr_assert(lab_contention_read(text, strlen(text), &before, &error));
    free(text);
    before.point[2].command[0] = '?';
    for (size_t i = 0; i < RUNS; i++) {
        measured.point[1].sample[i][LAB_COST_MESSAGES] *= 1e6 * (double)(3 + i);
        measured.point[4].sample[i][LAB_COST_STALLS] = NAN;
        measured.host_limit[LAB_HOST_TRANSFER][i] = NAN;
    }
    measured.others = 0.051;
    show("a baseline");
    lab_contention_destroy(&before);
    before = (struct lab_contention){0};
    struct lab_experiment_spec rounds = {.text = {0}};
    set_text(&rounds, "timing", "rounds");
    set_text(&rounds, "barrier", "spin");
    cr_assert(lab_contention_add(&measured, &rounds, "barrier", "spin", measured.count, &error));
    struct lab_point *spin = &measured.point[5];
    for (size_t c = 0; c < LAB_COSTS; c++) {
        spin->sample[0][c] = c < LAB_COST_LATENCY ? 2.5e9 : NAN;
    }
    for (size_t i = 0; i < measured.count; i++) {
        measured.point[i].count = measured.point[i].count > 0 || i == 5;
    }
    measured.runs = 1;
    measured.others = NAN;
    set_text(&measured.point[0].spec, "ports", "one");
    show("one run");
    golden_end(&golden, "tests/data/reports/contention.txt");
}
