// SPDX-License-Identifier: MIT
// A run in rounds or in turns: its memory, which is all planned and allocated before the run starts.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "threads/api/report.h"
#include "threads/rounds/by_block.h"
#include "threads/rounds/rounds_engine.h"
#include "threads/rounds/rounds_measure.h"
#include "threads/rounds/verdict.h"
#include "threads/rounds/round_overlaps.h"
#include "threads/rounds/step.h"
#include "threads/rounds/transport.h"
#include "threads/host/pages.h"
#include "threads/ranks/agree.h"
#include "threads/machine/on_ranks.h"
#include "threads/ranks/blocks.h"
#include "base/error.h"

// Returns whether announcements may be absent, so that an absent one must be recognized.
static bool announcements_can_be_missing(const struct machine_plan *machine)
{
    return machine->method->rounds->announce || machine->method->links == EK_LINKS_CHOSEN;
}

// Returns whether rules can read announcements where they are computed: a rule announces what it compares, the same to
// all neighbours, and without delay.
static bool announces_in_place(const struct machine_plan *machine)
{
    return machine->method->links != EK_LINKS_CHOSEN && !machine->mailbox->put && !core_links_delay(&machine->links) &&
           machine->engine->variant == ROUNDS_TOGETHER;
}

// Returns whether nothing happens between the steps of a rule: workers only receive, announce and send.
static bool only_balances(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    return announces_in_place(machine) && machine->work.kind == CORE_WORKLOAD_NONE &&
           machine->invoke.kind == CORE_INVOKE_ALWAYS && !machine->experiment->overlaps &&
           machine->faults.kind == CORE_FAULTS_NONE && !rounds->carries && !machine_moves_objects(machine);
}

// Returns whether a rule compares another number than the held load, or the load at the start of a step in which the
// held load changes. With failed links the remaining ones are used one after another.
static bool needs_level(const struct machine_plan *machine)
{
    bool program = machine->method->rounds->act; // a program reads the loads before it sends, once a step
    bool one_by_one = machine->ports == EK_ONE_PORT || machine->faults.kind != CORE_FAULTS_NONE;
    bool several = machine->method->links == EK_LINKS_ALL || machine->method->links == EK_LINKS_SCHEDULED;
    return machine->capacity || machine->method->links == EK_LINKS_CHOSEN ||
           (several && (one_by_one || (machine->method->links == EK_LINKS_SCHEDULED && !program)));
}

// Returns whether a block's ports must be gathered: the rule chooses them, or they have several colours.
static bool needs_gathering(const struct machine_plan *machine)
{
    return machine->method->links == EK_LINKS_CHOSEN || machine->method->links == EK_LINKS_SCHEDULED;
}

// Returns whether a run would repeat itself from a state that has come back. A schedule for real loads may give each
// operation different coefficients.
static bool may_repeat(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    bool alike = machine->units == EK_TOKENS || machine->method->links != EK_LINKS_SCHEDULED;
    return machine->stop.kind != CORE_STOP_NEVER && alike && rounds_is_autonomous(rounds) && !machine_direct(machine) &&
           !machine_moves_objects(machine); // loads do not tell which objects lie where
}

// Returns the largest degree in a worker's block; with ranks, whose blocks need not be adjacent, and with workers that
// compute the amounts of their neighbours, that of the topology.
static uint32_t degree_of(const struct rounds_run *rounds, unsigned worker)
{
    const struct ek_topology *topology = rounds->topology;
    bool theirs = rounds->foresees && rounds->machine->method_plan.flow;
    return rounds->transport || theirs ? topology->degree_max : rank_block_degree(topology, rounds->workers, worker);
}

// Returns the room for one processor's announcements and amounts, in doubles. It is rounded up to whole cache lines,
// because each worker has its own.
static uint64_t room_of(uint32_t degree)
{
    enum { LINE = BASE_ARENA_ISOLATION / sizeof(double) };
    return ((uint64_t)degree + LINE) / LINE * LINE;
}

