// SPDX-License-Identifier: MIT
// Partners are found in two parts, as in src/ck-ldb/DiffusionNeighbors.C of Charm++. First a tree joins all processors:
// it grows from processor 0, each time by the link of most bytes between a processor in the tree that has a free place
// for a partner and one outside. Then processors ask those with which they exchange most bytes, in rounds.
#include "core/objects/partners.h"
#include "topologies/topology.h"

#include <stdlib.h>

enum { ROUNDS = 20 };

// Two processors whose objects communicate. end[0] < end[1]; a side is an index of `end`.
struct contact {
    uint32_t end[2];
    double bytes;
    size_t number;            // of a pair of objects
    bool linked;              // they are partners
    bool asked[2], agreed[2]; // by side, in this round
};

struct search {
    uint32_t processors, most;
    struct contact *contact; // most bytes first
    size_t contacts;
    size_t *first; // [processors + 1] row[first[p] .. first[p + 1] - 1] are the contacts of processor p, in this order
    size_t *row;
    size_t *next;       // by processor: the place in its row from where it goes on
    uint32_t *partners; // by processor: how many it has
    uint32_t *taken;    // by processor: free places that it has promised or filled in this round
    uint32_t *joined;   // the processors in the tree, in the order in which they joined
    bool *inside;       // by processor: it is in the tree
    struct ek_link *link;
    size_t links;
};

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_ends(const void *a, const void *b)
{
    const struct contact *left = a, *right = b;
    int low = compare(left->end[0], right->end[0]), high = compare(left->end[1], right->end[1]);
    return low ? low : high ? high : compare(left->number, right->number);
}

static int by_bytes(const void *a, const void *b)
{
    const struct contact *left = a, *right = b;
    return left->bytes != right->bytes ? (left->bytes < right->bytes) - (left->bytes > right->bytes) : by_ends(a, b);
}

// Adds up the bytes that each two processors exchange.
static void find_contacts(struct search *search, const struct core_object_set *set)
{
    struct contact *contact = search->contact;
    size_t crossing = 0, count = 0;
    for (size_t k = 0; k < set->pairs; k++) {
        const struct core_object_pair *pair = &set->pair[k];
        uint32_t a = set->object[pair->a].place, b = set->object[pair->b].place;
        if (a != b && pair->bytes > 0.0) {
            contact[crossing++] =
                (struct contact){.end = {a < b ? a : b, a < b ? b : a}, .bytes = pair->bytes, .number = k};
        }
    }
    qsort(contact, crossing, sizeof *contact, by_ends);
    for (size_t k = 0; k < crossing; k++) {
        struct contact *last = count > 0 ? &contact[count - 1] : NULL;
        if (last && last->end[0] == contact[k].end[0] && last->end[1] == contact[k].end[1]) {
            last->bytes += contact[k].bytes;
        } else {
            contact[count++] = contact[k];
        }
    }
    qsort(contact, count, sizeof *contact, by_bytes);
    search->contacts = count;
}

// Lists the contacts of every processor.
static void fill_rows(struct search *search)
{
    for (size_t k = 0; k < search->contacts; k++) {
        search->first[search->contact[k].end[0] + 1]++;
        search->first[search->contact[k].end[1] + 1]++;
    }
    for (uint32_t p = 0; p < search->processors; p++) {
        search->first[p + 1] += search->first[p];
        search->next[p] = search->first[p];
    }
    for (size_t k = 0; k < search->contacts; k++) {
        search->row[search->next[search->contact[k].end[0]]++] = k;
        search->row[search->next[search->contact[k].end[1]]++] = k;
    }
}

// Lets every processor begin with its first contact.
static void rewind_rows(struct search *search)
{
    for (uint32_t p = 0; p < search->processors; p++) {
        search->next[p] = search->first[p];
    }
}

static unsigned side_of(const struct contact *contact, uint32_t p)
{
    return contact->end[1] == p;
}

static uint32_t free_places(const struct search *search, uint32_t p)
{
    return search->most - search->partners[p];
}

static void add_link(struct search *search, uint32_t a, uint32_t b)
{
    search->link[search->links++] = (struct ek_link){a, b};
    search->partners[a]++;
    search->partners[b]++;
}

// ---- the tree ----

// Returns the contact of most bytes that a processor has outside the tree, NULL if there is none.
static struct contact *offer_of(struct search *search, uint32_t p)
{
    for (; search->next[p] < search->first[p + 1]; search->next[p]++) {
        struct contact *contact = &search->contact[search->row[search->next[p]]];
        if (!search->inside[contact->end[!side_of(contact, p)]]) {
            return contact;
        }
    }
    return NULL;
}

// Returns the best offer of `count` processors in the tree: of equal ones that of the processor that joined first.
static struct contact *best_offer(struct search *search, uint32_t count)
{
    struct contact *best = NULL;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = search->joined[i];
        struct contact *offer = free_places(search, p) > 0 ? offer_of(search, p) : NULL;
        best = offer && (!best || offer->bytes > best->bytes) ? offer : best;
    }
    return best;
}

