// SPDX-License-Identifier: MIT
// Computes the closed forms of Xu, Monien, Lüling & Lau 1995 (the parameters of section 3, the factors of Table 1, the
// prediction of Eq. (25)) and the exact factors from spectra, with a sentence that explains a difference.
#include "core/theory/convergence.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "topologies/product.h"
#include "topologies/spectra/spectrum.h"

static const double PI = 3.14159265358979323846;

// The largest orders of matrices of dimension exchange: (1) a matrix whose factor takes about a second; (2) a matrix
// for which ODE searches the best lambda, some 40 factors in about two seconds; (3) a matrix for which the best lambda
// is shown, well within a tenth of a second.
enum { QUICK_MAX = 2500, SEARCH_MAX = 256, SHOWN_MAX = 64 };

// The properties of a product of paths or rings that the closed forms need.
struct shape {
    unsigned n;   // number of sides above 1
    uint32_t k;   // the largest side
    bool has_two; // a side is 2
    uint32_t odd; // the largest odd side of 3 or more that is a ring, or 0
};

static struct shape shape_of(const struct ek_topology *topology)
{
    struct shape shape = {.k = 1};
    for (uint32_t d = 0; topo_is_grid(topology) && d < topology->dimensions; d++) {
        uint32_t k = topology->side[d];
        shape.n += k > 1;
        shape.k = k > shape.k ? k : shape.k;
        shape.has_two = shape.has_two || k == 2;
        if (topology->wraps && k >= 3 && k % 2 == 1 && k > shape.odd) {
            shape.odd = k;
        }
    }
    return shape;
}

// Returns the angle of the slowest wave along the largest side.
static double slowest_angle(const struct ek_topology *topology, uint32_t k)
{
    return (topology->wraps ? 2.0 : 1.0) * PI / k;
}

static bool same(double a, double b)
{
    return fabs(a - b) <= 1e-12;
}

// Finds the best lambda in [low, high] by golden sections, to six decimals, so that rounding in LAPACK does not matter.
static bool golden_sections(const struct ek_topology *topology, double low, double high, double *lambda,
                            struct ek_error *error)
{
    const double golden = (sqrt(5.0) - 1.0) / 2.0;
    double at[2] = {high - golden * (high - low), low + golden * (high - low)};
    double gamma[2];
    if (!ek_exchange_factor(topology, at[0], &gamma[0], error) ||
        !ek_exchange_factor(topology, at[1], &gamma[1], error)) {
        return false;
    }
    while (high - low > 2e-7) {
        bool falls = gamma[0] > gamma[1];
        if (falls) {
            low = at[0];
        } else {
            high = at[1];
        }
        at[!falls] = at[falls];
        gamma[!falls] = gamma[falls];
        at[falls] = falls ? low + golden * (high - low) : high - golden * (high - low);
        if (!ek_exchange_factor(topology, at[falls], &gamma[falls], error)) {
            return false;
        }
    }
    *lambda = round((low + high) / 2.0 * 1e6) / 1e6;
    return true;
}

// Finds the best lambda in [low, 1). The factor falls to its minimum and rises after it, so a grid brackets the
// minimum.
static bool search_lambda(const struct ek_topology *topology, double low, double *lambda, struct ek_error *error)
{
    enum { GRID = 16 };
    const double width = (1.0 - low) / GRID;
    double least = INFINITY;
    int best = 0;
    for (int i = 0; i < GRID; i++) {
        double gamma;
        if (!ek_exchange_factor(topology, low + width * i, &gamma, error)) {
            return false;
        }
        best = gamma < least ? i : best;
        least = fmin(least, gamma);
    }
    return golden_sections(topology, low + width * (best > 0 ? best - 1 : 0), low + width * (best + 1), lambda, error);
}

// Returns the order of the largest matrix whose factor has no closed form: odd rings, and graphs that are no products.
static uint32_t dense_order(const struct ek_topology *topology)
{
    if (topo_is_grid(topology)) {
        return shape_of(topology).odd;
    }
    uint32_t most = topology->factor ? 0 : topology->processors;
    for (uint32_t d = 0; topology->factor && d < topology->dimensions; d++) {
        uint32_t order = dense_order(topology->factor[d]);
        most = order > most ? order : most;
    }
    return most;
}

