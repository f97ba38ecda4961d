// SPDX-License-Identifier: MIT
// Reports: the progress of a run, and everything that it leaves behind. Part of <evenkeel.h>.
#ifndef EK_REPORT_H
#define EK_REPORT_H

#include "threads/api/measures.h"
#include "threads/api/ranks.h"

// The progress of a run.
struct ek_progress {
    uint64_t steps;
    uint64_t operations;
    double variance; // at the last test of the stop criterion; NaN before the first
    double elapsed_s;
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
    bool has_scan;            // dde, twa, mwa:
    uint64_t scan_steps;      // steps with information only
    bool has_exchange;        // dde, twa, mwa:
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
    double *quota; // [quota_dimensions * processors] for dde, twa, mwa with keep_links: the load that each processor is
                   // to hold after each dimension, with mwa at the end, NaN if that was not settled; else NULL
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
    double *frame_flow;        // [frame_count * links] with frame_flows: the load that crossed each link until that
                               // moment, from the processor with the lower number minus from the other, in the order of
                               // the topology's ports. NULL in free timing, on ranks, and in rounds and turns for
                               // methods that write letters, which no link counts
};

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

#endif
