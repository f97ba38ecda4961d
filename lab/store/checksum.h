// SPDX-License-Identifier: MIT
// The checksum of a row of the table `runs`: the XOR of one hash for each column that has a value. So a checksum stays
// valid if columns are added, or if another store has them in another order. The id is left out, because each store
// numbers its own runs.
#ifndef LAB_STORE_CHECKSUM_H
#define LAB_STORE_CHECKSUM_H

#include "lab/store/columns.h"

// Returns the hash of a column's name, which does not depend on how it is divided into group and name.
uint64_t lab_checksum_name(const struct lab_column *column);

// Returns what a column contributes to its row's checksum. `name` is the hash of its name.
uint64_t lab_checksum_value(uint64_t name, const struct lab_column *column);

#endif
