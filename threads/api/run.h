// SPDX-License-Identifier: MIT
// How an experiment runs. A machine is prepared once and run any number of times. Fourth part of <evenkeel.h>.
#ifndef EK_RUN_H
#define EK_RUN_H

#include "core/method.h"
#include "core/program.h"

// Returns the library's version, as "0.1.0".
EK_API const char *ek_version(void);

// Returns the EK_API_VERSION of the library. If it is lower than the header's, the library does not know the newest
// fields: ek_prepare refuses an experiment that sets one, and in reports these fields are 0.
EK_API unsigned ek_api_version(void);

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
    // of a link if the rule is mutual, and at most the load held unless the method overdraws. A broken promise is a
    // violation, and the `axis` of its error is "bounds", "tokens", "mutual" or "ports". Without this switch a machine
    // checks registered methods only, and in samples if the method has a loop of its own (<evenkeel/block.h>).
    bool checks;

    // Virtual time: what turns and messages cost.
    const char *turn_cost;
    const char *overhead;
    const char *gap;
    const char *latency;
    const char *byte_time;
    const char *message_bytes;
    const char *load_bytes;
    const char *delay_load;
    double sample_s;  // the virtual time between two rows of the trace; 0: rows as often as they cost little
    const char *host; // the machine whose costs are the defaults of the costs above
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
};

// Receives the tape of each worker, piece after piece, in calls by one thread of the run at a time. Pieces of different
// workers alternate in any order. If `write` returns false, the run ends.
struct ek_recorder {
    bool (*write)(void *context, unsigned worker, const uint8_t *bytes, size_t count);
    void *context;
};

// Another rank to which this rank has links.
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

// How the processors are divided among ranks: blocks in the order of processors, boxes of a product, or parts that
// `divide` found.
enum ek_blocks { EK_BLOCKS_IN_ORDER, EK_BLOCKS_BOXES, EK_BLOCKS_PARTS };

// The ranks that carry one experiment together. A rank is a process; the command connects ranks by MPI. All ranks
// prepare and run the same experiment, except for `ranks`. Each gets the whole report. An error in one rank ends the
// run in all of them with this error, and so does a call of ek_interrupt in one rank. In free timing only rank 0 calls
// its observer.
//
// The functions are called by one thread at a time: the caller of ek_prepare or ek_run, or a thread of the run. All
// ranks call the same functions in the same order. A function returns when all that it receives has arrived. It returns
// false if another rank does not answer any more; the run then ends.
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

// A machine that is ready to run: its axes are read and checked, its topology is built.
struct ek_machine;

// The progress of a run.
struct ek_progress {
    uint64_t steps;
    uint64_t operations;
    double variance; // at the last test of the stop criterion; NaN before the first
    double elapsed_s;
};

// The loads after a step, or in a snapshot of free timing.
struct ek_trace_row {
    uint64_t step;
    double variance; // sum of (w_i - mean)^2
    double spread;   // largest - smallest load
    double minimum;
    double maximum;
    double moved;      // load sent over links so far
    uint64_t invokers; // processors that invoked the current operation; in free timing those with an open operation
    double time;       // seconds since the start; in rounds virtual_s so far, NaN if the run has none
    double in_flight;  // load under way on links
    double error;      // 2-norm of the differences of each held load from the processor's share by capacity
    double mean;       // of the held loads
    double deviation;  // the largest difference of a load from the mean of all load
    double normalised_cost;
    double local_fraction; // in tokens, else NaN
    uint64_t invocations;  // so far
    uint64_t messages;     // so far; records contain only the sum of the run
};

// A moment at which a report has all loads.
struct ek_frame {
    uint64_t step; // in free timing the number of the snapshot, from 1; 0 for the start
    double time;   // seconds since the start in free timing, else 0
};

