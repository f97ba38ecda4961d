// SPDX-License-Identifier: MIT
// Finds the coefficients of the polynomial schemes: first order (FOS), second order (SOS), optimal (OPT, a step for
// each eigenvalue), orthogonal polynomials (OPS) and Chebyshev's. Formulas: Diekmann, Frommer & Monien 1999; Arndt 2003
// for the orders of Young and Leja; Golub & Varga 1961 for Chebyshev's scheme.
#include "core/theory/schemes.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parameter.h"
#include "topologies/topology.h"

// Finding the order, or the orthogonal polynomials, takes some count^2 operations.
enum { COUNT_MAX = 20000 };

static const double EQUAL = 1e-9; // scores whose relative difference is below this count as equal

static const char *known_scheme(size_t index)
{
    static const char *const names[] = {"fos", "sos", "opt", "ops"};
    return index < 4 ? names[index] : NULL;
}

static const char *known_order(size_t index)
{
    static const char *const names[] = {"weighted-leja", "leja", "ascending", "descending", "young"};
    return index < 5 ? names[index] : NULL;
}

static bool read_order(struct base_cursor *cursor, enum core_order *order)
{
    size_t index;
    if (!base_cursor_known(cursor, "order", known_order, &index)) {
        return false;
    }
    *order = (enum core_order)(index + CORE_ORDER_WEIGHTED_LEJA);
    return true;
}

bool core_order_parse(const char *text, int at, enum core_order *order, struct ek_error *error)
{
    *order = CORE_ORDER_BEST;
    if (!text) {
        return true;
    }
    struct base_cursor cursor = core_parameter_start(text, at, error);
    return read_order(&cursor, order) && base_cursor_end(&cursor);
}

// Reads the option of a method after its scheme.
static bool read_option(struct base_cursor *cursor, const char *(*known)(size_t index), bool *given)
{
    size_t index;
    *given = base_cursor_accept(cursor, ',');
    return !*given || base_cursor_known(cursor, "option", known, &index);
}

bool core_scheme_parse_with(const char *method, unsigned kinds, const char *(*known)(size_t index), const char *text,
                            int at, struct core_scheme *scheme, bool *given, struct ek_error *error)
{
    *scheme = (struct core_scheme){0};
    if (!text) {
        return base_fail_at(error, "method", (size_t)at, "%s needs a scheme in parentheses, as in %s(opt)", method,
                            method);
    }
    struct base_cursor cursor = core_parameter_start(text, at, error);
    size_t kind;
    if (!base_cursor_known(&cursor, "scheme", known_scheme, &kind)) {
        return false;
    }
    if (!(kinds & 1U << kind)) {
        const char *other = kinds & 1U << CORE_FOS ? "fos" : "ops";
        return base_fail_at(error, "method", (size_t)at, "%s does not work with %s: use %s(%s) or %s(opt)", method,
                            known_scheme(kind), method, other, method);
    }
    scheme->kind = (enum core_scheme_kind)kind;
    if (scheme->kind == CORE_OPT && base_cursor_accept(&cursor, ':') && !read_order(&cursor, &scheme->order)) {
        return false;
    }
    return (!known || read_option(&cursor, known, given)) && base_cursor_end(&cursor);
}

bool core_scheme_parse(const char *method, unsigned kinds, const char *text, int at, struct core_scheme *scheme,
                       struct ek_error *error)
{
    return core_scheme_parse_with(method, kinds, NULL, text, at, scheme, NULL, error);
}

bool core_scheme_finite(const struct core_scheme *scheme)
{
    return scheme->kind == CORE_OPT || scheme->kind == CORE_OPS;
}

const char *core_scheme_inexact(const struct core_scheme *scheme)
{
    return scheme->kind == CORE_OPT ? "the rounding errors of its steps have grown so far; another order of its steps, "
                                      "or the scheme ops, may do better"
                                    : "the rounding errors of its steps have grown so far; the method fos, which goes "
                                      "on until the loads are balanced, may do better";
}

// Leja's order takes the value whose product of distances to all values before it is the largest; with `weighted` the
// distance to 0 is a factor too. Scores are logarithms, since the products would overflow. Of equal scores the larger
// value is taken.
static void order_leja(const double *value, size_t count, bool weighted, double *score, double *ordered)
{
    for (size_t i = 0; i < count; i++) {
        score[i] = weighted ? log(value[i]) : 0.0;
    }
    for (size_t k = 0; k < count; k++) {
        size_t best = count - 1;
        for (size_t i = count - 1; i-- > 0;) {
            best = score[i] > score[best] + EQUAL ? i : best;
        }
        assert(isfinite(score[best]));
        ordered[k] = value[best];
        for (size_t i = 0; i < count; i++) {
            score[i] += log(fabs(value[i] - value[best])); // -infinity for the chosen one
        }
    }
}

