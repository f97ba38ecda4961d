// SPDX-License-Identifier: MIT
// Eigenvalues of dense matrices from LAPACK, and of operators from ARPACK's implicitly restarted Lanczos and Arnoldi
// iterations (Lehoucq, Sorensen & Yang 1998). Iterations are bounded in number and in work.
#include "topologies/spectra/eigensolvers.h"
#include "topologies/topology.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include <arpack.h>
#include <lapacke.h>

enum {
    BASIS = 32,                 // vectors in the Krylov space
    ORDER_MAX = 4 * 1000 * 1000 // keeps the basis within a gigabyte
};

static const double WORK_MAX = 2e10; // multiplications and additions for one eigenvalue, some five seconds

// Defined only if the BLAS is OpenBLAS. With more threads sums would be added in another order.
void openblas_set_num_threads(int threads) __attribute__((weak));

static void use_one_thread(void)
{
    if (openblas_set_num_threads != NULL) {
        openblas_set_num_threads(1);
    }
}

static enum topo_linear lapack_result(lapack_int info)
{
    assert(info >= 0 || info == LAPACK_WORK_MEMORY_ERROR);
    if (info < 0) {
        return TOPO_LINEAR_NO_MEMORY;
    }
    return info == 0 ? TOPO_LINEAR_DONE : TOPO_LINEAR_UNFINISHED;
}

enum topo_linear topo_linear_symmetric(double *matrix, uint32_t order, double *value)
{
    use_one_thread();
    lapack_int n = (lapack_int)order;
    return lapack_result(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'U', n, matrix, n, value));
}

enum topo_linear topo_linear_general(double *matrix, uint32_t order, double *real, double *imaginary)
{
    use_one_thread();
    lapack_int n = (lapack_int)order;
    return lapack_result(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, matrix, n, real, imaginary, NULL, 1, NULL, 1));
}

enum topo_linear topo_linear_modulus(double *matrix, uint32_t order, double *modulus)
{
    double *real = malloc(2 * (size_t)order * sizeof *real);
    if (!real) {
        return TOPO_LINEAR_NO_MEMORY;
    }
    double *imaginary = real + order;
    enum topo_linear result = topo_linear_general(matrix, order, real, imaginary);
    *modulus = 0.0;
    for (uint32_t i = 0; i < order && result == TOPO_LINEAR_DONE; i++) {
        *modulus = fmax(*modulus, hypot(real[i], imaginary[i]));
    }
    free(real);
    return result;
}

// The state of ARPACK, with the names of its manual.
struct arnoldi {
    a_int n;
    a_int lworkl;
    a_int iparam[11];
    a_int ipntr[14];
    double *resid; // [n] the start vector, then the residual
    double *v;     // [BASIS * n]
    double *workd; // [3 * n]
    double *workl; // [lworkl]
    double steps;  // products with the operator that are still allowed
};

// Returns an entry of the start vector: the mixing function of splitmix64 (Steele, Lea & Flood 2014) of its index. The
// vector has no symmetry: from a symmetric start, eigenvectors without that symmetry would never be found.
static double start_entry(uint64_t i)
{
    uint64_t z = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (double)(z >> 11) * 0x1p-53 - 0.5;
}

static enum topo_linear arnoldi_start(struct arnoldi *work, const struct topo_operator *a)
{
    const struct ek_topology *topology = a->topology;
    assert(topology->processors >= TOPO_LINEAR_ORDER_MIN);
    if (topology->processors > ORDER_MAX) {
        return TOPO_LINEAR_UNFINISHED;
    }
    size_t n = topology->processors;
    double each = (double)topology->ports + 4.0 * BASIS * (double)n;
    double work_max = a->work_max > 0.0 ? a->work_max : WORK_MAX;
    *work = (struct arnoldi){.n = (a_int)n, .lworkl = 3 * BASIS * BASIS + 8 * BASIS, .steps = work_max / each};
    work->iparam[0] = 1; // ARPACK's own shifts
    work->iparam[2] = (a_int)work->steps;
    work->iparam[6] = 1; // the operator itself, not its inverse
    work->resid = malloc((n * (1 + BASIS + 3) + (size_t)work->lworkl) * sizeof *work->resid);
    if (!work->resid) {
        return TOPO_LINEAR_NO_MEMORY;
    }
    work->v = work->resid + n;
    work->workd = work->v + n * BASIS;
    work->workl = work->workd + 3 * n;
    for (size_t i = 0; i < n; i++) {
        work->resid[i] = start_entry(i);
    }
    use_one_thread();
    return TOPO_LINEAR_DONE;
}

