// SPDX-License-Identifier: MIT
// What a method promises about the amounts that it computes. A machine checks the amounts of registered methods, and of
// all methods if the experiment sets `checks`. If a promise is broken, the error's `axis` is the name of the promise.
// The argument `when` is a phrase such as "in step 7".
#ifndef CORE_PROMISES_H
#define CORE_PROMISES_H

#include "core/method.h"

// Returns whether an amount that was computed from loads up to `load` is a finite number, and in tokens a whole one. A
// negative amount may be any number, because it is not sent. If loads are beyond 1e150 the method diverges, and every
// amount passes.
bool core_amount_good(double amount, enum ek_units units, double load);

// Fill `violation` and return false. The first function is for an amount that is not good, the second one for a link
// whose two ends compute different amounts, the third one for a program that sends another amount than its rule says.
bool core_amount_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                        unsigned port, double amount);
bool core_mutual_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                        unsigned port, double amount, double other);
bool core_rule_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                      unsigned port, double amount, double flow);

// Returns whether a processor that has `load` left sent at most what it held. Allows for rounding errors in sums of
// `all` load. Otherwise fills `violation`.
bool core_bounds_check(struct ek_error *violation, const char *method, const char *when, enum ek_units units,
                       double load, double all);

#endif
