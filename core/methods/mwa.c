// SPDX-License-Identifier: MIT
// A mesh walking algorithm, after Wu 1997. The walk of the scans is the paper's; how a row divides what it sends over
// its columns is our reading, since the text of the paper was not at hand. Rows sum their loads, and the columns sum
// the rows. Then every processor knows its quota, and each row the load that goes to the row above and below. A row
// sends what arrives for rows further on in the columns in which it arrives, and the same share of the *surplus* of
// each of its processors. So all flows are known before load moves, and no processor sends load that it lacks.
//
// All sums are over the columns from a processor's own to the last. Two neighbours in a row know both their sums, and
// find the same flow over their link, to the last bit.
#include <math.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "core/methods/kernels/block.h"
#include "core/methods/lines/walk.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/steps/reduction.h"
#include "core/steps/transfer.h"
#include "topologies/product.h"

// The stages of the operation. ROWS and COLUMNS sum loads, there and back. SURPLUS sums the rows' surplus, there and
// back. In SPLIT a row tells the next one how the flow between them is divided over the columns, and in NEIGHBOURS each
// processor tells it to its left neighbour: in the first step the flow over the link above, in the second that over the
// link below.
enum stage { ROWS, COLUMNS, SURPLUS, SPLIT, NEIGHBOURS, TRANSFER };

// The state of a processor: the load of its row and of all processors, and the surplus of its row; the load that
// crosses the links above and below the columns from its own on, and from the next one on, without a sign; and the step
// of SPLIT after the one in which its own were learned.
enum state { ROW, ALL, ROW_OVER, ABOVE, BELOW, NEXT_ABOVE, NEXT_BELOW, ABOVE_AT, BELOW_AT, STATE_DOUBLES };
enum port_value { IN_ROW, IN_COLUMN, OVER, FLOW, PORT_DOUBLES };

static const unsigned ALONG = 0, ACROSS = 1; // the dimensions of rows and columns

struct mwa {
    const struct ek_topology *topology;
    uint32_t rows, columns;
    uint32_t row_colours; // the links of the columns have the other colours
    bool one_port, tokens;
    struct core_forest in_rows, in_columns; // rooted in column 0 and in row 0
};

// A row: the load that goes down over all its links above and below; negative if it goes up.
struct row {
    double above, below;
};

// The load over the links above and below a row, from one column on.
struct split {
    double above, below;
};

static const struct mwa *mwa_of(const struct ek_view *view)
{
    return view->plan->data;
}

static bool is_along(unsigned stage)
{
    return stage == ROWS || stage == SURPLUS || stage == NEIGHBOURS;
}

// Returns the number of steps of a stage. A step has one part, or with one port a part for each colour.
static uint64_t steps_of(const struct mwa *mwa, unsigned stage)
{
    bool plane = mwa->rows > 1 && mwa->columns > 1;
    const uint64_t along = mwa->columns - 1, across = mwa->rows - 1;
    switch (stage) {
    case ROWS:
        return 2 * along;
    case COLUMNS:
        return 2 * across;
    case SURPLUS:
        return plane ? 2 * along : 0;
    case SPLIT:
        return plane ? across : 0;
    default:
        return plane ? 2 : 0;
    }
}

static uint32_t first_colour(const struct mwa *mwa, unsigned stage)
{
    return is_along(stage) || stage == TRANSFER ? 0 : mwa->row_colours;
}

static uint32_t end_colour(const struct mwa *mwa, unsigned stage)
{
    return is_along(stage) ? mwa->row_colours : mwa->topology->colours;
}

// Returns whether flows can be found after this step: no step of the scans follows.
static bool ends_scans(const struct mwa *mwa, const struct ek_step *step)
{
    uint64_t later = 0;
    for (unsigned stage = step->stage + 1; stage < TRANSFER; stage++) {
        later += steps_of(mwa, stage);
    }
    return later == 0 && step->number + 1 == steps_of(mwa, step->stage) &&
           step->colour_end == end_colour(mwa, step->stage);
}

// Returns the port of a processor in this direction, or `degree` if it has none.
static unsigned port_to(const struct ek_view *view, unsigned dimension, int direction)
{
    unsigned port = 0;
    while (port < view->degree && (view->dimension[port] != dimension || view->direction[port] != direction)) {
        port++;
    }
    return port;
}

