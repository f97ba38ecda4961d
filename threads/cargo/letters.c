// SPDX-License-Identifier: MIT
// Letters: their memory, and the turns in which methods read and write them.
#include "threads/cargo/letters.h"
#include "threads/api/report.h"

void cargo_letters_plan(struct cargo_letters *letters, const struct machine_plan *machine, unsigned workers,
                        struct base_arena *memory)
{
    base_arena_plan_isolated(memory, &letters->worker, machine->method->letters ? workers : 0, sizeof *letters->worker);
}

void cargo_letters_begin(struct cargo_letters *letters, struct cargo_tasks *tasks, const struct machine_plan *machine,
                         uint64_t seed, double *state, double *memory)
{
    letters->tasks = tasks;
    letters->machine = machine;
    letters->seed = seed;
    letters->state = state;
    letters->memory = memory;
}

struct cargo_letter *cargo_letter_take(struct cargo_letters *letters, unsigned worker)
{
    struct cargo_letters_worker *own = &letters->worker[worker];
    if (!own->unused) {
        size_t bytes = 0;
        struct cargo_letter *memory = cargo_more_memory(&letters->tasks->worker[worker], &bytes);
        for (size_t i = 0; memory && i < bytes / sizeof *memory; i++) {
            memory[i].next = own->unused;
            own->unused = &memory[i];
        }
    }
    struct cargo_letter *letter = own->unused;
    if (letter) {
        own->unused = letter->next;
        *letter = (struct cargo_letter){0};
    }
    return letter;
}

void cargo_letter_give_back(struct cargo_letters *letters, unsigned worker, struct cargo_letter *letter)
{
    letter->next = letters->worker[worker].unused;
    letters->worker[worker].unused = letter;
}

// ---- turns ----

// Updates the processor's tasks that the method sees.
static void show_held(struct cargo_turn *turn)
{
    turn->seen.held = turn->letters->tasks->processor[turn->seen.view.processor].held.count;
    turn->seen.view.held = turn->seen.view.load = (double)turn->seen.held;
}

static void post(struct ek_letter_turn *seen, struct ek_letter letter)
{
    struct cargo_turn *turn = (struct cargo_turn *)seen;
    struct cargo_worker *cargo = &turn->letters->tasks->worker[turn->worker];
    struct cargo_letter *own = cargo_letter_take(turn->letters, turn->worker);
    if (!own) { // the run ends at the next tick, or after this turn
        return;
    }
    own->seen = letter;
    own->seen.from = seen->view.processor;
    own->seen.tasks = cargo_give(cargo, seen->view.processor, letter.tasks, letter.newest, &own->tasks);
    seen->created -= letter.newest ? own->seen.tasks : 0;
    turn->letters->worker[turn->worker].sums.under_way += (int64_t)own->seen.tasks;
    turn->posted.left += (double)own->seen.tasks;
    show_held(turn);
    turn->letters->send(turn, own);
}

static void pass(struct ek_letter_turn *seen, uint32_t to, enum ek_letter_kind kind, uint32_t number)
{
    struct cargo_turn *turn = (struct cargo_turn *)seen;
    struct cargo_letter *letter = turn->read;
    turn->read = NULL;
    letter->seen.from = seen->view.processor;
    letter->seen.to = to;
    letter->seen.kind = kind;
    letter->seen.number = number;
    turn->letters->send(turn, letter);
}

struct cargo_turn cargo_turn_of(struct cargo_letters *letters, unsigned worker, uint32_t p)
{
    const struct machine_plan *machine = letters->machine;
    const struct ek_topology *topology = machine->topology;
    const struct cargo_processor *processor = &letters->tasks->processor[p];
    struct cargo_turn turn = {
        .letters = letters,
        .worker = worker,
        .seen = {.view = {.plan = &machine->method_plan,
                          .processor = p,
                          .degree = topology->first[p + 1] - topology->first[p],
                          .capacity = machine->capacity ? machine->capacity[p] : 1.0,
                          .memory = letters->memory + topology->first[p] * (size_t)machine->method_plan.port_doubles,
                          .seed = letters->seed},
                 .neighbour = topology->neighbour + topology->first[p],
                 .processors = topology->processors,
                 .created = processor->created,
                 .works = processor->budget < 0.0,
                 .state = letters->state + p * (size_t)machine->method_plan.state_doubles,
                 .post = post,
                 .pass = pass}};
    show_held(&turn);
    return turn;
}

void cargo_turn_hold(struct cargo_turn *turn, struct cargo_letter *letter)
{
    struct cargo_letters *letters = turn->letters;
    letters->worker[turn->worker].sums.under_way -= (int64_t)letter->tasks.count;
    turn->posted.arrived += (double)letter->tasks.count;
    cargo_hold(&letters->tasks->worker[turn->worker], turn->seen.view.processor, &letter->tasks);
    show_held(turn);
}

void cargo_turn_read(struct cargo_turn *turn, struct cargo_letter *letter)
{
    const struct ek_letters_part *part = turn->letters->machine->method->letters;
    turn->read = letter;
    if (part->read) {
        part->read(&turn->seen, &letter->seen);
    }
    if (turn->read) {
        cargo_turn_hold(turn, letter);
        cargo_letter_give_back(turn->letters, turn->worker, letter);
    }
}

void cargo_turn_count(struct cargo_turn *turn, const struct cargo_letter *letter, uint64_t links)
{
    struct cargo_letters_worker *own = &turn->letters->worker[turn->worker];
    struct cargo_letter_counts *counts = turn->asks ? &own->asked : &own->sums.counts;
    bool begins = letter->seen.from == turn->seen.view.processor;
    counts->requests += begins && letter->seen.kind == EK_LETTER_REQUEST;
    counts->refusals += begins && letter->seen.kind == EK_LETTER_REFUSAL;
    counts->hops += links;
    turn->posted.parcels += letter->tasks.count > 0 ? links : 0;
}

// ---- all workers ----

struct cargo_letter_sums cargo_letters_sum_of(const struct cargo_letters *letters, unsigned workers)
{
    struct cargo_letter_sums all = {0};
    for (unsigned w = 0; w < workers; w++) {
        const struct cargo_letter_sums *sums = &letters->worker[w].sums;
        all.under_way += sums->under_way;
        all.counts.requests += sums->counts.requests;
        all.counts.refusals += sums->counts.refusals;
        all.counts.hops += sums->counts.hops;
    }
    return all;
}

void cargo_letters_report(const struct cargo_letters *letters, struct ek_tasks_report *report)
{
    report->has_letters = letters->worker != NULL;
    if (report->has_letters) {
        struct cargo_letter_sums sums = cargo_letters_sum_of(letters, letters->tasks->workers);
        report->requests = sums.counts.requests;
        report->requests_failed = sums.counts.refusals;
        report->letter_hops = sums.counts.hops;
    }
}
