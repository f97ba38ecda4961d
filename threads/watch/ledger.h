// SPDX-License-Identifier: MIT
// The ledger of all load: initial + generated = held + in flight + consumed, at every moment (DESIGN.md, section 4; the
// promise of every run, in whatever timing).
#ifndef THREADS_WATCH_LEDGER_H
#define THREADS_WATCH_LEDGER_H

#include "core/measure.h"
#include "core/method.h"

struct watch_ledger {
    double initial, generated, consumed;
    double held, in_flight;
    double initial_size; // sum of |w_i| at the start
    double lowest;       // that any load has been, or 0
    double additions;    // in a row, so far: core_measure_tolerance
};

enum watch_verdict {
    WATCH_BALANCES,
    WATCH_MEANINGLESS, // to rounding; but that has come to count: what the numbers say is no longer so
    WATCH_VIOLATED     // load was lost or made, and not by rounding
};

// How far what counts by rounding may go: a millionth of all load there ever was.
#define WATCH_LEDGER_SHARE 1e-6

// Whether it balances: exactly in tokens, in reals to the rounding of all additions so far. If it is violated,
// `violation` says by how much; `when` ends its first part, as " by step 7".
enum watch_verdict watch_ledger_look(const struct watch_ledger *ledger, uint32_t processors, enum ek_units units,
                                     const char *when, struct ek_error *violation);

#endif