// Returns what a port remembers, or 0 if there is no such port.
static double memory_to(const struct ek_view *view, unsigned dimension, int direction, enum port_value value)
{
    unsigned port = port_to(view, dimension, direction);
    return port < view->degree ? view->memory[port * PORT_DOUBLES + value] : 0.0;
}

static double row_load(const struct ek_turn *turn)
{
    return mwa_of(&turn->view)->columns > 1 ? turn->state[ROW] : turn->view.load;
}

static double all_load(const struct ek_turn *turn)
{
    return mwa_of(&turn->view)->rows > 1 ? turn->state[ALL] : row_load(turn);
}

// Returns the sum of the quotas of the processors from..end-1.
static double quota(const struct ek_turn *turn, uint32_t from, uint32_t end)
{
    const struct mwa *mwa = mwa_of(&turn->view);
    uint32_t processors = mwa->topology->processors;
    double all = all_load(turn);
    return mwa->tokens ? method_walk_quota(all, processors, from, end) : all / processors * (end - from);
}

static double own_surplus(const struct ek_turn *turn)
{
    uint32_t p = turn->view.processor;
    return fmax(turn->view.load - quota(turn, p, p + 1), 0.0);
}

static struct row row_of(const struct ek_turn *turn)
{
    const struct mwa *mwa = mwa_of(&turn->view);
    uint32_t from = turn->view.processor / mwa->columns * mwa->columns;
    uint32_t end = from + mwa->columns;
    double further = memory_to(&turn->view, ACROSS, 1, IN_COLUMN);
    double here = row_load(turn) + further;
    return (struct row){.above = from > 0 ? quota(turn, from, mwa->topology->processors) - here : 0.0,
                        .below = quota(turn, end, mwa->topology->processors) - further};
}

// Returns part/whole of an amount that is at most `whole`. Parts that follow one another have shares that grow by at
// most what the parts grow. With tokens it is rounded down. Products above 2^53 are not exact; then the first parts go
// whole.
static double share(const struct mwa *mwa, double part, double whole, double amount)
{
    if (!(whole > 0.0)) {
        return 0.0;
    }
    if (!mwa->tokens) {
        return part / whole * amount;
    }
    return whole * amount <= 0x1p53 ? floor(part * amount / whole) : fmin(part, amount);
}

// The load of a row above its quotas, from one column on and in all columns.
struct over {
    double part, whole;
};

// Returns the part of a flow out of the row that leaves from one column on, and takes what it uses from the surplus.
// `in` is the part of the flow into the row on the other side, and `all_in` the whole of it. The row passes on the flow
// that comes in. If more goes out, the row adds surplus; if less, each column keeps its share of the flow that comes
// in.
static double leaving(const struct mwa *mwa, double out, double all_in, double in, struct over *over)
{
    double added = out - all_in;
    if (added < 0.0) {
        return in - share(mwa, in, all_in, -added);
    }
    double own = share(mwa, over->part, over->whole, added);
    over->part -= own;
    over->whole -= added;
    return in + own;
}

// Finds the split of a row from one column on. `in` is known where load comes in.
static struct split split_of(const struct mwa *mwa, const struct row *row, struct split in, struct over over)
{
    double comes_down = fmax(row->above, 0.0), comes_up = fmax(-row->below, 0.0);
    struct split split = {.above = comes_down > 0.0 ? in.above : 0.0, .below = comes_up > 0.0 ? in.below : 0.0};
    if (row->above < 0.0) {
        split.above = leaving(mwa, -row->above, comes_up, split.below, &over);
    }
    if (row->below > 0.0) {
        split.below = leaving(mwa, row->below, comes_down, comes_down > 0.0 ? split.above : 0.0, &over);
    }
    return split;
}

static struct split own_split(const struct ek_turn *turn, const struct row *row)
{
    if (mwa_of(&turn->view)->columns == 1) {
        return (struct split){fabs(row->above), fabs(row->below)};
    }
    double part = own_surplus(turn) + memory_to(&turn->view, ALONG, 1, OVER);
    return split_of(mwa_of(&turn->view), row, (struct split){turn->state[ABOVE], turn->state[BELOW]},
                    (struct over){part, turn->state[ROW_OVER]});
}

