// SPDX-License-Identifier: MIT
// Strategies. Their random numbers depend on the experiment's seed and the schedule's number only.
#include "threads/drivers/explore/strategy.h"

#include <string.h>

#include "base/cursor.h"
#include "base/random.h"

// An unfair strategy is followed for this number of turns for each processor.
enum { UNFAIR_TURNS = 64 };

static const struct ek_scheduled no_step = {.who = EXPLORE_NO_ACTOR};

static uint32_t actors(const struct ek_explore *explore)
{
    return explore->run->machine->workers + 2;
}

static struct ek_scheduled all_of(uint32_t who)
{
    return (struct ek_scheduled){.who = who, .sees = EXPLORE_SEES_EVERYTHING};
}

// ---- in turn ----

static struct ek_scheduled next_in_turn(struct ek_explore *explore)
{
    uint32_t count = actors(explore);
    for (uint32_t i = 0; i < count; i++) {
        explore->turn = explore->turn + 1 < count ? explore->turn + 1 : 0;
        if (explore_can_act(explore, explore->turn)) {
            return all_of(explore->turn);
        }
    }
    return no_step;
}

static const struct explore_strategy round_robin = {.name = "round-robin", .next = next_in_turn};

// ---- at random ----

// Draws `held_back`, the share of the looks in this schedule that do not see everything.
static void begin_random(struct ek_explore *explore)
{
    explore->held_back = (unsigned)base_random_below(&explore->random, 4);
}

// Draws what a step sees at each port. On average, the step does not see everything at `held_back` of four ports.
static uint32_t draw_sees(const struct ek_explore *explore, uint64_t bits, uint32_t ports)
{
    uint32_t sees = EXPLORE_SEES_EVERYTHING;
    for (uint32_t k = 0; k < ports; k++, bits >>= 3) {
        if ((bits & 3) < explore->held_back) {
            unsigned less = bits >> 2 & 1 ? EXPLORE_SEES_ONE : EXPLORE_SEES_NOTHING;
            sees ^= (EXPLORE_SEES_ALL ^ less) << 2 * k;
        }
    }
    return sees;
}

// Draws an actor that can go on. In one step of eight a worker only looks around.
static struct ek_scheduled next_random(struct ek_explore *explore)
{
    uint32_t attendant = explore_attendant(explore);
    uint32_t faults = explore_fault_thread(explore);
    uint32_t attends = explore_can_act(explore, attendant);
    uint32_t fails = explore_can_act(explore, faults);
    uint32_t count = explore->ready_count + attends + fails;
    if (count == 0) {
        return no_step;
    }
    uint64_t bits = base_random_bits(&explore->random);
    uint32_t drawn = (uint32_t)((bits >> 32) * count >> 32);
    if (drawn >= explore->ready_count) {
        return all_of(attends && drawn == explore->ready_count ? attendant : faults);
    }
    uint32_t looks_only = bits % 8 == 0 ? EXPLORE_LOOKS_ONLY : 0;
    uint32_t sees = EXPLORE_SEES_EVERYTHING;
    if (explore->held_back > 0) {
        uint32_t p = explore->worker[explore->ready[drawn]].turns.place;
        uint32_t degree = explore->run->topology->first[p + 1] - explore->run->topology->first[p];
        sees = draw_sees(explore, base_random_bits(&explore->random), degree < EXPLORE_PORTS ? degree : EXPLORE_PORTS);
    }
    return (struct ek_scheduled){.who = explore->ready[drawn], .sees = sees | looks_only};
}

static const struct explore_strategy at_random = {.name = "random", .begin = begin_random, .next = next_random};

// ---- by priority: Burckhardt, Kothari, Musuvathi & Nagarakatte, A randomized scheduler with probabilistic guarantees
// of finding bugs, ASPLOS 2010. A bug that needs D events in a certain order is found with a probability of at least
// 1 / (n k^(D-1)), for n actors and k turns. ----

static uint64_t unfair_turns(const struct ek_explore *explore)
{
    return (uint64_t)UNFAIR_TURNS * explore->run->topology->processors;
}

static void begin_pct(struct ek_explore *explore)
{
    uint32_t count = actors(explore);
    for (uint32_t i = 0; i < count; i++) { // a permutation (Fisher & Yates)
        uint32_t j = (uint32_t)base_random_below(&explore->random, i + 1);
        explore->priority[i] = explore->priority[j];
        explore->priority[j] = UINT32_MAX - i;
    }
    explore->lowest = UINT32_MAX - count;
    explore->changes = explore->depth - 1;
    for (uint32_t i = 0; i < explore->changes; i++) {
        explore->change[i] = base_random_below(&explore->random, unfair_turns(explore));
    }
}

// Returns whether the first actor becomes the last one now. Each change happens once.
static bool changes_now(struct ek_explore *explore)
{
    for (uint32_t i = 0; i < explore->changes; i++) {
        if (explore->change[i] <= explore->turns) {
            explore->change[i] = explore->change[--explore->changes];
            return true;
        }
    }
    return false;
}