// Young's order goes from the outside in (largest, smallest, second largest, ...). It is used backwards.
static void order_young(const double *value, size_t count, double *ordered)
{
    for (size_t i = 0; i < count; i++) {
        ordered[count - 1 - i] = i % 2 == 0 ? value[count - 1 - i / 2] : value[i / 2];
    }
}

static void order_values(enum core_order order, const double *value, size_t count, double *score, double *ordered)
{
    switch (order) {
    case CORE_ORDER_BEST:
    case CORE_ORDER_WEIGHTED_LEJA:
        order_leja(value, count, true, score, ordered);
        break;
    case CORE_ORDER_LEJA:
        order_leja(value, count, false, score, ordered);
        break;
    case CORE_ORDER_YOUNG:
        order_young(value, count, ordered);
        break;
    case CORE_ORDER_ASCENDING:
    case CORE_ORDER_DESCENDING:
        for (size_t i = 0; i < count; i++) {
            ordered[i] = value[order == CORE_ORDER_ASCENDING ? i : count - 1 - i];
        }
        break;
    }
}

// Returns 2/(l2+lmax), the best alpha of first order, or 0 if there are no links.
static double first_order(const struct ek_spectrum *spectrum)
{
    return spectrum->largest > 0.0 ? 2.0 / (spectrum->second + spectrum->largest) : 0.0;
}

static void make_fos(struct core_polynomial *polynomial, const struct ek_spectrum *spectrum)
{
    polynomial->at[0] = (struct core_coefficients){.gain = first_order(spectrum)};
}

// Makes the second-order scheme: w^k = beta M w^(k-1) + (1-beta) w^(k-2), written as flows. The first step is of first
// order.
static void make_sos(struct core_polynomial *polynomial, const struct ek_spectrum *spectrum)
{
    double ratio = spectrum->largest > 0.0 ? spectrum->second / spectrum->largest : 1.0;
    double gamma = (1.0 - ratio) / (1.0 + ratio);
    double beta = 2.0 / (1.0 + sqrt(1.0 - gamma * gamma));
    polynomial->at[0] = (struct core_coefficients){.gain = first_order(spectrum)};
    polynomial->at[1] = (struct core_coefficients){.gain = beta * first_order(spectrum), .memory = beta - 1.0};
}

// Returns by which factor a step of Chebyshev's scheme shrinks all within its bounds: g/(1 + sqrt(1-g^2)), g the factor
// of first order.
static double decay_of(double gamma)
{
    return gamma / (1.0 + sqrt(1.0 - gamma * gamma));
}

// Makes Chebyshev's semi-iterative scheme, whose error after k steps is T_k(m/g)/T_k(1/g), with m = 1 - alpha*l and T_k
// the Chebyshev polynomial. The first step is of first order.
static void make_chebyshev(struct core_polynomial *polynomial, const struct ek_spectrum *spectrum)
{
    double sum = spectrum->largest + spectrum->second;
    polynomial->at[0] = (struct core_coefficients){.gain = first_order(spectrum)};
    polynomial->chebyshev = true;
    polynomial->decay = decay_of(sum > 0.0 ? (spectrum->largest - spectrum->second) / sum : 0.0);
}

// Step k is omega*M*w^(k-1) + (1-omega)*w^(k-2), omega = 2/g * T_(k-1)(1/g)/T_k(1/g) (Golub & Varga 1961, Eq. (2.8)).
// With q the decay, g = 2q/(1+q^2) and T_k(1/g) = (q^-k + q^k)/2.
static struct core_coefficients chebyshev_step(const struct core_polynomial *polynomial, uint64_t k)
{
    double q = polynomial->decay;
    double power = pow(q, 2.0 * (double)k);
    double omega = (1.0 + q * q) * (1.0 + power) / (1.0 + q * q * power);
    return (struct core_coefficients){.gain = omega * polynomial->at[0].gain, .memory = omega - 1.0};
}

