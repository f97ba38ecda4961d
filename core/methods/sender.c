// SPDX-License-Identifier: MIT
// Balancing with delays, in the sender's form, which conserves load: i sends c_i * max(x_i(t) - x_j(t - tau), 0) to
// each neighbour j. The paper's receiver form loses or creates load if the c_i differ.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/methods/kernels/block.h"
#include "core/theory/facts.h"
#include "core/methods/methods.h"
#include "core/parameter.h"
#include "core/axes/spec.h"
#include "core/theory/convergence.h"

// plan->data holds c_i by processor.
static inline double sender_flow(const struct ek_view *view, unsigned port)
{
    const double *c = view->plan->data;
    return c[view->processor] * (view->load - view->announced[port]);
}

static inline double sender_flow_tokens(const struct ek_view *view, unsigned port)
{
    return ek_whole(sender_flow(view, port));
}

static void sender_block(struct ek_block *block)
{
    ek_block_flows(block, sender_flow);
}

static void sender_block_tokens(struct ek_block *block)
{
    ek_block_flows(block, sender_flow_tokens);
}

// One line of a file holds the c of one processor.
struct reading {
    double *c;
    uint32_t count, processors;
};

static bool take_line(void *context, struct base_cursor *line)
{
    struct reading *reading = context;
    if (reading->count == reading->processors) {
        return base_cursor_fail(line, 0, "the file has more lines than the topology's %u processors",
                                reading->processors);
    }
    return base_cursor_real(line, "c", 0.0, 1e6, &reading->c[reading->count++]) && base_cursor_end(line);
}

static bool read_file(struct base_cursor *cursor, const struct ek_setting *setting, double *c)
{
    struct reading reading = {.c = c, .processors = setting->topology->processors};
    size_t start = cursor->at;
    cursor->at += strlen("file:");
    if (!core_spec_lines(cursor, setting->reader, take_line, &reading)) {
        return false;
    }
    return reading.count == reading.processors ||
           base_cursor_fail(
               cursor, start,
               "the file has %u numbers, but the topology has %u processors: write one number for each processor",
               reading.count, reading.processors);
}

// Reads the denominator, deg, (deg+1) or (2deg), as factor * deg + more.
static bool read_degrees(struct base_cursor *cursor, double *factor, double *more)
{
    static const struct {
        const char *text;
        double factor, more;
    } forms[] = {{"deg", 1.0, 0.0}, {"(deg+1)", 1.0, 1.0}, {"(2deg)", 2.0, 0.0}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (strcmp(cursor->text + cursor->at, forms[i].text) == 0) {
            cursor->at += strlen(forms[i].text);
            *factor = forms[i].factor;
            *more = forms[i].more;
            return true;
        }
    }
    return base_cursor_fail(cursor, cursor->at,
                            "the denominator of c is deg, (deg+1) or (2deg), as in sender:1/(deg+1)");
}

static bool read_c(struct base_cursor *cursor, const struct ek_setting *setting, double *c)
{
    const struct ek_topology *topology = setting->topology;
    if (strncmp(cursor->text + cursor->at, "file:", strlen("file:")) == 0) {
        return read_file(cursor, setting, c);
    }
    double number;
    double factor = 0.0;
    double more = 1.0;
    if (!base_cursor_real(cursor, "c", 0.0, 1e6, &number)) {
        return false;
    }
    bool fraction = base_cursor_accept(cursor, '/');
    if ((fraction && !read_degrees(cursor, &factor, &more)) || !base_cursor_end(cursor)) {
        return false;
    }
    for (uint32_t p = 0; p < topology->processors; p++) {
        double below = factor * (topology->first[p + 1] - topology->first[p]) + more;
        c[p] = below > 0.0 ? number / below : 0.0;
    }
    return true;
}

// Chooses the usual stop criterion of tokens: a small c rounds small differences down to nothing, so they stay.
static void settle_stop(struct ek_plan *plan, const struct ek_setting *setting, const double *c)
{
    double least = INFINITY;
    for (uint32_t p = 0; p < setting->topology->processors; p++) {
        least = c[p] > 0.0 ? fmin(least, c[p]) : least;
    }
    if (plan->tokens && !setting->capacity && least < INFINITY) {
        snprintf(plan->stop, sizeof plan->stop, "neighbours:%.0f", core_difference_kept(least));
    }
}

// Returns the c that all processors share, or NaN if they differ. With a shared c an operation is one of diffusion.
static double shared_c(const double *c, uint32_t processors)
{
    for (uint32_t p = 1; p < processors; p++) {
        if (c[p] != c[0]) {
            return NAN;
        }
    }
    return c[0];
}

