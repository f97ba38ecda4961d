// SPDX-License-Identifier: MIT
// The engine of virtual time: the experiments that it cannot run, the memory of a run, its workers and its report.
#include "threads/drivers/virtual/virtual_engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cursor.h"
#include "threads/api/axis.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/drivers/virtual/virtual_ranks.h"
#include "threads/drivers/virtual/virtual_turn.h"
#include "threads/drivers/virtual/window_end.h"
#include "threads/drivers/virtual/wires.h"
#include "threads/free/control/attend.h"
#include "threads/free/control/free_run.h"
#include "threads/free/control/report.h"
#include "threads/free/detect.h"
#include "threads/free/free_plan.h"
#include "threads/ranks/agree.h"

enum {
    MANY = 8192 // processors of a worker from which on their state does not fit a core's caches
};

// ---- the plan ----

// Returns the lookahead: the least latency of a link and the least gap behind a message on it.
static uint64_t lookahead_of(const struct machine_plan *plan)
{
    const struct ek_link_model *links = &plan->links;
    uint64_t latency = links->delay.low;
    if (links->load_apart && links->delay_load.low < latency) {
        latency = links->delay_load.low;
    }
    return core_within_least(&plan->within, latency) +
           core_within_least(&plan->within, core_cost_ns(&links->costs, CORE_COST_GAP));
}

// Returns the largest factor by which a processor is slow.
static uint32_t slowest(const struct machine_plan *plan)
{
    uint32_t most = 1;
    for (uint32_t p = 0; plan->slow && p < plan->topology->processors; p++) {
        most = plan->slow[p] > most ? plan->slow[p] : most;
    }
    return most;
}

// Checks that no sum of a turn's costs overflows. At the end of a window the clock has at most 62 bits, so this is
// true of turns with fewer than 2^20 messages.
static bool check_costs(const struct machine_plan *plan, struct ek_error *error)
{
    static const double COST_MAX = 0x1p42;
    const struct core_costs *costs = &plan->links.costs;
    double cost = fmax(costs->of[CORE_COST_TURN], costs->of[CORE_COST_OVERHEAD]);
    return slowest(plan) * plan->within.factor * cost <= COST_MAX ||
           base_fail_at(error, "slow", 0,
                        "a turn or a message could cost the slowest processor more than 2^42 ns (73 minutes): choose a "
                        "smaller factor, or smaller costs");
}

static bool check(const struct machine_plan *plan, struct ek_error *error)
{
    if (strcmp(plan->carrier->name, "threads") == 0) {
        return base_fail_at(error, "carrier", 0,
                            "in virtual time a few workers carry all processors: use carrier pool");
    }
    if (lookahead_of(plan) == 0 && core_within_varies(&plan->within)) {
        return base_fail_at(error, "within", 0,
                            "delay and gap could both become 0, so no processor could go on without all others: "
                            "choose a smaller factor, or a longer delay or gap");
    }
    if (lookahead_of(plan) == 0) {
        return base_fail_at(error, plan->experiment->delay ? "delay" : "latency", 0,
                            "a message could arrive when it is sent, so no processor could go on without all others: "
                            "choose a delay or a gap above 0");
    }
    return check_costs(plan, error) && free_check(plan, error);
}

static void settle(struct machine_plan *plan)
{
    if (!plan->experiment->stop && !plan->program) {
        free_settle_stop(plan);
    }
}

// With fewer processors the workers wait for one another more than they gain (bench/README.md).
static uint32_t shared_from(const struct machine_plan *plan)
{
    (void)plan;
    return 1024;
}

// ---- memory ----

// Returns whether all messages take the same time from one end of a link to the other.
static bool are_alike(const struct machine_plan *plan)
{
    const struct ek_link_model *links = &plan->links;
    return links->delay.low == links->delay.high && !links->load_apart && !core_within_varies(&plan->within);
}

// Returns whether a message can depart while its wire is occupied: by the message before it, which departed at least
// one overhead earlier.
static bool wires_wait(const struct machine_plan *plan)
{
    const struct core_costs *costs = &plan->links.costs;
    return core_costs_weigh(costs) || core_within_varies(&plan->within) ||
           core_cost_occupies(costs, 0.0) > costs->of[CORE_COST_OVERHEAD];
}