// Joins a processor that no offer reaches: the lowest one outside, to the first in the tree with a free place.
static uint32_t join_silent(struct search *search)
{
    uint32_t outside = 0, i = 0;
    while (search->inside[outside]) {
        outside++;
    }
    while (free_places(search, search->joined[i]) == 0) {
        i++;
    }
    add_link(search, search->joined[i], outside);
    return outside;
}

static void grow_tree(struct search *search)
{
    search->inside[0] = true;
    search->joined[0] = 0;
    for (uint32_t count = 1; count < search->processors; count++) {
        struct contact *best = best_offer(search, count);
        uint32_t new;
        if (best) {
            best->linked = true;
            add_link(search, best->end[0], best->end[1]);
            new = best->end[search->inside[best->end[0]]];
        } else {
            new = join_silent(search);
        }
        search->inside[new] = true;
        search->joined[count] = new;
    }
}

// ---- rounds ----

// Asks the next contacts, as many as half of the free places. Returns how many.
static uint32_t ask(struct search *search, uint32_t p)
{
    uint32_t wanted = (free_places(search, p) + 1) / 2, asked = 0;
    for (; asked < wanted && search->next[p] < search->first[p + 1]; search->next[p]++) {
        struct contact *contact = &search->contact[search->row[search->next[p]]];
        contact->asked[side_of(contact, p)] = !contact->linked;
        asked += !contact->linked;
    }
    return asked;
}

// Answers all that ask, those of most bytes first: a processor agrees while it has a free place, which it holds.
static void answer(struct search *search, uint32_t p)
{
    search->taken[p] = 0;
    for (size_t i = search->first[p]; i < search->first[p + 1]; i++) {
        struct contact *contact = &search->contact[search->row[i]];
        unsigned side = side_of(contact, p);
        bool agrees = contact->asked[!side] && search->taken[p] < free_places(search, p);
        contact->agreed[side] = agrees;
        search->taken[p] += agrees;
    }
}

// Takes those that have agreed as partners, those of most bytes first. A place is free, or held for the same processor.
static void take(struct search *search, uint32_t p)
{
    for (size_t i = search->first[p]; i < search->first[p + 1]; i++) {
        struct contact *contact = &search->contact[search->row[i]];
        unsigned side = side_of(contact, p);
        bool held = contact->agreed[side], free = search->taken[p] < free_places(search, p);
        if (contact->asked[side] && contact->agreed[!side] && (held || free)) {
            contact->linked = true;
            search->taken[p] += !held;
        }
    }
}

// Adds the links of this round, and forgets who asked and agreed.
static void end_round(struct search *search)
{
    for (size_t k = 0; k < search->contacts; k++) {
        struct contact *contact = &search->contact[k];
        bool asked = contact->asked[0] || contact->asked[1];
        if (asked && contact->linked) {
            add_link(search, contact->end[0], contact->end[1]);
        }
        contact->asked[0] = contact->asked[1] = contact->agreed[0] = contact->agreed[1] = false;
    }
}

static void ask_in_rounds(struct search *search)
{
    static void (*const part[])(struct search *, uint32_t) = {answer, take};
    uint64_t asked = 1;
    rewind_rows(search);
    for (unsigned round = 0; round < ROUNDS && asked > 0; round++) {
        asked = 0;
        for (uint32_t p = 0; p < search->processors; p++) {
            asked += ask(search, p);
        }
        for (unsigned i = 0; i < sizeof part / sizeof *part; i++) {
            for (uint32_t p = 0; p < search->processors; p++) {
                part[i](search, p);
            }
        }
        end_round(search);
    }
}

static bool take_memory(struct search *search, size_t pairs)
{
    uint32_t n = search->processors;
    search->contact = calloc(pairs + 1, sizeof *search->contact);
    search->first = calloc((size_t)n + 1, sizeof *search->first);
    search->row = calloc(2 * pairs + 1, sizeof *search->row);
    search->next = calloc(n, sizeof *search->next);
    search->partners = calloc(n, sizeof *search->partners);
    search->taken = calloc(n, sizeof *search->taken);
    search->joined = calloc(n, sizeof *search->joined);
    search->inside = calloc(n, sizeof *search->inside);
    search->link = calloc(n + pairs, sizeof *search->link);
    return search->contact && search->first && search->row && search->next && search->partners && search->taken &&
           search->joined && search->inside && search->link;
}

static void give_back_memory(struct search *search)
{
    free(search->contact);
    free(search->first);
    free(search->row);
    free(search->next);
    free(search->partners);
    free(search->taken);
    free(search->joined);
    free(search->inside);
}

struct ek_link *core_partners_find(const struct core_object_set *set, uint32_t processors, uint32_t most, size_t *links)
{
    struct search search = {.processors = processors, .most = most};
    if (take_memory(&search, set->pairs)) {
        find_contacts(&search, set);
        fill_rows(&search);
        rewind_rows(&search);
        grow_tree(&search);
        ask_in_rounds(&search);
    } else {
        free(search.link);
        search.link = NULL;
    }
    give_back_memory(&search);
    *links = search.links;
    return search.link;
}