static bool sender_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                           struct ek_error *error)
{
    if (!parameter) {
        return base_fail_at(error, "method", (size_t)at, "the method needs its c, as in sender:1/(deg+1)");
    }
    double *c = calloc(setting->topology->processors, sizeof *c);
    if (!c) {
        return base_fail_at(error, "method", (size_t)at, "no memory for the c of every processor");
    }
    plan->data = c;
    plan->tokens = setting->units == EK_TOKENS;
    struct base_cursor cursor = core_parameter_start(parameter, at, error);
    if (read_c(&cursor, setting, c)) {
        plan->parameter = shared_c(c, setting->topology->processors);
        settle_stop(plan, setting, c);
        return true;
    }
    return false;
}

// Writes the amounts in free timing, which are the amounts of the rule in rounds. A sender never requests load.
static void sender_operate(struct ek_turn *turn, double *amounts)
{
    const struct ek_view *view = &turn->view;
    ek_flow *flow = view->plan->tokens ? sender_flow_tokens : sender_flow;
    for (unsigned port = 0; port < view->degree; port++) {
        double amount = flow(view, port);
        amounts[port] = amount > 0.0 ? amount : 0.0; // NaN: the neighbour takes no part
    }
}

// Maxima over all processors.
struct range {
    double largest;       // of c_i
    double largest_share; // of c_i * deg_i, the share of its load that a processor can send in a step
};

static struct range range_of(const double *c, const struct ek_topology *topology)
{
    struct range range = {0};
    for (uint32_t p = 0; p < topology->processors; p++) {
        range.largest = fmax(range.largest, c[p]);
        range.largest_share = fmax(range.largest_share, c[p] * (topology->first[p + 1] - topology->first[p]));
    }
    return range;
}

static void sender_facts(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts)
{
    struct range range = range_of(plan->data, outlook->topology);
    struct ek_spectrum spectrum;
    if (outlook->topology->links == 0) {
        return;
    }
    core_facts_add(facts, CORE_NEEDS_TURNS | CORE_NEEDS_NO_WORK, "c_limit", 1.0, NULL,
                   "In turns loads stay non-negative up to this c, whatever the delays. At this c two neighbours swap "
                   "their loads. Above it differences grow. The largest c here is %.6g.",
                   range.largest);
    if (core_facts_extremes(facts, CORE_NEEDS_ROUNDS | CORE_NEEDS_NO_FAULTS, "c_limit", outlook->topology, NULL,
                            &spectrum)) {
        core_facts_add(facts, CORE_NEEDS_ROUNDS | CORE_NEEDS_NO_FAULTS, "c_limit", 2.0 / spectrum.largest, NULL,
                       "2/lmax of the Laplacian: a run without delay diverges if all processors have the same c above "
                       "it. The largest c here is %.6g.",
                       range.largest);
        ek_spectrum_destroy(&spectrum);
    }
    core_facts_add(facts, CORE_NEEDS_ROUNDS | CORE_NEEDS_HELD | CORE_NEEDS_NO_WORK, "share_sent_most",
                   range.largest_share, NULL, "The largest c_i deg_i. %s.",
                   range.largest_share <= 1.0
                       ? "It is at most 1, so loads stay non-negative and nothing diverges, whatever the delays"
                       : "It is above 1, so loads can go below zero, and may diverge");
}

static const struct ek_texts sender_texts = {
    .title = "sender-initiated balancing with delays",
    .parameter = "C",
    .example = "\"sender:1/(deg+1)\" --delay fixed:2",
    .equation = "s_ij(t) = c_i max(x_i(t) - x_j(t - tau_ij), 0) leaves i at t and reaches j at t + max(tau_ij, 1)",
    .optimum = "C is a number, a number divided by the degree (1/deg, 1/(deg+1), 1/(2deg), 1.5/deg), or file:PATH with "
               "one number a line. No run diverges if c_i <= 1/deg_i. A run without delay diverges if c is above "
               "2/lmax of the Laplacian. With uniform delays of some steps choose 0.25/deg or less.",
    .assumes = "Nothing beyond the neighbours' loads, which may be old.",
    .source = "Balancing with delays: synchronous in rounds, in place in turns",
    .findings = "The sum of the held load and the load in flight is conserved; most of it can be in flight. The "
                "cut condition does not delimit stability, since amounts are proportional to differences and links "
                "carry any amount. With the link-limit 1 it does.",
};

const struct ek_method core_method_sender = {
    .name = "sender",
    .texts = &sender_texts,
    .supports = {.units = EK_REAL | EK_TOKENS, .ports = EK_ALL_PORTS | EK_ONE_PORT, .delays = true, .turns = true},
    .links = EK_LINKS_ALL,
    .matrix = EK_MATRIX_DIFFUSION,
    .prepare = sender_prepare,
    .destroy = method_free_data,
    .facts = sender_facts,
    .rule = &(const struct ek_rule){.flow = sender_flow, .flow_tokens = sender_flow_tokens},
    .rounds = &(const struct ek_rounds_part){.block = sender_block, .block_tokens = sender_block_tokens},
    .free = &(const struct ek_free_part){.operate = sender_operate},
};
