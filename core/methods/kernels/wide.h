// SPDX-License-Identifier: MIT
// The loop of a mutual rule with vector instructions, four processors at a time; installed as <evenkeel/wide.h>.
//
// A method's `block_wide` is a function that is EK_WIDE and only calls ek_block_wide with the rule. Its
// `block_wide_tokens` calls ek_block_wide_tokens with the rule of whole tokens. The machine calls these on a CPU with
// AVX2 (threads/rounds/one_pass.c). A rule that is mutual gives what both ends of a link send. So the loop computes
// what a processor sends and what it receives in one pass, and stores no parcels. It computes the same amounts as
// ek_block_flows and adds them in the same order, so the results have the same bits.
//
// A rule of whole tokens is given twice: for one processor, and for four at a time. The compiler forms vectors of real
// amounts from the rule for one processor, but not of amounts that are rounded.
//
// Terms: the *vicinity* of a processor describes the places of its neighbours relative to its own place. A *uniform
// run* is a range of processors in which every group of four has the same four vicinities, so the loop needs no list of
// neighbours. A *lane* is the place of a processor in its group. A *mirror* stands for a missing port.
#ifndef EK_WIDE_H
#define EK_WIDE_H

#include "core/lanes.h"
#include "core/methods/kernels/block.h"

// Unrolls a loop over ports or lanes whose number is a constant. Otherwise the arrays that it indexes are kept in
// memory instead of registers.
#define EK_UNROLL _Pragma("GCC unroll 6")

// The vicinity of a processor: by port, the offset of the neighbour in an array by processor. A processor with fewer
// ports than the loop has mirrors: there it reads its own load, so the amounts are 0.
enum { EK_VICINITY_PORTS = 6 };

struct ek_vicinity {
    int32_t neighbour[EK_VICINITY_PORTS];
    uint64_t degree; // without mirrors; fills the struct to a power of two
};

// A uniform run: the processors from `begin` to the `begin` of the next run. Groups of four begin at processor
// EK_LANES_FIRST: most rows have a multiple of four processors. The two ends of a row have other vicinities, and are
// then in the same group.
enum { EK_LANES_FIRST = EK_LANES / 2 };

struct ek_uniform_run {
    uint32_t begin;
    uint8_t vicinity[EK_LANES]; // the number of each lane's vicinity
    uint8_t usual;              // the commonest of them
    uint8_t odd;                // the lanes with other vicinities, by bit
};

// Returns the lane of a processor.
static inline unsigned ek_lane(size_t p)
{
    return (unsigned)((p + EK_LANES - EK_LANES_FIRST) % EK_LANES);
}

static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_at(const double *from)
{
    return *(const ek_lanes_anywhere *)from;
}

static inline __attribute__((always_inline)) EK_WIDE void ek_lanes_put(double *to, ek_lanes lanes)
{
    *(ek_lanes_anywhere *)to = lanes;
}

// Returns `a` where the mask is set, and `b` elsewhere.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_either(ek_lanes_mask mask, ek_lanes a,
                                                                              ek_lanes b)
{
    return (ek_lanes)(((ek_lanes_mask)a & mask) | ((ek_lanes_mask)b & ~mask));
}

// Return the lower and the higher value of each lane, or that of `b` if one of them is NaN.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_lower(ek_lanes a, ek_lanes b)
{
#if defined __x86_64__
    return __builtin_ia32_minpd256(a, b);
#else
    return ek_lanes_either(a < b, a, b);
#endif
}

static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_higher(ek_lanes a, ek_lanes b)
{
#if defined __x86_64__
    return __builtin_ia32_maxpd256(a, b);
#else
    return ek_lanes_either(a > b, a, b);
#endif
}

// A rule for four processors: returns the amounts for one port, from their loads and those of their neighbours.
typedef ek_lanes ek_flow_lanes(const struct ek_plan *plan, ek_lanes own, ek_lanes other);

// A mutual rule for one processor; and for four, or NULL if loads are real. Both are constants for the compiler.
struct ek_rule_lanes {
    ek_flow *flow;
    ek_flow_lanes *lanes;
};

// Returns the amounts where the mask is set, and 0 elsewhere.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_if(ek_lanes_mask mask, ek_lanes amount)
{
    return (ek_lanes)((ek_lanes_mask)amount & mask);
}

