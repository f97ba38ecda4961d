// SPDX-License-Identifier: MIT
// TemperedLB (Lifflander et al. 2021): processors with less than the mean load spread that by gossip, and the others
// give objects to those that they have heard of. A number of iterations is tried, and the best placement kept.
//
// core_tempered_place plays all processors, one after another. Each one uses only what it has been told. The mean load
// is known to all, and so is the largest load after an iteration.
#ifndef CORE_OBJECTS_TEMPERED_H
#define CORE_OBJECTS_TEMPERED_H

#include "core/objects/object_set.h"

enum { CORE_TEMPERED_PROCESSORS_MOST = 8192 }; // gossip takes time and memory with the square of their number

// When a giver of load `own` gives an object to a peer of load `peer`.
enum core_tempered_criterion {
    CORE_TEMPERED_MODIFIED, // the object weighs less than own - peer
    CORE_TEMPERED_GRAPEVINE // the peer is not above the mean afterwards
};

// Which peers a giver draws from, each with a share that grows with 1 - load / norm.
enum core_tempered_share {
    CORE_TEMPERED_MAX,      // norm: the largest load of these peers, at least the mean
    CORE_TEMPERED_ORIGINAL, // norm: the mean; a peer that has reached it is left out
    CORE_TEMPERED_SELF,     // norm: the giver's own load
    CORE_TEMPERED_ELIGIBLE  // as max, of all known peers that meet the criterion for the object
};

struct core_tempered {
    enum core_tempered_criterion criterion;
    enum core_tempered_share share;
    uint32_t fanout;             // receivers of a message
    uint32_t rounds;             // of gossip in an iteration
    uint32_t iterations, trials; // iterations of a trial, which starts from the first placement
};

// Returns the bytes of memory for core_tempered_place.
size_t core_tempered_bytes(const struct core_object_set *set, uint32_t processors);

// Writes the best placement of the first `steps` steps: by index, the processor of each object. A step is a round of
// gossip or a transfer. `memory` is aligned for any type. Returns the number of messages.
uint64_t core_tempered_place(const struct core_tempered *tempered, const struct core_object_set *set,
                             uint32_t processors, uint64_t seed, uint64_t steps, void *memory, uint32_t *place);

#endif