// Finds the best lambda where the paper has no exact closed form: on odd tori, and on graphs that are no products.
static bool numeric_lambda(const struct ek_topology *topology, double low, uint32_t order_max, double *lambda,
                           struct ek_error *error)
{
    uint32_t order = dense_order(topology);
    if (order > order_max) {
        return base_fail(error, EK_BAD_INPUT, "method",
                         "without a closed form the best lambda is found for up to %d processors, and this topology "
                         "has %u: use gde with a lambda, as in gde:0.7",
                         (int)order_max, (unsigned)order);
    }
    return search_lambda(topology, low, lambda, error);
}

static double closed_lambda(const struct ek_topology *topology)
{
    uint32_t k = shape_of(topology).k;
    return k <= 2 ? 0.5 : 1.0 / (1.0 + sin(slowest_angle(topology, k)));
}

bool core_lambda_optimal(const struct ek_topology *topology, enum ek_units units, double *lambda,
                         struct ek_error *error)
{
    if (!topo_is_grid(topology)) {
        return numeric_lambda(topology, units == EK_TOKENS ? 0.5 : 0.0, SEARCH_MAX, lambda, error);
    }
    *lambda = closed_lambda(topology);
    assert(*lambda >= 0.5 && *lambda < 1.0);
    return true;
}

static double closed_alpha(const struct ek_topology *topology)
{
    struct shape shape = shape_of(topology);
    if (shape.k <= 2) {
        return 1.0 / (shape.n + 1.0);
    }
    double wrap = topology->wraps ? 1.0 - cos(slowest_angle(topology, shape.k)) : 0.0;
    return 1.0 / (2.0 * shape.n + wrap);
}

bool core_alpha_optimal(const struct ek_topology *topology, double *alpha, struct ek_error *error)
{
    if (topo_is_grid(topology) || topology->links == 0) {
        *alpha = closed_alpha(topology);
        return true;
    }
    struct ek_spectrum spectrum;
    bool done = ek_spectrum_find(topology, false, &spectrum, error);
    if (done) {
        *alpha = 2.0 / (spectrum.second + spectrum.largest);
    }
    ek_spectrum_destroy(&spectrum);
    return done;
}

double core_alpha_average(const struct ek_topology *topology)
{
    return 1.0 / (1.0 + topology->degree_max);
}

// Returns the factor that Table 1 prints for this parameter, or NaN if there is none. If all sides are 2 a mesh and a
// torus are the same; then lambda = 1/2 is the mesh's optimum, and for exchange the mesh's row holds.
static double closed_factor(const struct ek_topology *topology, enum ek_matrix matrix, double parameter)
{
    struct shape shape = shape_of(topology);
    if (shape.n == 0) {
        return NAN;
    }
    double n = shape.n;
    double angle = slowest_angle(topology, shape.k);
    if (matrix == EK_MATRIX_EXCHANGE) {
        angle = shape.k == 2 ? PI / 2.0 : angle;
        if (same(parameter, closed_lambda(topology))) {
            return (1.0 - sin(angle)) / (1.0 + sin(angle));
        }
        return same(parameter, 0.5) ? cos(angle) * cos(angle) : NAN;
    }
    if (same(parameter, closed_alpha(topology))) {
        return topology->wraps ? (2.0 * n - 1.0 + cos(angle)) / (2.0 * n + 1.0 - cos(angle))
                               : (n - 1.0 + cos(angle)) / n;
    }
    return same(parameter, core_alpha_average(topology)) ? (2.0 * n - 1.0 + 2.0 * cos(angle)) / (2.0 * n + 1.0) : NAN;
}

