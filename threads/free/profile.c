// SPDX-License-Identifier: MIT
// The profile of free timing.
#include "threads/free/profile.h"

#include <math.h>

#include "threads/free/look.h"

enum { TURNS = 16, EXECUTION_CLOCKS = 3 }; // one turn in so many is timed; times that an execution reads the clock

static void add(struct free_worker *worker, uint32_t p, enum ek_profile_kind kind, double took_ns)
{
    uint64_t now = free_now(worker->run), took = (uint64_t)llround(took_ns);
    watch_profile_add(&worker->run->tasks.profile, p, kind, now > took ? now - took : 0, now);
}

void free_profile_work(struct free_worker *worker, uint32_t p)
{
    struct cargo_worker *cargo = free_cargo(worker);
    add(worker, p, EK_PROFILE_WORK, cargo->took_ns);
    cargo->executions++;
}

struct free_profile_turn free_profile_begin(struct free_worker *worker)
{
    struct cargo_worker *cargo = free_cargo(worker);
    bool timed = cargo->turns++ % TURNS == 0;
    return (struct free_profile_turn){.timed = timed,
                                      .began_ns = timed ? host_thread_ns() : 0,
                                      .executions = cargo->executions,
                                      .worked_ns = cargo->work_ns};
}

void free_profile_end(struct free_worker *worker, uint32_t p, const struct free_profile_turn *turn)
{
    struct cargo_worker *cargo = free_cargo(worker);
    if (turn->timed) {
        double clocks = 1.0 + EXECUTION_CLOCKS * (double)(cargo->executions - turn->executions);
        double took_ns = (double)(host_thread_ns() - turn->began_ns) - (cargo->work_ns - turn->worked_ns);
        cargo->other_ns += fmax(took_ns - clocks * cargo->reading_ns, 0.0);
        cargo->others++;
    }
    if (cargo->others > 0) {
        add(worker, p, EK_PROFILE_OVERHEAD, cargo->other_ns / (double)cargo->others);
    }
}
