// SPDX-License-Identifier: MIT
// The operation of one invoker in free timing: known answers by hand, and laws over loads drawn at random. No
// machine runs: the test makes the topology, the plan and the turns.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "base/random.h"
#include "topologies/topology.h"

enum { PROCESSORS_MAX = 16, WORDS_MAX = 8 };

// An invoker on its topology. Loads and amounts are by processor: NAN for a neighbour that takes no part.
struct invoker {
    struct ek_topology *topology;
    const struct ek_method *method;
    struct ek_plan plan;
    struct ek_step step;
    struct ek_turn turn;
    double announced[PROCESSORS_MAX], arrived[PROCESSORS_MAX], by_port[PROCESSORS_MAX];
    double memory[PROCESSORS_MAX * WORDS_MAX], state[WORDS_MAX];
};

static bool try_prepare(struct invoker *invoker, const char *topology, const char *method, const char *parameter,
                        enum ek_units units, struct ek_error *error)
{
    *invoker = (struct invoker){.method = ek_method_find(method)};
    invoker->topology = ek_topology_create(topology, 1, (struct ek_reader){0}, error);
    cr_assert(invoker->method && invoker->topology, "%s on %s", method, topology);
    struct ek_setting setting = {
        .topology = invoker->topology, .units = units, .ports = EK_ALL_PORTS, .stop_error = 0.01, .free = true};
    invoker->plan.parameter = NAN;
    return invoker->method->prepare(&invoker->plan, parameter, 0, &setting, error);
}

static void begin(struct invoker *invoker, const char *topology, const char *method, const char *parameter,
                  enum ek_units units, uint32_t processor)
{
    struct ek_error error;
    cr_assert(try_prepare(invoker, topology, method, parameter, units, &error), "%s", error.sentence);
    uint32_t first = invoker->topology->first[processor];
    cr_assert(invoker->topology->processors <= PROCESSORS_MAX && invoker->plan.port_doubles <= WORDS_MAX &&
              invoker->plan.state_doubles <= WORDS_MAX);
    invoker->turn = (struct ek_turn){.view = {.plan = &invoker->plan,
                                              .step = &invoker->step,
                                              .processor = processor,
                                              .degree = invoker->topology->first[processor + 1] - first,
                                              .capacity = 1.0,
                                              .announced = invoker->announced,
                                              .dimension = invoker->topology->dimension + first,
                                              .direction = invoker->topology->direction + first,
                                              .memory = invoker->memory,
                                              .seed = 1},
                                     .state = invoker->state,
                                     .arrived = invoker->arrived,
                                     .invokes = true};
}

static void end(struct invoker *invoker)
{
    if (invoker->method->destroy) {
        invoker->method->destroy(&invoker->plan);
    }
    ek_topology_destroy(invoker->topology);
}

static uint32_t neighbour(const struct invoker *invoker, unsigned port)
{
    return invoker->topology->neighbour[invoker->topology->first[invoker->turn.view.processor] + port];
}

static void hear(struct invoker *invoker, const double *load)
{
    invoker->turn.view.load = invoker->turn.view.held = load[invoker->turn.view.processor];
    for (unsigned port = 0; port < invoker->turn.view.degree; port++) {
        invoker->announced[port] = load[neighbour(invoker, port)];
    }
}

// Runs one stage. Returns the amounts to move, by port.
static const double *operate(struct invoker *invoker)
{
    memset(invoker->by_port, 0, sizeof invoker->by_port);
    invoker->turn.busy = false;
    invoker->method->free->operate(&invoker->turn, invoker->by_port);
    return invoker->by_port;
}

struct answer {
    const char *topology, *method, *parameter;
    enum ek_units units;
    uint32_t processor;
    double load[PROCESSORS_MAX],
        amount[PROCESSORS_MAX]; // by processor; the amount goes from the invoker to the processor
};

