// SPDX-License-Identifier: MIT
// The loop of a method over a block of processors; installed as <evenkeel/block.h>. A method's `block` and
// `block_tokens` only call ek_block_flows with the rule, or ek_block_program with `announce` and `act`. If these are
// inline functions, the compiler merges them into one loop. Without a `block` the machine calls the functions through
// pointers, which takes 2.6 times as long (bench/README.md).
//
// This code depends on the machine's memory layout, so a method from outside must be compiled anew for each version of
// the library. If the compiler may fuse multiplications and additions (-ffp-contract), loads can differ from the
// machine's own loop in their last bits. The code is valid C++ too, so it has no designated initialisers.
#ifndef EK_BLOCK_H
#define EK_BLOCK_H

#include <math.h>
#include <string.h>

#include "core/cargo/cargo.h"
#include "core/method.h"
#include "topologies/topology.h"

struct ek_link_model; // the library's own, as are the structs of topologies
struct topo_pairing;
struct topo_bundle;

// One phase of one block of processors. Arrays are by processor or by port of the whole machine. A worker writes the
// entries of its own processors only, except in `announcement`, and reads those of others in `level` only.
struct ek_block {
    bool announces; // this is the phase in which a program announces; otherwise parcels are sent
    const struct ek_plan *plan;
    const struct ek_step *step;
    uint64_t seed;                    // of the run
    const uint32_t *first;            // by processor: its first port
    const uint32_t *neighbour;        // by port
    const uint32_t *colour;           // by port
    const uint8_t *dimension;         // by port
    const int8_t *direction;          // by port
    uint32_t begin, end;              // the processors of the block
    unsigned regular;                 // the degree of all processors, or 0 if degrees differ
    uint32_t colour_from, colour_end; // the colours that take part
    const struct ek_end *ends;        // the ends that take part, in the order of processors; NULL: every port does
    size_t ends_count;
    const uint32_t *turns; // the processors that have a turn, ascending; NULL: all of the block
    uint32_t turns_count;
    const double *level;     // by processor: the load that the rule compares
    const double *announced; // by port: what the neighbour announced; NULL: its entry in `level`
    const double *capacity;  // by processor; NULL: 1
    double *memory;          // by port: plan->port_doubles each
    double *state;           // by processor: plan->state_doubles each
    double *arrived;         // by port, 0 again after a turn; NULL if the method does not read arrivals
    double *scratch;      // by port of one processor: its announcements, the loads that it receives, or its amounts; 0
                          // before and after
    double lowest;        // the lowest load so far. If processors sleep, one with less load has a turn in the next step
    uint8_t *requests;    // by processor: EK_REQUESTS_TURN | EK_REQUESTS_STEPS; NULL if processors do not sleep
    double *held;         // by processor
    double *next;         // by processor: with <evenkeel/wide.h>, the load after the step
    double *native;       // by processor: tokens that never left; NULL in real units
    double *moved;        // by processor: load sent so far
    double *sent;         // by port, or in planes: load sent so far; NULL if flows are not counted
    double *announcement; // announcements; NaN: nothing is announced
    const uint32_t *place;              // by port: its place in `announcement`; NULL: the port's number
    double *parcel;                     // parcels, by port; 0: nothing is sent. One pass writes none
    size_t plane;                       // if `sent` lies in planes (topo_plane): the distance between two planes
    const struct topo_pairing *pairing; // the links of the step's colour, if they are computed by colour
    const struct topo_bundle *bundle;   // [bundles] all links, if they are computed by bundle
    unsigned bundles;
    const struct ek_uniform_run *uniform_run; // if any: the run in which the block begins; the next runs follow
    const struct ek_vicinity *vicinity;       // the vicinities of these runs
    unsigned ports;                           // of a vicinity: 2, 4 or 6
    double zero;                              // 0, as a variable: see ek_block_put
    const struct ek_link_model *links;        // NULL: links carry any amount
    // Reduces the amounts put on ports port .. port+count-1 to what their links carry.
    void (*carry)(const struct ek_link_model *links, uint32_t port, unsigned count, double *amounts);
    const uint8_t *invokes; // by processor: whether it invokes this operation; NULL: all invoke
    const double *invited;  // by port: 1 if the neighbour invokes, else 0
    uint64_t announcements; // the number of announcements
    uint64_t parcels;       // the number of parcels with a positive amount
    uint64_t most;          // of a program: the most announcements that one processor sends in this phase
    uint64_t invokers;      // the number of processors whose program invokes
    uint64_t busy;          // the number of processors that request another step
    int64_t waiting;        // change of the number of processors that request steps until their next turn
    double shift[2];        // largest amounts shifted down and up
    double swapped;         // load shifted from processors to themselves
    uint32_t port_from;     // the first port of the block
    uint32_t stray_port;    // a port outside the step's colours on which load was sent, or UINT32_MAX
};

