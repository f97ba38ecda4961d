// SPDX-License-Identifier: MIT
// HOW an experiment runs: one emulated machine, prepared once, run as often as asked. Third part of <evenkeel.h>.
#ifndef EK_RUN_H
#define EK_RUN_H

#include "core/method.h"

// The library's version, as "0.1.0".
EK_API const char *ek_version(void);

// An experiment: every axis as it is written on the command line. NULL means the default in brackets. All text must
// stay alive until ek_prepare returns.
struct ek_experiment {
    const char *topology; // [torus:8x8]
    const char *method;   // [ade]
    const char *units;    // [real]
    const char *ports;    // [all]
    const char *load;     // [uniform:0:1000]
    const char *stop; // [variance:1; tokens: spread:1; differing capacities: error:0.01; direct methods: their own end]
    const char *carrier;     // [threads]
    const char *mailbox;     // [slot; in free timing spsc]
    const char *barrier;     // [auto]
    const char *capacity;    // [homo]
    const char *weighting;   // [capacity]
    const char *link_limit;  // [none]
    const char *delay;       // [none]
    const char *work;        // [none]
    const char *invoke;      // [always]
    const char *clock;       // [operation]
    const char *timing;      // [rounds]
    const char *domains;     // [overlap] this and the next are for free timing
    const char *slow;        // [none] stragglers: P:FACTOR,P:FACTOR,... take every FACTOR-th turn only
    const char *faults;      // [none] links and processors that fail and come back
    double tick_s;           // a tick of the workload every so many seconds; 0: every turn
    double audit_s;          // [0.01] seconds between snapshots at least
    double watchdog_s;       // [10] seconds without progress until it ends the run
    double perturb;          // probability of a yield at every step of the protocol
    bool unpinned;           // the system may move threads between cores
    uint64_t steps_max;      // at most so many steps; 0: no limit
    uint64_t operations_max; // at most so many operations; 0: no limit
    double seconds_max;      // at most so long; 0: no limit
    uint64_t seed;           // [1] of the first run; run r has seed + r
    uint64_t every;          // [1] the trace takes every so many-th step
    bool keep_loads;         // the report has the initial and the final loads
    bool keep_trace;         // the report has the trace
    size_t trace_rows;       // [0: no limit] thin the trace to at most so many rows (at least 2), by doubling `every`
    bool keep_links;         // free timing: the report has what each direction of each link did
    bool no_flows;           // leave out the net flow over each link: 8 bytes a port less, and faster
    struct ek_reader reader;
};

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
    double in_flight;  // load under way then, in free timing; else 0
};

// Why a run ended.
enum ek_reason {
    EK_CRITERION, // the stop criterion held
    EK_ENDED,     // a direct method, by itself, without reaching the criterion
    EK_STEPS,     // --steps or --operations, here the last operation was whole
    EK_FROZEN,    // nothing moves any more, or the variance no longer falls
    EK_QUIET,     // free timing: nobody invokes and nothing is under way
    EK_TIME,      // --for
    EK_WATCHDOG,  // no progress for too long
    EK_INTERRUPT  // ek_interrupt
};

// What is known of many measured values; NaN where there was none.
struct ek_quantiles {
    uint64_t count;
    double mean, median, p90, p99, maximum; // exact to 1 %; the maximum exactly
};