// Computes the product that ARPACK requests. Returns false if it requests none or no more are allowed.
static bool arnoldi_step(struct arnoldi *work, const struct topo_operator *a, a_int ido)
{
    if ((ido != -1 && ido != 1) || work->steps < 1.0) {
        return false;
    }
    a->apply(a, work->workd + work->ipntr[0] - 1, work->workd + work->ipntr[1] - 1);
    work->steps -= 1.0;
    return true;
}

__attribute__((weak)) void topo_linear_enter(void)
{
}

__attribute__((weak)) void topo_linear_leave(void)
{
}

// Returns whether ARPACK has finished and found all that was requested.
static bool arnoldi_found(a_int ido, a_int info)
{
    return ido == 99 && info == 0;
}

// Returns the eigenvalues that were found: the array at this entry of IPNTR. dseupd_c and dneupd_c return the same
// numbers, but crash if memory is short.
static const double *ritz_values(const struct arnoldi *work, int entry)
{
    return work->workl + work->ipntr[entry] - 1;
}

// Finds one end of the spectrum. To find both ends at once, ARPACK would take several times as many steps. A residual
// of r gives an eigenvalue of a symmetric matrix an error of r^2 divided by its distance to the next one.
static enum topo_linear one_end(const struct topo_operator *a, const char *which, double *value)
{
    const double tolerance = 1e-7;
    struct arnoldi work;
    enum topo_linear result = arnoldi_start(&work, a);
    if (result != TOPO_LINEAR_DONE) {
        return result;
    }
    a_int ido = 0;
    a_int info = 1; // resid holds the start vector
    topo_linear_enter();
    do {
        dsaupd_c(&ido, "I", work.n, which, 1, tolerance, work.resid, BASIS, work.v, work.n, work.iparam, work.ipntr,
                 work.workd, work.workl, work.lworkl, &info);
    } while (arnoldi_step(&work, a, ido));
    topo_linear_leave();
    bool found = arnoldi_found(ido, info);
    *value = found ? *ritz_values(&work, 5) : *value;
    free(work.resid);
    return found ? TOPO_LINEAR_DONE : TOPO_LINEAR_UNFINISHED;
}

enum topo_linear topo_linear_extremes(const struct topo_operator *a, double *smallest, double *largest)
{
    enum topo_linear result = one_end(a, "SA", smallest);
    return result == TOPO_LINEAR_DONE ? one_end(a, "LA", largest) : result;
}

enum topo_linear topo_linear_modulus_iterated(const struct topo_operator *a, double *modulus)
{
    enum { WANTED = 6 }; // more than a conjugate pair: eigenvalues of nearly the same modulus would slow it down
    const double tolerance = 1e-8;
    struct arnoldi work;
    enum topo_linear result = arnoldi_start(&work, a);
    if (result != TOPO_LINEAR_DONE) {
        return result;
    }
    a_int ido = 0;
    a_int info = 1;
    topo_linear_enter();
    do {
        dnaupd_c(&ido, "I", work.n, "LM", WANTED, tolerance, work.resid, BASIS, work.v, work.n, work.iparam, work.ipntr,
                 work.workd, work.workl, work.lworkl, &info);
    } while (arnoldi_step(&work, a, ido));
    topo_linear_leave();
    bool found = arnoldi_found(ido, info);
    *modulus = found ? 0.0 : *modulus;
    for (a_int i = 0; found && i < work.iparam[4]; i++) {
        *modulus = fmax(*modulus, hypot(ritz_values(&work, 5)[i], ritz_values(&work, 6)[i]));
    }
    free(work.resid);
    return found ? TOPO_LINEAR_DONE : TOPO_LINEAR_UNFINISHED;
}
