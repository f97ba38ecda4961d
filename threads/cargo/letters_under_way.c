// SPDX-License-Identifier: MIT
// Letters without rounds.
#include <string.h>

#include "threads/cargo/letters.h"

void cargo_letters_plan_under_way(struct cargo_letters *letters, const struct machine_plan *machine,
                                  struct base_arena *memory)
{
    bool any = machine->method->letters != NULL;
    uint64_t ports = any ? machine->topology->ports + UINT64_C(1) : 0; // also where there are no links
    base_arena_plan(memory, &letters->way, ports, sizeof *letters->way);
    base_arena_plan(memory, &letters->leaving, ports, sizeof *letters->leaving);
    uint64_t processors = any ? machine->topology->processors : 0;
    base_arena_plan(memory, &letters->stopped, processors, sizeof *letters->stopped);
    base_arena_plan(memory, &letters->processor, processors, sizeof *letters->processor);
}

// ---- paths ----

static uint32_t distance(const struct cargo_letters *letters, uint32_t from, uint32_t to)
{
    return letters->machine->method_plan.letters_far ? topo_distance(&letters->machine->distances, from, to)
                                                     : from != to; // all letters go to neighbours
}

// Returns the first port of p over which a letter comes nearer to `to`, of those that can be used. Returns the end of
// the ports of p if there is none.
static uint32_t way_to(const struct cargo_turn *turn, uint32_t to)
{
    const struct ek_topology *topology = turn->letters->machine->topology;
    uint32_t p = turn->seen.view.processor;
    uint32_t port = topology->first[p], end = topology->first[p + 1];
    uint32_t far = distance(turn->letters, p, to);
    while (port < end &&
           !(distance(turn->letters, topology->neighbour[port], to) < far && (!turn->usable || turn->usable[port]))) {
        port++;
    }
    return port;
}

// Lets a letter wait for a failed link. Its tasks are held here, and it brings a refusal instead.
static void stop(struct cargo_turn *turn, struct cargo_letter *letter)
{
    cargo_turn_hold(turn, letter);
    letter->seen.kind = letter->seen.tasks > 0 ? EK_LETTER_REFUSAL : letter->seen.kind;
    letter->seen.tasks = 0;
    cargo_letter_append(&turn->letters->stopped[turn->seen.view.processor], letter);
}

// Puts a letter, which is posted or forwarded here, among those that leave over its next link.
static void send(struct cargo_turn *turn, struct cargo_letter *letter)
{
    struct cargo_letters *letters = turn->letters;
    const struct ek_topology *topology = letters->machine->topology;
    uint32_t p = turn->seen.view.processor;
    struct cargo_letters_processor *own = &letters->processor[p];
    uint32_t port = way_to(turn, letter->seen.to);
    if (port == topology->first[p + 1]) {
        stop(turn, letter);
        return;
    }
    cargo_turn_count(turn, letter, 1);
    letters->tasks->processor[p].sent += letter->tasks.count > 0;
    own->tasks += (double)letter->tasks.count;
    own->ports += !cargo_letters_wait(letters, port);
    cargo_letter_append(&letters->leaving[port], letter);
}

void cargo_letters_begin_under_way(struct cargo_letters *letters)
{
    const struct ek_topology *topology = letters->machine->topology;
    letters->send = send;
    memset(letters->way, 0, topology->ports * sizeof *letters->way); // their letters are the workers' memory
    memset(letters->leaving, 0, topology->ports * sizeof *letters->leaving);
    memset(letters->stopped, 0, topology->processors * sizeof *letters->stopped);
    memset(letters->processor, 0, topology->processors * sizeof *letters->processor);
    memset(letters->worker, 0, letters->tasks->workers * sizeof *letters->worker);
}

// ---- turns ----

static struct cargo_turn begin_turn(struct cargo_letters *letters, const struct cargo_place *place)
{
    struct cargo_turn turn = cargo_turn_of(letters, place->worker, place->processor);
    turn.usable = place->usable;
    turn.seen.view.announced = place->announced;
    turn.seen.draws = letters->processor[place->processor].draws;
    return turn;
}

