// SPDX-License-Identifier: MIT
// Pictures that the tasks of a run compute: every point is what a serial loop computes, whatever machine executed the
// tiles.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "tests/support/runs.h"

enum { WIDTH = 70, HEIGHT = 50, POINTS = WIDTH * HEIGHT };

// How often z := z^2 + c can be repeated, up to 1000 times, before |z| exceeds 2.
static uint32_t iterations(double c_re, double c_im)
{
    double re = 0.0;
    double im = 0.0;
    uint32_t count = 0;
    for (; count < 1000 && re * re + im * im <= 4.0; count++) {
        double next = re * re - im * im + c_re;
        im = 2.0 * re * im + c_im;
        re = next;
    }
    return count;
}

static uint32_t expected_at(size_t point)
{
    double bottom = -1.1 + 2.5 * (1.0 - (double)HEIGHT / WIDTH) / 2.0;
    double x = (double)(point % WIDTH);
    double y = (double)(point / WIDTH);
    return iterations(-2.1 + 2.5 * (x + 0.5) / WIDTH, bottom + 2.5 * (y + 0.5) / WIDTH);
}

static struct tests_outcome run(struct ek_experiment experiment)
{
    struct tests_outcome outcome;
    experiment.keep_picture = true;
    tests_try(&experiment, 0, &outcome);
    cr_assert(outcome.machine, "%s", outcome.error.sentence);
    cr_assert(outcome.report.tasks.picture, "%s", experiment.method);
    return outcome;
}

Test(pictures, are_exact_on_every_machine, .timeout = 100)
{
    static const struct ek_experiment kinds[] = {
        {.topology = "torus:4x4", .method = "none", .carrier = "pool:2", .tasks = "mandelbrot:70x50:4", .grain = 500},
        {.topology = "torus:4x4", .method = "adf", .carrier = "threads", .tasks = "mandelbrot:70x50:4", .grain = 900},
        {.topology = "ring:5", .method = "ade", .carrier = "pool:3", .tasks = "mandelbrot:70x50:7", .grain = 1500},
        {.topology = "torus:4x4", .method = "liquid:c4", .tasks = "mandelbrot:70x50:5", .grain = 1000},
        {.topology = "ring:5", .method = "sender:0.2", .timing = "turns", .tasks = "mandelbrot:70x50:9", .grain = 500},
        {.topology = "chain:2", .method = "adf", .give = "newest", .tasks = "mandelbrot:70x50:1", .grain = 5000},
        {.topology = "chain:2", .method = "adf", .checks = true, .tasks = "mandelbrot:70x50:99", .grain = 5000},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_outcome outcome = run(kinds[i]);
        const struct ek_tasks_report *tasks = &outcome.report.tasks;
        uint64_t sum = 0;
        cr_assert(tasks->picture_width == WIDTH && tasks->picture_height == HEIGHT && tasks->picture_most == 1000);
        for (size_t point = 0; point < POINTS; point++) {
            cr_assert_eq(tasks->picture[point], expected_at(point), "%zu: point %zu", i, point);
            sum += tasks->picture[point];
        }
        cr_expect(tasks->result == sum && tasks->cost == sum, "the result counts the iterations of the picture");
        tests_outcome_destroy(&outcome);
    }
}

// The points come from the tasks that were executed: a run that is cut short has a part of the picture.
Test(pictures, of_a_short_run_are_incomplete)
{
    struct tests_outcome outcome = run((struct ek_experiment){
        .topology = "chain:2", .method = "none", .tasks = "mandelbrot:70x50:10", .grain = 1000, .steps_max = 30});
    cr_expect_eq(outcome.report.ended, EK_ENDED_STEPS);
    size_t computed = 0;
    for (size_t point = 0; point < POINTS; point++) {
        uint32_t value = outcome.report.tasks.picture[point];
        cr_expect(value == 0 || value == expected_at(point), "point %zu", point);
        computed += value > 0;
    }
    cr_expect_eq(computed, 100 * outcome.report.tasks.executed);
    cr_expect(computed > 0 && computed < POINTS);
    tests_outcome_destroy(&outcome);
}

Test(pictures, are_kept_only_if_asked_for)
{
    struct tests_outcome outcome;
    struct ek_experiment experiment = {.topology = "chain:2", .tasks = "mandelbrot:70x50:10", .grain = 1000};
    tests_try(&experiment, 0, &outcome);
    cr_expect_null(outcome.report.tasks.picture);
    tests_outcome_destroy(&outcome);
}

Test(pictures, need_a_program_with_one)
{
    static const char *const without[] = {NULL, "none", "queens:6"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        struct tests_outcome outcome;
        struct ek_experiment experiment = {.topology = "chain:2", .tasks = without[i], .keep_picture = true};
        tests_try(&experiment, 0, &outcome);
        cr_expect_eq(outcome.status, EK_BAD_INPUT);
        cr_expect_str_eq(outcome.error.sentence,
                         "these tasks compute no picture: use tasks mandelbrot:600x400:8, or leave picture out");
        tests_outcome_destroy(&outcome);
    }
}
