// SPDX-License-Identifier: MIT
// A figure of the variance over the steps, or over time in free timing. It shows the mean of a record's runs with a
// band around it, and the theoretical curve on the same axis.
#ifndef LAB_RECORD_CURVE_H
#define LAB_RECORD_CURVE_H

#include "lab/record/figure.h"
#include "lab/record/record.h"

// Adds a record's curve to a figure: (1) the mean of all runs that have a trace; (2) a band from the 5 % to the 95 %
// quantile, if there are two such runs or more; (3) the theoretical curve, if theory covers these runs. A finished run
// counts with its last value. `label` names the curve, or is NULL if the title names it. Returns false if memory is
// short.
bool lab_curve_add(struct lab_figure *figure, const struct lab_record *record, const char *label,
                   struct ek_error *error);

// Makes the complete figure of one record. The caller destroys the figure. Returns false if memory is short.
bool lab_curve_figure(struct lab_figure *figure, const struct lab_record *record, struct ek_error *error);

// Writes a title for a record: method, topology, load, ports, timing, and each setting that differs from its default.
void lab_curve_title(const struct lab_record *record, char *title, size_t size);

#endif
