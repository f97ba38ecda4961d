// SPDX-License-Identifier: MIT
// All schedules: a search in depth through the states of the machine, each of which is gone on from once, however many
// schedules lead to it. What two states have in common is compared by a hash of 128 bits: among so many millions of
// states that two which differ share one has a probability below 10^-20.
//
// The attendant has no part in it: there are no snapshots, and a schedule ends when nobody has anything left to do. A
// turn in which a processor could do nothing is not made. Of those that can do something nobody is passed over more
// than B times in a row, which is all that keeps schedules in which one waits for ever out: `exhaustive:B`.
//
// Where the topology is a tree, a turn sees all that is there. That is no restriction: what comes over one link of a
// processor has nothing to do with what comes over another until its own turn, so a turn that sees less can be put
// before what it does not see. Elsewhere a turn sees of each link either all or nothing new, in all combinations.
#include "threads/drivers/explore/exhaustive.h"

#include <stdlib.h>
#include <string.h>

// Its functions become part of this file: the library needs no other for it.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "threads/free/control/end.h"
#include "threads/free/post.h"
#include "base/cursor.h"

// A state that has been met, and what is known of the schedules from there.
struct known {
    XXH128_hash_t hash;
    double schedules;
    uint64_t longest;
    bool used;
};

// The explorer at a moment.
struct moment {
    struct explore_image image;
    struct ek_explore explore;
    struct explore_worker *worker;
    uint32_t *ready;
    uint32_t *passed;
    struct explore_under_way *way;
    struct mail_message *place;
};

struct exhaust {
    struct ek_explore *explore;
    struct ek_explore_all *all;
    struct moment *moment; // [moments], by depth
    size_t moments;
    struct known *known; // [known_size], a power of two
    size_t known_size;
    uint32_t *passed; // by worker: how often it was passed over
    uint64_t *word;   // a state in words
    bool tree;
    enum ek_explored how;
};

enum { KNOWN_FIRST = 1 << 16, KNOWN_MOST = 1 << 24 };

// What is known of the schedules from a state.
struct onwards {
    double schedules;
    uint64_t longest;
};

// ---- moments ----

static bool moment_begin(struct moment *moment, struct ek_explore *explore)
{
    unsigned workers = explore->run->machine->workers;
    uint32_t ports = explore->run->topology->ports;
    *moment = (struct moment){.worker = calloc(workers, sizeof *moment->worker),
                              .ready = calloc(workers, sizeof *moment->ready),
                              .passed = calloc(workers, sizeof *moment->passed),
                              .way = calloc(ports + 1u, sizeof *moment->way),
                              .place = calloc((size_t)ports * explore->inspector.bound + 1, sizeof *moment->place)};
    bool image = explore_image_begin(&moment->image, explore->control);
    return image && moment->worker && moment->ready && moment->passed && moment->way && moment->place;
}

static void moment_end(struct moment *moment)
{
    explore_image_end(&moment->image);
    free(moment->worker);
    free(moment->ready);
    free(moment->passed);
    free(moment->way);
    free(moment->place);
}

static void copy_arrays(struct exhaust *exhaust, struct moment *moment, bool back)
{
    struct ek_explore *explore = exhaust->explore;
    unsigned workers = explore->run->machine->workers;
    uint32_t ports = explore->run->topology->ports;
    const struct {
        void *here, *there;
        size_t bytes;
    } arrays[] = {
        {explore->worker, moment->worker, workers * sizeof *moment->worker},
        {explore->ready, moment->ready, workers * sizeof *moment->ready},
        {exhaust->passed, moment->passed, workers * sizeof *moment->passed},
        {explore->inspector.way, moment->way, ports * sizeof *moment->way},
        {explore->inspector.place, moment->place, (size_t)ports * explore->inspector.bound * sizeof *moment->place}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        memcpy(back ? arrays[i].here : arrays[i].there, back ? arrays[i].there : arrays[i].here, arrays[i].bytes);
    }
}

static void take(struct exhaust *exhaust, struct moment *moment)
{
    explore_image_take(&moment->image);
    moment->explore = *exhaust->explore;
    copy_arrays(exhaust, moment, false);
}

// What was met of the protocol stays.
static void restore(struct exhaust *exhaust, struct moment *moment)
{
    struct ek_explore *explore = exhaust->explore;
    struct explore_checker met = explore->inspector;
    explore_image_restore(&moment->image);
    *explore = moment->explore;
    memcpy(explore->inspector.met, met.met, sizeof met.met);
    copy_arrays(exhaust, moment, true);
}

