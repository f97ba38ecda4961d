// SPDX-License-Identifier: MIT
#include "lab/store/checksum.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

uint64_t lab_checksum_name(const struct lab_column *column)
{
    char name[128];
    int length = snprintf(name, sizeof name, "%s%s", column->group, column->name);
    return XXH64(name, (size_t)length, 0);
}

// SQLite stores -0.0 as 0.
static uint64_t bits_of(const struct lab_column *column)
{
    double real = column->real + 0.0;
    uint64_t bits = (uint64_t)column->whole;
    if (column->type == LAB_COLUMN_REAL) {
        memcpy(&bits, &real, sizeof bits);
    }
    return bits;
}

uint64_t lab_checksum_value(uint64_t name, const struct lab_column *column)
{
    if (column->null || column->type == LAB_COLUMN_CHECKSUM) {
        return 0;
    }
    if (column->type == LAB_COLUMN_TEXT) {
        return XXH64(column->text, strlen(column->text), name);
    }
    uint8_t bytes[8];
    uint64_t bits = bits_of(column);
    for (unsigned i = 0; i < sizeof bytes; i++) { // in the same order on every computer
        bytes[i] = (uint8_t)(bits >> 8 * i);
    }
    return XXH64(bytes, sizeof bytes, name);
}