// Why a run ended.
enum ek_ended {
    EK_ENDED_CRITERION,  // the stop criterion held
    EK_ENDED_ITSELF,     // a direct method was done; in free timing no processor invokes and nothing is under way
    EK_ENDED_STEPS,      // steps_max was reached
    EK_ENDED_OPERATIONS, // operations_max was reached
    EK_ENDED_TIME,       // seconds_max was reached
    EK_ENDED_INTERRUPT,  // ek_interrupt was called
    EK_ENDED_FROZEN,     // no load can move any more
    EK_ENDED_REPEATS,    // a state occurred again, and a state determines all that follows
    EK_ENDED_DIVERGES,   // the loads grew until rounding errors exceeded a millionth of all load
    EK_ENDED_GIVEN_UP,   // no limit was set, and for long the loads came no nearer to balance; this is no proof
    EK_ENDED_STUCK,      // the watchdog saw no progress
    EK_ENDED_VIOLATION,  // an invariant was violated
    EK_ENDED_DONE        // no task is left
};

// The distribution of a measured value; NaN if count is 0.
struct ek_quantiles {
    uint64_t count;
    double mean, median, p90, p99, maximum; // within 1 %; the maximum is exact
};

// A run whose load consists of tasks.
struct ek_tasks_report {
    uint64_t executed; // tasks
    uint64_t nodes;    // executed tasks that were not dropped
    bool has_result;
    uint64_t result;   // the sum or the least value, as the program says
    uint64_t cost;     // of all executed tasks, in units
    double speedup;    // cost divided by what one processor of capacity 1 executes in as many ticks, or in done_s
    double efficiency; // speedup divided by the sum of the capacities; in free timing: by the cores that worked
    bool has_ticks;    // rounds and turns:
    uint64_t ticks;
    double bound_ticks;     // no schedule of these tasks takes fewer ticks
    double idle_ticks;      // ticks in which a processor did not work: the mean of all processors
    double idle_ticks_most; // and the largest number of one processor
    bool has_shared;
    uint64_t shared_tick; // the first tick in which 95 % of the processors worked
    bool has_times;       // free timing and virtual time:
    double work_s;        // the time that processors worked, together; in free timing a time of cores, from samples
    double done_s;        // when the last task was executed
    double detection_s;   // from then on until the run knew that no task was left; NaN if it did not come to that
    uint64_t detection_messages; // for that; they are among `messages`
    bool has_bound;              // virtual time:
    double bound_s;              // no schedule of these tasks takes less time
    double idle_s;               // time until done_s in which a processor did not work: the mean of all processors
    double idle_most_s;          // and the longest of one processor
    double native_fraction;      // the part of the executed tasks that were executed where they were created
    uint64_t most_held;          // the most tasks that a processor held
    bool has_letters;            // the method writes letters:
    uint64_t requests;           // requests, and those that were refused
    uint64_t requests_failed;
    uint64_t letter_hops; // links that letters crossed
    uint32_t *picture;    // [picture_width * picture_height] with keep_picture, in rows from the bottom: what the tasks
                          // wrote as they were executed, 0 for a point that no task has computed; else NULL
    uint32_t picture_width, picture_height;
    uint32_t picture_most; // the largest value that a point can have
    bool has_search;       // branch and bound, and all tasks were executed:
    bool serial_unknown;   // one processor executes more than `serial_most` tasks of the same program
    uint64_t serial_most;
    uint64_t nodes_serial;  // else: the nodes that it searches, and how many times as many the run has searched
    double search_overhead; // NaN if unknown
};

// What a processor does, and what a profile has of each.
enum ek_profile_kind {
    EK_PROFILE_WORK,     // executing tasks
    EK_PROFILE_OVERHEAD, // rounds and turns: balancing in a tick that it had to leave out for that (axis working); else
                         // receiving and sending messages, and turns
    EK_PROFILE_IDLE,     // neither
    EK_PROFILE_TIMES,
    EK_PROFILE_EXECUTED = EK_PROFILE_TIMES, // tasks that it executed
    EK_PROFILE_CREATED,                     // tasks that it created, and its first ones
    EK_PROFILE_KINDS
};