// Returns the actor of the highest priority that can go on, or EXPLORE_NO_ACTOR.
static uint32_t first_of(const struct ek_explore *explore)
{
    uint32_t first = EXPLORE_NO_ACTOR;
    for (uint32_t who = 0; who < actors(explore); who++) {
        if (explore_can_act(explore, who) &&
            (first == EXPLORE_NO_ACTOR || explore->priority[who] > explore->priority[first])) {
            first = who;
        }
    }
    return first;
}

// Returns whether an actor had nothing to do in its last pass. Such an actor only waits for others, and gives way to
// them.
static bool spins(const struct ek_explore *explore, uint32_t who)
{
    return who < explore->run->machine->workers && explore->worker[who].spins;
}

static struct ek_scheduled next_pct(struct ek_explore *explore)
{
    uint32_t first = first_of(explore);
    if (first != EXPLORE_NO_ACTOR && (changes_now(explore) || spins(explore, first))) {
        explore->priority[first] = explore->lowest--;
        first = first_of(explore);
    }
    return first == EXPLORE_NO_ACTOR ? no_step : all_of(first);
}

static const struct explore_strategy pct = {.name = "pct", .begin = begin_pct, .next = next_pct, .unfair = true};

// ---- messages as late as possible ----

// Draws a worker and one port at which its next turn sees a message.
static struct ek_scheduled deliver_one(struct ek_explore *explore)
{
    const struct free_run *run = explore->run;
    uint32_t drawn = (uint32_t)base_random_below(&explore->random, explore->ready_count);
    uint32_t w = explore->ready[drawn];
    uint32_t p = explore->worker[w].turns.place;
    uint32_t degree = run->topology->first[p + 1] - run->topology->first[p];
    if (degree == 0 || degree > EXPLORE_PORTS) {
        return all_of(w);
    }
    uint32_t k = (uint32_t)base_random_below(&explore->random, degree);
    return (struct ek_scheduled){.who = w, .sees = (uint32_t)EXPLORE_SEES_ONE << 2 * k};
}

// Chooses the next step. No processor sees a message as long as some worker has something to do without a message.
static struct ek_scheduled next_delayed(struct ek_explore *explore)
{
    uint32_t attendant = explore_attendant(explore);
    for (uint32_t i = 0; i < explore->ready_count; i++) {
        if (explore->worker[explore->ready[i]].own && !explore->worker[explore->ready[i]].spins) {
            return (struct ek_scheduled){.who = explore->ready[i]};
        }
    }
    if (explore_can_act(explore, attendant)) {
        return all_of(attendant);
    }
    if (explore_can_act(explore, explore_fault_thread(explore))) {
        return all_of(explore_fault_thread(explore));
    }
    return explore->ready_count > 0 ? deliver_one(explore) : no_step;
}

static const struct explore_strategy delay_first = {.name = "delay-first", .next = next_delayed, .unfair = true};

// ---- all schedules: exhaustive.c; a single schedule goes on in turn ----

static const struct explore_strategy exhaustive = {.name = "exhaustive", .next = next_in_turn};

static const struct explore_strategy *const strategies[] = {&at_random, &pct, &delay_first, &round_robin, &exhaustive};
enum { STRATEGIES = sizeof strategies / sizeof *strategies };

static const char *name_at(size_t index)
{
    return index < STRATEGIES ? strategies[index]->name : NULL;
}

bool explore_strategy_read(struct ek_explore *explore, const char *spec, struct ek_error *error)
{
    enum { DEPTH = 3, PASSED = 4, DEPTH_MAX = 64 };
    struct base_cursor cursor = base_cursor_start("strategy", spec, error);
    char name[32] = "";
    base_cursor_name(&cursor, name, sizeof name);
    size_t i = 0;
    while (i < STRATEGIES && strcmp(strategies[i]->name, name) != 0) {
        i++;
    }
    if (i == STRATEGIES) {
        return base_cursor_unknown(&cursor, 0, "strategy", name, name_at);
    }
    explore->strategy = strategies[i];
    bool takes = explore->strategy == &pct || explore->strategy == &exhaustive;
    uint64_t depth = explore->strategy == &exhaustive ? PASSED : DEPTH;
    const char *what = explore->strategy == &exhaustive ? "the B of exhaustive:B" : "the D of pct:D";
    if (takes && base_cursor_accept(&cursor, ':') && !base_cursor_whole(&cursor, what, 1, DEPTH_MAX, &depth)) {
        return false;
    }
    explore->depth = (uint32_t)depth;
    return base_cursor_end(&cursor);
}

struct ek_scheduled explore_strategy_next(struct ek_explore *explore)
{
    const struct explore_strategy *strategy = explore->strategy;
    while (explore->script_at < explore->script_count) { // steps of actors that have nothing to do are skipped
        struct ek_scheduled step = explore->script[explore->script_at++];
        if (explore_can_act(explore, step.who)) {
            return step;
        }
    }
    bool fair = explore->script || (strategy->unfair && explore->turns >= unfair_turns(explore));
    return fair ? next_in_turn(explore) : strategy->next(explore);
}