static void expect_answer(const struct answer *answer)
{
    struct invoker invoker;
    begin(&invoker, answer->topology, answer->method, answer->parameter, answer->units, answer->processor);
    hear(&invoker, answer->load);
    const double *amounts = operate(&invoker);
    for (unsigned port = 0; port < invoker.turn.view.degree; port++) {
        uint32_t p = neighbour(&invoker, port);
        cr_expect_float_eq(amounts[port], answer->amount[p], 1e-12, "%s:%s on %s, load %g: %g to %u, not %g",
                           answer->method, answer->parameter ? answer->parameter : "", answer->topology,
                           answer->load[answer->processor], amounts[port], p, answer->amount[p]);
        cr_expect(answer->units == EK_REAL || amounts[port] == floor(amounts[port]));
    }
    end(&invoker);
}

static void expect_answers(const struct answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect_answer(&answers[i]);
    }
}

// The sender gives c of the difference, and requests nothing.
Test(operate, sender)
{
    static const struct answer answers[] = {
        {"ring:4", "sender", "0.5", EK_REAL, 0, {10, 4, 0, 16}, {0, 3, 0, 0}},
        {"ring:4", "sender", "1/(deg+1)", EK_REAL, 0, {10, 4, 0, 7}, {0, 2, 0, 1}},
        {"ring:4", "sender", "0.5", EK_TOKENS, 0, {9, 4, 0, 2}, {0, 2, 0, 3}},
        {"ring:4", "sender", "0.5", EK_REAL, 0, {10, NAN, 0, 4}, {0, 0, 0, 3}},
    };
    expect_answers(answers, sizeof answers / sizeof *answers);
}

// Eq. (4) for an invoker above the mean of the neighbours that answered, and its mirror image below.
Test(operate, nna_in_real_loads)
{
    static const struct answer answers[] = {
        {"mesh:3x3", "nna", NULL, EK_REAL, 4, {0, 10, 0, 5, 25, 10, 0, 0}, {[3] = 5, [7] = 10}},
        {"mesh:3x3", "nna", NULL, EK_REAL, 4, {0, NAN, 0, 5, 25, NAN, 0, 0}, {[3] = 5, [7] = 10}},
        {"mesh:3x3", "nna", NULL, EK_REAL, 4, {0, 0, 0, 1, 4, 15, 0, 30}, {[5] = -1.2, [7] = -4.8}},
        {"mesh:3x3", "nna", NULL, EK_REAL, 4, {0, 4, 0, 4, 4, 4, 0, 4}, {0}},
        {"mesh:3x3", "nna", NULL, EK_REAL, 4, {0, NAN, 0, NAN, 9, NAN, 0, NAN}, {0}},
        {"mesh:3x3", "nna", "portion", EK_REAL, 4, {0, 1, 0, 50, 25, 0, 0, 9}, {[1] = 5, [3] = 5, [5] = 5, [7] = 5}},
        {"mesh:3x3", "nna", "portion", EK_REAL, 4, {0, 1, 0, NAN, 24, NAN, 0, 9}, {[1] = 8, [7] = 8}},
        {"mesh:3x3", "nna", "net", EK_REAL, 4, {0, 0, 0, 10, 5, 5, 0, NAN}, {[1] = 1.25, [3] = -1.25}},
        {"ring:2", "nna", NULL, EK_REAL, 0, {10, 1}, {0, 6}},
        {"ring:2", "nna", NULL, EK_REAL, 0, {1, 10}, {0, -6}},
    };
    expect_answers(answers, sizeof answers / sizeof *answers);
}

