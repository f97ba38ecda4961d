// SPDX-License-Identifier: MIT
// Parses and draws initial loads. Each processor draws from its own stream of random numbers, so the order of the
// processors does not matter; a broken stick is the exception.
#include "core/axes/load.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "base/random.h"
#include "base/cursor.h"

static const double EXACT = 0x1p53; // whole numbers up to here are exact in a double

static const struct ek_choice choices[] = {
    {"uniform:LOW:HIGH", "drawn uniformly between LOW and HIGH (tokens: whole, both included)"},
    {"peak:V[@P]", "V at processor P (default 0), nothing elsewhere"},
    {"constant:V", "V at every processor"},
    {"modulo:A:M", "w_i = i * A mod M"},
    {"normal:M:SD", "normal with mean M and standard deviation SD, drawn again if it is below 0"},
    {"exponential:M", "exponential with mean M"},
    {"stick:V", "a stick of length V is broken: each processor in turn takes a uniform part of the rest, the last "
                "processor takes all"},
    {"even:V", "V in equal parts; tokens: as equal as whole parts can be"},
    {"list:V,V,…", "one number for each processor"},
    {"file:PATH", "one number a line, for each processor in turn"},
};

const struct ek_choice *core_load_choice(size_t index)
{
    return index < sizeof choices / sizeof *choices ? &choices[index] : NULL;
}

// Reads a load, which must be finite, not negative, and whole if loads are tokens.
static bool read_load(struct base_cursor *cursor, enum ek_units units, double *value)
{
    size_t at = cursor->at;
    if (!base_cursor_real(cursor, "a load", 0.0, EXACT, value)) {
        return false;
    }
    if (units == EK_TOKENS && *value != floor(*value)) {
        return base_cursor_fail(cursor, at, "tokens are whole: write %.0f, or choose units real", *value);
    }
    return true;
}

static bool parse_uniform(struct core_load *load, struct base_cursor *cursor)
{
    size_t at = cursor->at;
    if (!read_load(cursor, load->units, &load->low) || !base_cursor_expect(cursor, ':', "the lowest load") ||
        !read_load(cursor, load->units, &load->high)) {
        return false;
    }
    return load->low <= load->high || base_cursor_fail(cursor, at, "the lowest load comes first, as in uniform:0:1000");
}

static bool parse_peak(struct core_load *load, struct base_cursor *cursor, uint32_t processors)
{
    if (!read_load(cursor, load->units, &load->amount)) {
        return false;
    }
    uint64_t place = 0;
    if (base_cursor_accept(cursor, '@') &&
        !base_cursor_whole(cursor, "the peak's processor", 0, processors - 1, &place)) {
        return false;
    }
    load->place = (uint32_t)place;
    return true;
}

static bool parse_modulo(struct core_load *load, struct base_cursor *cursor)
{
    return base_cursor_whole(cursor, "the factor", 0, UINT32_MAX, &load->factor) &&
           base_cursor_expect(cursor, ':', "the factor") &&
           base_cursor_whole(cursor, "the modulus", 1, UINT32_MAX, &load->modulus);
}

static bool take_values(struct core_load *load, uint32_t processors, struct ek_error *error)
{
    load->kind = CORE_LOAD_VALUES;
    load->values = malloc(processors * sizeof *load->values);
    return load->values ||
           base_fail(error, EK_BAD_INPUT, "load", "no memory for %u loads: use a smaller topology", processors);
}

static bool parse_list(struct core_load *load, struct base_cursor *cursor, uint32_t processors)
{
    if (!take_values(load, processors, cursor->error)) {
        return false;
    }
    for (uint32_t p = 0; p < processors; p++) {
        if (p > 0 && !base_cursor_accept(cursor, ',')) {
            return base_cursor_fail(cursor, cursor->at,
                                    "the list has %u loads and the topology %u processors: give one for each", p,
                                    processors);
        }
        if (!read_load(cursor, load->units, &load->values[p])) {
            return false;
        }
    }
    return base_cursor_peek(cursor) != ',' ||
           base_cursor_fail(cursor, cursor->at, "the list has more loads than the topology's %u processors",
                            processors);
}

// A load file while it is being read.
struct load_file {
    struct core_load *load;
    uint32_t processors, count;
};

// Reads a line, which holds one load.
static bool take_load(void *context, struct base_cursor *line)
{
    struct load_file *file = context;
    if (file->count == file->processors) {
        return base_cursor_fail(line, 0, "the file has more loads than the topology's %u processors", file->processors);
    }
    return read_load(line, file->load->units, &file->load->values[file->count++]);
}