// The requests of a processor in its last turn: a turn in the next step, or steps until its next turn.
enum { EK_REQUESTS_TURN = 1, EK_REQUESTS_STEPS = 2 };

// Returns a positive amount rounded down. Other amounts are not sent, so their rounding does not matter. From 2^53 on
// all doubles are whole.
static inline double ek_whole(double amount)
{
    const double exact = 9007199254740992.0; // 2^53
    return amount < exact && amount > -exact ? (double)(int64_t)amount : amount;
}

typedef void ek_announce(const struct ek_turn *turn, double *values);
typedef void ek_act(struct ek_turn *turn, double *amounts);

// Returns a processor's first port, without a read if all degrees are equal.
static inline __attribute__((always_inline)) uint32_t ek_block_first(const struct ek_block *block, uint32_t p)
{
    return block->regular ? p * block->regular : block->first[p];
}

// Puts a parcel: the part of a positive amount that the link carries. Returns the amount sent. Signs are unpredictable,
// and a mispredicted branch costs more than the rest of the loop (bench/README.md). gcc computes the larger of two
// variables without a branch, but not the larger of a variable and a constant 0.
static inline __attribute__((always_inline)) double ek_block_put(struct ek_block *block, size_t port, double amount)
{
    amount = amount > block->zero ? amount : block->zero;
    if (__builtin_expect(block->links != NULL, 0)) {
        double carried = amount;
        block->carry(block->links, (uint32_t)port, 1, &carried);
        amount = carried;
    }
    block->parcel[port] = amount;
    if (block->sent) {
        block->sent[port] += amount;
    }
    uint64_t bits; // comparing the bits takes no branch either
    memcpy(&bits, &amount, sizeof bits);
    block->parcels += bits != 0;
    return amount;
}

// Applies the rule to one port and puts the parcel. A link takes part if either end invokes.
static inline __attribute__((always_inline)) double ek_block_send(struct ek_block *block, const struct ek_view *view,
                                                                  unsigned port, ek_flow *flow)
{
    uint32_t global = ek_block_first(block, view->processor) + port;
    bool silent = block->invokes && !block->invokes[view->processor] && block->invited[global] == 0.0;
    return ek_block_put(block, global, silent ? 0.0 : flow(view, port));
}

// Debits a processor. Tokens that came from elsewhere leave first, so the number of tokens that never left is at most
// the held load.
static inline __attribute__((always_inline)) void ek_block_debit(struct ek_block *block, uint32_t p, double out)
{
    ek_cargo_take(&block->held[p], block->native ? &block->native[p] : NULL, out);
    block->moved[p] += out;
}

static inline __attribute__((always_inline)) struct ek_view ek_block_view(const struct ek_block *block, uint32_t p)
{
    uint32_t first = ek_block_first(block, p);
    struct ek_view view;
    view.plan = block->plan;
    view.step = block->step;
    view.processor = p;
    view.degree = ek_block_first(block, p + 1) - first;
    view.load = block->level[p];
    view.held = block->held[p];
    view.capacity = block->capacity ? block->capacity[p] : 1.0;
    view.announced = block->announced ? block->announced + first : block->scratch;
    view.dimension = block->dimension + first;
    view.direction = block->direction + first;
    view.memory = block->memory + (size_t)first * block->plan->port_doubles;
    view.seed = block->seed;
    return view;
}

// Reads the neighbour's load in place if loads are not announced.
static inline __attribute__((always_inline)) void ek_block_read(const struct ek_block *block, uint32_t p, unsigned port)
{
    if (!block->announced) {
        block->scratch[port] = block->level[block->neighbour[ek_block_first(block, p) + port]];
    }
}

// Applies the rule to all ports of all processors.
static inline __attribute__((always_inline)) void ek_block_all(struct ek_block *block, ek_flow *flow)
{
    for (uint32_t p = block->begin; p < block->end; p++) {
        struct ek_view view = ek_block_view(block, p);
        double out = 0.0;
        for (unsigned port = 0; port < view.degree; port++) {
            ek_block_read(block, p, port);
        }
        for (unsigned port = 0; port < view.degree; port++) {
            out += ek_block_send(block, &view, port, flow);
        }
        ek_block_debit(block, p, out);
    }
}

