// SPDX-License-Identifier: MIT
// The ledger.
#include "threads/watch/ledger.h"

#include <math.h>

#include "core/measure.h"
#include "topologies/scan.h"

bool watch_ledger_balances(const struct watch_ledger *ledger, enum ek_units units, const char *when,
                           struct ek_error *violation)
{
    double there = ledger->held + ledger->in_flight;
    double gap = fabs(ledger->initial + ledger->generated - ledger->consumed - there);
    double handled = ledger->initial + ledger->generated + ledger->moved;
    if (gap <= core_measure_tolerance(handled, units == EK_TOKENS) || !isfinite(there)) {
        return true;
    }
    return topo_fail(violation, EK_VIOLATION, "", -1,
                     "%.17g of load was lost or made%s: %.17g held and %.17g in flight, of %.17g at the start, %.17g "
                     "generated and %.17g consumed",
                     gap, when, ledger->held, ledger->in_flight, ledger->initial, ledger->generated, ledger->consumed);
}
