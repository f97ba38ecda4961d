// SPDX-License-Identifier: MIT
// Parses what is asked to fail: rates, or a file of events. fault_source.c draws the events that come of rates.
#include "core/fault.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/spec.h"

static const double RATE_MAX = 1e6;       // a second
static const double REPAIR_MAX = 3600.0;  // seconds
static const double REPAIR_USUAL = 10e-3; // seconds
static const double TIME_MAX = 1e9;       // seconds; in nanoseconds it fits into 64 bits

static const char LOOKS[] = "a line is as 20ms fail link 3 4, or as 50ms repair processor 7";

struct fault_draft {
    struct core_faults *faults;
    const struct ek_topology *topology;
    struct topo_scan scan;
    struct ek_reader reader;
    bool *down;  // file: by place, after the lines so far
    size_t room; // file: events that there is memory for
};

static const struct ek_choice choices[] = {
    {"none", "nothing fails"},
    {"link:R,processor:R,repair:T",
     "failures a second of the whole machine, drawn, of links and of processors, and the mean time until the repair "
     "(10ms if not said)"},
    {"file:PATH", "an event a line, as in `20ms fail link 3 4` or `50ms repair processor 7`, in the order of time"},
};

enum { CHOICES = sizeof choices / sizeof *choices };

const struct ek_choice *core_faults_choice(size_t index)
{
    return index < CHOICES ? &choices[index] : NULL;
}

uint32_t core_fault_place(const struct core_fault *fault, const struct ek_topology *topology)
{
    return fault->processor ? topology->links + fault->which : topology->link[fault->which];
}

static bool take_link_rate(struct fault_draft *draft)
{
    struct topo_scan *scan = &draft->scan;
    return (draft->topology->links > 0 ||
            topo_scan_fail(scan, scan->at, "this topology has no links that could fail: leave their rate out")) &&
           topo_scan_real(scan, "the rate of links", 0.0, RATE_MAX, &draft->faults->link_rate);
}

static bool take_processor_rate(struct fault_draft *draft)
{
    return topo_scan_real(&draft->scan, "the rate of processors", 0.0, RATE_MAX, &draft->faults->processor_rate);
}