static struct split next_split(const struct ek_turn *turn, const struct row *row)
{
    double part = memory_to(&turn->view, ALONG, 1, OVER);
    return split_of(mwa_of(&turn->view), row, (struct split){turn->state[NEXT_ABOVE], turn->state[NEXT_BELOW]},
                    (struct over){part, turn->state[ROW_OVER]});
}

// Returns the load that goes over the link of two neighbours in a row, to the right if positive: the quotas of the
// columns from the right one on, less their load once the load between rows has moved.
static double flow_along(const struct ek_turn *turn, const struct row *row, uint32_t from, double load,
                         const struct split *split)
{
    uint32_t columns = mwa_of(&turn->view)->columns;
    uint32_t end = turn->view.processor / columns * columns + columns;
    double comes = copysign(split->above, row->above) - copysign(split->below, row->below);
    return quota(turn, from, end) - (load + comes);
}

static void find_flows(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    const struct row row = row_of(turn);
    const struct split own = own_split(turn, &row), next = next_split(turn, &row);
    double past = memory_to(view, ALONG, 1, IN_ROW);
    for (unsigned port = 0; port < view->degree; port++) {
        bool forth = view->direction[port] > 0;
        double flow;
        if (view->dimension[port] == ACROSS) {
            flow = forth ? copysign(own.below - next.below, row.below) : -copysign(own.above - next.above, row.above);
        } else {
            flow = forth ? flow_along(turn, &row, view->processor + 1, past, &next)
                         : -flow_along(turn, &row, view->processor, view->load + past, &own);
        }
        view->memory[port * PORT_DOUBLES + FLOW] = flow;
        turn->waits = turn->waits || flow > 0.0;
    }
    if (view->plan->quotas > 0) {
        double target = view->held - view->load; // 0 if loads are not weighted
        turn->state[STATE_DOUBLES] = quota(turn, view->processor, view->processor + 1) + target + 1.0;
    }
}

static struct core_reduction reduction_of(const struct ek_turn *turn)
{
    const struct mwa *mwa = mwa_of(&turn->view);
    const struct ek_step *step = turn->view.step;
    struct core_reduction reduction = {.forest = step->stage == COLUMNS ? &mwa->in_columns : &mwa->in_rows,
                                       .step = step->number,
                                       .own = turn->view.load,
                                       .port_doubles = PORT_DOUBLES,
                                       .below = IN_ROW};
    if (step->stage == COLUMNS) {
        reduction.own = row_load(turn);
        reduction.below = IN_COLUMN;
    } else if (step->stage == SURPLUS) {
        reduction.own = own_surplus(turn);
        reduction.below = OVER;
    }
    return reduction;
}

static double *total_of(const struct ek_turn *turn)
{
    unsigned stage = turn->view.step->stage;
    return &turn->state[stage == ROWS ? ROW : stage == COLUMNS ? ALL : ROW_OVER];
}

// Return whether a processor tells the row below, or above, the split of their flow in step `number`: in the first
// step, or in the step after it has learned the split of what comes from the other side.
static bool tells_below(const struct ek_turn *turn, const struct row *row, uint64_t number)
{
    double at = turn->state[ABOVE_AT];
    return row->below > 0.0 && (at > 0.0 || row->above <= 0.0) && (double)number == at;
}

static bool tells_above(const struct ek_turn *turn, const struct row *row, uint64_t number)
{
    double at = turn->state[BELOW_AT];
    return row->above < 0.0 && (at > 0.0 || row->below >= 0.0) && (double)number == at;
}

static void split_announce(const struct ek_turn *turn, double *values)
{
    const struct ek_view *view = &turn->view;
    const struct row row = row_of(turn);
    const struct split own = own_split(turn, &row);
    if (tells_below(turn, &row, view->step->number)) {
        values[port_to(view, ACROSS, 1)] = own.below;
    }
    if (tells_above(turn, &row, view->step->number)) {
        values[port_to(view, ACROSS, -1)] = own.above;
    }
}

