// SPDX-License-Identifier: MIT
// Parses and draws workload. A draw depends on the processor and the tick only.
#include "core/axes/work.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "base/random.h"

static const double EXACT = 0x1p53; // whole numbers up to here are exact in a double

struct workload_draft {
    struct core_workload *workload;
    struct base_cursor cursor;
    struct ek_reader reader;
    uint64_t room; // capacity of `changes` in ticks
};

// Reads an amount from `minimum` to EXACT, which must be whole if loads are tokens.
static bool read_amount(struct base_cursor *cursor, const char *what, double minimum, enum ek_units units,
                        double *amount)
{
    size_t at = cursor->at;
    if (!base_cursor_real(cursor, what, minimum, EXACT, amount)) {
        return false;
    }
    if (units == EK_TOKENS && *amount != floor(*amount)) {
        return base_cursor_fail(cursor, at, "tokens are whole: write %.0f, or choose units real", *amount);
    }
    return true;
}

// Makes room for one more tick, with changes of 0.
static bool add_tick(struct workload_draft *draft, struct ek_error *error)
{
    struct core_workload *workload = draft->workload;
    if (workload->ticks == draft->room) {
        uint64_t room = draft->room > 0 ? 2 * draft->room : 1;
        size_t row = workload->processors * sizeof *workload->changes;
        double *changes = room <= SIZE_MAX / row ? realloc(workload->changes, room * row) : NULL;
        if (!changes) {
            return base_fail(error, EK_BAD_INPUT, "work", "no memory for so much work: use a smaller topology");
        }
        workload->changes = changes;
        draft->room = room;
    }
    double *tick = workload->changes + workload->ticks * workload->processors;
    for (uint32_t p = 0; p < workload->processors; p++) {
        tick[p] = 0.0;
    }
    workload->ticks++;
    return true;
}

static bool parse_none(struct workload_draft *draft)
{
    (void)draft;
    return true;
}

static bool parse_normal(struct workload_draft *draft)
{
    struct core_workload *workload = draft->workload;
    struct base_cursor *cursor = &draft->cursor;
    double variance;
    if (!base_cursor_real(cursor, "the mean", 0.0, EXACT, &workload->mean) ||
        !base_cursor_expect(cursor, ':', "the mean") ||
        !base_cursor_real(cursor, "the variance", 0.0, EXACT, &variance) ||
        !base_cursor_expect(cursor, ':', "the variance") ||
        !read_amount(cursor, "the consumption", 0.0, workload->units, &workload->consumption)) {
        return false;
    }
    workload->deviation = sqrt(variance);
    return true;
}

// Reads a number above 0.
static bool read_above_0(struct base_cursor *cursor, const char *what, double most, double *number)
{
    size_t at = cursor->at;
    return base_cursor_real(cursor, what, 0.0, most, number) &&
           (*number > 0.0 || base_cursor_fail(cursor, at, "%s must be above 0, as in pareto:1.1:10:100", what));
}

static bool parse_pareto(struct workload_draft *draft)
{
    static const double SHAPE_MOST = 1e3;
    struct core_workload *workload = draft->workload;
    struct base_cursor *cursor = &draft->cursor;
    return read_above_0(cursor, "the shape", SHAPE_MOST, &workload->shape) &&
           base_cursor_expect(cursor, ':', "the shape") &&
           read_above_0(cursor, "the least amount", CORE_WORKLOAD_PARETO_MOST, &workload->least) &&
           base_cursor_expect(cursor, ':', "the least amount") &&
           read_amount(cursor, "the consumption", 0.0, workload->units, &workload->consumption);
}

// Reads P=A,P=A,…. A processor may be listed once only, so that no amount is lost.
static bool parse_constant(struct workload_draft *draft)
{
    struct core_workload *workload = draft->workload;
    struct base_cursor *cursor = &draft->cursor;
    bool *given = calloc(workload->processors, sizeof *given);
    bool good = given
                    ? add_tick(draft, cursor->error)
                    : base_fail(cursor->error, EK_BAD_INPUT, "work", "no memory for the work: use a smaller topology");
    do {
        size_t at = cursor->at;
        uint64_t processor;
        double amount;
        good =
            good && base_cursor_whole(cursor, "the processor", 0, workload->processors - 1, &processor) &&
            (!given[processor] || base_cursor_fail(cursor, at, "processor %u is listed already: leave one of them out",
                                                   (unsigned)processor)) &&
            base_cursor_expect(cursor, '=', "the processor, as in constant:0=2,8=-2") &&
            read_amount(cursor, "an amount of work", -EXACT, workload->units, &amount);
        if (good) {
            given[processor] = true;
            workload->changes[processor] = amount;
        }
    } while (good && base_cursor_accept(cursor, ','));
    free(given);
    return good;
}

static bool take_tick(void *context, struct base_cursor *line)
{
    struct workload_draft *draft = context;
    struct core_workload *workload = draft->workload;
    if (!add_tick(draft, line->error)) {
        return false;
    }
    double *tick = workload->changes + (workload->ticks - 1) * workload->processors;
    for (uint32_t p = 0; p < workload->processors; p++) {
        if (p > 0 && !core_spec_blanks(line)) {
            return base_cursor_fail(line, line->at,
                                    "the line has %u amounts and the topology %u processors: give one for each", p,
                                    workload->processors);
        }
        if (!read_amount(line, "an amount of work", -EXACT, workload->units, &tick[p])) {
            return false;
        }
    }
    return !core_spec_blanks(line) ||
           base_cursor_fail(line, line->at, "the line has more amounts than the topology's %u processors",
                            workload->processors);
}

