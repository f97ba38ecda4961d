// SPDX-License-Identifier: MIT
// A depth-first search through the states of a machine. The search continues from each state once, however many
// schedules lead there. States are compared by a hash of 128 bits: among 10^7 states the probability that two different
// ones share a hash is below 10^-20.
//
// Steps. The search makes turns of workers only, in which the processor has something to do. There is no attendant and
// there are no snapshots: a schedule ends when no worker has anything left to do.
//
// Fairness. A worker that has something to do is passed over at most B times in a row (`exhaustive:B`). This excludes
// schedules in which a worker waits for ever.
//
// Looks. If the topology is a tree, a turn sees everything. This loses no behaviour: messages on different links of a
// processor are independent of each other until its turn, so a turn that sees less equals a turn before the messages
// that it does not see. In other topologies a turn sees, on each link, either everything or nothing new, in all
// combinations.
#include "threads/drivers/explore/exhaustive.h"

#include <stdlib.h>
#include <string.h>

// The functions of xxHash become part of this file, so that the library does not depend on another one.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "threads/api/experiment.h"
#include "threads/drivers/explore/state.h"
#include "threads/free/control/end.h"
#include "threads/free/post.h"
#include "base/cursor.h"

// The schedules from a state: their number, and the turns of the longest one.
struct continuations {
    double schedules;
    uint64_t longest;
};

// A state that was visited.
struct known {
    XXH128_hash_t hash;
    struct continuations from;
    bool used;
};

// The explorer at a depth of the search, to return to it.
struct checkpoint {
    struct explore_image image;
    struct ek_explore explore;
    struct explore_worker *worker;
    uint32_t *ready;
    uint32_t *passed;
    struct explore_under_way *way;
    struct mail_message *place;
};

struct search {
    struct ek_explore *explore;
    struct ek_explore_all *all;
    struct checkpoint *checkpoint; // [checkpoints], by depth
    size_t checkpoints;
    struct known *known; // [known_size], a power of two
    size_t known_size;
    uint32_t *passed; // by worker: how often in a row it was passed over
    uint64_t *word;   // room for a state in words
    bool tree;
    enum ek_explored how;
};

enum { KNOWN_FIRST = 1 << 16, KNOWN_MOST = 1 << 24 };

// ---- checkpoints ----

static bool checkpoint_begin(struct checkpoint *checkpoint, struct ek_explore *explore)
{
    unsigned workers = explore->run->machine->workers;
    uint32_t ports = explore->run->topology->ports;
    *checkpoint =
        (struct checkpoint){.worker = calloc(workers, sizeof *checkpoint->worker),
                            .ready = calloc(workers, sizeof *checkpoint->ready),
                            .passed = calloc(workers, sizeof *checkpoint->passed),
                            .way = calloc(ports + 1u, sizeof *checkpoint->way),
                            .place = calloc((size_t)ports * explore->checker.bound + 1, sizeof *checkpoint->place)};
    bool image = explore_image_begin(&checkpoint->image, explore->control);
    return image && checkpoint->worker && checkpoint->ready && checkpoint->passed && checkpoint->way &&
           checkpoint->place;
}

static void checkpoint_end(struct checkpoint *checkpoint)
{
    explore_image_end(&checkpoint->image);
    free(checkpoint->worker);
    free(checkpoint->ready);
    free(checkpoint->passed);
    free(checkpoint->way);
    free(checkpoint->place);
}

static void copy_arrays(struct search *search, struct checkpoint *checkpoint, bool back)
{
    struct ek_explore *explore = search->explore;
    unsigned workers = explore->run->machine->workers;
    uint32_t ports = explore->run->topology->ports;
    const struct {
        void *here, *there;
        size_t bytes;
    } arrays[] = {{explore->worker, checkpoint->worker, workers * sizeof *checkpoint->worker},
                  {explore->ready, checkpoint->ready, workers * sizeof *checkpoint->ready},
                  {search->passed, checkpoint->passed, workers * sizeof *checkpoint->passed},
                  {explore->checker.way, checkpoint->way, ports * sizeof *checkpoint->way},
                  {explore->checker.place, checkpoint->place,
                   (size_t)ports * explore->checker.bound * sizeof *checkpoint->place}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        memcpy(back ? arrays[i].here : arrays[i].there, back ? arrays[i].there : arrays[i].here, arrays[i].bytes);
    }
}

static void take(struct search *search, struct checkpoint *checkpoint)
{
    explore_image_take(&checkpoint->image);
    checkpoint->explore = *search->explore;
    copy_arrays(search, checkpoint, false);
}

// Returns to a checkpoint. The checker's counts of messages in states stay.
static void restore(struct search *search, struct checkpoint *checkpoint)
{
    struct ek_explore *explore = search->explore;
    struct explore_checker met = explore->checker;
    explore_image_restore(&checkpoint->image);
    *explore = checkpoint->explore;
    memcpy(explore->checker.met, met.met, sizeof met.met);
    copy_arrays(search, checkpoint, true);
}

