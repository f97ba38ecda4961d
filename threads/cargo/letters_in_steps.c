// SPDX-License-Identifier: MIT
// Letters in rounds and in turns.
#include "threads/cargo/letters.h"

void cargo_letters_plan_steps(struct cargo_letters *letters, const struct machine_plan *machine,
                              struct base_arena *memory)
{
    uint64_t processors = machine->method->letters ? machine->topology->processors : 0;
    base_arena_plan(memory, &letters->inbox, processors, sizeof *letters->inbox);
    base_arena_plan(memory, &letters->waiting, processors, sizeof *letters->waiting);
    base_arena_plan(memory, &letters->arrived, processors, sizeof *letters->arrived);
    base_arena_plan(memory, &letters->abroad, machine->method->letters && machine->ranks ? machine->ranks->count : 0,
                    sizeof *letters->abroad);
}

// ---- inboxes ----

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

// Puts a letter into the inbox of its receiver, or among those that leave for its rank.
static void deliver(struct cargo_letters *letters, struct cargo_letter *letter)
{
    const struct machine_plan *machine = letters->machine;
    const struct rank_placement *placement = &machine->placement;
    unsigned rank = letters->abroad ? placement->rank[rank_placement_span(placement, letter->seen.to)] : 0;
    if (letters->abroad && rank != machine->ranks->rank) {
        cargo_letter_append(&letters->abroad[rank], letter);
    } else {
        mail_stack_push(&letters->inbox[letter->seen.to], &letter->link);
    }
}

// Counts a letter that leaves now, and sends it on its way.
static void send(struct cargo_turn *turn, struct cargo_letter *letter)
{
    struct cargo_letters *letters = turn->letters;
    const struct machine_plan *machine = letters->machine;
    uint32_t p = turn->seen.view.processor;
    uint64_t links = machine->method_plan.letters_far ? topo_distance(&machine->distances, p, letter->seen.to) : 1;
    letter->due = turn->now + (machine->method_plan.letters_direct ? 1 : links) -
                  (crosses_in_announce_phases(letter) && turn->asks);
    letter->place = (2 * turn->now + !turn->asks) << 24 | turn->place++;
    letter->best = letters->in_turns ? letters->tasks->processor[p].best : letters->tasks->said[p];
    cargo_turn_count(turn, letter, links);
    turn->posted.messages += links;
    turn->posted.moved += (double)letter->tasks.count * (double)links;
    deliver(letters, letter);
}

void cargo_letters_begin_steps(struct cargo_letters *letters, bool in_turns)
{
    letters->in_turns = in_turns;
    letters->send = send;
}

// ---- turns ----

static struct cargo_turn begin_turn(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now, bool asks)
{
    struct cargo_turn turn = cargo_turn_of(letters, worker, p);
    turn.now = now;
    turn.asks = asks;
    turn.seen.moment = 2 * now + !asks;
    return turn;
}

static void hear(struct cargo_turn *turn, const struct cargo_letter *letter)
{
    struct cargo_processor *processor = &turn->letters->tasks->processor[turn->seen.view.processor];
    processor->best = letter->best < processor->best ? letter->best : processor->best;
}

// Lets the method read a list of letters.
static void read_all(struct cargo_turn *turn, struct cargo_letter *letter)
{
    for (struct cargo_letter *next; letter; letter = next) {
        next = letter->next;
        cargo_turn_read(turn, letter);
    }
}

struct cargo_posted cargo_letters_take(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now)
{
    letters->arrived[p] = fetch(letters, p, now, false);
    if (!letters->arrived[p]) {
        return (struct cargo_posted){0};
    }
    struct cargo_turn turn = begin_turn(letters, worker, p, now, true);
    for (struct cargo_letter *letter = letters->arrived[p]; letter; letter = letter->next) {
        hear(&turn, letter);
        cargo_turn_hold(&turn, letter);
    }
    return turn.posted;
}

struct cargo_posted cargo_letters_ask(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now)
{
    struct cargo_turn turn = begin_turn(letters, worker, p, now, true);
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
    own->sums.counts.requests += own->asked.requests;
    own->sums.counts.refusals += own->asked.refusals;
    own->sums.counts.hops += own->asked.hops;
    own->asked = (struct cargo_letter_counts){0};
}

struct cargo_posted cargo_letters_give(struct cargo_letters *letters, unsigned worker, uint32_t p, uint64_t now,
                                       const double *announced)
{
    struct cargo_turn turn = begin_turn(letters, worker, p, now, false);
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
    return letters->worker ? (double)cargo_letters_sum_of(letters, letters->tasks->workers).under_way : 0.0;
}
