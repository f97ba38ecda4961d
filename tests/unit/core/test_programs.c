// SPDX-License-Identifier: MIT
// All programs: their specs, their limits, and laws that hold for each. Programs of independent tasks against sums that
// are computed here again.
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "core/programs/mandelbrot.h"
#include "tests/support/programs.h"

Test(programs, refusals)
{
    static const struct bad_spec specs[] = {
        {"", 0, "tasks begin with the name of their program"},
        {"quens:8", 0, "did you mean queens?"},
        {"queens", 6, "write ':' after queens, as in queens:N"},
        {"queens:0", 7, "the number of queens must be a whole number from 1 to 27"},
        {"queens:40", 7, "the number of queens must be a whole number from 1 to 27"},
        {"queens:8x", 8, "cannot follow"},
        {"uts:t6", 4, "there is no tree called 't6'"},
        {"uts:t1:3", 6, "cannot follow"},
        {"uts:geo:round:4:4:19", 8, "there is no shape called 'round'"},
        {"uts:geo:fixed:0:4:19", 14, "the depth must be a whole number from 1 to 10000"},
        {"uts:geo:fixed:4:101:19", 16, "the mean number of children must be from 0 to 100"},
        {"uts:geo:fixed:4:4", 17, "write ':' after the tree"},
        {"uts:geo:fixed:4:4:2147483648", 18, "the seed must be a whole number from 0 to 2147483647"},
        {"uts:geo:expdec:1:4:19", 15, "the depth must be a whole number from 2"},
        {"uts:geo:expdec:4:1:19", 17, "only if the first is above 1"},
        {"uts:bin:2.5:0.1:8:42", 9, "write ':' after the number of the root's children"},
        {"uts:bin:20:1.1:8:42", 11, "the probability of children must be from 0 to 1"},
        {"uts:bin:20:0.12:101:42", 16, "the number of children must be a whole number from 1 to 100"},
        {"uts:bin:20:0.2:8:42", 11, "the tree has no end with probability 0.951"},
        {"uts:bin:2:0.6:2:7", 10, "the tree has no end with probability 0.556: write a probability below 1/2"},
        {"uts:bin:1:1:1:1", 10, "the mean number of a node's children is 1, so the tree has no end with probability 1"},
        {"uts:hybrid:linear:16:6:0.3:8:1", 23, "the tree has no end"},
        {"flowshop:4:1", 10, "write 'x' after the number of jobs"},
        {"flowshop:59x5:1", 9, "the number of jobs must be a whole number from 1 to 58"},
        {"flowshop:5x61:1", 11, "the number of machines must be a whole number from 1 to 60"},
        {"flowshop:5x5:0", 13, "a multiple of 2^31 - 1"},
        {"flowshop-forward:5x5:4294967294", 21, "a multiple of 2^31 - 1"},
        {"flowshop:5x5:1:0", 15, "the known value must be a whole number from 1"},
        {"flowshop:5x5:1:9:9", 16, "cannot follow"},
        {"flowshop:file:a", 14, "the test has no such file"},
        {"tsp:2:1", 4, "the number of cities must be a whole number from 3 to 58"},
        {"tsp:5:2147483647", 6, "a multiple of 2^31 - 1"},
        {"mandelbrot:0x5:1", 11, "the width must be a whole number from 1 to 16384"},
        {"mandelbrot:5:1", 12, "write 'x' after the width"},
        {"mandelbrot:5x5:0", 15, "the side of a tile must be a whole number from 1"},
        {"bag:peak:3", 4, "choose one of constant, uniform, modulo, normal, exponential"},
        {"bag:constant:0", 13, "the cost must be a whole number from 1 to 2147483647"},
        {"bag:uniform:5:1", 12, "the lowest cost comes first"},
        {"bag:modulo:5:0", 13, "the modulus must be a whole number from 1"},
        {"bag:normal:2e9:1", 11, "the mean cost must be from 0 to 1000000000"},
        {"bag:normal:1:2e8", 13, "the standard deviation must be from 0 to 100000000"},
        {"bag:exponential:1e8", 16, "the mean cost must be from 0 to 50000000"},
        {"bag:constant:5@x", 15, "the seed must be a whole number"},
        {"file:a", 5, "the test has no such file"},
    };
    struct tests_memory none = {0};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        const struct ek_program *program;
        struct ek_error error = {0};
        cr_expect_null(ek_problem_read(specs[i].spec, tests_memory_reader(&none), &program, &error), "%s",
                       specs[i].spec);
        expect_refused(&error, "tasks", specs[i].spec, specs[i].at, specs[i].part);
    }
}