static bool parse_file(struct core_load *load, struct base_cursor *cursor, uint32_t processors, struct ek_reader reader)
{
    const char *path = cursor->text + cursor->at;
    struct load_file file = {.load = load, .processors = processors};
    if (!take_values(load, processors, cursor->error) || !core_spec_lines(cursor, reader, take_load, &file)) {
        return false;
    }
    return file.count == processors ||
           base_fail(cursor->error, EK_BAD_INPUT, "load",
                     "%s holds %u loads and the topology has %u processors: give one for each", path, file.count,
                     processors);
}

// Fails if the sum of the loads could be inexact, whatever is drawn.
static bool check_total(const struct core_load *load, struct base_cursor *cursor, uint32_t processors)
{
    bool sum = load->kind == CORE_LOAD_PEAK || load->kind == CORE_LOAD_STICK || load->kind == CORE_LOAD_EVEN;
    double most = sum ? load->amount : 0.0;
    if (load->kind == CORE_LOAD_NORMAL) {
        most = (load->amount + load->deviation * BASE_RANDOM_NORMAL_MAX) * processors;
    } else if (load->kind == CORE_LOAD_EXPONENTIAL) {
        most = load->amount * BASE_RANDOM_EXPONENTIAL_MAX * processors;
    } else if (load->kind == CORE_LOAD_UNIFORM) {
        most = load->high * processors;
    } else if (load->kind == CORE_LOAD_CONSTANT) {
        most = load->amount * processors;
    } else if (load->kind == CORE_LOAD_MODULO) {
        most = (double)(load->modulus - 1) * processors;
    }
    for (uint32_t p = 0; load->values && p < processors; p++) {
        most += load->values[p];
    }
    return most <= EXACT ||
           base_cursor_fail(
               cursor, 0, "the loads can add up to more than 2^53, beyond which sums are not exact: make them smaller");
}

