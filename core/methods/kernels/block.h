// SPDX-License-Identifier: MIT
// The loop of a method over a block of processors; installed as <evenkeel/block.h>. A rule, or a program's say and act,
// are inline functions; ek_block_flows or ek_block_program, handed some that the compiler can see, becomes that
// method's own loop, compiled once in the method's file: the machine calling them through pointers costs 2.6 times as
// much (bench/README.md). What a method sets `block` and `block_tokens` to does nothing but call one of the two.
//
// What is compiled here knows how the machine's memory lies, so a method from outside is compiled anew for each version
// of the library. Where the compiler may fuse multiplications and additions (-ffp-contract), loads can differ from the
// machine's own loop in their last bits. The code is C++ too, and therefore names no members in initialisers.
#ifndef EK_BLOCK_H
#define EK_BLOCK_H

#include <math.h>
#include <string.h>

#include "core/cargo/cargo.h"
#include "core/method.h"

struct ek_link_model; // the library's own

// A phase of one block of processors. Arrays are by processor or by port of the whole machine; a worker only touches
// its own processors' entries, except through `word` and `parcel`.
struct ek_block {
    bool announces; // a program says its words; else announcements are in, and parcels go out
    const struct ek_plan *plan;
    const struct ek_step *step;
    uint64_t seed;                    // of the run
    const uint32_t *first;            // by processor: its first port
    const uint32_t *neighbour;        // by port
    const uint32_t *colour;           // by port
    const uint8_t *dimension;         // by port
    const int8_t *direction;          // by port
    uint32_t begin, end;              // the processors of the block
    unsigned regular;                 // every processor's degree where all are alike, else 0
    uint32_t colour_from, colour_end; // the colours that take part
    const struct ek_end *ends;        // the ends that take part, in the order of processors; NULL: every port does
    size_t ends_count;
    const uint32_t *turns; // the processors that have a turn, ascending; NULL: all of the block
    uint32_t turns_count;
    const double *level;     // by processor: the load that the rule compares
    const double *announced; // by port: what the neighbour announced; NULL: the load that its rule compares
    const double *capacity;  // by processor; NULL: 1
    double *memory;          // by port: plan->port_doubles each
    double *state;           // by processor: plan->state_doubles each
    double *arrived;         // by port, 0 again after a turn; NULL where the method does not look at it
    double *scratch;         // for one processor's words, what it hears, or its amounts, which are 0 before and after
    double lowest;           // what a load must fall below to be looked at, where processors sleep
    uint8_t *requests;       // by processor: EK_REQUESTS_TURN | EK_REQUESTS_STEPS, where processors sleep; else NULL
    double *held;            // by processor
    double *native;          // by processor: tokens that never left; NULL in real units
    double *moved;           // by processor: load sent so far
    double *sent;            // by port: load sent so far; NULL when flows are not asked for
    double *announcement;    // where words are put; NAN is "nothing"
    const uint32_t *place;   // by port: its place in `word`; NULL: they lie by port
    double *parcel;          // where parcels are put, by port, or in planes; 0 is "nothing"
    size_t plane;            // where they lie in planes (<evenkeel/wide.h>): from one to the next
    const struct ek_uniform_run *uniform_run; // then: the one that the block begins in, and those behind it
    const struct ek_vicinity *vicinity;       // and what these have
    unsigned planes;                          // 2, 4 or 6
    double zero;                              // 0; a constant would be a branch on signs: see ek_block_put
    const struct ek_link_model *links;        // NULL: links carry all that is put on them
    // Reduces the amounts put on ports port .. port+count-1 to what their links carry.
    void (*carry)(const struct ek_link_model *links, uint32_t port, unsigned count, double *amounts);
    const uint8_t *invokes; // by processor: it invokes this operation; NULL: everybody does
    const double *invited;  // by port: 1 if the neighbour invokes, else 0
    uint64_t announcements; // counts the words
    uint64_t parcels;       // counts those that carry something
    uint64_t invokers;      // counts the processors that invoke, by their programs
    uint64_t busy;          // counts the processors that ask for another step
    int64_t waiting;        // counts how many more ask for steps until their next turn
    double shift[2];        // largest amounts shifted down and up
    double swapped;         // load shifted from processors to themselves
    uint32_t stray_port;    // a port outside the step's colours on which load was sent, or UINT32_MAX
};

