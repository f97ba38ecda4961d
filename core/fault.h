// SPDX-License-Identifier: MIT
// Links and processors that fail and come back, in free timing: what is asked for, and the events that come of it, in
// the order of time. Nothing fails that is down already, and only what is down is repaired.
#ifndef EK_FAULT_H
#define EK_FAULT_H

#include "core/load.h"

enum ek_faults_kind { EK_FAULTS_NONE, EK_FAULTS_DRAWN, EK_FAULTS_FILE };

struct ek_fault {
    uint64_t at_ns; // since the run's start
    bool repair;    // else a failure
    bool processor; // else a link
    uint32_t which; // the processor, or one port of the link
};

struct ek_faults {
    enum ek_faults_kind kind;
    double link_rate, processor_rate; // drawn: failures a second of the whole machine
    double repair_s;                  // drawn: mean time until the repair
    struct ek_fault *events;          // file: [count] in ascending order of time
    size_t count;
};

// Parses none, link:RATE,processor:RATE,repair:MEAN (each at most once, at least one rate) or file:PATH
// (`TIME fail|repair link I J` or `TIME fail|repair processor P` a line). Release with ek_faults_release.
bool ek_faults_parse(struct ek_faults *faults, const char *spec, const struct ek_topology *topology,
                     struct ek_reader reader, struct ek_error *error);
void ek_faults_release(struct ek_faults *faults);

// Where a link or processor stands among all of them: the links first.
uint32_t ek_fault_place(const struct ek_fault *fault, const struct ek_topology *topology);

// The events of the run with this seed, one after the other. `faults` and `topology` must stay alive. NULL where there
// is no memory: it takes some bytes for each link and processor, and for each that can be down at once.
//
// Drawn: the time to the next failure is exponential with the sum of the rates as long as anything is up, whether it is
// a link or a processor goes by their rates, and which one is drawn evenly from those that are up; its repair comes
// after an exponential time. At most EK_FAULT_DOWN_MAX are down at once: then the next failure waits for a repair.
struct ek_fault_source;
enum { EK_FAULT_DOWN_MAX = 65536 };
struct ek_fault_source *ek_fault_source_create(const struct ek_faults *faults, const struct ek_topology *topology,
                                               uint64_t seed);
void ek_fault_source_free(struct ek_fault_source *source);

// The next event; not before the one that it gave last. False when nothing happens any more.
bool ek_fault_next(struct ek_fault_source *source, struct ek_fault *fault);

// Whether anything that is down after the event that was given last will be repaired. Whoever has asked for an event
// before its time looks at that one too.
bool ek_faults_repairs_pending(const struct ek_fault_source *source);

// Faults as `list` shows them, or NULL past the last.
const struct ek_choice *ek_faults_choice(size_t index);

#endif