// Applies the rule to the ends that take part. A rule may read all announcements of its processor.
static inline __attribute__((always_inline)) void ek_block_ends(struct ek_block *block, ek_flow *flow)
{
    size_t received = 0;
    for (size_t k = 0; k < block->ends_count; k++) {
        uint32_t p = block->ends[k].processor;
        struct ek_view view = ek_block_view(block, p);
        for (; received < block->ends_count && block->ends[received].processor == p; received++) {
            ek_block_read(block, p, block->ends[received].port - block->first[p]);
        }
        ek_block_debit(block, p, ek_block_send(block, &view, block->ends[k].port - block->first[p], flow));
    }
}

// Does the same as ek_block_ends if every processor has at most one end that takes part, loads are read in place, and
// links carry any amount. The constants let the compiler remove the branches on them.
static inline __attribute__((always_inline)) void ek_block_single_ends(struct ek_block *block, ek_flow *flow)
{
    struct ek_plan plan = *block->plan;
    block->plan = &plan;
    block->announced = NULL;
    block->links = NULL;
    for (size_t k = 0; k < block->ends_count; k++) {
        struct ek_end end = block->ends[k];
        struct ek_view view = ek_block_view(block, end.processor);
        unsigned port = end.port - block->first[end.processor];
        ek_block_read(block, end.processor, port);
        ek_block_debit(block, end.processor, ek_block_put(block, end.port, flow(&view, port)));
    }
}

// Two amounts in one vector, which every x86-64 CPU supports; and a mask, -1 if the amount is sent.
typedef double ek_pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t ek_pair_mask __attribute__((vector_size(2 * sizeof(double))));

// Puts the parcels of a port and the next, as ek_block_put does. Returns the amounts sent.
static inline __attribute__((always_inline)) ek_pair ek_block_put_pair(struct ek_block *block, size_t port,
                                                                       ek_pair amount, ek_pair_mask *parcels)
{
    const ek_pair nothing = {0.0, 0.0};
    ek_pair_mask some = amount > nothing;
    amount = (ek_pair)((ek_pair_mask)amount & some);
    memcpy(block->parcel + port, &amount, sizeof amount);
    if (block->sent) {
        block->sent[port] += amount[0];
        block->sent[port + 1] += amount[1];
    }
    *parcels -= some;
    return amount;
}

// Does the same as ek_block_all if every processor has `degree` ports. Processes two ports at a time, which takes fewer
// instructions (bench/README.md). The plan is copied, so the compiler knows that no store changes it.
static inline __attribute__((always_inline)) void ek_block_pairs(struct ek_block *block, ek_flow *flow, unsigned degree)
{
    struct ek_plan plan = *block->plan;
    double room[6];
    ek_pair_mask parcels = {0, 0};
    block->plan = &plan;
    block->scratch =
        degree <= sizeof room / sizeof *room ? room : block->scratch; // a local array can stay in registers
    block->regular = degree;
    for (uint32_t p = block->begin; p < block->end; p++) {
        struct ek_view view = ek_block_view(block, p);
        size_t first = (size_t)degree * p;
        double out = 0.0;
        for (unsigned port = 0; port < degree && !block->announced; port++) {
            block->scratch[port] = block->level[block->neighbour[first + port]];
        }
        for (unsigned port = 0; port + 1 < degree; port += 2) {
            ek_pair amount = {flow(&view, port), flow(&view, port + 1)};
            amount = ek_block_put_pair(block, first + port, amount, &parcels);
            out += amount[0];
            out += amount[1];
        }
        if (degree % 2 == 1) {
            out += ek_block_put(block, first + degree - 1, flow(&view, degree - 1));
        }
        ek_block_debit(block, p, out);
    }
    block->parcels += (uint64_t)(parcels[0] + parcels[1]);
}

