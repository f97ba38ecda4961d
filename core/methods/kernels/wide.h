// SPDX-License-Identifier: MIT
// The loop of a mutual rule with vector instructions, four processors at a time; installed as <evenkeel/wide.h>.
//
// A method's `block_wide` is a function that is EK_WIDE and only calls ek_block_wide with the rule. The machine calls
// `block_wide` on a CPU with AVX2 if it is faster than `block` (threads/rounds/planes.c). The loop computes the same
// amounts as ek_block_flows and adds them in the same order, so the results have the same bits.
//
// A rule of whole tokens is given twice: for one processor, and for four at a time. The compiler forms vectors of real
// amounts from the rule for one processor, but not of amounts that are rounded.
//
// Terms: the *vicinity* of a processor describes the places of its neighbours and parcels relative to its own place. A
// *uniform run* is a range of processors in which every group of four has the same four vicinities, so the loop needs
// no list of neighbours. A *lane* is the place of a processor in its group. A *plane* is an array of parcels by
// processor. A *mirror* stands for a missing port.
#ifndef EK_WIDE_H
#define EK_WIDE_H

#include "core/lanes.h"
#include "core/methods/kernels/block.h"

// Unrolls a loop over ports or lanes whose number is a constant. Otherwise the arrays that it indexes are kept in
// memory instead of registers.
#define EK_UNROLL _Pragma("GCC unroll 6")

// The vicinity of a processor, by port. `neighbour` is the offset of the neighbour in an array by processor. `found` is
// the offset of the neighbour's parcel in the planes. `put` is the plane of the processor's own parcel. A processor
// with fewer ports than planes has mirrors: at a mirror it reads its own load, so the amount is 0. It puts this amount
// in a plane that it does not use.
enum { EK_VICINITY_PORTS = 6 };

struct ek_vicinity {
    int64_t found[EK_VICINITY_PORTS];
    int32_t neighbour[EK_VICINITY_PORTS];
    uint8_t put[EK_VICINITY_PORTS];
    uint16_t degree; // without mirrors; fills the struct, since structs are compared byte by byte
};

// A uniform run: the processors from `begin` to the `begin` of the next run. Groups of four begin at processor
// EK_LANES_FIRST: most rows have a multiple of four processors. The two ends of a row have other vicinities, and are
// then in the same group.
enum { EK_LANE_BITS = 5, EK_LANES_BITS = EK_LANES * EK_LANE_BITS, EK_LANES_FIRST = EK_LANES / 2 };

struct ek_uniform_run {
    uint32_t begin;
    uint32_t lanes : EK_LANES_BITS; // the number of each lane's vicinity
    uint32_t usual : 2;             // a lane with the commonest vicinity
    uint32_t odd : EK_LANES;        // the lanes with other vicinities
};

// Returns the lane of a processor.
static inline unsigned ek_lane(size_t p)
{
    return (unsigned)((p + EK_LANES - EK_LANES_FIRST) % EK_LANES);
}

// Return the number of a lane's vicinity, and the vicinity.
static inline uint32_t ek_uniform_run_lane(const struct ek_uniform_run *run, unsigned lane)
{
    return run->lanes >> lane * EK_LANE_BITS & ((1u << EK_LANE_BITS) - 1);
}

static inline __attribute__((always_inline)) const struct ek_vicinity *
ek_uniform_run_vicinity(const struct ek_vicinity *vicinity, const struct ek_uniform_run *run, unsigned lane)
{
    return &vicinity[ek_uniform_run_lane(run, lane)];
}

static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_at(const double *from)
{
    return *(const ek_lanes_anywhere *)from;
}

static inline __attribute__((always_inline)) EK_WIDE void ek_lanes_put(double *to, ek_lanes lanes)
{
    *(ek_lanes_anywhere *)to = lanes;
}