// How operations did that were measured: sums over all processors of the domain of (w - mean of all)^2, averaged over
// the operations.
struct ek_effect {
    uint64_t count;
    double before, after; // means
    double after_error;   // standard error of `after`
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

// What free timing adds to a report. Times are in seconds.
struct ek_async_report {
    uint64_t audits;             // snapshots that were complete and agreed with the ledger
    double audit_interval;       // mean time between them
    struct ek_quantiles latency; // of messages, from the put to the take
    struct ek_quantiles operation_time;
    double longest_wait;                // until an operation that was wanted began with an answer
    uint64_t refusals;                  // asks that were refused
    uint64_t abandoned;                 // operations in which everybody refused
    uint64_t engagements;               // neighbours taken into operations
    uint64_t overlaps;                  // of them those that were in another operation then
    uint64_t overlap_most;              // operations that one processor was in at once
    struct ek_effect alone, overlapped; // of the operations that were measured
    double asked, got;                  // load asked of neighbours, and how much of it was still there
    uint64_t stale;                     // times that less was there than asked
    struct ek_quantiles stale_age;      // time from the announcement to the request, of those
    uint64_t logged, log_lost;          // operations in the log at the end, and those that it had no room for
    uint64_t spheres_sampled;           // instants at which the log was cut for spheres
    double spheres;                     // mean number at an instant
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
    uint64_t link_failures, processor_failures, repairs;
    uint64_t returned; // parcels sent back from failed links
    double load_returned;
    bool has_counters; // the machine has hardware counters, and PAPI was there at build time:
    uint64_t cycles, instructions, cache_misses;
    struct ek_link_report *link; // [link_count] by direction, with keep_links; else NULL
    size_t link_count;
    char *dump; // what the watchdog or a violation found, or NULL
};

// Names as in the JSON report (docs/report.md). Counts are whole; NaN stands for "not measured".
struct ek_report {
    uint64_t seed;
    enum ek_reason reason;
    bool converged;
    char why_not[400]; // a sentence where it is known why the criterion cannot be reached, else ""
    uint64_t operations;
    uint64_t steps;
    double variance_initial;
    double variance_final;
    double spread_final;
    double minimum;
    double maximum;
    double total_initial;
    double total_final;
    double generated;
    double consumed;
    double in_flight;
    double minimum_ever;
    uint64_t parcels;         // sent, each with a positive amount
    double moved;             // load over links, summed
    bool has_stayed;          // tokens only:
    double stayed;            // tokens that never left their first processor
    bool has_scan;            // dde, twa:
    uint64_t scan_steps;      // information only
    bool has_exchange;        // dde, twa:
    uint64_t exchange_steps;  // tasks only
    bool has_reduction;       // ded:
    uint64_t reduction_steps; // what the paper takes for granted, done with messages; not in `steps`
    bool has_shifts;          // nna:
    uint64_t cycle;           // operations after which a state came back, where the run ended for that; else 0
    double shifts;            // per operation the largest amount up plus the largest down, summed
    double flow_l1;           // norms of the net flow per link; NaN with no_flows
    double flow_l2;
    uint64_t messages;          // announcements and parcels
    uint64_t idle;              // processors without load at the end
    double elapsed_s;           // of the run alone
    unsigned workers;           // threads that carried the processors
    const char *barrier;        // the barrier that was chosen
    double *initial;            // [processors] with keep_loads, else NULL
    double *final;              // [processors] with keep_loads, else NULL
    struct ek_trace_row *trace; // [trace_count] with keep_trace, else NULL
    size_t trace_count;
    bool has_async; // free timing:
    struct ek_async_report async;
};

// Parses and checks the whole experiment, builds the topology, asks the system for what the run will need. NULL and
// `error`: nothing was started.
EK_API struct ek_machine *ek_prepare(const struct ek_experiment *experiment, struct ek_error *error);
EK_API void ek_machine_destroy(struct ek_machine *machine);
EK_API const struct ek_topology *ek_machine_topology(const struct ek_machine *machine);
EK_API const struct ek_method *ek_machine_method(const struct ek_machine *machine);
EK_API bool ek_machine_direct(const struct ek_machine *machine); // the method ends by itself
EK_API const char *
ek_machine_stop(const struct ek_machine *machine); // the criterion's spec, also where it is a default
EK_API double ek_machine_parameter(const struct ek_machine *machine); // NaN where the method has none

// Whether the machine itself was drawn from the experiment's seed: a random topology, or drawn capacities. Run r of
// such a machine is not run 0 of seed + r: for that, prepare another.
EK_API bool ek_machine_drawn(const struct ek_machine *machine);

// Run `run` (from 0) of the experiment. Blocks until it ends. `progress`, if not NULL, is called by this thread about
// ten times a second. Returns EK_OK, EK_UNREACHED (with a report all the same), or another status with `error`.
EK_API enum ek_status ek_run(struct ek_machine *machine, uint64_t run, struct ek_report *report,
                             void (*progress)(void *context, const struct ek_progress *so_far), void *context,
                             struct ek_error *error);
EK_API void ek_report_destroy(struct ek_report *report);

// Ends the machine's runs that are under way, each at its next step, and all later ones as they begin. Safe in a signal
// handler.
EK_API void ek_interrupt(struct ek_machine *machine);

// A value of an axis as `list` shows it; `axis` is an option's name, as "load" or "stop". False past the last.
EK_API bool ek_choice_at(const char *axis, size_t index, const char **form, const char **summary);

// Reads a time of at least 0, as in 20us or 5s, that was given for an axis. False and `error` where it is none.
EK_API bool ek_duration_read(const char *axis, const char *text, double *seconds, struct ek_error *error);

// What this system allows, for `doctor` and for refusals. 0 or "" where it is not known.
struct ek_limits {
    unsigned cores; // processing units that this process may use
    unsigned cores_total;
    char processor[96];        // its name
    uint64_t memory_free;      // bytes
    uint64_t memory_total;     // bytes
    uint64_t threads_max;      // threads that a run can have
    const char *threads_bound; // which limit binds, e.g. "pid_max"
    uint64_t maps_max;         // vm.max_map_count
    bool real_time;            // SCHED_FIFO is permitted
    char counters[96];         // why there are no hardware counters, "" where there are
};
EK_API void ek_limits_read(struct ek_limits *limits);

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
EK_API void ek_theory_find(const struct ek_machine *machine, struct ek_theory *theory);

// Whether that takes about a second at most: beyond some thousand processors without closed form it is minutes.
EK_API bool ek_theory_soon(const struct ek_machine *machine);

// What else is known before a run, for any method: at most EK_FACTS_MAX facts, of which the first `room` are written.
// Returns how many. It takes about a second at most, and says where that was too short.
enum { EK_FACTS_MAX = 24 };
EK_API size_t ek_facts_find(const struct ek_machine *machine, struct ek_fact *facts, size_t room);

#endif