// An interval of a run: in ticks in rounds and turns, else in seconds since the start.
struct ek_interval {
    double from, to;
};

// What processors did over time, with experiment.profile; in the unit of the intervals. These have the same length,
// but for the last one, which ends with the run. In free timing times are those of the cores, from samples, and a
// processor that waits for a core is idle.
struct ek_profile {
    uint32_t group;               // successive processors in a group; the last group may have fewer
    uint32_t groups;              // at most 1024, so a group is one processor in runs of up to 1024 processors
    struct ek_interval *interval; // [intervals]; NULL if there is no profile
    size_t intervals;
    double *time;      // [intervals * EK_PROFILE_TIMES * groups] the sum over the processors of each group, as
                       // time[(interval * EK_PROFILE_TIMES + kind) * groups + group]
    double *processor; // [EK_PROFILE_KINDS * processors] of the whole run, as processor[kind * processors + p]
};

// A file of a new placement of objects, which the axis `objects` can read.
struct ek_placement_file {
    char *name; // without a directory
    char *text;
};

// A run whose load consists of objects. Sizes and communications are in bytes.
struct ek_objects_report {
    uint64_t object_count;
    double imbalance_initial, imbalance; // the largest load divided by the mean, minus 1: at the start, at the end
    double edge_cut_initial, edge_cut;   // bytes that objects of different processors exchange
    uint64_t bytes_moved;                // the sizes of objects, summed over the links that they crossed
    uint64_t most_bytes;                 // of these, sent by one processor
    uint64_t objects_moved;              // crossings of a link
    double moved_once;                   // the part of the objects that moved at most once
    struct ek_placement_file *file;      // [file_count] with keep_placement, for the first run; else NULL
    size_t file_count;
};

// The effect of operations or spheres on the variance of their processors, the sum of (w - mean)^2 over these. `mean`
// is that of all load, in free timing at the start of the run.
struct ek_effect {
    uint64_t count;       // operations or spheres
    double before, after; // mean variance before and after
    double left;          // after / before
    double left_error;    // standard error of `left`
};

// Effects by how operations overlap. Two operations overlap if a processor takes part in both at once. A sphere is a
// set of operations that overlap, directly or through other operations.
struct ek_effects {
    struct ek_effect alone;                            // operations that overlap with none
    struct ek_effect overlapped;                       // each other operation, with the processors of its own domain
    struct ek_effect adjacent, one_shared, two_shared; // spheres of two operations (enum ek_overlap_kind)
    struct ek_effect many;                             // all other spheres
    uint64_t unknown;                                  // operations of which, or of whose overlaps, too little is known
};

// Why a processor waited.
enum ek_waiting {
    EK_WAIT_ANSWER, // for a neighbour's answer to its own operation
    EK_WAIT_PEER,   // for a neighbour's operation to end, with one port or exclusive domains
    EK_WAIT_ROOM,   // for room in a mailbox
    EK_WAIT_TURNED, // after a neighbour refused to take part
    EK_WAIT_IDLE,   // for something to do
    EK_WAITS
};

// Ranges of a histogram: the messages in a mailbox when it was emptied were 1, 2, 3-4, 5-8, 9-16, ...
enum { EK_DEPTHS = 8 };

// One direction of a link in free timing, as the receiver counted it.
struct ek_link_report {
    uint32_t from, to; // sender and receiver
    uint64_t messages, stalls;
    uint64_t depth_most;         // the most messages found in its mailbox at once
    double load;                 // load sent over it
    struct ek_quantiles latency; // seconds
};

// The load sent over a link in rounds or turns.
struct ek_flow_report {
    uint32_t from, to; // processors; `from` is the lower one
    uint32_t dimension, colour;
    double forth, back; // load sent by `from`, and by `to`
    double net;         // forth - back
};

// Counts of faults.
struct ek_faults_report {
    uint64_t link_failures, processor_failures, repairs;
    uint64_t returned;    // parcels that returned from failed links to their senders
    double load_returned; // the load in them
};

