// SPDX-License-Identifier: MIT
// Experiments: everything that a user chooses of a run. Part of <evenkeel.h>.
#ifndef EK_EXPERIMENT_H
#define EK_EXPERIMENT_H

#include "base/common.h"

struct ek_graph;    // topologies/topology.h
struct ek_ranks;    // threads/api/ranks.h
struct ek_recorder; // below

// Observes a run. In rounds and turns the run calls `look` at the start and after every step, while all processors
// wait; in free timing at every snapshot, while the processors go on. `row` is a row of the trace; experiment.every
// thins the calls, but experiment.trace_rows does not. `loads` is the load that each processor holds, [processors];
// together with row->in_flight this is all load. Both are valid during the call. If the step of a row is not above that
// of the row before, the row replaces all rows from its step on. There are two reasons: a step that the method counts
// separately shows its result a second time, and an operation may turn out not to have taken place. `look` may call
// ek_interrupt, and it may wait. An observer makes a run slower but does not change what it computes. Its time is not
// part of the run's elapsed_s, except in free timing.
//
// If `wants` is not NULL, the run calls it at each step or snapshot instead of using experiment.every, from the same
// threads, and calls `look` if it returns true. It must be quick. Returning false makes observing free.
struct ek_trace_row;
struct ek_observer {
    void (*look)(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors);
    void *context;
    bool (*wants)(void *context); // NULL if experiment.every decides
};

// An experiment: the value of each axis, as text in the form of the command line or as a number. NULL and 0 mean the
// axis' default (ek_axis_at). All text must stay valid until ek_prepare returns. Set the struct to zero first.
struct ek_experiment {
    const char *topology;
    const char *method;
    const char *units;
    const char *ports;
    const char *timing;
    const char *clock;
    const char *order;
    const char *invoke;
    const char *load;
    const char *work;
    const char *demand;
    const char *working;
    const char *capacity;
    const char *weighting;
    const char *link_limit;
    const char *delay;
    const char *domains;
    const char *announce;
    const char *slow;
    const char *faults;
    const char *stop;
    const char *carrier;
    const char *mailbox;
    const char *barrier;
    double tick_s;
    double perturb;
    double audit_s;
    double watchdog_s;
    uint64_t steps_max;
    uint64_t operations_max;
    double seconds_max;
    uint64_t seed;      // the seed of run 0; run r has seed + r
    uint64_t every;     // the trace has every so many-th step
    bool unpinned;      // do not pin threads to cores
    bool overlaps;      // rounds: report the effects of operations on their domains, by how they overlap
    const char *window; // the part of a run over which the bounds of loads and variance are taken
    bool keep_links;    // report the load sent over each link; in free timing, report on each direction of a link
    bool no_flows;      // leave out the net flow over each link: saves 8 bytes a port, and time
    uint64_t frames;    // report all loads at so many moments at most; 0: at none

    // Optional parts of the reports.
    bool keep_loads;   // the initial and the final loads
    bool keep_trace;   // the trace
    size_t trace_rows; // thin the trace to at most so many rows (at least 2), by doubling `every`; 0: no limit
    struct ek_reader reader;

    // Arrays instead of specs. They must stay valid until ek_prepare returns.
    const struct ek_graph *graph; // the topology, or NULL; its name is `topology`, or "graph" if that is NULL
    const double *loads;          // [loads_count] the loads by processor, or NULL: finite, not negative, and whole in
    size_t loads_count;           // tokens; their name is `load`, or "array" if that is NULL
    struct ek_observer observer;  // there is none if `look` is NULL

    // Free timing: receives what the workers see, virtual timing: when someone asked the run to end; or NULL. The run
    // can be replayed from this and the experiment (ek_replay_begin). Of several ranks each receives the whole tape.
    const struct ek_recorder *recorder;

    // The processes that carry this experiment together; NULL unless `carrier` is mpi.
    const struct ek_ranks *ranks;

    // Free timing: the caller's thread does all the work, as an explorer or a replay (ek_explore_begin,
    // ek_replay_begin). The threads of the workers are then not counted against limits, and ek_run refuses the machine.
    bool by_caller;

    // Check every amount that the method computes: it must be a finite number, whole in tokens, the same at both ends
    // of a link if the rule is mutual, that of the rule if a program names one, and at most the load held unless the
    // method overdraws. A broken promise is a violation, and the `axis` of its error is "bounds", "tokens", "mutual" or
    // "ports". Without this switch a machine checks registered methods only, and in samples if the method has a loop of
    // its own (<evenkeel/block.h>).
    bool checks;

    // Virtual time: what turns and messages cost.
    const char *turn_cost;
    const char *overhead;
    const char *gap;
    const char *latency;
    const char *byte_time;
    const char *message_bytes;
    const char *load_bytes;
    const char *delay_load; // in rounds, turns and virtual time
    double sample_s;        // the virtual time between two rows of the trace; 0: rows as often as they cost little
    const char *host;       // the machine whose costs are the defaults of the costs above
    const char *within;
    const char *rounding; // of tokens

    // Load that consists of tasks.
    const char *tasks; // the program
    const char *give;  // the tasks that a parcel takes
    uint64_t grain;    // the units of cost that a processor of capacity 1 executes in a tick; without rounds: the most
                       // tasks of a turn
    const char *task_time; // what a unit of cost takes
    const char *detect;    // how the end is detected
    uint64_t hops;         // the links over which a new task walks, with a method that places tasks

    // Keep the picture that the tasks compute. It must be a program with a picture, such as mandelbrot.
    bool keep_picture;

    // Load that consists of objects.
    const char *objects;   // where they come from
    const char *phase;     // of LB data files of vt
    const char *choose;    // which objects go
    const char *remainder; // what becomes of the rest of an amount
    const char *migrate;   // when objects move
    bool keep_placement;   // the report of the first run has the files of the new placement

    // The run's threads have stacks of 8 MiB more, for functions of the caller that need them.
    bool large_stacks;

    // With tasks, without which ek_prepare refuses it: report what processors do in at most so many intervals of time,
    // at least 2 (struct ek_profile); 0: in none.
    uint64_t profile;

    // With tasks: shows the observer how many tasks each processor has, [processors]: those that it holds, and the one
    // that it still executes. A processor that has any is *busy*. The run calls it just before the observer's `look`,
    // if the experiment has one, with the observer's context. The array is valid until `look` returns.
    void (*show_tasks)(void *context, const double *tasks, uint32_t processors);

    // Also report the net flow over each link at each frame, where the run knows it (frame_flow).
    bool frame_flows;

    // Reads a part of a graph file, with the context of `reader`. A file is then read several times, and its text is
    // never in memory as a whole. NULL: `reader` reads graph files, too.
    ek_read_part *read_part;
};

// Receives the tape of each worker, piece after piece, in calls by one thread of the run at a time. Pieces of different
// workers alternate in any order. If `write` returns false, the run ends.
struct ek_recorder {
    bool (*write)(void *context, unsigned worker, const uint8_t *bytes, size_t count);
    void *context;
};

#endif
