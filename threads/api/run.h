// SPDX-License-Identifier: MIT
// HOW an experiment runs: one emulated machine, prepared once, run as often as asked. Third part of <evenkeel.h>.
#ifndef EK_RUN_H
#define EK_RUN_H

#include "core/method.h"

// Returns the library's version, as "0.1.0".
EK_API const char *ek_version(void);

// Returns the EK_API_VERSION of the library. If it is lower than the header's, the library does not know the newest
// fields: ek_prepare refuses an experiment that sets one, and in reports these fields are 0.
EK_API unsigned ek_api_version(void);

struct ek_recorder; // below
struct ek_ranks;    // below

// Who looks on at a run. `look` is called in rounds and turns at the start and after every step, while all processors
// wait; in free timing at every snapshot, while they go on. It is told what the trace would have (`row`, by
// experiment.every too, but never thinned) and what each processor holds (loads[0 .. processors-1]; with row->in_flight
// it is all load). Both are good during the call. A row whose step is not above the last one's takes the place of all
// rows from that step on: a step that counts apart shows its result once more, and an operation can turn out to have
// been none. It may call ek_interrupt. A run takes the longer for it, but what it computes is the same.
//
// Who is to look now and then, whatever the step, has `wants`, which is asked at each step or snapshot in the place of
// experiment.every, by the same threads: it must be quick, and while it says no a run costs no more than alone.
struct ek_trace_row;
struct ek_observer {
    void (*look)(void *context, const struct ek_trace_row *row, const double *loads, uint32_t processors);
    void *context;
    bool (*wants)(void *context); // or NULL
};

// An experiment: each axis as it is written on the command line, or as a number. NULL and 0 mean the default of its row
// (ek_axis_at). All text must stay alive until ek_prepare returns.
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
    uint64_t seed;  // of the first run; run r has seed + r
    uint64_t every; // the trace takes every so many-th step
    bool unpinned;
    bool overlaps;      // rounds: the report has what operations did to their domains, by how they overlap
    const char *window; // over what part of the run the bounds of loads and variance are taken
    bool keep_links;    // the report has what each link carried; in free timing what each direction of it did
    bool no_flows;      // leave out the net flow over each link: 8 bytes a port less, and faster
    uint64_t frames;    // the report has all loads at so many moments at most; 0: none

    // What a report is to have, beside what the axes say.
    bool keep_loads;   // the initial and the final loads
    bool keep_trace;   // the trace
    size_t trace_rows; // thin the trace to at most so many rows (at least 2), by doubling `every`; 0: no limit
    struct ek_reader reader;

    // What a program has at hand, in the place of specs. Arrays must stay alive until ek_prepare returns.
    const struct ek_graph *graph; // if not NULL, the topology; `topology` is what it is called, "graph" if NULL
    const double *loads;          // [loads_count] if not NULL, the load, by processor: finite, not negative, in tokens
    size_t loads_count;           // whole; `load` is what it is called, "array" if NULL
    struct ek_observer observer;  // who looks on; nobody where `look` is NULL

    // Free timing: who gets what the workers see, in pieces, or NULL. With the experiment that is all that it takes to
    // make the run again (ek_replay_begin).
    const struct ek_recorder *recorder;

    // The processes that carry this experiment together, for `carrier` mpi alone; else NULL.
    const struct ek_ranks *ranks;

    // Free timing: nobody carries it but the caller's thread, which explores schedules of it, or makes it again
    // (ek_explore_begin, ek_replay_begin). So no threads are counted to what it takes, and ek_run refuses.
    bool by_caller;
};

// Is handed the bytes of one worker's tape, piece after piece, by a thread of the run's own; those of different workers
// come in between each other. False ends the run.
struct ek_recorder {
    bool (*write)(void *context, unsigned worker, const uint8_t *bytes, size_t count);
    void *context;
};

// Another rank that this one has links to, and how many doubles it sends to it, and brings from it, at a time.
struct ek_rank_peer {
    unsigned rank;
    size_t sends, brings;
};

