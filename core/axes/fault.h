// SPDX-License-Identifier: MIT
// Links and processors that fail and come back: what is asked for, and the events that come of it, in the order of
// time. Nothing fails that is down already, and only what is down is repaired. Time is that of a clock, or counts
// steps: then a step takes the place of a second.
#ifndef CORE_AXES_FAULT_H
#define CORE_AXES_FAULT_H

#include "core/axes/load.h"
#include "base/arena.h"
#include "base/random.h"

enum core_faults_kind { CORE_FAULTS_NONE, CORE_FAULTS_DRAWN, CORE_FAULTS_FILE };

enum { CORE_FAULT_STEP_NS = 1000000000 }; // how long a step is, where time counts steps

struct core_fault {
    uint64_t at_ns; // since the run's start
    bool repair;    // else a failure
    bool processor; // else a link
    uint32_t which; // the processor, or one port of the link
};

struct core_faults {
    enum core_faults_kind kind;
    double link_rate, processor_rate; // drawn: failures a second, or a step, of the whole machine
    double repair_s;                  // drawn: mean time until the repair, or mean number of steps
    struct core_fault *events;        // file: [count] in ascending order of time
    size_t count;
};

// Parses none, link:RATE,processor:RATE,repair:MEAN (each at most once, at least one rate) or file:PATH
// (`TIME fail|repair link I J` or `TIME fail|repair processor P` a line). `by_clock`: MEAN and TIME are as in 20ms;
// else they are numbers of steps. Release with core_faults_destroy.
bool core_faults_parse(struct core_faults *faults, const char *spec, const struct ek_topology *topology, bool by_clock,
                       struct ek_reader reader, struct ek_error *error);
void core_faults_destroy(struct core_faults *faults);

// Where a link or processor stands in arrays of so many places: a link at its lower port, processors behind all ports.
size_t core_fault_places(const struct ek_topology *topology);
size_t core_fault_place(const struct core_fault *fault, const struct ek_topology *topology);

// The step before which it acts, where time counts steps.
uint64_t core_fault_step(const struct core_fault *fault);

// The ports begin..end-1 of what fails or comes back: one of a link, all of a processor. Their twins are at the other
// ends of the same links.
struct core_fault_ports {
    uint32_t begin, end;
};
struct core_fault_ports core_fault_ports(const struct core_fault *fault, const struct ek_topology *topology);

// What is down after some events.
struct core_outages {
    const struct ek_topology *topology;
    bool *down;     // by place: by its own fault
    uint32_t count; // of those
};

// Plans its memory; when that is taken, everything is up. `topology` must stay alive.
void core_outages_plan(struct core_outages *outages, const struct ek_topology *topology, struct base_arena *memory);

// Notes an event.
void core_outages_change(struct core_outages *outages, const struct core_fault *fault);

// Whether the link of this port and both its processors are up.
bool core_outages_usable(const struct core_outages *outages, uint32_t port);

// The events of the run with this seed, one after the other. `faults` and `topology` must stay alive.
//
// Drawn: the time to the next failure is exponential with the sum of the rates as long as anything is up, whether it is
// a link or a processor goes by their rates, and which one is drawn evenly from those that are up; its repair comes
// after an exponential time. At most CORE_FAULT_DOWN_MAX are down at once: then the next failure waits for a repair.
enum { CORE_FAULT_DOWN_MAX = 65536 };
struct core_fault_source {
    const struct core_faults *faults;
    const struct ek_topology *topology;
    uint64_t now_ns; // the time of the event that was given last

    struct base_random random;
    bool *down;                 // drawn: by place
    uint32_t links_down;        // drawn
    uint32_t processors_down;   // drawn
    struct core_fault *repairs; // drawn: heap
    uint32_t count;             // drawn: how many repairs are to come
    uint32_t room;              // drawn: for how many there is memory

    size_t next;            // file: the event to give next
    uint32_t *repairs_left; // file: by place, in the lines to come
    uint32_t pending;       // file: what is down and will be repaired
};

// Plans its memory; and when that is taken.
void core_fault_source_plan(struct core_fault_source *source, const struct core_faults *faults,
                            const struct ek_topology *topology, uint64_t seed, struct base_arena *memory);
void core_fault_source_begin(struct core_fault_source *source);

// The next event; not before the one that it gave last. False when nothing happens any more.
bool core_fault_next(struct core_fault_source *source, struct core_fault *fault);

// Whether anything that is down after the event that was given last will be repaired. Whoever has asked for an event
// before its time looks at that one too.
bool core_faults_repairs_pending(const struct core_fault_source *source);

// Faults as `list` shows them, or NULL past the last.
const struct ek_choice *core_faults_choice(size_t index);

#endif