// The part of a report that free timing adds. Times are in seconds.
struct ek_free_report {
    uint64_t audits;             // snapshots that were complete and agreed with the ledger
    double audit_interval;       // mean time between them
    double reached_s;            // begin of the first snapshot since which the criterion has held; NaN if there is none
    double reached_window_s;     // time between the last snapshot in which it did not hold, or the start, and reached_s
    double reached_operations;   // operations that had ended at that snapshot
    struct ek_quantiles latency; // of messages, from the sender's put to the receiver's take
    struct ek_quantiles operation_time;
    double longest_wait;               // the longest time from wanting an operation to the first answer
    uint64_t refusals;                 // requests to take part that were refused
    uint64_t abandoned;                // attempts at an operation in which no neighbour took part; they do not count
    uint64_t engagements;              // neighbours that took part in operations, summed over the operations
    uint64_t overlaps;                 // engagements of neighbours that were in another operation at the same time
    uint64_t overlap_most;             // the most operations in which one processor was at once
    double asked, got;                 // load requested over links that did not fail, and how much of it came
    uint64_t stale;                    // requests of which the neighbour had too little
    struct ek_quantiles stale_age;     // for these, the time from the announcement of the load to the request
    struct ek_quantiles announced_age; // pushed loads: the time from the announcement to the gift that it caused
    uint64_t logged, log_lost;         // operations in the log at the end, and operations that it had no room for
    uint64_t spheres_sampled;          // instants at which spheres were counted
    double spheres;                    // mean number of spheres at an instant
    struct ek_quantiles sphere_operations, sphere_processors, sphere_time; // of a sphere
    struct ek_quantiles delay_asked, delay_realised; // delays of messages as the axis says, and as measured
    unsigned mailbox_capacity;                       // messages
    uint64_t depth[EK_DEPTHS];
    uint64_t depth_most;                                      // the most messages found in a mailbox at once
    uint64_t stalls;                                          // messages that waited because a mailbox was full
    uint64_t turns, empty_turns;                              // turns of processors, and those without anything to do
    uint64_t sleeps, wakes;                                   // sleeps of workers, and those that a neighbour ended
    uint64_t switches_voluntary, switches_forced, migrations; // context switches of workers, as the system counts
    double waited[EK_WAITS];                                  // processor-seconds by cause
    struct ek_faults_report faults;
    double fault_lag;  // the longest delay of a failure or repair after its time
    bool has_counters; // the following are valid: there are hardware counters, and the library was built with PAPI
    uint64_t cycles, instructions, cache_misses;
    bool has_recorder;           // the run was recorded, and the following are valid
    uint64_t recorder_waits;     // times that a worker waited because the recorder had not yet written
    double recorder_waited;      // worker-seconds
    struct ek_link_report *link; // [link_count] by direction, with keep_links; else NULL
    size_t link_count;
    char *dump; // the state of the processors when the watchdog or a violation ended the run, or NULL
};