static uint64_t rooms_of(const struct rounds_run *rounds)
{
    uint64_t rooms = 0;
    for (unsigned w = 0; w < rounds->workers; w++) {
        rooms += room_of(degree_of(rounds, w));
    }
    return rooms;
}

// Returns how many doubles hold the announcements at both ends of a link.
static uint64_t mirror_of(const struct rounds_run *rounds)
{
    return room_of(2 * rounds->topology->degree_max);
}

static void plan_loads(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    struct rounds_loads *loads = &rounds->loads;
    uint64_t processors = rounds->topology->processors;
    bool works = machine->work.kind != CORE_WORKLOAD_NONE;
    const struct {
        double **place;
        bool wanted;
    } arrays[] = {{&loads->held, true},
                  {&loads->moved, true},
                  {&loads->level, rounds->needs_level || (rounds->reads_levels && !rounds->one_pass)},
                  {&loads->foreseen, rounds_has_one_phase(rounds)},
                  {&loads->settled, rounds->foresees},
                  {&loads->target, machine->to_target},
                  {&loads->initial, machine->experiment->keep_loads},
                  {&loads->native, machine->units == EK_TOKENS && !machine->program && !machine->objects},
                  {&loads->generated, works},
                  {&loads->consumed, works},
                  {&loads->unmet, works}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        uint64_t count = arrays[i].wanted ? processors : 0;
        base_arena_plan_lanes(memory, arrays[i].place, count);
        base_arena_touch(memory, count, rounds_touched(rounds));
    }
}

// The state of a run consists of the loads and of what processors keep.
enum { STATE_PARTS = 3 };

static void plan_repeat(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_plan *plan = &machine->method_plan;
    uint64_t processors = rounds->topology->processors;
    uint64_t doubles = processors * (1 + plan->state_doubles) + (uint64_t)rounds->topology->ports * plan->port_doubles;
    size_t parts = STATE_PARTS;
    if (rounds->by_block) { // the method keeps nothing
        doubles = rank_placement_processors(&machine->placement, machine->ranks->rank);
        parts = rounds->transport->workers(machine);
    }
    core_repeat_plan(&rounds->now.repeat, doubles, parts, memory);
}

static void plan_method(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    const struct ek_plan *plan = &machine->method_plan;
    uint64_t processors = rounds->topology->processors;
    uint64_t ports = rounds->topology->ports;
    uint64_t invokers = machine->invoke.kind == CORE_INVOKE_ALWAYS ? 0 : processors;
    uint64_t sleepers = plan->sleeps ? processors : 0;
    bool suspends = machine->work.kind != CORE_WORKLOAD_NONE && machine->work.working == CORE_WORKING_SUSPENDED;
    base_arena_plan(memory, &rounds->invokes, invokers, sizeof *rounds->invokes);
    base_arena_plan(memory, &rounds->requests, sleepers, sizeof *rounds->requests);
    base_arena_plan(memory, &rounds->took_part, suspends ? processors : 0, sizeof *rounds->took_part);
    base_arena_plan(memory, &rounds->quota, processors * plan->quotas, sizeof *rounds->quota);
    // One element more, so that the address is not NULL for a method without state.
    base_arena_plan(memory, &rounds->state, processors * plan->state_doubles + 1, sizeof(double));
    base_arena_plan(memory, &rounds->memory, ports * plan->port_doubles + 1, sizeof(double));
    base_arena_plan(memory, &rounds->arrived, machine->method->rounds->reads_arrivals ? ports : 0, sizeof(double));
    const struct ek_experiment *experiment = machine->experiment;
    bool counts_flows = ((!experiment->no_flows || experiment->frame_flows) && !machine->method->letters) ||
                        experiment->keep_links || machine->migrates_last;
    // One more than the number of ports: a machine without links reports its flows too.
    uint64_t flows = rounds->sent_plane > 0 ? rounds_sent_places(rounds) : ports + 1;
    uint64_t sent = counts_flows ? flows : 0;
    base_arena_plan_lanes(memory, &rounds->sent, sent);
    base_arena_touch(memory, sent, rounds->by_block ? rounds_touched_ports(rounds) : sent);
    base_arena_plan(memory, &rounds->flow, experiment->keep_links ? rounds->topology->links : 0, sizeof *rounds->flow);
    if (machine->method->links == EK_LINKS_MATCHING) {
        core_matching_plan(&rounds->matching, rounds->topology, memory);
    }
    machine_rest_plan(&rounds->rest, machine, memory);
    if (may_repeat(rounds)) {
        plan_repeat(rounds, memory);
    }
}

