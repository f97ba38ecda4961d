// SPDX-License-Identifier: MIT
// Random placement: each new task takes a random walk before it is executed. No processor needs any load.
#include "core/method.h"
#include "core/methods/letters.h"
#include "core/methods/methods.h"
#include "core/parameter.h"

struct place {
    uint32_t hops;
};

// Returns the kind of a letter that has `left` links to walk after the next one.
static enum ek_letter_kind kind_of(uint32_t left)
{
    return left > 0 ? EK_LETTER_PASSING : EK_LETTER_ANSWER;
}

static void place_read(struct ek_letter_turn *turn, const struct ek_letter *letter)
{
    if (letter->kind == EK_LETTER_PASSING) {
        uint32_t left = letter->number - 1;
        turn->pass(turn, method_letter_neighbour(turn), kind_of(left), left);
    }
}

static void place_give(struct ek_letter_turn *turn)
{
    const struct place *place = turn->view.plan->data;
    for (uint64_t tasks = turn->view.degree > 0 ? turn->created : 0; tasks > 0; tasks--) {
        turn->post(turn, (struct ek_letter){.kind = kind_of(place->hops - 1),
                                            .to = method_letter_neighbour(turn),
                                            .number = place->hops - 1,
                                            .tasks = 1,
                                            .newest = true});
    }
}

static const char *placement_name(size_t index)
{
    return index == 0 ? "random" : NULL;
}

static bool place_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                          struct ek_error *error)
{
    size_t index;
    const struct place place = {.hops = (uint32_t)setting->hops};
    return core_parameter_name(parameter, at, "placement", placement_name, &index, error) &&
           method_letter_data(plan, &place, sizeof place, error);
}

static const struct ek_texts place_texts = {
    .title = "random placement of new tasks",
    .parameter = "random",
    .example = "place:random --tasks queens:8 --hops 4",
    .equation = "each task that a processor creates walks over H links, each drawn from all links of the processor "
                "where it is, and is executed where it ends",
    .steps = "An operation is one step. A task walks over one link in a step.",
    .optimum = "--hops sets H (1). With 1 on complete:N each new task goes to a random other processor.",
    .assumes = "Nothing. No processor asks, and none announces its load.",
    .source = "The baseline without any knowledge of loads: Eager, Lazowska & Zahorjan, Adaptive load sharing in "
              "homogeneous distributed systems, IEEE Trans. Software Eng. 12(5), 1986",
};

const struct ek_method core_method_place = {
    .name = "place",
    .texts = &place_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS, .capacities = true, .turns = true},
    .links = EK_LINKS_ALL,
    .draws = true,
    .prepare = place_prepare,
    .destroy = method_free_data,
    .rounds = &method_none_rounds,
    .letters = &(const struct ek_letters_part){.walks = true, .read = place_read, .give = place_give},
};
