// SPDX-License-Identifier: MIT
// The letters of a run with tasks.
#include "threads/cargo/letters.h"

struct cargo_letter {
    struct mail_link link; // in an inbox
    struct cargo_letter *next;
    struct ek_letter seen; // the part that the method sees
    uint64_t due;          // the step in which it arrives
    uint64_t place;        // its place among the letters of its sender
    int64_t best;          // the best value that its sender knew
    struct core_task_queue tasks;
};

// A processor's turn, and what the machine needs when the method posts letters in it.
struct turn {
    struct ek_letter_turn seen; // the part that the method sees
    struct cargo_letters *letters;
    unsigned worker;
    uint64_t now, place;
    bool asks;
    struct cargo_letter *read; // the letter that is read; NULL: it was passed on
    struct cargo_posted posted;
};

void cargo_letters_plan(struct cargo_letters *letters, const struct machine_plan *machine, unsigned workers,
                        struct base_arena *memory)
{
    uint64_t processors = machine->method->letters ? machine->topology->processors : 0;
    base_arena_plan(memory, &letters->inbox, processors, sizeof *letters->inbox);
    base_arena_plan(memory, &letters->waiting, processors, sizeof *letters->waiting);
    base_arena_plan(memory, &letters->arrived, processors, sizeof *letters->arrived);
    base_arena_plan_isolated(memory, &letters->worker, processors > 0 ? workers : 0, sizeof *letters->worker);
}

void cargo_letters_begin(struct cargo_letters *letters, struct cargo_tasks *tasks, const struct machine_plan *machine,
                         uint64_t seed, double *state, double *memory, bool in_turns)
{
    letters->tasks = tasks;
    letters->machine = machine;
    letters->seed = seed;
    letters->state = state;
    letters->memory = memory;
    letters->in_turns = in_turns;
}

// ---- inboxes ----

// Returns an empty letter, or NULL if there is no memory.
static struct cargo_letter *take_letter(struct cargo_letters *letters, unsigned worker)
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

static void return_letter(struct cargo_letters *letters, unsigned worker, struct cargo_letter *letter)
{
    letter->next = letters->worker[worker].unused;
    letters->worker[worker].unused = letter;
}

static bool crosses_in_announce_phases(const struct cargo_letter *letter)
{
    return letter->seen.kind == EK_LETTER_REQUEST || letter->seen.kind == EK_LETTER_NOTICE;
}

// Returns whether a letter is read by `read` before the method gives, not before it asks.
static bool is_read_before_give(const struct cargo_letter *letter)
{
    return crosses_in_announce_phases(letter) || letter->seen.kind == EK_LETTER_PASSING;
}

// Letters are read in an order that does not depend on the order in which they were pushed.
static bool precedes(const struct cargo_letter *a, const struct cargo_letter *b)
{
    return a->due != b->due               ? a->due < b->due
           : a->seen.from != b->seen.from ? a->seen.from < b->seen.from
                                          : a->place < b->place;
}

static struct cargo_letter *merge(struct cargo_letter *a, struct cargo_letter *b)
{
    struct cargo_letter *first = NULL, **end = &first;
    while (a && b) {
        struct cargo_letter **earlier = precedes(a, b) ? &a : &b;
        *end = *earlier;
        end = &(*end)->next;
        *earlier = (*earlier)->next;
    }
    *end = a ? a : b;
    return first;
}

// Sorts a list: each place of `runs` has a sorted list of 2^place letters, or none.
static struct cargo_letter *sort(struct cargo_letter *list)
{
    struct cargo_letter *runs[64] = {0}, *sorted = NULL;
    while (list) {
        struct cargo_letter *run = list;
        list = list->next;
        run->next = NULL;
        unsigned place = 0;
        for (; runs[place]; place++) {
            run = merge(runs[place], run);
            runs[place] = NULL;
        }
        runs[place] = run;
    }
    for (unsigned place = 0; place < 64; place++) {
        sorted = merge(runs[place], sorted);
    }
    return sorted;
}