// A graph for ranks to cut, in compressed rows: what vertex v has links to is neighbour[first[v] .. first[v + 1] - 1],
// and links[i] how many. A vertex stands for some successive processors.
struct ek_rank_graph {
    int32_t vertices;
    const int32_t *first;      // [vertices + 1]
    const int32_t *neighbour;  // by place in the rows
    const int32_t *links;      // by place in the rows
    const int32_t *processors; // by vertex
};

// How the processors were divided: into blocks in their order, boxes of a product, or parts that the ranks cut.
enum ek_blocks { EK_BLOCKS_IN_ORDER, EK_BLOCKS_BOXES, EK_BLOCKS_PARTS };

// The ranks that carry one experiment together, a process each: what `--carrier mpi` has from MPI, or who stands in for
// it. Each is given the same experiment but for `ranks`, prepares it, and runs the same runs; each gets the whole
// report, and what fails in one ends all with its error. A rank that ek_interrupt is called for ends the run of all. In
// free timing the first rank's observer alone looks on.
//
// The functions are called by one thread at a time: ek_prepare's and ek_run's caller, and a run's own. All ranks call
// the same ones in the same order, and none returns before what it brings is there. False: another rank does not
// answer any more, and the run ends.
struct ek_ranks {
    unsigned rank, count; // this one, of so many
    // Brings what all have: rank r's `bytes` to all + r * bytes. `own` may be its place in `all`.
    bool (*gather)(void *context, const void *own, void *all, size_t bytes);
    // Brings the other ranks' parts of an array: rank r's are array[from[r] .. from[r + 1] - 1].
    bool (*collect)(void *context, double *array, const size_t *from);
    // Brings `out` to the peers, and what they have into `in`: peer after peer in both.
    bool (*exchange)(void *context, const struct ek_rank_peer *peer, size_t peers, const double *out, double *in);
    // NULL, or cuts a graph into `count` parts with about as many processors each and few links between them: part[v],
    // from 0 to count - 1, is vertex v's. Each rank does it by itself, and all must come to the same. False: it cannot.
    bool (*divide)(void *context, const struct ek_rank_graph *graph, int32_t *part);
    void *context;
};

// The timings, as bits: those in which an axis means something.
enum { EK_IN_ROUNDS = 1, EK_IN_TURNS = 2, EK_IN_FREE = 4, EK_IN_ALL = 7 };

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

// What an axis is about.
enum ek_role {
    EK_ROLE_SUBJECT, // what is balanced, where and how
    EK_ROLE_SETTING, // how it differs from the papers' plain case: everybody at once, nothing that comes or goes
    EK_ROLE_END,     // when a run ends
    EK_ROLE_MACHINE, // what carries it: no influence on what is computed in rounds
    EK_ROLE_REPORT   // what is drawn and reported
};

// An axis of experiments: one row makes its option, its line in help, manual page and list, and its field in reports.
struct ek_axis {
    const char *option; // as on the command line: "link-limit"
    const char *field;  // as in reports: "link_limit"; NULL: each run has a field of its own for it
    enum ek_role role;
    const char *form;    // what its value looks like; NULL for a switch
    const char *initial; // its default as text; NULL: there is none
    const char *help;    // one line
    const char *more;    // for the manual page, or NULL
    enum ek_axis_kind kind;
    size_t place;              // in struct ek_experiment
    uint64_t minimum, maximum; // of a whole number
    unsigned timings;          // where it means something: EK_IN_ROUNDS | ...
    const char *otherwise;     // what a user is told to do where it does not, or NULL
};

// Axis `index`, or NULL past the last; the one with this option, or NULL.
enum { EK_AXES_MAX = 48 };
EK_API const struct ek_axis *ek_axis_at(size_t index);
EK_API const struct ek_axis *ek_axis_named(const char *option);

// Sets an axis of an experiment from text, which must stay alive as long as the experiment is used. False and `error`
// where it is no number of the axis' kind; what is wrong in a spec, ek_prepare says. `values` is the struct that
// axis->place is in: the experiment, or for options of a program's own, written as such rows, its own struct.
EK_API bool ek_axis_set(const struct ek_axis *axis, void *values, const char *text, struct ek_error *error);

// Value `index` that an axis can have, as a list shows it; NULL past the last, and for an axis of numbers.
EK_API const struct ek_choice *ek_axis_choice(const struct ek_axis *axis, size_t index);

// A machine that is ready to run: parsed, checked against the limits, topology built.
struct ek_machine;