// ---- states ----

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t *put_processor(uint64_t *word, const struct exhaust *exhaust, uint32_t p)
{
    const struct free_run *run = exhaust->explore->run;
    const struct free_processor *processor = &run->processor[p];
    const struct free_worker *worker = &run->worker[free_worker_of(run, p)];
    uint64_t sweep = worker->look.pass;
    bool promised = processor->reserved_until > sweep;
    *word++ = sweep;
    *word++ = bits_of(processor->held);
    *word++ = bits_of(processor->native);
    *word++ = bits_of(processor->level);
    *word++ = processor->operation;
    *word++ = (uint64_t)processor->waiting << 32 | processor->engaged;
    *word++ = (uint64_t)processor->cursor << 32 | processor->pause;
    *word++ = promised ? processor->reserved_until - sweep : 0;
    *word++ = promised ? (uint64_t)processor->reserved_port << 32 | processor->reserved_age : 0;
    *word++ = (uint64_t)processor->age << 32 | (uint64_t)processor->phase << 8 | (uint64_t)processor->second << 3 |
              (uint64_t)processor->withdrawn << 2 | (uint64_t)processor->any_joined << 1 | (processor->wanted_at > 0);
    return word;
}

static uint64_t *put_port(uint64_t *word, const struct exhaust *exhaust, uint32_t port)
{
    const struct ek_explore *explore = exhaust->explore;
    const struct free_run *run = explore->run;
    const struct free_port *here = &run->port[port];
    const struct explore_under_way *way = &explore->inspector.way[port];
    *word++ = (uint64_t)here->member << 56 | (uint64_t)here->engaged << 48 | (uint64_t)here->kept.count << 40 |
              (uint64_t)here->waiting << 24 | (uint64_t)here->room << 8 | way->count;
    *word++ = bits_of(here->neighbour_level);
    *word++ = bits_of(here->asked);
    *word++ = bits_of(here->got);
    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t bound = explore->inspector.bound;
        const struct mail_message *message = &explore->inspector.place[(size_t)port * bound + (way->first + i) % bound];
        *word++ = message->stamp & 0xFFFF; // without the time
        *word++ = bits_of(message->amount);
    }
    return word;
}

static size_t words_most(const struct free_run *run, uint32_t bound)
{
    enum { OF_PROCESSOR = 10, OF_PORT = 4, OF_WORKER = 1 };
    const struct ek_plan *plan = &run->machine->method_plan;
    return (size_t)run->topology->processors * (OF_PROCESSOR + plan->state_doubles) +
           (size_t)run->topology->ports * (OF_PORT + 2 * bound + plan->port_doubles) +
           (size_t)run->machine->workers * OF_WORKER;
}

// All that decides what can happen from here on.
static XXH128_hash_t hash_of(const struct exhaust *exhaust)
{
    const struct free_run *run = exhaust->explore->run;
    const struct ek_plan *plan = &run->machine->method_plan;
    size_t state_doubles = (size_t)run->topology->processors * plan->state_doubles;
    size_t port_doubles = (size_t)run->topology->ports * plan->port_doubles;
    uint64_t *word = exhaust->word;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        word = put_processor(word, exhaust, p);
    }
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        word = put_port(word, exhaust, port);
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        const struct explore_worker *worker = &exhaust->explore->worker[w];
        *word++ = (uint64_t)exhaust->passed[w] << 32 | (uint64_t)worker->own << 3 | (uint64_t)worker->rung << 2 |
                  (uint64_t)worker->any << 1 | worker->unseen;
    }
    if (state_doubles > 0) {
        memcpy(word, run->state, state_doubles * sizeof *word);
        word += state_doubles;
    }
    if (port_doubles > 0) {
        memcpy(word, run->memory, port_doubles * sizeof *word);
        word += port_doubles;
    }
    return XXH3_128bits(exhaust->word, (size_t)(word - exhaust->word) * sizeof *word);
}

static struct known *place_of(struct known *known, size_t size, XXH128_hash_t hash)
{
    size_t at = hash.low64 & (size - 1);
    while (known[at].used && !XXH128_isEqual(known[at].hash, hash)) {
        at = (at + 1) & (size - 1);
    }
    return &known[at];
}

