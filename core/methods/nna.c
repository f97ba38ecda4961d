// SPDX-License-Identifier: MIT
// Nearest-neighbour averaging, the method to beat in Henrich, Local load balancing according to a simple liquid model,
// Eqs. (4) and (5). In rounds all processors act at once. In free timing a processor below the mean requests load.
// Tokens move on a ring only, rounded up to the right and down to the left, computed in whole numbers.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/methods/methods.h"
#include "core/methods/lines/ring.h"
#include "core/parameter.h"
#include "base/debug.h"

enum form { DEFICIT, PORTION, NET, FORMS };

// plan->data points to one of these.
static const struct nna {
    enum form form;
    bool ring;
} plans[2][FORMS] = {{{DEFICIT, false}, {PORTION, false}, {NET, false}},
                     {{DEFICIT, true}, {PORTION, true}, {NET, true}}};

// Records an amount if it is the largest that this processor shifted down or up.
static inline void note_shift(struct ek_turn *turn, bool up, double amount)
{
    turn->shift[up] = amount > turn->shift[up] ? amount : turn->shift[up];
}

// Writes real amounts. In a ring of two, the left and the right neighbour are one processor. It counts as two
// neighbours, and both amounts cross the one link.
static inline void act_real(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct nna *nna = view->plan->data;
    double sides = nna->ring && view->degree == 1 ? 2.0 : 1.0;
    double members = 1.0 + sides * view->degree;
    double sum = view->load;
    for (unsigned port = 0; port < view->degree; port++) {
        sum += sides * view->announced[port];
    }
    double mean = sum / members;
    double deficits = 0.0;
    for (unsigned port = 0; port < view->degree; port++) {
        deficits += view->announced[port] < mean ? sides * (mean - view->announced[port]) : 0.0;
    }
    for (unsigned port = 0; port < view->degree; port++) {
        double other = view->announced[port];
        double amount = nna->form == PORTION ? view->load / members
                        : nna->form == NET   ? (view->load - other) / members
                        : view->load > mean && other < mean && deficits > 0.0
                            ? (view->load - mean) * (mean - other) / deficits
                            : 0.0;
        amounts[port] = amount > 0.0 ? sides * amount : 0.0;
        note_shift(turn, view->direction[port] > 0, amount);
        if (sides == 2.0) {
            note_shift(turn, view->direction[port] < 0, amount);
        }
    }
}

// Returns a * b / c, rounded up or down from the exact quotient. If the product does not fit it is computed bit by bit
// of a.
static int64_t multiply_divide(int64_t a, int64_t b, int64_t c, bool up)
{
    BASE_DEBUG_ASSERT(a >= 0 && b >= 0 && b <= c && c > 0 && c < INT64_MAX / 3);
    int64_t quotient = 0;
    int64_t remainder = 0;
    if (b == 0 || a <= INT64_MAX / b) {
        quotient = a * b / c;
        remainder = a * b % c;
    } else {
        for (int bit = 62; bit >= 0; bit--) {
            int64_t rest = 2 * remainder + (a >> bit & 1 ? b : 0);
            quotient = 2 * quotient + rest / c;
            remainder = rest % c;
        }
    }
    return quotient + (up && remainder > 0);
}

static inline int64_t third(int64_t amount, bool up)
{
    return (amount + (up ? 2 : 0)) / 3;
}

static inline int64_t more(int64_t a, int64_t b)
{
    return a > b ? a - b : 0;
}

// Writes the amounts to shift: amount[0] goes to the left, amount[1] to the right. other[] are the neighbours' loads.
static inline void share_tokens(enum form form, int64_t load, const int64_t other[2], int64_t amount[2])
{
    int64_t sum = load + other[0] + other[1];
    int64_t deficit[2] = {more(sum, 3 * other[0]), more(sum, 3 * other[1])};
    int64_t deficits = deficit[0] + deficit[1];
    for (int up = 0; up < 2; up++) {
        amount[up] = form == PORTION  ? third(more(load, 0), up)
                     : form == NET    ? third(more(load, other[up]), up)
                     : 3 * load > sum ? multiply_divide(3 * load - sum, deficit[up], 3 * deficits, up)
                                      : 0;
    }
    BASE_DEBUG_ASSERT(amount[0] >= 0 && amount[1] >= 0);
    bool negative = load < 0 || other[0] < 0 || other[1] < 0; // a workload can consume more than a processor holds
    BASE_DEBUG_ASSERT(negative || amount[0] + amount[1] <= load);
}