static void split_act(struct ek_turn *turn)
{
    const struct ek_view *view = &turn->view;
    const uint64_t number = view->step->number;
    for (unsigned port = 0; port < view->degree; port++) {
        if (view->dimension[port] == ACROSS && !isnan(view->announced[port])) {
            bool below = view->direction[port] > 0;
            turn->state[below ? BELOW : ABOVE] = view->announced[port];
            turn->state[below ? BELOW_AT : ABOVE_AT] = (double)number + 1.0;
        }
    }
    const struct row row = row_of(turn);
    for (uint64_t soon = number; soon <= number + 1; soon++) { // with one port the step may have colours to come
        turn->awake = turn->awake || tells_below(turn, &row, soon) || tells_above(turn, &row, soon);
    }
}

static void neighbours_announce(const struct ek_turn *turn, double *values)
{
    const struct row row = row_of(turn);
    unsigned left = port_to(&turn->view, ALONG, -1);
    bool second = turn->view.step->number == 1;
    if (left < turn->view.degree && (second ? row.below < 0.0 : row.above > 0.0)) {
        values[left] = turn->state[second ? BELOW : ABOVE];
    }
}

static void neighbours_act(struct ek_turn *turn)
{
    unsigned right = port_to(&turn->view, ALONG, 1);
    if (right < turn->view.degree && !isnan(turn->view.announced[right])) {
        turn->state[turn->view.step->number == 1 ? NEXT_BELOW : NEXT_ABOVE] = turn->view.announced[right];
    }
}

static inline void mwa_announce(const struct ek_turn *turn, double *values)
{
    unsigned stage = turn->view.step->stage;
    if (stage <= SURPLUS) {
        struct core_reduction reduction = reduction_of(turn);
        core_reduction_announce(&reduction, turn, *total_of(turn), values);
    } else if (stage == SPLIT) {
        split_announce(turn, values);
    } else if (stage == NEIGHBOURS) {
        neighbours_announce(turn, values);
    }
}

static inline void mwa_act(struct ek_turn *turn, double *amounts)
{
    const struct mwa *mwa = mwa_of(&turn->view);
    unsigned stage = turn->view.step->stage;
    if (stage == TRANSFER) {
        const struct core_transfer transfer = {
            .topology = mwa->topology, .port_doubles = PORT_DOUBLES, .flow = FLOW, .ahead = ACROSS};
        core_transfer_act(&transfer, turn, amounts);
        return;
    }
    if (stage <= SURPLUS) {
        struct core_reduction reduction = reduction_of(turn);
        core_reduction_act(&reduction, turn, total_of(turn));
    } else if (stage == SPLIT) {
        split_act(turn);
    } else {
        neighbours_act(turn);
    }
    if (ends_scans(mwa, turn->view.step)) {
        find_flows(turn);
    }
}

static void mwa_block(struct ek_block *block)
{
    ek_block_program(block, mwa_announce, mwa_act);
}

// Describes the next step. All processors wake where a stage begins, for the neighbours, and where the scans end.
static enum ek_next next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    const struct mwa *mwa = plan->data;
    const struct ek_step *last = &moment->last;
    bool first = moment->index == 0;
    bool part = !first && last->colour_end < end_colour(mwa, last->stage);
    step->stage = first ? ROWS : last->stage;
    step->number = first ? 0 : last->number + !part;
    while (step->stage < TRANSFER && step->number == steps_of(mwa, step->stage)) {
        step->stage++;
        step->number = 0;
    }
    if (step->stage == TRANSFER && (first || !moment->busy)) {
        return EK_NEXT_OPERATION_ENDS;
    }
    step->colour_from = part ? last->colour_end : first_colour(mwa, step->stage);
    step->colour_end = mwa->one_port ? step->colour_from + 1 : end_colour(mwa, step->stage);
    step->count = step->stage == TRANSFER ? EK_COUNT_EXCHANGE : EK_COUNT_SCAN;
    bool begins = step->number == 0 && !part;
    step->wakes = begins || step->stage == NEIGHBOURS || (step->stage < TRANSFER && ends_scans(mwa, step));
    return EK_NEXT_STEP;
}

static void release(struct ek_plan *plan)
{
    struct mwa *mwa = (struct mwa *)plan->data;
    if (mwa) {
        core_forest_destroy(&mwa->in_rows);
        core_forest_destroy(&mwa->in_columns);
        free(mwa);
        plan->data = NULL;
    }
}