// A flow to the right is rounded up and a flow to the left down, whichever end invoked.
Test(operate, nna_in_tokens)
{
    static const struct answer answers[] = {
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, 3, 10, 2}, {0, 2, 0, 3}},
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, 4, 10, 3}, {0, 1, 0, 3}}, // 5/3 and 8/3
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, 10, 3, 4}, {0, -3}},      // 8/3
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, 4, 3, 10}, {0, 0, 0, -2}},
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, NAN, 10, 3}, {0, 0, 0, 4}}, // 7/2
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, 3, 10, NAN}, {0, 3}},
        {"ring:5", "nna", NULL, EK_TOKENS, 2, {0, NAN, 10, NAN}, {0}},
        {"ring:5", "nna", "portion", EK_TOKENS, 2, {0, 9, 10, 99}, {0, 3, 0, 4}},
        {"ring:5", "nna", "portion", EK_TOKENS, 2, {0, NAN, 9, 0}, {0, 0, 0, 5}},
        {"ring:5", "nna", "net", EK_TOKENS, 2, {0, 4, 10, 2}, {0, 2, 0, 3}},
        {"ring:5", "nna", "net", EK_TOKENS, 2, {0, 10, 3, 10}, {0, -3, 0, -2}}, // 7/3 twice
        {"ring:2", "nna", NULL, EK_TOKENS, 1, {1, 10}, {6}},
        {"ring:2", "nna", NULL, EK_TOKENS, 1, {10, 1}, {-6}},
        {"ring:1", "nna", NULL, EK_TOKENS, 0, {10}, {0}},
    };
    expect_answers(answers, sizeof answers / sizeof *answers);
    struct invoker invoker;
    begin(&invoker, "ring:4", "nna", NULL, EK_TOKENS, 0);
    hear(&invoker, (double[]){0x1p53, 1, 0, 0});
    const double *amounts = operate(&invoker); // (2^54 - 1) / 3 is whole
    cr_expect_eq(amounts[0] + amounts[1], 6004799503160661.0, "%.0f", amounts[0] + amounts[1]);
    end(&invoker);
}

Test(operate, splitting_asks_its_predecessor_when_idle)
{
    static const struct answer answers[] = {
        {"ring:5", "splitting", "1/3", EK_TOKENS, 2, {0, 10, 0, 50}, {0, -6}},
        {"ring:5", "splitting", "1/3", EK_TOKENS, 0, {0, 7, 0, 0, 100}, {0, 0, 0, 0, -66}},
        {"ring:5", "splitting", "1/3", EK_TOKENS, 2, {0, 1, 0, 50}, {0}},
        {"ring:5", "splitting", "1/3", EK_TOKENS, 2, {0, 0, 0, 50}, {0}},
        {"ring:5", "splitting", "1/3", EK_TOKENS, 2, {0, NAN, 0, 50}, {0}},
        {"ring:5", "splitting", "1/3", EK_TOKENS, 2, {0, 10, 1, 50}, {0}},
        {"ring:2", "splitting", "0.25", EK_TOKENS, 0, {0, 9}, {0, -6}},
    };
    expect_answers(answers, sizeof answers / sizeof *answers);
    struct invoker invoker;
    begin(&invoker, "ring:5", "splitting", "1/3", EK_TOKENS, 2);
    for (unsigned load = 0; load < 3; load++) {
        hear(&invoker, (double[]){0, NAN, load, 50, 0});
        for (unsigned port = 0; port < 2; port++) {
            bool asks = load == 0 && neighbour(&invoker, port) == 1;
            cr_expect_eq(invoker.method->free->includes(&invoker.turn, port), asks, "load %u, port %u", load, port);
        }
    }
    end(&invoker);
}