// Room for one state more. False where there is none.
static bool make_room(struct exhaust *exhaust)
{
    if (exhaust->all->states < exhaust->known_size / 2) {
        return true;
    }
    size_t size = 2 * exhaust->known_size;
    struct known *known = size <= KNOWN_MOST ? calloc(size, sizeof *known) : NULL;
    if (!known) {
        return false;
    }
    for (size_t i = 0; i < exhaust->known_size; i++) {
        if (exhaust->known[i].used) {
            *place_of(known, size, exhaust->known[i].hash) = exhaust->known[i];
        }
    }
    free(exhaust->known);
    exhaust->known = known;
    exhaust->known_size = size;
    return true;
}

// ---- the search ----

// The ports at which there is anything that the processor has not seen: a bit each.
static uint32_t news_of(const struct free_run *run, uint32_t p)
{
    uint32_t news = 0;
    uint32_t first = run->topology->first[p];
    for (uint32_t port = first; port < run->topology->first[p + 1] && port < first + EXPLORE_PORTS; port++) {
        const struct free_port *here = &run->port[port];
        if (!here->local && (run->boxes.kind->waiting(&run->boxes, port) > here->waiting ||
                             run->boxes.kind->room(&run->boxes, port) > here->room)) {
            news |= 1u << (port - first);
        }
    }
    return news;
}

// What a turn sees that sees nothing new at these ports.
static uint32_t sees_but(uint32_t hidden)
{
    uint32_t sees = EXPLORE_SEES_EVERYTHING;
    for (unsigned k = 0; k < EXPLORE_PORTS; k++) {
        sees &= hidden >> k & 1 ? ~(3u << 2 * k) : UINT32_MAX;
    }
    return sees;
}

static bool is_passed_over(const struct exhaust *exhaust, uint32_t w)
{
    return exhaust->explore->worker[w].place != EXPLORE_NOBODY && exhaust->passed[w] >= exhaust->explore->depth;
}

static bool anybody_is_passed_over(const struct exhaust *exhaust)
{
    for (unsigned w = 0; w < exhaust->explore->run->machine->workers; w++) {
        if (is_passed_over(exhaust, w)) {
            return true;
        }
    }
    return false;
}

static void count_passing(struct exhaust *exhaust, uint32_t who)
{
    for (unsigned w = 0; w < exhaust->explore->run->machine->workers; w++) {
        bool passed = w != who && exhaust->explore->worker[w].place != EXPLORE_NOBODY;
        exhaust->passed[w] = passed ? exhaust->passed[w] + 1 : 0;
    }
}

// Nobody has anything left to do: then nobody waits, and nothing is under way.
static struct onwards end_here(struct exhaust *exhaust)
{
    exhaust->all->ends++;
    explore_check_end_of_run(&exhaust->explore->inspector);
    return (struct onwards){.schedules = 1.0};
}

static struct onwards walk(struct exhaust *exhaust, size_t depth);

// Makes a step, and goes on from where it leads to, if nobody has been there.
static struct onwards go(struct exhaust *exhaust, struct ek_scheduled step, size_t depth)
{
    struct ek_explore *explore = exhaust->explore;
    count_passing(exhaust, step.who);
    explore->step[depth] = step;
    explore->steps = depth + 1;
    explore_step(explore, step);
    exhaust->all->turns++;
    if (explore_has_failed(explore)) {
        return (struct onwards){0};
    }
    XXH128_hash_t hash = hash_of(exhaust);
    struct known *known = place_of(exhaust->known, exhaust->known_size, hash);
    if (!known->used) {
        if (!make_room(exhaust)) {
            exhaust->all->complete = false;
            return (struct onwards){0};
        }
        exhaust->all->states++;
        *place_of(exhaust->known, exhaust->known_size, hash) = (struct known){.hash = hash, .used = true};
        struct onwards from = walk(exhaust, depth + 1);
        known = place_of(exhaust->known, exhaust->known_size, hash); // it may have moved
        known->schedules = from.schedules;
        known->longest = from.longest;
    }
    return (struct onwards){known->schedules, known->longest + 1};
}

static bool keep_moment(struct exhaust *exhaust, size_t depth)
{
    if (depth == exhaust->moments) {
        struct moment *more = realloc(exhaust->moment, (depth + 1) * sizeof *more);
        if (!more) {
            return false;
        }
        exhaust->moment = more;
        exhaust->moments++;
        if (!moment_begin(&exhaust->moment[depth], exhaust->explore)) {
            return false;
        }
    }
    take(exhaust, &exhaust->moment[depth]);
    return true;
}