// Returns positive amounts rounded down, as ek_whole does. The sum with 2^52 is rounded to the nearest whole number.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_whole(ek_lanes amount)
{
    const double whole = 4503599627370496.0; // 2^52: from here on all doubles are whole
    const ek_lanes one = {1.0, 1.0, 1.0, 1.0};
    ek_lanes near = amount + whole - whole;
    near -= ek_lanes_if(near > amount, one);
    return ek_lanes_either(amount < whole, near, amount);
}

// Returns the lanes with the value of one lane replaced.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_with(ek_lanes lanes, unsigned lane, double value)
{
    const ek_lanes_mask number = {0, 1, 2, 3};
    ek_lanes all = {value, value, value, value};
    return ek_lanes_either(number == (int64_t)lane, all, lanes);
}

// The part of a block that consists of complete groups of four.
struct ek_whole {
    size_t begin, end;
};

static inline __attribute__((always_inline)) struct ek_whole ek_whole_of(size_t begin, size_t end)
{
    size_t before = ek_lane(begin) > 0 ? EK_LANES - ek_lane(begin) : 0;
    struct ek_whole whole = {begin + before, end - ek_lane(end)};
    if (whole.begin > end) { // the block lies within four lanes
        whole.begin = whole.end = end;
    }
    return whole;
}

// Returns the run that contains the processor: `run` or a later one.
static inline __attribute__((always_inline)) const struct ek_uniform_run *
ek_uniform_run_at(const struct ek_uniform_run *run, size_t p)
{
    while (run[1].begin <= p) {
        run++;
    }
    return run;
}

// Returns a view with the plan only: besides this a mutual rule reads loads, which the caller adds.
static inline __attribute__((always_inline)) EK_WIDE struct ek_view ek_wide_view(const struct ek_block *block)
{
    struct ek_view view;
    memset(&view, 0, sizeof view);
    view.plan = block->plan;
    return view;
}

// Returns what the processors of a group send over one port by a mutual rule, if they hold `own` and their neighbours
// hold `other`: only positive amounts are sent.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_wide_sent(const struct ek_block *block, unsigned port,
                                                                           ek_lanes own, ek_lanes other,
                                                                           struct ek_rule_lanes rule)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    struct ek_view view = ek_wide_view(block);
    double received[EK_VICINITY_PORTS];
    ek_lanes amount;
    if (rule.lanes) {
        return ek_lanes_higher(rule.lanes(block->plan, own, other), nothing);
    }
    view.announced = received;
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        view.load = own[lane];
        received[port] = other[lane];
        amount[lane] = rule.flow(&view, port);
    }
    return ek_lanes_higher(amount, nothing);
}

// Returns what one processor that holds `own` sends to a neighbour that holds `other`.
static inline __attribute__((always_inline)) EK_WIDE double
ek_wide_sent_by_one(const struct ek_block *block, double own, double other, struct ek_rule_lanes rule)
{
    struct ek_view view = ek_wide_view(block);
    view.load = own;
    view.announced = &other;
    double amount = rule.flow(&view, 0);
    return amount > block->zero ? amount : block->zero; // see ek_block_put
}

// Returns -1 for each amount that is a parcel, else 0.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes_mask ek_wide_parcels(ek_lanes amount)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    return amount > nothing;
}

// Reduce the native tokens of one processor, and of four, to the load that is left, as ek_cargo_take does.
static inline __attribute__((always_inline)) EK_WIDE void ek_wide_keep_one(struct ek_block *block, size_t p,
                                                                           double left)
{
    if (block->native) {
        ek_cargo_take(&left, &block->native[p], 0.0);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void ek_wide_keep(struct ek_block *block, size_t p, ek_lanes left)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    if (block->native) {
        ek_lanes native = ek_lanes_at(block->native + p);
        ek_lanes most = ek_lanes_higher(left, nothing);
        ek_lanes_put(block->native + p, ek_lanes_either(native > left, most, native));
    }
}

// Adds the amounts that the next processor sends to its flows, if flows are counted. Most processors have no mirrors.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_count(struct ek_block *block, const ek_lanes *amount,
                                                                         unsigned lane, unsigned degree, unsigned ports)
{
    double *sent = block->sent;
    if (sent && degree == ports) {
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            sent[port] += amount[port][lane];
        }
    } else if (sent) {
        for (unsigned port = 0; port < degree; port++) {
            sent[port] += amount[port][lane];
        }
    }
    block->sent = sent ? sent + degree : NULL;
}

// The number of parcels, negated, and the lowest load, by lane.
struct ek_found {
    ek_lanes_mask parcels;
    ek_lanes lowest;
};

