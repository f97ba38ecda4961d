// SPDX-License-Identifier: MIT
// Parses faults: rates, or a file of events; and applies events. fault_source.c draws the events that follow from
// rates.
#include "core/axes/fault.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "topologies/topology.h"

static const double RATE_MAX = 1e6;         // a second or a step
static const double REPAIR_MAX = 3600.0;    // seconds
static const double REPAIR_USUAL = 10e-3;   // seconds
static const double REPAIR_STEPS_MAX = 1e6; // drawn times of this mean fit into 64 bits
static const double REPAIR_STEPS_USUAL = 10.0;
static const double TIME_MAX = 1e9; // seconds or steps; in nanoseconds it fits into 64 bits

struct fault_draft {
    struct core_faults *faults;
    const struct ek_topology *topology;
    bool by_clock;
    struct base_cursor cursor;
    struct ek_reader reader;
    bool *down;  // file: by place, after the lines read so far
    size_t room; // file: capacity of `events`
};

static const struct ek_choice choices[] = {
    {"none", "nothing fails"},
    {"link:R,processor:R,repair:T",
     "drawn: R failures a second of links and of processors in the whole machine, and the mean time until the repair "
     "(default 10ms); in rounds and turns R failures a step, and the mean number of steps (default 10)"},
    {"file:PATH",
     "one event a line in the order of time, as in `20ms fail link 3 4` or `50ms repair processor 7`; in rounds and "
     "turns the time is the step before which the event takes effect, as in `20 fail link 3 4`"},
};

enum { CHOICES = sizeof choices / sizeof *choices };

const struct ek_choice *core_faults_choice(size_t index)
{
    return index < CHOICES ? &choices[index] : NULL;
}

size_t core_fault_places(const struct ek_topology *topology)
{
    return (size_t)topology->ports + topology->processors;
}

size_t core_fault_place(const struct core_fault *fault, const struct ek_topology *topology)
{
    if (fault->processor) {
        return (size_t)topology->ports + fault->which;
    }
    uint32_t twin = topology->twin[fault->which];
    return twin < fault->which ? twin : fault->which;
}

uint64_t core_fault_step(const struct core_fault *fault)
{
    return fault->at_ns / CORE_FAULT_STEP_NS + (fault->at_ns % CORE_FAULT_STEP_NS > 0);
}

struct core_fault_ports core_fault_ports(const struct core_fault *fault, const struct ek_topology *topology)
{
    uint32_t which = fault->which;
    return fault->processor ? (struct core_fault_ports){topology->first[which], topology->first[which + 1]}
                            : (struct core_fault_ports){which, which + 1};
}

void core_outages_plan(struct core_outages *outages, const struct ek_topology *topology, struct base_arena *memory)
{
    *outages = (struct core_outages){.topology = topology};
    base_arena_plan(memory, &outages->down, core_fault_places(topology), sizeof *outages->down);
}

void core_outages_change(struct core_outages *outages, const struct core_fault *fault)
{
    bool *down = &outages->down[core_fault_place(fault, outages->topology)];
    assert(*down == fault->repair);
    *down = !fault->repair;
    outages->count = fault->repair ? outages->count - 1 : outages->count + 1;
}

static bool is_up(const struct core_outages *outages, bool processor, uint32_t which)
{
    const struct core_fault what = {.processor = processor, .which = which};
    return !outages->down[core_fault_place(&what, outages->topology)];
}

bool core_outages_usable(const struct core_outages *outages, uint32_t port)
{
    const struct ek_topology *topology = outages->topology;
    return is_up(outages, false, port) && is_up(outages, true, topology->neighbour[port]) &&
           is_up(outages, true, topology->neighbour[topology->twin[port]]);
}

static bool take_link_rate(struct fault_draft *draft)
{
    struct base_cursor *cursor = &draft->cursor;
    return (draft->topology->links > 0 ||
            base_cursor_fail(cursor, cursor->at, "this topology has no links that could fail: leave their rate out")) &&
           base_cursor_real(cursor, "the rate of links", 0.0, RATE_MAX, &draft->faults->link_rate);
}

static bool take_processor_rate(struct fault_draft *draft)
{
    return base_cursor_real(&draft->cursor, "the rate of processors", 0.0, RATE_MAX, &draft->faults->processor_rate);
}