// The report of a run. Names are as in the JSON report (docs/report.md). NaN means "not measured". A field below a
// `has_...` is valid only if that is true.
struct ek_report {
    uint64_t seed;
    enum ek_ended ended;
    bool converged;
    bool hopeless; // at the end the loads had come no nearer to balance for long; this is no proof
    char why[416]; // a sentence that says why the run has not converged; "" if the other fields say it
    uint64_t operations;
    uint64_t invocations; // processors that invoked, summed over the operations
    uint64_t steps;
    double variance_initial;
    double variance_final; // sum of (w - mean)^2; `mean` is that of all load, also of the load in flight
    double error_initial;  // 2-norm of the differences of each held load from the processor's share by capacity
    double error_final;
    double factor; // mean factor by which an operation reduced the distance from balance; NaN if unknown
    double spread_final;
    double minimum;
    double maximum;
    double total_initial;
    double total_final; // held and in flight
    double held_final;
    double mean_final; // of the held loads
    double generated;
    double consumed;
    double unmet; // load that was to be consumed but was not there
    double in_flight;
    double minimum_ever;
    uint64_t parcels;         // messages with a positive amount of load
    double moved;             // load sent over links, summed
    bool has_stayed;          // tokens and objects:
    double stayed;            // those that never left their first processor, including tokens consumed there
    bool has_scan;            // dde, twa:
    uint64_t scan_steps;      // steps with information only
    bool has_exchange;        // dde, twa:
    uint64_t exchange_steps;  // steps with load only
    bool has_reduction;       // ded:
    uint64_t reduction_steps; // steps that learn by messages what the paper takes as known; not part of `steps`
    bool has_shifts;          // nna: `shifts`, below
    bool has_steps_paper;     // the method's paper counts other steps than `steps`:
    uint64_t steps_paper;
    char steps_paper_counts[128]; // a sentence that says what the paper counts
    bool has_cycle;               // the run ended because a state occurred again:
    uint64_t cycle;               // after so many operations
    double shifts;                // the largest amount up plus the largest amount down, summed over the operations
    double flow_l1;               // norms of the net flow per link; NaN with no_flows
    double flow_l2;
    bool has_effects; // free timing with equal capacities and loads that are not pushed; rounds with overlaps:
    struct ek_effects effects;
    bool has_faults; // rounds and turns with faults:
    struct ek_faults_report faults;
    uint64_t messages;       // announcements and parcels
    uint64_t idle;           // processors without load at the end
    double elapsed_s;        // time of the run, without preparation, report and, unless timing is free, the observer
    unsigned workers;        // threads that carried the processors
    bool has_ranks;          // ranks carried the processors:
    enum ek_blocks blocks;   // the kind of a rank's part
    uint64_t cut;            // links between ranks
    uint64_t cut_in_order;   // links between ranks if these had blocks in the order of processors
    bool has_window;         // over the part of the run that the axis window selects:
    uint64_t window_moments; // moments at which the loads were measured
    double bound;            // the largest difference of a load from the mean of all load
    double variance_mean, variance_most;
    double *initial;            // [processors] with keep_loads, else NULL
    double *final;              // [processors] with keep_loads, else NULL
    struct ek_trace_row *trace; // [trace_count] with keep_trace, else NULL
    size_t trace_count;
    struct ek_frame *frame; // [frame_count] with frames, the start first and the end last; else NULL
    double *frame_load;     // [frame_count * processors] the loads held at each of these moments
    size_t frame_count;
    struct ek_flow_report *flow; // [flow_count] by link, with keep_links in rounds and turns; else NULL
    size_t flow_count;
    double *quota; // [quota_dimensions * processors] for dde and twa with keep_links: the load that each processor is
                   // to hold after each dimension, NaN if that was not settled; else NULL
    size_t quota_dimensions;
    bool timed; // free and virtual timing: time counts in seconds, and `free` is valid
    struct ek_free_report free;
    bool has_virtual;  // virtual timing; rounds without delays:
    double virtual_s;  // end of the last turn that received or sent a message; with seconds_max that time
                       // in rounds the time of all steps, each as long as its slowest processor
    bool has_windows;  // virtual timing:
    uint64_t windows;  // windows in which some processor had a turn
    double window_s;   // duration of a window
    uint64_t events;   // turns and messages
    double busy_s;     // processor-seconds in turns, with seconds_max until that time
    double overhead_s; // of which for sending and receiving messages
    double idle_s;     // processor-seconds without a turn, until virtual_s or the end of a processor's last turn
    bool has_tasks;    // load consists of tasks:
    struct ek_tasks_report tasks;
    bool has_objects; // load consists of objects:
    struct ek_objects_report objects;
    bool has_discrepancy;     // capacities differ, or the stop criterion is `discrepancy`:
    double discrepancy_final; // largest minus smallest load, each divided by its processor's capacity
    bool has_estimates; // the method estimates the mean load: the mean of the estimates, their largest difference,
                        // and the 2-norm of their distances from the mean load
    double estimate_mean, estimate_spread, estimate_error;
    struct ek_profile profile; // its arrays are NULL unless experiment.profile asks for it
};