static const char *known_load(size_t index)
{
    static const char *const names[] = {"uniform",     "peak",  "constant", "modulo", "normal",
                                        "exponential", "stick", "even",     "list",   "file"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static bool parse_kind(struct core_load *load, struct base_cursor *cursor, size_t kind, uint32_t processors,
                       struct ek_reader reader)
{
    switch (kind) { // in the order of known_load
    case 0:
        load->kind = CORE_LOAD_UNIFORM;
        return parse_uniform(load, cursor);
    case 1:
        load->kind = CORE_LOAD_PEAK;
        return parse_peak(load, cursor, processors);
    case 2:
        load->kind = CORE_LOAD_CONSTANT;
        return read_load(cursor, load->units, &load->amount);
    case 3:
        load->kind = CORE_LOAD_MODULO;
        return parse_modulo(load, cursor);
    case 4:
        load->kind = CORE_LOAD_NORMAL;
        return base_cursor_real(cursor, "the mean", 0.0, EXACT, &load->amount) &&
               base_cursor_expect(cursor, ':', "the mean") &&
               base_cursor_real(cursor, "the standard deviation", 0.0, EXACT, &load->deviation);
    case 5:
        load->kind = CORE_LOAD_EXPONENTIAL;
        return base_cursor_real(cursor, "the mean", 0.0, EXACT, &load->amount);
    case 6:
        load->kind = CORE_LOAD_STICK;
        return read_load(cursor, load->units, &load->amount);
    case 7:
        load->kind = CORE_LOAD_EVEN;
        return read_load(cursor, load->units, &load->amount);
    case 8:
        return parse_list(load, cursor, processors);
    default:
        return parse_file(load, cursor, processors, reader);
    }
}

bool core_load_parse(struct core_load *load, const char *spec, uint32_t processors, enum ek_units units,
                     struct ek_reader reader, struct ek_error *error)
{
    *load = (struct core_load){.units = units};
    struct base_cursor cursor = base_cursor_start("load", spec, error);
    if (!*spec) {
        return base_cursor_fail(&cursor, 0, "a load begins with its kind, as in uniform:0:1000");
    }
    size_t kind;
    if (core_spec_kind(&cursor, "load", known_load, core_load_choice, 0, &kind) &&
        parse_kind(load, &cursor, kind, processors, reader) && base_cursor_end(&cursor) &&
        check_total(load, &cursor, processors)) {
        return true;
    }
    core_load_destroy(load);
    return false;
}

bool core_load_take(struct core_load *load, const double *values, size_t count, uint32_t processors,
                    enum ek_units units, struct ek_error *error)
{
    *load = (struct core_load){.units = units};
    struct base_cursor cursor = base_cursor_start("load", "", error);
    if (count != processors) {
        return base_fail(error, EK_BAD_INPUT, "load",
                         "there are %zu loads and the topology has %u processors: give one for each", count,
                         processors);
    }
    for (uint32_t p = 0; p < processors; p++) {
        bool whole = units == EK_REAL || values[p] == floor(values[p]);
        if (!(values[p] >= 0.0 && values[p] <= EXACT) || !whole) {
            return base_fail(error, EK_BAD_INPUT, "load", "load %u is %g: give a %s from 0 to 2^53", p, values[p],
                             units == EK_TOKENS ? "whole number" : "number");
        }
    }
    if (!take_values(load, processors, error)) {
        return false;
    }
    memcpy(load->values, values, processors * sizeof *values);
    if (check_total(load, &cursor, processors)) {
        return true;
    }
    core_load_destroy(load);
    return false;
}

void core_load_destroy(struct core_load *load)
{
    free(load->values);
    load->values = NULL;
}

static double draw_uniform(const struct core_load *load, struct base_random random)
{
    if (load->units == EK_TOKENS) {
        return load->low + (double)base_random_below(&random, (uint64_t)(load->high - load->low) + 1);
    }
    return load->low + (load->high - load->low) * base_random_unit(&random);
}

static double in_units(const struct core_load *load, double amount)
{
    return load->units == EK_TOKENS ? round(amount) : amount;
}

// Draws a normal load and rejects negative draws. The mean is not below 0, so on average at least every second draw is
// accepted.
static double draw_normal(const struct core_load *load, struct base_random random)
{
    enum { TRIES = 64 };
    double amount = -1.0;
    for (int k = 0; k < TRIES && amount < 0.0; k++) {
        amount = load->amount + load->deviation * base_random_normal(&random);
    }
    return amount < 0.0 ? load->amount : amount;
}

// Breaks the stick as Zhao, Xiao & Parhami 2009 must have drawn their loads: no other reading gives their numbers of
// steps.
static double break_stick(struct core_load_draws *draws)
{
    const struct core_load *load = draws->load;
    struct base_random random = base_random_start(draws->seed, draws->next, BASE_STREAM_LOAD);
    double rest = draws->next == 0 ? load->amount : draws->rest;
    double part = draws->next + 1 == draws->processors ? rest
                  : load->units == EK_TOKENS           ? (double)base_random_below(&random, (uint64_t)rest + 1)
                                                       : rest * base_random_unit(&random);
    draws->rest = rest - part;
    return part;
}

// Returns the sum of the first `count` parts of an even load.
static double even_up_to(const struct core_load *load, uint32_t count, uint32_t processors)
{
    uint64_t amount = (uint64_t)load->amount;
    return (double)(amount / processors * count + amount % processors * count / processors);
}

static double draw_even(const struct core_load *load, uint32_t processor, uint32_t processors)
{
    return load->units == EK_TOKENS
               ? even_up_to(load, processor + 1, processors) - even_up_to(load, processor, processors)
               : load->amount / processors;
}

double core_load_draw_one(const struct core_load *load, uint64_t seed, enum base_stream stream, uint32_t index)
{
    struct base_random random = base_random_start(seed, index, stream);
    switch (load->kind) {
    case CORE_LOAD_UNIFORM:
        return draw_uniform(load, random);
    case CORE_LOAD_PEAK:
        return index == load->place ? load->amount : 0.0;
    case CORE_LOAD_CONSTANT:
        return load->amount;
    case CORE_LOAD_MODULO:
        return (double)(index * load->factor % load->modulus);
    case CORE_LOAD_NORMAL:
        return in_units(load, draw_normal(load, random));
    case CORE_LOAD_EXPONENTIAL:
        return in_units(load, load->amount * base_random_exponential(&random));
    case CORE_LOAD_VALUES:
        return load->values[index];
    case CORE_LOAD_STICK: // the processors share a sum
    case CORE_LOAD_EVEN:
        break;
    }
    return 0.0;
}

void core_load_draw_next(struct core_load_draws *draws, uint32_t count, double *held)
{
    const struct core_load *load = draws->load;
    for (uint32_t i = 0; i < count; i++, draws->next++) {
        held[i] = load->kind == CORE_LOAD_STICK  ? break_stick(draws)
                  : load->kind == CORE_LOAD_EVEN ? draw_even(load, draws->next, draws->processors)
                                                 : core_load_draw_one(load, draws->seed, BASE_STREAM_LOAD, draws->next);
    }
}

void core_load_draw_skip(struct core_load_draws *draws, uint32_t p)
{
    for (; draws->load->kind == CORE_LOAD_STICK && draws->next < p; draws->next++) { // each part is taken from the rest
        break_stick(draws);
    }
    draws->next = p;
}

void core_load_draw(const struct core_load *load, uint64_t seed, uint32_t processors, double *held)
{
    struct core_load_draws draws = {.load = load, .seed = seed, .processors = processors};
    core_load_draw_next(&draws, processors, held);
}

bool core_load_is_drawn(const struct core_load *load)
{
    return load->kind == CORE_LOAD_UNIFORM || load->kind == CORE_LOAD_NORMAL || load->kind == CORE_LOAD_EXPONENTIAL ||
           load->kind == CORE_LOAD_STICK;
}