// Returns the lanes with the value of one lane replaced.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_with(ek_lanes lanes, unsigned lane, double value)
{
    const ek_lanes_mask number = {0, 1, 2, 3};
    ek_lanes_mask here = number == (int64_t)lane;
    ek_lanes all = {value, value, value, value};
    return (ek_lanes)(((ek_lanes_mask)all & here) | ((ek_lanes_mask)lanes & ~here));
}

// A rule for four processors: returns the amounts for one port, from their loads and those of their neighbours.
typedef ek_lanes ek_flow_lanes(const struct ek_plan *plan, ek_lanes own, ek_lanes other);

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
    ek_lanes_mask small = amount < whole;
    near -= ek_lanes_if(near > amount, one);
    return (ek_lanes)(((ek_lanes_mask)near & small) | ((ek_lanes_mask)amount & ~small));
}

// Returns the lower value of each lane.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_lanes_lower(ek_lanes a, ek_lanes b)
{
    ek_lanes_mask below = b < a;
    return (ek_lanes)(((ek_lanes_mask)b & below) | ((ek_lanes_mask)a & ~below));
}

// The part of a block that consists of complete groups.
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

// Returns what a mutual rule reads of processor p, but for loads.
static inline __attribute__((always_inline)) EK_WIDE struct ek_view ek_wide_view(const struct ek_block *block, size_t p)
{
    struct ek_view view;
    memset(&view, 0, sizeof view);
    view.plan = block->plan;
    view.processor = (uint32_t)p;
    view.load = block->level[p];
    return view;
}

// A mutual rule for one processor; and for four, or NULL if amounts are real. Both are constants for the compiler.
struct ek_rule_lanes {
    ek_flow *flow;
    ek_flow_lanes *lanes;
};

// Returns the amounts that a mutual rule gives for one port of a group's processors.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_block_apply(struct ek_view view, unsigned port,
                                                                             ek_lanes own, ek_lanes other,
                                                                             struct ek_rule_lanes rule)
{
    double received[EK_VICINITY_PORTS];
    ek_lanes amount;
    if (rule.lanes) {
        return rule.lanes(view.plan, own, other);
    }
    view.announced = received;
    for (unsigned lane = 0; lane < EK_LANES; lane++) {
        view.load = own[lane];
        received[port] = other[lane];
        amount[lane] = rule.flow(&view, port);
    }
    return amount;
}

// Returns the positive amounts, which are sent, and counts them; the others become 0.
static inline __attribute__((always_inline)) EK_WIDE ek_lanes ek_block_positive(ek_lanes amount, ek_lanes_mask *parcels)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    ek_lanes_mask some = amount > nothing;
    *parcels -= some;
    return ek_lanes_if(some, amount);
}

// Debit one processor, and four, as ek_block_debit does.
static inline __attribute__((always_inline)) EK_WIDE void ek_wide_debit_one(struct ek_block *block, size_t p,
                                                                            double out)
{
    ek_cargo_take(&block->held[p], block->native ? &block->native[p] : NULL, out);
    block->moved[p] += out;
}