static bool read_file(struct workload_draft *draft)
{
    const char *path = draft->cursor.text + draft->cursor.at;
    return core_spec_lines(&draft->cursor, draft->reader, take_tick, draft) &&
           (draft->workload->ticks > 0 ||
            base_fail(draft->cursor.error, EK_BAD_INPUT, "work", "%s has no work: write a line for each tick", path));
}

// In the order of enum core_workload_kind.
static const struct {
    const char *name;
    bool (*parse)(struct workload_draft *draft);
    struct ek_choice choice;
} kinds[] = {
    {"none", parse_none, {"none", "nothing is generated or consumed"}},
    {"normal",
     parse_normal,
     {"normal:M:V:C",
      "each processor generates a normal amount (mean M, variance V; below 0 it consumes) and consumes C, every tick"}},
    {"constant",
     parse_constant,
     {"constant:P=A,P=A,…", "processor P generates A every tick; it consumes if A is negative"}},
    {"file",
     read_file,
     {"file:PATH", "one line a tick, with a number for each processor; nothing after the last line"}},
    {"pareto",
     parse_pareto,
     {"pareto:SHAPE:LEAST:C",
      "each processor generates a heavy-tailed amount (above x with probability (LEAST/x)^SHAPE, at most 1e12) and "
      "consumes C, every tick; lifetimes of processes have a SHAPE of about 1"}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct ek_choice *core_workload_choice(size_t index)
{
    return index < KINDS ? &kinds[index].choice : NULL;
}

static const char *known_workload(size_t index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

bool core_workload_parse(struct core_workload *workload, const char *spec, uint32_t processors, enum ek_units units,
                         struct ek_reader reader, struct ek_error *error)
{
    assert(processors > 0);
    *workload = (struct core_workload){.units = units, .processors = processors};
    struct workload_draft draft = {
        .workload = workload, .cursor = base_cursor_start("work", spec, error), .reader = reader};
    size_t kind;
    if (!core_spec_kind(&draft.cursor, "work", known_workload, core_workload_choice, 1, &kind)) {
        return false;
    }
    workload->kind = (enum core_workload_kind)kind;
    if (kinds[kind].parse(&draft) && base_cursor_end(&draft.cursor)) {
        return true;
    }
    core_workload_destroy(workload);
    return false;
}

void core_workload_destroy(struct core_workload *workload)
{
    free(workload->changes);
    workload->changes = NULL;
}

static double draw_normal(const struct core_workload *workload, uint64_t seed, uint32_t processor, uint64_t tick)
{
    struct base_random random = base_random_moment(seed, processor, BASE_STREAM_WORK, tick);
    double amount = workload->mean + workload->deviation * base_random_normal(&random);
    return workload->units == EK_TOKENS ? round(amount) : amount;
}

// Inverts the distribution: 1 - u is uniform in (0, 1].
static double draw_pareto(const struct core_workload *workload, uint64_t seed, uint32_t processor, uint64_t tick)
{
    struct base_random random = base_random_moment(seed, processor, BASE_STREAM_WORK, tick);
    double amount = workload->least * pow(1.0 - base_random_unit(&random), -1.0 / workload->shape);
    amount = amount < CORE_WORKLOAD_PARETO_MOST ? amount : CORE_WORKLOAD_PARETO_MOST;
    return workload->units == EK_TOKENS ? round(amount) : amount;
}

void core_workload_at(const struct core_workload *workload, uint64_t seed, uint32_t processor, uint64_t tick,
                      double *generated, double *wanted)
{
    assert(processor < workload->processors);
    double change = 0.0;
    switch (workload->kind) {
    case CORE_WORKLOAD_NONE:
    case CORE_WORKLOAD_TASKS: // the tasks say it
        break;
    case CORE_WORKLOAD_NORMAL:
        change = draw_normal(workload, seed, processor, tick);
        break;
    case CORE_WORKLOAD_PARETO:
        change = draw_pareto(workload, seed, processor, tick);
        break;
    case CORE_WORKLOAD_CONSTANT:
        change = workload->changes[processor];
        break;
    case CORE_WORKLOAD_FILE:
        change = tick < workload->ticks ? workload->changes[tick * workload->processors + processor] : 0.0;
        break;
    }
    *generated = change > 0.0 ? change : 0.0;
    *wanted = workload->consumption + (change < 0.0 ? -change : 0.0);
}

bool core_workload_continues(const struct core_workload *workload, uint64_t tick)
{
    return core_workload_is_drawn(workload) || workload->kind == CORE_WORKLOAD_CONSTANT ||
           workload->kind == CORE_WORKLOAD_TASKS || (workload->kind == CORE_WORKLOAD_FILE && tick < workload->ticks);
}

// Returns the expectation of amount^power, where amounts above the most are replaced by it: the integral of
// power * x^(power-1) times the probability of an amount above x.
static double pareto_moment(const struct core_workload *workload, double power)
{
    const double ratio = CORE_WORKLOAD_PARETO_MOST / workload->least, gap = power - workload->shape;
    return pow(workload->least, power) * (1.0 + power * (gap == 0.0 ? log(ratio) : (pow(ratio, gap) - 1.0) / gap));
}

double core_workload_mean(const struct core_workload *workload)
{
    if (workload->kind == CORE_WORKLOAD_PARETO) {
        return workload->shape > 1.0 ? pareto_moment(workload, 1.0) : NAN;
    }
    return workload->kind == CORE_WORKLOAD_NORMAL ? workload->mean : NAN;
}

double core_workload_variance(const struct core_workload *workload)
{
    if (workload->kind == CORE_WORKLOAD_PARETO) {
        const double mean = core_workload_mean(workload);
        return workload->shape > 2.0 ? fmax(0.0, pareto_moment(workload, 2.0) - mean * mean) : NAN;
    }
    return workload->kind == CORE_WORKLOAD_NORMAL ? workload->deviation * workload->deviation : NAN;
}
