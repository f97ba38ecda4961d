// SPDX-License-Identifier: MIT
// Load sharing by one side (Eager, Lazowska & Zahorjan 1986): a processor with few tasks asks random ones for a task,
// or a processor that creates tasks and has many asks random ones for leave to send a task.
#include "core/method.h"
#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/parameter.h"

enum side { RECEIVER, SENDER };

struct initiated {
    enum side side;
    uint64_t threshold;
    uint64_t probes; // the most requests in a row
};

// LEFT: requests that the processor may still make in this row. PAUSE: steps in which a receiver does not ask.
enum { WAITS, LEFT, PAUSE, STATE_DOUBLES };

enum { THRESHOLD = 1, PROBES = 3, NUMBER_MAX = 1000 * 1000 };

static void ask_any(struct ek_letter_turn *turn)
{
    turn->state[WAITS] = 1.0;
    turn->state[LEFT] -= 1.0;
    turn->post(turn, (struct ek_letter){.kind = EK_LETTER_REQUEST, .to = method_letter_other(turn)});
}

// A row of requests begins when the processor has few tasks. If all fail, the next row begins after a pause.
static void receiver_ask(struct ek_letter_turn *turn, const struct initiated *initiated)
{
    if (method_letter_load(turn) >= initiated->threshold) {
        turn->state[LEFT] = turn->state[PAUSE] = 0.0;
    } else if (turn->state[PAUSE] > 0.0) {
        turn->state[PAUSE] -= 1.0;
        turn->awake = true;
    } else if (turn->state[WAITS] == 0.0) {
        turn->state[LEFT] = turn->state[LEFT] > 0.0 ? turn->state[LEFT] : (double)initiated->probes;
        ask_any(turn);
    }
}

// A row of requests begins when the processor creates tasks and has many.
static void sender_ask(struct ek_letter_turn *turn, const struct initiated *initiated)
{
    bool many = method_letter_load(turn) > initiated->threshold && turn->held > 0;
    if (turn->state[WAITS] != 0.0) {
        return;
    }
    turn->state[LEFT] = !many                                           ? 0.0
                        : turn->state[LEFT] == 0.0 && turn->created > 0 ? (double)initiated->probes
                                                                        : turn->state[LEFT];
    if (turn->state[LEFT] > 0.0) {
        ask_any(turn);
    }
}

static void initiated_ask(struct ek_letter_turn *turn)
{
    const struct initiated *initiated = turn->view.plan->data;
    if (turn->processors > 1) {
        (initiated->side == RECEIVER ? receiver_ask : sender_ask)(turn, initiated);
    }
}

// Answers a request: a receiver's with a task, a sender's with leave to send one.
static void answer(struct ek_letter_turn *turn, const struct initiated *initiated, uint32_t to)
{
    uint64_t load = method_letter_load(turn);
    bool gives = initiated->side == RECEIVER && load > initiated->threshold && turn->held > 0;
    bool takes = initiated->side == SENDER && load < initiated->threshold;
    turn->post(turn, (struct ek_letter){
                         .kind = gives || takes ? EK_LETTER_ANSWER : EK_LETTER_REFUSAL, .to = to, .tasks = gives});
}

static void initiated_read(struct ek_letter_turn *turn, const struct ek_letter *letter)
{
    const struct initiated *initiated = turn->view.plan->data;
    bool sent = initiated->side == SENDER && letter->tasks > 0; // a task that this processor has agreed to
    if (letter->kind == EK_LETTER_REQUEST) {
        answer(turn, initiated, letter->from);
    } else if (!sent) {
        bool refused = letter->kind == EK_LETTER_REFUSAL;
        turn->state[WAITS] = 0.0;
        turn->state[LEFT] = refused ? turn->state[LEFT] : 0.0;
        turn->state[PAUSE] = refused && turn->state[LEFT] == 0.0 ? (double)initiated->probes : 0.0;
        bool sends = initiated->side == SENDER && !refused && method_letter_load(turn) > initiated->threshold;
        if (sends && turn->held > 0) {
            turn->post(turn, (struct ek_letter){.kind = EK_LETTER_ANSWER, .to = letter->from, .tasks = 1});
        }
    }
}

static const char *side_name(size_t index)
{
    static const char *const names[] = {"receiver", "sender", NULL};
    return names[index];
}

static bool initiated_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                              struct ek_error *error)
{
    struct base_cursor cursor = core_parameter_start(parameter ? parameter : "receiver", at, error);
    struct initiated initiated = {.threshold = THRESHOLD, .probes = PROBES};
    size_t side;
    (void)setting;
    if (!base_cursor_known(&cursor, "side", side_name, &side) ||
        !method_letter_whole(&cursor, "the threshold", 1, NUMBER_MAX, &initiated.threshold) ||
        !method_letter_whole(&cursor, "the number of requests", 1, NUMBER_MAX, &initiated.probes) ||
        !base_cursor_end(&cursor)) {
        return false;
    }
    initiated.side = (enum side)side;
    plan->state_doubles = STATE_DOUBLES;
    plan->letters_far = true;
    return method_letter_data(plan, &initiated, sizeof initiated, error);
}

static const struct ek_texts initiated_texts = {
    .title = "load sharing by the receiver or the sender",
    .parameter = "SIDE:T:L",
    .example = "initiated:receiver --tasks queens:8",
    .equation = "receiver: a processor with less than T tasks asks random processors, and one with more than T gives a "
                "task; sender: a processor that creates tasks and has more than T asks random processors, and sends a "
                "task to the first one with less than T",
    .steps = "An operation is one step. A request and its answer cross one link of a shortest path in a step, and the "
             "answer leaves in the step in which the request arrives.",
    .optimum = "SIDE is receiver or sender, T is 1 and L is 3 if they are not given. A processor asks one other at a "
               "time, and at most L in a row. In the paper a receiver whose requests fail waits until one of its own "
               "tasks ends; here nothing else would wake it, so it asks again after a pause of L steps. The name "
               "`sender` alone is that of a diffusion method.",
    .assumes = "The number of processors, and shortest paths between them. The task that a processor works on counts.",
    .source = "Eager, Lazowska & Zahorjan, A comparison of receiver-initiated and sender-initiated adaptive load "
              "sharing, Performance Evaluation 6(1), 1986",
};

const struct ek_method core_method_initiated = {
    .name = "initiated",
    .texts = &initiated_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .capacities = true, .turns = true},
    .links = EK_LINKS_ALL,
    .draws = true,
    .prepare = initiated_prepare,
    .destroy = method_free_data,
    .rounds = &method_none_rounds,
    .letters = &(const struct ek_letters_part){.ask = initiated_ask, .read = initiated_read},
};
