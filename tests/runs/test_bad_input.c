// SPDX-License-Identifier: MIT
// An error in an experiment is reported in one sentence, with the place of the wrong character, and nothing runs.
// Errors in topologies are tested in test_topologies.c, in graph files in test_graph_files.c.
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "tests/support/text_file.h"
#include "tests/support/runs.h"
#include "threads/api/axis.h"

static void expect_refusal(const struct ek_experiment *experiment, const char *axis, int at, const char *part)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    cr_assert_null(machine, "--%s: it should be refused with '%s'", axis, part);
    cr_expect_eq(error.status, EK_BAD_INPUT);
    cr_expect_str_eq(error.axis, axis, "'%s', not '%s': %s", error.axis, axis, error.sentence);
    cr_expect_eq(error.at, at, "--%s: at %d, not %d: %s", axis, error.at, at, error.sentence);
    cr_expect(strstr(error.sentence, part), "--%s: '%s' lacks '%s'", axis, error.sentence, part);
    cr_expect_null(strchr(error.sentence, '\n'));
}

struct wrong {
    const char *spec;
    int at;
    const char *part;
};

static void expect_refusals(const char *axis, const struct wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct ek_experiment experiment = {.topology = "ring:5"};
        const struct {
            const char *axis;
            const char **place;
        } places[] = {
            {"topology", &experiment.topology}, {"method", &experiment.method},   {"units", &experiment.units},
            {"ports", &experiment.ports},       {"load", &experiment.load},       {"stop", &experiment.stop},
            {"carrier", &experiment.carrier},   {"mailbox", &experiment.mailbox}, {"barrier", &experiment.barrier},
            {"within", &experiment.within},     {"slow", &experiment.slow},       {"rounding", &experiment.rounding},
        };
        for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
            if (strcmp(places[k].axis, axis) == 0) {
                *places[k].place = cases[i].spec;
            }
        }
        experiment.timing = experiment.within || experiment.slow ? "virtual" : NULL;
        experiment.turn_cost = experiment.slow ? "10s" : NULL;
        expect_refusal(&experiment, axis, cases[i].at, cases[i].part);
    }
}

Test(bad_input, methods)
{
    static const struct wrong cases[] = {
        {"", 0, "begins with its name"},
        {":1", 0, "begins with its name"},
        {"adee", 0, "did you mean ade?"},
        {"dimension", 0, "no method called 'dimension'"},
        {"ADE", 0, "no method called 'ADE'"},
        {"ade:1", 4, "takes no parameter"},
        {"ade ", 3, "cannot follow"},
        {"gde", 3, "gde:0.72"},
        {"gde:", 4, "decimal number"},
        {"gde:x", 4, "decimal number"},
        {"gde:0.5x", 7, "cannot follow"},
        {"gde:1.5", 4, "from 0 to 1"},
        {"gde:-0.1", 4, "from 0 to 1"},
        {"gde:nan", 4, "decimal number"},
        {"gde:inf", 4, "decimal number"},
        {"gde:1e999", 4, "from 0 to 1"},
        {"gde:0x1p-1", 4, "decimal number"},
        {"diffusion", 9, "diffusion:0.2"},
        {"diffusion:2", 10, "from 0 to 1"},
        {"diffusion:0.2:3", 13, "cannot follow"},
        {"odf:0.1", 4, "takes no parameter"},
        {"matching:2", 9, "choose one of maximal, edge"},
        {"rotor", 5, "as in rotor:2"},
        {"rotor:", 6, "number of self-loops"},
        {"rotor:-1", 6, "number of self-loops"},
        {"rotor:1000001", 6, "from 0 to 1000000"},
        {"rotor:1.5", 7, "cannot follow"},
    };
    expect_refusals("method", cases, sizeof cases / sizeof *cases);
}

Test(bad_input, names)
{
    static const struct wrong units[] = {
        {"token", 0, "did you mean tokens?"}, {"", 0, "as in real"}, {"real ", 4, "cannot follow"}};
    static const struct wrong ports[] = {{"two", 0, "'two'"}, {"on", 0, "did you mean one?"}, {"\n", 0, "as in all"}};
    static const struct wrong mailboxes[] = {{"slots", 0, "did you mean slot?"}, {"pigeon", 0, "choose one of"}};
    static const struct wrong barriers[] = {{"yeild", 0, "did you mean yield?"}, {"spin:1", 4, "cannot follow"}};
    static const struct wrong roundings[] = {{"", 0, "as in down"},
                                             {"nearset", 0, "did you mean nearest?"},
                                             {"carry:1", 5, "cannot follow"},
                                             {"up", 0, "choose one of"},
                                             {"carry", 0, "real loads are not rounded: use units tokens"}};
    expect_refusals("units", units, 3);
    expect_refusals("rounding", roundings, 5);
    expect_refusals("ports", ports, 3);
    expect_refusals("mailbox", mailboxes, 2);
    expect_refusals("barrier", barriers, 2);
}