// Stores what the method has changed.
static struct cargo_posted end_turn(const struct cargo_turn *turn)
{
    uint32_t p = turn->seen.view.processor;
    turn->letters->processor[p].draws = turn->seen.draws;
    turn->letters->tasks->processor[p].created = turn->seen.created;
    return turn->posted;
}

// Forwards a letter, or lets the method read it. The tasks of a passing letter are held only if it is not passed on.
static void receive(struct cargo_turn *turn, struct cargo_letter *letter)
{
    uint32_t p = turn->seen.view.processor;
    turn->letters->tasks->processor[p].taken += letter->tasks.count > 0;
    if (letter->seen.to != p) {
        send(turn, letter);
        return;
    }
    if (letter->seen.kind != EK_LETTER_PASSING) {
        cargo_turn_hold(turn, letter);
    }
    cargo_turn_read(turn, letter);
}

// Returns the letters of the first message from a port, in their order.
static struct cargo_letter *fetch(struct cargo_letters *letters, uint32_t port)
{
    struct cargo_letter_list list = {0};
    for (bool last = false; !last;) {
        struct cargo_letter *letter = (struct cargo_letter *)mail_way_remove(&letters->way[port]); // its first member
        last = letter->last;
        letter->last = false;
        cargo_letter_append(&list, letter);
    }
    return list.first;
}

struct cargo_posted cargo_letters_arrive(struct cargo_letters *letters, const struct cargo_place *place, uint32_t port)
{
    struct cargo_turn turn = begin_turn(letters, place);
    bool crosses = cargo_crosses(letters->tasks, letters->machine->topology->twin[port]);
    struct cargo_letter *letter = crosses ? cargo_envelope_open(letters, place->worker, port) : fetch(letters, port);
    for (struct cargo_letter *next; letter; letter = next) {
        next = letter->next;
        receive(&turn, letter);
    }
    return end_turn(&turn);
}

struct cargo_posted cargo_letters_act(struct cargo_letters *letters, const struct cargo_place *place, bool *awake)
{
    const struct ek_letters_part *part = letters->machine->method->letters;
    struct cargo_turn turn = begin_turn(letters, place);
    if (part->ask) {
        part->ask(&turn.seen);
    }
    if (part->give) {
        part->give(&turn.seen);
    }
    turn.seen.created = 0;
    *awake = turn.seen.awake;
    return end_turn(&turn);
}

struct cargo_posted cargo_letters_retry(struct cargo_letters *letters, const struct cargo_place *place)
{
    struct cargo_turn turn = begin_turn(letters, place);
    struct cargo_letter_list *stopped = &letters->stopped[place->processor];
    struct cargo_letter *letter = stopped->first;
    *stopped = (struct cargo_letter_list){0};
    for (struct cargo_letter *next; letter; letter = next) {
        next = letter->next;
        send(&turn, letter);
    }
    return end_turn(&turn);
}

// Sends the letters that wait at a port to a processor of this process.
static void push(struct cargo_letters *letters, uint32_t port)
{
    struct cargo_letter_list *leaving = &letters->leaving[port];
    leaving->last->last = true;
    for (struct cargo_letter *letter = leaving->first, *next; letter; letter = next) {
        next = letter->next;
        mail_way_push(&letters->way[port], &letter->link); // from now on it is the receiver's
    }
    *leaving = (struct cargo_letter_list){0};
}

bool cargo_letters_leave(struct cargo_letters *letters, unsigned worker, uint32_t p, uint32_t port, double *tasks)
{
    struct cargo_letters_processor *own = &letters->processor[p];
    *tasks = 0.0;
    for (const struct cargo_letter *letter = letters->leaving[port].first; letter; letter = letter->next) {
        *tasks += (double)letter->tasks.count;
    }
    if (!cargo_crosses(letters->tasks, port)) {
        push(letters, port);
    } else if (!cargo_envelope_send(letters, worker, port)) {
        return false;
    }
    own->tasks -= *tasks;
    own->ports--;
    return true;
}
