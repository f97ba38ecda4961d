// SPDX-License-Identifier: MIT
// The variance over the steps, in free timing over time, as a figure: the mean of a record's runs with a band around
// it, and what theory says on the same axis.
#ifndef LAB_RECORD_CURVE_H
#define LAB_RECORD_CURVE_H

#include "lab/record/figure.h"
#include "lab/record/record.h"

// A record's curve added to a figure: the mean of all runs that have a trace, the band from the 5 % to the 95 %
// quantile where there are two or more, and theory's line where there is one for these runs. A run that has ended
// counts with its last value. `label` says what the curve is of, or NULL where the title does. False without memory.
bool lab_curve_add(struct lab_figure *figure, const struct lab_record *record, const char *label,
                   struct ek_error *error);

// The whole figure of one record, to be destroyed; all of it is filled in. False without memory.
bool lab_curve_figure(struct lab_figure *figure, const struct lab_record *record, struct ek_error *error);

// What a record is of, for a title: method, topology, load, ports, timing, and each setting that is not the default.
void lab_curve_title(const struct lab_record *record, char *title, size_t size);

#endif