// T_k(m/g) grows as ((|m| + sqrt(m^2-g^2))/g)^k if |m| is above g, and not at all below. T_k(1/g) grows as q^-k.
double core_chebyshev_factor(double low, double high, double eigenvalue)
{
    static const double ROUNDED = 1e-12;
    double gamma = (high - low) / (high + low);
    double mode = fabs(1.0 - 2.0 / (high + low) * eigenvalue);
    if (mode <= gamma + ROUNDED) {
        return decay_of(gamma);
    }
    return (mode + sqrt(mode * mode - gamma * gamma)) / (1.0 + sqrt(1.0 - gamma * gamma));
}

// Work space for finding an order. `value` has the eigenvalues in ascending order; all arrays are [count].
struct orders {
    const double *value;
    size_t count;
    double *score, *ordered, *best, *grown;
};

// Adds to grown[k] the largest log |p(l)| over a sample of eigenvalues l, where p is the polynomial of the steps before
// step k. With `backwards` p is the polynomial of the steps after step k.
static void find_growth(const struct orders *orders, bool backwards, double *grown)
{
    enum { SAMPLE = 256 };
    double p[SAMPLE] = {0.0};
    size_t sample = orders->count < SAMPLE ? orders->count : SAMPLE;
    for (size_t k = 0; k < orders->count; k++) {
        size_t step = backwards ? orders->count - 1 - k : k;
        double most = -INFINITY;
        for (size_t i = 0; i < sample; i++) {
            double value = orders->value[sample > 1 ? i * (orders->count - 1) / (sample - 1) : 0];
            most = p[i] > most ? p[i] : most;
            p[i] += log(fabs(1.0 - value / orders->ordered[step])); // -infinity for the step's own eigenvalue
        }
        grown[step] += most;
    }
}

// Returns the share of the first distance that rounding may leave. Before step k the distance has grown at most by the
// polynomial of the steps before. Step k rounds by 2^-53 of that, and the error grows by the polynomial of the steps
// after it.
static double rounding_of(const struct orders *orders)
{
    double rounding = 0.0;
    memset(orders->grown, 0, orders->count * sizeof *orders->grown);
    find_growth(orders, false, orders->grown);
    find_growth(orders, true, orders->grown);
    for (size_t k = 0; k < orders->count; k++) {
        rounding += exp(orders->grown[k]) * 0x1p-53;
    }
    return rounding;
}

// Finds the order and leaves it in `ordered`. Returns its rounding. Every order takes count^2 operations.
static double choose_order(enum core_order order, const struct orders *orders)
{
    size_t size = orders->count * sizeof *orders->ordered;
    order_values(order, orders->value, orders->count, orders->score, orders->ordered);
    double least = rounding_of(orders);
    if (order != CORE_ORDER_BEST || least <= CORE_ROUNDING_MOST) {
        return least;
    }
    memcpy(orders->best, orders->ordered, size);
    for (enum core_order other = CORE_ORDER_LEJA; other <= CORE_ORDER_YOUNG; other++) {
        order_values(other, orders->value, orders->count, orders->score, orders->ordered);
        double rounding = rounding_of(orders);
        if (rounding < least) {
            least = rounding;
            memcpy(orders->best, orders->ordered, size);
        }
    }
    memcpy(orders->ordered, orders->best, size);
    return least;
}

// Makes the optimal scheme: w^k = (1 - L/l_k) w^(k-1). Each step removes one eigenvalue.
static void make_opt(struct core_polynomial *polynomial, enum core_order order, const struct ek_spectrum *spectrum,
                     double *work)
{
    size_t count = spectrum->count;
    struct orders orders = {spectrum->value, count, work, work + count, work + 2 * count, work + 3 * count};
    polynomial->rounding = choose_order(order, &orders);
    for (size_t k = 0; k < count; k++) {
        polynomial->at[k] = (struct core_coefficients){.gain = 1.0 / orders.ordered[k]};
    }
}

// The state of the recurrence of the orthogonal polynomials: p_(k-1) and p_(k-2) at every eigenvalue t = 1 - alpha*l of
// M.
struct recurrence {
    size_t count;
    double alpha;
    const double *value; // l
    double *now, *before;
    double norm, moment; // <p,p> and <t p,p> of p_(k-1)
    double norm_before;  // <p,p> of p_(k-2), 0 at first
    double g;            // g_(k-1)
};

// Computes the norm and the moment of p_(k-1). <p,q> is the sum of (1-t) p(t) q(t) over the eigenvalues t other than 1.
static void take_norm(struct recurrence *r)
{
    r->norm = r->moment = 0.0;
    for (size_t j = 0; j < r->count; j++) {
        double weight = r->alpha * r->value[j];
        double square = weight * r->now[j] * r->now[j];
        r->norm += square;
        r->moment += (1.0 - weight) * square;
    }
}

