// SPDX-License-Identifier: MIT
// Delays. A draw belongs to the port and the step alone.
#include "core/delay.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/spec.h"
#include "topologies/random.h"

enum {
    TAIL = 8,            // an exponential delay is cut at so many times its mean; 3 of 10,000 are longer
    MISSING = UINT16_MAX // a link that the file has not named yet
};

struct delay_draft {
    struct ek_delay *delay;
    const struct ek_topology *topology;
    struct ek_scan scan;
    struct ek_reader reader;
};

// What follows the number of steps must not be a unit.
static bool check_steps(struct ek_scan *scan)
{
    char next = ek_scan_peek(scan);
    return !((next >= 'a' && next <= 'z') || next == '.') ||
           ek_scan_fail(scan, scan->at, "a delay in rounds is a number of steps without a unit, as in fixed:3");
}

static bool scan_steps(struct ek_scan *scan, const char *what, uint32_t *steps)
{
    uint64_t number;
    if (!ek_scan_whole(scan, what, 0, EK_DELAY_STEPS_MAX, &number) || !check_steps(scan)) {
        return false;
    }
    *steps = (uint32_t)number;
    return true;
}

static bool parse_none(struct delay_draft *draft)
{
    (void)draft;
    return true;
}

static bool parse_fixed(struct delay_draft *draft)
{
    if (!scan_steps(&draft->scan, "the delay", &draft->delay->high)) {
        return false;
    }
    draft->delay->low = draft->delay->high;
    return true;
}

static bool parse_uniform(struct delay_draft *draft)
{
    size_t at = draft->scan.at;
    if (!scan_steps(&draft->scan, "the shortest delay", &draft->delay->low) ||
        !ek_scan_expect(&draft->scan, ':', "the shortest delay") ||
        !scan_steps(&draft->scan, "the longest delay", &draft->delay->high)) {
        return false;
    }
    return draft->delay->low <= draft->delay->high ||
           ek_scan_fail(&draft->scan, at, "the shortest delay comes first, as in uniform:0:5");
}

static bool parse_exponential(struct delay_draft *draft)
{
    if (!ek_scan_real(&draft->scan, "the mean delay", 0.0, EK_DELAY_STEPS_MAX / TAIL, &draft->delay->mean) ||
        !check_steps(&draft->scan)) {
        return false;
    }
    draft->delay->high = (uint32_t)ceil(TAIL * draft->delay->mean);
    return true;
}

// The port of `from` that leads to `to`, or UINT32_MAX. A processor's ports are in the order of its neighbours.
static uint32_t find_port(const struct ek_topology *topology, uint32_t from, uint32_t to)
{
    uint32_t low = topology->first[from];
    uint32_t high = topology->first[from + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (topology->neighbour[middle] < to) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < topology->first[from + 1] && topology->neighbour[low] == to ? low : UINT32_MAX;
}

static bool scan_gap(struct ek_scan *line)
{
    return ek_spec_blanks(line) ||
           ek_scan_fail(line, line->at, "a line has two processors and their delay, as in 0 1 3");
}

static bool take_delay(void *context, struct ek_scan *line)
{
    struct delay_draft *draft = context;
    const struct ek_topology *topology = draft->topology;
    uint64_t from;
    uint64_t to;
    uint32_t steps;
    if (!ek_scan_whole(line, "the first processor", 0, topology->processors - 1, &from) || !scan_gap(line) ||
        !ek_scan_whole(line, "the second processor", 0, topology->processors - 1, &to) || !scan_gap(line) ||
        !scan_steps(line, "the delay", &steps)) {
        return false;
    }
    uint32_t port = find_port(topology, (uint32_t)from, (uint32_t)to);
    if (port == UINT32_MAX) {
        return ek_scan_fail(line, 0, "processors %u and %u are not linked: leave this line out", (unsigned)from,
                            (unsigned)to);
    }
    if (draft->delay->by_port[port] != MISSING) {
        return ek_scan_fail(line, 0, "the link of %u and %u is there already: leave one of them out", (unsigned)from,
                            (unsigned)to);
    }
    draft->delay->by_port[port] = draft->delay->by_port[topology->twin[port]] = (uint16_t)steps;
    draft->delay->high = steps > draft->delay->high ? steps : draft->delay->high;
    return true;
}

static bool check_complete(const struct delay_draft *draft, const char *path)
{
    const struct ek_topology *topology = draft->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (draft->delay->by_port[port] == MISSING) {
                return ek_fail(draft->scan.error, EK_BAD_INPUT, "delay", -1,
                               "%s has no delay for the link of %u and %u: write a line for every link", path, p,
                               topology->neighbour[port]);
            }
        }
    }
    return true;
}

