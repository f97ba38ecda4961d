// SPDX-License-Identifier: MIT
// The link limit: the most that a link carries one way in a step, or in free timing in a message.
#include <math.h>

#include "core/links/link.h"

static bool read(struct base_cursor *cursor, enum ek_units units, double *value)
{
    return base_cursor_real(cursor, "the limit", 0.0, 0x1p53, value) && base_cursor_end(cursor) &&
           (units == EK_REAL || *value == floor(*value) ||
            base_cursor_fail(cursor, 0, "tokens move whole: choose a whole limit, or the units real"));
}

static void carry(double value, uint32_t port, unsigned count, double *amounts)
{
    (void)port;
    for (unsigned i = 0; i < count; i++) {
        amounts[i] = amounts[i] < value ? amounts[i] : value;
    }
}

const struct core_link_rule core_link_limit = {.read = read, .carry = carry};