// What a processor asked for in its last turn: another, or steps until then.
enum { EK_REQUESTS_TURN = 1, EK_REQUESTS_STEPS = 2 };

// A positive amount rounded down; what is not positive is not sent, however it is rounded. Beyond 2^53 all doubles are
// whole.
static inline double ek_whole(double amount)
{
    const double exact = 9007199254740992.0; // 2^53
    return amount < exact && amount > -exact ? (double)(int64_t)amount : amount;
}

typedef double ek_flow(const struct ek_view *view, unsigned port);
typedef void ek_announce(const struct ek_turn *turn, double *values);
typedef void ek_act(struct ek_turn *turn, double *amounts);

// A processor's first port: where all have as many, nothing is read for it.
static inline __attribute__((always_inline)) uint32_t ek_block_first(const struct ek_block *block, uint32_t p)
{
    return block->regular ? p * block->regular : block->first[p];
}

// Puts a parcel: of the amount, if it is positive, what the link carries. Returns what is sent. Signs are as good
// as random, and a mispredicted branch on them costs more than all the rest (bench/README.md): gcc takes the larger of
// two without one, but not of an amount and a constant 0.
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
    uint64_t bits; // counted by its bits, which takes no branch either
    memcpy(&bits, &amount, sizeof bits);
    block->parcels += bits != 0;
    return amount;
}

// Asks the rule about one port and puts the parcel. A link takes part if either end invokes.
static inline __attribute__((always_inline)) double ek_block_send(struct ek_block *block, const struct ek_view *view,
                                                                  unsigned port, ek_flow *flow)
{
    uint32_t global = ek_block_first(block, view->processor) + port;
    bool silent = block->invokes && !block->invokes[view->processor] && block->invited[global] == 0.0;
    return ek_block_put(block, global, silent ? 0.0 : flow(view, port));
}

// Debits a processor. Tokens that came from elsewhere leave first, so those that never left are at most what is held.
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

// What is said at a port, where it is read at who says it.
static inline __attribute__((always_inline)) void ek_block_read(const struct ek_block *block, uint32_t p, unsigned port)
{
    if (!block->announced) {
        block->scratch[port] = block->level[block->neighbour[ek_block_first(block, p) + port]];
    }
}

// Goes over all ports of all processors.
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

// Goes over the ends that take part. A rule may look at all of a processor's.
static inline __attribute__((always_inline)) void ek_block_ends(struct ek_block *block, ek_flow *flow)
{
    size_t heard = 0;
    for (size_t k = 0; k < block->ends_count; k++) {
        uint32_t p = block->ends[k].processor;
        struct ek_view view = ek_block_view(block, p);
        for (; heard < block->ends_count && block->ends[heard].processor == p; heard++) {
            ek_block_read(block, p, block->ends[heard].port - block->first[p]);
        }
        ek_block_debit(block, p, ek_block_send(block, &view, block->ends[k].port - block->first[p], flow));
    }
}

// Two amounts at once, as any x86-64 has them; and masks of them, -1 where an amount is sent.
typedef double ek_pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t ek_pair_mask __attribute__((vector_size(2 * sizeof(double))));

// Puts the parcels of a port and the next, as ek_block_put does; returns what is sent.
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

