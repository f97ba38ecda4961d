// SPDX-License-Identifier: MIT
// Balances a whole domain to its mean. local-average is the variant at the end of section 4 of Xu, Monien, Lüling &
// Lau 1995: an invoker takes its neighbours' surplus and fills their deficits. random-neighbours is Lüling & Monien
// 1993: the domain is a few neighbours drawn at random, and a processor invokes when its load has changed by a factor.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/methods/kernels/block.h"
#include "core/theory/domain_variance.h"
#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "base/random.h"
#include "base/debug.h"

// The steps of an operation: all processors announce their loads; invokers request surplus and get it; invokers make up
// deficits.
enum stage { LEARN, PULL, GIVE, STAGES };

struct local {
    uint64_t neighbours; // in a domain, drawn at random if the processor has more
    double factor;       // a processor invokes if its load has changed by this factor; 1: always
    bool tokens;
    uint32_t colours;
};

// The state of a processor: the load that its last operation aimed at. At each port: the neighbour's surplus over its
// share of the domain's load, in this processor's operation.
enum { BASE, STATE_DOUBLES };
enum { SURPLUS, PORT_DOUBLES };

static bool has_changed(const struct local *local, double load, double base)
{
    return local->factor == 1.0 || (load != base && (load >= local->factor * base || load * local->factor <= base));
}

static inline uint64_t wanted_of(const struct ek_view *view, const struct local *local)
{
    return local->neighbours < view->degree ? local->neighbours : view->degree;
}

// Returns draw `number` of this operation: one of the ports 0 .. number.
static uint64_t draw(const struct ek_view *view, uint64_t number)
{
    uint64_t moment = view->step->number << 24 | number;
    struct base_random random = base_random_moment(view->seed, view->processor, BASE_STREAM_NEIGHBOURS, moment);
    return base_random_below(&random, number + 1);
}

// Marks the neighbours of this operation's domain and returns their number. All sets are equally likely (Floyd's
// sampling, Bentley & Floyd 1987): draw `index` takes the port drawn, or if that port is taken, port `index`.
static uint64_t choose(const struct ek_view *view, const struct local *local)
{
    uint64_t wanted = wanted_of(view, local);
    for (unsigned port = 0; port < view->degree; port++) {
        view->memory[port * PORT_DOUBLES + SURPLUS] = wanted == view->degree ? view->announced[port] : NAN;
    }
    for (uint64_t index = view->degree - wanted; wanted < view->degree && index < view->degree; index++) {
        uint64_t drawn = draw(view, index);
        uint64_t port = isnan(view->memory[drawn * PORT_DOUBLES + SURPLUS]) ? drawn : index;
        view->memory[port * PORT_DOUBLES + SURPLUS] = view->announced[port];
    }
    return wanted;
}

// Returns whether `choose` takes this port, without choosing all others.
static bool is_chosen(const struct ek_view *view, const struct local *local, uint64_t port)
{
    uint64_t first = view->degree - wanted_of(view, local);
    for (uint64_t end = view->degree; first > 0; port = draw(view, port)) { // the draws first .. end-1
        for (uint64_t index = first; index < end; index++) {
            if (draw(view, index) == port) {
                return true;
            }
        }
        if (port < first || port >= end) {
            return false;
        }
        end = port; // draw number `port` took this port if its drawn port was taken before
    }
    return true;
}

// Replaces the loads of the domain by surpluses over the domain's mean. In tokens the remainder goes to the first
// members, the invoker first. Returns the invoker's share.
static double compare(const struct ek_view *view, bool tokens, uint64_t neighbours)
{
    double members = 1.0 + (double)neighbours;
    double total = view->load;
    for (unsigned port = 0; port < view->degree; port++) {
        double load = view->memory[port * PORT_DOUBLES + SURPLUS];
        total += isnan(load) ? 0.0 : load;
    }
    int64_t over = tokens ? (int64_t)floor(total) % (int64_t)members : 0;
    double rest = (double)(over < 0 ? over + (int64_t)members : over); // a target can be larger than the load
    double share = (total - rest) / members;
    double given = 1.0; // of the remainder
    for (unsigned port = 0; port < view->degree; port++) {
        double *surplus = &view->memory[port * PORT_DOUBLES + SURPLUS];
        bool chosen = !isnan(*surplus);
        *surplus = chosen ? *surplus - share - (given < rest ? 1.0 : 0.0) : 0.0;
        given += chosen;
    }
    return share + (rest > 0.0 ? 1.0 : 0.0);
}