static void plan_lane(struct rounds_lane *lane, const struct rounds_run *rounds, uint32_t ports,
                      struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    lane->boxes = (struct mail_boxes){.kind = machine->mailbox,
                                      .count = ports,
                                      .twin = rounds->topology->twin,
                                      .capacity = 1,
                                      .apart = machine->carrier->padded};
    uint64_t places = lane == &rounds->parcels && rounds->one_pass ? 0 : ports;
    uint64_t touched = rounds->in_turns   ? machine->placement.cut
                       : rounds->by_block ? rounds_touched_ports(rounds)
                                          : places;
    base_arena_plan(memory, &lane->inbox, places, sizeof *lane->inbox);
    base_arena_touch(memory, places, touched);
    bool separate = machine->mailbox->put || (rounds->foresees && lane == &rounds->parcels);
    base_arena_plan(memory, &lane->outbox, separate ? ports : 0, sizeof *lane->outbox);
    if (machine->method_plan.sleeps) {
        rounds_bells_plan(&lane->bells, rounds->topology->processors, memory);
    }
    mail_boxes_plan(&lane->boxes, memory);
}

static void plan_transport(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    uint32_t ports = rounds->topology->ports;
    // In turns rules read loads, and only parcels to other ranks wait at a port.
    plan_lane(&rounds->announcements, rounds, rounds->reads_levels || rounds->in_turns ? 0 : ports, memory);
    plan_lane(&rounds->parcels, rounds, rounds->in_turns && !rounds->transport ? 0 : ports, memory);
    plan_lane(&rounds->invitations, rounds, machine->invoke.kind == CORE_INVOKE_ALWAYS ? 0 : ports, memory);
    if (core_links_delay(&machine->links)) {
        mail_delay_lines_plan(&rounds->lines, &machine->links, rounds->seed, ports, memory);
    }
    mail_barrier_plan(&rounds->barrier, machine->barrier, machine_ranks_threads(machine),
                      host_places_count(machine->places), memory);
}

// Plans the memory of the workers. If processors sleep and workers share cores, workers with nothing to do in a phase
// are left out of it.
static void plan_workers(struct rounds_run *rounds, struct base_arena *memory)
{
    const struct machine_plan *machine = rounds->machine;
    uint64_t processors = rounds->topology->processors;
    uint64_t ports = rounds->topology->ports;
    bool receives = rounds->reads_levels && !rounds->one_pass && rounds->topology->first; // outlines: a lower bound
    bool room = machine->method->rounds->act || rounds->in_turns || receives;
    bool sleeps = machine->method_plan.sleeps;
    bool calls = (sleeps || rounds->rests) && mail_barrier_can_call(&rounds->barrier);
    base_arena_plan_isolated(memory, &rounds->worker, rounds->workers, sizeof *rounds->worker);
    base_arena_plan_isolated(memory, &rounds->room, room ? rooms_of(rounds) : 0, sizeof(double));
    bool mirrors = rounds_checks_mutual(machine) || rounds->carries;
    base_arena_plan_isolated(memory, &rounds->mirror, mirrors ? rounds->workers * mirror_of(rounds) : 0,
                             sizeof(double));
    bool gathers = needs_gathering(machine);
    base_arena_plan_isolated(memory, &rounds->gathered, gathers ? rounds->workers : 0,
                             ROUNDS_GATHERED_MAX * sizeof *rounds->gathered);
    base_arena_plan(memory, &rounds->room_ends, gathers ? ports : 0, sizeof(struct ek_end));
    base_arena_plan(memory, &rounds->woken, sleeps || rounds->rests ? processors : 0, sizeof *rounds->woken);
    base_arena_plan(memory, &rounds->woken_ends, sleeps ? ports : 0, sizeof(struct ek_end));
    bool lists = machine->program && !rounds->in_turns;
    base_arena_plan(memory, &rounds->loaded_ends, rounds_tasks_can_leave_out(rounds) ? ports : 0,
                    sizeof(struct ek_end));
    base_arena_plan(memory, &rounds->parcel_ends, lists ? ports : 0, sizeof(struct ek_end));
    for (int i = 0; i < 2 && rounds->rests; i++) {
        rounds_bells_plan(&rounds->news[i], rounds->topology->processors, memory);
    }
    if (rounds->rests) {
        rounds_bells_plan(&rounds->awake, rounds->topology->processors, memory);
    }
    base_arena_plan(memory, &rounds->chosen, calls ? processors : 0, sizeof *rounds->chosen);
    bool asks = calls || (rounds->in_turns && rounds->transport);
    base_arena_plan(memory, &rounds->worker_of, asks ? processors : 0, sizeof *rounds->worker_of);
    if (rounds->in_turns) {
        rounds_turns_plan(rounds, memory);
    }
    if (rounds_has_faults(rounds)) {
        rounds_faults_plan(rounds, memory);
    }
}

