// SPDX-License-Identifier: MIT
// The tree that a walk uses in a dimension that is neither a path nor a ring: a breadth-first tree from coordinate 0 of
// the product's factor. A coordinate's parent is its highest neighbour among those nearer to 0. Positions are the
// preorder of the tree, children in ascending order, so that each subtree is an interval of positions. On hypercubes,
// meshes, complete graphs and stars the preorder is the order of the coordinates.
#ifndef CORE_METHODS_LINES_BRANCHES_H
#define CORE_METHODS_LINES_BRANCHES_H

#include "base/common.h"

struct ek_topology;

struct method_branches {
    uint32_t *position; // [side] by coordinate
    uint32_t *parent;   // [side] by position: the parent's position; UINT32_MAX at the root, position 0
    uint32_t *end;      // [side] by position j: its subtree consists of the positions j .. end-1
    uint32_t *height;   // [side] by position: links on the longest way down to a leaf
    uint32_t *depth;    // [side] by position: links on the way up to the root
};

// Finds the tree. Returns NULL if there is no memory.
struct method_branches *method_branches_create(const struct ek_topology *factor);
void method_branches_destroy(struct method_branches *branches);

#endif