static inline __attribute__((always_inline)) EK_WIDE void ek_wide_debit(struct ek_block *block, size_t p, ek_lanes out)
{
    const ek_lanes nothing = {0.0, 0.0, 0.0, 0.0};
    ek_lanes held = ek_lanes_at(block->held + p) - out;
    ek_lanes_put(block->held + p, held);
    ek_lanes_put(block->moved + p, ek_lanes_at(block->moved + p) + out);
    if (block->native) {
        ek_lanes native = ek_lanes_at(block->native + p);
        ek_lanes_mask over = native > held;
        ek_lanes left = ek_lanes_if(held > nothing, held);
        ek_lanes_put(block->native + p, (ek_lanes)(((ek_lanes_mask)left & over) | ((ek_lanes_mask)native & ~over)));
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

// The places, for each port of a vicinity, where processor 0 would read its neighbour's load and put its parcel.
struct ek_ways {
    const double *received[EK_VICINITY_PORTS];
    double *put[EK_VICINITY_PORTS];
};

static inline __attribute__((always_inline)) EK_WIDE struct ek_ways
ek_ways_of(const struct ek_block *block, const struct ek_vicinity *vicinity, unsigned ports)
{
    struct ek_ways ways;
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        ways.received[port] = block->level + vicinity->neighbour[port];
        ways.put[port] = block->parcel + vicinity->put[port] * block->plane;
    }
    return ways;
}

// Puts the parcels of the group that begins at p and debits its processors. `received` are the neighbours' loads by
// port. Writes the amounts by port to `amount`.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_four(struct ek_block *block, const struct ek_ways *ways, size_t p, const ek_lanes *received, unsigned ports,
              struct ek_rule_lanes rule, ek_lanes *amount, ek_lanes_mask *parcels)
{
    struct ek_view view = ek_wide_view(block, p);
    ek_lanes own = ek_lanes_at(block->level + p);
    ek_lanes out = {0.0, 0.0, 0.0, 0.0};
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        amount[port] = ek_block_positive(ek_block_apply(view, port, own, received[port], rule), parcels);
        ek_lanes_put(ways->put[port] + p, amount[port]);
        out += amount[port];
    }
    ek_wide_debit(block, p, out);
}

// Processes the groups begin..end-1, in which all processors have the same vicinity. `ports` is a constant for the
// compiler.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_alike(struct ek_block *block, const struct ek_vicinity *vicinity, size_t begin, size_t end, unsigned ports,
               struct ek_rule_lanes rule, ek_lanes_mask *parcels)
{
    struct ek_ways ways = ek_ways_of(block, vicinity, ports);
    unsigned degree = vicinity->degree;
    for (size_t p = begin; p < end; p += EK_LANES) {
        ek_lanes received[EK_VICINITY_PORTS], amount[EK_VICINITY_PORTS];
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            received[port] = ek_lanes_at(ways.received[port] + p);
        }
        ek_block_four(block, &ways, p, received, ports, rule, amount, parcels);
        EK_UNROLL
        for (unsigned lane = 0; lane < EK_LANES; lane++) {
            ek_block_count(block, amount, lane, degree, ports);
        }
    }
}

// Replaces the lane of processor p, which has another vicinity, by the loads of its own neighbours.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_receive_odd(const struct ek_block *block,
                                                                               const struct ek_vicinity *odd, size_t p,
                                                                               unsigned ports, ek_lanes *received)
{
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        received[port] = ek_lanes_with(received[port], ek_lane(p), block->level[(ptrdiff_t)p + odd->neighbour[port]]);
    }
}

// Moves the parcels that processor p put by the usual vicinity to the planes of its own vicinity. Both use the same set
// of planes.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_put_odd(struct ek_block *block,
                                                                           const struct ek_ways *ways,
                                                                           const struct ek_vicinity *odd, size_t p,
                                                                           unsigned ports)
{
    double amount[EK_VICINITY_PORTS];
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        amount[port] = ways->put[port][p];
    }
    EK_UNROLL
    for (unsigned port = 0; port < ports; port++) {
        block->parcel[odd->put[port] * block->plane + p] = amount[port];
    }
}