// Returns whether steps have one phase: a processor can compute what its neighbours send to it, and workers share
// cores. Such workers pay a context switch for each meeting. It costs as much as computing the rule twice for some tens
// of processors (bench/README.md). Workers with a core of their own would pay more for the second array of parcels than
// for the meeting.
static bool foresees(const struct rounds_run *rounds)
{
    enum { FEW = 64 }; // processors of a worker
    const struct machine_plan *machine = rounds->machine;
    const struct ek_method *method = machine->method;
    unsigned cores = host_places_count(machine->places);
    bool known = machine->method_plan.flow || (method->rule && method->rule->mutual && !method->rounds->act);
    return only_balances(rounds) && known && machine->rounding == CORE_ROUNDING_DOWN && !rounds->transport &&
           rounds->topology->processors < FEW * (uint64_t)machine->workers &&
           mail_barrier_chosen(machine->barrier, machine->workers, cores) != MAIL_BARRIER_SPIN;
}

// Returns whether workers that cannot act are left out of steps of one phase. Real loads are at rest nowhere for long,
// because every difference moves some load. If links are drawn, others may take part in the next step.
static bool rests(const struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    enum mail_barrier_kind kind =
        mail_barrier_chosen(machine->barrier, machine->workers, host_places_count(machine->places));
    return rounds->foresees && machine->units == EK_TOKENS && machine->method->links != EK_LINKS_MATCHING &&
           !machine->experiment->checks && (kind == MAIL_BARRIER_YIELD || kind == MAIL_BARRIER_SLEEP);
}