// The dimensions act one after the other. Each gives at most one token, and decides on the loads that the dimensions
// before have left.
Test(operate, liquid)
{
    static const struct answer answers[] = {
        {"ring:5", "liquid", "c1", EK_TOKENS, 2, {0, 0, 2, 9}, {[3] = 1}},
        {"ring:5", "liquid", "c1", EK_TOKENS, 2, {0, 9, 1, 0}, {0}},
        {"ring:5", "liquid", "c2", EK_TOKENS, 2, {0, 9, 1, 5}, {[3] = 1}},
        {"ring:5", "liquid", "c2", EK_TOKENS, 2, {0, 1, 1, 5}, {0}},
        {"ring:5", "liquid", "c2", EK_TOKENS, 2, {0, NAN, 1, 0}, {0}},
        {"ring:5", "liquid", "c3", EK_TOKENS, 2, {0, 0, 4, 4}, {[3] = 1}},
        {"ring:5", "liquid", "c3", EK_TOKENS, 2, {0, 0, 4, 5}, {0}},
        {"ring:5", "liquid", "c4", EK_TOKENS, 2, {0, 2, 1, 2}, {0}},
        {"ring:5", "liquid", "c5", EK_TOKENS, 4, {1, 0, 0, 9, 1}, {[0] = 1}},
        {"ring:5", "liquid", "c5", EK_TOKENS, 2, {0, 9, 3, NAN}, {0}},
        {"ring:2", "liquid", "c1", EK_TOKENS, 1, {5, 2}, {1}},
        {"ring:1", "liquid", "c0", EK_TOKENS, 0, {5}, {0}},
        {"torus:1x5", "liquid", "c0", EK_TOKENS, 1, {0, 1}, {[2] = 1}},
        {"torus:4x4", "liquid", "c1", EK_TOKENS, 0, {2}, {[1] = 1}},
        {"torus:4x4", "liquid", "c1", EK_TOKENS, 0, {3}, {[1] = 1, [4] = 1}},
        {"torus:4x4", "liquid", "c3", EK_TOKENS, 0, {3, [4] = 3}, {[1] = 1}},
        {"torus:4x4", "liquid", "c3", EK_TOKENS, 0, {3, NAN, [4] = 3}, {[4] = 1}},
        {"torus:4x4", "liquid", "c2", EK_TOKENS, 0, {2, [12] = 2}, {[1] = 1, [4] = 1}},
        {"hypercube:3", "liquid", "c0", EK_TOKENS, 0, {2}, {[1] = 1, [2] = 1}},
    };
    expect_answers(answers, sizeof answers / sizeof *answers);
}

Test(operate, liquid_that_must_agree_is_refused)
{
    static const char *const refused[] = {"c2r", "c4r"};
    for (unsigned i = 0; i < 2; i++) {
        struct invoker invoker;
        struct ek_error error;
        cr_expect(!try_prepare(&invoker, "ring:5", "liquid", refused[i], EK_TOKENS, &error));
        char instead[16];
        snprintf(instead, sizeof instead, "use liquid:c%c,", refused[i][1]);
        cr_expect(strstr(error.sentence, instead), "%s", error.sentence);
        ek_topology_destroy(invoker.topology);
    }
}

static void expect_amounts(struct invoker *invoker, const double *expected, bool busy)
{
    const double *amounts = operate(invoker);
    for (unsigned port = 0; port < invoker->turn.view.degree; port++) {
        cr_expect_eq(amounts[port], expected[port], "stage %u, port %u: %g, not %g", invoker->step.stage, port,
                     amounts[port], expected[port]);
    }
    cr_expect_eq(invoker->turn.busy, busy, "stage %u", invoker->step.stage);
}

// The invoker first requests the surplus. After it has arrived, the invoker fills the deficits from what it holds.
Test(operate, local_average_asks_then_gives)
{
    struct invoker invoker;
    begin(&invoker, "star:5", "local-average", NULL, EK_REAL, 0);
    hear(&invoker, (double[]){1, 12, 3, 9, 0}); // the mean is 5
    expect_amounts(&invoker, (double[]){-7, 0, -4, 0}, true);
    invoker.step.stage = 1;
    invoker.turn.view.held = invoker.turn.view.load = 12;
    expect_amounts(&invoker, (double[]){0, 2, 0, 5}, false);
    invoker.turn.view.held = invoker.turn.view.load = 3; // less came than was requested
    expect_amounts(&invoker, (double[]){0, 2, 0, 1}, false);
    invoker.step.stage = 0;
    hear(&invoker, (double[]){21, 0, 1, 2, 1});
    expect_amounts(&invoker, (double[]){5, 4, 3, 4}, false);
    hear(&invoker, (double[]){1, NAN, 3, 8, NAN}); // the mean is 4
    expect_amounts(&invoker, (double[]){0, 0, -4, 0}, true);
    invoker.step.stage = 1;
    invoker.turn.view.held = invoker.turn.view.load = 5;
    expect_amounts(&invoker, (double[]){0, 1, 0, 0}, false);
    end(&invoker);
}

