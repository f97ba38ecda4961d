// SPDX-License-Identifier: MIT
// Measures a real imbalance: the Mandelbrot picture, 512x512 points in 16x16 tiles, handed to the machine's cores in
// equal vertical strips of tiles. Standard output gets the cost of each tile in thousands of iterations, a load file
// for a 16x16 machine; standard error gets how long each core was busy. Usage: mandelbrot [THREADS]
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 16, TILE = 32, POINTS = SIDE * TILE, ITERATIONS_MAX = 1000 };

// The part of the plane that is drawn.
static const double LEFT = -2.1, BOTTOM = -1.1, WIDTH = 2.5;

struct strip {
    pthread_t thread;
    unsigned begin, end; // its columns of tiles
    uint64_t *cost;      // by tile of the whole picture: iterations
    uint64_t iterations;
    double busy_s;
};

// How often z := z^2 + c can be repeated before |z| exceeds 2.
static unsigned iterations(double c_re, double c_im)
{
    double re = 0.0, im = 0.0;
    unsigned count = 0;
    while (count < ITERATIONS_MAX && re * re + im * im <= 4.0) {
        double next = re * re - im * im + c_re;
        im = 2.0 * re * im + c_im;
        re = next;
        count++;
    }
    return count;
}

static uint64_t tile_cost(unsigned column, unsigned row)
{
    uint64_t cost = 0;
    for (unsigned y = row * TILE; y < (row + 1) * TILE; y++) {
        for (unsigned x = column * TILE; x < (column + 1) * TILE; x++) {
            cost += iterations(LEFT + WIDTH * (x + 0.5) / POINTS, BOTTOM + WIDTH * (y + 0.5) / POINTS);
        }
    }
    return cost;
}

static void *work(void *argument)
{
    struct strip *strip = argument;
    for (unsigned row = 0; row < SIDE; row++) {
        for (unsigned column = strip->begin; column < strip->end; column++) {
            uint64_t cost = tile_cost(column, row);
            strip->cost[row * SIDE + column] = cost;
            strip->iterations += cost;
        }
    }
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    strip->busy_s = (double)spent.tv_sec + 1e-9 * (double)spent.tv_nsec;
    return NULL;
}

static void report(const struct strip *strips, unsigned threads)
{
    double sum_s = 0.0, longest_s = 0.0;
    for (unsigned t = 0; t < threads; t++) {
        fprintf(stderr, "thread %2u  tile columns %2u to %2u  %8.2f million iterations  busy %7.1f ms\n", t,
                strips[t].begin, strips[t].end - 1, (double)strips[t].iterations / 1e6, strips[t].busy_s * 1e3);
        sum_s += strips[t].busy_s;
        longest_s = strips[t].busy_s > longest_s ? strips[t].busy_s : longest_s;
    }
    fprintf(stderr, "the busiest thread worked %.2f times the average\n", longest_s * threads / sum_s);
}

static int print_loads(const uint64_t *cost)
{
    printf("# The cost of each tile of a Mandelbrot picture, in thousands of iterations, rounded up: 16x16\n"
           "# tiles of 32x32 points, at most %d iterations a point, real part from %g, imaginary part from %g, both "
           "over %g.\n"
           "# A tile a line, rows from the bottom. Made by examples/mandelbrot.\n",
           ITERATIONS_MAX, LEFT, BOTTOM, WIDTH);
    for (unsigned tile = 0; tile < SIDE * SIDE; tile++) {
        printf("%llu\n", (unsigned long long)((cost[tile] + 999) / 1000));
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

// The threads to use: the argument, or the machine's cores; 0 where the argument is wrong.
static unsigned threads_wanted(int argc, char **argv)
{
    if (argc > 1) {
        char *end;
        long value = strtol(argv[1], &end, 10);
        return argc == 2 && *end == '\0' && value >= 1 && value <= SIDE ? (unsigned)value : 0;
    }
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > SIDE ? SIDE : (unsigned)cores;
}

int main(int argc, char **argv)
{
    static uint64_t cost[SIDE * SIDE];
    static struct strip strips[SIDE];
    unsigned threads = threads_wanted(argc, argv);
    if (threads == 0) {
        fprintf(stderr, "usage: mandelbrot [THREADS], with 1 to %d threads\n", SIDE);
        return 2;
    }
    for (unsigned t = 0; t < threads; t++) {
        strips[t].begin = t * SIDE / threads;
        strips[t].end = (t + 1) * SIDE / threads;
        strips[t].cost = cost;
        if (pthread_create(&strips[t].thread, NULL, work, &strips[t]) != 0) {
            fprintf(stderr, "mandelbrot: the system gives no thread; try fewer\n");
            return 1;
        }
    }
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(strips[t].thread, NULL);
    }
    report(strips, threads);
    return print_loads(cost);
}