// Plans all memory of a run. Pointers stay NULL until it is allocated.
static void plan(struct rounds_run *rounds, const struct machine_plan *machine, uint64_t run)
{
    *rounds =
        (struct rounds_run){.machine = machine,
                            .topology = machine->method_plan.overlay ? machine->method_plan.overlay : machine->topology,
                            .seed = machine->experiment->seed + run,
                            .workers = machine->workers,
                            .transport = machine->ranks ? machine->carrier->rounds : NULL,
                            .blocks = 1,
                            .interrupts_before = machine_interrupts(machine),
                            .in_turns = machine->engine->variant != ROUNDS_TOGETHER,
                            .turns.random = machine->engine->variant == ROUNDS_TURNS_RANDOM};
    if (rounds->transport) {
        rounds->workers = rounds->transport->workers(machine);
    }
    rounds->needs_level = needs_level(machine);
    rounds->carries = machine_carries(machine) && !rounds->in_turns && !core_links_delay(&machine->links);
    rounds->foresees = foresees(rounds);
    rounds->rests = rests(rounds);
    rounds->reads_levels = announces_in_place(machine) && (!machine->method->rounds->act || rounds->foresees);
    rounds->plain = only_balances(rounds) && !machine->method->rounds->act && !machine->capacity;
    rounds->simple = rounds->plain && machine->method->links == EK_LINKS_ALL && machine->ports == EK_ALL_PORTS;
    const struct ek_rounds_part *part = machine->method->rounds;
    rounds->samples =
        machine->checked && !machine->experiment->checks && (part->block || part->block_tokens || part->block_wide);
    rounds_links_choose(rounds);
    rounds->by_block = rounds_holds_block(rounds);
    plan_loads(rounds, &rounds->plan);
    plan_method(rounds, &rounds->plan);
    plan_transport(rounds, &rounds->plan);
    plan_workers(rounds, &rounds->plan);
    rounds_overlaps_plan(rounds, &rounds->plan);
    if (machine->program) {
        cargo_tasks_plan(&rounds->tasks, machine, rounds->workers, &rounds->plan);
        cargo_parcels_plan(&rounds->tasks, rounds->topology->ports, &rounds->plan);
        cargo_letters_plan(&rounds->letters, machine, rounds->workers, &rounds->plan);
        cargo_letters_plan_steps(&rounds->letters, machine, &rounds->plan);
    }
    if (machine->objects) {
        cargo_objects_plan(&rounds->objects, machine, rounds->topology, &rounds->plan);
    }
    if (rounds->transport) {
        rounds->transport->plan(rounds, &rounds->plan);
    }
    // Ranks know their own ports only, and no link counts letters.
    bool flows = machine->experiment->frame_flows && !rounds->transport && !machine->method->letters;
    watch_frames_plan(&rounds->frames, machine->experiment->frames, flows, rounds->topology, &rounds->plan);
}

uint64_t rounds_bytes(const struct machine_plan *machine)
{
    struct rounds_run rounds;
    plan(&rounds, machine, 0);
    return sizeof rounds + base_arena_bytes(&rounds.plan);
}

// Returns whether something besides the steps reads the links.
static bool reads_links(const struct machine_plan *machine)
{
    return machine->checked || machine->experiment->keep_links || core_costs_weigh(&machine->links.costs);
}

// Steps in one pass (one_pass.c) read no arrays of the topology.
bool rounds_computes_rows(const struct machine_plan *machine)
{
    struct rounds_run rounds;
    if (reads_links(machine)) {
        return false;
    }
    plan(&rounds, machine, 0);
    return rounds.one_pass;
}

bool rounds_stores_part(const struct machine_plan *machine)
{
    struct rounds_run rounds;
    if (reads_links(machine)) {
        return false;
    }
    plan(&rounds, machine, 0);
    return rounds_needs_own_rows(&rounds);
}

// Writes "no message" to the ports of this process' blocks, and to those that lead to other ranks. Ports of other ranks
// are never read, and unwritten memory costs nothing. If "no message" is 0, nothing is written: the memory has zeros
// already, and the worker that uses a page should be the first to touch it.
static void empty_lane(struct rounds_lane *lane, struct rounds_run *rounds)
{
    if (!lane->inbox || lane->nothing == 0.0) {
        return;
    }
    for (unsigned w = 0; w < rounds->workers; w++) {
        const struct rounds_active *every = &rounds->worker[w].every;
        for (uint32_t port = every->from; port < every->to; port++) {
            lane->inbox[rounds_found(lane, port)] = lane->nothing;
        }
    }
    if (rounds->transport) {
        rounds->transport->clear(rounds, lane);
    }
}

static bool begin_lane(struct rounds_lane *lane, struct rounds_run *rounds, double nothing)
{
    bool parcels = lane == &rounds->parcels;
    lane->nothing = nothing;
    lane->found = parcels ? rounds->topology->twin : NULL;
    if (!lane->outbox) { // messages are written straight into the inbox
        lane->outbox = lane->inbox;
        lane->place = parcels ? NULL : rounds->topology->twin;
    }
    empty_lane(lane, rounds);
    return mail_boxes_begin(&lane->boxes);
}