// The same as ek_block_all where every processor has `degree` ports: two at a time take fewer instructions
// (bench/README.md). Nothing changes the plan meanwhile, and the compiler knows it.
static inline __attribute__((always_inline)) void ek_block_pairs(struct ek_block *block, ek_flow *flow, unsigned degree)
{
    struct ek_plan plan = *block->plan;
    double room[6];
    ek_pair_mask parcels = {0, 0};
    block->plan = &plan;
    block->scratch = degree <= sizeof room / sizeof *room ? room : block->scratch; // nobody else's is never stored
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

// The same as ek_block_all where links do not carry everything. They reduce the parcels of the whole block at once.
// `degree` is that of every processor, or 0 if degrees differ.
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

// In the commonest run loads are real and read where they lie, and flows are not counted.
static inline __attribute__((always_inline)) void ek_block_regular(struct ek_block *block, ek_flow *flow,
                                                                   unsigned degree)
{
    if (block->links) {
        ek_block_bounded(block, flow, degree);
    } else if (block->announced || block->native || block->sent) {
        ek_block_pairs(block, flow, degree);
    } else {
        block->announced = NULL;
        block->native = NULL;
        block->sent = NULL;
        ek_block_pairs(block, flow, degree);
    }
}

// The loop of a rule.
static inline __attribute__((always_inline)) void ek_block_flows(struct ek_block *given, ek_flow *flow)
{
    struct ek_block block = *given; // a local copy: the stores below cannot change it, and the compiler knows
    unsigned degree = given->regular;
    block.regular = 0;
    if (block.invokes) { // the other loops need not look
        block.ends ? ek_block_ends(&block, flow) : ek_block_all(&block, flow);
        given->parcels = block.parcels;
        return;
    }
    block.invokes = NULL;
    if (block.ends && block.native) {
        ek_block_ends(&block, flow);
    } else if (block.ends) {
        block.native = NULL;
        ek_block_ends(&block, flow);
    } else if (degree == 0) {
        block.links ? ek_block_bounded(&block, flow, 0) : ek_block_all(&block, flow);
    } else if (degree == 2) { // rings; a degree that the compiler knows halves the instructions once more
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

// The ports of one processor that take part: of `ends`, or where that is NULL all from `from` on.
struct ek_slice {
    const struct ek_end *ends;
    uint32_t from;
    unsigned count;
};

static inline __attribute__((always_inline)) uint32_t ek_slice_port(const struct ek_slice *slice, unsigned i)
{
    return slice->ends ? slice->ends[i].port : slice->from + i;
}

// Finds the slice of p. `at` is the number of ends before it, and afterwards of those up to its end.
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

// Puts what a program says.
static inline __attribute__((always_inline)) void ek_block_announce(struct ek_block *block, uint32_t p,
                                                                    const struct ek_slice *slice, ek_announce *say)
{
    struct ek_turn turn = ek_block_turn(block, p);
    for (unsigned i = 0; i < slice->count; i++) {
        block->scratch[ek_slice_port(slice, i) - block->first[p]] = NAN;
    }
    say(&turn, block->scratch);
    for (unsigned i = 0; i < slice->count; i++) {
        uint32_t port = ek_slice_port(slice, i);
        double value = block->scratch[port - block->first[p]];
        block->announcement[block->place ? block->place[port] : port] = value;
        block->announcements += isnan(value) ? 0u : 1u;
    }
}

// Puts what a program sends; what it puts on a port that takes no part is noted.
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

// Gives a program its turn. A processor whose load is lower than any that its worker has seen has one in the next step
// too, since only there loads are looked at.
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

// Whose turn is the i-th of this phase, and how many there are.
static inline __attribute__((always_inline)) uint32_t ek_block_processor(const struct ek_block *block, uint32_t i)
{
    return block->turns ? block->turns[i] : block->begin + i;
}

static inline __attribute__((always_inline)) uint32_t ek_block_turns(const struct ek_block *block)
{
    return block->turns ? block->turns_count : block->end - block->begin;
}

// The loop of a program, in either phase. `say` is NULL where it says its loads.
static inline __attribute__((always_inline)) void ek_block_program(struct ek_block *given, ek_announce *say,
                                                                   ek_act *act)
{
    struct ek_block block = *given;
    size_t at = 0;
    if (say && block.announces) {
        for (uint32_t i = 0; i < ek_block_turns(&block); i++) {
            uint32_t p = ek_block_processor(&block, i);
            struct ek_slice slice = ek_block_slice(&block, p, &at);
            ek_block_announce(&block, p, &slice, say);
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
