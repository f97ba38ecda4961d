// SPDX-License-Identifier: MIT
// Programs that search a tree, against sizes that are known: unbalanced trees and queens.
#include <criterion/criterion.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sanitizers.h"
#include "tests/support/programs.h"

Test(tree_programs, small_trees)
{
    expect_executed("uts:geo:fixed:4:4:19", 944, 744);
    expect_executed("uts:geo:linear:7:3:34", 75, 44);
    expect_executed("uts:bin:20:0.12:8:42", 453, 398);
    expect_executed("uts:geo:fixed:5:0:1", 1, 1);
    expect_executed("uts:bin:0:0.5:1:1", 1, 1);
    expect_executed("uts:bin:7:0:3:5", 8, 7);
}

// The sizes, leaves and depths that the UTS distribution publishes with its sample trees. They take long with
// sanitizers, which find nothing there that they do not find in small trees.
Test(tree_programs, sample_trees)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    static const struct {
        const char *spec;
        uint64_t size;
        int64_t leaves;
        uint64_t depth;
    } trees[] = {
        {"uts:t1", 4130071, 3305118, 10},  {"uts:t2", 4117769, 2342762, 81}, {"uts:t3", 4112897, 3599034, 1572},
        {"uts:t4", 4132453, 3108986, 134}, {"uts:t5", 4147582, 2181318, 20},
    };
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        expect_executed(trees[i].spec, trees[i].size, trees[i].leaves);
        cr_expect_eq(must_execute(trees[i].spec).longest, trees[i].depth + 1, "%s", trees[i].spec);
    }
#endif
}

// Executes the first tasks of a problem, and returns what they add up to.
static struct ek_serial execute_some(const char *spec, uint64_t tasks)
{
    const struct ek_program *program;
    struct ek_problem *problem = must_read(spec, NO_FILES, &program);
    struct ek_serial serial;
    struct ek_error error = {0};
    cr_expect_not(core_program_serial(program, problem, 1, (uint64_t)1 << 30, tasks, &serial, &error), "%s", spec);
    cr_expect_eq(serial.executed, tasks);
    ek_problem_release(program, problem);
    return serial;
}

// The names of sample trees mean the parameters that the distribution publishes. The large ones have about 100 million
// nodes, so only the begin of the search is compared.
Test(tree_programs, names_of_sample_trees)
{
    static const char *const pairs[][2] = {
        {"uts:t1", "uts:geo:fixed:10:4:19"},      {"uts:t2", "uts:geo:cyclic:16:6:502"},
        {"uts:t3", "uts:bin:2000:0.124875:8:42"}, {"uts:t4", "uts:hybrid:linear:16:6:0.234375:4:1"},
        {"uts:t5", "uts:geo:linear:20:4:34"},     {"uts:t1l", "uts:geo:fixed:13:4:29"},
        {"uts:t2l", "uts:geo:cyclic:23:7:220"},   {"uts:t3l", "uts:bin:2000:0.200014:5:7"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct ek_serial named = execute_some(pairs[i][0], 20000);
        struct ek_serial written = execute_some(pairs[i][1], 20000);
        cr_expect(named.result == written.result && named.longest == written.longest &&
                      named.most_held == written.most_held && named.result > 0,
                  "%s is not %s", pairs[i][0], pairs[i][1]);
    }
}

// Counts the children of a task.
struct counted {
    struct ek_execution execution;
    uint64_t children;
    unsigned char room[EK_TASK_BYTES];
};

static void *count_child(struct ek_execution *execution)
{
    struct counted *counted = (struct counted *)execution;
    counted->children++;
    return counted->room;
}

static uint64_t children_of(const struct ek_program *program, const struct ek_problem *problem, const void *task)
{
    struct counted counted = {.execution = {.best = EK_NO_VALUE, .cost = 1, .child = count_child}};
    program->execute(problem, task, &counted.execution);
    return counted.children;
}

// A node's state and its depth. A state of ones draws the largest number.
static uint64_t children_of_node(const char *spec, uint8_t byte, uint32_t depth, uint64_t *most)
{
    const struct ek_program *program;
    struct ek_problem *problem = must_read(spec, NO_FILES, &program);
    unsigned char node[24];
    memset(node, byte, 20);
    memcpy(node + 20, &depth, sizeof depth);
    uint64_t children = children_of(program, problem, node);
    *most = problem->children_most;
    ek_problem_release(program, problem);
    return children;
}

// The machine sizes its memory by the most children, so some node must have them, and none more.
Test(tree_programs, most_children)
{
    static const struct {
        const char *spec;
        uint8_t byte;
        uint32_t depth;
        uint64_t children;
    } nodes[] = {
        {"uts:geo:fixed:10:4:19", 0xff, 9, 96},         // floor(31 ln 2 / ln(5/4))
        {"uts:geo:linear:10:1:1", 0xff, 0, 31},         // 31 ln 2 / ln 2
        {"uts:geo:cyclic:8:2:1", 0xff, 2, 52},          // the root's mean, at a quarter of the cycle
        {"uts:geo:cyclic:8:0.25:1", 0xff, 6, 96},       // 1/B, at three quarters
        {"uts:geo:expdec:8:2:1", 0xff, 1, 52},          // floor(31 ln 2 / ln(3/2))
        {"uts:geo:fixed:10:50:1", 0xff, 3, 100},        // the limit
        {"uts:bin:20:0.12:8:42", 0xff, 0, 20},          // the root
        {"uts:bin:5:0.12:8:42", 0, 1, 8},               // another node
        {"uts:hybrid:linear:16:1:0.01:60:1", 0, 8, 60}, // below half the depth
        {"uts:hybrid:linear:16:1:0.1:8:1", 0xff, 0, 31},
    };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        uint64_t most;
        uint64_t children = children_of_node(nodes[i].spec, nodes[i].byte, nodes[i].depth, &most);
        cr_expect(children == nodes[i].children && most == nodes[i].children, "%s: %llu children, at most %llu",
                  nodes[i].spec, (unsigned long long)children, (unsigned long long)most);
    }
    const struct ek_program *program;
    struct ek_problem *problem = must_read("queens:9", NO_FILES, &program);
    unsigned char root[EK_TASK_BYTES];
    program->begin(problem, 0, root);
    cr_expect(children_of(program, problem, root) == 9 && problem->children_most == 9);
    ek_problem_release(program, problem);
}

