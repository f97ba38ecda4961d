// SPDX-License-Identifier: MIT
// Of every two operations that overlap, whatever else they overlap with, of which kind that is (Xu, Monien, Lüling &
// Lau 1995, Fig. 3): by the processors that are in the domains of both.
#ifndef CORE_DOMAINS_OVERLAP_PAIRS_H
#define CORE_DOMAINS_OVERLAP_PAIRS_H

#include "core/domains/overlaps.h"

// Adds how many there are of each kind, when the operations are joined; of operations that are missing nothing is
// counted. `room` is for as many numbers as there are parts and operations, and one more. Takes the time of the
// overlaps, each times the size of a domain.
void core_overlap_pairs_count(const struct core_overlaps *work, uint32_t *room, uint64_t count[CORE_EFFECTS]);

#endif