Test(bad_input, carriers)
{
    static const struct wrong cases[] = {
        {"", 0, "threads, pool or mpi"},     {"thread", 0, "did you mean threads?"},
        {"pool:", 5, "number of workers"},   {"pool:0", 5, "from 1 to"},
        {"pool:-1", 5, "number of workers"}, {"pool:2x", 6, "cannot follow"},
        {"threads:4", 7, "cannot follow"},   {"pool:99999999999999999999", 5, "number of workers"},
        {"pool:1.5", 6, "cannot follow"},
    };
    expect_refusals("carrier", cases, sizeof cases / sizeof *cases);
}

Test(bad_input, loads)
{
    static const struct wrong cases[] = {
        {"", 0, "begins with its kind"},
        {"unifrom:0:1", 0, "did you mean uniform?"},
        {"uniform", 7, "write ':' after uniform"},
        {"uniform:0", 9, "write ':'"},
        {"uniform:5:1", 8, "the lowest load comes first"},
        {"uniform:-1:1", 8, "a load must be"},
        {"uniform:0:1e400", 10, "a load must be"},
        {"uniform:0:1:2", 11, "cannot follow"},
        {"constant:nan", 9, "decimal number"},
        {"constant:infinity", 9, "decimal number"},
        {"constant:-0.5", 9, "a load must be"},
        {"constant:", 9, "decimal number"},
        {"constant:9e15", 0, "2^53"},
        {"peak:5@5", 7, "from 0 to 4"},
        {"peak:5@", 7, "the peak's processor"},
        {"peak:5@-1", 7, "the peak's processor"},
        {"peak:9007199254740993e9", 5, "a load must be"},
        {"modulo:7919", 11, "write ':'"},
        {"modulo:7919:0", 12, "the modulus"},
        {"modulo:1.5:3", 8, "write ':'"},
        {"list:", 5, "decimal number"},
        {"list:1,2,3,4", 12, "4 loads and the topology 5"},
        {"list:1,2,3,4,5,6", 14, "more loads than"},
        {"list:1,2,,4,5", 9, "decimal number"},
        {"file:", 5, "needs a path"},
        {"file:loads.txt", 5, "no files can be read here"},
    };
    expect_refusals("load", cases, sizeof cases / sizeof *cases);
}

Test(bad_input, stops)
{
    static const struct wrong cases[] = {
        {"", 0, "the name of the stop criterion is missing: choose one of variance"},
        {"varience:1", 0, "did you mean variance?"},
        {"variance", 8, "write ':'"},
        {"variance:", 9, "decimal number"},
        {"variance:-1", 9, "at least 0"},
        {"variance:nan", 9, "decimal number"},
        {"variance:1e999", 9, "finite"},
        {"shared:1", 6, "cannot follow"},
        {"never:1", 5, "cannot follow"},
        {"spread:1,5", 8, "cannot follow"},
        {"never", 0, "set one of steps, operations and for"},
    };
    expect_refusals("stop", cases, sizeof cases / sizeof *cases);
}

Test(bad_input, costs_that_vary)
{
    static const struct wrong cases[] = {
        {"", 0, "the factor must be a decimal number"},
        {"0.5", 0, "the factor must be from 1 to 100"},
        {"101", 0, "the factor must be from 1 to 100"},
        {"2:", 2, "the number of the machine"},
        {"2:x", 2, "the number of the machine"},
        {"2:4294967296", 2, "from 0 to 4294967295"},
        {"2:1:1", 3, "cannot follow"},
        {"100000", 0, "the factor"},
    };
    expect_refusals("within", cases, sizeof cases / sizeof *cases);
}