// Scales both polynomials. From here on only their ratio matters. Scaling by powers of two avoids underflow in long
// recurrences without changing a digit.
static void rescale(struct recurrence *r)
{
    int exponent;
    frexp(r->norm, &exponent);
    int shift = -exponent / 2;
    for (size_t j = 0; j < r->count; j++) {
        r->now[j] = ldexp(r->now[j], shift);
        r->before[j] = ldexp(r->before[j], shift);
    }
    r->norm = ldexp(r->norm, 2 * shift);
    r->moment = ldexp(r->moment, 2 * shift);
    r->norm_before = ldexp(r->norm_before, 2 * shift);
}

// p_k = ((a_k - t) p_(k-1) - b_k p_(k-2)) / g_k. With p = p_(k-1) and q = p_(k-2): a_k = <t p,p>/<p,p>,
// b_k = g_(k-1) <p,p>/<q,q> and g_k = a_k - 1 - b_k. As flows: y_k = (b_k y_(k-1) - alpha * difference) / g_k.
static struct core_coefficients next_polynomial(struct recurrence *r)
{
    take_norm(r);
    if (r->norm == 0.0) { // rounding ended the recurrence early: nothing is left to remove
        return (struct core_coefficients){0};
    }
    rescale(r);
    double a = r->moment / r->norm;
    double b = r->norm_before > 0.0 ? r->g * r->norm / r->norm_before : 0.0;
    r->g = a - 1.0 - b;
    for (size_t j = 0; j < r->count; j++) {
        double t = 1.0 - r->alpha * r->value[j];
        double next = ((a - t) * r->now[j] - b * r->before[j]) / r->g;
        r->before[j] = r->now[j];
        r->now[j] = next;
    }
    r->norm_before = r->norm;
    return (struct core_coefficients){.gain = -r->alpha / r->g, .memory = b / r->g};
}

static void make_ops(struct core_polynomial *polynomial, const struct ek_spectrum *spectrum, double *work)
{
    struct recurrence r = {.count = spectrum->count,
                           .alpha = first_order(spectrum),
                           .value = spectrum->value,
                           .now = work,
                           .before = work + spectrum->count};
    for (size_t j = 0; j < r.count; j++) {
        r.now[j] = 1.0;
        r.before[j] = 0.0;
    }
    for (size_t k = 0; k < spectrum->count; k++) {
        polynomial->at[k] = next_polynomial(&r);
    }
}

bool core_polynomial_create(struct core_polynomial *polynomial, const struct core_scheme *scheme,
                            const struct ek_spectrum *spectrum, struct ek_error *error)
{
    size_t count = core_scheme_finite(scheme) ? spectrum->count : scheme->kind == CORE_SOS ? 2 : 1;
    if (count > COUNT_MAX) {
        return base_fail_at(error, "method", 0,
                            "this topology has %zu distinct eigenvalues, and opt and ops take at most %d: use sos, or "
                            "a smaller topology",
                            count, COUNT_MAX);
    }
    double *work = malloc((4 * count + 1) * sizeof *work);
    *polynomial = (struct core_polynomial){.finite = core_scheme_finite(scheme), .count = count};
    polynomial->at = calloc(count + 1, sizeof *polynomial->at);
    if (!work || !polynomial->at) {
        free(work);
        core_polynomial_destroy(polynomial);
        return base_fail(error, EK_BAD_INPUT, "", "no memory for the coefficients of %zu steps", count);
    }
    switch (scheme->kind) {
    case CORE_FOS:
        make_fos(polynomial, spectrum);
        break;
    case CORE_SOS:
        make_sos(polynomial, spectrum);
        break;
    case CORE_OPT:
        make_opt(polynomial, scheme->order, spectrum, work);
        break;
    case CORE_OPS:
        make_ops(polynomial, spectrum, work);
        break;
    case CORE_CHEBYSHEV:
        make_chebyshev(polynomial, spectrum);
        break;
    }
    free(work);
    return true;
}

void core_polynomial_destroy(struct core_polynomial *polynomial)
{
    free(polynomial->at);
    *polynomial = (struct core_polynomial){0};
}

struct core_coefficients core_polynomial_step(const struct core_polynomial *polynomial, uint64_t k)
{
    if (polynomial->chebyshev && k > 0) {
        return chebyshev_step(polynomial, k);
    }
    if (k < polynomial->count) {
        return polynomial->at[k];
    }
    return polynomial->finite ? (struct core_coefficients){0} : polynomial->at[polynomial->count - 1];
}
