// SPDX-License-Identifier: MIT
// TemperedLB, as in src/vt/vrt/collection/balance/temperedlb of DARMA/vt: gossip in rounds (informSync), then transfers
// (originalTransfer). Loads are in units, so their sums are exact.
#include "core/objects/tempered.h"

#include <string.h>

#include "base/random.h"

enum { BITS = 64 }; // of a word

struct tempered {
    const struct core_tempered *rule;
    const struct core_object_set *set;
    uint32_t processors;
    size_t words;    // of a set of processors
    double mean;     // load
    uint64_t lowest; // the lowest largest load so far
    uint64_t messages;

    // By processor.
    uint64_t *load;
    uint64_t *told;           // its load at the start of the iteration, which its messages tell
    uint64_t *view;           // the load of a peer, as the giver knows it
    uint64_t *knows, *heard;  // `words` each: of whom it knows the load, and of whom it has heard in this round too
    bool *speaks, *spoken_to; // in this round
    bool *receives;           // objects from the giver
    uint32_t *peer;           // those that the giver may draw
    double *sum;              // of the shares up to this peer
    struct base_random *random;

    uint64_t *low, *closed; // sets: processors below the mean; those that get no message

    // By object.
    uint32_t *now;   // the processor that holds it in this iteration
    uint32_t *first; // [processors + 2] own[first[p] .. first[p + 1] - 1] are the objects of p, the heaviest first
    uint32_t *own;
    uint32_t *order; // in which the giver offers its objects
};

