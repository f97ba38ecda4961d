// SPDX-License-Identifier: MIT
// The virtual time of rounds. core/theory/step_time.h defines it.
//
// A phase lasts as long as its slowest processor, so only the most messages of a processor matter, its *pace*. The pace
// of a rule follows from the colours of the step, if all processors invoke and no links fail. Otherwise the workers
// find the pace of their processors. They also look at the parcels, if load takes time on its links. A tick of tasks in
// which any processor works takes the time of a full tick.
//
// There is no virtual time in turns, and none with delays: a delay is a number of steps, however long they last.
// There is none with letters, which several links carry in different steps.
#include <math.h>
#include <string.h>

#include "threads/rounds/rounds_engine.h"
#include "threads/rounds/step.h"

static bool is_program(const struct rounds_run *rounds)
{
    return rounds->machine->method->rounds->act != NULL;
}

// Returns whether the pace of a step follows from its colours.
static bool follows_from_colours(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    enum ek_links links = machine->method->links;
    bool known = links == EK_LINKS_ALL || links == EK_LINKS_COLOUR || links == EK_LINKS_MATCHING;
    return known && !is_program(rounds) && machine->invoke.kind == CORE_INVOKE_ALWAYS && !rounds_has_faults(rounds);
}

void rounds_clock_begin(struct rounds_run *rounds)
{
    struct rounds_clock *clock = &rounds->clock;
    clock->runs = !rounds->in_turns && !rounds_has_letters(rounds) && !core_links_delay(&rounds->machine->links);
    clock->counts = clock->runs && !follows_from_colours(rounds);
    clock->weighs = clock->runs && core_costs_weigh(&rounds->machine->links.costs);
}

// ---- what a worker finds ----

// Returns whether a message passes a port, in the direction that the function looks at.
typedef bool passes(const struct rounds_run *rounds, uint32_t port);

static inline bool all(const struct rounds_run *rounds, uint32_t port)
{
    (void)rounds, (void)port;
    return true;
}

static inline bool takes_part(const struct rounds_run *rounds, uint32_t port)
{
    const struct ek_topology *topology = rounds->topology;
    uint32_t p = topology->neighbour[topology->twin[port]];
    return rounds->invokes[p] || rounds->invitations.inbox[port] != 0.0;
}

static inline bool hears(const struct rounds_run *rounds, uint32_t port)
{
    return !rounds_is_nothing(&rounds->announcements, rounds->announcements.inbox[port]);
}

static inline bool sends(const struct rounds_run *rounds, uint32_t port)
{
    return rounds->parcels.outbox[rounds_place(&rounds->parcels, port)] > 0.0;
}

static inline bool receives(const struct rounds_run *rounds, uint32_t port)
{
    return rounds->parcels.inbox[rounds->parcels.found[port]] > 0.0;
}

// Returns the most messages of a processor of the block.
static inline __attribute__((always_inline)) uint32_t most_of(const struct rounds_worker *worker,
                                                              const struct rounds_active *active, passes *message)
{
    const struct rounds_run *rounds = worker->rounds;
    const uint32_t *first = rounds->topology->first;
    uint32_t most = 0, count = 0;
    for (uint32_t p = worker->begin; !active->ends && p < worker->end; p++, count = 0) {
        for (uint32_t port = first[p]; port < first[p + 1]; port++) {
            count += message(rounds, port);
        }
        most = count > most ? count : most;
    }
    for (size_t k = 0; active->ends && k < active->count; k++) {
        bool same = k > 0 && active->ends[k].processor == active->ends[k - 1].processor;
        count = (same ? count : 0) + message(rounds, active->ends[k].port);
        most = count > most ? count : most;
    }
    return most;
}

// Returns the load of a parcel that counts on a link: of objects, their bytes.
static double load_of(const struct rounds_run *rounds, uint32_t port)
{
    return machine_moves_objects(rounds->machine)
               ? (double)cargo_objects_bytes(&rounds->objects, &rounds->objects.parcel[port])
               : rounds->parcels.outbox[rounds_place(&rounds->parcels, port)];
}

static double largest_parcel(const struct rounds_run *rounds, const struct rounds_active *active)
{
    double largest = 0.0;
    for (size_t k = 0; k < rounds_active_count(active); k++) {
        double load = load_of(rounds, rounds_active_port(active, k));
        largest = load > largest ? load : largest;
    }
    return largest;
}

// Returns the most links of a processor that take part in the step.
static uint32_t most_links(const struct rounds_worker *worker)
{
    const struct rounds_active *active = &worker->now;
    if (worker->rounds->invokes) {
        return most_of(worker, active, takes_part);
    }
    return active->ends ? most_of(worker, active, all) : worker->degree;
}

void rounds_clock_take(struct rounds_worker *worker)
{
    if (worker->rounds->clock.parcels) {
        worker->pace.receives = most_of(worker, &worker->before, receives);
    }
}