static inline void act_tokens(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct nna *nna = view->plan->data;
    struct method_ring ring = method_ring_of(view, 0);
    if (ring.up == METHOD_ALONE) {
        return;
    }
    int64_t other[2] = {(int64_t)view->announced[ring.down], (int64_t)view->announced[ring.up]};
    int64_t amount[2];
    share_tokens(nna->form, (int64_t)view->load, other, amount);
    amounts[ring.down] += (double)amount[0];
    amounts[ring.up] += (double)amount[1];
    turn->shift[0] = (double)amount[0];
    turn->shift[1] = (double)amount[1];
}

static void nna_act(struct ek_turn *turn, double *amounts)
{
    (turn->view.plan->tokens ? act_tokens : act_real)(turn, amounts);
}

static void nna_block(struct ek_block *block)
{
    ek_block_program(block, NULL, act_real);
}

static void nna_block_tokens(struct ek_block *block)
{
    ek_block_program(block, NULL, act_tokens);
}

// Free timing. A processor above the mean of the members that answered gives as in Eq. (4). A processor below it
// requests from each neighbour above the mean a share of its deficit (receiver-initiated diffusion). `net` gives and
// requests too; `portion` only gives.
static void operate_real(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct nna *nna = view->plan->data;
    double sides = nna->ring && view->degree == 1 ? 2.0 : 1.0;
    double members = 1.0;
    double sum = view->load;
    for (unsigned port = 0; port < view->degree; port++) {
        bool answered = !isnan(view->announced[port]);
        members += answered ? sides : 0.0;
        sum += answered ? sides * view->announced[port] : 0.0;
    }
    double above = view->load - sum / members;
    double weights = 0.0;
    for (unsigned port = 0; port < view->degree; port++) {
        double weight = above > 0.0 ? sum / members - view->announced[port] : view->announced[port] - sum / members;
        amounts[port] = weight > 0.0 ? weight : 0.0; // NaN: the neighbour takes no part
        weights += sides * amounts[port];
    }
    for (unsigned port = 0; port < view->degree; port++) {
        double amount = nna->form == PORTION ? fmax(view->load, 0.0) / members
                        : nna->form == NET   ? (view->load - view->announced[port]) / members
                        : weights > 0.0      ? above * amounts[port] / weights
                                             : 0.0;
        amounts[port] = isnan(view->announced[port]) ? 0.0 : sides * amount;
    }
}

// A side of a ring on which a neighbour takes part.
struct side {
    unsigned port;
    bool up;
    int64_t load;
};

static int64_t answering_sides(const struct ek_view *view, struct side side[2])
{
    struct method_ring ring = method_ring_of(view, 0);
    int64_t answered = 0;
    for (int up = 0; ring.up != METHOD_ALONE && up < 2; up++) {
        unsigned port = up ? ring.up : ring.down;
        if (!isnan(view->announced[port])) {
            side[answered++] = (struct side){port, up, (int64_t)view->announced[port]};
        }
    }
    return answered;
}

// Does the same on a ring, in whole numbers. Amounts that flow to the right are rounded up. Amounts that flow to the
// left are rounded down.
static void operate_tokens(struct ek_turn *turn, double *amounts)
{
    enum form form = ((const struct nna *)turn->view.plan->data)->form;
    struct side side[2] = {{0}};
    int64_t answered = answering_sides(&turn->view, side);
    int64_t load = (int64_t)turn->view.load;
    int64_t sum = load + side[0].load + side[1].load;
    int64_t members = 1 + answered;
    int64_t above = members * load - sum;
    int64_t weight[2] = {0, 0};
    for (int64_t k = 0; k < answered; k++) {
        weight[k] = above > 0 ? more(sum, members * side[k].load) : more(members * side[k].load, sum);
    }
    int64_t weights = weight[0] + weight[1];
    for (int64_t k = 0; k < answered; k++) {
        bool gives = form == PORTION || (form == NET ? load > side[k].load : above > 0);
        bool up = side[k].up == gives; // the amount flows to the right: it is given to the right, or requested from the
                                       // left
        int64_t amount = form == PORTION ? multiply_divide(more(load, 0), 1, members, up)
                         : form == NET   ? multiply_divide(llabs(load - side[k].load), 1, members, up)
                         : weights > 0   ? multiply_divide(llabs(above), weight[k], members * weights, up)
                                         : 0;
        amounts[side[k].port] += (double)(gives ? amount : -amount);
    }
}