// Does the step LEARN. A processor whose load has changed sets `busy`, even if the machine does not let it invoke.
static void learn(struct ek_turn *turn, const struct local *local)
{
    const struct ek_view *view = &turn->view;
    turn->busy = has_changed(local, view->load, turn->state[BASE]);
    turn->invokes = turn->invokes && turn->busy;
    if (turn->invokes) {
        turn->state[BASE] = compare(view, local->tokens, choose(view, local));
        return;
    }
    for (unsigned port = 0; port < view->degree; port++) {
        view->memory[port * PORT_DOUBLES + SURPLUS] = 0.0;
    }
}

static inline void local_announce(const struct ek_turn *turn, double *values)
{
    const struct ek_view *view = &turn->view;
    for (unsigned port = 0; view->step->stage == PULL && port < view->degree; port++) {
        double surplus = view->memory[port * PORT_DOUBLES + SURPLUS];
        values[port] = surplus > 0.0 ? surplus : NAN;
    }
}

// Returns `wanted`, but no more than the processor holds beyond what it has given: rounding must not make a load
// negative.
static inline double within(double wanted, double held, double given)
{
    double amount = wanted < held - given ? wanted : held - given;
    return given + amount > held ? nextafter(amount, 0.0) : amount;
}

// If domains overlap, the last invokers may receive less than they requested.
static inline void local_act(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    const struct local *local = view->plan->data;
    if (view->step->stage == LEARN) {
        learn(turn, local);
        return;
    }
    double given = 0.0;
    for (unsigned port = 0; port < view->degree; port++) {
        double wanted =
            view->step->stage == PULL ? view->announced[port] : -view->memory[port * PORT_DOUBLES + SURPLUS];
        amounts[port] = wanted > 0.0 ? within(wanted, view->held, given) : 0.0; // NaN: nothing was requested
        amounts[port] = local->tokens ? floor(amounts[port]) : amounts[port];   // distances from targets are not whole
        given += amounts[port];
    }
}

static void local_block(struct ek_block *block)
{
    ek_block_program(block, local_announce, local_act);
}

static enum ek_next local_next(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step)
{
    if (moment->index == STAGES) {
        return EK_NEXT_OPERATION_ENDS;
    }
    if (moment->index == PULL && !moment->busy && !moment->workload_continues) {
        return EK_NEXT_RUN_ENDS; // no load has changed, and none will
    }
    step->stage = (unsigned)moment->index;
    step->number = moment->operation;
    step->colour_end = ((const struct local *)plan->data)->colours;
    step->count = step->stage == LEARN ? EK_COUNT_REDUCTION : EK_COUNT_STEP;
    step->loads = step->stage == LEARN;
    return EK_NEXT_STEP;
}

// Returns whether a neighbour takes part, in free timing. Only a processor whose load has changed begins an operation,
// and only with the neighbours of its domain.
static bool random_includes(const struct ek_turn *turn, unsigned port)
{
    const struct local *local = turn->view.plan->data;
    return has_changed(local, turn->view.load, turn->state[BASE]) && is_chosen(&turn->view, local, port);
}

// Free timing: the domain consists of the neighbours that answered.
static void compare_answers(struct ek_turn *turn, bool tokens)
{
    const struct ek_view *view = &turn->view;
    uint64_t answers = 0;
    for (unsigned port = 0; port < view->degree; port++) {
        view->memory[port * PORT_DOUBLES + SURPLUS] = view->announced[port];
        answers += isnan(view->announced[port]) ? 0 : 1;
    }
    double share = compare(view, tokens, answers);
    turn->state[BASE] = answers > 0 ? share : turn->state[BASE];
}

