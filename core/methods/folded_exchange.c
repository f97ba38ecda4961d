// SPDX-License-Identifier: MIT
// Dimension exchange on a folded mesh: Willebeck-LeMair & Reeves 1993, as Wu & Shu describe it. Dimension by dimension
// each line is folded: position j and its mirror image, the *image* of j, exchange as on a hypercube. Then each half is
// folded. Only the two positions at the fold are neighbours. So at each fold loads first walk to the images, one link a
// step, and then tasks walk in the same way. All values that walk in one direction keep their distances, so no two meet
// on a link.
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "base/cursor.h"
#include "topologies/product.h"

// The state of a processor: its image's load, and the values that it relays (by the step's parity, and down or up).
enum { IMAGE, RELAY, STATE_DOUBLES = RELAY + 4 };

struct fold {
    uint32_t side;
    uint32_t stride;
    uint32_t colour_from, colour_end; // of the dimension's links
};

struct folds {
    bool one_port;
    uint32_t dimensions;
    struct fold fold[];
};

// The position of a processor in its part of the line, counted in the direction of the walk.
struct part {
    uint32_t size;
    uint32_t position;
};

// Returns a step's number. It consists of the fold's level (the number of folds before this fold) and the time since
// the walk began.
static uint64_t number_of(uint32_t level, uint32_t time)
{
    return (uint64_t)level << 32 | time;
}

static uint32_t level_of(const struct ek_step *step)
{
    return (uint32_t)(step->number >> 32);
}

static uint32_t time_of(const struct ek_step *step)
{
    return (uint32_t)step->number;
}

// Returns the size of the longest part of a line of `side` at this level; all others are at most one shorter.
static uint32_t longest_part(uint32_t side, uint32_t level)
{
    for (; level > 0; level--) {
        side = (side + 1) / 2;
    }
    return side;
}

static const struct fold *fold_of(const struct ek_view *view)
{
    const struct folds *folds = view->plan->data;
    return &folds->fold[view->step->stage];
}

static struct part part_of(const struct ek_view *view, bool up)
{
    const struct fold *fold = fold_of(view);
    uint32_t position = view->processor / fold->stride % fold->side;
    uint32_t size = fold->side;
    for (uint32_t level = 0; level < level_of(view->step); level++) {
        uint32_t first = (size + 1) / 2;
        bool in_first = position < first;
        position -= in_first ? 0 : first;
        size = in_first ? first : size - first;
    }
    return (struct part){.size = size, .position = up ? position : size - 1 - position};
}

// Returns whether a value that began its walk `time` positions behind is here and has not reached its image. The image
// is as far from the part's end as the value's origin is from its beginning.
static bool moves_on(struct part part, uint32_t time)
{
    return part.position >= time && 2 * part.position - time + 1 < part.size;
}

static double *relay_of(const struct ek_turn *turn, uint32_t time, bool up)
{
    return &turn->state[RELAY + 2 * (time % 2) + up];
}

static inline void folded_announce(const struct ek_turn *turn, double *values)
{
    const struct ek_view *view = &turn->view;
    uint32_t time = time_of(view->step);
    for (unsigned port = 0; port < view->degree; port++) {
        bool up = view->direction[port] > 0;
        if (view->step->count == EK_COUNT_SCAN && view->dimension[port] == view->step->stage &&
            moves_on(part_of(view, up), time)) {
            values[port] = time == 0 ? view->held : *relay_of(turn, time, up);
        }
    }
}

static void receive(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    uint32_t time = time_of(view->step);
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] == view->step->stage && !isnan(view->announced[port])) {
            bool up = view->direction[port] < 0;
            bool passes = moves_on(part_of(view, up), time + 1);
            *(passes ? relay_of(turn, time + 1, up) : &turn->state[IMAGE]) = view->announced[port];
        }
    }
}

// Begins the walk of the tasks. In each pair the processor with more load sends half of the difference to its image.
static void set_out(struct ek_turn *turn)
{
    memset(&turn->state[RELAY], 0, (STATE_DOUBLES - RELAY) * sizeof *turn->state);
    for (int up = 0; up < 2; up++) {
        if (moves_on(part_of(&turn->view, up), 0)) {
            *relay_of(turn, 0, up) = fmax(0.0, floor(0.5 * (turn->view.held - turn->state[IMAGE])));
        }
    }
}

// Keeps the tasks that arrived for others, to pass them on in the next step. With one port a step goes over one colour,
// and tasks from an earlier colour belong to this step.
static void take_in(struct ek_turn *turn, bool first_colour)
{
    const struct ek_view *view = &turn->view;
    uint32_t time = time_of(view->step) + !first_colour;
    for (unsigned port = 0; port < view->degree; port++) {
        bool up = view->direction[port] < 0;
        if (view->dimension[port] == view->step->stage && turn->arrived[port] > 0.0 &&
            moves_on(part_of(view, up), time)) {
            *relay_of(turn, time, up) = turn->arrived[port];
        }
    }
}

// Returns whether the link in this direction takes part: links from even positions have a line's first colour.
static bool takes_part(const struct ek_view *view, bool up)
{
    const struct fold *fold = fold_of(view);
    uint32_t lower = view->processor / fold->stride % fold->side - !up;
    uint32_t colour = fold->colour_from + lower % 2;
    return colour >= view->step->colour_from && colour < view->step->colour_end;
}

static void exchange(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    uint32_t time = time_of(view->step);
    bool first_colour = view->step->colour_from == fold_of(view)->colour_from;
    if (time == 0 && first_colour) {
        set_out(turn);
    } else {
        take_in(turn, first_colour);
    }
    for (unsigned port = 0; port < view->degree; port++) {
        bool up = view->direction[port] > 0;
        if (view->dimension[port] == view->step->stage && takes_part(view, up) && moves_on(part_of(view, up), time)) {
            amounts[port] = *relay_of(turn, time, up);
            *relay_of(turn, time, up) = 0.0;
        }
    }
}