// A rule sends parcels in both directions, with load or without.
void rounds_clock_migrate(struct rounds_worker *worker)
{
    const struct rounds_run *rounds = worker->rounds;
    struct rounds_pace *pace = &worker->pace;
    if (rounds->clock.weighs) {
        pace->load = largest_parcel(rounds, &worker->now);
    }
    if (!rounds->clock.counts) {
        return;
    }
    if (rounds->rests) { // the others may have more links
        pace->announces = pace->hears = 0;
    } else if (rounds_program_announces(rounds)) {
        pace->hears = most_of(worker, &worker->now, hears);
    } else {
        pace->announces = pace->hears = most_links(worker);
    }
    if (is_program(rounds)) {
        pace->sends = most_of(worker, &worker->now, sends);
    } else {
        pace->sends = pace->receives = pace->hears;
    }
}

// ---- serial sections ----

static uint64_t time_of(const struct rounds_run *rounds, const struct rounds_pace *pace)
{
    const struct core_costs *costs = &rounds->machine->links.costs;
    uint64_t announce = core_phase_time(costs, (struct core_phase){pace->announces, pace->hears, 0.0});
    uint64_t migrate = core_phase_time(costs, (struct core_phase){pace->sends, pace->receives, pace->load});
    return core_time_sum(announce, migrate);
}

void rounds_pace_slow(struct rounds_pace *slowest, const struct rounds_pace *pace)
{
    slowest->announces = pace->announces > slowest->announces ? pace->announces : slowest->announces;
    slowest->hears = pace->hears > slowest->hears ? pace->hears : slowest->hears;
    slowest->sends = pace->sends > slowest->sends ? pace->sends : slowest->sends;
    slowest->receives = pace->receives > slowest->receives ? pace->receives : slowest->receives;
    slowest->load = fmax(slowest->load, pace->load);
}

// Returns the pace of the slowest processors, and begins anew: workers with nothing to do are left out of a phase.
static struct rounds_pace end_paces(struct rounds_run *rounds)
{
    struct rounds_pace slowest = {0};
    for (unsigned w = 0; w < rounds->workers; w++) {
        rounds_pace_slow(&slowest, &rounds->worker[w].pace);
        rounds->worker[w].pace = (struct rounds_pace){0};
    }
    return slowest;
}

// Returns the most links of a processor that take part in the step.
static uint32_t most_ports(const struct rounds_run *rounds)
{
    if (rounds->machine->method->links == EK_LINKS_MATCHING) {
        return rounds->matching.count > 0;
    }
    const struct ek_topology *topology = rounds->topology;
    uint32_t from = rounds->now.colour_from, end = rounds->now.colour_end, most = 0;
    if (from == 0 && end == topology->colours) {
        return topology->degree_max;
    }
    if (end <= from + 1) {
        return end > from;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        uint32_t count = 0;
        for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
            count += topology->colour[port] >= from && topology->colour[port] < end;
        }
        most = count > most ? count : most;
    }
    return most;
}

void rounds_clock_add(struct rounds_run *rounds)
{
    struct rounds_clock *clock = &rounds->clock;
    if (!clock->runs) {
        return;
    }
    if (rounds->now.fresh && rounds->now.operation_begins) {
        clock->before_ns = clock->now_ns;
    }
    struct rounds_pace pace = rounds_has_paces(rounds) ? end_paces(rounds) : (struct rounds_pace){0};
    if (!clock->counts) {
        pace.announces = pace.hears = pace.sends = pace.receives = most_ports(rounds);
    } else if (rounds->rests) {
        pace.announces = pace.hears = most_ports(rounds);
    }
    if (clock->step_ns == 0 || memcmp(&pace, &clock->pace, sizeof pace) != 0) {
        clock->pace = pace;
        clock->step_ns = time_of(rounds, &pace);
    }
    clock->now_ns = core_time_sum(clock->now_ns, clock->step_ns);
    clock->parcels = is_program(rounds) && !rounds->foresees && pace.sends > 0;
}

void rounds_clock_receive(struct rounds_run *rounds)
{
    uint32_t most = 0;
    if (!rounds->clock.parcels) {
        return;
    }
    for (unsigned w = 0; w < rounds->workers; w++) {
        most = rounds->worker[w].pace.receives > most ? rounds->worker[w].pace.receives : most;
        rounds->worker[w].pace.receives = 0;
    }
    uint64_t time = core_overhead_time(&rounds->machine->links.costs, most);
    rounds->clock.now_ns = core_time_sum(rounds->clock.now_ns, time);
}

double rounds_clock_s(const struct rounds_run *rounds)
{
    const struct rounds_clock *clock = &rounds->clock;
    double work_ns = (double)rounds->tasks.worked_ticks * (double)rounds->tasks.grain *
                     rounds->machine->links.costs.of[CORE_COST_TASK];
    return clock->runs && clock->now_ns < CORE_STEP_TIME_MAX ? 1e-9 * ((double)clock->now_ns + work_ns) : NAN;
}