// What a run has done so far, for a progress line.
struct ek_progress {
    uint64_t steps;
    uint64_t operations;
    double variance; // at the last test of the stop criterion, NaN before
    double elapsed_s;
};

struct ek_trace_row {
    uint64_t step;
    double variance; // sum of (w_i - mean)^2
    double spread;   // largest - smallest load
    double minimum;
    double maximum;
    double moved;      // so far
    uint64_t invokers; // processors that invoked the operation under way; in free timing those with one open
    double time;       // seconds since the start, in free timing; else 0
    double in_flight;  // load under way on links then
    double error;      // 2-norm of the held loads' distance from each processor's share by capacity
    double mean;       // of the held loads
    double deviation;  // the largest distance of a load from the mean of all load
    double normalised_cost;
    double local_fraction; // in tokens, else NaN
    uint64_t invocations;  // so far
    uint64_t messages;     // so far; a record has their sum alone
};

// A moment of which a report has the loads.
struct ek_frame {
    uint64_t step; // in free timing the number of the snapshot, 0 for the start
    double time;   // seconds since the start, in free timing; else 0
};

// Why a run ended.
enum ek_ended {
    EK_ENDED_CRITERION,  // the stop criterion held
    EK_ENDED_ITSELF,     // a direct method; in free timing nobody invokes and nothing is under way
    EK_ENDED_STEPS,      // --steps
    EK_ENDED_OPERATIONS, // --operations
    EK_ENDED_TIME,       // --for
    EK_ENDED_INTERRUPT,  // ek_interrupt
    EK_ENDED_FROZEN,     // nothing will ever move any more
    EK_ENDED_REPEATS,    // the state is one that was before, and determines all that follows
    EK_ENDED_DIVERGES,   // the loads have grown until rounding made or lost a millionth of all load
    EK_ENDED_GIVEN_UP,   // it has come no nearer to balance for long, and no limit was given: a suspicion
    EK_ENDED_STUCK,      // no progress for too long: the watchdog
    EK_ENDED_VIOLATION   // an invariant was violated
};

// What is known of many measured values; NaN where there was none.
struct ek_quantiles {
    uint64_t count;
    double mean, median, p90, p99, maximum; // exact to 1 %; the maximum exactly
};

// What became of a sum of (w - mean)^2 over the processors of domains, averaged over so many; `mean` is that of all
// load, in free timing at the start.
struct ek_effect {
    uint64_t count;
    double before, after; // means
    double left;          // after / before
    double left_error;    // its standard error
};

// What operations did to the variance of their domains. Operations that overlap, and those that overlap with these, are
// a sphere: two overlap where a processor is in both at once.
struct ek_effects {
    struct ek_effect alone;                            // those that overlap with none
    struct ek_effect overlapped;                       // each of the others, with its own domain
    struct ek_effect adjacent, one_shared, two_shared; // spheres of two: neighbours, or who share so many
    struct ek_effect many;                             // all other spheres
    uint64_t unknown;                                  // operations of which, or of whose overlaps, too little is known
};

// Why a processor waited.
enum ek_waiting {
    EK_WAIT_ANSWER, // for an answer of a neighbour to its own operation
    EK_WAIT_PEER,   // one port, or an exclusive domain: for a neighbour's operation to end
    EK_WAIT_ROOM,   // for room in a mailbox
    EK_WAIT_TURNED, // after it was refused
    EK_WAIT_IDLE,   // for something to do
    EK_WAITS
};

enum { EK_DEPTHS = 8 }; // how many messages lay in a mailbox that was emptied: 1, 2, 3-4, 5-8, 9-16, ...

// One direction of a link, as its receiver saw it.
struct ek_link_report {
    uint32_t from, to;
    uint64_t messages, stalls;
    uint64_t depth_most; // found in its mailbox at once
    double load;         // over it
    struct ek_quantiles latency;
};

// What went over a link of a run of rounds or turns; `from` is the lower end.
struct ek_flow_report {
    uint32_t from, to;
    uint32_t dimension, colour;
    double forth, back; // the load sent from `from`, and from `to`
    double net;         // forth less back
};