// Does the same as ek_block_all if links limit amounts. The links reduce the parcels of the whole block at once.
// `degree` is the degree of all processors, or 0 if degrees differ.
static inline __attribute__((always_inline)) void ek_block_bounded(struct ek_block *block, ek_flow *flow,
                                                                   unsigned degree)
{
    uint32_t from = block->first[block->begin];
    double room[6];
    block->scratch = degree > 0 && degree <= sizeof room / sizeof *room ? room : block->scratch;
    block->regular = degree;
    for (uint32_t p = block->begin; p < block->end; p++) {
        struct ek_view view = ek_block_view(block, p);
        double *parcel = block->parcel + ek_block_first(block, p);
        for (unsigned port = 0; port < view.degree; port++) {
            ek_block_read(block, p, port);
        }
        for (unsigned port = 0; port < view.degree; port++) {
            double amount = flow(&view, port);
            parcel[port] = amount > block->zero ? amount : block->zero;
        }
    }
    block->carry(block->links, from, block->first[block->end] - from, block->parcel + from);
    for (uint32_t p = block->begin; p < block->end; p++) {
        double out = 0.0;
        for (uint32_t port = ek_block_first(block, p); port < ek_block_first(block, p + 1); port++) {
            if (block->sent) {
                block->sent[port] += block->parcel[port];
            }
            block->parcels += block->parcel[port] > 0.0;
            out += block->parcel[port];
        }
        ek_block_debit(block, p, out);
    }
}

// Applies the rule to all ports of processors that have `degree` ports. The last branch is for the commonest runs:
// loads are real and read in place, and flows are not counted. The constants let the compiler remove the branches on
// them.
static inline __attribute__((always_inline)) void ek_block_regular(struct ek_block *block, ek_flow *flow,
                                                                   unsigned degree)
{
    if (block->announced || block->native || block->sent) {
        ek_block_pairs(block, flow, degree);
    } else {
        block->announced = NULL;
        block->native = NULL;
        block->sent = NULL;
        ek_block_pairs(block, flow, degree);
    }
}

// Runs the loop of a rule.
static inline __attribute__((always_inline)) void ek_block_flows(struct ek_block *given, ek_flow *flow)
{
    struct ek_block block = *given; // a local copy: the compiler knows that no store changes it
    unsigned degree = given->regular;
    bool all = !block.invokes;
    bool plain = all && !block.links;
    bool single = block.ends && block.colour_end == block.colour_from + 1 && !block.announced && plain;
    block.regular = 0;
    // Fields that are set to NULL here need no test in the loop.
    if (single && block.native) {
        block.invokes = NULL;
        ek_block_single_ends(&block, flow);
    } else if (single) {
        block.invokes = NULL;
        block.native = NULL;
        ek_block_single_ends(&block, flow);
    } else if (block.ends && plain && !block.native) {
        block.invokes = NULL;
        block.links = NULL;
        block.native = NULL;
        ek_block_ends(&block, flow);
    } else if (block.ends) {
        ek_block_ends(&block, flow);
    } else if (all && block.links) {
        ek_block_bounded(&block, flow, degree);
    } else if (!all) {
        ek_block_all(&block, flow);
    } else if (degree == 0) {
        block.invokes = NULL;
        block.links = NULL;
        ek_block_all(&block, flow);
    } else if (degree == 2) { // rings; a constant degree halves the number of instructions once more
        ek_block_regular(&block, flow, 2);
    } else if (degree == 4) { // tori
        ek_block_regular(&block, flow, 4);
    } else if (degree == 6) { // tori of three dimensions
        ek_block_regular(&block, flow, 6);
    } else {
        ek_block_regular(&block, flow, degree);
    }
    given->parcels = block.parcels;
}

// The `count` ports of one processor that take part: the ports of `ends`, or the ports from `from` on if `ends` is
// NULL.
struct ek_slice {
    const struct ek_end *ends;
    uint32_t from;
    unsigned count;
};

static inline __attribute__((always_inline)) uint32_t ek_slice_port(const struct ek_slice *slice, unsigned i)
{
    return slice->ends ? slice->ends[i].port : slice->from + i;
}

// Returns the slice of p. `*at` is the number of ends before the slice, and becomes the number of ends up to the
// slice's end.
static inline __attribute__((always_inline)) struct ek_slice ek_block_slice(const struct ek_block *block, uint32_t p,
                                                                            size_t *at)
{
    struct ek_slice slice = {NULL, block->first[p], block->first[p + 1] - block->first[p]};
    if (block->ends) {
        size_t begin = *at;
        while (*at < block->ends_count && block->ends[*at].processor == p) {
            ++*at;
        }
        slice.ends = block->ends + begin;
        slice.count = (unsigned)(*at - begin);
    }
    return slice;
}

static inline __attribute__((always_inline)) struct ek_turn ek_block_turn(const struct ek_block *block, uint32_t p)
{
    struct ek_turn turn;
    turn.view = ek_block_view(block, p);
    turn.state = block->state + (size_t)p * block->plan->state_doubles;
    turn.arrived = block->arrived ? block->arrived + block->first[p] : NULL;
    turn.invokes = !block->invokes || block->invokes[p];
    turn.busy = turn.waits = turn.awake = false;
    turn.shift[0] = turn.shift[1] = turn.swapped = 0.0;
    return turn;
}