static void plan_memory(struct virtual_machine *machine, const struct machine_plan *plan)
{
    struct base_arena *memory = &machine->memory;
    struct machine_block own = machine_block_of(plan);
    bool waits = wires_wait(plan);
    unsigned workers = plan->workers;
    base_arena_plan_isolated(memory, &machine->worker, workers, sizeof *machine->worker);
    machine_block_plan(&own, memory, &machine->turns, 1, sizeof *machine->turns);
    machine_block_plan_ports(&own, memory, &machine->arrival, 1, sizeof *machine->arrival);
    machine_block_plan_ports(&own, memory, &machine->wire, waits, sizeof *machine->wire);
    machine_block_plan_ports(&own, memory, &machine->starts, waits ? plan->mailbox_capacity : 0,
                             sizeof *machine->starts);
    machine_block_plan_ports(&own, memory, &machine->order, !are_alike(plan), sizeof *machine->order);
    base_arena_plan_isolated(memory, &machine->batches, 2 * (uint64_t)workers * workers, sizeof *machine->batches);
    unsigned here = plan->ranks ? 1 : workers;
    mail_barrier_plan(&machine->barrier, plan->barrier, here, host_places_count(plan->places), memory);
}

static uint64_t bytes(const struct machine_plan *plan)
{
    struct virtual_machine machine = {.control = NULL};
    plan_memory(&machine, plan);
    struct base_range ports = machine_block_of(plan).ports;
    uint64_t first_messages = (ports.end - ports.begin) * sizeof(struct virtual_message);
    struct free_transport transport = {.separate = plan->ranks};
    return sizeof machine + base_arena_bytes(&machine.memory) + first_messages + free_bytes(plan, &transport) +
           (plan->ranks ? virtual_ranks_bytes(plan) : 0);
}

static void destroy(void *context)
{
    struct virtual_machine *machine = context;
    unsigned workers = machine->worker ? machine->run->machine->workers : 0;
    for (unsigned w = 0; w < workers; w++) {
        struct virtual_worker *own = &machine->worker[w];
        for (unsigned i = 0; own->batch[0] && i < workers; i++) {
            free(own->batch[0][i].crossing);
            free(own->batch[1][i].crossing);
        }
        free(own->sent);
        free(own->message);
        base_arena_destroy(&own->memory);
    }
    mail_barrier_end(&machine->barrier);
    base_arena_destroy(&machine->memory);
    if (machine->control) {
        free_destroy(machine->control);
    }
    virtual_ranks_destroy(machine->ranks);
    free(machine);
}

static bool no_memory(struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, "topology", "no memory for a run in virtual time: use a smaller topology");
}

// Gives a worker its agenda and its batches.
static bool begin_worker(struct virtual_machine *machine, unsigned index)
{
    struct free_worker *worker = &machine->run->worker[index];
    struct virtual_worker *own = &machine->worker[index];
    unsigned workers = machine->run->machine->workers;
    own->machine = machine;
    own->worker = worker;
    own->messages = 1; // index 0 means no message
    for (unsigned parity = 0; parity < 2; parity++) {
        own->batch[parity] = machine->batches + ((size_t)parity * workers + index) * workers;
        for (unsigned w = 0; w < workers; w++) {
            own->batch[parity][w].first = VIRTUAL_NEVER;
        }
    }
    virtual_agenda_plan(&own->agenda, worker->end - worker->begin, &own->memory);
    base_arena_plan(&own->memory, &own->free, (worker->end - worker->begin) / VIRTUAL_BLOCK + 1, sizeof *own->free);
    if (!base_arena_take(&own->memory)) {
        return false;
    }
    virtual_agenda_begin(&own->agenda);
    worker->look.permits = UINT32_MAX / 2; // the end of a window counts the operations (window_end.c)
    return true;
}

static void settle_costs(struct virtual_machine *machine)
{
    const struct machine_plan *plan = machine->run->machine;
    const struct core_costs *costs = &plan->links.costs;
    machine->lookahead_ns = lookahead_of(plan);
    machine->turn_ns = core_cost_ns(costs, CORE_COST_TURN);
    machine->overhead_ns = core_cost_ns(costs, CORE_COST_OVERHEAD);
    machine->task_ns = costs->of[CORE_COST_TASK];
    machine->wire_ns = (uint64_t)core_cost_occupies(costs, 0.0);
    machine->within = core_within_varies(&plan->within) ? &plan->within : NULL;
    machine->alike = are_alike(plan);
    machine->latency_ns = plan->links.delay.high;
    machine->load_occupies = core_costs_weigh(costs);
    machine->wires_wait = wires_wait(plan);
    machine->end_ns = VIRTUAL_NEVER;
    if (plan->experiment->seconds_max > 0.0) {
        machine->end_ns = (uint64_t)(1e9 * plan->experiment->seconds_max + 0.5);
    }
    machine->sample_ns = (uint64_t)(1e9 * plan->experiment->sample_s + 0.5);
}

