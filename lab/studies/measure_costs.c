// SPDX-License-Identifier: MIT
// In one worker's free run nothing happens but turns and messages, one after another. So two runs with different shares
// of messages give two equations for the time of a turn and the overhead of a message at each end.
#include "lab/studies/measure_costs.h"

#include <math.h>
#include <time.h>

#include "base/error.h"
#include "lab/record/run_experiment.h"
#include "threads/api/report.h"

static const double RUN_S = 0.05, AGAIN_S = 0.5;
enum { RUNS_LEAST = 3, TRIES = 3 };

// The processor time that one run took, in seconds, by purpose. The time of the clock would include
// other programs.
struct effort {
    double taken, turns, ends; // `ends` of messages: each is sent and received
};

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Runs an experiment in which processors invoke so often. Keeps the fastest run, which other programs disturbed least.
static bool run(const char *invoke, uint64_t seed, const struct lab_contention_watch *watch, struct effort *effort,
                struct ek_error *error)
{
    struct lab_run_request request = {.runs = 1,
                                      .command = "",
                                      .stopped = watch->stopped,
                                      .experiment = {.topology = "torus:8x8",
                                                     .method = "adf",
                                                     .timing = "free",
                                                     .carrier = "pool:1",
                                                     .stop = "never",
                                                     .invoke = invoke,
                                                     .seconds_max = RUN_S,
                                                     .no_flows = true,
                                                     .seed = seed}};
    struct lab_record record = {0};
    const double before = processor_s();
    enum ek_status status = lab_run(&request, &record, error);
    const bool good = status == EK_OK && record.count > 0 && record.runs[0].ended != EK_ENDED_INTERRUPT;
    if (good) {
        const struct ek_report *report = &record.runs[0];
        const struct effort own = {processor_s() - before, (double)report->free.turns, 2.0 * (double)report->messages};
        if (effort->turns == 0.0 || own.turns / own.taken > effort->turns / effort->taken) {
            *effort = own;
        }
    } else if (status == EK_OK || status == EK_UNREACHED) {
        base_fail(error, EK_UNREACHED, "", "interrupted: the costs were not kept");
    }
    lab_record_destroy(&record);
    return good;
}

static bool refuse(struct ek_error *error)
{
    return base_refuse(error, "this computer's costs could not be measured (one core, or too busy): nothing was kept");
}

// Takes the limits of the computer from `contention`. If two threads never ran at the same time, no transfer between
// cores was measured, so it is measured again, for longer.
static void take_limits(struct lab_measured_costs *costs, const struct lab_contention *contention)
{
    costs->latency = INFINITY;
    costs->byte = INFINITY;
    for (size_t i = 0; i < contention->turns; i++) { // fmin ignores NaN
        costs->latency = fmin(costs->latency, contention->host_limit[LAB_HOST_TRANSFER][i]);
        costs->byte = fmin(costs->byte, 2.0 / contention->host_limit[LAB_HOST_MEMORY][i]); // a copy reads and writes
    }
    double limit[LAB_HOST_LIMITS];
    for (int i = 0; i < TRIES && !isfinite(costs->latency); i++) {
        lab_host_limits_measure(AGAIN_S, limit);
        costs->latency = fmin(costs->latency, limit[LAB_HOST_TRANSFER]);
    }
}

bool lab_measure_costs(struct lab_measured_costs *costs, const struct lab_contention *contention, uint64_t runs,
                       const struct lab_contention_watch *watch, struct ek_error *error)
{
    struct effort many = {.ends = 0.0}, few = {.ends = 0.0}; // messages
    for (uint64_t i = 0; i < runs || i < RUNS_LEAST; i++) {
        if (!run("always", i + 1, watch, &many, error) || !run("probability:0.002", i + 1, watch, &few, error)) {
            return false;
        }
    }
    const double determinant = many.turns * few.ends - few.turns * many.ends;
    costs->turn = (many.taken * few.ends - few.taken * many.ends) / determinant;
    costs->overhead = (many.turns * few.taken - few.turns * many.taken) / determinant;
    take_limits(costs, contention);
    return (costs->turn > 0.0 && costs->overhead > 0.0 && isfinite(costs->latency) && isfinite(costs->byte)) ||
           refuse(error);
}

static double whole_ns(double seconds)
{
    return fmax(1.0, round(1e9 * seconds));
}

void lab_measured_costs_write(FILE *out, const struct lab_measured_costs *costs,
                              const struct lab_contention *contention)
{
    fprintf(out, "# %s, by evenkeel %s\n", contention->host.processor, contention->version);
    fprintf(out, "turn-cost %.0fns\noverhead %.0fns\ngap 0\nlatency %.0fns\nbyte-time %.4gns\n", whole_ns(costs->turn),
            whole_ns(costs->overhead), whole_ns(costs->latency), 1e9 * costs->byte);
}
