// SPDX-License-Identifier: MIT
// Programs that were compiled with another version of the header: their structs are shorter or longer than the
// library's.
#include <criterion/criterion.h>

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/method.h"
#include "core/register.h"
#include "threads/api/experiment.h"
#include "threads/api/replay.h"
#include "threads/api/run.h"

static struct ek_error error;

// The last fields of version 1. If one has moved, a field was added before it: programs compiled with version 1 would
// read and write wrong places. Add fields at the end, the first one 8 bytes wide, so that it does not lie in the
// padding of version 1.
_Static_assert(offsetof(struct ek_experiment, by_caller) == 392, "struct ek_experiment has changed before its end");
_Static_assert(offsetof(struct ek_report, free.dump) == 2232, "struct ek_report has changed before its end");
_Static_assert(offsetof(struct ek_theory, note) == 56, "struct ek_theory has changed before its end");
_Static_assert(offsetof(struct ek_limits, counters) == 289, "struct ek_limits has changed before its end");

static const struct ek_experiment ring = {.topology = "ring:8",
                                          .method = "adf",
                                          .load = "peak:80",
                                          .carrier = "pool:1",
                                          .steps_max = 1000,
                                          .keep_loads = true,
                                          .keep_trace = true};

// A struct of another version, followed by bytes that the library must not write.
struct block {
    unsigned char *byte;
    size_t size;
};

enum { GUARD = 64, UNTOUCHED = 0x5a };

static struct block block_of(size_t size)
{
    struct block block = {malloc(size + GUARD), size};
    cr_assert(block.byte);
    memset(block.byte, UNTOUCHED, size + GUARD);
    return block;
}

static void expect_untouched(const struct block *block)
{
    for (size_t i = 0; i < GUARD; i++) {
        cr_expect_eq(block->byte[block->size + i], UNTOUCHED, "byte %zu past the end was written", i);
    }
}

static void expect_zeros(const struct block *block, size_t from)
{
    for (size_t i = from; i < block->size; i++) {
        cr_expect_eq(block->byte[i], 0, "byte %zu", i);
    }
}

static struct ek_machine *prepare(size_t size)
{
    struct block experiment = block_of(size);
    memset(experiment.byte, 0, size);
    memcpy(experiment.byte, &ring, size < sizeof ring ? size : sizeof ring);
    struct ek_machine *machine = ek_prepare_sized((const void *)experiment.byte, size, &error);
    cr_assert(machine, "%s", error.sentence);
    expect_untouched(&experiment);
    free(experiment.byte);
    return machine;
}

// Runs into a report of `size` bytes, and compares the part that is common with a report of this version.
static void expect_report(struct ek_machine *machine, size_t size)
{
    struct ek_report whole;
    struct block part = block_of(size);
    struct ek_report *report = (void *)part.byte;
    cr_assert_eq(ek_run(machine, 0, &whole, NULL, NULL, &error), EK_OK, "%s", error.sentence);
    cr_assert_eq(ek_run_sized(machine, 0, report, size, NULL, NULL, &error), EK_OK, "%s", error.sentence);
    expect_untouched(&part);
    expect_zeros(&part, sizeof whole);
    cr_expect_eq(report->steps, whole.steps);
    cr_expect_eq(memcmp(&report->error_final, &whole.error_final, sizeof whole.error_final), 0);
    cr_expect_eq(memcmp(report->final, whole.final, 8 * sizeof *whole.final), 0);
    ek_report_destroy_sized(report, size);
    ek_report_destroy(&whole);
    cr_expect_null(report->final);
    expect_untouched(&part);
    free(part.byte);
}

Test(header_versions, an_older_program_has_fewer_fields)
{
    struct ek_machine *machine = prepare(offsetof(struct ek_experiment, observer));
    expect_report(machine, offsetof(struct ek_report, trace)); // the library frees the trace
    expect_report(machine, offsetof(struct ek_report, timed));

    struct block theory = block_of(offsetof(struct ek_theory, steps));
    struct ek_theory known;
    ek_theory_find(machine, &known);
    ek_theory_find_sized(machine, (void *)theory.byte, theory.size);
    cr_expect_eq(memcmp(theory.byte, &known, theory.size), 0);
    expect_untouched(&theory);
    free(theory.byte);

    struct block limits = block_of(offsetof(struct ek_limits, counters));
    ek_limits_read_sized((void *)limits.byte, limits.size);
    cr_expect_gt(((const struct ek_limits *)(const void *)limits.byte)->cores, 0);
    expect_untouched(&limits);
    free(limits.byte);
    ek_machine_destroy(machine);
}

Test(header_versions, a_newer_program_has_more_fields)
{
    struct ek_machine *machine = prepare(sizeof ring + 16);
    expect_report(machine, sizeof(struct ek_report) + 24);

    struct block theory = block_of(sizeof(struct ek_theory) + 16);
    ek_theory_find_sized(machine, (void *)theory.byte, theory.size);
    expect_zeros(&theory, sizeof(struct ek_theory));
    expect_untouched(&theory);
    free(theory.byte);
    ek_machine_destroy(machine);
}

Test(header_versions, a_field_that_the_library_does_not_know_is_refused)
{
    struct {
        struct ek_experiment known;
        double added;
    } newer = {ring, 0.5};
    cr_expect_null(ek_prepare_sized(&newer.known, sizeof newer, &error));
    cr_expect_eq(error.status, EK_BAD_INPUT);
    char sentence[80];
    snprintf(sentence, sizeof sentence, "sets a field that version %u of the library does not know", EK_API_VERSION);
    cr_expect(strstr(error.sentence, sentence), "%s", error.sentence);
}

Test(header_versions, effects_are_pooled_from_reports_of_any_size)
{
    struct {
        struct ek_report known;
        double added;
    } runs[2] = {{.added = 1.0}, {.added = 2.0}};
    for (int r = 0; r < 2; r++) {
        runs[r].known.effects.alone = (struct ek_effect){.count = 4, .before = 8.0, .after = 2.0 * r};
        runs[r].known.effects.unknown = 3;
    }
    struct ek_effects effects = ek_effects_pool_sized(&runs[0].known, sizeof *runs, 2);
    cr_expect_eq(effects.alone.count, 8);
    cr_expect_eq(effects.alone.after, 1.0);
    cr_expect_eq(effects.unknown, 6);
}

Test(header_versions, a_method_needs_the_version_of_the_library)
{
    static struct ek_method copy;
    copy = *ek_method_find("adf");
    copy.name = "copied";
    cr_expect_not(ek_method_register_for(EK_API_VERSION + 1, &copy, &error));
    char sentence[160];
    snprintf(sentence, sizeof sentence,
             "this method was compiled with version %u of the header, and the library has version %u: compile it again "
             "with the library's header",
             EK_API_VERSION + 1, EK_API_VERSION);
    cr_expect_str_eq(error.sentence, sentence);
    cr_expect(ek_method_register(&copy, &error), "%s", error.sentence);
    cr_expect_eq(ek_api_version(), EK_API_VERSION);
}
