// SPDX-License-Identifier: MIT
// Links and processors that fail and come back, in free timing: what is asked for, and the events that come of it, in
// the order of time. Nothing fails that is down already, and only what is down is repaired.
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include "core/load.h"
#include "core/memory.h"
#include "topologies/random.h"

enum core_faults_kind { CORE_FAULTS_NONE, CORE_FAULTS_DRAWN, CORE_FAULTS_FILE };

struct core_fault {
    uint64_t at_ns; // since the run's start
    bool repair;    // else a failure
    bool processor; // else a link
    uint32_t which; // the processor, or one port of the link
};

struct core_faults {
    enum core_faults_kind kind;
    double link_rate, processor_rate; // drawn: failures a second of the whole machine
    double repair_s;                  // drawn: mean time until the repair
    struct core_fault *events;        // file: [count] in ascending order of time
    size_t count;
};

// Parses none, link:RATE,processor:RATE,repair:MEAN (each at most once, at least one rate) or file:PATH
// (`TIME fail|repair link I J` or `TIME fail|repair processor P` a line). Release with core_faults_destroy.
bool core_faults_parse(struct core_faults *faults, const char *spec, const struct ek_topology *topology,
                       struct ek_reader reader, struct ek_error *error);
void core_faults_destroy(struct core_faults *faults);

// Where a link or processor stands among all of them: the links first.
uint32_t core_fault_place(const struct core_fault *fault, const struct ek_topology *topology);

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

    struct topo_random random;
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
                            const struct ek_topology *topology, uint64_t seed, struct core_memory *memory);
void core_fault_source_begin(struct core_fault_source *source);

// The next event; not before the one that it gave last. False when nothing happens any more.
bool core_fault_next(struct core_fault_source *source, struct core_fault *fault);

// Whether anything that is down after the event that was given last will be repaired. Whoever has asked for an event
// before its time looks at that one too.
bool core_faults_repairs_pending(const struct core_fault_source *source);

// Faults as `list` shows them, or NULL past the last.
const struct ek_choice *core_faults_choice(size_t index);

#endif