// Takes from the inbox the letters that are due and to be read now, sorted.
static struct cargo_letter *fetch(struct cargo_letters *letters, uint32_t p, uint64_t now, bool before_give)
{
    struct cargo_letter *due = NULL, *kept = NULL, *next;
    for (struct mail_link *link = mail_stack_empty(&letters->inbox[p]); link; link = link->next) {
        struct cargo_letter *letter = (struct cargo_letter *)link; // the link is its first member
        letter->next = letters->waiting[p];
        letters->waiting[p] = letter;
    }
    for (struct cargo_letter *letter = letters->waiting[p]; letter; letter = next) {
        struct cargo_letter **list = letter->due <= now && is_read_before_give(letter) == before_give ? &due : &kept;
        next = letter->next;
        letter->next = *list;
        *list = letter;
    }
    letters->waiting[p] = kept;
    return due && due->next ? sort(due) : due;
}

// ---- turns ----

// Counts a letter that leaves now, and puts it into the inbox of its receiver.
static void send(struct turn *turn, struct cargo_letter *letter)
{
    struct cargo_letters *letters = turn->letters;
    const struct topo_distances *distances = &letters->machine->distances;
    uint32_t p = turn->seen.view.processor;
    uint64_t links = letters->machine->method_plan.letters_far ? topo_distance(distances, p, letter->seen.to) : 1;
    letter->seen.from = p;
    letter->due = turn->now + (letters->machine->method_plan.letters_direct ? 1 : links) -
                  (crosses_in_announce_phases(letter) && turn->asks);
    letter->place = (2 * turn->now + !turn->asks) << 24 | turn->place++;
    letter->best = letters->in_turns ? letters->tasks->processor[p].best : letters->tasks->said[p];
    struct cargo_letters_worker *own = &letters->worker[turn->worker];
    struct cargo_letter_counts *counts = turn->asks ? &own->asked : &own->counts;
    counts->requests += letter->seen.kind == EK_LETTER_REQUEST;
    counts->refusals += letter->seen.kind == EK_LETTER_REFUSAL;
    counts->hops += links;
    turn->posted.messages += links;
    turn->posted.parcels += letter->tasks.count > 0 ? links : 0;
    turn->posted.moved += (double)letter->tasks.count * (double)links;
    mail_stack_push(&letters->inbox[letter->seen.to], &letter->link);
}

// Updates the processor's tasks that the method sees.
static void show_held(struct turn *turn)
{
    turn->seen.held = turn->letters->tasks->processor[turn->seen.view.processor].held.count;
    turn->seen.view.held = turn->seen.view.load = (double)turn->seen.held;
}

static void post(struct ek_letter_turn *seen, struct ek_letter letter)
{
    struct turn *turn = (struct turn *)seen;
    struct cargo_worker *cargo = &turn->letters->tasks->worker[turn->worker];
    struct cargo_letter *own = take_letter(turn->letters, turn->worker);
    if (!own) { // the run ends at the next tick
        return;
    }
    own->seen = letter;
    own->seen.tasks = cargo_give(cargo, seen->view.processor, letter.tasks, letter.newest, &own->tasks);
    seen->created -= letter.newest ? own->seen.tasks : 0;
    turn->letters->worker[turn->worker].under_way += (int64_t)own->seen.tasks;
    turn->posted.left += (double)own->seen.tasks;
    show_held(turn);
    send(turn, own);
}

static void pass(struct ek_letter_turn *seen, uint32_t to, enum ek_letter_kind kind, uint32_t number)
{
    struct turn *turn = (struct turn *)seen;
    struct cargo_letter *letter = turn->read;
    turn->read = NULL;
    letter->seen.to = to;
    letter->seen.kind = kind;
    letter->seen.number = number;
    send(turn, letter);
}

static struct turn begin_turn(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now, bool asks)
{
    const struct machine_plan *machine = letters->machine;
    const struct ek_topology *topology = machine->topology;
    const struct cargo_processor *processor = &letters->tasks->processor[p];
    struct turn turn = {
        .letters = letters,
        .worker = worker,
        .now = now,
        .asks = asks,
        .seen = {
            .view = {.plan = &machine->method_plan,
                     .processor = p,
                     .degree = topology->first[p + 1] - topology->first[p],
                     .capacity = machine->capacity ? machine->capacity[p] : 1.0,
                     .memory = letters->memory + topology->first[p] * (size_t)machine->method_plan.port_doubles,
                     .seed = letters->seed},
            .neighbour = topology->neighbour + topology->first[p],
            .processors = topology->processors,
            .created = processor->created,
            .works = processor->budget < 0.0,
            .moment = 2 * now + !asks,
            .state = letters->state + p * (size_t)machine->method_plan.state_doubles,
            .post = post,
            .pass = pass,
        }};
    show_held(&turn);
    return turn;
}