// No sum of costs overflows: with turns of 10 s a factor of 439 is the largest.
Test(bad_input, costs_of_the_slowest)
{
    static const struct wrong cases[] = {
        {"3:440", 0, "more than 2^42 ns (73 minutes)"},
        {"0:2,4:1000000,1:3", 0, "more than 2^42 ns (73 minutes)"},
        {"0:2,5:3", 4, "from 0 to 4"},
        {"0:1000001", 2, "from 1 to 1000000"},
    };
    expect_refusals("slow", cases, sizeof cases / sizeof *cases);
    struct ek_error error;
    struct ek_experiment experiment = {
        .topology = "ring:5", .timing = "virtual", .turn_cost = "10s", .overhead = "10s", .slow = "3:439"};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_expect(machine, "%s", error.sentence);
    ek_machine_destroy(machine);
    experiment.within = "1.002";
    expect_refusal(&experiment, "slow", 0, "more than 2^42 ns (73 minutes)");
}

Test(bad_input, tokens_are_whole)
{
    static const struct wrong cases[] = {{"constant:0.5", 9, "whole"},
                                         {"uniform:0:10.5", 10, "whole"},
                                         {"list:1,2,3,4.25,5", 11, "whole"},
                                         {"peak:1e-3", 5, "whole"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {.topology = "ring:5", .units = "tokens", .load = cases[i].spec};
        expect_refusal(&experiment, "load", cases[i].at, cases[i].part);
    }
}

Test(bad_input, limits)
{
    // More threads, and more memory, than any system has.
    expect_refusal(&(struct ek_experiment){.topology = "ring:6000000", .carrier = "threads"}, "carrier", -1, "pool");
}

// Numbers that a program sets, which the command would not read. The largest times fit in nanoseconds, even with
// others added to them.
Test(bad_input, numbers_of_a_program)
{
    static const double times[] = {-1.0, NAN, INFINITY, 3600e9}, shares[] = {-0.5, NAN, 1.5};
    const struct ek_axis *axis;
    unsigned axes[5] = {0};
    for (size_t i = 0; (axis = ek_axis_at(i)) != NULL; i++) {
        struct ek_experiment experiment = {.topology = "ring:5", .timing = "free"};
        void *place = (char *)&experiment + axis->place;
        axes[axis->kind]++;
        for (size_t k = 0; axis->kind == EK_AXIS_SECONDS && k < sizeof times / sizeof *times; k++) {
            *(double *)place = times[k];
            expect_refusal(&experiment, axis->option, 0, "above 0, of at most 1e+09 s");
        }
        for (size_t k = 0; axis->kind == EK_AXIS_SHARE && k < sizeof shares / sizeof *shares; k++) {
            *(double *)place = shares[k];
            expect_refusal(&experiment, axis->option, 0, "from 0 to 1");
        }
        if (axis->kind == EK_AXIS_WHOLE) {
            *(uint64_t *)place = UINT64_MAX;
            expect_refusal(&experiment, axis->option, 0, "whole number from");
        }
    }
    cr_expect(axes[EK_AXIS_SECONDS] >= 4 && axes[EK_AXIS_SHARE] >= 1 && axes[EK_AXIS_WHOLE] >= 4);
}

static const struct {
    const char *text;
    const char *units;
    const char *part;
} bad_files[] = {
    {"", "real", "holds 0 loads and the topology has 5"},
    {"\n\n# nothing\n", "real", "holds 0 loads"},
    {"1\n2\n3\n4\n", "real", "holds 4 loads"},
    {"1\n2\n3\n4\n5\n6\n", "real", "loads.txt:6: the file has more loads"},
    {"1\n2\n3 4\n4\n5\n", "real", "loads.txt:3: ' ' cannot follow"},
    {"1\n2\nthree\n4\n5\n", "real", "loads.txt:3: a load must be a decimal number"},
    {"1\n2\nnan\n4\n5\n", "real", "loads.txt:3"},
    {"inf\n2\n3\n4\n5\n", "real", "loads.txt:1"},
    {"1\n-2\n3\n4\n5\n", "real", "loads.txt:2"},
    {"1\n2\n0x10\n4\n5\n", "real", "loads.txt:3"},
    {"1\n2\n3\n1e999\n5\n", "real", "loads.txt:4"},
    {"1\n2\n3\n4\n5.5\n", "tokens", "loads.txt:5: tokens are whole"},
    {"1,2,3,4,5\n", "real", "loads.txt:1"},
    {"\x7f"
     "ELF",
     "real", "loads.txt:1: this is no text"},
    {"9e15\n9e15\n0\n0\n0\n", "real", "2^53"},
};

static void try_file(const char *text, size_t length, const char *units, struct tests_outcome *outcome)
{
    struct tests_memory memory = {.text = text, .length = length};
    struct ek_experiment experiment = {.topology = "chain:5",
                                       .load = "file:loads.txt",
                                       .units = units,
                                       .keep_loads = true,
                                       .stop = "never",
                                       .steps_max = 1,
                                       .reader = tests_memory_reader(&memory)};
    tests_try(&experiment, 0, outcome);
}

Test(bad_input, load_files)
{
    struct tests_outcome outcome;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        try_file(bad_files[i].text, strlen(bad_files[i].text), bad_files[i].units, &outcome);
        cr_expect(outcome.status == EK_BAD_INPUT && !outcome.machine, "%s", bad_files[i].part);
        cr_expect_str_eq(outcome.error.axis, "load");
        cr_expect(strstr(outcome.error.sentence, bad_files[i].part), "'%s' lacks '%s'", outcome.error.sentence,
                  bad_files[i].part);
        tests_outcome_destroy(&outcome);
    }
    try_file(NULL, 0, "real", &outcome);
    cr_expect(outcome.status == EK_BAD_INPUT && strstr(outcome.error.sentence, "no such file"));
    tests_outcome_destroy(&outcome);
    try_file("1\n2\n\0\n4\n5\n", 10, "real", &outcome);
    cr_expect(outcome.status == EK_BAD_INPUT && strstr(outcome.error.sentence, "loads.txt:3: this is no text"));
    tests_outcome_destroy(&outcome);
}

