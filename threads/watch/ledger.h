// SPDX-License-Identifier: MIT
// The ledger of all load. At every moment of every run, initial + generated = held + in flight + consumed.
#ifndef THREADS_WATCH_LEDGER_H
#define THREADS_WATCH_LEDGER_H

#include "core/measure.h"
#include "core/method.h"

struct watch_ledger {
    double initial, generated, consumed;
    double held, in_flight;
    double initial_size; // sum of |w_i| at the start
    double lowest;       // the lowest load of any processor so far, or 0
    double additions;    // number of successive roundings so far (core_measure_tolerance)
};

enum watch_verdict {
    WATCH_BALANCES,
    WATCH_MEANINGLESS, // the sums agree to rounding, but the rounding has grown so large that the numbers mean nothing
    WATCH_VIOLATED     // load was lost or created, and not by rounding
};

// The largest tolerated rounding error: a millionth of all load of the run.
#define WATCH_LEDGER_SHARE 1e-6

// Checks the ledger: exactly for tokens, to the rounding of all additions so far for real loads. If it is violated,
// `violation` gets a sentence with the difference. `when` is a part of that sentence, such as " by step 7".
enum watch_verdict watch_ledger_look(const struct watch_ledger *ledger, uint32_t processors, enum ek_units units,
                                     const char *when, struct ek_error *violation);

#endif