// Returns the room that follows the previous worker's.
static double *room_at(const struct rounds_run *rounds, unsigned index)
{
    const struct rounds_worker *before = index > 0 ? &rounds->worker[index - 1] : NULL;
    return before && before->room ? before->room + room_of(before->degree) : rounds->room;
}

void rounds_begin_worker(struct rounds_run *rounds, unsigned index, uint32_t begin, uint32_t end)
{
    const struct ek_topology *topology = rounds->topology;
    struct rounds_worker *worker = &rounds->worker[index];
    worker->rounds = rounds;
    worker->begin = begin;
    worker->end = end;
    worker->minimum = INFINITY;
    uint32_t from = topo_first(topology, worker->begin);
    worker->every = (struct rounds_active){.from = from, .to = topo_first(topology, worker->end)};
    worker->before = worker->every;
    worker->degree = degree_of(rounds, index);
    worker->room = room_at(rounds, index);
    worker->mirror = rounds->mirror ? rounds->mirror + index * mirror_of(rounds) : NULL;
    worker->gathered = rounds->gathered ? rounds->gathered + (size_t)index * ROUNDS_GATHERED_MAX : NULL;
    worker->room_ends = rounds->room_ends ? rounds->room_ends + from : NULL;
    worker->usable_ends = rounds->usable_ends ? rounds->usable_ends + 2 * (size_t)from : NULL;
    worker->turns = rounds->woken ? rounds->woken + worker->begin : NULL;
    worker->turns_ends = rounds->woken_ends ? rounds->woken_ends + from : NULL;
    worker->loaded_ends = rounds->loaded_ends ? rounds->loaded_ends + from : NULL;
    worker->parcel_ends = rounds->parcel_ends ? rounds->parcel_ends + from : NULL;
    for (uint32_t p = worker->begin; rounds->worker_of && p < worker->end; p++) {
        rounds->worker_of[p] = index;
    }
}

static void begin_workers(struct rounds_run *rounds)
{
    uint32_t processors = rounds->topology->processors;
    for (unsigned w = 0; w < rounds->workers; w++) {
        rounds_begin_worker(rounds, w, rank_block_begin(processors, rounds->workers, w),
                            rank_block_begin(processors, rounds->workers, w + 1));
    }
}

static void begin_repeat(struct rounds_run *rounds)
{
    const struct ek_plan *plan = &rounds->machine->method_plan;
    struct core_repeat *repeat = &rounds->now.repeat;
    size_t processors = rounds->topology->processors;
    for (unsigned b = 0; rounds->by_block && b < rounds->blocks; b++) {
        const struct rounds_worker *block = &rounds->worker[b];
        core_repeat_add(repeat, rounds->loads.held + block->begin, block->end - block->begin);
    }
    if (!rounds->by_block) {
        core_repeat_add(repeat, rounds->loads.held, processors);
        core_repeat_add(repeat, rounds->state, processors * plan->state_doubles);
        core_repeat_add(repeat, rounds->memory, (size_t)rounds->topology->ports * plan->port_doubles);
    }
}

static bool begin(struct rounds_run *rounds)
{
    const struct machine_plan *machine = rounds->machine;
    bool silence = announcements_can_be_missing(machine) && !rounds->reads_levels;
    if (!rounds->transport) { // a rank touches only the pages of its own blocks, which are smaller
        host_pages_request(&rounds->plan);
    }
    if (!mail_barrier_begin(&rounds->barrier)) {
        return false;
    }
    rounds->meets = true;
    if (rounds->transport) {
        rounds->transport->begin(rounds);
    } else {
        begin_workers(rounds);
    }
    rounds_links_begin(rounds);
    rounds_clock_begin(rounds);
    if (!begin_lane(&rounds->announcements, rounds, silence ? NAN : INFINITY) ||
        !begin_lane(&rounds->parcels, rounds, 0.0) || !begin_lane(&rounds->invitations, rounds, INFINITY)) {
        return false;
    }
    struct rounds_loads *loads = &rounds->loads;
    if (rounds->by_block) {
        machine_loads_draw_own(machine, rounds->seed, loads->held);
    } else {
        machine_loads_draw(machine, rounds->seed, loads->held, loads->initial, loads->target, &rounds->start);
    }
    rounds->now.rest_denied = UINT64_MAX;
    rounds->rest.target = loads->target;
    for (unsigned w = 0; loads->native && w < rounds->workers; w++) {
        const struct rounds_worker *worker = &rounds->worker[w];
        memcpy(loads->native + worker->begin, loads->held + worker->begin,
               (worker->end - worker->begin) * sizeof(double));
    }
    if (may_repeat(rounds)) {
        begin_repeat(rounds);
    }
    if (rounds_has_faults(rounds)) {
        rounds_faults_begin(rounds);
    }
    if (machine->method->links == EK_LINKS_MATCHING) {
        core_matching_begin(&rounds->matching, rounds->topology);
        rounds_draw_links(rounds, 0);
    }
    return true;
}