// Reads and checks an experiment, builds the topology, and checks that the system has the threads and the memory for a
// run. Starts nothing. Returns NULL with `error` filled on failure.
EK_API struct ek_machine *ek_prepare_sized(const struct ek_experiment *experiment, size_t size, struct ek_error *error);
static inline struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error)
{
    return ek_prepare_sized(experiment, sizeof *experiment, error);
}
EK_API void ek_machine_destroy(struct ek_machine *machine);

// Return the topology. The outline may have no arrays (`first` and all members down to `colour_first` are NULL): if its
// links follow from the numbers of the processors, a run may compute them. ek_machine_topology then makes a topology
// with arrays at the first call, and returns NULL if there is no memory for it.
EK_API const struct ek_topology *ek_machine_topology(const struct ek_machine *machine);
EK_API const struct ek_topology *ek_machine_outline(const struct ek_machine *machine);

EK_API const struct ek_method *ek_machine_method(const struct ek_machine *machine);

// Returns whether the method ends a run after a fixed number of operations.
EK_API bool ek_machine_direct(const struct ek_machine *machine);

// Returns the method's parameter, the paper's lambda or alpha; NaN if it has none.
EK_API double ek_machine_parameter(const struct ek_machine *machine);

// Returns a sentence that the user should read before the run, or "".
EK_API const char *ek_machine_warning(const struct ek_machine *machine);

// Returns the effective value of axis `index` as text: the user's value, the default, or what the machine has chosen. A
// time is written in seconds, a switch as true or false; an axis of numbers without a value is "". The text is valid as
// long as the machine.
EK_API const char *ek_machine_axis(const struct ek_machine *machine, size_t index);

// Returns whether axis `index` has another value than its default.
EK_API bool ek_machine_given(const struct ek_machine *machine, size_t index);

// Returns whether the machine depends on the experiment's seed: a random topology, or drawn capacities. Run r of such a
// machine differs from run 0 of a machine prepared with seed + r.
EK_API bool ek_machine_drawn(const struct ek_machine *machine);

// Gives the experiment another seed, as if it had been prepared with this seed. Returns false and changes nothing if
// the machine depends on the seed: prepare another one then.
EK_API bool ek_machine_reseed(struct ek_machine *machine, uint64_t seed);

// Runs run `run` (from 0) of the experiment and blocks until it ends. Calls `progress`, unless it is NULL, about ten
// times a second from this thread. Fills the report, and returns
//  * EK_OK if the run converged, or ended as the user wanted,
//  * EK_UNREACHED if it ended before its criterion was reached,
//  * another status with `error` filled.
EK_API enum ek_status ek_run_sized(struct ek_machine *machine, uint64_t run, struct ek_report *report, size_t size,
                                   void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                                   struct ek_error *error);
static inline enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                                    void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                                    struct ek_error *error)
{
    return ek_run_sized(machine, run, report, sizeof *report, progress, context, error);
}

// Frees a report's arrays and sets their pointers to NULL.
EK_API void ek_report_destroy_sized(struct ek_report *report, size_t size);
static inline void ek_report_destroy(struct ek_report *report)
{
    ek_report_destroy_sized(report, sizeof *report);
}

// Returns the effects of the operations of `count` runs together. The standard errors are computed from the differences
// between runs; a single run keeps its own.
EK_API struct ek_effects ek_effects_pool_sized(const struct ek_report *runs, size_t size, size_t count);
static inline struct ek_effects ek_effects_pool(const struct ek_report *runs, size_t count)
{
    return ek_effects_pool_sized(runs, sizeof *runs, count);
}

// Ends the machine's runs that are under way, each at its next step. Later runs are not affected. May be called in a
// signal handler.
EK_API void ek_interrupt(struct ek_machine *machine);

