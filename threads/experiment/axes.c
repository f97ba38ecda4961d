// SPDX-License-Identifier: MIT
// The axes of experiments, a row each: options, help, manual page, `list`, the fields of reports and what a machine
// reads are made from it. The order is that in which they are read: what an axis depends on comes before it.
#include "threads/experiment/axis.h"

#include <string.h>

#include "threads/experiment/tables.h"
#include "topologies/family.h"

#define PLACE(field) offsetof(struct ek_experiment, field)

static const struct experiment_axis axes[] = {
    {.face =
         {.option = "topology",
          .field = "topology",
          .role = EK_ROLE_SUBJECT,
          .form = "SPEC",
          .initial = "torus:8x8",
          .help = "which processors are linked",
          .more =
              "For example ring:64, mesh:4x4x4, torus:16x16, hypercube:6, random:100:4 or file:PATH. `evenkeel list` "
              "has them all.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(topology),
          .timings = EK_IN_ALL},
     .choice = topo_family_choice,
     .on_topology = true,
     .read = experiment_read_topology},
    {.face = {.option = "method",
              .field = "method",
              .role = EK_ROLE_SUBJECT,
              .form = "NAME[:X]",
              .initial = "ade",
              .help = "the balancing method",
              .more = "`evenkeel list` names them, `evenkeel explain NAME` describes one. `theory` has its own.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(method),
              .timings = EK_IN_ALL},
     .read = experiment_read_method},
    {.face =
         {.option = "timing",
          .field = "timing",
          .role = EK_ROLE_SETTING,
          .form = "NAME",
          .initial = "rounds",
          .help = "rounds: all at once; turns: one by one; free: no barrier",
          .more =
              "turns goes through the processors in the order of their numbers, turns:random in a fresh order each "
              "step. In free timing there is no barrier: every processor goes at its own pace and balances with its "
              "neighbours by messages alone. For methods whose `evenkeel list` row says so.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(timing),
          .timings = EK_IN_ALL},
     .choice = experiment_engine_choice,
     .read = experiment_read_timing},
    {.face = {.option = "units",
              .field = "units",
              .role = EK_ROLE_SUBJECT,
              .form = "NAME",
              .initial = "real",
              .help = "real: any amounts; tokens: whole loads and transfers",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(units),
              .timings = EK_IN_ALL},
     .names = experiment_units_names,
     .read = experiment_read_units,
     .write = experiment_write_units},
    {.face = {.option = "ports",
              .field = "ports",
              .role = EK_ROLE_SUBJECT,
              .form = "NAME",
              .initial = "all",
              .help = "links a processor may use in a step: all, or one",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(ports),
              .timings = EK_IN_ALL},
     .names = experiment_ports_names,
     .read = experiment_read_ports},
    {.face = {.option = "clock",
              .field = "clock",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "operation",
              .help = "a tick of the workload: an operation, or a step",
              .more =
                  "With operation, the workload comes after each operation; with step, after each step. With either, "
                  "--steps may end a run in the middle of an operation.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(clock),
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "in free timing the workload has a clock of its own: leave it out, and use --tick"},
     .names = experiment_clock_names,
     .read = experiment_read_clock},
    {.face =
         {.option = "invoke",
          .field = "invoke",
          .role = EK_ROLE_SETTING,
          .form = "SPEC",
          .initial = "always",
          .help = "who starts an operation",
          .more =
              "For example below:200, outside:200:800, probability:0.1 or every:10: tested at the start of each "
              "operation, in free timing at each turn. In rounds a link takes part if either end invokes. Not said, "
              "local-average and random-neighbours have a probability of their own (evenkeel explain). "
              "global:variance:V and global:spread:D let everybody invoke while a condition on the whole holds, which "
              "in free timing is tested at each snapshot. In free timing also gradient:D: its load differs by more "
              "than D from what it last heard of a neighbour.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(invoke),
          .timings = EK_IN_ALL},
     .choice = core_invoke_choice,
     .on_topology = true,
     .read = experiment_read_invoke},
    {.face = {.option = "load",
              .field = "load",
              .role = EK_ROLE_SUBJECT,
              .form = "SPEC",
              .initial = "uniform:0:1000",
              .help = "the loads that a run begins with",
              .more = "For example peak:6400, constant:5, modulo:7919:1001 or file:PATH, a number a line.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(load),
              .timings = EK_IN_ALL},
     .choice = core_load_choice,
     .on_topology = true,
     .read = experiment_read_load},
    {.face =
         {.option = "work",
          .field = "work",
          .role = EK_ROLE_SETTING,
          .form = "SPEC",
          .initial = "none",
          .help = "the load generated and consumed during a run",
          .more =
              "For example normal:100:30:100 (mean, variance, consumption), constant:0=2,8=-2 or file:PATH, a line a "
              "tick.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(work),
          .timings = EK_IN_ALL},
     .choice = core_workload_choice,
     .on_topology = true,
     .read = experiment_read_work},
    {.face =
         {.option = "demand",
          .field = "demand",
          .role = EK_ROLE_SETTING,
          .form = "NAME",
          .help = "how work consumes: bounded by what is there, or owed",
          .more =
              "bounded takes no more than a processor holds, and what it wanted beside that is unmet. owed takes all "
              "of "
              "it, so that a load can fall below zero, as the papers' models have it: the default for real loads in "
              "rounds and turns, and only there.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(demand),
          .timings = EK_IN_ALL},
     .names = experiment_demand_names,
     .on_topology = true,
     .read = experiment_read_demand,
     .write = experiment_write_demand},
    {.face =
         {.option = "working",
          .field = "working",
          .role = EK_ROLE_SETTING,
          .form = "NAME",
          .initial = "after",
          .help = "when work comes: after a tick's balancing, before, suspended",
          .more =
              "With before, the workload of a tick comes before its announcements. With suspended, a processor that "
              "takes part in an operation neither generates nor consumes in that tick: for rounds, where few invoke, "
              "and for free timing.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(working),
          .timings = EK_IN_ALL},
     .names = experiment_working_names,
     .on_topology = true,
     .read = experiment_read_working},
    {.face = {.option = "capacity",
              .field = "capacity",
              .role = EK_ROLE_SETTING,
              .form = "SPEC",
              .initial = "homo",
              .help = "the share of the load that each processor ought to hold",
              .more = "For example semi, cs, uniform:1:64 or file:PATH, a number a line.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(capacity),
              .timings = EK_IN_ALL},
     .choice = core_capacity_choice,
     .on_topology = true,
     .read = experiment_read_capacity},
    {.face = {.option = "weighting",
              .field = "weighting",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "capacity",
              .help = "how capacities are met: capacity, or target",
              .more =
                  "capacity balances loads divided by capacities; target balances the distances from each processor's "
                  "share, with any method for real loads.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(weighting),
              .timings = EK_IN_ALL},
     .names = experiment_weighting_names,
     .read = experiment_read_weighting},
    {.face = {.option = "order",
              .field = "order",
              .role = EK_ROLE_SETTING,
              .form = "ORDER",
              .initial = "usual",
              .help = "in which order colours, or dimensions, come",
              .more = "usual, reversed, or every one once, as in 2,0,1: the colours of the links for ade, ode, gde, "
                      "dem and de, which `list --topology SPEC --links` prints, and the dimensions for dde, liquid, "
                      "adi, mdi and de-adi. The other methods have an order of their own.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(order),
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "in free timing none is before another: leave it out"},
     .names = experiment_order_names,
     .on_topology = true,
     .read = experiment_read_order},
    {.face = {.option = "link-limit",
              .field = "link_limit",
              .role = EK_ROLE_SETTING,
              .form = "AMOUNT",
              .initial = "none",
              .help = "the most that a link carries one way in a step",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(link_limit),
              .timings = EK_IN_ALL},
     .names = (const struct ek_choice[]){{"none", "a link carries any amount"},
                                         {"U", "a link carries at most U one way in a step"},
                                         {NULL, NULL}},
     .link = &core_link_limit},
    {.face =
         {.option = "delay",
          .field = "delay",
          .role =
              EK_ROLE_SETTING,
          .form =
              "SPEC",
          .initial = "none",
          .help =
              "how much later messages come: steps, or times (free)",
          .more =
              "For example fixed:3, uniform:0:5, exponential:2 or file:PATH, `i j steps` a line. An announcement is as "
              "many steps old when it is read, a parcel arrives as many steps after it was sent, and at least one. In "
              "free timing these are times, as in fixed:20us or uniform:0us:50us, and the report has the delay that "
              "was asked for beside the delay that there was.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(delay),
          .timings = EK_IN_ALL},
     .choice = core_delay_choice,
     .on_topology = true,
     .read = experiment_read_delay},
    {.face =
         {.option = "domains",
          .field = "domains",
          .role =
              EK_ROLE_SETTING,
          .form =
              "NAME",
          .initial = "overlap",
          .help =
              "free timing: overlap, once (a link serves one), or exclusive",
          .more =
              "With overlap, a processor can be in several operations at once, and where two neighbours invoke, "
              "each moves load over their link. With once, which is the model of Xu et al. 1995, one of them "
              "does. With exclusive, a processor that is in an operation refuses to take part in another. If not said, "
              "it is once for diffusion with alpha above 1/(1+D), which overlap can keep from its end, and "
              "exclusive for local-average, random-neighbours and nna.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(domains),
          .timings = EK_IN_FREE,
          .otherwise = "it is for free-running processors: add --timing free"},
     .names = experiment_domains_names,
     .read = experiment_read_domains},
    {.face = {.option = "announce",
              .field = "announce",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "asked",
              .help = "free timing: how loads get known: asked for, or pushed",
              .more = "With pushed, a processor announces its load to its neighbours at each turn in which it has "
                      "changed, and an operation gives by the loads last heard, as old as --delay and the turns make "
                      "them; nobody is asked. For adf, odf, diffusion, fos and sender, with all ports.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(announce),
              .timings = EK_IN_FREE,
              .otherwise = "in rounds and turns all announce their loads by themselves: add --timing free"},
     .names = experiment_announce_names,
     .read = experiment_read_announce},
    {.face = {.option = "tick",
              .field = "tick_s",
              .role = EK_ROLE_SETTING,
              .form = "DURATION",
              .help = "free timing: the workload's tick, as in 100us, else every turn",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(tick_s),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free-running processors: add --timing free"}},
    {.face = {.option = "slow",
              .field = "slow",
              .role = EK_ROLE_SETTING,
              .form = "SPEC",
              .initial = "none",
              .help = "free timing: stragglers, P:FACTOR,P:FACTOR,...",
              .more = "Processor P takes every FACTOR-th turn only.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(slow),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free-running processors: add --timing free"},
     .choice = core_slow_choice,
     .on_topology = true,
     .read = experiment_read_slow},
    {.face = {.option = "perturb",
              .field = "perturb",
              .role = EK_ROLE_SETTING,
              .form = "PROBABILITY",
              .help = "free timing: of a yield at every step of the protocol",
              .more = "Brings rare interleavings out.",
              .kind = EK_AXIS_SHARE,
              .place = PLACE(perturb),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free-running processors: add --timing free"}},
    {.face =
         {.option = "faults",
          .field = "faults",
          .role =
              EK_ROLE_SETTING,
          .form =
              "SPEC",
          .initial = "none",
          .help =
              "links and processors that fail and come back",
          .more =
              "link:RATE,processor:RATE,repair:MEAN with failures a second of the whole machine and the mean time that "
              "they last, or file:PATH with a line for each event, as in `20ms fail link 3 4` or `50ms repair "
              "processor 7`. An event acts within a millisecond or so of its time, one at 0us before anybody's first "
              "turn. In rounds and turns time counts steps: RATE is failures a step, MEAN a number of steps, and "
              "`20 fail link 3 4` acts before step 20, the first being step 0; a drawn event acts before the first "
              "step that is not before its time. Nothing is said or sent over a failed link, or one whose processor "
              "has failed, and what was under way on it goes back to its sender; a processor without a link does not "
              "work "
              "either. For methods that compare two loads "
              "and keep nothing, as ade, adf, fos, sender, matching and adi(fos).",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(faults),
          .timings = EK_IN_ALL},
     .choice = core_faults_choice,
     .on_topology = true,
     .read = experiment_read_faults},
    {.face =
         {.option = "stop",
          .field = "stop",
          .role =
              EK_ROLE_END,
          .form =
              "SPEC",
          .help =
              "when to end [what the method is made for]",
          .more =
              "Tested before each operation. variance:V is the sum of squared distances from the mean, not divided. A "
              "run that ends without it has the exit status 3, except with never. Without it real loads stop at "
              "variance:1 (error:0.01 where capacities differ), tokens where the method's rounding leaves them, as at "
              "neighbours:1, liquid at spread:D for D dimensions (free timing: at shared), and a direct method by "
              "itself.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(stop),
          .timings = EK_IN_ALL},
     .choice = core_stop_choice,
     .read = experiment_read_stop,
     .write = experiment_write_stop},
    {.face =
         {.option = "steps",
          .field = "steps_max",
          .role =
              EK_ROLE_END,
          .form =
              "N",
          .help =
              "at most so many communication steps",
          .more =
              "Not in free timing, which has none. An all-port diffusion operation is one step; a dimension exchange "
              "operation, and a one-port diffusion operation, is a step for each colour of the links.",
          .kind = EK_AXIS_WHOLE,
          .place = PLACE(steps_max),
          .minimum = 1,
          .maximum = 1000000000000000000,
          .timings = EK_IN_ROUNDS | EK_IN_TURNS,
          .otherwise = "free-running processors make no steps: use --operations or --for"}},
    {.face = {.option = "operations",
              .field = "operations_max",
              .role = EK_ROLE_END,
              .form = "N",
              .help = "at most so many operations",
              .more = "In free timing those of all processors together.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(operations_max),
              .minimum = 1,
              .maximum = 1000000000000000000,
              .timings = EK_IN_ALL}},
    {.face = {.option = "for",
              .field = "seconds_max",
              .role = EK_ROLE_END,
              .form = "DURATION",
              .help = "at most so long, as in 200ms, 5s, 2m or 1h",
              .more =
                  "Where it cuts a run, the result depends on the machine's speed. In free timing no operation begins "
                  "any more "
                  "then, but those under way come to their ends: with delays that takes some times the longest. For "
                  "`contention` the time of each run, for `torture` of all.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(seconds_max),
              .timings = EK_IN_ALL}},
    {.face = {.option = "carrier",
              .field = "carrier",
              .role = EK_ROLE_MACHINE,
              .form = "NAME[:N]",
              .initial = "threads",
              .help = "threads: one each; pool:N: N worker threads; mpi",
              .more =
                  "In rounds and turns the final loads are the same to the last bit on every carrier. mpi carries "
                  "one run, in rounds or free, over the ranks that mpirun starts: mpirun -n 4 evenkeel run --carrier "
                  "mpi.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(carrier),
              .timings = EK_IN_ALL},
     .choice = experiment_carrier_choice,
     .read = experiment_read_carrier,
     .write = experiment_write_carrier},
    {.face =
         {.option = "mailbox",
          .field = "mailbox",
          .role =
              EK_ROLE_MACHINE,
          .form =
              "NAME[:N]",
          .help =
              "what carries a link's messages (free timing: spsc)",
          .more =
              "For measuring one kind against another. In free timing N is its capacity, as in spsc:4; the report says "
              "which was chosen.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(mailbox),
          .timings = EK_IN_ALL},
     .choice = mail_choice,
     .read = experiment_read_mailbox,
     .write = experiment_write_mailbox},
    {.face = {.option = "barrier",
              .field = "barrier",
              .role = EK_ROLE_MACHINE,
              .form = "NAME",
              .initial = "auto",
              .help = "how the threads meet between phases",
              .more = "For measuring; auto chooses by threads per core.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(barrier),
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "free-running processors meet at no barrier: leave it out"},
     .choice = mail_barrier_choice,
     .read = experiment_read_barrier,
     .write = experiment_write_barrier},
    {.face = {.option = "unpinned",
              .field = "unpinned",
              .role = EK_ROLE_MACHINE,
              .help = "let the system move threads between cores",
              .more = "If not said, threads stay on their core, in blocks of neighbours.",
              .kind = EK_AXIS_SWITCH,
              .place = PLACE(unpinned),
              .timings = EK_IN_ALL}},
    {.face = {.option = "audit",
              .field = "audit_s",
              .role = EK_ROLE_MACHINE,
              .form = "DURATION",
              .initial = "10ms",
              .help = "free timing: at least so long between snapshots of all load",
              .more =
                  "Each snapshot is held against the ledger: nothing may be lost and nothing may come from nowhere.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(audit_s),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free-running processors: add --timing free"}},
    {.face = {.option = "watchdog",
              .field = "watchdog_s",
              .role = EK_ROLE_MACHINE,
              .form = "DURATION",
              .initial = "10s",
              .help = "free timing: ends a run without progress for so long",
              .more = "It prints where each processor is and what it waits for; the exit status is 4.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(watchdog_s),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free-running processors: add --timing free"}},
    {.face = {.option = "seed",
              .role = EK_ROLE_REPORT,
              .form = "N",
              .initial = "1",
              .help = "for everything random; run r of seed s is run 0 of s + r",
              .more = "So runs 0 to 9 of seed 1 and of seed 5 overlap.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(seed),
              .minimum = 0,
              .maximum = 9000000000000000000,
              .timings = EK_IN_ALL}},
    {.face = {.option = "every",
              .field = "every",
              .role = EK_ROLE_REPORT,
              .form = "K",
              .initial = "1",
              .help = "the trace has every K-th step",
              .more =
                  "In free timing every K-th snapshot. Measuring costs time; the stop criterion is tested before every "
                  "operation all the same.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(every),
              .minimum = 1,
              .maximum = 1000000000000000000,
              .timings = EK_IN_ALL}},
    {.face =
         {.option = "window",
          .field = "window",
          .role =
              EK_ROLE_REPORT,
          .form =
              "FROM[:TO]",
          .initial = "none",
          .help =
              "bounds of loads and variance over these steps",
          .more =
              "The report has the largest distance of a load from the mean (the bound B of a stable method), and the "
              "mean and the largest variance, after each step from FROM to TO or the end; in free timing FROM and "
              "TO are times, and the loads are those of the snapshots between. For runs under --work, after their "
              "first steps.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(window),
          .timings = EK_IN_ALL},
     .read = experiment_read_window},
    {.face = {.option = "links",
              .field = "link_report",
              .role = EK_ROLE_REPORT,
              .help = "the report has the load that each link carried",
              .more =
                  "In rounds and turns the links with their colours and what went over them both ways, which for dde "
                  "are its flows; for dde and twa also what each processor was to hold after each dimension, its "
                  "quota. In free timing the JSON report has for each direction of each link its messages, "
                  "stalls, load, deepest mailbox and times under way; it takes 18 KB for each. `list` prints the links "
                  "of a topology.",
              .kind = EK_AXIS_SWITCH,
              .place = PLACE(keep_links),
              .timings = EK_IN_ALL}},
    {.face = {.option = "frames",
              .field = "frames",
              .role = EK_ROLE_REPORT,
              .form = "N",
              .help = "the report has all loads at N moments of the run at most",
              .more = "The start, evenly spread steps or in free timing snapshots, and the end, in the JSON report: "
                      "`evenkeel report` shows them as a heat map over time. They take 8 bytes a processor each.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(frames),
              .minimum = 3,
              .maximum = 1000000,
              .timings = EK_IN_ALL}},
    {.face = {.option = "overlaps",
              .field = "overlaps",
              .role = EK_ROLE_REPORT,
              .help = "rounds: variance of domains by how they overlap (free: always)",
              .more = "What operations leave of the variance of their domains: of those that overlap with none, of two "
                      "that are neighbours, of two that share one or two neighbours, of more. It sorts all domains in "
                      "every operation. In free timing it is always measured.",
              .kind = EK_AXIS_SWITCH,
              .place = PLACE(overlaps),
              .timings = EK_IN_ROUNDS,
              .otherwise = "in turns no operations overlap, and in free timing it is always measured: leave it out"}},
    {.face = {.option = "no-flows",
              .field = "no_flows",
              .role = EK_ROLE_REPORT,
              .help = "leave out the net flow over each link: faster",
              .kind = EK_AXIS_SWITCH,
              .place = PLACE(no_flows),
              .timings = EK_IN_ALL}},
};

enum { AXES = sizeof axes / sizeof *axes };
_Static_assert((int)AXES <= (int)EK_AXES_MAX, "a machine has a place for the value of every axis");

const struct experiment_axis *experiment_axis_at(size_t index)
{
    return index < AXES ? &axes[index] : NULL;
}

const struct ek_axis *ek_axis_at(size_t index)
{
    return index < AXES ? &axes[index].face : NULL;
}

const struct ek_axis *ek_axis_named(const char *option)
{
    size_t i = 0;
    while (i < AXES && strcmp(option, axes[i].face.option) != 0) {
        i++;
    }
    return ek_axis_at(i);
}

const struct ek_choice *ek_axis_choice(const struct ek_axis *axis, size_t index)
{
    const struct experiment_axis *row = (const struct experiment_axis *)axis; // its first member
    if (row->names) {
        size_t count = 0;
        while (row->names[count].form) {
            count++;
        }
        return index < count ? &row->names[index] : NULL;
    }
    return row->choice ? row->choice(index) : NULL;
}