Test(bad_input, load_files_may_have_blank_lines_comments_and_any_line_end)
{
    static const char *const files[] = {"1\n2\n3\n4\n5\n",
                                        "1\r\n2\r\n3\r\n4\r\n5\r\n",
                                        "1\r2\r3\r4\r5",
                                        "\n 1 \n\n\t2\n3\n4 # four\n5",
                                        "# five loads\n1\n2\n3\n#4\n4\n+5.0e0\n",
                                        "1.\n2\n3\n.4e1\n5\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_outcome outcome;
        try_file(files[i], strlen(files[i]), "tokens", &outcome);
        cr_assert_eq(outcome.status, EK_OK, "file %zu: %s", i, outcome.error.sentence);
        for (unsigned p = 0; p < 5; p++) {
            cr_assert_eq(outcome.report.initial[p], p + 1.0);
        }
        tests_outcome_destroy(&outcome);
    }
}

Test(bad_input, files_of_the_method_sender)
{
    static const struct {
        const char *text, *part;
        int at;
    } files[] = {
        {"0.1\n0.1\n0.1\n0.1\n", "the file has 4 numbers, but the topology has 5 processors", 7},
        {"0.1\n0.1\n0.1\n0.1\n0.1\n0.1\n", "c:6: the file has more lines than the topology's 5 processors", -1},
        {"0.1\n0.1\n0.1 0.1\n0.1\n0.1\n", "c:3: ' ' cannot follow", -1},
        {"0.1\n-0.1\n0.1\n0.1\n0.1\n", "c:2: c must be from 0 to", -1},
        {"", "the file has 0 numbers", 7},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct tests_memory memory = {.text = files[i].text, .length = strlen(files[i].text)};
        struct ek_experiment experiment = {
            .topology = "chain:5", .method = "sender:file:c", .reader = tests_memory_reader(&memory)};
        expect_refusal(&experiment, "method", files[i].at, files[i].part);
    }
}

// Axes of tasks do nothing without a program.
Test(bad_input, axes_of_tasks_without_tasks)
{
    struct ek_experiment experiment = {.topology = "torus:4x4", .method = "adf", .give = "newest"};
    expect_refusal(&experiment, "give", 0, "give is for tasks: use tasks queens:8");
    experiment = (struct ek_experiment){.topology = "torus:4x4", .method = "adf", .grain = 2};
    expect_refusal(&experiment, "grain", 0, "grain is for tasks: use tasks queens:8");
    experiment = (struct ek_experiment){
        .topology = "torus:4x4", .method = "adf", .timing = "virtual", .task_time = "2us", .tasks = "none"};
    expect_refusal(&experiment, "task-time", 0, "task-time is for tasks: use tasks queens:8");
    experiment = (struct ek_experiment){.topology = "torus:4x4",
                                        .method = "adf",
                                        .timing = "virtual",
                                        .give = "oldest",
                                        .grain = 1,
                                        .task_time = "1us"}; // the defaults do no harm
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_expect(machine, "%s", error.sentence);
    ek_machine_destroy(machine);
}