Test(programs, bad_task_files)
{
    static const struct bad_file files[] = {
        {"", "the file has no tasks"},
        {"0\n", "a:1: the cost of a task must be a whole number from 1 to 2147483647"},
        {"5\n3 0 1\n", "a:2: ' ' cannot follow"},
        {"5\n3 x\n", "a:2: the number of the parent must be a whole number"},
        {"5\n3 2\n", "task 1 has the parent 2, but the last task is 1"},
        {"5\n3 1\n", "task 1 is its own ancestor"},
        {"5\n3 2\n4 3\n1 1\n2 0\n", "task 1 is its own ancestor"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const struct ek_program *program;
        struct tests_memory memory;
        struct ek_error error = {0};
        cr_expect_null(ek_problem_read("file:a", text_reader(&memory, files[i].text), &program, &error), "%s",
                       files[i].text);
        cr_expect(strstr(error.sentence, files[i].part), "%s: %s", files[i].text, error.sentence);
    }
}

static const char TREE[] = "# two trees\n5\n3 0\n2 4 # a parent that comes later\n\n7 1\n4\n1 1\n";

// Tasks that are executed oldest first.
struct queue {
    struct ek_execution execution;
    unsigned char (*task)[EK_TASK_BYTES];
    uint64_t count;
};

enum { QUEUE_MOST = 8192 };

static void *append(struct ek_execution *execution)
{
    struct queue *queue = (struct queue *)execution;
    cr_assert_lt(queue->count, QUEUE_MOST);
    return queue->task[queue->count++];
}

// A sum does not depend on the order of execution.
static void expect_same_in_any_order(const char *spec, const char *text, uint64_t first)
{
    struct tests_memory memory = {.text = text, .length = text ? strlen(text) : 0};
    const struct ek_program *program;
    struct ek_problem *problem = must_read(spec, tests_memory_reader(&memory), &program);
    struct queue queue = {.execution = {.best = EK_NO_VALUE, .child = append},
                          .task = malloc(QUEUE_MOST * sizeof *queue.task)};
    uint64_t executed = 0;
    uint64_t cost = 0;
    int64_t result = 0;
    cr_assert(queue.task && program->result == EK_RESULT_SUM && problem->task_bytes <= EK_TASK_BYTES);
    cr_expect(problem->first_tasks == first || problem->first_tasks == 0, "%s", spec);
    for (uint64_t i = 0; i < first; i++) {
        program->begin(problem, i, append(&queue.execution));
    }
    for (; executed < queue.count; executed++) {
        uint64_t before = queue.count;
        queue.execution.cost = 1;
        queue.execution.result = 0;
        program->execute(problem, queue.task[executed], &queue.execution);
        cr_expect_leq(queue.count - before, problem->children_most, "%s", spec);
        cost += queue.execution.cost;
        result += queue.execution.result;
    }
    struct ek_serial serial = must_execute_file(spec, text, first);
    cr_expect(serial.executed == executed && serial.nodes == executed && serial.cost == cost &&
                  serial.result == result && executed > 0,
              "%s: %llu and %llu executed", spec, (unsigned long long)serial.executed, (unsigned long long)executed);
    free(queue.task);
    ek_problem_release(program, problem);
}

Test(programs, sums_are_the_same_in_any_order)
{
    expect_same_in_any_order("queens:7", NULL, 1);
    expect_same_in_any_order("uts:geo:fixed:4:4:19", NULL, 1);
    expect_same_in_any_order("uts:geo:cyclic:3:2:5", NULL, 1);
    expect_same_in_any_order("uts:geo:expdec:4:3:2", NULL, 1);
    expect_same_in_any_order("uts:bin:20:0.12:8:42", NULL, 1);
    expect_same_in_any_order("uts:hybrid:fixed:6:3:0.1:6:9", NULL, 1);
    expect_same_in_any_order("mandelbrot:40x30:7", NULL, 30);
    expect_same_in_any_order("bag:exponential:20@5", NULL, 500);
    expect_same_in_any_order("file:a", TREE, 2);
}

// The costliest path by hand: task 0, 1, 3 of the file takes 5 + 3 + 7, and the other tree 4 + 2.
Test(programs, a_file_of_tasks)
{
    struct ek_serial serial = must_execute_file("file:a", TREE, 0);
    cr_expect_eq(serial.executed, 6);
    cr_expect_eq(serial.cost, 5 + 3 + 2 + 7 + 4 + 1);
    cr_expect_eq(serial.result, 22);
    cr_expect_eq(serial.longest, 15);
    cr_expect_eq(serial.most_held, 2); // tasks 0 and 4, 0 and 2, 1, then 3 and 5
}

static uint64_t repetitions(double c_re, double c_im)
{
    double re = 0.0;
    double im = 0.0;
    uint64_t n = 0;
    for (; n < 1000 && re * re + im * im <= 4.0; n++) {
        double old = re;
        re = re * re - im * im + c_re;
        im = old * im + im * old + c_im;
    }
    return n;
}

// The iterations of a square picture, and those of its costliest tile.
static uint64_t count_iterations(unsigned side, unsigned tile, uint64_t *costliest)
{
    uint64_t cost[64] = {0};
    uint64_t sum = 0;
    unsigned across = (side + tile - 1) / tile;
    cr_assert_leq(across * across, 64);
    for (unsigned x = 0; x < side; x++) {
        for (unsigned y = 0; y < side; y++) {
            uint64_t n = repetitions(-2.1 + 2.5 * (x + 0.5) / side, -1.1 + 2.5 * (y + 0.5) / side);
            cost[x / tile + y / tile * across] += n;
            sum += n;
        }
    }
    *costliest = 0;
    for (unsigned i = 0; i < 64; i++) {
        *costliest = cost[i] > *costliest ? cost[i] : *costliest;
    }
    return sum;
}

Test(programs, a_picture_of_the_mandelbrot_set)
{
    uint64_t costliest;
    uint64_t iterations = count_iterations(50, 7, &costliest);
    struct ek_serial serial = must_execute("mandelbrot:50x50:7");
    cr_expect_eq(serial.executed, 64);
    cr_expect_eq(serial.result, (int64_t)iterations);
    cr_expect_eq(serial.cost, iterations);
    cr_expect_eq(serial.longest, costliest);
    cr_expect_eq(must_execute("mandelbrot:50x50:1").result, (int64_t)iterations);
    cr_expect_eq(must_execute("mandelbrot:512x512:32").result, 64797260); // counted by another program
}

// The points can be computed alone, in any order. A flat picture is the middle of the square one.
Test(programs, points_of_a_picture)
{
    const struct ek_program *program;
    struct core_mandelbrot *flat = (struct core_mandelbrot *)must_read("mandelbrot:64x32:16", NO_FILES, &program);
    struct core_mandelbrot *square = (struct core_mandelbrot *)must_read("mandelbrot:64x64:16", NO_FILES, &program);
    uint64_t sum = 0;
    for (uint32_t y = flat->height; y-- > 0;) {
        for (uint32_t x = 0; x < flat->width; x++) {
            uint32_t iterations = core_mandelbrot_iterations(flat, x, y);
            cr_expect_eq(iterations, core_mandelbrot_iterations(square, x, y + 16), "%u, %u", x, y);
            sum += iterations;
        }
    }
    cr_expect_eq(must_execute("mandelbrot:64x32:16").result, (int64_t)sum);
    ek_problem_release(program, &flat->problem);
    ek_problem_release(program, &square->problem);
}

static int64_t bag_of(const char *spec, uint64_t tasks)
{
    struct ek_serial serial = must_execute_file(spec, NULL, tasks);
    cr_expect(serial.executed == tasks && serial.cost == (uint64_t)serial.result, "%s", spec);
    return serial.result;
}

// The means are within five standard errors. Costs below 1 become 1.
Test(programs, bags_of_drawn_costs)
{
    enum { MANY = 40000 };
    cr_expect_eq(bag_of("bag:constant:5", 7), 35);
    cr_expect_eq(bag_of("bag:modulo:7:5", 5), 1 + 2 + 4 + 1 + 3);
    cr_expect_eq(must_execute_file("bag:modulo:7:5", NULL, 5).longest, 4);
    cr_expect_float_eq((double)bag_of("bag:uniform:1:9", MANY) / MANY, 5.0, 5.0 * 2.582 / 200.0);
    cr_expect_float_eq((double)bag_of("bag:exponential:1000", MANY) / MANY, 1000.0, 5.0 * 1000.0 / 200.0);
    cr_expect_float_eq((double)bag_of("bag:normal:500:50", MANY) / MANY, 500.0, 5.0 * 50.0 / 200.0);
    cr_expect_eq(bag_of("bag:exponential:0", 9), 9);
    cr_expect_eq(bag_of("bag:uniform:1:9", 100), bag_of("bag:uniform:1:9@1", 100));
    cr_expect_neq(bag_of("bag:uniform:1:9", 100), bag_of("bag:uniform:1:9@2", 100));
}

static void expect_limit(const char *spec, uint64_t first, uint64_t bytes, uint64_t tasks, const char *part)
{
    const struct ek_program *program;
    struct ek_problem *problem = must_read(spec, NO_FILES, &program);
    struct ek_serial serial;
    struct ek_error error = {0};
    cr_expect_not(core_program_serial(program, problem, first, bytes, tasks, &serial, &error), "%s", spec);
    cr_expect(strstr(error.sentence, part), "%s: %s", spec, error.sentence);
    ek_problem_release(program, problem);
}

Test(programs, limits_of_serial_execution)
{
    expect_limit("queens:8", 1, 1 << 20, 2056, "the problem has more than 2056 tasks");
    expect_limit("queens:8", 1, 18 * 20, 1 << 20, "one processor would hold more than 18 tasks");
    expect_limit("bag:constant:1", 100, 99 * 12, 1000, "one processor would hold more than 99 tasks");
    expect_limit("bag:constant:1", (uint64_t)1 << 32, 1 << 20, 1000, "no more than 2^32 - 1 tasks can begin");
    struct ek_serial serial = must_execute("queens:8");
    cr_expect_eq(serial.most_held, 19);
    cr_expect_eq(serial.longest, 9);
    cr_expect_eq(serial.nodes, 2057);
}

Test(programs, registry)
{
    size_t count = 0;
    for (const struct ek_program *program; (program = core_program_at(count)) != NULL; count++) {
        cr_expect(program->prepare && program->begin && program->execute && program->source);
        cr_expect_eq(strncmp(program->choice.form, program->name, strlen(program->name)), 0, "%s", program->name);
        cr_expect(strlen(program->choice.summary) > 0);
    }
    cr_expect_eq(count, 8);
}

Test(programs, are_found_by_their_names)
{
    cr_expect_str_eq(ek_program_find("queens")->name, "queens");
    cr_expect_null(ek_program_find("queen"));
    cr_expect_null(ek_program_find("none"));
}