static bool check_mesh(const struct ek_topology *topology, struct ek_error *error)
{
    bool mesh = topology->dimensions == 1 || topology->dimensions == 2;
    for (uint32_t d = 0; mesh && d < topology->dimensions; d++) {
        mesh = topo_line_of(topology, d) == TOPO_PATH;
    }
    return mesh || base_fail_at(error, "topology", 0,
                                "mwa walks over the rows and columns of a mesh: use a mesh of two sides, as in "
                                "mesh:8x4, or the method dde");
}

static bool grow_trees(struct mwa *mwa, struct ek_error *error)
{
    const struct ek_topology *topology = mwa->topology;
    while (mwa->row_colours < topology->colours &&
           topology->dimension[topology->ends[topology->colour_first[mwa->row_colours]].port] == ALONG) {
        mwa->row_colours++;
    }
    const struct core_ground rows = {.roots = mwa->rows, .stride = mwa->columns, .colour_end = mwa->row_colours};
    // All of row 0 are roots, so the trees grow along the columns.
    const struct core_ground columns = {.roots = mwa->columns, .stride = 1, .colour_end = topology->colours};
    return core_forest_create(&mwa->in_rows, topology, &rows, error) &&
           core_forest_create(&mwa->in_columns, topology, &columns, error);
}

static bool prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error)
{
    const struct ek_topology *topology = setting->topology;
    if (!core_parameter_none(parameter, at, error) || !check_mesh(topology, error)) {
        return false;
    }
    struct mwa *mwa = calloc(1, sizeof *mwa);
    if (!mwa) {
        return base_fail(error, EK_BAD_INPUT, "", "no memory for a method's data");
    }
    *mwa = (struct mwa){.topology = topology,
                        .columns = topology->side[ALONG],
                        .rows = topology->processors / topology->side[ALONG],
                        .one_port = setting->ports == EK_ONE_PORT,
                        .tokens = setting->units == EK_TOKENS};
    plan->data = mwa;
    if (!grow_trees(mwa, error)) {
        release(plan);
        return false;
    }
    plan->operations = 1;
    plan->sleeps = true;
    plan->port_doubles = PORT_DOUBLES;
    plan->quotas = setting->flows ? 1 : 0;
    plan->state_doubles = STATE_DOUBLES + plan->quotas;
    plan->spread_most = mwa->tokens && topology->processors > 1 ? 1.0 : 0.0;
    return true;
}

static void add_steps(const struct mwa *mwa, struct ek_facts *facts)
{
    double scan = 0.0;
    for (unsigned stage = ROWS; stage < TRANSFER; stage++) {
        uint32_t colours = end_colour(mwa, stage) - first_colour(mwa, stage);
        scan += (double)steps_of(mwa, stage) * (mwa->one_port ? colours : 1);
    }
    core_facts_add(
        facts, CORE_NEEDS_PLAIN | CORE_AT_END, "scan_steps_all", scan, "scan_steps",
        "With r rows of c processors: 2(c-1) steps for the rows' loads, 2(r-1) for the columns, 2(c-1) for the "
        "surplus, r-1 for its split and 2 for the neighbours%s. A single row or column has only its "
        "own sums.",
        mwa->one_port ? ", each times the number of its colours because of the one port" : "");
    if (!mwa->one_port) {
        core_facts_add(facts, CORE_NEEDS_PLAIN, "exchange_steps_most", (double)mwa->rows + mwa->columns - 2.0,
                       "exchange_steps", "The longest path of load: r-1 links in its column, then c-1 in its row.");
    }
}

static void add_messages(const struct mwa *mwa, struct ek_facts *facts)
{
    double along = (double)mwa->rows * (mwa->columns - 1), across = (double)mwa->columns * (mwa->rows - 1);
    double pairs = (double)(mwa->rows - 1) * (mwa->columns - 1); // of a link in a row and the next row
    core_facts_add(facts, CORE_NEEDS_PLAIN, "messages_most",
                   along > 0.0 && across > 0.0 ? 5.0 * along + 4.0 * across + pairs : 3.0 * (along + across),
                   "messages",
                   "Two sums and at most one parcel over each link. In a mesh also two sums of surplus over each link "
                   "of the rows, and between two rows at most c numbers of the split and c-1 of the neighbours.");
}

// Returns what a processor's load differs from its quota, of `total` in all.
static double difference(const struct mwa *mwa, const struct ek_outlook *outlook, double total, uint32_t p)
{
    return mwa->tokens ? outlook->load[p] - method_walk_quota(total, mwa->topology->processors, p, p + 1)
                       : outlook->surplus[p];
}

