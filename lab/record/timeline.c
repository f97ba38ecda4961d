// SPDX-License-Identifier: MIT
#include "lab/record/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/replay_trace.h"
#include "topologies/topology.h"

enum { OPERATIONS_MAX = 5000, STAYS_MAX = 40000, PARCELS_MAX = 40000 };
static const size_t NONE = SIZE_MAX;

// The state of one direction of a link, indexed by the sender's port.
struct way {
    size_t asked;          // the sender's operation that sent the last request over it
    size_t stay;           // the receiver's current part in that operation, or NONE
    size_t oldest, newest; // the parcels under way, or NONE
    bool pulled;           // the sender must answer with a gift
    uint32_t answers;      // a bit for each gift under way, the oldest lowest: it is such an answer
    unsigned gifts;
};

struct making {
    struct lab_timeline *timeline;
    const struct ek_topology *topology;
    struct way *way;   // [ports]
    size_t *under_way; // by processor: its own current operation, or NONE
    uint64_t events;   // so far
    struct lab_replay_trace trace;
};

static bool take_memory(struct making *making)
{
    struct lab_timeline *timeline = making->timeline;
    size_t ports = making->topology->ports + 1u;
    uint32_t processors = making->topology->processors;
    timeline->operation = calloc(OPERATIONS_MAX, sizeof *timeline->operation);
    timeline->stay = calloc(STAYS_MAX, sizeof *timeline->stay);
    timeline->parcel = calloc(PARCELS_MAX, sizeof *timeline->parcel);
    making->way = calloc(ports, sizeof *making->way);
    making->under_way = malloc(processors * sizeof *making->under_way);
    if (!timeline->operation || !timeline->stay || !timeline->parcel || !making->way || !making->under_way) {
        return false;
    }
    for (uint32_t p = 0; p < processors; p++) {
        making->under_way[p] = NONE;
    }
    for (size_t port = 0; port < ports; port++) {
        making->way[port] = (struct way){.asked = NONE, .stay = NONE, .oldest = NONE, .newest = NONE};
    }
    return true;
}

static void begin(struct making *making, uint32_t p, double now)
{
    struct lab_timeline *timeline = making->timeline;
    making->under_way[p] = timeline->operations;
    timeline->operation[timeline->operations++] = (struct lab_operation){
        .processor = p, .from = now, .to = NAN, .begun = making->events, .ended = UINT64_MAX, .got = NAN};
}

static void end(struct making *making, uint32_t p, double now, const struct ek_event *event)
{
    if (making->under_way[p] == NONE) { // an operation on pushed loads takes no time
        begin(making, p, now);
    }
    struct lab_operation *operation = &making->timeline->operation[making->under_way[p]];
    operation->to = now;
    operation->ended = making->events;
    operation->left = event->kind == EK_EVENT_LEAVES;
    operation->got = operation->left ? NAN : event->amount;
    making->under_way[p] = NONE;
}

// Processor p sends a message over its port.
static void send(struct making *making, uint32_t p, uint32_t port, double now, const struct ek_event *event)
{
    struct lab_timeline *timeline = making->timeline;
    struct way *way = &making->way[port];
    struct way *back = &making->way[making->topology->twin[port]];
    if (strcmp(event->message, "ask") == 0) {
        way->asked = making->under_way[p];
    } else if (strcmp(event->message, "tell") == 0 && back->asked != NONE) {
        back->stay = timeline->stays;
        timeline->stay[timeline->stays++] = (struct lab_stay){.operation = back->asked,
                                                              .processor = p,
                                                              .from = now,
                                                              .to = NAN,
                                                              .begun = making->events,
                                                              .ended = UINT64_MAX};
    } else if (strcmp(event->message, "give") == 0) {
        way->answers |= way->pulled ? 1u << way->gifts : 0;
        way->gifts++;
        way->pulled = false;
    }
    if (event->carries && event->amount > 0.0) { // an empty answer is not a parcel
        size_t number = timeline->parcels++;
        timeline->parcel[number] = (struct lab_parcel){
            .from = p, .to = event->other, .sent = now, .taken = NAN, .load = event->amount, .next = NONE};
        *(way->newest == NONE ? &way->oldest : &timeline->parcel[way->newest].next) = number;
        way->newest = number;
    }
}

// Removes the oldest gift under way. Returns whether it is the sender's own gift and not an answer.
static bool take_gift(struct way *way)
{
    bool own = !(way->answers & 1);
    way->answers >>= 1;
    way->gifts -= way->gifts > 0;
    return own;
}

// Receives a message over a way. The receiver takes part in the sender's operation until it receives a gift or is
// released.
static void take(struct making *making, uint32_t port, double now, const struct ek_event *event)
{
    struct lab_timeline *timeline = making->timeline;
    struct way *way = &making->way[port];
    bool pulls = strcmp(event->message, "pull") == 0;
    bool ends_stay =
        pulls || strcmp(event->message, "release") == 0 || (strcmp(event->message, "give") == 0 && take_gift(way));
    making->way[making->topology->twin[port]].pulled |= pulls;
    if (ends_stay && way->stay != NONE) {
        timeline->stay[way->stay].to = now;
        timeline->stay[way->stay].ended = making->events;
        way->stay = NONE;
    }
    if (event->carries && event->amount > 0.0 && way->oldest != NONE) {
        struct lab_parcel *parcel = &timeline->parcel[way->oldest];
        parcel->taken = now;
        way->oldest = parcel->next;
        way->newest = way->oldest == NONE ? NONE : way->newest;
    }
}

static uint32_t port_to(const struct ek_topology *topology, uint32_t p, uint32_t q)
{
    uint32_t port = topology->first[p];
    while (topology->neighbour[port] != q) {
        port++;
    }
    return port;
}