// Adds a sentence to the note if it fits.
static void note(struct core_factor *factor, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(struct core_factor *factor, const char *format, ...)
{
    size_t used = strlen(factor->note);
    size_t at = used > 0 && used + 1 < sizeof factor->note ? used + 1 : used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(factor->note + at, sizeof factor->note - at, format, arguments);
    va_end(arguments);
    if (length < 0 || at + (size_t)length >= sizeof factor->note) {
        factor->note[used] = '\0';
    } else if (at > used) {
        factor->note[used] = ' ';
    }
}

static const char *why_table_differs(const struct ek_topology *topology, enum ek_matrix matrix)
{
    struct shape shape = shape_of(topology);
    if (shape.k == 2) {
        return "the table does not hold if all sides are 2";
    }
    if (matrix == EK_MATRIX_EXCHANGE && shape.odd) {
        return "the table leaves out the third colour of an odd ring";
    }
    if (shape.has_two) {
        return "a side of 2 has one link for each processor, and the table counts two";
    }
    return "another eigenvalue has a larger modulus";
}

// Adds remarks for a user of ODE.
static void note_optimum(const struct ek_topology *topology, double lambda, struct core_factor *factor)
{
    double gamma;
    struct ek_error ignored;
    if (!same(factor->best, lambda) && ek_exchange_factor(topology, factor->best, &gamma, &ignored) &&
        factor->exact - gamma > 1e-6) {
        note(factor, "The paper's lambda is not optimal here: the best one is %.6g, with gamma %.6g.", factor->best,
             gamma);
    }
    if (factor->exact > 1e-6 && same(factor->exact, 2.0 * lambda - 1.0)) {
        note(factor, "At this lambda the matrix is defective: in the long run the variance falls as t^2*gamma^(2t), so "
                     "a run can take more operations than predicted.");
    }
}

static bool lambda_never_balances(double lambda, char *sentence, size_t size)
{
    if (lambda > 0.0 && lambda < 1.0) {
        return false;
    }
    snprintf(
        sentence, size,
        "with lambda = %.6g %s; use a lambda between 0 and 1, such as 1/2, which splits the loads of a pair evenly",
        lambda, lambda > 0.0 ? "each pair swaps its loads, so no difference shrinks" : "nothing moves");
    return true;
}

static void exchange_factor(const struct ek_topology *topology, double lambda, struct core_factor *factor)
{
    struct ek_error error;
    char sentence[sizeof factor->note];
    if (!ek_exchange_factor(topology, lambda, &factor->exact, &error)) {
        factor->exact = NAN;
        note(factor, "No exact factor: %s.", error.sentence);
    }
    if (topo_is_grid(topology) && !shape_of(topology).odd) {
        factor->best = closed_lambda(topology);
    } else if (!numeric_lambda(topology, 0.0, SHOWN_MAX, &factor->best, &error)) {
        factor->best = NAN;
    }
    if (topology->links > 0 && lambda_never_balances(lambda, sentence, sizeof sentence)) {
        note(factor, "%s.", sentence);
    }
    if (topo_is_grid(topology) && shape_of(topology).k > 2 && same(lambda, closed_lambda(topology))) {
        note_optimum(topology, lambda, factor);
    }
}

// Returns whether diffusion does not balance, with a sentence that says why: its eigenvalue 1 - alpha*lmax must be
// above -1.
static bool alpha_never_balances(double alpha, const struct ek_spectrum *spectrum, char *sentence, size_t size)
{
    double smallest = 1.0 - alpha * spectrum->largest;
    if (alpha > 0.0 && smallest > -1.0 + 1e-12) {
        return false;
    }
    const char *what = smallest < -1.0 - 1e-12 ? "differences along it grow from operation to operation"
                       : alpha > 0.0           ? "differences along it change sign for ever"
                                               : "nothing moves";
    snprintf(sentence, size,
             "diffusion with alpha = %.6g has the eigenvalue %.6g on this topology: %s; use an alpha above 0 and below "
             "2/lmax = %.6g, the best one is %.6g",
             alpha, smallest, what, 2.0 / spectrum->largest, 2.0 / (spectrum->second + spectrum->largest));
    return true;
}

static void diffusion_factor(const struct ek_topology *topology, double alpha, struct core_factor *factor)
{
    struct ek_error error;
    struct ek_spectrum spectrum;
    char sentence[sizeof factor->note];
    if (topology->links == 0) {
        factor->exact = 0.0;
        factor->best = alpha;
        return;
    }
    if (!ek_spectrum_find(topology, false, &spectrum, &error)) {
        note(factor, "No exact factor: %s.", error.sentence);
        return;
    }
    factor->exact = fmax(fabs(1.0 - alpha * spectrum.second), fabs(1.0 - alpha * spectrum.largest));
    factor->best = 2.0 / (spectrum.second + spectrum.largest);
    double gamma = (spectrum.largest - spectrum.second) / (spectrum.largest + spectrum.second);
    if (alpha_never_balances(alpha, &spectrum, sentence, sizeof sentence)) {
        note(factor, "%s.", sentence);
    }
    if (topo_is_grid(topology) && same(alpha, closed_alpha(topology)) && factor->exact - gamma > 1e-6) {
        note(factor, "The paper's alpha is not optimal here: the best one is %.6g, with gamma %.6g.", factor->best,
             gamma);
    }
    ek_spectrum_destroy(&spectrum);
}

void core_factor_find(const struct ek_topology *topology, enum ek_matrix matrix, double parameter, bool printed,
                      struct core_factor *factor)
{
    assert(matrix != EK_MATRIX_UNKNOWN);
    *factor = (struct core_factor){
        .exact = NAN, .closed = printed ? closed_factor(topology, matrix, parameter) : NAN, .best = NAN};
    if (matrix == EK_MATRIX_EXCHANGE) {
        exchange_factor(topology, parameter, factor);
    } else {
        diffusion_factor(topology, parameter, factor);
    }
    if (fabs(factor->closed - factor->exact) > 1e-6) {
        note(factor, "Table 1 gives %.6g, the exact gamma is %.6g: %s.", factor->closed, factor->exact,
             why_table_differs(topology, matrix));
    }
}

bool core_factor_quick(const struct ek_topology *topology, enum ek_matrix matrix)
{
    assert(matrix != EK_MATRIX_UNKNOWN);
    return matrix == EK_MATRIX_DIFFUSION ? topo_spectrum_quick(topology) : dense_order(topology) <= QUICK_MAX;
}

double core_factor_operations(double gamma, double from, double to)
{
    if (from <= to) {
        return 0.0;
    }
    if (!(gamma < 1.0) || !(to > 0.0) || !isfinite(from)) {
        return NAN;
    }
    assert(gamma >= 0.0);
    return gamma < 1e-12 ? 1.0 : ceil(log(to / from) / (2.0 * log(gamma)));
}

static bool diffusion_never_balances(const struct ek_topology *topology, double alpha, char *sentence, size_t size)
{
    struct ek_error ignored;
    struct ek_spectrum spectrum;
    if (!topo_spectrum_quick(topology) || !ek_spectrum_find(topology, false, &spectrum, &ignored)) {
        return false;
    }
    bool never = alpha_never_balances(alpha, &spectrum, sentence, size);
    ek_spectrum_destroy(&spectrum);
    return never;
}

double core_difference_kept(double parameter)
{
    double left = parameter > 0.0 ? fmax(1.0, ceil(1.0 / parameter) - 1.0) : INFINITY;
    while (left < 0x1p53 && left * parameter < 1.0 && (left + 1.0) * parameter < 1.0) { // 1/parameter was rounded
        left += 1.0;
    }
    return left;
}

// Returns whether tokens can freeze unbalanced: below 1/2 there are differences above 1 for which floor(parameter *
// difference) is 0.
static bool tokens_freeze(enum ek_matrix matrix, double parameter, char *sentence, size_t size)
{
    if (parameter >= 0.5 || parameter <= 0.0) {
        return false;
    }
    double frozen = core_difference_kept(parameter);
    if (matrix == EK_MATRIX_EXCHANGE) {
        snprintf(sentence, size,
                 "exchanges of floor(%.6g*d) tokens move nothing at differences d of up to %.0f over a link: use a "
                 "lambda of at least 1/2",
                 parameter, frozen);
    } else {
        snprintf(sentence, size,
                 "parcels of floor(%.6g*d) tokens move nothing at differences d of up to %.0f over a link: use real "
                 "units, or the stop criterion neighbours:%.0f",
                 parameter, frozen, frozen);
    }
    return true;
}

bool core_never_balances(const struct ek_topology *topology, enum ek_matrix matrix, double parameter, bool whole,
                         enum ek_units units, char *sentence, size_t size)
{
    if (topology->links == 0 || matrix == EK_MATRIX_UNKNOWN) {
        return false;
    }
    bool linear = units == EK_REAL || matrix == EK_MATRIX_EXCHANGE; // diffusion rounds each parcel of tokens
    bool applies =
        (whole && linear) || parameter <= 0.0; // with a parameter of 0 nothing moves, whatever the operations are
    bool never =
        applies && (matrix == EK_MATRIX_EXCHANGE ? lambda_never_balances(parameter, sentence, size)
                                                 : diffusion_never_balances(topology, parameter, sentence, size));
    return never || (units == EK_TOKENS && tokens_freeze(matrix, parameter, sentence, size));
}