// Begins with no parcels, and with the lowest load of the block.
static inline __attribute__((always_inline)) EK_WIDE struct ek_found ek_found_of(const struct ek_block *block)
{
    double low = block->lowest;
    struct ek_found found = {{0, 0, 0, 0}, {low, low, low, low}};
    return found;
}

// Adds the parcels to those of the block, and takes over a lower load.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_found(struct ek_block *block,
                                                                         const struct ek_found *found)
{
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        block->parcels -= (uint64_t)found->parcels[lane];
        block->lowest = found->lowest[lane] < block->lowest ? found->lowest[lane] : block->lowest;
    }
}

// A group in a step: its loads, those of its neighbours by port, what it sends by port and in all, what it has left,
// and its next loads.
struct ek_group {
    ek_lanes own, other[EK_VICINITY_PORTS];
    ek_lanes amount[EK_VICINITY_PORTS], out, left, next;
};

// Lets a group send and receive.
static inline __attribute__((always_inline)) EK_WIDE void ek_group_step(const struct ek_block *block,
                                                                        struct ek_group *group, unsigned ports,
                                                                        struct ek_rule_lanes rule,
                                                                        struct ek_found *found)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    ek_lanes arriving[EK_VICINITY_PORTS];
    group->out = nothing;
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        group->amount[port] = ek_wide_sent(block, port, group->own, group->other[port], rule);
        arriving[port] = ek_wide_sent(block, port, group->other[port], group->own, rule);
        found->parcels += ek_wide_parcels(group->amount[port]);
        group->out += group->amount[port];
    }
    group->next = group->left = group->own - group->out;
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        group->next += arriving[port];
    }
    found->lowest = ek_lanes_lower(group->next, found->lowest);
}

static inline __attribute__((always_inline)) EK_WIDE void ek_group_put(struct ek_block *block,
                                                                       const struct ek_group *group, size_t p)
{
    ek_lanes_put(block->next + p, group->next);
    ek_lanes_put(block->moved + p, ek_lanes_at(block->moved + p) + group->out);
    ek_wide_keep(block, p, group->left);
}

// Processes the groups begin..end-1, in which all processors have the same vicinity. `ports` is a constant for the
// compiler.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_alike(struct ek_block *block, const struct ek_vicinity *vicinity, size_t begin, size_t end, unsigned ports,
               struct ek_rule_lanes rule, struct ek_found *found)
{
    const double *around[EK_VICINITY_PORTS];
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        around[port] = block->level + vicinity->neighbour[port];
    }
    for (size_t p = begin; p < end; p += EK_LANES) {
        struct ek_group group;
        group.own = ek_lanes_at(block->level + p);
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            group.other[port] = ek_lanes_at(around[port] + p);
        }
        ek_group_step(block, &group, ports, rule, found);
        ek_group_put(block, &group, p);
        EK_UNROLL
        for (unsigned lane = 0; lane < EK_LANES; lane++) {
            ek_block_count(block, group.amount, lane, (unsigned)vicinity->degree, ports);
        }
    }
}

// Reads the loads of the neighbours of processor p into its lane.
static inline __attribute__((always_inline)) EK_WIDE void ek_group_read_lane(const struct ek_block *block,
                                                                             const struct ek_uniform_run *run, size_t p,
                                                                             unsigned lane, unsigned ports,
                                                                             struct ek_group *group)
{
    const struct ek_vicinity *vicinity = &block->vicinity[run->vicinity[lane]];
    const double *level = block->level + p;
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        group->other[port] = ek_lanes_with(group->other[port], lane, level[vicinity->neighbour[port]]);
    }
}

// Counts the flows of the lanes from..to-1.
static inline __attribute__((always_inline)) EK_WIDE void ek_group_count(struct ek_block *block,
                                                                         const struct ek_uniform_run *run,
                                                                         const struct ek_group *group, unsigned from,
                                                                         unsigned to, unsigned ports)
{
    for (unsigned lane = from; block->sent && lane < to; lane++) {
        unsigned degree = (unsigned)block->vicinity[run->vicinity[lane]].degree;
        ek_block_count(block, group->amount, lane, degree, ports);
    }
}