// 27 tokens over five processors: 6 for the invoker and for its first neighbour, 5 for the others.
Test(operate, local_average_in_tokens)
{
    struct invoker invoker;
    begin(&invoker, "star:5", "local-average", NULL, EK_TOKENS, 0);
    hear(&invoker, (double[]){1, 14, 3, 9, 0});
    expect_amounts(&invoker, (double[]){-8, 0, -4, 0}, true);
    invoker.step.stage = 1;
    invoker.turn.view.held = invoker.turn.view.load = 13;
    expect_amounts(&invoker, (double[]){0, 2, 0, 5}, false);
    end(&invoker);
}

// Returns which neighbours the operation contacts, as bits.
static unsigned asked(const struct invoker *invoker)
{
    unsigned bits = 0;
    for (unsigned port = 0; port < invoker->turn.view.degree; port++) {
        bits |= (unsigned)invoker->method->free->includes(&invoker->turn, port) << port;
    }
    return bits;
}

Test(operate, random_neighbours_invoke_by_a_factor)
{
    struct invoker invoker;
    begin(&invoker, "star:5", "random-neighbours", "4:2", EK_REAL, 0);
    hear(&invoker, (double[]){0, 1, 2, 3, 4});
    cr_expect_eq(asked(&invoker), 0);
    hear(&invoker, (double[]){10, 10, 10, 20, 0});
    cr_expect_eq(asked(&invoker), 15);
    expect_amounts(&invoker, (double[]){0, 0, -10, 0}, true);
    static const struct {
        double load;
        unsigned asked;
    } then[] = {{10, 0}, {19, 0}, {20, 15}, {5, 15}, {5.5, 0}, {0, 15}};
    for (unsigned i = 0; i < sizeof then / sizeof *then; i++) {
        invoker.turn.view.load = then[i].load;
        cr_expect_eq(asked(&invoker), then[i].asked, "from 10 to %g", then[i].load);
    }
    hear(&invoker, (double[]){20, NAN, NAN, NAN, NAN}); // no neighbour answered, so nothing was balanced
    expect_amounts(&invoker, (double[]){0, 0, 0, 0}, false);
    cr_expect_eq(asked(&invoker), 15);
    end(&invoker);
}

static unsigned count(unsigned bits)
{
    unsigned ones = 0;
    for (; bits; bits &= bits - 1) {
        ones++;
    }
    return ones;
}

// The domain has exactly M neighbours, each set of them is drawn equally often, and each look at it returns the same
// set. In rounds the domain is the same.
Test(operate, random_neighbours_draw_fairly)
{
    enum { OPERATIONS = 15000, PORTS = 6, SETS = 1 << PORTS };
    static const unsigned sets[PORTS + 1] = {0, 6, 15, 20, 15, 6, 1}; // 6 over M
    for (unsigned wanted = 1; wanted <= PORTS; wanted++) {
        struct invoker invoker;
        char parameter[16];
        unsigned seen[SETS] = {0};
        snprintf(parameter, sizeof parameter, "%u:1", wanted);
        begin(&invoker, "complete:7", "random-neighbours", parameter, EK_REAL, 3);
        for (invoker.step.number = 0; invoker.step.number < OPERATIONS; invoker.step.number++) {
            hear(&invoker, (double[]){9, 9, 9, 0, 9, 9, 9});
            unsigned set = asked(&invoker);
            seen[set]++;
            cr_assert_eq(asked(&invoker), set);
            cr_assert_eq(count(set), wanted);
            invoker.method->rounds->act(&invoker.turn, invoker.by_port); // a neighbour in the domain has a surplus
            for (unsigned port = 0; port < PORTS; port++) {
                cr_assert_eq(invoker.memory[port] > 0.0, (set >> port & 1) == 1);
            }
        }
        double expected = (double)OPERATIONS / sets[wanted];
        for (unsigned set = 0; set < SETS; set++) {
            bool possible = count(set) == wanted;
            cr_expect(!possible || fabs(seen[set] - expected) < 5.0 * sqrt(expected), "%u of 6: %u times, not %g",
                      wanted, seen[set], expected);
        }
        end(&invoker);
    }
}