static inline void folded_act(struct ek_turn *turn, double *amounts)
{
    if (turn->view.step->count == EK_COUNT_SCAN) {
        receive(turn);
    } else {
        exchange(turn, amounts);
    }
}

static void folded_block(struct ek_block *block)
{
    ek_block_program(block, folded_announce, folded_act);
}

// With one port each step becomes one step for each colour. Loads, and then tasks, walk for as long as the longest part
// needs.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct folds *folds = plan->data;
    *step = moment->last;
    if (moment->index == 0) {
        step->stage = 0;
        step->number = 0;
        step->count = EK_COUNT_SCAN;
    } else if (step->colour_end < folds->fold[step->stage].colour_end) {
        step->colour_from = step->colour_end++;
        return EK_NEXT_STEP;
    } else if (time_of(step) + 2 < longest_part(folds->fold[step->stage].side, level_of(step))) {
        step->number++;
    } else if (step->count == EK_COUNT_SCAN) {
        step->count = EK_COUNT_EXCHANGE;
        step->number = number_of(level_of(step), 0);
    } else {
        step->count = EK_COUNT_SCAN;
        step->number = number_of(level_of(step) + 1, 0);
    }
    while (step->stage < folds->dimensions && longest_part(folds->fold[step->stage].side, level_of(step)) < 2) {
        step->stage++;
        step->number = 0;
    }
    if (step->stage == folds->dimensions) {
        return EK_NEXT_OPERATION_ENDS;
    }
    const struct fold *fold = &folds->fold[step->stage];
    step->colour_from = fold->colour_from;
    step->colour_end = folds->one_port ? fold->colour_from + 1 : fold->colour_end;
    return EK_NEXT_STEP;
}

static void set_folds(struct folds *folds, const struct ek_topology *topology)
{
    uint32_t stride = 1;
    uint32_t colour = 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        uint32_t side = topology->side[d];
        uint32_t colours = side <= 2 ? side - 1 : 2;
        folds->fold[d] =
            (struct fold){.side = side, .stride = stride, .colour_from = colour, .colour_end = colour + colours};
        colour += colours;
        stride *= side;
    }
    assert(colour == topology->colours);
}

// If all sides are powers of two, final loads differ by at most the number of folds, as on a hypercube of as many
// dimensions. On other sides they may differ by more.
static void settle_spread(struct ek_plan *plan, const struct folds *folds)
{
    for (uint32_t d = 0; d < folds->dimensions; d++) {
        uint32_t side = folds->fold[d].side;
        for (uint32_t level = 0; longest_part(side, level) >= 2; level++) {
            plan->spread_most++;
        }
        if (side & (side - 1)) {
            plan->inexact = "the middle of an odd part has no image to exchange with; sides that are powers of two, or "
                            "the method dde, do better";
        }
    }
}

static bool folded_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                           struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    (void)parameter; // the parameter has selected this variant
    (void)at;
    bool mesh = topology->dimensions > 0;
    for (uint32_t d = 0; d < topology->dimensions; d++) {
        mesh = mesh && topo_line_of(topology, d) == TOPO_PATH;
    }
    if (!mesh) {
        return base_fail_at(error, "topology", 0,
                            "dem:folded folds meshes: use a mesh, as in mesh:8x8, or the method dde on other products");
    }
    struct folds *folds = malloc(sizeof *folds + topology->dimensions * sizeof *folds->fold);
    if (!folds) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for a method");
    }
    *folds = (struct folds){.one_port = setting->ports == EK_ONE_PORT, .dimensions = topology->dimensions};
    set_folds(folds, topology);
    plan->data = folds;
    plan->operations = 1;
    plan->state_doubles = STATE_DOUBLES;
    settle_spread(plan, folds);
    return true;
}

static void facts_folded(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct folds *folds = plan->data;
    uint64_t steps = 0;
    (void)outlook;
    for (uint32_t d = 0; d < folds->dimensions; d++) {
        const struct fold *fold = &folds->fold[d];
        uint32_t colours = folds->one_port ? fold->colour_end - fold->colour_from : 1;
        for (uint32_t level = 0; longest_part(fold->side, level) >= 2; level++) {
            steps += (uint64_t)2 * (longest_part(fold->side, level) - 1) * colours;
        }
    }
    core_facts_add(
        facts, CORE_AT_END, "steps_all", (double)steps, "steps",
        "For each fold of a part of m, m-1 steps for the loads to reach their images and m-1 steps for the tasks.");
    if (!plan->inexact) {
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "spread_most", plan->spread_most, "spread_final",
                       "The number of folds: final loads differ by at most this, as on a hypercube of as many "
                       "dimensions (all sides are powers of two).");
    }
}

// Only the title is shown, since `explain` prints the texts of dem.
static const struct ek_texts dem_folded_texts = {.title = "dimension exchange on a folded mesh", .parameter = "folded"};

static const struct ek_rounds_part dem_folded_rounds = {
    .next = next,
    .announce = folded_announce,
    .act = folded_act,
    .reads_arrivals = true,
    .block_tokens = folded_block,
    .counts = EK_COUNTS_SCAN,
};

const struct ek_method core_method_dem_folded = {
    .name = "dem",
    .texts = &dem_folded_texts,
    .supports = {.units = EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT},
    .links = EK_LINKS_SCHEDULED,
    .direct = true,
    .prepare = folded_prepare,
    .destroy = method_free_data,
    .facts = facts_folded,
    .rounds = &dem_folded_rounds,
};