// Agrees with the other ranks on whether to go on. Every rank must call it, with `good` false if something is wrong in
// that rank. If `good` was true in all ranks, returns true in all of them. Otherwise returns false in all of them, with
// the `error` of the first rank in which `good` was false. A program that makes several runs calls it before each run
// if a rank may want to stop. Returns `good` if `ranks` is NULL.
EK_API bool ek_ranks_agree(const struct ek_ranks *ranks, bool good, struct ek_error *error);

// Methods, families and programs that a shared object exports under the name `evenkeel_plugin`, for `evenkeel --plugin
// FILE.so` or any program that opens the object. The object is not linked with the library; functions of the library
// that it calls are those of the program. Its structs must stay valid.
struct ek_plugin {
    const char *version;                      // EK_VERSION; it must equal the library's, as structs may change with it
    const struct ek_method *const *methods;   // ended by NULL; or NULL if there are none
    const struct ek_family *const *families;  // ended by NULL; or NULL if there are none
    const struct ek_program *const *programs; // ended by NULL; or NULL if there are none
};
extern EK_API const struct ek_plugin evenkeel_plugin; // the plugin defines it; the library does not

// Registers what a plugin has, as ek_method_register, ek_family_register and ek_program_register do. Returns false with
// `error` filled at the first that is refused; those before it stay registered.
EK_API bool ek_plugin_register(const struct ek_plugin *plugin, struct ek_error *error);

// The limits of this system. A number that is not known is 0, a text "".
struct ek_limits {
    unsigned cores;            // processing units that the calling thread may use
    unsigned cores_total;      // processing units of the computer
    char cores_bound[128];     // what keeps the thread from the others, e.g. "the CPU mask (0-3)"
    char processor[96];        // the processor's name
    uint64_t memory_free;      // bytes that may still be used
    uint64_t memory_total;     // bytes of the computer
    const char *memory_bound;  // the limit that sets memory_free, e.g. "the control group's memory limit"
    bool memory_mapped;        // this limit counts mapped memory, used or not, as ulimit -v does
    uint64_t threads_max;      // threads that a run can have
    const char *threads_bound; // the limit that sets threads_max, e.g. "pid_max"
    uint64_t maps_max;         // vm.max_map_count
    bool real_time;            // SCHED_FIFO is permitted
    char counters[96];         // why there are no hardware counters; "" if there are
};
EK_API void ek_limits_read_sized(struct ek_limits *limits, size_t size);
static inline void ek_limits_read(struct ek_limits *limits)
{
    ek_limits_read_sized(limits, sizeof *limits);
}

// The convergence factor of this machine's method on its topology.
struct ek_theory {
    bool has_exact, has_closed;
    double gamma_exact;    // convergence factor of one operation: variance shrinks by its square
    double gamma_closed;   // the paper's closed form
    double parameter;      // lambda or alpha
    double parameter_best; // the best parameter for this topology; NaN if unknown
    double operations;     // predicted from the load of run 0 until the criterion variance or error holds; NaN if
                           // gamma_exact is not below 1, and for another criterion
    double steps;          // the same in steps
    char note[400];        // why the two factors differ, or what could not be found; else ""
    bool incomplete;       // memory was short, and a number may be missing for that reason only
};
EK_API void ek_theory_find_sized(const struct ek_machine *machine, struct ek_theory *theory, size_t size);
static inline void ek_theory_find(const struct ek_machine *machine, struct ek_theory *theory)
{
    ek_theory_find_sized(machine, theory, sizeof *theory);
}

// Returns whether ek_theory_find takes about a second at most. Without a closed form and with more than some thousand
// processors it takes minutes.
EK_API bool ek_theory_soon(const struct ek_machine *machine);

// Finds facts about the runs that are known before a run: at most EK_FACTS_MAX, of which the first `room` are written.
// Returns their number. The function takes about a second at most. A fact that could not be found in this time says so.
// If memory was short there is a fact called "facts_missing".
enum { EK_FACTS_MAX = 32 };
EK_API size_t ek_facts_find(const struct ek_machine *machine, struct ek_fact *facts, size_t room);

#endif
