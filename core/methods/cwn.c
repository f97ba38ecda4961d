// SPDX-License-Identifier: MIT
// Contracting within a neighbourhood (Kale 1988): each new task goes to the least loaded neighbour, and on from there,
// until it finds a processor that has no more tasks than its neighbours.
#include "core/method.h"
#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/parameter.h"

struct cwn {
    uint64_t radius, horizon;
};

// At each port: the tasks sent over it in this step, which the neighbour's load does not contain yet.
enum { SENT, PORT_DOUBLES };

enum { RADIUS = 5, HORIZON = 1, LINKS_MAX = 1000 * 1000 };

static double known_load(const struct ek_letter_turn *turn, unsigned port)
{
    return turn->view.announced[port] + turn->view.memory[port];
}

static unsigned least_loaded(const struct ek_letter_turn *turn)
{
    unsigned least = 0;
    for (unsigned port = 1; port < turn->view.degree; port++) {
        least = known_load(turn, port) < known_load(turn, least) ? port : least;
    }
    return least;
}

// Chooses where a task goes that has crossed `links` links, and the kind of its letter.
static uint32_t choose(struct ek_letter_turn *turn, uint64_t links, enum ek_letter_kind *kind)
{
    const struct cwn *cwn = turn->view.plan->data;
    unsigned port = least_loaded(turn);
    turn->view.memory[port] += 1.0;
    *kind = links + 1 < cwn->radius ? EK_LETTER_PASSING : EK_LETTER_ANSWER;
    return turn->neighbour[port];
}

static void cwn_read(struct ek_letter_turn *turn, const struct ek_letter *letter)
{
    const struct cwn *cwn = turn->view.plan->data;
    if (letter->kind != EK_LETTER_PASSING) {
        return;
    }
    bool stays = letter->number >= cwn->horizon && turn->view.held <= known_load(turn, least_loaded(turn));
    if (!stays) {
        enum ek_letter_kind kind;
        uint32_t to = choose(turn, letter->number, &kind);
        turn->pass(turn, to, kind, letter->number + 1);
    }
}

static void cwn_give(struct ek_letter_turn *turn)
{
    for (uint64_t tasks = turn->view.degree > 0 ? turn->created : 0; tasks > 0; tasks--) {
        struct ek_letter letter = {.number = 1, .tasks = 1, .newest = true};
        letter.to = choose(turn, 0, &letter.kind);
        turn->post(turn, letter);
    }
    for (unsigned port = 0; port < turn->view.degree; port++) {
        turn->view.memory[port] = 0.0;
    }
}

static bool cwn_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    struct cwn cwn = {.radius = RADIUS, .horizon = HORIZON};
    (void)setting;
    if (parameter) {
        struct base_cursor cursor = core_parameter_start(parameter, at, error);
        if (!base_cursor_whole(&cursor, "the radius", 1, LINKS_MAX, &cwn.radius) ||
            !method_letter_whole(&cursor, "the horizon", 1, cwn.radius, &cwn.horizon) || !base_cursor_end(&cursor)) {
            return false;
        }
    }
    plan->port_doubles = PORT_DOUBLES;
    return method_letter_data(plan, &cwn, sizeof cwn, error);
}

static const struct ek_texts cwn_texts = {
    .title = "contracting within a neighbourhood",
    .parameter = "RADIUS:HORIZON",
    .example = "cwn:5:1 --tasks queens:8",
    .equation = "each new task goes to the least loaded neighbour; where it arrives it stays if it has crossed RADIUS "
                "links, or at least HORIZON links and no neighbour has less tasks; otherwise it goes on to the least "
                "loaded neighbour",
    .steps = "An operation is one step. A task crosses one link in a step, and may not be executed on its way.",
    .optimum = "RADIUS is 5 and HORIZON 1 if they are not given. A processor adds to a neighbour's load what it has "
               "sent there in this step. Of several neighbours the first one is taken.",
    .assumes = "The neighbours' loads, which all processors announce in each step.",
    .source = "Kale, Comparing the performance of two dynamic load distribution methods, ICPP 1988",
};

const struct ek_method core_method_cwn = {
    .name = "cwn",
    .texts = &cwn_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .turns = true},
    .links = EK_LINKS_ALL,
    .prepare = cwn_prepare,
    .destroy = method_free_data,
    .rounds = &(const struct ek_rounds_part){.act = method_none_act},
    .letters = &(const struct ek_letters_part){.read = cwn_read, .give = cwn_give},
};
