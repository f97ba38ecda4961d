// SPDX-License-Identifier: MIT
#include "cli/tables/csv.h"

#include <math.h>
#include <string.h>

void report_csv_text(FILE *out, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        fputs(*text == '"' ? "\"" : "", out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void report_csv_real(FILE *out, double value)
{
    if (isfinite(value)) {
        fprintf(out, "%.17g", value);
    }
}

void report_csv_reals(FILE *out, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fputc(',', out);
        report_csv_real(out, values[i]);
    }
}