static bool read_file(struct delay_draft *draft)
{
    const char *path = draft->scan.text + draft->scan.at;
    uint32_t ports = draft->topology->ports;
    draft->delay->by_port = malloc((ports > 0 ? ports : 1) * sizeof *draft->delay->by_port);
    if (!draft->delay->by_port) {
        return ek_fail(draft->scan.error, EK_BAD_INPUT, "delay", -1, "no memory for %u delays: use a smaller topology",
                       draft->topology->links);
    }
    for (uint32_t port = 0; port < ports; port++) {
        draft->delay->by_port[port] = MISSING;
    }
    return ek_spec_lines(&draft->scan, draft->reader, take_delay, draft) && check_complete(draft, path);
}

// In the order of enum ek_delay_kind.
static const struct {
    const char *name;
    bool (*parse)(struct delay_draft *draft);
    struct ek_choice choice;
} kinds[] = {
    {"none", parse_none, {"none", "announcements are fresh, parcels arrive in the next step"}},
    {"fixed", parse_fixed, {"fixed:T", "T steps on every link"}},
    {"uniform", parse_uniform, {"uniform:A:B", "drawn evenly for every message, A to B steps, both included"}},
    {"exponential",
     parse_exponential,
     {"exponential:MEAN", "drawn for every message, rounded to whole steps, cut at 8 times MEAN"}},
    {"file", read_file, {"file:PATH", "`i j steps` a line, for each link once, both ways"}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct ek_choice *ek_delay_choice(size_t index)
{
    return index < KINDS ? &kinds[index].choice : NULL;
}

static const char *known_delay(size_t index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

bool ek_delay_parse(struct ek_delay *delay, const char *spec, const struct ek_topology *topology,
                    struct ek_reader reader, struct ek_error *error)
{
    *delay = (struct ek_delay){.kind = EK_DELAY_NONE};
    struct delay_draft draft = {
        .delay = delay, .topology = topology, .scan = ek_scan_start("delay", spec, error), .reader = reader};
    size_t kind;
    if (!ek_spec_kind(&draft.scan, "delay", known_delay, 1, &kind)) {
        return false;
    }
    delay->kind = (enum ek_delay_kind)kind;
    if (kinds[kind].parse(&draft) && ek_scan_end(&draft.scan)) {
        return true;
    }
    ek_delay_release(delay);
    return false;
}

void ek_delay_release(struct ek_delay *delay)
{
    free(delay->by_port);
    delay->by_port = NULL;
}

static uint32_t draw_uniform(const struct ek_delay *delay, struct ek_random *random)
{
    return delay->low + (uint32_t)ek_random_below(random, (uint64_t)(delay->high - delay->low) + 1);
}

// By the inverse of the distribution; 1 - u is above 0.
static uint32_t draw_exponential(const struct ek_delay *delay, struct ek_random *random)
{
    double steps = round(-delay->mean * log(1.0 - ek_random_unit(random)));
    return steps < delay->high ? (uint32_t)steps : delay->high;
}

uint32_t ek_delay_at(const struct ek_delay *delay, uint64_t seed, uint32_t port, uint64_t step)
{
    if (delay->kind == EK_DELAY_FILE) {
        return delay->by_port[port];
    }
    if (delay->kind != EK_DELAY_UNIFORM && delay->kind != EK_DELAY_EXPONENTIAL) {
        return delay->high;
    }
    struct ek_random random = ek_random_moment(seed, port, EK_STREAM_DELAY, step);
    uint32_t steps = delay->kind == EK_DELAY_UNIFORM ? draw_uniform(delay, &random) : draw_exponential(delay, &random);
    assert(steps <= delay->high);
    return steps;
}

uint32_t ek_delay_max(const struct ek_delay *delay)
{
    return delay->high;
}
