// SPDX-License-Identifier: MIT
// The gradient model (Lin & Keller 1987): a light processor spreads its demand as distances, and heavy processors send
// tasks downhill.
#include "core/method.h"
#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "topologies/topology.h"

struct gradient {
    uint64_t low, high;
    double farthest; // a proximity that says that no light processor is known
};

// A processor keeps how much nearer than `farthest` the next light processor is: as it has told its neighbours, and as
// each neighbour has told it. So nothing is known at first.
enum { TOLD, STATE_DOUBLES };
enum { HEARD, PORT_DOUBLES };

enum { LOW = 1, HIGH = 1, MARK_MAX = 1000 * 1000 * 1000 };

// Returns the port to the neighbour nearest to a light processor, the first one of several.
static unsigned nearest(const struct ek_letter_turn *turn)
{
    unsigned best = 0;
    for (unsigned port = 1; port < turn->view.degree; port++) {
        best = turn->view.memory[port] > turn->view.memory[best] ? port : best;
    }
    return best;
}

static void gradient_ask(struct ek_letter_turn *turn)
{
    const struct gradient *gradient = turn->view.plan->data;
    if (turn->view.degree == 0) {
        return;
    }
    double neighbour = turn->view.memory[nearest(turn)];
    double nearer = method_letter_load(turn) < gradient->low ? gradient->farthest
                    : neighbour > 0.0                        ? neighbour - 1.0
                                                             : 0.0;
    for (unsigned port = 0; nearer != turn->state[TOLD] && port < turn->view.degree; port++) {
        turn->post(turn, (struct ek_letter){
                             .kind = EK_LETTER_NOTICE, .to = turn->neighbour[port], .number = (uint32_t)nearer});
    }
    turn->state[TOLD] = nearer;
}

static void gradient_read(struct ek_letter_turn *turn, const struct ek_letter *letter)
{
    if (letter->kind == EK_LETTER_NOTICE) {
        turn->view.memory[method_letter_port(turn, letter->from)] = letter->number;
    }
}

static void gradient_give(struct ek_letter_turn *turn)
{
    const struct gradient *gradient = turn->view.plan->data;
    if (turn->view.degree == 0 || turn->held == 0 || method_letter_load(turn) <= gradient->high) {
        return;
    }
    unsigned port = nearest(turn);
    if (turn->view.memory[port] > 0.0) {
        turn->post(turn, (struct ek_letter){.kind = EK_LETTER_ANSWER, .to = turn->neighbour[port], .tasks = 1});
    }
}

static bool gradient_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                             struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    struct gradient gradient = {
        .low = LOW,
        .high = HIGH,
        .farthest = (double)(topology->diameter >= 0 ? topology->diameter + 1 : (int64_t)topology->processors)};
    if (parameter) {
        struct base_cursor cursor = core_parameter_start(parameter, at, error);
        if (!base_cursor_whole(&cursor, "the low mark", 1, MARK_MAX, &gradient.low)) {
            return false;
        }
        gradient.high = gradient.low > HIGH ? gradient.low : HIGH;
        if (!method_letter_whole(&cursor, "the high mark", gradient.low, MARK_MAX, &gradient.high) ||
            !base_cursor_end(&cursor)) {
            return false;
        }
    }
    plan->state_doubles = STATE_DOUBLES;
    plan->port_doubles = PORT_DOUBLES;
    return method_letter_data(plan, &gradient, sizeof gradient, error);
}

static const struct ek_texts gradient_texts = {
    .title = "the gradient model",
    .parameter = "LOW:HIGH",
    .example = "gradient:1:1 --tasks queens:8",
    .equation = "a processor with less than LOW tasks has the proximity 0, any other one more than the least of its "
                "neighbours, at most diameter + 1; a processor with more than HIGH tasks sends one to the neighbour of "
                "least proximity, if that is at most the diameter",
    .steps = "An operation is one step. A processor tells its neighbours its proximity when that has changed; they use "
             "it in the same step.",
    .optimum = "LOW is 1, and HIGH is LOW, if they are not given. Of several neighbours the first one is taken.",
    .assumes = "The diameter; if it is not known, the number of processors stands for diameter + 1.",
    .source = "Lin & Keller, The gradient model load balancing method, IEEE Trans. Software Eng. 13(1), 1987",
};

const struct ek_method core_method_gradient = {
    .name = "gradient",
    .texts = &gradient_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .capacities = true, .turns = true},
    .links = EK_LINKS_ALL,
    .prepare = gradient_prepare,
    .destroy = method_free_data,
    .rounds = &method_none_rounds,
    .letters = &(const struct ek_letters_part){.ask = gradient_ask, .read = gradient_read, .give = gradient_give},
};
