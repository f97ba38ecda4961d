// SPDX-License-Identifier: MIT
// Parses and draws delays. A draw depends only on the seed, the port and the step or message, so every caller gets the
// same delay at any time.
#include "core/links/delay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "base/random.h"
#include "base/debug.h"
#include "topologies/topology.h"

enum { TAIL = 8 }; // an exponential delay is cut at this multiple of its mean; 3 of 10,000 draws are longer

static const double SECONDS_MAX = 10.0;
static const uint64_t MISSING = UINT64_MAX; // a link that the file has not named yet

struct delay_draft {
    struct core_delay *delay;
    const struct ek_topology *topology;
    struct base_cursor cursor;
    struct ek_reader reader;
    unsigned ways; // delays in each line of the file: 1 for both directions, or 2; 0 before the first line
};

// Checks that no unit follows a number of steps.
static bool check_steps(struct base_cursor *cursor)
{
    char next = base_cursor_peek(cursor);
    return !((next >= 'a' && next <= 'z') || next == '.') ||
           base_cursor_fail(cursor, cursor->at,
                            "a delay in rounds is a number of steps without a unit, as in fixed:3; times are for "
                            "timing free and virtual");
}

// Reads a time, in nanoseconds.
static bool read_time(struct base_cursor *cursor, const char *what, double seconds_max, double *nanoseconds)
{
    size_t at = cursor->at;
    if (!base_cursor_nanoseconds(cursor, what, nanoseconds)) {
        return base_cursor_fail(cursor, cursor->at, "in free and virtual timing a delay is a time, as in fixed:20us");
    }
    return *nanoseconds <= 1e9 * seconds_max ||
           base_cursor_fail(cursor, at, "%s must be from 0 to %gs", what, seconds_max);
}

static bool read_delay(struct base_cursor *cursor, bool by_clock, const char *what, uint64_t *delay)
{
    double nanoseconds = 0.0;
    if (!by_clock) {
        return base_cursor_whole(cursor, what, 0, CORE_DELAY_STEPS_MAX, delay) && check_steps(cursor);
    }
    if (!read_time(cursor, what, SECONDS_MAX, &nanoseconds)) {
        return false;
    }
    *delay = (uint64_t)llround(nanoseconds);
    return true;
}

static bool parse_none(struct delay_draft *draft)
{
    (void)draft;
    return true;
}

static bool parse_fixed(struct delay_draft *draft)
{
    struct core_delay *delay = draft->delay;
    bool good = read_delay(&draft->cursor, delay->by_clock, "the delay", &delay->high);
    delay->low = delay->high;
    return good;
}

static bool parse_uniform(struct delay_draft *draft)
{
    struct core_delay *delay = draft->delay;
    struct base_cursor *cursor = &draft->cursor;
    size_t at = cursor->at;
    if (!read_delay(cursor, delay->by_clock, "the shortest delay", &delay->low) ||
        !base_cursor_expect(cursor, ':', "the shortest delay") ||
        !read_delay(cursor, delay->by_clock, "the longest delay", &delay->high)) {
        return false;
    }
    return delay->low <= delay->high || base_cursor_fail(cursor, at, "the shortest delay comes first, as in uniform:%s",
                                                         delay->by_clock ? "1us:5us" : "0:5");
}

static bool parse_exponential(struct delay_draft *draft)
{
    struct core_delay *delay = draft->delay;
    struct base_cursor *cursor = &draft->cursor;
    bool good = delay->by_clock
                    ? read_time(cursor, "the mean delay", SECONDS_MAX / TAIL, &delay->mean)
                    : base_cursor_real(cursor, "the mean delay", 0.0, CORE_DELAY_STEPS_MAX / TAIL, &delay->mean) &&
                          check_steps(cursor);
    delay->high = good ? (uint64_t)ceil(TAIL * delay->mean) : 0;
    return good;
}

// Extends the range of delays to one more.
static void widen(struct core_delay *delay, uint64_t time)
{
    delay->low = time < delay->low ? time : delay->low;
    delay->high = time > delay->high ? time : delay->high;
}

// Reads the delay from the first processor of a line to the second, and the delay back. A line with one delay is for
// both directions if no line has two: else one direction of its link could be forgotten.
static bool read_ways(struct delay_draft *draft, struct base_cursor *line, const char *looks, uint64_t *time,
                      uint64_t *back)
{
    const bool by_clock = draft->delay->by_clock;
    if (!read_delay(line, by_clock, "the delay", time)) {
        return false;
    }
    *back = *time;
    const unsigned ways = base_cursor_peek(line) == '\0' ? 1 : 2;
    if (ways == 2 && !(core_spec_gap(line, looks) && read_delay(line, by_clock, "the delay back", back))) {
        return false;
    }
    if (draft->ways != 0 && draft->ways != ways) {
        return base_cursor_fail(line, 0,
                                "some lines name both directions of their link and some only one: write both in every "
                                "line, as in 0 1 %s, or one delay in every line",
                                by_clock ? "20us 30us" : "3 5");
    }
    draft->ways = ways;
    return true;
}

static bool take_delay(void *context, struct base_cursor *line)
{
    struct delay_draft *draft = context;
    struct core_delay *delay = draft->delay;
    const struct ek_topology *topology = draft->topology;
    const char *looks = delay->by_clock ? "a line has two processors and their delay, as in 0 1 20us"
                                        : "a line has two processors and their delay, as in 0 1 3";
    uint32_t port;
    uint64_t time, back;
    if (!core_spec_link(line, looks, topology, &port) || !core_spec_gap(line, looks) ||
        !read_ways(draft, line, looks, &time, &back)) {
        return false;
    }
    uint32_t twin = topology->twin[port];
    if (delay->by_port[port] != MISSING) {
        return base_cursor_fail(
            line, 0,
            "the link of %u and %u is there already: leave one out, or write both directions in one line, as in 0 1 %s",
            topology->neighbour[twin], topology->neighbour[port], delay->by_clock ? "20us 30us" : "3 5");
    }
    // In free timing a delay belongs to the sender's port, in rounds to the receiver's (core_link_arrives).
    delay->by_port[delay->by_clock ? port : twin] = time;
    delay->by_port[delay->by_clock ? twin : port] = back;
    widen(delay, time);
    widen(delay, back);
    return true;
}

