// SPDX-License-Identifier: MIT
// Windows of two actions that must come in one order. With --perturb 1 each window contains a call of sched_yield,
// which this program replaces: there another thread does what breaks the wrong order.
#include <criterion/criterion.h>

#include "tests/support/by_hand.h"
#include "threads/free/control/audit.h"

static struct free_run *racing; // NULL: sched_yield does nothing
static void (*meanwhile)(struct free_run *run);
static unsigned yields, counted;

int sched_yield(void)
{
    if (racing) {
        yields++;
        meanwhile(racing);
    }
    return 0;
}

static struct free_run *begin_perturbed(void)
{
    return begin((struct ek_experiment){
        .topology = "chain:2", .method = "adf", .load = "constant:1", .invoke = "below:0", .perturb = 1.0});
}

// The attendant drains the run and begins a snapshot.
static void drain(struct free_run *run)
{
    if (yields == 1) {
        atomic_store(&run->shared.draining, true);
        atomic_fetch_add(&run->shared.epoch, 1);
    }
}

// A look that knows of the snapshot knows that the run drains.
Test(free_windows, a_look_reads_the_snapshot_first)
{
    struct free_run *run = begin_perturbed();
    struct free_worker *worker = &run->worker[0];
    racing = run;
    meanwhile = drain;
    free_see_around(worker, 1);
    cr_expect(yields == 1 && (worker->look.epoch == 0 || worker->look.draining));
    free_see_around(worker, 2);
    cr_expect(worker->look.epoch == 1 && worker->look.draining);
    racing = NULL;
    end(run);
}

// A processor counts its part as soon as the snapshot has begun.
static void count_part(struct free_run *run)
{
    if (atomic_load(&run->shared.epoch) == 1) {
        atomic_fetch_add(&run->shared.complete, 1);
        counted++;
    }
}

// A snapshot begins when the count of its parts is 0.
Test(free_windows, a_snapshot_counts_from_its_begin)
{
    struct free_run *run = begin_perturbed();
    atomic_store(&run->shared.complete, 2); // of the snapshot before
    racing = run;
    meanwhile = count_part;
    free_audit(control_of(run), 1);
    cr_expect(yields > 0 && atomic_load(&run->shared.epoch) == 1);
    cr_expect_eq(atomic_load(&run->shared.complete), counted, "of %u parts", counted);
    racing = NULL;
    end(run);
}

static unsigned looks, comes_after;
static bool came_before_sleep;

// Processor 1 asks processor 0 just after a look of processor 0's worker, which therefore does not show the message.
static void look_then_ask(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    look_at_ports(source, worker, first, end);
    if (worker->index == 0 && ++looks == comes_after) {
        came_before_sleep = atomic_load(&worker->bell->lying) == 1;
        free_pass(&worker->run->worker[1]);
    }
}

// The run is over when processor 0 has received the message.
static void look_for_end(struct free_look_source *source, struct free_worker *worker)
{
    if (worker->index == 0 && atomic_load(&worker->messages) > 0) {
        atomic_store(&worker->run->shared.over, true);
    }
    look_around(source, worker);
}

// Whichever look of a worker a message just misses, the worker receives it; also if that look is the last one before
// the worker sleeps. If the message is missed, the worker sleeps for ever.
Test(free_windows, a_worker_misses_no_message_before_it_sleeps, .timeout = 30)
{
    enum { LOOKS_MAX = 1000 };
    for (comes_after = 1; !came_before_sleep; comes_after++) {
        struct free_run *run = begin((struct ek_experiment){
            .topology = "chain:2", .method = "diffusion:0.5", .load = "peak:100", .invoke = "below:1"});
        driver_of(run)->source.ports = look_then_ask;
        driver_of(run)->source.around = look_for_end;
        looks = 0;
        threads_work(driver_of(run), 0);
        cr_expect(looks > comes_after && run->port[run->topology->first[0]].engaged);
        cr_assert_lt(comes_after, LOOKS_MAX, "the worker never sleeps");
        end(run);
    }
}