static uint64_t now(struct free_look_source *source)
{
    return ((const struct virtual_machine *)source)->now_ns;
}

// Creates the parts of the run. `machine` is all zeros.
static bool assemble(struct virtual_machine *machine, const struct machine_plan *plan, uint64_t number,
                     struct ek_error *error)
{
    struct free_transport *transport = &free_transport_local;
    if (plan->ranks) {
        machine->ranks = virtual_ranks_create(plan);
        if (!machine->ranks) {
            return no_memory(error);
        }
        machine->ranks->machine = machine;
        transport = &machine->ranks->transport;
    }
    machine->control = free_create(plan, number, transport, error);
    if (!machine->control) {
        return false;
    }
    machine->run = &machine->control->run;
    machine->source = (struct free_look_source){.now = now};
    machine->run->source = &machine->source;
    plan_memory(machine, plan);
    if (!base_arena_take(&machine->memory) || !mail_barrier_begin(&machine->barrier)) {
        return no_memory(error);
    }
    machine->run->wires = &virtual_wires;
    machine->run->arrival = machine->arrival;
    struct base_range ports = machine->run->block.ports;
    for (uint64_t port = ports.begin; port < ports.end; port++) {
        machine->arrival[port].at = VIRTUAL_NEVER;
    }
    machine->first = plan->ranks ? plan->ranks->rank : 0;
    machine->last = plan->ranks ? machine->first + 1 : plan->workers;
    machine->begin = machine->run->worker[machine->first].begin;
    machine->end = machine->run->worker[machine->last - 1].end;
    for (unsigned w = machine->first; w < machine->last; w++) {
        if (!begin_worker(machine, w)) {
            return no_memory(error);
        }
    }
    if (machine->ranks) {
        machine->ranks->link.control = machine->control;
    }
    settle_costs(machine);
    virtual_marks_begin(machine, NULL);
    virtual_window_begin(machine);
    return true;
}

static void *create(const struct machine_plan *plan, uint64_t number, struct ek_error *error)
{
    struct virtual_machine *machine = calloc(1, sizeof *machine);
    bool good = machine ? assemble(machine, plan, number, error) : no_memory(error);
    good = rank_agree(plan->ranks, good, good ? free_print(machine->run) : 0, error);
    if (!good && machine) {
        destroy(machine);
    }
    if (good) {
        free_begin_over_ranks(machine->control);
    }
    return good ? machine : NULL;
}

// ---- the run ----