// Measures the start, after all ranks have agreed to begin.
static void begin_measures(struct rounds_run *rounds)
{
    enum { BUDGET = 1 << 28 }; // operations of single processors: some seconds
    const struct ek_topology *topology = rounds->topology;
    if (rounds->by_block) {
        struct core_measure measure;
        rounds_measure(rounds, true, &measure);
        rounds->start = machine_start_of(&measure, topology->processors);
    }
    watch_no_progress_begin(&rounds->now.no_progress, rounds->start.distance, 0,
                            watch_no_progress_patience(BUDGET, topology->processors, topology->diameter));
}

// Returns a fingerprint of the loads. Ranks compare it: their files of loads and capacities must be equal.
static uint64_t print_of(const struct rounds_run *rounds)
{
    uint64_t print;
    memcpy(&print, &rounds->start.distance, sizeof print);
    return rounds->by_block ? machine_loads_print(rounds->machine) : print;
}

void *rounds_create(const struct machine_plan *machine, uint64_t run, struct ek_error *error)
{
    struct rounds_run *rounds = aligned_alloc(_Alignof(struct rounds_run), sizeof *rounds);
    if (rounds) {
        plan(rounds, machine, run);
        rounds->now.trace = watch_trace_of(machine->experiment);
        rounds->now.window = machine->window;
        atomic_store_explicit(&rounds->now.shown_variance, NAN,
                              memory_order_relaxed); // relaxed: there are no workers yet
    }
    bool good = rounds && base_arena_take(&rounds->plan) && begin(rounds);
    if (!good) {
        base_fail(error, EK_BAD_INPUT, "topology",
                  "no memory for a run of %u processors and %u links: use a smaller topology",
                  machine->topology->processors, machine->topology->links);
    }
    if (good && rounds_has_letters(rounds)) {
        cargo_letters_begin(&rounds->letters, &rounds->tasks, machine, rounds->seed, rounds->state, rounds->memory);
        cargo_letters_begin_steps(&rounds->letters, rounds->in_turns);
    }
    good = good && (!rounds_has_tasks(rounds) || cargo_tasks_begin(&rounds->tasks, rounds->loads.held, error));
    if (good && machine->objects) {
        cargo_objects_begin(&rounds->objects);
    }
    if (!rank_agree(machine->ranks, good, good ? print_of(rounds) : 0, error)) {
        rounds_destroy(rounds);
        return NULL;
    }
    begin_measures(rounds);
    return rounds;
}

void rounds_destroy(void *run)
{
    struct rounds_run *rounds = run;
    if (!rounds) {
        return;
    }
    mail_boxes_end(&rounds->announcements.boxes);
    mail_boxes_end(&rounds->invitations.boxes);
    mail_boxes_end(&rounds->parcels.boxes);
    if (rounds->meets) {
        mail_barrier_end(&rounds->barrier);
    }
    cargo_tasks_end(&rounds->tasks);
    if (rounds->transport) {
        rounds->transport->end(rounds);
    }
    base_arena_destroy(&rounds->plan);
    free(rounds->now.trace.rows);
    free(rounds);
}
