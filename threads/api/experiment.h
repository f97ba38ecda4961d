// SPDX-License-Identifier: MIT
// Experiments and their axes: everything that a user chooses of a run. Part of <evenkeel.h>.
#ifndef EK_EXPERIMENT_H
#define EK_EXPERIMENT_H

#include "topologies/topology.h"

struct ek_recorder; // below
struct ek_ranks;    // below

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

    // What else the reports contain.
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
};

// Receives the tape of each worker, piece after piece, in calls by one thread of the run at a time. Pieces of different
// workers alternate in any order. If `write` returns false, the run ends.
struct ek_recorder {
    bool (*write)(void *context, unsigned worker, const uint8_t *bytes, size_t count);
    void *context;
};

// Another rank with which this rank exchanges data.
struct ek_rank_peer {
    unsigned rank;
    size_t sends, brings; // doubles that one exchange sends to it and receives from it
};

// A graph that ranks partition, in compressed rows. A vertex stands for some successive processors. Vertex v is
// adjacent to the vertices neighbour[first[v] .. first[v + 1] - 1].
struct ek_rank_graph {
    int32_t vertices;
    const int32_t *first;      // [vertices + 1]
    const int32_t *neighbour;  // [first[vertices]]
    const int32_t *links;      // [first[vertices]] the number of links to that neighbour
    const int32_t *processors; // [vertices] the number of processors that the vertex stands for
};

// The ranks that carry one experiment together. A rank is a process; the command connects ranks by MPI. All ranks
// prepare and run the same experiment, except for `ranks`. Each gets the whole report. An error in one rank ends the
// run in all of them with this error, and so does a call of ek_interrupt in one rank. In free timing only rank 0 calls
// its observer.
//
// The functions are called by one thread at a time: the caller of ek_prepare or ek_run, or a thread of the run. All
// ranks call `gather` and `collect` in the same order. In an exchange each of two peers names the other one, and two
// peers make their exchanges in the same order. But in turns not all ranks take part in an exchange, so `exchange` must
// not wait for ranks that are no peers. A function returns when all that it receives has arrived. It returns false if
// another rank does not answer any more; the run then ends.
struct ek_ranks {
    unsigned rank, count; // this rank's number, from 0, and the number of ranks
    // Gathers `bytes` bytes of each rank. The bytes of rank r begin at all + r * bytes. `own` may point to this rank's
    // place.
    bool (*gather)(void *context, const void *own, void *all, size_t bytes);
    // Receives the other ranks' parts of an array. Rank r owns array[from[r] .. from[r + 1] - 1].
    bool (*collect)(void *context, double *array, const size_t *from);
    // Sends `out` to the peers and receives `in` from them. Both arrays contain the doubles of one peer after another.
    bool (*exchange)(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in);
    // Partitions a graph into `count` parts with about as many processors each and few links between parts: sets
    // part[v], from 0 to count - 1, for each vertex v. Each rank calls it, and all must get the same result. Returns
    // false if it cannot. NULL: processors are divided into blocks in their order, or boxes of a product.
    bool (*divide)(void *context, const struct ek_rank_graph *graph, int32_t *part);
    void *context;
};

// Agrees with the other ranks on whether to go on. Every rank must call it, with `good` false if something is wrong in
// that rank. If `good` was true in all ranks, returns true in all of them. Otherwise returns false in all of them, with
// the `error` of the first rank in which `good` was false. A program that makes several runs calls it before each run
// if a rank may want to stop. Returns `good` if `ranks` is NULL.
EK_API bool ek_ranks_agree(const struct ek_ranks *ranks, bool good, struct ek_error *error);

// The timings, as bits: those in which an axis means something.
enum { EK_IN_ROUNDS = 1, EK_IN_TURNS = 2, EK_IN_FREE = 4, EK_IN_VIRTUAL = 8, EK_IN_ALL = 15 };

// Returns the timing that a value of the axis `timing` selects, as one of these bits; NULL selects the default. Returns
// 0 if there is no such value.
EK_API unsigned ek_timing_named(const char *value);

enum ek_axis_kind {
    EK_AXIS_TEXT,    // const char *: a spec, which ek_prepare reads
    EK_AXIS_WHOLE,   // uint64_t
    EK_AXIS_SECONDS, // double, as in 20us or 5s
    EK_AXIS_SHARE,   // double from 0 to 1
    EK_AXIS_SWITCH   // bool
};

// The subject of an axis.
enum ek_role {
    EK_ROLE_SUBJECT, // what is balanced, where and how
    EK_ROLE_SETTING, // how the experiment differs from the papers' plain case: all processors balance together, and no
                     // load is generated or consumed
    EK_ROLE_END,     // when a run ends
    EK_ROLE_MACHINE, // threads, barriers and mailboxes: they do not influence the result in rounds
    EK_ROLE_REPORT,  // the seed, and what is reported
    EK_ROLE_COST     // what turns and messages cost: only virtual time and the virtual seconds of rounds depend on it
};

// The group of options that help shows an axis in.
enum ek_topic {
    EK_TOPIC_NONE,    // an option of one command
    EK_TOPIC_MACHINE, // the emulated machine: its processors and links, and how they act
    EK_TOPIC_METHOD,  // what the balancing method does
    EK_TOPIC_LOAD,    // the load, and the work that creates and consumes it
    EK_TOPIC_FREE,    // what only machines without rounds have
    EK_TOPIC_COST,    // what turns and messages cost
    EK_TOPIC_RUNS,    // how many runs there are, with which random draws, and when they end
    EK_TOPIC_HOST,    // how this computer carries the machine
    EK_TOPIC_OUTPUT,  // what is measured, printed and written
    EK_TOPIC_FIGURE,  // what a figure shows
    EK_TOPICS
};

// An axis of experiments. The command makes from it an option, a line in help, manual page and list, and a field in
// reports.
struct ek_axis {
    const char *option; // its name on the command line: "link-limit"
    const char *field;  // its name in reports: "link_limit"; NULL if each run has a field of its own for it
    enum ek_role role;
    const char *form;    // what its value looks like; NULL for a switch
    const char *initial; // its default as text, or NULL if there is none
    const char *help;    // one line
    const char *more;    // more for the manual page, or NULL
    enum ek_axis_kind kind;
    size_t place;              // offset of its value in struct ek_experiment
    uint64_t minimum, maximum; // bounds of a whole number
    unsigned timings;          // the timings in which it has a meaning: EK_IN_ROUNDS | ...
    const char *otherwise;     // advice for users who set it in another timing, or NULL
    bool later;                // records of earlier versions lack it; their runs had its default
    enum ek_topic topic;
};

// The most axes that an experiment has.
enum { EK_AXES_MAX = 64 };

// Returns axis `index`, or NULL past the last.
EK_API const struct ek_axis *ek_axis_at(size_t index);

// Returns the axis with this option, or NULL.
EK_API const struct ek_axis *ek_axis_named(const char *option);

// Sets the value of an axis from text, which must stay valid as long as the experiment is used. Returns false with
// `error` filled if the text is not a number of the axis' kind; ek_prepare checks specs. `values` is the struct that
// axis->place is an offset in: the experiment, or the program's own struct if the axis is a row that the program made
// for an option of its own.
EK_API bool ek_axis_set(const struct ek_axis *axis, void *values, const char *text, struct ek_error *error);

// Returns value `index` that an axis can have. Returns NULL past the last, and for axes of numbers.
EK_API const struct ek_choice *ek_axis_choice(const struct ek_axis *axis, size_t index);

#endif