// Processes the groups begin..end-1 of a run with odd lanes.
static inline __attribute__((always_inline)) EK_WIDE void
ek_block_mixed(struct ek_block *block, const struct ek_uniform_run *run, size_t begin, size_t end, unsigned ports,
               struct ek_rule_lanes rule, ek_lanes_mask *parcels)
{
    struct ek_ways ways = ek_ways_of(block, ek_uniform_run_vicinity(block->vicinity, run, run->usual), ports);
    for (size_t p = begin; p < end; p += EK_LANES) {
        ek_lanes received[EK_VICINITY_PORTS], amount[EK_VICINITY_PORTS];
        EK_UNROLL
        for (unsigned port = 0; port < ports; port++) {
            received[port] = ek_lanes_at(ways.received[port] + p);
        }
        for (uint32_t odd = run->odd; odd; odd &= odd - 1) {
            unsigned lane = (unsigned)__builtin_ctz(odd);
            ek_block_receive_odd(block, ek_uniform_run_vicinity(block->vicinity, run, lane), p + lane, ports, received);
        }
        ek_block_four(block, &ways, p, received, ports, rule, amount, parcels);
        for (uint32_t odd = run->odd; odd; odd &= odd - 1) {
            unsigned lane = (unsigned)__builtin_ctz(odd);
            ek_block_put_odd(block, &ways, ek_uniform_run_vicinity(block->vicinity, run, lane), p + lane, ports);
        }
        for (unsigned lane = 0; block->sent && lane < EK_LANES; lane++) {
            unsigned degree = ek_uniform_run_vicinity(block->vicinity, run, lane)->degree;
            ek_block_count(block, amount, lane, degree, ports);
        }
    }
}

// Processes the processors begin..end-1, which do not fill a group, one by one.
static inline __attribute__((always_inline)) EK_WIDE void ek_block_single(struct ek_block *block, size_t begin,
                                                                          size_t end, struct ek_rule_lanes rule)
{
    const struct ek_uniform_run *run = block->uniform_run;
    for (size_t p = begin; p < end; p++) {
        run = ek_uniform_run_at(run, p);
        const struct ek_vicinity *vicinity = ek_uniform_run_vicinity(block->vicinity, run, ek_lane(p));
        double announced[EK_VICINITY_PORTS];
        struct ek_view view = ek_wide_view(block, p);
        double out = 0.0;
        view.announced = announced;
        for (unsigned port = 0; port < vicinity->degree; port++) {
            announced[port] = block->level[(ptrdiff_t)p + vicinity->neighbour[port]];
            double amount = rule.flow(&view, port);
            amount = amount > 0.0 ? amount : 0.0;
            block->parcel[vicinity->put[port] * block->plane + p] = amount;
            if (block->sent) {
                block->sent[port] += amount;
            }
            block->parcels += amount > 0.0;
            out += amount;
        }
        block->sent = block->sent ? block->sent + vicinity->degree : NULL;
        ek_wide_debit_one(block, p, out);
    }
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_uniform_runs(struct ek_block *block, unsigned ports,
                                                                                struct ek_rule_lanes rule)
{
    struct ek_whole whole = ek_whole_of(block->begin, block->end);
    ek_lanes_mask parcels = {0, 0, 0, 0};
    ek_block_single(block, block->begin, whole.begin, rule);
    const struct ek_uniform_run *run = block->uniform_run;
    for (size_t p = whole.begin, end; p < whole.end; p = end) {
        run = ek_uniform_run_at(run, p);
        end = run[1].begin < whole.end ? run[1].begin : whole.end;
        if (run->odd) {
            ek_block_mixed(block, run, p, end, ports, rule, &parcels);
        } else {
            ek_block_alike(block, ek_uniform_run_vicinity(block->vicinity, run, 0), p, end, ports, rule, &parcels);
        }
    }
    ek_block_single(block, whole.end, block->end, rule);
    block->parcels += (uint64_t)(parcels[0] + parcels[1] + parcels[2] + parcels[3]);
}

static inline __attribute__((always_inline)) EK_WIDE void ek_block_planes(struct ek_block *block,
                                                                          struct ek_rule_lanes rule)
{
    switch (block->planes) { // a constant number in each call
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
        ek_block_planes(&block, rule);
    } else {
        block.sent = NULL;
        ek_block_planes(&block, rule);
    }
    given->parcels = block.parcels;
}

// Runs the loop of a mutual rule, with parcels in planes. Loads must be real and readable in place, all processors must
// invoke, and links must carry any amount. The second function does so for tokens.
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
