// SPDX-License-Identifier: MIT
// Links and processors that fail and are repaired: the parsed spec, and the events of a run in the order of time. A
// link or processor can fail only while it is up, and be repaired only while it is down. Time is clock time, or counts
// steps. A step then counts as a second.
#ifndef CORE_AXES_FAULT_H
#define CORE_AXES_FAULT_H

#include "core/axes/load.h"
#include "base/arena.h"
#include "base/random_stream.h"

enum core_faults_kind { CORE_FAULTS_NONE, CORE_FAULTS_DRAWN, CORE_FAULTS_FILE };

enum { CORE_FAULT_STEP_NS = 1000000000 }; // length of a step if time counts steps

struct core_fault {
    uint64_t at_ns; // since the beginning of the run
    bool repair;    // a repair; else a failure
    bool processor; // of a processor; else of a link
    uint32_t which; // the processor, or one port of the link
};

struct core_faults {
    enum core_faults_kind kind;
    double link_rate, processor_rate; // drawn: failures of the whole machine a second or a step
    double repair_s;                  // drawn: mean time until the repair, or mean number of steps
    struct core_fault *events;        // file: [count] in the order of time
    size_t count;
};

// Parses none, link:RATE,processor:RATE,repair:MEAN (each at most once, at least one rate) or file:PATH (a line is
// `TIME fail|repair link I J` or `TIME fail|repair processor P`). If `by_clock` is set, MEAN and TIME are durations, as
// in 20ms; else they are numbers of steps. Returns false with `error` filled if the spec or its file is wrong. Release
// with core_faults_destroy.
bool core_faults_parse(struct core_faults *faults, const char *spec, const struct ek_topology *topology, bool by_clock,
                       struct ek_reader reader, struct ek_error *error);
void core_faults_destroy(struct core_faults *faults);

// Return the number of places, and the place of a fault. An array "by place" has an entry for each link, at the index
// of the link's lower port. The entries of the processors follow after the indices of all ports.
size_t core_fault_places(const struct ek_topology *topology);
size_t core_fault_place(const struct core_fault *fault, const struct ek_topology *topology);

// Returns the step before which a fault takes effect, if time counts steps.
uint64_t core_fault_step(const struct core_fault *fault);

// Finds the ports begin..end-1 of a fault: one port of a link, or all ports of a processor. The ports at the other ends
// of these links belong to the fault too.
struct core_fault_ports {
    uint32_t begin, end;
};
struct core_fault_ports core_fault_ports(const struct core_fault *fault, const struct ek_topology *topology);

// The links and processors that are down after some events.
struct core_outages {
    const struct ek_topology *topology;
    bool *down;     // by place: down by its own fault
    uint32_t count; // number of places that are down
};

// Plans the memory. After its allocation all links and processors are up. `topology` must stay alive.
void core_outages_plan(struct core_outages *outages, const struct ek_topology *topology, struct base_arena *memory);

// Applies an event.
void core_outages_change(struct core_outages *outages, const struct core_fault *fault);

// Returns whether the link of this port and both its processors are up.
bool core_outages_usable(const struct core_outages *outages, uint32_t port);

// Yields the events of the run with this seed in the order of time. `faults` and `topology` must stay alive.
// Events are drawn as follows:
// (1) The time to the next failure is exponential. Its rate is the sum of the two rates. A rate counts only while a
// link, or a processor, is up. (2) A link or a processor fails with probabilities in proportion to the two rates, drawn
// uniformly from those that are up. (3) The repair follows after an exponential time. (4) At most CORE_FAULT_DOWN_MAX
// links and processors are down at once. Then the next failure waits for a repair.
enum { CORE_FAULT_DOWN_MAX = 65536 };
struct core_fault_source {
    const struct core_faults *faults;
    const struct ek_topology *topology;
    uint64_t now_ns; // time of the last event

    struct base_random random;
    bool *down;                 // drawn: by place
    uint32_t links_down;        // drawn
    uint32_t processors_down;   // drawn
    struct core_fault *repairs; // drawn: repairs to come, as a heap
    uint32_t count;             // drawn: number of repairs to come
    uint32_t room;              // drawn: capacity of `repairs`

    size_t next;            // file: index of the next event
    uint32_t *repairs_left; // file: by place, the repairs in the lines to come
    uint32_t pending;       // file: number of places that are down and will be repaired
};

// core_fault_source_plan plans the memory. Call core_fault_source_begin after its allocation.
void core_fault_source_plan(struct core_fault_source *source, const struct core_faults *faults,
                            const struct ek_topology *topology, uint64_t seed, struct base_arena *memory);
void core_fault_source_begin(struct core_fault_source *source);

// Finds the next event; events never go back in time. Returns false if there are no more.
bool core_fault_next(struct core_fault_source *source, struct core_fault *fault);

// Returns whether anything that is down after the last event will be repaired. A caller that holds an event whose time
// has not come yet must consider that event too.
bool core_faults_repairs_pending(const struct core_fault_source *source);

// Returns a kind of faults as a list shows it, or NULL past the last.
const struct ek_choice *core_faults_choice(size_t index);

#endif