static bool take_repair(struct fault_draft *draft)
{
    struct base_cursor *cursor = &draft->cursor;
    size_t at = cursor->at;
    if (!draft->by_clock) {
        return base_cursor_real(cursor, "the mean number of steps until the repair", 0.0, REPAIR_STEPS_MAX,
                                &draft->faults->repair_s);
    }
    return base_cursor_duration(cursor, "the mean time until the repair", &draft->faults->repair_s) &&
           (draft->faults->repair_s <= REPAIR_MAX ||
            base_cursor_fail(cursor, at, "the mean time until the repair must be from 0 to 1h"));
}

static const struct {
    const char *name;
    bool (*take)(struct fault_draft *draft);
} parts[] = {{"link", take_link_rate}, {"processor", take_processor_rate}, {"repair", take_repair}};

enum { LINK, PROCESSOR, REPAIR, PARTS };

static const char *known_part(size_t index)
{
    return index < PARTS ? parts[index].name : NULL;
}

// The beginning of a spec: one of the words that stand alone, or the name of a part.
enum { NONE, FROM_FILE, ALONE };

static const char *known_start(size_t index)
{
    static const char *const alone[ALONE] = {"none", "file"};
    return index < ALONE ? alone[index] : known_part(index - ALONE);
}

static const struct ek_choice *start_choice(size_t index)
{
    return &choices[index == NONE ? 0 : index == FROM_FILE ? 2 : 1];
}

// Reads the parts of a spec; the cursor is after the colon of the first.
static bool take_parts(struct fault_draft *draft, size_t part)
{
    struct base_cursor *cursor = &draft->cursor;
    bool given[PARTS] = {false};
    size_t at = 0;
    draft->faults->kind = CORE_FAULTS_DRAWN;
    draft->faults->repair_s = draft->by_clock ? REPAIR_USUAL : REPAIR_STEPS_USUAL;
    while (!given[part]) {
        given[part] = true;
        if (!parts[part].take(draft)) {
            return false;
        }
        if (!base_cursor_accept(cursor, ',')) {
            return given[LINK] || given[PROCESSOR] ||
                   base_cursor_fail(cursor, 0, "faults need a rate, as in link:2,repair:5ms or processor:0.5");
        }
        at = cursor->at;
        if (!base_cursor_known(cursor, "part of faults", known_part, &part) ||
            !base_cursor_expect(cursor, ':', known_part(part))) {
            return false;
        }
    }
    return base_cursor_fail(cursor, at, "%s is given twice: leave one of them out", parts[part].name);
}

static const char *known_event(size_t index)
{
    static const char *const names[] = {"fail", "repair"};
    return index < 2 ? names[index] : NULL;
}

static const char *known_thing(size_t index)
{
    static const char *const names[] = {"link", "processor"};
    return index < 2 ? names[index] : NULL;
}

static bool read_time(struct base_cursor *line, uint64_t *at_ns)
{
    double nanoseconds;
    if (!base_cursor_nanoseconds(line, "the time", &nanoseconds)) {
        return false;
    }
    if (nanoseconds > 1e9 * TIME_MAX) {
        return base_cursor_fail(line, 0, "the time must be from 0 to %gs", TIME_MAX);
    }
    *at_ns = (uint64_t)llround(nanoseconds);
    return true;
}

static bool read_step(struct base_cursor *line, uint64_t *at_ns)
{
    uint64_t step;
    bool good = base_cursor_whole(line, "the step", 0, (uint64_t)TIME_MAX, &step);
    *at_ns = good ? step * CORE_FAULT_STEP_NS : 0;
    return good;
}

// Reads the time of an event, which must not be earlier than the time in the line above.
static bool take_moment(const struct fault_draft *draft, struct base_cursor *line, uint64_t *at_ns)
{
    const struct core_faults *faults = draft->faults;
    return (draft->by_clock ? read_time : read_step)(line, at_ns) &&
           (faults->count == 0 || *at_ns >= faults->events[faults->count - 1].at_ns ||
            base_cursor_fail(line, 0, "this is before the line above it: write the lines in the order of time"));
}

static const char *looks(const struct fault_draft *draft)
{
    return draft->by_clock ? "write a line as in 20ms fail link 3 4 or 50ms repair processor 7"
                           : "write a line as in 20 fail link 3 4 or 50 repair processor 7";
}