static bool take_repair(struct fault_draft *draft)
{
    struct topo_scan *scan = &draft->scan;
    size_t at = scan->at;
    return topo_scan_duration(scan, "the mean time until the repair", &draft->faults->repair_s) &&
           (draft->faults->repair_s <= REPAIR_MAX ||
            topo_scan_fail(scan, at, "the mean time until the repair must be from 0 to 1h"));
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

// What a spec can begin with: what stands alone, or a part.
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

// Reads one of the known words; errors say `what` it should have been.
static bool take_word(struct topo_scan *scan, const char *what, const char *(*known)(size_t index), size_t *word)
{
    size_t at = scan->at;
    char name[32];
    topo_scan_name(scan, name, sizeof name);
    for (*word = 0; known(*word); ++*word) {
        if (strcmp(name, known(*word)) == 0) {
            return true;
        }
    }
    return topo_scan_unknown(scan, at, what, name, known);
}

// Reads the parts of a spec, from behind the colon of the first.
static bool take_parts(struct fault_draft *draft, size_t part)
{
    struct topo_scan *scan = &draft->scan;
    bool given[PARTS] = {false};
    size_t at = 0;
    draft->faults->kind = CORE_FAULTS_DRAWN;
    draft->faults->repair_s = REPAIR_USUAL;
    while (!given[part]) {
        given[part] = true;
        if (!parts[part].take(draft)) {
            return false;
        }
        if (!topo_scan_accept(scan, ',')) {
            return given[LINK] || given[PROCESSOR] ||
                   topo_scan_fail(scan, 0, "faults need a rate, as in link:2,repair:5ms or processor:0.5");
        }
        at = scan->at;
        if (!take_word(scan, "part of faults", known_part, &part) || !topo_scan_expect(scan, ':', known_part(part))) {
            return false;
        }
    }
    return topo_scan_fail(scan, at, "%s is there already: leave one of them out", parts[part].name);
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

// Reads a time, which must not be before that of the line above.
static bool take_time(const struct core_faults *faults, struct topo_scan *line, uint64_t *at_ns)
{
    double seconds;
    if (!topo_scan_duration(line, "the time", &seconds)) {
        return false;
    }
    if (seconds > TIME_MAX) {
        return topo_scan_fail(line, 0, "the time must be from 0 to %gs", TIME_MAX);
    }
    *at_ns = (uint64_t)llround(seconds * 1e9);
    return faults->count == 0 || *at_ns >= faults->events[faults->count - 1].at_ns ||
           topo_scan_fail(line, 0, "this is before the line above it: write the lines in the order of time");
}

static bool take_thing(const struct ek_topology *topology, struct topo_scan *line, struct core_fault *event)
{
    size_t thing;
    uint64_t processor;
    uint32_t port;
    if (!take_word(line, "thing that fails", known_thing, &thing) || !core_spec_gap(line, LOOKS)) {
        return false;
    }
    event->processor = thing == 1;
    if (event->processor) {
        bool good = topo_scan_whole(line, "the processor", 0, topology->processors - 1, &processor);
        event->which = good ? (uint32_t)processor : 0;
        return good;
    }
    bool good = core_spec_link(line, LOOKS, topology, &port);
    event->which = !good ? 0 : port < topology->twin[port] ? port : topology->twin[port];
    return good;
}

// Notes that a thing goes down or comes up. What is down cannot fail, and what is up cannot be repaired.
static bool change_state(struct fault_draft *draft, struct topo_scan *line, const struct core_fault *event)
{
    bool *down = &draft->down[core_fault_place(event, draft->topology)];
    if (*down != event->repair) {
        return topo_scan_fail(line, 0, "this %s is %s already: leave this line out",
                              event->processor ? "processor" : "link", *down ? "down" : "up");
    }
    *down = !*down;
    return true;
}

static bool add_event(struct fault_draft *draft, struct topo_scan *line, struct core_fault event)
{
    struct core_faults *faults = draft->faults;
    if (faults->count == draft->room) {
        size_t room = draft->room > 0 ? 2 * draft->room : 16;
        struct core_fault *events =
            room <= SIZE_MAX / sizeof *events ? realloc(faults->events, room * sizeof *events) : NULL;
        if (!events) {
            return topo_scan_fail(line, 0, "no memory for so many faults: leave some out");
        }
        faults->events = events;
        draft->room = room;
    }
    faults->events[faults->count++] = event;
    return true;
}

static bool take_event(void *context, struct topo_scan *line)
{
    struct fault_draft *draft = context;
    struct core_fault event = {0};
    size_t word;
    if (!take_time(draft->faults, line, &event.at_ns) || !core_spec_gap(line, LOOKS) ||
        !take_word(line, "event", known_event, &word) || !core_spec_gap(line, LOOKS)) {
        return false;
    }
    event.repair = word == 1;
    return take_thing(draft->topology, line, &event) && change_state(draft, line, &event) &&
           add_event(draft, line, event);
}

static bool read_file(struct fault_draft *draft)
{
    const struct ek_topology *topology = draft->topology;
    const char *path = draft->scan.text + draft->scan.at;
    draft->faults->kind = CORE_FAULTS_FILE;
    draft->down = calloc((size_t)topology->links + topology->processors, sizeof *draft->down);
    if (!draft->down) {
        return topo_scan_fail(&draft->scan, draft->scan.at, "no memory to read faults: use a smaller topology");
    }
    bool good = core_spec_lines(&draft->scan, draft->reader, take_event, draft);
    free(draft->down);
    return good && (draft->faults->count > 0 || topo_fail(draft->scan.error, EK_BAD_INPUT, "faults", -1,
                                                          "%s holds no faults: use --faults none", path));
}

bool core_faults_parse(struct core_faults *faults, const char *spec, const struct ek_topology *topology,
                       struct ek_reader reader, struct ek_error *error)
{
    *faults = (struct core_faults){.kind = CORE_FAULTS_NONE};
    struct fault_draft draft = {
        .faults = faults, .topology = topology, .scan = topo_scan_start("faults", spec, error), .reader = reader};
    size_t start;
    bool good = core_spec_kind(&draft.scan, "kind of faults", known_start, start_choice, 1, &start) &&
                (start == NONE || (start == FROM_FILE ? read_file(&draft) : take_parts(&draft, start - ALONE)));
    if (good && topo_scan_end(&draft.scan)) {
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