static const struct {
    const char *topology, *method, *parameter;
    unsigned units;
    bool to_mean; // the invoker ends at the mean of its domain
} free_methods[] = {
    {"mesh:3x3", "sender", "1/(deg+1)", EK_REAL | EK_TOKENS, false},
    {"torus:4x4", "sender", "1/deg", EK_REAL | EK_TOKENS, false},
    {"mesh:3x3", "nna", NULL, EK_REAL, true},
    {"ring:7", "nna", NULL, EK_REAL, true},
    {"mesh:3x3", "nna", "net", EK_REAL, true},
    {"torus:4x4", "nna", "portion", EK_REAL, false},
    {"ring:7", "nna", NULL, EK_TOKENS, false},
    {"ring:7", "nna", "portion", EK_TOKENS, false},
    {"ring:7", "nna", "net", EK_TOKENS, false},
    {"ring:7", "splitting", "2/7", EK_TOKENS, false},
    {"torus:4x4", "liquid", "c0", EK_TOKENS, false},
    {"torus:4x4", "liquid", "c2", EK_TOKENS, false},
    {"hypercube:4", "liquid", "c5", EK_TOKENS, false},
    {"star:9", "local-average", NULL, EK_REAL | EK_TOKENS, true},
    {"torus:4x4", "random-neighbours", "3:1", EK_REAL | EK_TOKENS, true},
};

// Checks the laws of a stage: a neighbour that takes no part has no amount, tokens are whole, the invoker gives at
// most what it holds, and requests at most what was announced. Returns what leaves less what arrives.
static double expect_lawful(struct invoker *invoker, bool whole, unsigned number)
{
    const struct ek_view *view = &invoker->turn.view;
    const double *amounts = operate(invoker);
    double given = 0.0;
    double net = 0.0;
    for (unsigned port = 0; port < view->degree; port++) {
        double heard = view->announced[port];
        cr_assert(!isnan(amounts[port]) && (amounts[port] == 0.0 || !isnan(heard)), "%s %u", invoker->method->name,
                  number);
        cr_assert(!whole || amounts[port] == floor(amounts[port]), "%s %u", invoker->method->name, number);
        cr_assert(amounts[port] >= 0.0 || -amounts[port] <= heard * (1.0 + 1e-12), "%s %u: %g of %g",
                  invoker->method->name, number, amounts[port], heard);
        given += amounts[port] > 0.0 ? amounts[port] : 0.0;
        net += amounts[port];
    }
    double room = view->held * (whole ? 1.0 : 1.0 + 1e-12);
    cr_assert(given <= room, "%s %u: %g of %g", invoker->method->name, number, given, view->held);
    return net;
}

// Runs one operation from loads drawn by number. A fifth of the neighbours refuse.
static void expect_laws(struct invoker *invoker, bool whole, bool to_mean, unsigned number)
{
    struct base_random random = base_random_start(number, 0, BASE_STREAM_LOAD);
    double load[PROCESSORS_MAX];
    uint64_t most = base_random_below(&random, 2) ? 1000 : 4;
    for (unsigned p = 0; p < PROCESSORS_MAX; p++) {
        load[p] = whole ? (double)base_random_below(&random, most) : (double)most * base_random_unit(&random);
        bool takes_part = p == invoker->turn.view.processor || base_random_below(&random, 5) > 0;
        load[p] = takes_part ? load[p] : NAN;
    }
    hear(invoker, load);
    invoker->step.stage = 0;
    double total = invoker->turn.view.load;
    double members = 1.0;
    for (unsigned port = 0; port < invoker->turn.view.degree; port++) {
        total += isnan(invoker->announced[port]) ? 0.0 : invoker->announced[port];
        members += isnan(invoker->announced[port]) ? 0.0 : 1.0;
    }
    double left = invoker->turn.view.load - expect_lawful(invoker, whole, number);
    if (invoker->turn.busy) { // every requested load arrived
        invoker->step.stage = 1;
        invoker->turn.view.load = invoker->turn.view.held = left;
        left -= expect_lawful(invoker, whole, number);
        cr_assert(!invoker->turn.busy);
    }
    double mean = whole ? ceil(total / members) : total / members;
    cr_assert(!to_mean || fabs(left - mean) <= 1e-12 * total, "%s %u: %.17g, not %.17g", invoker->method->name, number,
              left, mean);
}

