// SPDX-License-Identifier: MIT
// Classifies each pair of overlapping operations by the processors in both domains, regardless of other overlaps (Xu,
// Monien, Lüling & Lau 1995, Fig. 3).
#ifndef CORE_DOMAINS_OVERLAP_PAIRS_H
#define CORE_DOMAINS_OVERLAP_PAIRS_H

#include "core/domains/overlaps.h"

// Counts the pairs of each kind, after core_overlaps_join. Operations with a missing part are not counted. `room` has
// space for parts + operations + 1 numbers. Takes time in proportion to the number of overlaps times the size of a
// domain.
void core_overlap_pairs_count(const struct core_overlaps *work, uint32_t *room, uint64_t count[CORE_EFFECTS]);

#endif
