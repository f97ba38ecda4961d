// SPDX-License-Identifier: MIT
// What a method promises about the amounts that it computes. A machine checks the amounts of registered methods, and of
// all methods if the experiment sets `checks`. In the error of a broken promise `axis` is the promise's name. `when` is
// as in "in step 7".
#ifndef CORE_PROMISES_H
#define CORE_PROMISES_H

#include "core/method.h"

// Returns whether an amount that is computed from loads up to `load` is a finite number, and in tokens a whole one.
// Negative amounts are not sent: they may be any number. Loads beyond 1e150 come from a method that diverges, whose
// amounts are not judged.
bool core_amount_good(double amount, enum ek_units units, double load);

// Fills `violation`, and returns false: a processor's amount for a port is not good; or both ends of a link compute
// different amounts.
bool core_amount_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                        unsigned port, double amount);
bool core_mutual_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                        unsigned port, double amount, double other);

// Returns whether a processor that was left with `load` sent at most what it held, but for rounding errors in sums of
// `all` load. Otherwise fills `violation`.
bool core_bounds_check(struct ek_error *violation, const char *method, const char *when, enum ek_units units,
                       double load, double all);

#endif
