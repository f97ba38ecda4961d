// SPDX-License-Identifier: MIT
// The theory of one or more methods on a topology, as `theory` shows it.
#ifndef CLI_REPORT_THEORY_REPORT_H
#define CLI_REPORT_THEORY_REPORT_H

#include <stdio.h>

#include "cli/line/shared_options.h"
#include "lab/record/record.h"

// The theory of one method.
struct report_theory_row {
    const char *method;
    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t facts_count;
};

// Eigenvalues of the topology's Laplacian, with the names of Zhao, Xiao & Parhami 2009, section 2. A value that is not
// known is NaN.
struct report_eigenvalues {
    double second, largest; // lambda_2 and lambda_m
    double rho;             // lambda_2 / lambda_m
    double beta;            // of the second order scheme
};

// Writes a table, with the facts of the method if there is only one.
void report_theory_table(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues,
                         const struct report_theory_row *rows, size_t count);

// Writes the same as a table to be pasted, with all else as notes. Returns false if memory is short.
bool report_theory_paste(FILE *out, enum cli_format format, const struct lab_topology *topology,
                         const struct report_eigenvalues *eigenvalues, const struct report_theory_row *rows,
                         size_t count);

// Writes a line for each method.
void report_theory_csv(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues,
                       const struct report_theory_row *rows, size_t count);

// Writes one object (docs/report.md).
void report_theory_json(FILE *out, const struct lab_topology *topology, const struct report_eigenvalues *eigenvalues,
                        const struct report_theory_row *rows, size_t count);

#endif
