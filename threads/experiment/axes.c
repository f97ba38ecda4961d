// SPDX-License-Identifier: MIT
// The axes of experiments: one row for each. Options, help, manual page, `list`, the fields of reports and the reading
// of an experiment are made from the rows. Axes are read in the order of the rows, so each axis follows the axes that
// it depends on.
#include "threads/experiment/axis.h"

#include <string.h>

#include "threads/experiment/tables.h"
#include "topologies/family.h"

#define PLACE(field) offsetof(struct ek_experiment, field)

static const struct experiment_axis axes[] = {
    {.face = {.option = "topology",
              .field = "topology",
              .role = EK_ROLE_SUBJECT,
              .form = "SPEC",
              .initial = "torus:8x8",
              .help = "which processors are linked",
              .more = "For example ring:64, mesh:4x4x4, torus:16x16, hypercube:6, random:100:4 or file:PATH. `evenkeel "
                      "list` has all forms.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(topology),
              .timings = EK_IN_ALL},
     .choice = topo_family_choice,
     .on_topology = true,
     .read = experiment_read_topology},
    {.face =
         {.option = "method",
          .field = "method",
          .role = EK_ROLE_SUBJECT,
          .form = "NAME[:X]",
          .initial = "ade",
          .help = "the balancing method",
          .more =
              "`evenkeel list` names the methods, `evenkeel explain NAME` describes one. `theory` has its own list.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(method),
          .timings = EK_IN_ALL},
     .read = experiment_read_method},
    {.face = {.option = "timing",
              .field = "timing",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "rounds",
              .help = "rounds: all at once; turns: one by one; free: no barrier",
              .more = "With turns, the processors act one after another in the order of their numbers; with "
                      "turns:random, in a new order each step. With free there is no barrier: every processor acts at "
                      "its own pace and balances with its neighbours by messages alone. The row of a method in "
                      "`evenkeel list` says which timings it supports.",
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
              .help = "when the workload has a tick: every operation, or step",
              .more = "With operation, the workload comes after each operation; with step, after each step. In both "
                      "cases a limit on steps may end a run in the middle of an operation.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(clock),
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "in free timing the workload has its own clock: leave it out, and use tick"},
     .names = experiment_clock_names,
     .read = experiment_read_clock},
    {.face =
         {.option = "invoke",
          .field = "invoke",
          .role = EK_ROLE_SETTING,
          .form = "SPEC",
          .initial = "always",
          .help = "which processors start an operation",
          .more =
              "For example below:200, outside:200:800, probability:0.1 or every:10. Each processor tests the condition "
              "at the start of each operation, in free timing at each turn. In rounds a link takes part if either end "
              "invokes. The default of local-average and random-neighbours is a probability (evenkeel explain). "
              "global:variance:V and global:spread:D let all processors invoke while a condition on all loads holds; "
              "free timing tests it at each snapshot. Free timing also has gradient:D: a processor invokes if its load "
              "differs by more than D from the last load that a neighbour reported.",
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
              .help = "the loads at the start of a run",
              .more = "For example peak:6400, constant:5, modulo:7919:1001, or file:PATH with one number a line.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(load),
              .timings = EK_IN_ALL},
     .choice = core_load_choice,
     .on_topology = true,
     .read = experiment_read_load},
    {.face = {.option = "work",
              .field = "work",
              .role = EK_ROLE_SETTING,
              .form = "SPEC",
              .initial = "none",
              .help = "the load generated and consumed during a run",
              .more = "For example normal:100:30:100 (mean, variance, consumption), constant:0=2,8=-2, or file:PATH "
                      "with one line a tick.",
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
          .help = "consume at most the load held (bounded), or owe the rest",
          .more =
              "With bounded, work consumes no more than a processor holds, and the rest of its demand is unmet. With "
              "owed, work consumes all of its demand, so a load can fall below zero, as in the papers' models. The "
              "default is owed for real loads in rounds and turns, where alone it is possible, and otherwise bounded.",
          .kind = EK_AXIS_TEXT,
          .place = PLACE(demand),
          .timings = EK_IN_ALL},
     .names = experiment_demand_names,
     .on_topology = true,
     .read = experiment_read_demand,
     .write = experiment_write_demand},
    {.face = {.option = "working",
              .field = "working",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "after",
              .help = "work comes after balancing, before it, or only without it (suspended)",
              .more = "With before, the workload of a tick comes before its announcements. With suspended, a processor "
                      "that takes part in an operation neither generates nor consumes load in that tick; that is for "
                      "free timing, and for rounds in which few processors invoke.",
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
              .help = "the share of all load that each processor should hold",
              .more = "For example semi, cs, uniform:1:64, or file:PATH with one number a line.",
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
              .help = "balance load divided by capacity, or load minus target",
              .more = "capacity balances loads divided by capacities. target balances the distances of the loads from "
                      "each processor's share; any method for real loads can do that.",
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
              .help = "the order of the colours, or of the dimensions",
              .more = "usual, reversed, or all of them once, as in 2,0,1. For ade, ode, gde, dem and de these are the "
                      "colours of the links, which `list --topology SPEC --links` prints; for dde, liquid, adi, mdi "
                      "and de-adi, the dimensions. The other methods have an order of their own.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(order),
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "in free timing there is no such order: leave it out"},
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
    {.face = {.option = "delay",
              .field = "delay",
              .role = EK_ROLE_SETTING,
              .form = "SPEC",
              .initial = "none",
              .help = "how late messages arrive: steps, or times (free timing)",
              .more = "For example fixed:3, uniform:0:5, exponential:2, or file:PATH with lines `i j steps`. An "
                      "announcement is that many steps old when it is read; a parcel arrives that many steps after it "
                      "was sent, at least one. In free timing delays are times, as in fixed:20us or uniform:0us:50us, "
                      "and the report compares the specified delay with the measured one.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(delay),
              .timings = EK_IN_ALL},
     .choice = core_delay_choice,
     .on_topology = true,
     .read = experiment_read_delay},
    {.face = {.option = "domains",
              .field = "domains",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "overlap",
              .help = "free timing: operations may overlap, share no link, or no processor",
              .more = "With overlap, a processor can be in several operations at once; if two neighbours invoke, both "
                      "operations move load over their link. With once, the model of Xu et al. 1995, only one of them "
                      "does. With exclusive, a processor in an operation refuses to take part in another. The default "
                      "is once for diffusion with alpha above 1/(1+D), which may never end with overlap, and exclusive "
                      "for local-average, random-neighbours and nna.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(domains),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free timing: use timing free"},
     .names = experiment_domains_names,
     .read = experiment_read_domains},
    {.face = {.option = "announce",
              .field = "announce",
              .role = EK_ROLE_SETTING,
              .form = "NAME",
              .initial = "asked",
              .help = "free timing: loads are announced when asked for, or pushed",
              .more = "With pushed, a processor announces its load to its neighbours at each turn in which it has "
                      "changed, and an operation uses the loads announced last; their age depends on the delay and on "
                      "the turns. No processor is asked. For adf, odf, diffusion, fos and sender, with all ports.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(announce),
              .timings = EK_IN_FREE,
              .otherwise = "in rounds and turns every processor announces its load unasked: use timing free"},
     .names = experiment_announce_names,
     .read = experiment_read_announce},
    {.face = {.option = "tick",
              .field = "tick_s",
              .role = EK_ROLE_SETTING,
              .form = "DURATION",
              .help = "free timing: the time between ticks of the workload, as in 100us",
              .more = "Without it, every turn has a tick.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(tick_s),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free timing: use timing free"}},
    {.face = {.option = "slow",
              .field = "slow",
              .role = EK_ROLE_SETTING,
              .form = "SPEC",
              .initial = "none",
              .help = "free timing: slow processors, P:FACTOR,P:FACTOR,...",
              .more = "Processor P takes only every FACTOR-th turn.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(slow),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free timing: use timing free"},
     .choice = core_slow_choice,
     .on_topology = true,
     .read = experiment_read_slow},
    {.face = {.option = "perturb",
              .field = "perturb",
              .role = EK_ROLE_SETTING,
              .form = "PROBABILITY",
              .help = "free timing: the probability of a yield at each step of the protocol",
              .more = "It makes rare interleavings more frequent.",
              .kind = EK_AXIS_SHARE,
              .place = PLACE(perturb),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free timing: use timing free"}},
    {.face = {.option = "faults",
              .field = "faults",
              .role = EK_ROLE_SETTING,
              .form = "SPEC",
              .initial = "none",
              .help = "links and processors that fail and are repaired",
              .more = "Either link:RATE,processor:RATE,repair:MEAN, with the failures a second of the whole machine "
                      "and the mean time to repair, or file:PATH with one event a line, as in `20ms fail link 3 4` or "
                      "`50ms repair processor 7`. An event acts within about a millisecond of its time; an event at "
                      "0us acts before the first turn. In rounds and turns, times are steps: RATE is failures a step, "
                      "MEAN a number of steps, and `20 fail link 3 4` acts before step 20, the first step being 0. A "
                      "drawn event acts before the first step that is not earlier than its time. No message passes "
                      "over a link that has failed, or whose processor has failed; messages under way on it return to "
                      "their sender. A processor without a link does not work either. For methods that compare two "
                      "loads and keep no memory, as ade, adf, fos, sender, matching and adi(fos).",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(faults),
              .timings = EK_IN_ALL},
     .choice = core_faults_choice,
     .on_topology = true,
     .read = experiment_read_faults},
    {.face = {.option = "stop",
              .field = "stop",
              .role = EK_ROLE_END,
              .form = "SPEC",
              .help = "when to end [the criterion that suits the method]",
              .more = "The criterion is tested before each operation. variance:V is the sum of squared distances from "
                      "the mean, not divided. A run that ends without reaching its criterion has the exit status 3, "
                      "unless the criterion is never. The default for real loads is variance:1, or error:0.01 if "
                      "capacities differ. The default for tokens is what the method's rounding can reach: for most "
                      "methods a difference over each link, as in neighbours:1; for liquid spread:D with D dimensions, "
                      "and shared in free timing. A direct method ends by itself.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(stop),
              .timings = EK_IN_ALL},
     .choice = core_stop_choice,
     .read = experiment_read_stop,
     .write = experiment_write_stop},
    {.face = {.option = "steps",
              .field = "steps_max",
              .role = EK_ROLE_END,
              .form = "N",
              .help = "at most this many communication steps",
              .more = "An operation of all-port diffusion is one step. An operation of dimension exchange, or of "
                      "one-port diffusion, is one step for each colour of the links. Free timing has no steps.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(steps_max),
              .minimum = 1,
              .maximum = 1000000000000000000,
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "free timing has no steps: use operations or for"}},
    {.face = {.option = "operations",
              .field = "operations_max",
              .role = EK_ROLE_END,
              .form = "N",
              .help = "at most this many operations",
              .more = "In free timing, the operations of all processors together.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(operations_max),
              .minimum = 1,
              .maximum = 1000000000000000000,
              .timings = EK_IN_ALL}},
    {.face = {.option = "for",
              .field = "seconds_max",
              .role = EK_ROLE_END,
              .form = "DURATION",
              .help = "at most this long, as in 200ms, 5s, 2m or 1h",
              .more =
                  "If it ends a run, the result depends on the computer's speed. In free timing no operation begins "
                  "after that time, but those under way come to their end; with delays that takes several times the "
                  "longest delay. For `contention` it is the time of each run, for `torture` of all runs.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(seconds_max),
              .timings = EK_IN_ALL}},
    {.face = {.option = "carrier",
              .field = "carrier",
              .role = EK_ROLE_MACHINE,
              .form = "NAME[:N]",
              .initial = "threads",
              .help = "threads: one a processor; pool:N: N for all; mpi: processes",
              .more = "In rounds and turns the final loads are the same to the last bit on every carrier. mpi runs one "
                      "experiment, in rounds or free timing, on the ranks that mpirun starts: mpirun -n 4 evenkeel run "
                      "--carrier mpi.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(carrier),
              .timings = EK_IN_ALL},
     .choice = experiment_carrier_choice,
     .read = experiment_read_carrier,
     .write = experiment_write_carrier},
    {.face = {.option = "mailbox",
              .field = "mailbox",
              .role = EK_ROLE_MACHINE,
              .form = "NAME[:N]",
              .help = "the kind of mailbox on each link (free timing: spsc)",
              .more = "For measuring one kind against another. In free timing N is its capacity in messages, as in "
                      "spsc:4. The report says which one was used.",
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
              .help = "how the threads wait for one another between phases",
              .more = "For measuring; auto chooses by the number of threads for each core.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(barrier),
              .timings = EK_IN_ROUNDS | EK_IN_TURNS,
              .otherwise = "free timing has no barrier: leave it out"},
     .choice = mail_barrier_choice,
     .read = experiment_read_barrier,
     .write = experiment_write_barrier},
    {.face = {.option = "unpinned",
              .field = "unpinned",
              .role = EK_ROLE_MACHINE,
              .help = "let the system move threads between cores",
              .more = "By default each thread stays on its core, and neighbouring blocks share a core.",
              .kind = EK_AXIS_SWITCH,
              .place = PLACE(unpinned),
              .timings = EK_IN_ALL}},
    {.face = {.option = "audit",
              .field = "audit_s",
              .role = EK_ROLE_MACHINE,
              .form = "DURATION",
              .initial = "10ms",
              .help = "free timing: the least time between snapshots of all load",
              .more = "Each snapshot is checked against the ledger: no load may be lost or made.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(audit_s),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free timing: use timing free"}},
    {.face = {.option = "watchdog",
              .field = "watchdog_s",
              .role = EK_ROLE_MACHINE,
              .form = "DURATION",
              .initial = "10s",
              .help = "free timing: ends a run that makes no progress for so long",
              .more = "The report then shows where each processor is and what it waits for; the exit status is 4.",
              .kind = EK_AXIS_SECONDS,
              .place = PLACE(watchdog_s),
              .timings = EK_IN_FREE,
              .otherwise = "it is for free timing: use timing free"}},
    {.face = {.option = "seed",
              .role = EK_ROLE_REPORT,
              .form = "N",
              .initial = "1",
              .help = "fixes all random draws; run r of seed s is run 0 of s + r",
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
              .more = "In free timing, every K-th snapshot. Measuring takes time. The stop criterion is still tested "
                      "before every operation.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(every),
              .minimum = 1,
              .maximum = 1000000000000000000,
              .timings = EK_IN_ALL}},
    {.face = {.option = "window",
              .field = "window",
              .role = EK_ROLE_REPORT,
              .form = "FROM[:TO]",
              .initial = "none",
              .help = "report the extremes of loads and variance in these steps",
              .more = "After each step from FROM to TO, or to the end, the loads are measured. The report has the "
                      "largest distance of a load from the mean (the bound B of a stable method), the mean variance "
                      "and the largest variance. In free timing FROM and TO are times, and the loads are those of the "
                      "snapshots between them. For runs with a workload, after their first steps.",
              .kind = EK_AXIS_TEXT,
              .place = PLACE(window),
              .timings = EK_IN_ALL},
     .read = experiment_read_window},
    {.face =
         {.option = "links",
          .field = "link_report",
          .role =
              EK_ROLE_REPORT,
          .help =
              "the report has the load that each link carried",
          .more =
              "In rounds and turns the report lists the links with their colours and the load that crossed them each "
              "way; for dde these are its flows. For dde and twa it also has the quota of each processor after each "
              "dimension. In free timing the JSON report has the messages, stalls, load, deepest mailbox and latencies "
              "of each direction of each link; that takes 18 KB a direction. `list` prints the links of a topology.",
          .kind = EK_AXIS_SWITCH,
          .place = PLACE(keep_links),
          .timings = EK_IN_ALL}},
    {.face = {.option = "frames",
              .field = "frames",
              .role = EK_ROLE_REPORT,
              .form = "N",
              .help = "the report has all loads at up to N moments of the run",
              .more =
                  "The JSON report has the loads at the start, at evenly spaced steps (in free timing, snapshots) and "
                  "at the end. `evenkeel report` shows them as a heat map over time. Each takes 8 bytes a processor.",
              .kind = EK_AXIS_WHOLE,
              .place = PLACE(frames),
              .minimum = 3,
              .maximum = 1000000,
              .timings = EK_IN_ALL}},
    {.face = {.option = "overlaps",
              .field = "overlaps",
              .role = EK_ROLE_REPORT,
              .help = "rounds: measure how much variance overlapping domains leave",
              .more = "How much of the variance of their domains operations leave: of domains that overlap with none, "
                      "of two adjacent domains, of two that share one or two processors, and of larger groups. All "
                      "domains are sorted in every operation. Free timing always measures it.",
              .kind = EK_AXIS_SWITCH,
              .place = PLACE(overlaps),
              .timings = EK_IN_ROUNDS,
              .otherwise = "in turns no operations overlap, and free timing always measures it: leave it out"}},
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
    const struct experiment_axis *row = (const struct experiment_axis *)axis; // `face` is the first member of a row
    if (row->names) {
        size_t count = 0;
        while (row->names[count].form) {
            count++;
        }
        return index < count ? &row->names[index] : NULL;
    }
    return row->choice ? row->choice(index) : NULL;
}
