// SPDX-License-Identifier: MIT
// The strategy exhaustive:B continues from a state once, however many schedules lead there. Here the schedules are
// counted again without any comparison of states: each one is made from the start of the run. The last test changes one
// part of a state after the other.
#include "tests/support/must.h"
#include "threads/drivers/explore/state.h"

enum { WORKERS = 3, DEPTH = 64 };

struct recount {
    struct ek_explore *explore;
    struct ek_scheduled step[DEPTH]; // from the start
    uint64_t schedules, longest;
};

// The turns in a row for which each worker was passed over, though it had something to do.
struct passed {
    uint32_t turns[WORKERS];
};

static bool has_turn(const struct recount *count, uint32_t w)
{
    return w < count->explore->run->machine->workers && explore_can_act(count->explore, w);
}

static struct passed pass_over_all_but(const struct recount *count, struct passed before, uint32_t who)
{
    for (uint32_t w = 0; w < WORKERS; w++) {
        before.turns[w] = w != who && has_turn(count, w) ? before.turns[w] + 1 : 0;
    }
    return before;
}

static void return_to(struct recount *count, size_t depth)
{
    explore_restart(count->explore);
    for (size_t i = 0; i < depth; i++) {
        explore_step(count->explore, count->step[i]);
    }
}

// Counts the schedules that begin with the first `depth` steps.
static void go_on(struct recount *count, size_t depth, struct passed passed)
{
    return_to(count, depth);
    bool can[WORKERS], waits[WORKERS], any = false, any_waits = false;
    for (uint32_t w = 0; w < WORKERS; w++) {
        can[w] = has_turn(count, w);
        waits[w] = can[w] && passed.turns[w] >= count->explore->depth;
        any = any || can[w];
        any_waits = any_waits || waits[w];
    }
    if (!any) {
        count->schedules++;
        count->longest = depth > count->longest ? depth : count->longest;
        return;
    }
    cr_assert(depth < DEPTH);
    for (uint32_t w = 0; w < WORKERS; w++) {
        if (can[w] && (!any_waits || waits[w])) {
            return_to(count, depth);
            count->step[depth] = (struct ek_scheduled){.who = w, .sees = EK_EXPLORE_SEES_ALL};
            go_on(count, depth + 1, pass_over_all_but(count, passed, w));
        }
    }
}

static struct ek_explore *begin_search(struct ek_experiment experiment, const char *strategy)
{
    experiment.timing = "free";
    experiment.units = "tokens";
    experiment.seed = 1;
    struct ek_error error;
    struct ek_explore *explore = ek_explore_begin(must_prepare(experiment), strategy, DEPTH, NULL, &error);
    cr_assert(explore, "%s", error.sentence);
    return explore;
}

static void end_search(struct ek_explore *explore)
{
    struct ek_machine *machine = (struct ek_machine *)explore->run->machine; // the plan is its first member
    ek_explore_destroy(explore);
    ek_machine_destroy(machine);
}

