// SPDX-License-Identifier: MIT
// The ledger.
#include "threads/watch/ledger.h"

#include <math.h>

#include "base/cursor.h"

// Returns an upper bound of sum |w_i| at any time. No load was below the lowest one, so the positive loads were at most
// all load plus what compensated the negative ones.
static double largest_of(const struct watch_ledger *ledger, uint32_t processors)
{
    double below = processors * fmax(0.0, -ledger->lowest);
    return ledger->initial_size + ledger->generated + 2.0 * below;
}

enum watch_verdict watch_ledger_look(const struct watch_ledger *ledger, uint32_t processors, enum ek_units units,
                                     const char *when, struct ek_error *violation)
{
    double there = ledger->held + ledger->in_flight;
    double gap = fabs(ledger->initial + ledger->generated - ledger->consumed - there);
    double all = ledger->initial_size + ledger->generated + ledger->consumed;
    double largest = largest_of(ledger, processors);
    if (!isfinite(there) || !isfinite(largest)) {
        return WATCH_MEANINGLESS;
    }
    if (gap <= core_measure_tolerance(largest, ledger->additions, units == EK_TOKENS)) {
        return gap <= WATCH_LEDGER_SHARE * all ? WATCH_BALANCES : WATCH_MEANINGLESS;
    }
    base_fail(violation, EK_VIOLATION, "",
              "%.17g of load was lost or made%s: %.17g held and %.17g in flight, of %.17g at the start, %.17g "
              "generated and %.17g consumed",
              gap, when, ledger->held, ledger->in_flight, ledger->initial, ledger->generated, ledger->consumed);
    return WATCH_VIOLATED;
}
