// SPDX-License-Identifier: MIT
// The ledger of all load: initial + generated = held + in flight + consumed, at every moment (DESIGN.md, section 4; the
// promise of every run, in whatever timing).
#ifndef WATCH_LEDGER_H
#define WATCH_LEDGER_H

#include "core/method.h"

struct watch_ledger {
    double initial, generated, consumed;
    double held, in_flight;
    double moved; // over links so far: what rounding may have touched
};

// Whether it balances: exactly in tokens, in reals to the rounding of all that was handled so far. If not, `violation`
// says by how much; `when` ends its first part, as "by step 7".
bool watch_ledger_balances(const struct watch_ledger *ledger, enum ek_units units, const char *when,
                           struct ek_error *violation);

#endif