Test(operate, laws)
{
    for (size_t i = 0; i < sizeof free_methods / sizeof *free_methods; i++) {
        for (unsigned units = EK_REAL; units <= EK_TOKENS; units *= 2) {
            for (uint32_t processor = 0; processor < 7 && free_methods[i].units & units; processor++) {
                struct invoker invoker;
                begin(&invoker, free_methods[i].topology, free_methods[i].method, free_methods[i].parameter,
                      (enum ek_units)units, processor);
                for (unsigned number = 0; number < 500; number++) {
                    expect_laws(&invoker, units == EK_TOKENS, free_methods[i].to_mean, number);
                }
                end(&invoker);
            }
        }
    }
}

// Which methods run free. A program needs `operate`. A rule without it must give the same from both ends.
Test(operate, who_runs_free)
{
    static const char all[] = " ade ode gde adf odf diffusion fos sender nna splitting liquid local-average "
                              "random-neighbours metropolis none ";
    const struct ek_method *method;
    for (size_t i = 0; (method = ek_method_at(i)) != NULL; i++) {
        char name[40];
        snprintf(name, sizeof name, " %s ", method->name);
        cr_expect_eq(method->free != NULL, strstr(all, name) != NULL, "%s", method->name);
        cr_expect(!method->free || method->free->operate || method->rule, "%s", method->name);
        if (!method->free || method->free->operate) {
            continue;
        }
        struct invoker invoker;
        const char *parameter = method->texts->parameter ? "0.3" : NULL;
        for (unsigned units = EK_REAL; units <= (method->supports.units & EK_TOKENS ? EK_TOKENS : EK_REAL);
             units *= 2) {
            begin(&invoker, "torus:4x4", method->name, parameter, (enum ek_units)units, 5);
            cr_expect_eq(invoker.plan.port_doubles + invoker.plan.state_doubles, 0, "%s has memory", method->name);
            double (*flow)(const struct ek_view *, unsigned) =
                units == EK_TOKENS ? method->rule->flow_tokens : method->rule->flow;
            for (double other = 0.0; other < 20.0; other++) {
                hear(&invoker, (double[PROCESSORS_MAX]){[5] = 9, [1] = other});
                double out = flow(&invoker.turn.view, 0);
                hear(&invoker, (double[PROCESSORS_MAX]){[5] = other, [1] = 9});
                double in = flow(&invoker.turn.view, 0);
                cr_expect(other == 9.0 ? out <= 0.0 && in <= 0.0 : (out > 0.0) + (in > 0.0) <= 1, "%s", method->name);
                cr_expect(units == EK_TOKENS || out == -in, "%s: %g out, %g in", method->name, out, in);
            }
            end(&invoker);
        }
    }
}

// The second neighbour requests more than the invoker holds, and held - given rounds up: held is odd in its last
// place, and one and a half units of that place are given. The amount given then must round down.
Test(operate, rounding_gives_no_more_than_is_held)
{
    struct invoker invoker;
    begin(&invoker, "chain:3", "local-average", NULL, EK_REAL, 1);
    const double place = 0x1p-52;
    double load[3] = {1.5 * place, 1.0 + 3.0 * place, 2.0}; // the neighbours' requests, beside the load held
    double amounts[2];
    hear(&invoker, load);
    invoker.step.stage = 1; // the stage of local-average in which announcements are requests
    invoker.method->rounds->act(&invoker.turn, amounts);
    cr_expect_eq(amounts[0], load[0]);
    cr_expect(amounts[0] + amounts[1] <= load[1] && amounts[1] > 1.0 - place, "%a and %a of %a", amounts[0], amounts[1],
              load[1]);
    end(&invoker);
}
