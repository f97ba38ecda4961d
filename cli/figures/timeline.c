// SPDX-License-Identifier: MIT
// The format is Chrome's "Trace Event Format": times in microseconds, a thread for each processor. "X" is a slice, "s"
// and "f" are the ends of an arrow.
#include "cli/figures/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/files/atomic_file.h"
#include "topologies/topology.h"

enum { EVENTS_MAX = 1000000 };

struct report_timeline {
    struct lab_file whole;
    FILE *file; // of `whole`
    const struct ek_topology *topology;
    uint64_t *begun;        // [processors] when the operation began, in ns; UINT64_MAX: no operation
    uint64_t *sent, *taken; // [ports] number of parcels sent, and received
    uint64_t events, left_out;
};

static void destroy(struct report_timeline *timeline)
{
    free(timeline->begun);
    free(timeline->sent);
    free(timeline->taken);
    free(timeline);
}

static bool take_memory(struct report_timeline *timeline)
{
    uint32_t processors = timeline->topology->processors;
    size_t ports = timeline->topology->ports + 1u;
    timeline->begun = malloc(processors * sizeof *timeline->begun);
    timeline->sent = calloc(ports, sizeof *timeline->sent);
    timeline->taken = calloc(ports, sizeof *timeline->taken);
    if (!timeline->begun || !timeline->sent || !timeline->taken) {
        return false;
    }
    memset(timeline->begun, 0xff, processors * sizeof *timeline->begun);
    return true;
}

struct report_timeline *report_timeline_open(const char *path, const struct ek_machine *machine, struct ek_error *error)
{
    struct report_timeline *timeline = calloc(1, sizeof *timeline);
    if (timeline) {
        timeline->topology = ek_machine_topology(machine);
    }
    if (!timeline || !take_memory(timeline)) {
        base_refuse(error, "there is no memory for the time line");
    } else if (lab_file_open(&timeline->whole, path, error)) {
        timeline->file = timeline->whole.file;
        fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n", timeline->file);
        fputs("{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"processors\"}}",
              timeline->file);
        return timeline;
    }
    if (timeline) {
        destroy(timeline);
    }
    return NULL;
}

// Writes the fields with which all events begin. Returns false if the file has no room for one more event.
static bool event(struct report_timeline *timeline, const char *kind, uint32_t p, uint64_t time_ns)
{
    if (timeline->events >= EVENTS_MAX) {
        timeline->left_out++;
        return false;
    }
    timeline->events++;
    fprintf(timeline->file, ",\n{\"ph\": \"%s\", \"pid\": 1, \"tid\": %u, \"ts\": %.3f", kind, p,
            1e-3 * (double)time_ns);
    return true;
}

static uint32_t port_to(const struct ek_topology *topology, uint32_t p, uint32_t q)
{
    uint32_t port = topology->first[p];
    while (topology->neighbour[port] != q) {
        port++;
    }
    return port;
}

// Adds an end of a parcel. Parcels arrive in the order in which they were sent, so their number identifies them.
static void add_parcel(struct report_timeline *timeline, const struct ek_turn_made *turn, const struct ek_event *what)
{
    bool sent = what->kind == EK_EVENT_SENDS;
    uint32_t port = port_to(timeline->topology, turn->processor, what->other);
    uint32_t from = sent ? port : timeline->topology->twin[port];
    uint64_t number = sent ? timeline->sent[port]++ : timeline->taken[port]++;
    if (event(timeline, sent ? "s" : "f", turn->processor, turn->time_ns)) {
        fprintf(timeline->file,
                ", \"bp\": \"e\", \"cat\": \"parcel\", \"name\": \"%s\", \"id\": \"%u.%llu\", \"args\": {\"load\": "
                "%.17g, \"%s\": %u}}",
                what->message, from, (unsigned long long)number, what->amount, sent ? "to" : "from", what->other);
    }
}

static void add_end(struct report_timeline *timeline, const struct ek_turn_made *turn, const struct ek_event *what)
{
    uint64_t *begun = &timeline->begun[turn->processor];
    uint64_t from = *begun == UINT64_MAX ? turn->time_ns : *begun; // with pushed loads it takes no time
    if (event(timeline, "X", turn->processor, from)) {
        fprintf(timeline->file, ", \"dur\": %.3f, \"cat\": \"operation\", \"name\": \"%s\", \"args\": {\"turn\": %llu",
                1e-3 * (double)(turn->time_ns - from),
                what->kind == EK_EVENT_ENDS ? "operation" : "no neighbour takes part",
                (unsigned long long)turn->number);
        fprintf(timeline->file, what->kind == EK_EVENT_ENDS ? ", \"got\": %.17g}}" : "}}", what->amount);
    }
    *begun = UINT64_MAX;
}

void report_timeline_add(struct report_timeline *timeline, const struct ek_turn_made *turn)
{
    for (size_t i = 0; i < turn->count; i++) {
        const struct ek_event *what = &turn->events[i];
        if (what->carries && what->amount > 0.0) { // a message without load is no parcel
            add_parcel(timeline, turn, what);
        } else if (what->kind == EK_EVENT_BEGINS) {
            timeline->begun[turn->processor] = turn->time_ns;
        } else if (what->kind == EK_EVENT_ENDS || what->kind == EK_EVENT_LEAVES) {
            add_end(timeline, turn, what);
        }
    }
}

bool report_timeline_close(struct report_timeline *timeline, struct ek_error *error)
{
    fprintf(timeline->file, "\n], \"otherData\": {\"left_out\": %llu}}\n", (unsigned long long)timeline->left_out);
    bool good = lab_file_close(&timeline->whole, true, error);
    destroy(timeline);
    return good;
}