// Processes the groups begin..end-1 of a run with odd lanes. There the loads of their own neighbours replace those that
// the usual vicinity finds.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_mixed(struct ek_block *block, const struct ek_uniform_run *run, size_t begin, size_t end, unsigned ports,
               struct ek_rule_lanes rule, struct ek_found *found)
{
    const struct ek_vicinity *usual = &block->vicinity[run->usual];
    for (size_t p = begin; p < end; p += EK_LANES) {
        const double *level = block->level + p;
        struct ek_group group;
        group.own = ek_lanes_at(level);
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            group.other[port] = ek_lanes_at(level + usual->neighbour[port]);
        }
        for (unsigned odd = run->odd; odd; odd &= odd - 1) {
            unsigned lane = (unsigned)__builtin_ctz(odd);
            ek_group_read_lane(block, run, p + lane, lane, ports, &group);
        }
        ek_group_step(block, &group, ports, rule, found);
        ek_group_put(block, &group, p);
        ek_group_count(block, run, &group, 0, EK_LANES, ports);
    }
}

// Processes the processors begin..end-1, which do not fill a group. The other lanes have the load of the first of them
// and of its neighbours, where nothing is sent.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_part(struct ek_block *block, size_t begin,
                                                                        size_t end, unsigned ports,
                                                                        struct ek_rule_lanes rule,
                                                                        struct ek_found *found)
{
    if (begin == end) {
        return;
    }
    const struct ek_uniform_run *run = ek_uniform_run_at(block->uniform_run, begin);
    const double load = block->level[begin];
    const ek_lanes first = {load, load, load, load};
    struct ek_group group;
    group.own = first;
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        group.other[port] = first;
    }
    for (size_t p = begin; p < end; p++) {
        group.own = ek_lanes_with(group.own, ek_lane(p), block->level[p]);
        ek_group_read_lane(block, run, p, ek_lane(p), ports, &group);
    }
    ek_group_step(block, &group, ports, rule, found);
    for (size_t p = begin; p < end; p++) {
        block->next[p] = group.next[ek_lane(p)];
        block->moved[p] += group.out[ek_lane(p)];
        ek_wide_keep_one(block, p, group.left[ek_lane(p)]);
    }
    ek_group_count(block, run, &group, ek_lane(begin), ek_lane(begin) + (unsigned)(end - begin), ports);
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_uniform_runs(struct ek_block *block, unsigned ports,
                                                                                struct ek_rule_lanes rule)
{
    struct ek_whole whole = ek_whole_of(block->begin, block->end);
    struct ek_found found = ek_found_of(block);
    ek_block_part(block, block->begin, whole.begin, ports, rule, &found);
    const struct ek_uniform_run *run = block->uniform_run;
    for (size_t p = whole.begin, end; p < whole.end; p = end) {
        run = ek_uniform_run_at(run, p);
        end = run[1].begin < whole.end ? run[1].begin : whole.end;
        if (run->odd) {
            ek_block_mixed(block, run, p, end, ports, rule, &found);
        } else {
            ek_block_alike(block, &block->vicinity[run->usual], p, end, ports, rule, &found);
        }
    }
    ek_block_part(block, whole.end, block->end, ports, rule, &found);
    ek_block_found(block, &found);
}

// Runs the loop with the number of ports of the topology's vicinities, which is a constant in each call.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_ports(struct ek_block *block,
                                                                         struct ek_rule_lanes rule)
{
    switch (block->ports) {
    case 2:
        ek_block_uniform_runs(block, 2, rule);
        break;
    case 4:
        ek_block_uniform_runs(block, 4, rule);
        break;
    default:
        ek_block_uniform_runs(block, 6, rule);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_wide_rule(struct ek_block *given,
                                                                             struct ek_rule_lanes rule)
{
    struct ek_block block = *given;
    struct ek_plan plan = *given->plan; // a local copy: the compiler knows that no store changes it
    block.plan = &plan;
    block.announced = NULL;
    block.native = rule.lanes ? block.native : NULL;
    block.invokes = NULL;
    block.links = NULL;
    if (block.sent) { // from here on it points to the ports of the next processor
        block.sent += block.port_from;
        ek_block_ports(&block, rule);
    } else {
        block.sent = NULL;
        ek_block_ports(&block, rule);
    }
    given->parcels = block.parcels;
    given->lowest = block.lowest;
}

// Run the loop of a mutual rule for real loads, and for tokens. Loads must be readable in place, all processors must
// invoke, and links must carry any amount.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_wide(struct ek_block *block, ek_flow *flow)
{
    struct ek_rule_lanes rule = {flow, NULL};
    ek_block_wide_rule(block, rule);
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_wide_tokens(struct ek_block *block, ek_flow *flow,
                                                                               ek_flow_lanes *lanes)
{
    struct ek_rule_lanes rule = {flow, lanes};
    ek_block_wide_rule(block, rule);
}

#endif
