// SPDX-License-Identifier: MIT
#include "lab/record/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/text/clean_text.h"

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the picture: choose fewer runs or experiments");
}

static void destroy_series(struct lab_series *series)
{
    free(series->x); // x, y, low and high share one allocation
}

struct lab_series *lab_figure_add(struct lab_figure *figure, enum lab_series_kind kind, size_t count, bool band,
                                  struct ek_error *error)
{
    size_t columns = band ? 4 : 2;
    struct lab_series *grown = realloc(figure->series, (figure->count + 1) * sizeof *grown);
    figure->series = grown ? grown : figure->series;
    double *values = calloc(columns * count + 1, sizeof *values); // one more, so that the size is never 0
    if (!grown || !values) {
        free(values);
        no_memory(error);
        return NULL;
    }
    for (size_t i = 0; i < columns * count; i++) {
        values[i] = NAN;
    }
    struct lab_series *series = &figure->series[figure->count++];
    *series = (struct lab_series){.kind = kind, .count = count, .x = values, .y = values + count};
    if (band) {
        series->low = values + 2 * count;
        series->high = values + 3 * count;
    }
    return series;
}

void lab_figure_name_band(struct lab_figure *figure, const struct lab_confidence *confidence)
{
    char interval[64];
    lab_confidence_write(confidence, interval, sizeof interval);
    snprintf(figure->band, sizeof figure->band, "interval of the mean, %s", interval);
}

bool lab_figure_add_name(struct lab_figure *figure, const char *name, struct ek_error *error)
{
    char **grown = realloc(figure->name, (figure->names + 1) * sizeof *grown);
    figure->name = grown ? grown : figure->name;
    char *copy = lab_text_clean_copy(name);
    if (!grown || !copy) {
        free(copy);
        return no_memory(error);
    }
    figure->name[figure->names++] = copy;
    return true;
}

size_t lab_figure_note_seeds(struct lab_figure *figure, uint64_t first, uint64_t last)
{
    return (size_t)(first == last ? snprintf(figure->note, sizeof figure->note, "Seed %" PRIu64 ".", first)
                                  : snprintf(figure->note, sizeof figure->note, "Seeds %" PRIu64 " to %" PRIu64 ".",
                                             first, last));
}

static double largest_of(const struct lab_figure *figure, bool x)
{
    double largest = 0.0;
    for (size_t s = 0; s < figure->count; s++) {
        const struct lab_series *series = &figure->series[s];
        for (size_t i = 0; i < series->count; i++) {
            largest = fmax(largest, x ? series->x[i] : series->y[i]); // fmax ignores NaN
        }
    }
    return largest;
}

static void multiply(double *values, size_t count, double factor)
{
    for (size_t i = 0; values && i < count; i++) {
        values[i] *= factor;
    }
}

void lab_figure_fit_seconds(struct lab_figure *figure, bool x)
{
    static const struct {
        double from; // used for values from here on
        const char *name;
        double factor;
    } units[] = {{1.0, "seconds", 1.0}, {1e-3, "ms", 1e3}, {1e-6, "us", 1e6}, {0.0, "ns", 1e9}};
    const double largest = largest_of(figure, x);
    size_t u = 0;
    while (largest < units[u].from) {
        u++;
    }
    for (size_t s = 0; s < figure->count; s++) {
        struct lab_series *series = &figure->series[s];
        multiply(x ? series->x : series->y, series->count, units[u].factor);
        multiply(x ? NULL : series->low, series->count, units[u].factor);
        multiply(x ? NULL : series->high, series->count, units[u].factor);
    }
    struct lab_scale *scale = x ? &figure->x : &figure->y;
    const size_t used = strlen(scale->label);
    snprintf(scale->label + used, sizeof scale->label - used, " in %s", units[u].name);
}

void lab_figure_destroy(struct lab_figure *figure)
{
    for (size_t i = 0; i < figure->count; i++) {
        destroy_series(&figure->series[i]);
    }
    for (size_t i = 0; i < figure->names; i++) {
        free(figure->name[i]);
    }
    free(figure->series);
    free(figure->name);
    *figure = (struct lab_figure){0};
}
