// SPDX-License-Identifier: MIT
// Work stealing: an idle processor asks another one, which gives the older half of its tasks. The victim is drawn from
// all processors (Blumofe & Leiserson 1999) or from the neighbours. With lifelines, a processor whose requests fail
// asks its lifelines once and then waits: they give when they have tasks (Saraswat et al. 2011).
#include "core/method.h"
#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "topologies/topology.h"

enum victim { RANDOM, NEIGHBOUR, LIFELINE, DIRECT };

struct steal {
    enum victim victim;
    uint64_t tries;     // lifeline: requests that may fail before the lifelines are asked
    unsigned lifelines; // of the hypercube with at least as many processors
};

// The state of a processor. Sets are bits: bit k stands for the processor whose number differs in digit k.
enum { WAITS, FAILED, ASKED, ASKERS, STATE_DOUBLES };

enum { TRIES = 2, TRIES_MAX = 1000 * 1000 };

// The number in a letter: 0 for a request to a drawn victim and its answer, k + 1 for those of lifeline k.
enum { DRAWN };

// Returns the tasks that a victim gives. The task that it still works on counts as its newest.
static uint64_t half(const struct ek_letter_turn *turn)
{
    return method_letter_load(turn) / 2;
}

static void answer(struct ek_letter_turn *turn, uint32_t to, uint32_t number)
{
    uint64_t tasks = half(turn);
    turn->post(turn, (struct ek_letter){.kind = tasks > 0 ? EK_LETTER_ANSWER : EK_LETTER_REFUSAL,
                                        .to = to,
                                        .number = number,
                                        .tasks = tasks});
}

static bool has(const struct ek_letter_turn *turn, unsigned set, unsigned lifeline)
{
    return (uint64_t)turn->state[set] >> lifeline & 1;
}

static void change(struct ek_letter_turn *turn, unsigned set, unsigned lifeline)
{
    turn->state[set] = (double)((uint64_t)turn->state[set] ^ (uint64_t)1 << lifeline);
}

static void steal_read(struct ek_letter_turn *turn, const struct ek_letter *letter)
{
    if (letter->kind == EK_LETTER_REQUEST) {
        if (letter->number == DRAWN) {
            answer(turn, letter->from, DRAWN);
        } else {
            change(turn, ASKERS, letter->number - 1);
        }
        return;
    }
    if (letter->number == DRAWN) {
        turn->state[WAITS] = 0.0;
    } else {
        change(turn, ASKED, letter->number - 1);
    }
    turn->state[FAILED] = letter->tasks > 0 ? 0.0 : turn->state[FAILED] + 1.0;
}

static void ask(struct ek_letter_turn *turn, uint32_t to, uint32_t number)
{
    turn->post(turn, (struct ek_letter){.kind = EK_LETTER_REQUEST, .to = to, .number = number});
}

static void ask_lifelines(struct ek_letter_turn *turn, const struct steal *steal)
{
    for (unsigned k = 0; k < steal->lifelines; k++) {
        uint32_t lifeline = turn->view.processor ^ (uint32_t)1 << k;
        if (lifeline < turn->processors && !has(turn, ASKED, k)) {
            change(turn, ASKED, k);
            ask(turn, lifeline, k + 1);
        }
    }
}

static void steal_ask(struct ek_letter_turn *turn)
{
    const struct steal *steal = turn->view.plan->data;
    if (method_letter_load(turn) > 0 || turn->state[WAITS] != 0.0 || turn->view.degree == 0) {
        return;
    }
    if (steal->victim == LIFELINE && turn->state[FAILED] >= (double)steal->tries) {
        ask_lifelines(turn, steal);
        return;
    }
    turn->state[WAITS] = 1.0;
    ask(turn, steal->victim == NEIGHBOUR ? method_letter_neighbour(turn) : method_letter_other(turn), DRAWN);
}

// Gives to the lifelines that have asked.
static void steal_give(struct ek_letter_turn *turn)
{
    const struct steal *steal = turn->view.plan->data;
    for (unsigned k = 0; turn->state[ASKERS] > 0.0 && half(turn) > 0 && k < steal->lifelines; k++) {
        if (has(turn, ASKERS, k)) {
            change(turn, ASKERS, k);
            answer(turn, turn->view.processor ^ (uint32_t)1 << k, k + 1);
        }
    }
}

static const char *victim_name(size_t index)
{
    static const char *const names[] = {"random", "neighbour", "lifeline", "direct", NULL};
    return names[index];
}

static bool steal_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                          struct ek_error *error)
{
    struct base_cursor cursor = core_parameter_start(parameter ? parameter : "random", at, error);
    struct steal steal = {.tries = TRIES};
    size_t victim;
    bool good = base_cursor_known(&cursor, "victim", victim_name, &victim) &&
                (victim != LIFELINE || method_letter_whole(&cursor, "the number of requests before the lifelines", 0,
                                                           TRIES_MAX, &steal.tries)) &&
                base_cursor_end(&cursor);
    if (!good) {
        return false;
    }
    if (victim == DIRECT && setting->free) {
        return base_fail_at(error, "method", (size_t)at,
                            "direct counts steps, and here links take time: use timing rounds, or steal:random on "
                            "topology complete:N");
    }
    steal.victim = (enum victim)victim;
    while (victim == LIFELINE && (uint64_t)1 << steal.lifelines < setting->topology->processors) {
        steal.lifelines++;
    }
    plan->state_doubles = STATE_DOUBLES;
    plan->letters_far = victim != NEIGHBOUR;
    plan->letters_direct = victim == DIRECT;
    return method_letter_data(plan, &steal, sizeof steal, error);
}

static const struct ek_texts steal_texts = {
    .title = "work stealing",
    .parameter = "VICTIM",
    .example = "steal:random --tasks queens:8",
    .equation = "a processor without tasks asks a victim; a victim with n tasks, the one that it works on among them, "
                "gives floor(n/2) of them, the oldest ones",
    .steps = "An operation is one step. A request and its answer cross one link of a shortest path in a step, and the "
             "answer leaves in the step in which the request arrives: over d links they take 2d - 1 steps.",
    .optimum = "VICTIM is random (any processor), neighbour, direct or lifeline[:W]. direct is as random, but a letter "
               "crosses its whole path in one step, as if all processors were neighbours; every link still counts. "
               "lifeline is as random, but after W failed requests (2) the processor asks its lifelines once and "
               "waits. They give as soon as they have two tasks. The lifelines of processor p are the processors whose "
               "numbers differ from p in one binary digit. The default is random.",
    .assumes = "The number of processors, and shortest paths between them. A processor asks one victim at a time.",
    .source = "Blumofe & Leiserson, Scheduling multithreaded computations by work stealing, J. ACM 46(5), 1999; "
              "Saraswat, Kambadur, Kodali, Grove & Krishnamoorthy, Lifeline-based global load balancing, PPoPP 2011",
};

const struct ek_method core_method_steal = {
    .name = "steal",
    .texts = &steal_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .capacities = true, .turns = true},
    .links = EK_LINKS_ALL,
    .draws = true,
    .prepare = steal_prepare,
    .destroy = method_free_data,
    .rounds = &method_none_rounds,
    .letters = &(const struct ek_letters_part){.ask = steal_ask, .read = steal_read, .give = steal_give},
};