// A node's children by the formula of a geometric tree, from the last 31 bits of its state.
static uint64_t children_by_formula(double mean, uint32_t bits)
{
    double children = mean > 0.0 ? floor(log(1.0 - bits / 2147483648.0) / log(1.0 - 1.0 / (1.0 + mean))) : 0.0;
    return children < 100.0 ? (uint64_t)children : 100;
}

static uint64_t children_of_bits(const struct ek_program *program, const struct ek_problem *problem, uint32_t bits,
                                 uint32_t depth)
{
    unsigned char node[24] = {0};
    for (int i = 0; i < 4; i++) {
        node[16 + i] = (unsigned char)(bits >> (24 - 8 * i));
    }
    memcpy(node + 20, &depth, sizeof depth);
    return children_of(program, problem, node);
}

// At the first depths the number of children is looked up. On both sides of each step it must be that of the formula;
// expdec:64:8 has the mean 8/d^(1/2), and no end, so 64 is the first depth that is computed.
Test(tree_programs, children_that_are_looked_up)
{
    static const uint32_t depths[] = {1, 2, 9, 63, 64, 100};
    const struct ek_program *program;
    struct ek_problem *problem = must_read("uts:geo:expdec:64:8:1", NO_FILES, &program);
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        double mean = 8.0 * pow(depths[i], -log(8.0) / log(64.0));
        for (uint32_t k = 1; k <= 101; k++) {
            double step = 2147483648.0 * (1.0 - pow(1.0 - 1.0 / (1.0 + mean), k));
            for (double near = step - 3.0; near <= step + 3.0 && near < 2147483648.0; near++) {
                uint32_t bits = (uint32_t)near;
                cr_expect_eq(children_of_bits(program, problem, bits, depths[i]), children_by_formula(mean, bits),
                             "depth %u, bits %u", depths[i], bits);
            }
        }
    }
    ek_problem_release(program, problem);
}

// At these depths no node has children, whatever it draws.
Test(tree_programs, depths_where_trees_end)
{
    static const struct {
        const char *spec;
        uint32_t depth;
    } nodes[] = {{"uts:geo:fixed:10:4:19", 10}, {"uts:geo:linear:10:4:19", 10}, {"uts:geo:cyclic:8:2:1", 41}};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        uint64_t most;
        cr_expect_eq(children_of_node(nodes[i].spec, 0xff, nodes[i].depth, &most), 0, "%s", nodes[i].spec);
    }
    uint64_t most;
    cr_expect_gt(children_of_node("uts:geo:cyclic:8:2:1", 0xff, 40, &most), 0);
    cr_expect_eq(children_of_node("uts:hybrid:linear:16:6:0.2:4:1", 0xff, 8, &most), 0); // u is above Q
    cr_expect_gt(children_of_node("uts:hybrid:linear:16:6:0.2:4:1", 0xff, 7, &most), 4);
}

// OEIS A000170 counts the solutions. The placements are the nodes of the search (8 and 13 queens: 2,057 and 4,674,890).
Test(tree_programs, queens)
{
    static const int64_t solutions[] = {1, 0, 0, 2, 10, 4, 40, 92, 352, 724};
    for (unsigned n = 1; n <= 10; n++) {
        char spec[16];
        snprintf(spec, sizeof spec, "queens:%u", n);
        cr_expect_eq(must_execute(spec).result, solutions[n - 1], "%s", spec);
    }
    expect_executed("queens:6", 153, 4);
    expect_executed("queens:8", 2057, 92);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    expect_executed("queens:13", 4674890, 73712);
#endif
}
