// SPDX-License-Identifier: MIT
#include "lab/statistics/effect_size.h"

#include <math.h>

double lab_superiority(const double *first, const double *second, size_t count)
{
    double smaller = 0.0;
    for (size_t i = 0; i < count; i++) {
        smaller += first[i] < second[i] ? 1.0 : first[i] == second[i] ? 0.5 : 0.0;
    }
    return count > 0 ? smaller / (double)count : NAN;
}

double lab_superiority_unpaired(struct lab_sample first, struct lab_sample second)
{
    double smaller = 0.0;
    size_t below = 0, not_above = 0; // values of `first` below, and not above, the current value of `second`
    for (size_t i = 0; i < second.count; i++) {
        while (below < first.count && first.values[below] < second.values[i]) {
            below++;
        }
        while (not_above < first.count && first.values[not_above] <= second.values[i]) {
            not_above++;
        }
        smaller += 0.5 * (double)(below + not_above);
    }
    return first.count > 0 && second.count > 0 ? smaller / ((double)first.count * (double)second.count) : NAN;
}