static bool take_thing(const struct fault_draft *draft, struct base_cursor *line, struct core_fault *event)
{
    const struct ek_topology *topology = draft->topology;
    size_t thing;
    uint64_t processor;
    uint32_t port;
    if (!base_cursor_known(line, "thing that fails", known_thing, &thing) || !core_spec_gap(line, looks(draft))) {
        return false;
    }
    event->processor = thing == 1;
    if (event->processor) {
        bool good = base_cursor_whole(line, "the processor", 0, topology->processors - 1, &processor);
        event->which = good ? (uint32_t)processor : 0;
        return good;
    }
    bool good = core_spec_link(line, looks(draft), topology, &port);
    event->which = !good ? 0 : port < topology->twin[port] ? port : topology->twin[port];
    return good;
}

// Records that a link or processor goes down or comes up. Fails if it is down or up already.
static bool change_state(struct fault_draft *draft, struct base_cursor *line, const struct core_fault *event)
{
    bool *down = &draft->down[core_fault_place(event, draft->topology)];
    if (*down != event->repair) {
        return base_cursor_fail(line, 0, "this %s is %s already: leave this line out",
                                event->processor ? "processor" : "link", *down ? "down" : "up");
    }
    *down = !*down;
    return true;
}

static bool add_event(struct fault_draft *draft, struct base_cursor *line, struct core_fault event)
{
    struct core_faults *faults = draft->faults;
    if (faults->count == draft->room) {
        size_t room = draft->room > 0 ? 2 * draft->room : 16;
        struct core_fault *events =
            room <= SIZE_MAX / sizeof *events ? realloc(faults->events, room * sizeof *events) : NULL;
        if (!events) {
            return base_cursor_fail(line, 0, "no memory for so many faults: leave some out");
        }
        faults->events = events;
        draft->room = room;
    }
    faults->events[faults->count++] = event;
    return true;
}

static bool take_event(void *context, struct base_cursor *line)
{
    struct fault_draft *draft = context;
    struct core_fault event = {0};
    size_t word;
    if (!take_moment(draft, line, &event.at_ns) || !core_spec_gap(line, looks(draft)) ||
        !base_cursor_known(line, "event", known_event, &word) || !core_spec_gap(line, looks(draft))) {
        return false;
    }
    event.repair = word == 1;
    return take_thing(draft, line, &event) && change_state(draft, line, &event) && add_event(draft, line, event);
}

static bool read_file(struct fault_draft *draft)
{
    const struct ek_topology *topology = draft->topology;
    const char *path = draft->cursor.text + draft->cursor.at;
    draft->faults->kind = CORE_FAULTS_FILE;
    draft->down = calloc(core_fault_places(topology), sizeof *draft->down);
    if (!draft->down) {
        return base_cursor_fail(&draft->cursor, draft->cursor.at, "no memory to read faults: use a smaller topology");
    }
    bool good = core_spec_lines(&draft->cursor, draft->reader, take_event, draft);
    free(draft->down);
    return good && (draft->faults->count > 0 ||
                    base_fail(draft->cursor.error, EK_BAD_INPUT, "faults",
                              "%s has no faults: write one event a line, or use faults none", path));
}

bool core_faults_parse(struct core_faults *faults, const char *spec, const struct ek_topology *topology, bool by_clock,
                       struct ek_reader reader, struct ek_error *error)
{
    *faults = (struct core_faults){.kind = CORE_FAULTS_NONE};
    struct fault_draft draft = {.faults = faults,
                                .topology = topology,
                                .by_clock = by_clock,
                                .cursor = base_cursor_start("faults", spec, error),
                                .reader = reader};
    size_t start;
    bool good = core_spec_kind(&draft.cursor, "kind of faults", known_start, start_choice, 1, &start) &&
                (start == NONE || (start == FROM_FILE ? read_file(&draft) : take_parts(&draft, start - ALONE)));
    if (good && base_cursor_end(&draft.cursor)) {
        assert((faults->kind == CORE_FAULTS_FILE) == (faults->count > 0));
        return true;
    }
    core_faults_destroy(faults);
    return false;
}

void core_faults_destroy(struct core_faults *faults)
{
    free(faults->events);
    *faults = (struct core_faults){.kind = CORE_FAULTS_NONE};
}