// Adds what must move, and what can stay. Load crosses the line between two rows, or two columns, at least as much as
// the loads on one side differ from their quotas.
static void add_least(const struct mwa *mwa, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    uint32_t n = mwa->topology->processors;
    double total = 0.0, least = 0.0, leaves = 0.0, rows = 0.0, columns = 0.0;
    for (uint32_t p = 0; p < n; p++) {
        total += outlook->load[p];
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t p = i % mwa->rows * mwa->columns + i / mwa->rows; // column by column
        rows += difference(mwa, outlook, total, i);
        columns += difference(mwa, outlook, total, p);
        least += (i + 1) % mwa->columns == 0 ? fabs(rows) : 0.0;
        least += (i + 1) % mwa->rows == 0 ? fabs(columns) : 0.0;
        leaves += fmax(difference(mwa, outlook, total, i), 0.0);
    }
    core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "moved_least", least, "moved",
                   "What must cross the lines between rows and between columns from the load of run 0, since the loads "
                   "on one side differ from their quotas by as much.");
    if (mwa->tokens) {
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "stayed_all", total - leaves, "stayed",
                       "The sum of min(w, q): only what is above a quota leaves its first processor. No other way to "
                       "these quotas keeps more.");
    }
}

static void facts_mwa(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    const struct mwa *mwa = plan->data;
    if (mwa->tokens) {
        core_facts_add(facts, CORE_NEEDS_PLAIN | CORE_AT_END, "spread_most", plan->spread_most, "spread_final",
                       "The quotas differ by at most 1, and the loads end there.");
    }
    add_steps(mwa, facts);
    add_messages(mwa, facts);
    add_least(mwa, outlook, facts);
}

static const struct ek_texts mwa_texts = {
    .title = "mesh walking algorithm",
    .example = "mwa --topology mesh:8x8",
    .equation =
        "with T the total load of the N processors, the quota of p is q_p = floor(T/N) + (p < T mod N), for real "
        "loads T/N. The flow from row i down to row i+1 is the sum over the rows up to i of (w - q). A row "
        "passes on what comes from the row before, in its column. If more has to go, each processor adds the same "
        "share of its surplus max(0, w - q); if less, each column keeps the same share. The flow from column j to j+1 "
        "of a row is then the sum over the columns up to j of (w - q)",
    .steps = "The run is one operation. With r rows of c processors it has 4c+3r-5 steps of scan: 2(c-1) for the rows' "
             "loads, 2(r-1) for the columns, 2(c-1) for the surplus, r-1 for its split over the columns, 2 for that of "
             "the neighbours. Then at most r+c-2 steps of exchange. With one port each step becomes one step for each "
             "colour.",
    .optimum =
        "It has no parameter. With tokens the T mod N extra tasks go to the first processors in row-major order.",
    .assumes = "Known before the run: the sides and the processor's own position. Learned by messages: the loads of "
               "the processor's row and of all processors, the sums from its column and row on, and how the flow "
               "between rows is divided over the columns.",
    .source = "M.-Y. Wu, On runtime parallel scheduling for processor load balancing, IEEE Trans. Parallel and "
              "Distributed Systems 8(2), 1997; named in " METHOD_WU_SHU ", section 7",
    .findings = "Wu & Shu only name it, as a more balanced load with less communication than dde. The scans and the "
                "quotas are those of Wu 1997; how a row divides its flow over the columns is our reading. The spread "
                "at the end is at most 1, where dde leaves up to 2 on a mesh, and no quotas can be reached with more "
                "tasks that stay. It takes more steps of scan than dde, and moves some percent less of random loads.",
};

static const struct ek_rounds_part mwa_rounds = {
    .next = next,
    .announce = mwa_announce,
    .act = mwa_act,
    .reads_arrivals = true,
    .block = mwa_block,
    .block_tokens = mwa_block,
    .counts = EK_COUNTS_SCAN,
};

const struct ek_method core_method_mwa = {
    .name = "mwa",
    .texts = &mwa_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT, .quotas = true},
    .links = EK_LINKS_SCHEDULED,
    .direct = true,
    .prepare = prepare,
    .destroy = release,
    .facts = facts_mwa,
    .rounds = &mwa_rounds,
};