// Adds the events of a turn. Returns false if the whole turn does not fit: then this turn and all later turns are left
// out.
static bool add(struct making *making, const struct ek_turn_made *turn)
{
    struct lab_timeline *timeline = making->timeline;
    if (timeline->operations + turn->count > OPERATIONS_MAX || timeline->stays + turn->count > STAYS_MAX ||
        timeline->parcels + turn->count > PARCELS_MAX) {
        return false;
    }
    double now = 1e-9 * (double)turn->time_ns;
    uint32_t p = turn->processor;
    for (size_t i = 0; i < turn->count; i++, making->events++) {
        const struct ek_event *event = &turn->events[i];
        if (event->kind == EK_EVENT_BEGINS) {
            begin(making, p, now);
        } else if (event->kind == EK_EVENT_ENDS || event->kind == EK_EVENT_LEAVES) {
            end(making, p, now, event);
        } else if (event->kind == EK_EVENT_SENDS) {
            send(making, p, port_to(making->topology, p, event->other), now, event);
        } else if (event->kind == EK_EVENT_TAKES) {
            take(making, port_to(making->topology, event->other, p), now, event);
        }
    }
    timeline->end = fmax(timeline->end, now);
    return true;
}

// The time line ends where it is full; the trace goes on.
static bool make(struct making *making, struct lab_replay *replay, struct ek_error *error)
{
    struct lab_timeline *timeline = making->timeline;
    if (!lab_replay_trace_begin(&making->trace, replay) || !take_memory(making)) {
        return base_refuse(error, "there is no memory for the time line of a recording: leave it out");
    }
    enum ek_replay_status status;
    while ((status = lab_replay_turn(replay, error)) == EK_REPLAY_TURN) {
        timeline->cut = timeline->cut || !add(making, &replay->turn);
        lab_replay_trace_turn(&making->trace, replay);
    }
    lab_replay_trace_end(&making->trace, replay, &replay->recorded.record.runs[0]);
    timeline->turns = making->trace.turns;
    timeline->trace_every = making->trace.rows.every;
    timeline->frame_every = making->trace.frames.every;
    return status != EK_REPLAY_MISFIT;
}

bool lab_timeline_make(struct lab_timeline *timeline, struct lab_record *record, const char *path,
                       struct ek_error *error)
{
    struct lab_replay replay;
    *timeline = (struct lab_timeline){0};
    if (!lab_replay_open(&replay, path, error)) {
        return false;
    }
    struct making making = {.timeline = timeline, .topology = ek_machine_topology(replay.machine)};
    bool good =
        replay.recorded.whole
            ? make(&making, &replay, error)
            : base_refuse(error, "%s was cut off and has no record of its run: evenkeel replay shows how far it goes",
                          path);
    if (good) {
        *record = replay.recorded.record;
        replay.recorded.record = (struct lab_record){0};
    } else {
        lab_timeline_destroy(timeline);
    }
    lab_replay_trace_destroy(&making.trace);
    free(making.way);
    free(making.under_way);
    lab_replay_close(&replay);
    return good;
}

void lab_timeline_destroy(struct lab_timeline *timeline)
{
    free(timeline->operation);
    free(timeline->stay);
    free(timeline->parcel);
    *timeline = (struct lab_timeline){0};
}

// Writes a number with enough digits to restore it exactly; null if it is not finite.
static void write_real(FILE *out, double value)
{
    if (isfinite(value)) {
        fprintf(out, ",%.17g", value);
    } else {
        fputs(",null", out);
    }
}

static void write_events(FILE *out, uint64_t begun, uint64_t ended)
{
    fprintf(out, ",%" PRIu64, begun);
    if (ended < UINT64_MAX) {
        fprintf(out, ",%" PRIu64, ended);
    } else {
        fputs(",null", out);
    }
}

void lab_timeline_write(FILE *out, const struct lab_timeline *timeline)
{
    fprintf(out,
            "{\"end\": %.17g, \"cut\": %s, \"turns\": %" PRIu64 ", \"trace_every\": %" PRIu64
            ", \"frame_every\": %" PRIu64 ", \"operations\": [",
            timeline->end, timeline->cut ? "true" : "false", timeline->turns, timeline->trace_every,
            timeline->frame_every);
    for (size_t i = 0; i < timeline->operations; i++) {
        const struct lab_operation *operation = &timeline->operation[i];
        fprintf(out, "%s[%u", i > 0 ? ",\n" : "\n", operation->processor);
        write_real(out, operation->from);
        write_real(out, operation->to);
        write_events(out, operation->begun, operation->ended);
        write_real(out, operation->got);
        fprintf(out, ",%s]", operation->left ? "true" : "false");
    }
    fputs("], \"stays\": [", out);
    for (size_t i = 0; i < timeline->stays; i++) {
        const struct lab_stay *stay = &timeline->stay[i];
        fprintf(out, "%s[%zu,%u", i > 0 ? ",\n" : "\n", stay->operation, stay->processor);
        write_real(out, stay->from);
        write_real(out, stay->to);
        write_events(out, stay->begun, stay->ended);
        fputc(']', out);
    }
    fputs("], \"parcels\": [", out);
    for (size_t i = 0; i < timeline->parcels; i++) {
        const struct lab_parcel *parcel = &timeline->parcel[i];
        fprintf(out, "%s[%u,%u", i > 0 ? ",\n" : "\n", parcel->from, parcel->to);
        write_real(out, parcel->sent);
        write_real(out, parcel->taken);
        write_real(out, parcel->load);
        fputc(']', out);
    }
    fputs("]}", out);
}
