// SPDX-License-Identifier: MIT
// A central queue: one processor holds all tasks, and the others ask it for one at a time.
#include "core/method.h"
#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "topologies/topology.h"

struct central {
    uint32_t hub;
};

enum { WAITS, STATE_DOUBLES };

static bool is_hub(const struct ek_letter_turn *turn)
{
    const struct central *central = turn->view.plan->data;
    return turn->view.processor == central->hub;
}

static void central_ask(struct ek_letter_turn *turn)
{
    const struct central *central = turn->view.plan->data;
    if (!is_hub(turn) && !turn->works && turn->state[WAITS] == 0.0) {
        turn->state[WAITS] = 1.0;
        turn->post(turn, (struct ek_letter){.kind = EK_LETTER_REQUEST, .to = central->hub});
    }
}

// The hub keeps the task that it will execute in the next tick.
static void central_read(struct ek_letter_turn *turn, const struct ek_letter *letter)
{
    if (letter->kind == EK_LETTER_REQUEST) {
        bool gives = method_letter_load(turn) > 1;
        turn->post(turn, (struct ek_letter){
                             .kind = gives ? EK_LETTER_ANSWER : EK_LETTER_REFUSAL, .to = letter->from, .tasks = gives});
    } else if (!is_hub(turn)) {
        turn->state[WAITS] = 0.0;
    }
}

// The others bring what they hold to the hub.
static void central_give(struct ek_letter_turn *turn)
{
    const struct central *central = turn->view.plan->data;
    if (!is_hub(turn) && turn->held > 0) {
        turn->post(turn, (struct ek_letter){.kind = EK_LETTER_ANSWER, .to = central->hub, .tasks = turn->held});
    }
}

static bool central_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    struct central central = {0};
    while (central.hub < topology->processors &&
           topology->first[central.hub + 1] - topology->first[central.hub] != topology->processors - 1) {
        central.hub++;
    }
    if (!core_parameter_none(parameter, at, error)) {
        return false;
    }
    if (central.hub == topology->processors) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "central needs a processor with links to all others: use topology star:N or complete:N");
    }
    plan->state_doubles = STATE_DOUBLES;
    return method_letter_data(plan, &central, sizeof central, error);
}

static const struct ek_texts central_texts = {
    .title = "a central queue of tasks",
    .example = "central --tasks queens:8 --topology star:16",
    .equation = "the hub holds the queue; each other processor asks it for a task when it works on none, and sends it "
                "all tasks that it creates",
    .steps = "An operation is one step. The hub answers in the step in which it is asked.",
    .optimum = "It has no parameter. The hub is the first processor with links to all others. It executes tasks too, "
               "and then keeps the newest one for itself. It serves any number of requests in a step, so a run shows "
               "the traffic of the hub, not its delay.",
    .assumes = "A topology with a hub, as star:N.",
    .source = "The baseline of one shared queue",
};

const struct ek_method core_method_central = {
    .name = "central",
    .texts = &central_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .capacities = true, .turns = true},
    .links = EK_LINKS_ALL,
    .prepare = central_prepare,
    .destroy = method_free_data,
    .rounds = &method_none_rounds,
    .letters = &(const struct ek_letters_part){.ask = central_ask, .read = central_read, .give = central_give},
};