static void nna_operate(struct ek_turn *turn, double *amounts)
{
    turn->view.plan->tokens ? operate_tokens(turn, amounts) : operate_real(turn, amounts);
}

static const char *known_form(size_t index)
{
    static const char *const names[] = {"portion", "net"};
    return index < 2 ? names[index] : NULL;
}

static bool nna_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                        struct ek_error *error)
{
    bool ring = method_is_ring(setting->topology);
    if (setting->units == EK_TOKENS && !ring) {
        return base_fail(
            error, EK_BAD_INPUT, "topology",
            "nna moves tokens on a ring only, rounded up to the right and down to the left: use ring:N, or units real");
    }
    size_t named;
    if (!core_parameter_name(parameter, at, "form of nna", known_form, &named, error)) {
        return false;
    }
    plan->data = &plans[ring][parameter ? named + 1 : DEFICIT];
    plan->tokens = setting->units == EK_TOKENS;
    if (setting->free) { // otherwise several invokers could each fill the whole deficit of one neighbour
        snprintf(plan->domains, sizeof plan->domains, "exclusive");
    }
    return true;
}

static const char *paper_steps(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps)
{
    (void)plan;
    *steps = (uint64_t)counted->shifts;
    return counted->units == EK_TOKENS ? "Henrich (Fig. 5) counts one step for each token that a link carries, first "
                                         "to the right and then to the left"
                                       : NULL;
}

static const struct ek_texts nna_texts = {
    .title = "nearest-neighbour averaging",
    .parameter = "portion|net",
    .example = "nna --topology ring:16 --load peak:80 --units tokens",
    .equation = "for a processor i with n neighbours j, m is the mean of L_i and all L_j, h_j = max(0, m - L_j), and H "
                "is the sum of all h_j. nna: if L_i > m, (L_i - m) h_j / H goes to j. nna:portion: L_i / (n+1) goes to "
                "each j. nna:net: max(0, L_i - L_j) / (n+1) goes to j. Tokens: rounded up to the right and down to the "
                "left. In free timing n and m count the neighbours that answered. There a processor i with L_i < m "
                "requests (m - L_i) (L_j - m) / S from each j with L_j > m, with S the sum of these L_j - m; with "
                "nna:net it requests (L_j - L_i) / (n+1)",
    .optimum = "Without a parameter the transfers are those of Eq. (4), with portion those of Eq. (5), with net the "
               "differences of those of Eq. (5).",
    .assumes = "Nothing beyond the neighbours' loads. In free timing processors above the mean are senders as in Eq. "
               "(4), and processors below it are receivers (receiver-initiated diffusion, Willebeek-LeMair & Reeves "
               "1993). With invoke below:L only receivers act.",
    .source = "Willebeek-LeMair & Reeves 1990 and Qian & Yang 1991, as in Henrich, Local load balancing according to a "
              "simple liquid model, section 2.3",
    .findings = "Eq. (4) lacks a sign: it must be L_i - m. The paper's factors of 4 and 23 against the liquid model "
                "are reproduced with Eq. (4), 2000 processors and the cost shifts: the largest amount to the right "
                "plus the largest to the left, summed over the operations. Rounding to one side does not guarantee "
                "balance: Eq. (4) can enter a cycle of spread 2, as from peak:48 on ring:16.",
};

static const struct ek_rounds_part nna_rounds = {
    .act = nna_act,
    .block = nna_block,
    .block_tokens = nna_block_tokens,
    .counts = EK_COUNTS_SHIFTS,
    .paper_steps = paper_steps,
};

const struct ek_method core_method_nna = {
    .name = "nna",
    .texts = &nna_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = nna_prepare,
    .rounds = &nna_rounds,
    .free = &(const struct ek_free_part){.operate = nna_operate},
};