// In some of these the same state is reached again but for the pause of a processor that was refused, or but for the
// place at which a worker of two processors is.
Test(exhaustive, counts_as_many_schedules_as_there_are)
{
    static const struct {
        const char *strategy, *carrier, *load, *invoke, *ports, *domains, *rounding;
    } cases[] = {{"exhaustive:1", "threads", "list:2,0,1", "outside:1:1", "all", "overlap", NULL},
                 {"exhaustive:2", "threads", "list:2,0,1", "outside:1:1", "one", "overlap", NULL},
                 {"exhaustive:2", "threads", "list:0,3,0", "outside:1:2", "all", "exclusive", NULL},
                 {"exhaustive:1", "pool:2", "list:2,0,1", "outside:1:1", "all", "overlap", NULL},
                 {"exhaustive:2", "pool:2", "list:0,3,0", "outside:1:2", "one", "overlap", NULL},
                 {"exhaustive:2", "pool:2", "list:0,3,0", "outside:1:2", "all", "exclusive", NULL},
                 {"exhaustive:1", "threads", "list:0,3,0", "outside:1:2", "all", "exclusive", "carry"},
                 {"exhaustive:1", "pool:2", "list:0,3,0", "outside:1:2", "all", "overlap", "carry"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ek_experiment experiment = {.topology = "chain:3",
                                           .method = "ade",
                                           .carrier = cases[k].carrier,
                                           .load = cases[k].load,
                                           .invoke = cases[k].invoke,
                                           .ports = cases[k].ports,
                                           .domains = cases[k].domains,
                                           .rounding = cases[k].rounding};
        struct ek_explore *explore = begin_search(experiment, cases[k].strategy);
        struct ek_explore_all all;
        struct ek_error error;
        cr_assert_eq(ek_explore_all(explore, &all, &error), EK_EXPLORED_ENDS, "%s", error.sentence);
        struct recount count = {.explore = explore};
        go_on(&count, 0, (struct passed){0});
        cr_expect(all.complete && all.schedules == (double)count.schedules && all.longest == count.longest,
                  "case %zu: %.0f schedules, the longest of %llu turns; %llu and %llu again", k, all.schedules,
                  (unsigned long long)all.longest, (unsigned long long)count.schedules,
                  (unsigned long long)count.longest);
        end_search(explore);
    }
}

enum { WORDS = 200 };

struct words {
    uint64_t word[WORDS];
    size_t count;
};

static struct words words_of(const struct ek_explore *explore, const uint32_t *passed)
{
    struct words words = {.count = 0};
    cr_assert(explore_state_most(explore) <= WORDS);
    words.count = explore_state_put(explore, passed, words.word);
    cr_assert(words.count <= explore_state_most(explore));
    return words;
}

// Changes the lowest bit there. Returns whether that changes the words of the state.
static bool tells(const struct ek_explore *explore, const uint32_t *passed, void *part)
{
    struct words before = words_of(explore, passed);
    *(uint8_t *)part ^= 1;
    struct words after = words_of(explore, passed);
    *(uint8_t *)part ^= 1;
    return memcmp(before.word, after.word, before.count * sizeof *before.word) != 0;
}

// The state contains the error that a processor carries for each of its links.
Test(exhaustive, tells_carried_errors_apart)
{
    struct ek_explore *explore = begin_search((struct ek_experiment){.topology = "chain:3",
                                                                     .method = "gde:0.3",
                                                                     .carrier = "threads",
                                                                     .load = "list:5,0,1",
                                                                     .rounding = "carry"},
                                              "exhaustive:4");
    uint32_t passed[3] = {0};
    explore_restart(explore);
    cr_assert_eq(explore->run->machine->method_plan.port_doubles, 1);
    for (uint32_t port = 0; port < explore->run->topology->ports; port++) {
        cr_expect(tells(explore, passed, &explore->run->memory[port]), "port %u", port);
    }
    end_search(explore);
}

// Each part of a state that decides how the run goes on. Processor 1 is reserved, and an ASK to it is under way.
Test(exhaustive, tells_states_apart)
{
    struct ek_experiment experiment = {.topology = "chain:3",
                                       .method = "local-average",
                                       .carrier = "pool:2",
                                       .load = "list:2,0,1",
                                       .domains = "exclusive",
                                       .invoke = "outside:1:1"};
    struct ek_explore *explore = begin_search(experiment, "exhaustive:4");
    explore_restart(explore);
    explore_step(explore, (struct ek_scheduled){.who = 0, .sees = EK_EXPLORE_SEES_ALL});
    uint32_t passed[2] = {0, 1};
    struct free_processor *processor = &explore->run->processor[1];
    struct explore_worker *worker = &explore->worker[1];
    struct free_port *port = &explore->run->port[1];
    struct free_alone *alone = &explore->run->alone[1];
    alone->reserved_until = 9;
    cr_assert(explore->checker.way[1].count == 1 && explore->run->topology->first[1] == 1);
    struct mail_message *message = &explore->checker.place[explore->checker.bound + explore->checker.way[1].first];
    const struct {
        const char *name;
        void *at;
    } parts[] = {{"held", &processor->held},
                 {"native", &processor->native},
                 {"level", &alone->level},
                 {"operation", &processor->operation},
                 {"waiting", &processor->waiting},
                 {"engaged", &processor->engaged},
                 {"cursor", &processor->cursor},
                 {"pause", &processor->pause},
                 {"reserved_until", &alone->reserved_until},
                 {"reserved_port", &alone->reserved_port},
                 {"reserved_age", &alone->reserved_age},
                 {"age", &processor->age},
                 {"phase", &processor->phase},
                 {"second", &processor->second},
                 {"withdrawn", &processor->withdrawn},
                 {"any_joined", &processor->any_joined},
                 {"wanted_at", &processor->wanted_at},
                 {"pass", &explore->run->worker[1].look.pass},
                 {"kept", &port->kept.count},
                 {"waiting at the port", &port->waiting},
                 {"room", &port->room},
                 {"member", &port->member},
                 {"the neighbour's level", &port->neighbour_level},
                 {"asked", &port->asked},
                 {"got", &port->got},
                 {"the message's kind", &message->stamp},
                 {"the message's amount", &message->amount},
                 {"own", &worker->own},
                 {"rung", &worker->rung},
                 {"any", &worker->any},
                 {"unseen", &worker->unseen},
                 {"place", &worker->turns.place},
                 {"next", &worker->turns.next},
                 {"passed over", &passed[1]},
                 {"the method's state", explore->run->state},
                 {"the method's memory", explore->run->memory}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cr_expect(tells(explore, passed, parts[i].at), "%s", parts[i].name);
    }
    struct words before = words_of(explore, passed);
    port->engaged = !port->engaged;
    struct words after = words_of(explore, passed);
    cr_expect(memcmp(before.word, after.word, before.count * sizeof *before.word) != 0, "engaged at the port");
    end_search(explore);
}