// ---- states ----

static XXH128_hash_t hash_of(const struct search *search)
{
    size_t words = explore_state_put(search->explore, search->passed, search->word);
    return XXH3_128bits(search->word, words * sizeof *search->word);
}

static struct known *place_of(struct known *known, size_t size, XXH128_hash_t hash)
{
    size_t at = hash.low64 & (size - 1);
    while (known[at].used && !XXH128_isEqual(known[at].hash, hash)) {
        at = (at + 1) & (size - 1);
    }
    return &known[at];
}

// Makes room for one more state. Returns false if there is none.
static bool make_room(struct search *search)
{
    if (search->all->states < search->known_size / 2) {
        return true;
    }
    size_t size = 2 * search->known_size;
    struct known *known = size <= KNOWN_MOST ? calloc(size, sizeof *known) : NULL;
    if (!known) {
        return false;
    }
    for (size_t i = 0; i < search->known_size; i++) {
        if (search->known[i].used) {
            *place_of(known, size, search->known[i].hash) = search->known[i];
        }
    }
    free(search->known);
    search->known = known;
    search->known_size = size;
    return true;
}

// ---- the search ----

// Returns a bit for each port: 1 if there is a message or room that the processor has not seen.
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

// Returns what a step sees (`sees`) if it sees nothing new at the hidden ports.
static uint32_t sees_but(uint32_t hidden)
{
    uint32_t sees = EXPLORE_SEES_EVERYTHING;
    for (unsigned k = 0; k < EXPLORE_PORTS; k++) {
        sees &= hidden >> k & 1 ? ~(3u << 2 * k) : UINT32_MAX;
    }
    return sees;
}

static bool is_passed_over(const struct search *search, uint32_t w)
{
    return search->explore->worker[w].place != EXPLORE_NO_ACTOR && search->passed[w] >= search->explore->depth;
}

static bool any_is_passed_over(const struct search *search)
{
    for (unsigned w = 0; w < search->explore->run->machine->workers; w++) {
        if (is_passed_over(search, w)) {
            return true;
        }
    }
    return false;
}

static void count_passing(struct search *search, uint32_t who)
{
    for (unsigned w = 0; w < search->explore->run->machine->workers; w++) {
        bool passed = w != who && search->explore->worker[w].place != EXPLORE_NO_ACTOR;
        search->passed[w] = passed ? search->passed[w] + 1 : 0;
    }
}

// Ends a schedule: no worker has anything left to do. Then no processor may wait, and no message be under way.
static struct continuations end_here(struct search *search)
{
    search->all->ends++;
    explore_check_end_of_run(&search->explore->checker);
    return (struct continuations){.schedules = 1.0};
}

static void add(struct continuations *all, struct continuations more)
{
    all->schedules += more.schedules;
    all->longest = more.longest > all->longest ? more.longest : all->longest;
}

static struct continuations walk(struct search *search, size_t depth);

// Makes a step, and continues from the state that it leads to, if that state is new. Returns the schedules that begin
// with the step.
static struct continuations go(struct search *search, struct ek_scheduled step, size_t depth)
{
    struct ek_explore *explore = search->explore;
    count_passing(search, step.who);
    explore->step[depth] = step;
    explore->steps = depth + 1;
    explore_step(explore, step);
    search->all->turns++;
    if (explore_has_failed(explore)) {
        return (struct continuations){0};
    }
    XXH128_hash_t hash = hash_of(search);
    struct known *known = place_of(search->known, search->known_size, hash);
    if (!known->used) {
        if (!make_room(search)) {
            search->all->complete = false;
            return (struct continuations){0};
        }
        search->all->states++;
        *place_of(search->known, search->known_size, hash) = (struct known){.hash = hash, .used = true};
        struct continuations from = walk(search, depth + 1);
        known = place_of(search->known, search->known_size, hash); // it may have moved
        known->from = from;
    }
    return (struct continuations){known->from.schedules, known->from.longest + 1};
}

static bool keep_checkpoint(struct search *search, size_t depth)
{
    if (depth == search->checkpoints) {
        struct checkpoint *more = realloc(search->checkpoint, (depth + 1) * sizeof *more);
        if (!more) {
            return false;
        }
        search->checkpoint = more;
        search->checkpoints++;
        if (!checkpoint_begin(&search->checkpoint[depth], search->explore)) {
            return false;
        }
    }
    take(search, &search->checkpoint[depth]);
    return true;
}