// What failed and came back, where there are faults.
struct ek_faults_report {
    uint64_t link_failures, processor_failures, repairs;
    uint64_t returned; // parcels sent back from failed links
    double load_returned;
};

// What free timing adds to a report. Times are in seconds.
struct ek_free_report {
    uint64_t audits;             // snapshots that were complete and agreed with the ledger
    double audit_interval;       // mean time between them
    double reached_s;            // when the first snapshot began since which the criterion has held; NaN: it does not
    double reached_window_s;     // that long before, in a snapshot or at the start, it did not hold yet
    double reached_operations;   // operations ended at that snapshot
    struct ek_quantiles latency; // of messages, from the put to the take
    struct ek_quantiles operation_time;
    double longest_wait;               // until an operation that was wanted began with an answer
    uint64_t refusals;                 // asks that were refused
    uint64_t abandoned;                // attempts at one in which nobody took part: they are no operations
    uint64_t engagements;              // neighbours taken into operations
    uint64_t overlaps;                 // of them those that were in another operation then
    uint64_t overlap_most;             // operations that one processor was in at once
    double asked, got;                 // load asked of neighbours, and how much of it was still there
    uint64_t stale;                    // times that less was there than asked
    struct ek_quantiles stale_age;     // time from the announcement to the request, of those
    struct ek_quantiles announced_age; // where loads are pushed: from the announcement to the gift upon it
    uint64_t logged, log_lost;         // operations in the log at the end, and those that it had no room for
    uint64_t spheres_sampled;          // instants at which the log was cut for spheres
    double spheres;                    // mean number at an instant
    struct ek_quantiles sphere_operations, sphere_processors, sphere_time; // of a sphere
    struct ek_quantiles delay_asked, delay_realised;
    unsigned mailbox_capacity;
    uint64_t depth[EK_DEPTHS];
    uint64_t depth_most;                                      // most messages found in a mailbox at once
    uint64_t stalls;                                          // messages kept because a mailbox was full
    uint64_t turns, empty_turns;                              // turns of processors, and those without anything to do
    uint64_t sleeps, wakes;                                   // of workers: sleeps, and those ended by a neighbour
    uint64_t switches_voluntary, switches_forced, migrations; // of workers, by the system's count
    double waited[EK_WAITS];                                  // processor-seconds by cause
    struct ek_faults_report faults;
    double fault_lag;  // most that a failure or repair came after its time
    bool has_counters; // the machine has hardware counters, and PAPI was there at build time:
    uint64_t cycles, instructions, cache_misses;
    bool has_recorder;           // the run was recorded:
    uint64_t recorder_waits;     // times that a worker waited until what it had seen was written down
    double recorder_waited;      // worker-seconds
    struct ek_link_report *link; // [link_count] by direction, with keep_links; else NULL
    size_t link_count;
    char *dump; // what the watchdog or a violation found, or NULL
};

