// SPDX-License-Identifier: MIT
#include "core/promises.h"

#include <math.h>

#include "base/error.h"

bool core_amount_good(double amount, enum ek_units units, double load)
{
    static const double LARGE = 1e150;
    if (!(fabs(load) < LARGE)) {
        return true;
    }
    return units == EK_TOKENS && amount > 0.0 ? isfinite(amount) && amount == floor(amount)
                                              : !isnan(amount) && amount < (double)INFINITY;
}

bool core_amount_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                        unsigned port, double amount)
{
    bool whole = isfinite(amount);
    return base_fail(violation, EK_VIOLATION, whole ? "tokens" : "bounds",
                     "%.40s returned %g for port %u of processor %u %s: an amount must be %s", method,
                     isnan(amount) ? (double)NAN : amount, port, processor, when,
                     whole ? "whole in tokens" : "a finite number");
}

bool core_mutual_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                        unsigned port, double amount, double other)
{
    return base_fail(violation, EK_VIOLATION, "mutual",
                     "%.40s is not mutual: %s it returned %.17g for port %u of processor %u, and %.17g at the other "
                     "end of the link",
                     method, when, amount, port, processor, other);
}

bool core_rule_refuse(struct ek_error *violation, const char *method, const char *when, uint32_t processor,
                      unsigned port, double amount, double flow)
{
    return base_fail(violation, EK_VIOLATION, "mutual",
                     "the program of %.40s is not its rule: %s it sent %.17g on port %u of processor %u, and the rule "
                     "gives %.17g",
                     method, when, amount, port, processor, flow);
}

bool core_bounds_check(struct ek_error *violation, const char *method, const char *when, enum ek_units units,
                       double load, double all)
{
    double rounding = units == EK_TOKENS ? 0.0 : 1e-9 * (1.0 + all);
    return load >= -rounding ||
           base_fail(violation, EK_VIOLATION, "bounds",
                     "%.40s sends more than a processor holds: %s a load was %g; a method that may do so sets "
                     "supports.overdraws",
                     method, when, load);
}