// Makes the worker's next turn once for each set of ports at which it may see nothing new. Returns the sum of the
// schedules.
static struct continuations walk_worker(struct search *search, uint32_t w, size_t depth)
{
    const struct free_run *run = search->explore->run;
    struct continuations all = {0};
    uint32_t news = search->tree ? 0 : news_of(run, search->explore->worker[w].turns.place);
    uint32_t hidden = 0;
    do { // for each subset of the news
        restore(search, &search->checkpoint[depth]);
        add(&all, go(search, (struct ek_scheduled){.who = w, .sees = sees_but(hidden)}, depth));
        hidden = (hidden - news) & news;
    } while (hidden != 0 && search->how == EK_EXPLORED_ENDS && !explore_has_failed(search->explore));
    return all;
}

// Returns the schedules from the explorer's current state.
static struct continuations walk(struct search *search, size_t depth)
{
    struct ek_explore *explore = search->explore;
    struct continuations all = {0};
    if (explore->ready_count == 0) {
        return end_here(search);
    }
    bool stopped = machine_interrupts(explore->run->machine) != explore->control->interrupts_before;
    if (depth == explore->turns_most || stopped) {
        search->all->complete = false;
        return all;
    }
    if (!keep_checkpoint(search, depth)) {
        search->how = EK_EXPLORED_REFUSED;
        return all;
    }
    bool only_passed = any_is_passed_over(search);
    for (unsigned w = 0; w < explore->run->machine->workers; w++) {
        restore(search, &search->checkpoint[depth]);
        if (explore->worker[w].place == EXPLORE_NO_ACTOR || (only_passed && !is_passed_over(search, w))) {
            continue;
        }
        struct continuations these = walk_worker(search, w, depth);
        if (search->how != EK_EXPLORED_ENDS || explore_has_failed(explore)) {
            return all;
        }
        add(&all, these);
    }
    return all;
}

// Returns whether processors begin operations for ever, so that no schedule has an end. Without the attendant nobody
// tests a condition on all loads again.
static bool is_endless(const struct machine_plan *machine)
{
    const struct core_invoke *invoke = &machine->invoke;
    return machine->topology->links > 0 && !machine->method->free->includes &&
           (!core_invoke_by_load(invoke) || invoke->kind == CORE_INVOKE_GLOBAL);
}

static bool is_possible(const struct free_run *run, uint64_t turns_most, struct ek_error *error)
{
    const struct machine_plan *machine = run->machine;
    bool plain = !free_delays(machine) && !free_faults(machine) && !core_workload_continues(&machine->work, 0) &&
                 !machine->slow && machine->experiment->operations_max == 0;
    if (!plain) {
        return base_fail_at(
            error, "strategy", 0,
            "exhaustive is for machines without delays, faults, slow processors, work and a limit on operations");
    }
    if (turns_most == EK_EXPLORE_DEEPEST && is_endless(machine)) {
        return base_fail_at(error, "invoke", 0,
                            "processors begin operations for ever, so no schedule has an end: bound the schedules, as "
                            "in turns 20, or let the loads decide, as in invoke outside:1:1");
    }
    return turns_most <= EK_EXPLORE_DEEPEST ||
           base_fail_at(error, "turns", 0, "exhaustive goes at most %d turns deep: use fewer turns",
                        EK_EXPLORE_DEEPEST);
}

static bool begin(struct search *search)
{
    struct ek_explore *explore = search->explore;
    const struct free_run *run = explore->run;
    search->known_size = KNOWN_FIRST;
    search->known = calloc(search->known_size, sizeof *search->known);
    search->passed = calloc(run->machine->workers, sizeof *search->passed);
    search->word = calloc(explore_state_most(explore), sizeof *search->word);
    explore->step = realloc(explore->step, explore->turns_most * sizeof *explore->step);
    explore->steps_size = explore->turns_most;
    return search->known && search->passed && search->word && explore->step;
}

static void end(struct search *search)
{
    for (size_t i = 0; i < search->checkpoints; i++) {
        checkpoint_end(&search->checkpoint[i]);
    }
    free(search->checkpoint);
    free(search->known);
    free(search->passed);
    free(search->word);
}

enum ek_explored explore_exhaustively(struct ek_explore *explore, struct ek_explore_all *all, struct ek_error *error)
{
    struct free_run *run = explore->run;
    struct search search = {.explore = explore,
                            .all = all,
                            .tree = run->topology->links + 1 == run->topology->processors,
                            .how = EK_EXPLORED_ENDS};
    if (!is_possible(run, explore->turns_most, error)) {
        return EK_EXPLORED_REFUSED;
    }
    explore_restart(explore);
    all->complete = true;
    if (begin(&search)) {
        struct continuations from = walk(&search, 0);
        all->schedules = from.schedules;
        all->longest = from.longest;
    } else {
        search.how = EK_EXPLORED_REFUSED;
    }
    end(&search);
    if (explore_has_failed(explore)) {
        *error = run->shared.violation;
        return EK_EXPLORED_FAILS;
    }
    if (search.how == EK_EXPLORED_REFUSED) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for so many schedules: use fewer turns");
    }
    return search.how;
}