// Names as in the JSON report (docs/report.md). Counts are whole; NaN stands for "not measured".
struct ek_report {
    uint64_t seed;
    enum ek_ended ended;
    bool converged;
    bool hopeless; // at the end it had come no nearer to balance for long: a suspicion
    char why[416]; // where it has not converged: why, as a sentence; "" where there is no more to say
    uint64_t operations;
    uint64_t invocations; // processors that invoked, summed over the operations
    uint64_t steps;
    double variance_initial;
    double variance_final; // from the mean of all load, also what is in flight
    double error_initial;  // 2-norm of the held loads' distance from each processor's share by capacity
    double error_final;
    double factor; // what an operation left of the distance from balance, on the mean; NaN where not known
    double spread_final;
    double minimum;
    double maximum;
    double total_initial;
    double total_final; // held and in flight
    double held_final;
    double mean_final; // of the held loads
    double generated;
    double consumed;
    double unmet; // what was to be consumed and was not there
    double in_flight;
    double minimum_ever;
    uint64_t parcels;         // sent, each with a positive amount
    double moved;             // load over links, summed
    bool has_stayed;          // tokens only:
    double stayed;            // tokens that never left their first processor, those consumed there included
    bool has_scan;            // dde, twa:
    uint64_t scan_steps;      // information only
    bool has_exchange;        // dde, twa:
    uint64_t exchange_steps;  // tasks only
    bool has_reduction;       // ded:
    uint64_t reduction_steps; // what the paper takes for granted, done with messages; not in `steps`
    bool has_shifts;          // nna:
    bool has_steps_paper;     // where the method's paper counts other steps than `steps`:
    uint64_t steps_paper;
    char steps_paper_counts[128]; // what it counts, as a sentence
    bool has_cycle;               // it ended since a state came back:
    uint64_t cycle;               // after so many operations
    double shifts;                // per operation the largest amount up plus the largest down, summed
    double flow_l1;               // norms of the net flow per link; NaN with no_flows
    double flow_l2;
    bool has_effects; // free timing with loads alike, and rounds with overlaps:
    struct ek_effects effects;
    bool has_faults; // rounds and turns with faults:
    struct ek_faults_report faults;
    uint64_t messages;       // announcements and parcels
    uint64_t idle;           // processors without load at the end
    double elapsed_s;        // of the run alone
    unsigned workers;        // threads that carried the processors
    bool has_ranks;          // by ranks:
    enum ek_blocks blocks;   // what each of them had
    uint64_t cut;            // links between them
    uint64_t cut_in_order;   // as many as there would be between blocks in the order of processors
    bool has_window;         // over the part of the run that --window says:
    uint64_t window_moments; // at which the loads were measured
    double bound;            // the largest distance of a load from the mean of all load
    double variance_mean, variance_most;
    double *initial;            // [processors] with keep_loads, else NULL
    double *final;              // [processors] with keep_loads, else NULL
    struct ek_trace_row *trace; // [trace_count] with keep_trace, else NULL
    size_t trace_count;
    struct ek_frame *frame; // [frame_count], the start first and the end last, with frames; else NULL
    double *frame_load;     // [frame_count * processors]: the loads held then
    size_t frame_count;
    struct ek_flow_report *flow; // [flow_count] by link, with keep_links in rounds and turns; else NULL
    size_t flow_count;
    double *quota; // [quota_dimensions * processors] of dde and twa with keep_links, by dimension and then by
                   // processor: what it is to hold after that dimension, NaN where that was not settled; else NULL
    size_t quota_dimensions;
    bool timed; // free timing:
    struct ek_free_report free;
};

// Parses and checks the whole experiment, builds the topology, asks the system for what the run will need. NULL and
// `error`: nothing was started.
EK_API struct ek_machine *ek_prepare_sized(const struct ek_experiment *experiment, size_t size, struct ek_error *error);
static inline struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error)
{
    return ek_prepare_sized(experiment, sizeof *experiment, error);
}
EK_API void ek_machine_destroy(struct ek_machine *machine);
EK_API const struct ek_topology *ek_machine_topology(const struct ek_machine *machine);
EK_API const struct ek_method *ek_machine_method(const struct ek_machine *machine);
EK_API bool ek_machine_direct(const struct ek_machine *machine);      // the method ends by itself
EK_API double ek_machine_parameter(const struct ek_machine *machine); // NaN where the method has none

// What is to be known before it runs, as a sentence; "" where there is nothing.
EK_API const char *ek_machine_warning(const struct ek_machine *machine);

// The effective value of axis `index`, as text: what was asked for, the default, or what the machine has chosen. A
// number is written as one, a time in seconds, a switch as true or false; "" where an axis of numbers has no value. It
// stays alive with the machine.
EK_API const char *ek_machine_axis(const struct ek_machine *machine, size_t index);

// Whether axis `index` was given another value than its default.
EK_API bool ek_machine_given(const struct ek_machine *machine, size_t index);

// Whether the machine itself was drawn from the experiment's seed: a random topology, or drawn capacities. Run r of
// such a machine is not run 0 of seed + r: for that, prepare another.
EK_API bool ek_machine_drawn(const struct ek_machine *machine);

// Gives the experiment another seed, as if it had been prepared with it. False, and nothing is changed, where the
// machine was drawn: prepare another.
EK_API bool ek_machine_reseed(struct ek_machine *machine, uint64_t seed);

// Run `run` (from 0) of the experiment. Blocks until it ends. `progress`, if not NULL, is called by this thread about
// ten times a second. Returns EK_OK, EK_UNREACHED (with a report all the same), or another status with `error`.
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