// Puts a program's announcements.
static inline __attribute__((always_inline)) void ek_block_announce(struct ek_block *block, uint32_t p,
                                                                    const struct ek_slice *slice, ek_announce *announce)
{
    struct ek_turn turn = ek_block_turn(block, p);
    for (unsigned i = 0; i < slice->count; i++) {
        block->scratch[ek_slice_port(slice, i) - block->first[p]] = NAN;
    }
    announce(&turn, block->scratch);
    for (unsigned i = 0; i < slice->count; i++) {
        uint32_t port = ek_slice_port(slice, i);
        double value = block->scratch[port - block->first[p]];
        block->announcement[block->place ? block->place[port] : port] = value;
        block->announcements += isnan(value) ? 0u : 1u;
    }
}

// Puts a program's amounts. An amount on a port that takes no part is an error, recorded in stray_port.
static inline __attribute__((always_inline)) void ek_block_put_all(struct ek_block *block, uint32_t p,
                                                                   const struct ek_slice *slice)
{
    uint32_t first = block->first[p];
    unsigned degree = block->first[p + 1] - first;
    double out = 0.0;
    for (unsigned i = 0; i < slice->count; i++) {
        uint32_t port = ek_slice_port(slice, i);
        out += ek_block_put(block, port, block->scratch[port - first]);
        block->scratch[port - first] = 0.0;
    }
    for (unsigned port = 0; slice->count < degree && port < degree; port++) {
        block->stray_port = block->scratch[port] != 0.0 ? first + port : block->stray_port;
        block->scratch[port] = 0.0;
    }
    ek_block_debit(block, p, out);
}

// Gives a program its turn. A processor whose load falls below block->lowest also has a turn in the next step, since
// the machine inspects loads only in turns.
static inline __attribute__((always_inline)) void ek_block_act(struct ek_block *block, uint32_t p,
                                                               const struct ek_slice *slice, ek_act *act)
{
    struct ek_turn turn = ek_block_turn(block, p);
    act(&turn, block->scratch);
    block->shift[0] = turn.shift[0] > block->shift[0] ? turn.shift[0] : block->shift[0];
    block->shift[1] = turn.shift[1] > block->shift[1] ? turn.shift[1] : block->shift[1];
    block->swapped += turn.swapped;
    block->busy += turn.busy || (turn.waits && !block->requests);
    block->invokers += turn.invokes ? 1u : 0u;
    ek_block_put_all(block, p, slice);
    for (unsigned port = 0; block->arrived && port < turn.view.degree; port++) {
        block->arrived[block->first[p] + port] = 0.0;
    }
    if (block->requests) {
        bool looked_at = turn.awake || block->held[p] < block->lowest;
        block->waiting += turn.waits - ((block->requests[p] & EK_REQUESTS_STEPS) != 0);
        block->requests[p] = (uint8_t)((looked_at ? EK_REQUESTS_TURN : 0) | (turn.waits ? EK_REQUESTS_STEPS : 0));
    }
}

// Return the processor of the i-th turn of this phase, and the number of turns.
static inline __attribute__((always_inline)) uint32_t ek_block_processor(const struct ek_block *block, uint32_t i)
{
    return block->turns ? block->turns[i] : block->begin + i;
}

static inline __attribute__((always_inline)) uint32_t ek_block_turns(const struct ek_block *block)
{
    return block->turns ? block->turns_count : block->end - block->begin;
}

// Runs the loop of a program, in either phase. `announce` is NULL if the processors announce their loads.
static inline __attribute__((always_inline)) void ek_block_program(struct ek_block *given, ek_announce *announce,
                                                                   ek_act *act)
{
    struct ek_block block = *given;
    size_t at = 0;
    if (announce && block.announces) {
        for (uint32_t i = 0; i < ek_block_turns(&block); i++) {
            uint32_t p = ek_block_processor(&block, i);
            struct ek_slice slice = ek_block_slice(&block, p, &at);
            uint64_t before = block.announcements;
            ek_block_announce(&block, p, &slice, announce);
            block.most = block.announcements - before > block.most ? block.announcements - before : block.most;
        }
    } else {
        for (uint32_t i = 0; i < ek_block_turns(&block); i++) {
            uint32_t p = ek_block_processor(&block, i);
            struct ek_slice slice = ek_block_slice(&block, p, &at);
            ek_block_act(&block, p, &slice, act);
        }
    }
    *given = block;
}

#endif