// Takes memory for `count` elements, or adds up its bytes if there is no memory yet.
static void *take(char *memory, size_t *at, size_t count, size_t size)
{
    void *array = memory ? memory + *at : NULL;
    *at += (count * size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
    return array;
}

// Lays the arrays out in memory, and returns their bytes.
static size_t lay_out(struct tempered *tempered, void *memory)
{
    size_t at = 0, processors = tempered->processors, objects = tempered->set->count;
    size_t words = (processors + BITS - 1) / BITS;
    tempered->words = words;
    tempered->load = take(memory, &at, processors, sizeof *tempered->load);
    tempered->told = take(memory, &at, processors, sizeof *tempered->told);
    tempered->view = take(memory, &at, processors, sizeof *tempered->view);
    tempered->knows = take(memory, &at, processors * words, sizeof *tempered->knows);
    tempered->heard = take(memory, &at, processors * words, sizeof *tempered->heard);
    tempered->speaks = take(memory, &at, processors, sizeof *tempered->speaks);
    tempered->spoken_to = take(memory, &at, processors, sizeof *tempered->spoken_to);
    tempered->receives = take(memory, &at, processors, sizeof *tempered->receives);
    tempered->peer = take(memory, &at, processors, sizeof *tempered->peer);
    tempered->sum = take(memory, &at, processors, sizeof *tempered->sum);
    tempered->random = take(memory, &at, processors, sizeof *tempered->random);
    tempered->low = take(memory, &at, words, sizeof *tempered->low);
    tempered->closed = take(memory, &at, words, sizeof *tempered->closed);
    tempered->now = take(memory, &at, objects, sizeof *tempered->now);
    tempered->first = take(memory, &at, processors + 2, sizeof *tempered->first);
    tempered->own = take(memory, &at, objects, sizeof *tempered->own);
    tempered->order = take(memory, &at, objects, sizeof *tempered->order);
    return at;
}

size_t core_tempered_bytes(const struct core_object_set *set, uint32_t processors)
{
    struct tempered tempered = {.set = set, .processors = processors};
    return lay_out(&tempered, NULL);
}

// ---- sets of processors ----

static bool has(const uint64_t *bits, uint32_t p)
{
    return bits[p / BITS] >> p % BITS & 1;
}

static void put(uint64_t *bits, uint32_t p)
{
    bits[p / BITS] |= (uint64_t)1 << p % BITS;
}

static uint64_t *set_of(const struct tempered *tempered, uint64_t *sets, uint32_t p)
{
    return sets + p * tempered->words;
}

// ---- gossip ----

// Draws a processor that is not in the set of closed ones; `open` are left.
static uint32_t draw_open(struct tempered *tempered, uint32_t p, uint32_t open)
{
    uint64_t skip = base_random_below(&tempered->random[p], open);
    uint32_t q = 0;
    for (; has(tempered->closed, q) || skip > 0; q++) {
        skip -= !has(tempered->closed, q);
    }
    return q;
}

// Tells all that a processor knows, and its own load, to processors that it does not know to be below the mean.
static void speak(struct tempered *tempered, uint32_t p)
{
    const uint64_t *knows = set_of(tempered, tempered->knows, p);
    uint32_t open = 0;
    for (size_t word = 0; word < tempered->words; word++) {
        tempered->closed[word] = knows[word] & tempered->low[word];
    }
    put(tempered->closed, p);
    for (uint32_t q = 0; q < tempered->processors; q++) {
        open += !has(tempered->closed, q);
    }
    for (uint32_t i = 0; i < tempered->rule->fanout && open > 0; i++, open--) {
        uint32_t q = draw_open(tempered, p, open);
        uint64_t *heard = set_of(tempered, tempered->heard, q);
        for (size_t word = 0; word < tempered->words; word++) {
            heard[word] |= knows[word];
        }
        put(heard, p);
        put(tempered->closed, q);
        tempered->spoken_to[q] = true;
        tempered->messages++;
    }
}

// Processors below the mean begin. In each further round those speak that were spoken to in the round before.
static void gossip(struct tempered *tempered, uint32_t rounds)
{
    uint32_t processors = tempered->processors;
    size_t bytes = processors * tempered->words * sizeof *tempered->knows;
    memset(tempered->knows, 0, bytes);
    memset(tempered->low, 0, tempered->words * sizeof *tempered->low);
    memcpy(tempered->told, tempered->load, processors * sizeof *tempered->told);
    for (uint32_t p = 0; p < processors; p++) {
        tempered->speaks[p] = (double)tempered->told[p] < tempered->mean;
        if (tempered->speaks[p]) {
            put(tempered->low, p);
        }
    }
    for (uint32_t round = 0; round < rounds; round++) {
        memcpy(tempered->heard, tempered->knows, bytes);
        memset(tempered->spoken_to, false, processors * sizeof *tempered->spoken_to);
        for (uint32_t p = 0; p < processors; p++) {
            if (tempered->speaks[p]) {
                speak(tempered, p);
            }
        }
        memcpy(tempered->knows, tempered->heard, bytes);
        memcpy(tempered->speaks, tempered->spoken_to, processors * sizeof *tempered->speaks);
    }
}

// ---- transfers ----

// Lists the objects of every processor that can move.
static void list_objects(struct tempered *tempered)
{
    const struct core_object_set *set = tempered->set;
    uint32_t *first = tempered->first;
    memset(first, 0, ((size_t)tempered->processors + 2) * sizeof *first);
    for (uint32_t i = 0; i < set->count; i++) { // first[p + 2] counts, and first[p + 1] then becomes the next place
        first[tempered->now[i] + 2] += !set->object[i].fixed;
    }
    for (uint32_t p = 0; p < tempered->processors; p++) {
        first[p + 2] += first[p + 1];
    }
    for (uint32_t i = 0; i < set->count; i++) {
        if (!set->object[i].fixed) {
            tempered->own[first[tempered->now[i] + 1]++] = i;
        }
    }
}

// Puts a giver's objects in the order of the fewest migrations: first the lightest one that alone brings the giver
// below the mean, then the lighter ones, from the heaviest on; then the heavier ones, from the lightest on. Returns how
// many there are.
static uint32_t find_order(struct tempered *tempered, uint32_t giver)
{
    const struct core_object *object = tempered->set->object;
    const uint32_t *own = tempered->own + tempered->first[giver];
    uint32_t count = tempered->first[giver + 1] - tempered->first[giver];
    double above = (double)tempered->told[giver] - tempered->mean;
    uint32_t heavier = 0;
    while (heavier < count && (double)object[own[heavier]].weight > above) {
        heavier++;
    }
    uint64_t one = heavier > 0 ? object[own[heavier - 1]].weight : UINT64_MAX; // the weight of the first object
    while (heavier > 0 && object[own[heavier - 1]].weight == one) {
        heavier--;
    }
    for (uint32_t i = 0; i < count; i++) {
        tempered->order[i] = i < count - heavier ? own[heavier + i] : own[count - 1 - i];
    }
    return count;
}

static bool accepts(const struct tempered *tempered, uint64_t own, uint64_t peer, uint64_t weight)
{
    return tempered->rule->criterion == CORE_TEMPERED_GRAPEVINE ? (double)(peer + weight) <= tempered->mean
                                                                : peer < own && weight < own - peer;
}

// Returns whether the giver may draw a peer of which it knows the load, for an object of this weight.
static bool may_draw(const struct tempered *tempered, uint32_t q, uint64_t own, uint64_t weight)
{
    switch (tempered->rule->share) {
    case CORE_TEMPERED_ORIGINAL:
        return (double)tempered->view[q] < tempered->mean;
    case CORE_TEMPERED_ELIGIBLE:
        return accepts(tempered, own, tempered->view[q], weight);
    default:
        return has(tempered->low, q);
    }
}

// Lists the peers that the giver may draw. Returns how many there are.
static uint32_t find_peers(struct tempered *tempered, uint32_t giver, uint64_t own, uint64_t weight)
{
    const uint64_t *knows = set_of(tempered, tempered->knows, giver);
    uint32_t count = 0;
    for (uint32_t q = 0; q < tempered->processors; q++) {
        if (q != giver && has(knows, q) && may_draw(tempered, q, own, weight)) {
            tempered->peer[count++] = q;
        }
    }
    return count;
}

// Returns the norm of the shares.
static double norm_of(const struct tempered *tempered, uint32_t peers, uint64_t own)
{
    double norm = tempered->rule->share == CORE_TEMPERED_SELF ? (double)own : tempered->mean;
    bool largest = tempered->rule->share == CORE_TEMPERED_MAX || tempered->rule->share == CORE_TEMPERED_ELIGIBLE;
    for (uint32_t i = 0; i < peers && largest; i++) {
        double load = (double)tempered->view[tempered->peer[i]];
        norm = load > norm ? load : norm;
    }
    return norm;
}

// Draws a peer by the cumulative mass function of the shares; a single peer is taken. Returns `processors` if no peer
// has a share.
static uint32_t draw_peer(struct tempered *tempered, uint32_t giver, uint32_t peers, uint64_t own)
{
    double norm = norm_of(tempered, peers, own), sum = 0.0, unit = base_random_unit(&tempered->random[giver]);
    for (uint32_t i = 0; i < peers; i++) {
        double share = 1.0 - (double)tempered->view[tempered->peer[i]] / norm;
        sum += peers == 1 ? 1.0 : share;
        tempered->sum[i] = sum;
    }
    for (uint32_t i = 0; i < peers; i++) {
        if (tempered->sum[i] > unit * sum) {
            return tempered->peer[i];
        }
    }
    return tempered->processors;
}

// Lets a giver offer its objects, one after another, until it is not above the mean any more.
static void offer_objects(struct tempered *tempered, uint32_t giver)
{
    uint64_t own = tempered->told[giver];
    uint32_t count = find_order(tempered, giver);
    memcpy(tempered->view, tempered->told, tempered->processors * sizeof *tempered->view);
    memset(tempered->receives, false, tempered->processors * sizeof *tempered->receives);
    for (uint32_t k = 0; k < count && (double)own > tempered->mean; k++) {
        uint32_t i = tempered->order[k];
        uint64_t weight = tempered->set->object[i].weight;
        uint32_t peers = find_peers(tempered, giver, own, weight);
        uint32_t q = peers > 0 ? draw_peer(tempered, giver, peers, own) : tempered->processors;
        if (q == tempered->processors || !accepts(tempered, own, tempered->view[q], weight)) {
            continue;
        }
        tempered->now[i] = q;
        own -= weight;
        tempered->view[q] += weight;
        tempered->load[q] += weight;
        tempered->messages += !tempered->receives[q]; // one message to each receiver
        tempered->receives[q] = true;
    }
    tempered->load[giver] -= tempered->told[giver] - own;
}

// All givers act at once: none sees what another one gives.
static void transfer(struct tempered *tempered)
{
    list_objects(tempered);
    for (uint32_t p = 0; p < tempered->processors; p++) {
        if ((double)tempered->told[p] > tempered->mean) {
            offer_objects(tempered, p);
        }
    }
}

// ---- iterations and trials ----

// Keeps the placement if its largest load is below that of all before.
static void keep_best(struct tempered *tempered, uint32_t *place)
{
    uint64_t largest = 0;
    for (uint32_t p = 0; p < tempered->processors; p++) {
        largest = tempered->load[p] > largest ? tempered->load[p] : largest;
    }
    if (largest < tempered->lowest) {
        tempered->lowest = largest;
        memcpy(place, tempered->now, tempered->set->count * sizeof *place);
    }
}

// Lets a trial begin: all objects are where they were at first.
static void begin_trial(struct tempered *tempered)
{
    const struct core_object_set *set = tempered->set;
    memset(tempered->load, 0, tempered->processors * sizeof *tempered->load);
    for (uint32_t i = 0; i < set->count; i++) {
        tempered->now[i] = set->object[i].place;
        tempered->load[set->object[i].place] += set->object[i].weight;
    }
}

uint64_t core_tempered_place(const struct core_tempered *rule, const struct core_object_set *set, uint32_t processors,
                             uint64_t seed, uint64_t steps, void *memory, uint32_t *place)
{
    struct tempered tempered = {.rule = rule, .set = set, .processors = processors, .lowest = UINT64_MAX};
    lay_out(&tempered, memory);
    tempered.mean = (double)set->total / processors;
    for (uint32_t p = 0; p < processors; p++) {
        tempered.random[p] = base_random_start(seed, p, BASE_STREAM_PEERS);
    }
    begin_trial(&tempered);
    keep_best(&tempered, place); // the first placement
    for (uint64_t k = 0; k < (uint64_t)rule->trials * rule->iterations && steps > 0; k++) {
        if (k % rule->iterations == 0) {
            begin_trial(&tempered);
        }
        gossip(&tempered, steps < rule->rounds ? (uint32_t)steps : rule->rounds);
        if (steps <= rule->rounds) {
            break;
        }
        transfer(&tempered);
        keep_best(&tempered, place);
        steps -= rule->rounds + 1;
    }
    return tempered.messages;
}