static uint64_t host_ns(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

// Prefetches data for the turns that follow: the state of the processor after the next one, and the messages of the
// next one, with the places where messages to its neighbours go.
static void prefetch(const struct virtual_worker *own, uint32_t p)
{
    const struct free_run *run = own->machine->run;
    const uint32_t *first = run->topology->first;
    uint32_t next = p + 2;
    if (next >= own->worker->end) {
        return;
    }
    for (uint32_t port = first[next]; port < first[next + 1]; port++) {
        __builtin_prefetch(&own->message[run->arrival[port].second], 1);
        __builtin_prefetch(&run->arrival[run->topology->twin[port]], 1);
        uint32_t place = run->topology->neighbour[port] - own->worker->begin;
        if (place >= own->agenda.count[0]) { // another worker has it
            continue;
        }
        __builtin_prefetch(&own->agenda.leaf[place], 1);
        __builtin_prefetch(&own->message[own->free[place / VIRTUAL_BLOCK]], 1);
    }
}

static void visit(void *context, uint32_t place)
{
    struct virtual_worker *own = context;
    uint32_t p = own->worker->begin + place;
    if (own->agenda.count[0] >= MANY) {
        prefetch(own, p);
    }
    virtual_turn(own, p);
}

static void begin_clock(void *context)
{
    ((struct virtual_machine *)context)->began_ns = host_ns();
}

static void end_window(void *context)
{
    virtual_window_end(context);
}

static void run_worker(void *context, unsigned index)
{
    struct virtual_machine *machine = context;
    struct virtual_worker *own = &machine->worker[machine->first + index];
    mail_barrier_wait(&machine->barrier, index, begin_clock, machine);
    while (!machine->over) {
        virtual_wires_deliver(own, machine->window.parity ^ 1);
        virtual_agenda_walk(&own->agenda, machine->window.until, visit, own);
        mail_barrier_wait(&machine->barrier, index, end_window, machine);
    }
}

static void progress(void *context, struct ek_progress *progress)
{
    free_progress(((const struct virtual_machine *)context)->control, progress);
}

// ---- the report ----

// Returns for how long the processors made no turn, together, until the run ended at `end_ns`. Of a processor whose
// last turns had no messages, the time until these ended counts.
static uint64_t idle_ns(const struct virtual_machine *machine, uint64_t end_ns, uint64_t busy_ns)
{
    uint64_t sum_ns = 0;
    for (unsigned w = machine->first; w < machine->last; w++) {
        const struct virtual_agenda *agenda = &machine->worker[w].agenda;
        for (uint32_t place = 0; place < agenda->count[0]; place++) {
            uint64_t ended = agenda->leaf[place].ended < machine->end_ns ? agenda->leaf[place].ended : machine->end_ns;
            sum_ns += ended > end_ns ? ended : end_ns;
        }
    }
    return (machine->ranks ? virtual_ranks_sum(machine->ranks, sum_ns) : sum_ns) - busy_ns;
}

// The last frame shows the end of the run. The last window may end before, or after.
static void set_last_frame(struct ek_report *report)
{
    if (report->frame_count > 1) {
        struct ek_frame *last = &report->frame[report->frame_count - 1];
        last->time = fmax(report->virtual_s, last[-1].time);
    }
}

static void report_virtual(const struct virtual_machine *machine, struct ek_report *report)
{
    const struct machine_plan *plan = machine->run->machine;
    uint64_t last_ns = 0;
    uint64_t busy_ns = 0;
    uint64_t overhead_ns = 0;
    report->operations = 0; // those under way count too
    for (unsigned w = 0; w < plan->workers; w++) {
        const struct virtual_worker *own = &machine->worker[w];
        last_ns = own->last_ns > last_ns ? own->last_ns : last_ns;
        busy_ns += own->busy_ns;
        overhead_ns += own->overhead_ns;
        report->operations += own->begun;
    }
    report->invocations = report->operations;
    report->has_virtual = report->has_windows = true;
    uint64_t end_ns = machine->control->attendant.cut ? machine->end_ns : last_ns;
    report->virtual_s = 1e-9 * (double)end_ns;
    report->windows = machine->windows;
    report->window_s = 1e-9 * (double)machine->lookahead_ns;
    report->events = report->free.turns + report->messages;
    report->busy_s = 1e-9 * (double)busy_ns;
    report->overhead_s = 1e-9 * (double)overhead_ns;
    report->idle_s = 1e-9 * (double)idle_ns(machine, end_ns, busy_ns);
    set_last_frame(report);
}

static void report_tasks(struct virtual_machine *machine, struct ek_report *report)
{
    struct free_run *run = machine->run;
    struct cargo_times times = {.end_s = report->virtual_s,
                                .done = report->ended == EK_ENDED_DONE,
                                .task_s = 1e-9 * machine->task_ns,
                                .detection_s = NAN};
    if (run->detector) { // a lone root can begin to work and detect the end in the same turn
        times.detection_s =
            fmax(1e-9 * ((double)run->shared.detected_ns - (double)cargo_sum(&run->tasks).done_ns), 0.0);
    }
    cargo_report_times(&run->tasks, &times, &report->tasks);
    cargo_picture_report(&run->tasks, &machine->control->plan, &report->tasks);
    cargo_profile_report(&run->tasks, 1e9 * report->virtual_s, &machine->control->plan, report);
    cargo_letters_report(&run->letters, &report->tasks);
    report->tasks.detection_messages = free_probes(run);
}

static enum ek_status report(void *context, struct ek_report *report, struct ek_error *error)
{
    struct virtual_machine *machine = context;
    double elapsed_s = 1e-9 * (double)(host_ns() - machine->began_ns) - machine->control->attendant.observed_s;
    virtual_marks_end(machine);
    virtual_window_close_logs(machine);
    enum ek_status status = free_report(machine->control, report, error);
    report->elapsed_s = elapsed_s;
    report_virtual(machine, report);
    if (report->has_tasks) {
        report_tasks(machine, report);
    }
    return status;
}

static const struct machine_initial initial[] = {{"carrier", "pool"}, {"delay", "latency"}, {NULL, NULL}};

const struct machine_engine virtual_engine = {
    .choice = {"virtual", "free timing under a computed clock: repeatable, with costs of turns and messages"},
    .timing = EK_IN_VIRTUAL,
    .mailbox = "spsc",
    .capacity = 4,
    .initial = initial,
    .by_clock = true,
    .overlapping = true,
    .computed = true,
    .check = check,
    .settle = settle,
    .shared = shared_from,
    .bytes = bytes,
    .create = create,
    .destroy = destroy,
    .run_worker = run_worker,
    .progress = progress,
    .report = report,
};