static bool request_surplus(const struct ek_view *view, bool tokens, double *amounts)
{
    bool requested = false;
    for (unsigned port = 0; port < view->degree; port++) {
        double surplus = view->memory[port * PORT_DOUBLES + SURPLUS];
        double wanted = tokens ? floor(surplus) : surplus; // distances from targets are not whole
        amounts[port] = wanted > 0.0 ? -wanted : 0.0;
        requested = requested || wanted > 0.0;
    }
    return requested;
}

static void make_up_deficits(const struct ek_view *view, bool tokens, double *amounts)
{
    double given = 0.0;
    for (unsigned port = 0; port < view->degree; port++) {
        double wanted = -view->memory[port * PORT_DOUBLES + SURPLUS];
        amounts[port] = wanted > 0.0 ? within(wanted, view->held, given) : 0.0;
        amounts[port] = tokens ? floor(amounts[port]) : amounts[port];
        given += amounts[port];
    }
}

// Writes the amounts in free timing. The requested load arrives first. Then the processor gives from the load that it
// holds.
static void local_operate(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    bool tokens = ((const struct local *)view->plan->data)->tokens;
    BASE_DEBUG_ASSERT(view->step->stage <= 1);
    bool requested = false;
    if (view->step->stage == 0) {
        compare_answers(turn, tokens);
        requested = request_surplus(view, tokens, amounts);
    }
    turn->busy = requested;
    if (!requested) {
        make_up_deficits(view, tokens, amounts);
    }
}

// Chooses the usual invocation, domains and stop criterion. Invokers whose domains overlap pull the same surplus, and
// together may balance nothing. A domain overlaps with at most d^2 others. So in rounds the probability to invoke is
// chosen such that on average one of the processors with overlapping domains invokes. In free timing domains are
// exclusive. In tokens the remainder of the mean keeps neighbours' loads different by up to 1.
static void limit_overlap(struct ek_plan *plan, const struct ek_setting *setting)
{
    double degree = setting->topology->degree_max;
    double near = fmin(1.0 + degree * degree, setting->topology->processors);
    if (setting->free) {
        snprintf(plan->domains, sizeof plan->domains, "exclusive");
    } else {
        snprintf(plan->invoke, sizeof plan->invoke, "probability:%.6g", 1.0 / near);
    }
    if (setting->units == EK_TOKENS) {
        snprintf(plan->stop, sizeof plan->stop, "neighbours:1");
    }
}

static bool prepare(struct ek_plan *plan, const struct ek_setting *setting, uint64_t neighbours, double factor,
                    struct ek_error *error)
{
    struct local *local = malloc(sizeof *local);
    if (!local) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the method");
    }
    *local = (struct local){.neighbours = neighbours,
                            .factor = factor,
                            .tokens = setting->units == EK_TOKENS,
                            .colours = setting->topology->colours};
    plan->port_doubles = PORT_DOUBLES;
    plan->state_doubles = STATE_DOUBLES;
    plan->data = local;
    plan->ends_at_rest = factor > 1.0;
    limit_overlap(plan, setting);
    return true;
}

static bool prepare_average(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    return core_parameter_none(parameter, at, error) && prepare(plan, setting, UINT64_MAX, 1.0, error);
}

// Reads M or M:F.
static bool prepare_random(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                           struct ek_error *error)
{
    if (!parameter) {
        return base_fail_at(error, "method", (size_t)at,
                            "random-neighbours needs the number of neighbours, as in random-neighbours:2");
    }
    uint64_t neighbours;
    double factor = 2.0;
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    if (!base_cursor_whole(&cursor, "the number of neighbours", 1, UINT32_MAX, &neighbours) ||
        (base_cursor_accept(&cursor, ':') && !base_cursor_real(&cursor, "the factor", 1.0, 0x1p53, &factor)) ||
        !base_cursor_end(&cursor)) {
        return false;
    }
    return prepare(plan, setting, neighbours, factor, error);
}