// Returns the effects of the operations of `count` runs together. The standard errors are by how the runs differ; a
// single run keeps its own.
EK_API struct ek_effects ek_effects_pool_sized(const struct ek_report *runs, size_t size, size_t count);
static inline struct ek_effects ek_effects_pool(const struct ek_report *runs, size_t count)
{
    return ek_effects_pool_sized(runs, sizeof *runs, count);
}

// Ends the machine's runs that are under way, each at its next step; one that begins later is not meant. Safe in a
// signal handler.
EK_API void ek_interrupt(struct ek_machine *machine);

// Says to the other ranks whether all is `good` here, and hears it from them: false in all where it is not in one, with
// the `error` of the first such. All must ask, and do the same then: so do those that make several runs, before each,
// where one may want to stop. Without ranks (NULL) it answers `good`.
EK_API bool ek_ranks_agree(const struct ek_ranks *ranks, bool good, struct ek_error *error);

// What a plugin exports by the name `evenkeel_plugin`: methods and families of its own, for `evenkeel --plugin FILE.so`
// or any program that opens it. It is plain data, and is not linked with the library: what it calls of it, the program
// has. Its structs must stay alive.
struct ek_plugin {
    const char *version;                     // EK_VERSION: it must be the library's, as the structs may change with it
    const struct ek_method *const *methods;  // ended by NULL; NULL where it has none
    const struct ek_family *const *families; // the same
};
extern EK_API const struct ek_plugin evenkeel_plugin; // for the plugin's definition; the library has none

// Registers all that a plugin has, as ek_method_register and ek_family_register do; its methods need a title. False and
// `error` at the first that is refused, with those before it registered.
EK_API bool ek_plugin_register(const struct ek_plugin *plugin, struct ek_error *error);

// What this system allows, for `doctor` and for refusals. 0 or "" where it is not known.
struct ek_limits {
    unsigned cores;            // processing units that the calling thread was given
    unsigned cores_total;      // of the machine
    char cores_bound[128];     // what keeps it from the others, e.g. "the CPU mask (0-3)"
    char processor[96];        // its name
    uint64_t memory_free;      // bytes that may still be used
    uint64_t memory_total;     // bytes of the machine
    const char *memory_bound;  // which limit binds, e.g. "the control group's memory limit"
    bool memory_mapped;        // it binds what is mapped, used or not, as ulimit -v does
    uint64_t threads_max;      // threads that a run can have
    const char *threads_bound; // which limit binds, e.g. "pid_max"
    uint64_t maps_max;         // vm.max_map_count
    bool real_time;            // SCHED_FIFO is permitted
    char counters[96];         // why there are no hardware counters, "" where there are
};
EK_API void ek_limits_read_sized(struct ek_limits *limits, size_t size);
static inline void ek_limits_read(struct ek_limits *limits)
{
    ek_limits_read_sized(limits, sizeof *limits);
}

// The closed forms of the papers beside the exact factor of this machine's method on this topology.
struct ek_theory {
    bool has_exact, has_closed;
    double gamma_exact;    // convergence factor of one operation: variance shrinks by its square
    double gamma_closed;   // the paper's closed form
    double parameter;      // lambda or alpha
    double parameter_best; // the best one for this topology, NaN where unknown
    double operations; // predicted from the load of run 0 until --stop variance or error holds; NaN where gamma is not
                       // below 1, and for another criterion
    double steps;      // the same in steps
    char note[400];    // why the two part, or what is wrong, else ""
};
EK_API void ek_theory_find_sized(const struct ek_machine *machine, struct ek_theory *theory, size_t size);
static inline void ek_theory_find(const struct ek_machine *machine, struct ek_theory *theory)
{
    ek_theory_find_sized(machine, theory, sizeof *theory);
}

// Whether that takes about a second at most: beyond some thousand processors without closed form it is minutes.
EK_API bool ek_theory_soon(const struct ek_machine *machine);

// What else is known before a run, for any method: at most EK_FACTS_MAX facts, of which the first `room` are written.
// Returns how many. It takes about a second at most, and says where that was too short.
enum { EK_FACTS_MAX = 32 };
EK_API size_t ek_facts_find(const struct ek_machine *machine, struct ek_fact *facts, size_t room);

#endif