static bool check_complete(const struct delay_draft *draft, const char *path)
{
    const struct ek_topology *topology = draft->topology;
    for (uint32_t p = 0; p < topology->processors; p++) {
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            if (draft->delay->by_port[port] == MISSING) {
                return base_fail(draft->cursor.error, EK_BAD_INPUT, draft->cursor.axis,
                                 "%s has no delay for the link of %u and %u: write a line for every link", path, p,
                                 topology->neighbour[port]);
            }
        }
    }
    return true;
}

static bool read_file(struct delay_draft *draft)
{
    const char *path = draft->cursor.text + draft->cursor.at;
    uint32_t ports = draft->topology->ports;
    draft->delay->low = UINT64_MAX;
    draft->delay->by_port = malloc((ports > 0 ? ports : 1) * sizeof *draft->delay->by_port);
    if (!draft->delay->by_port) {
        return base_fail(draft->cursor.error, EK_BAD_INPUT, draft->cursor.axis,
                         "no memory for %u delays: use a smaller topology", draft->topology->links);
    }
    for (uint32_t port = 0; port < ports; port++) {
        draft->delay->by_port[port] = MISSING;
    }
    bool good = core_spec_lines(&draft->cursor, draft->reader, take_delay, draft) && check_complete(draft, path);
    draft->delay->low = ports > 0 ? draft->delay->low : 0;
    return good;
}

// The reader of the axis knows the latency, and makes this delay itself (core_delay_fixed).
static bool parse_latency(struct delay_draft *draft)
{
    return base_cursor_fail(&draft->cursor, 0, "only virtual time has a latency: write a delay, as in fixed:%s",
                            draft->delay->by_clock ? "20us" : "3");
}

// In the order of enum core_delay_kind.
static const struct {
    const char *name;
    bool (*parse)(struct delay_draft *draft);
    struct ek_choice choice;
} kinds[] = {
    {"none", parse_none, {"none", "announcements are fresh, parcels arrive in the next step"}},
    {"fixed", parse_fixed, {"fixed:T", "T steps on every link; in free timing a time, as in fixed:20us"}},
    {"uniform",
     parse_uniform,
     {"uniform:A:B",
      "drawn evenly for every message, A to B steps, both included; in free timing as in uniform:1us:5us"}},
    {"exponential",
     parse_exponential,
     {"exponential:MEAN",
      "drawn for every message, rounded to whole steps, cut at 8 times MEAN; in free timing as in exponential:20us"}},
    {"file",
     read_file,
     {"file:PATH", "a line `i j steps` for each link, or `i j forth back`; in free timing as in `0 1 20us`"}},
    {"latency", parse_latency, {"latency", "the default of virtual time: the latency of the costs, on every link"}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct ek_choice *core_delay_choice(size_t index)
{
    return index < KINDS ? &kinds[index].choice : NULL;
}

static const char *known_delay(size_t index)
{
    return index < KINDS ? kinds[index].name : NULL;
}

bool core_delay_parse(struct core_delay *delay, const char *axis, const char *spec, const struct ek_topology *topology,
                      bool by_clock, struct ek_reader reader, struct ek_error *error)
{
    *delay = (struct core_delay){.kind = CORE_DELAY_NONE, .by_clock = by_clock};
    struct delay_draft draft = {
        .delay = delay, .topology = topology, .cursor = base_cursor_start(axis, spec, error), .reader = reader};
    size_t kind;
    if (strcmp(spec, "latency") == 0) {
        return parse_latency(&draft);
    }
    if (!core_spec_kind(&draft.cursor, "delay", known_delay, core_delay_choice, 1, &kind)) {
        return false;
    }
    delay->kind = (enum core_delay_kind)kind;
    if (kinds[kind].parse(&draft) && base_cursor_end(&draft.cursor)) {
        return true;
    }
    core_delay_destroy(delay);
    return false;
}

void core_delay_destroy(struct core_delay *delay)
{
    free(delay->by_port);
    delay->by_port = NULL;
}

static uint64_t draw_uniform(const struct core_delay *delay, struct base_random *random)
{
    return delay->low + base_random_below(random, delay->high - delay->low + 1);
}

// Draws by the inverse of the distribution. The logarithm is finite, as 1 - u is above 0.
static uint64_t draw_exponential(const struct core_delay *delay, struct base_random *random)
{
    double time = round(delay->mean * base_random_exponential(random));
    return time < (double)delay->high ? (uint64_t)time : delay->high;
}

uint64_t core_delay_at(const struct core_delay *delay, uint64_t seed, uint32_t port, uint64_t number)
{
    if (delay->kind == CORE_DELAY_FILE) {
        return delay->by_port[port];
    }
    if (delay->kind != CORE_DELAY_UNIFORM && delay->kind != CORE_DELAY_EXPONENTIAL) {
        return delay->high;
    }
    struct base_random random = base_random_moment(seed, port, BASE_STREAM_DELAY, number);
    uint64_t time = delay->kind == CORE_DELAY_UNIFORM ? draw_uniform(delay, &random) : draw_exponential(delay, &random);
    BASE_DEBUG_ASSERT(time <= delay->high);
    return time;
}