// All that this worker's next turn can see.
static struct onwards walk_worker(struct exhaust *exhaust, uint32_t w, size_t depth)
{
    const struct free_run *run = exhaust->explore->run;
    struct onwards all = {0};
    uint32_t news = exhaust->tree ? 0 : news_of(run, exhaust->explore->worker[w].turns.place);
    uint32_t hidden = 0;
    do { // each subset of the news
        restore(exhaust, &exhaust->moment[depth]);
        struct onwards one = go(exhaust, (struct ek_scheduled){.who = w, .sees = sees_but(hidden)}, depth);
        all.schedules += one.schedules;
        all.longest = one.longest > all.longest ? one.longest : all.longest;
        hidden = (hidden - news) & news;
    } while (hidden != 0 && exhaust->how == EK_EXPLORED_ENDS && !explore_has_failed(exhaust->explore));
    return all;
}

// From the state that the explorer is in.
static struct onwards walk(struct exhaust *exhaust, size_t depth)
{
    struct ek_explore *explore = exhaust->explore;
    struct onwards all = {0};
    if (explore->ready_count == 0) {
        return end_here(exhaust);
    }
    bool stopped = machine_interrupts(explore->run->machine) != explore->control->interrupts_before;
    if (depth == explore->turns_most || stopped) {
        exhaust->all->complete = false;
        return all;
    }
    if (!keep_moment(exhaust, depth)) {
        exhaust->how = EK_EXPLORED_REFUSED;
        return all;
    }
    bool only_passed = anybody_is_passed_over(exhaust);
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        restore(exhaust, &exhaust->moment[depth]);
        if (explore->worker[w].place == EXPLORE_NOBODY || (only_passed && !is_passed_over(exhaust, w))) {
            continue;
        }
        struct onwards these = walk_worker(exhaust, w, depth);
        if (exhaust->how != EK_EXPLORED_ENDS || explore_has_failed(explore)) {
            return all;
        }
        all.schedules += these.schedules;
        all.longest = these.longest > all.longest ? these.longest : all.longest;
    }
    return all;
}

static bool is_possible(const struct free_run *run, uint64_t turns_most, struct ek_error *error)
{
    const struct machine_plan *machine = run->machine;
    bool plain = !free_delays(machine) && !free_faults(machine) && !core_workload_continues(&machine->work, 0) &&
                 !machine->slow && machine->experiment.operations_max == 0;
    if (!plain) {
        return base_fail_at(
            error, "strategy", 0,
            "exhaustive is for machines without delays, faults, slow processors, work and a limit on operations");
    }
    return turns_most <= EK_EXPLORE_DEEPEST ||
           base_fail_at(error, "turns", 0, "exhaustive goes at most %d turns deep: use fewer turns",
                        EK_EXPLORE_DEEPEST);
}

static bool begin(struct exhaust *exhaust)
{
    struct ek_explore *explore = exhaust->explore;
    const struct free_run *run = explore->run;
    exhaust->known_size = KNOWN_FIRST;
    exhaust->known = calloc(exhaust->known_size, sizeof *exhaust->known);
    exhaust->passed = calloc(run->machine->workers, sizeof *exhaust->passed);
    exhaust->word = calloc(words_most(run, explore->inspector.bound), sizeof *exhaust->word);
    explore->step = realloc(explore->step, explore->turns_most * sizeof *explore->step);
    explore->steps_size = explore->turns_most;
    return exhaust->known && exhaust->passed && exhaust->word && explore->step;
}

static void end(struct exhaust *exhaust)
{
    for (size_t i = 0; i < exhaust->moments; i++) {
        moment_end(&exhaust->moment[i]);
    }
    free(exhaust->moment);
    free(exhaust->known);
    free(exhaust->passed);
    free(exhaust->word);
}

enum ek_explored explore_exhaustively(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error)
{
    struct free_run *run = explore->run;
    struct exhaust exhaust = {.explore = explore,
                              .all = all,
                              .tree = run->topology->links + 1 == run->topology->processors,
                              .how = EK_EXPLORED_ENDS};
    if (!is_possible(run, explore->turns_most, error)) {
        return EK_EXPLORED_REFUSED;
    }
    explore_restart(explore);
    all->complete = true;
    if (begin(&exhaust)) {
        struct onwards from = walk(&exhaust, 0);
        all->schedules = from.schedules;
        all->longest = from.longest;
    } else {
        exhaust.how = EK_EXPLORED_REFUSED;
    }
    end(&exhaust);
    if (explore_has_failed(explore)) {
        *error = run->shared.violation;
        return EK_EXPLORED_FAILS;
    }
    if (exhaust.how == EK_EXPLORED_REFUSED) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for so many schedules: use fewer turns");
    }
    return exhaust.how;
}