static void average_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    struct core_domain domain = {.neighbours = outlook->topology->degree_max,
                                 .processors = outlook->topology->processors};
    (void)plan;
    core_facts_add(facts,
                   CORE_NEEDS_SINGLE_INVOKERS | CORE_NEEDS_NO_WORK | CORE_NEEDS_NO_DELAY | CORE_NEEDS_NO_LIMIT |
                       CORE_NEEDS_NO_FAULTS | CORE_NEEDS_REAL | CORE_NEEDS_EQUAL_CAPACITIES,
                   "domain_average", core_domain_average(domain), NULL,
                   "The expected variance left in the domain of a single invoker with %.0f neighbours, relative to "
                   "sigma0^2, from independent loads (Xu et al. 1995, end of section 4).",
                   domain.neighbours);
}

static const struct ek_texts local_average_texts = {
    .title = "local average of a domain",
    .example = "local-average --invoke below:500 --operations 20 --stop never",
    .equation = "for an invoker i with neighbours j, m is the mean of w_i and all w_j. Each j with w_j > m gives w_j - "
                "m to i; then i gives m - w_j to each j with w_j < m. No processor gives more than it holds. Tokens: "
                "the remainder of the mean goes to i, then to its first neighbours",
    .steps = "An operation has two steps: in the first the invoker pulls, in the second it gives. The announcement of "
             "the loads before them is counted as a reduction step (reduction_steps).",
    .optimum = "The method is meant for single invokers. Its default invocation is probability:P with P = 1/min(N, "
               "d^2+1) and d the largest degree: on average one of the processors with overlapping domains invokes. In "
               "free timing domains are exclusive by default.",
    .assumes = "Nothing beyond the neighbours' loads. Free timing: the domain consists of the neighbours that answer, "
               "and load is given after the requested load has arrived.",
    .source = METHOD_XU_1995 ", end of section 4",
    .findings = "A domain that overlaps with no other ends at its mean, and the expected domain variance is as "
                "printed. If domains overlap, the method moves much load and balances little, as the paper states.",
};

static const struct ek_rounds_part local_rounds = {
    .next = local_next,
    .announce = local_announce,
    .act = local_act,
    .reads_invokes = true,
    .block = local_block,
    .block_tokens = local_block,
    .counts = EK_COUNTS_REDUCTION,
};

const struct ek_method core_method_local_average = {
    .name = "local-average",
    .texts = &local_average_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_SCHEDULED,
    .prepare = prepare_average,
    .destroy = method_free_data,
    .facts = average_facts,
    .rounds = &local_rounds,
    .free = &(const struct ek_free_part){.operate = local_operate},
};

static const struct ek_texts random_neighbours_texts = {
    .title = "balancing with random neighbours",
    .parameter = "M",
    .example = "random-neighbours:2",
    .equation = "a processor whose load has changed by a factor F since its last operation invokes. It and M "
                "neighbours drawn at random move to their common mean, as in local-average. Before its first operation "
                "the processor's last load counts as 0",
    .steps = "An operation has the steps of local-average.",
    .optimum = "M, or M:F with F = 2 by default. With F = 1 no change of load is needed. If no stop criterion is "
               "given, a run ends when no load has changed by the factor F. Invocation and domains have the same "
               "defaults as in local-average.",
    .assumes = "Nothing beyond the neighbours' loads; random numbers come from the seed.",
    .source =
        "Lüling & Monien, A dynamic distributed load balancing algorithm with provable good performance, SPAA 1993",
};

const struct ek_method core_method_random_neighbours = {
    .name = "random-neighbours",
    .texts = &random_neighbours_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_SCHEDULED,
    .draws = true,
    .prepare = prepare_random,
    .destroy = method_free_data,
    .rounds = &local_rounds,
    .free = &(const struct ek_free_part){.includes = random_includes, .operate = local_operate},
};