// Puts the tasks of a letter in front of those that its receiver holds.
static void hold(struct turn *turn, struct cargo_letter *letter)
{
    struct cargo_letters *letters = turn->letters;
    letters->worker[turn->worker].under_way -= (int64_t)letter->tasks.count;
    turn->posted.arrived += (double)letter->tasks.count;
    cargo_hold(&letters->tasks->worker[turn->worker], turn->seen.view.processor, &letter->tasks);
    show_held(turn);
}

static void hear(struct turn *turn, const struct cargo_letter *letter)
{
    struct cargo_processor *processor = &turn->letters->tasks->processor[turn->seen.view.processor];
    processor->best = letter->best < processor->best ? letter->best : processor->best;
}

// Lets the method read a list of letters. It may pass a letter on.
static void read_all(struct turn *turn, struct cargo_letter *letter)
{
    const struct ek_letters_part *part = turn->letters->machine->method->letters;
    for (struct cargo_letter *next; letter; letter = next) {
        next = letter->next;
        turn->read = letter;
        if (part->read) {
            part->read(&turn->seen, &letter->seen);
        }
        if (turn->read) {
            hold(turn, letter);
            return_letter(turn->letters, turn->worker, letter);
        }
    }
}

struct cargo_posted cargo_letters_take(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now)
{
    letters->arrived[p] = fetch(letters, p, now, false);
    if (!letters->arrived[p]) {
        return (struct cargo_posted){0};
    }
    struct turn turn = begin_turn(letters, worker, p, now, true);
    for (struct cargo_letter *letter = letters->arrived[p]; letter; letter = letter->next) {
        hear(&turn, letter);
        hold(&turn, letter);
    }
    return turn.posted;
}

struct cargo_posted cargo_letters_ask(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now)
{
    struct turn turn = begin_turn(letters, worker, p, now, true);
    struct cargo_letter *arrived = letters->arrived[p];
    letters->arrived[p] = NULL;
    read_all(&turn, arrived);
    if (letters->machine->method->letters->ask) {
        letters->machine->method->letters->ask(&turn.seen);
    }
    letters->tasks->processor[p].created = turn.seen.created;
    return turn.posted;
}

// Counts the letters of processors that have asked, since the step goes on.
static void count_asked(struct cargo_letters_worker *own)
{
    own->counts.requests += own->asked.requests;
    own->counts.refusals += own->asked.refusals;
    own->counts.hops += own->asked.hops;
    own->asked = (struct cargo_letter_counts){0};
}

struct cargo_posted cargo_letters_give(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now,
                                       const double *announced)
{
    struct turn turn = begin_turn(letters, worker, p, now, false);
    turn.seen.view.announced = announced;
    count_asked(&letters->worker[worker]);
    struct cargo_letter *arrived = fetch(letters, p, now, true);
    for (struct cargo_letter *letter = arrived; letter; letter = letter->next) {
        hear(&turn, letter);
    }
    read_all(&turn, arrived);
    if (letters->machine->method->letters->give) {
        letters->machine->method->letters->give(&turn.seen);
    }
    letters->tasks->processor[p].created = 0;
    return turn.posted;
}

// ---- all workers ----

double cargo_letters_in_flight(const struct cargo_letters *letters)
{
    int64_t under_way = 0;
    for (unsigned w = 0; letters->worker && w < letters->tasks->workers; w++) {
        under_way += letters->worker[w].under_way;
    }
    return (double)under_way;
}

void cargo_letters_report(const struct cargo_letters *letters, struct ek_tasks_report *report)
{
    report->has_letters = true;
    for (unsigned w = 0; w < letters->tasks->workers; w++) {
        const struct cargo_letter_counts *counts = &letters->worker[w].counts;
        report->requests += counts->requests;
        report->requests_failed += counts->refusals;
        report->letter_hops += counts->hops;
    }
}
