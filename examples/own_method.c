// SPDX-License-Identifier: MIT
// A method of one's own, against the installed library:
//     cc own_method.c $(pkg-config --cflags --libs evenkeel) -o own_method
//
// `poorest`: in each step a processor gives half of what it has more to its poorest neighbour, and nothing to others.
#include <evenkeel/block.h>
#include <stdio.h>

static inline double poorest_flow(const struct ek_view *view, unsigned port)
{
    unsigned poorest = 0;
    for (unsigned other = 1; other < view->degree; other++) {
        poorest = view->announced[other] < view->announced[poorest] ? other : poorest;
    }
    return port == poorest ? view->plan->parameter * (view->load - view->announced[port]) : 0.0;
}

// Not needed, but faster: the machine's loop with the rule inlined. Without it the machine calls the rule.
static void poorest_block(struct ek_block *block)
{
    ek_block_flows(block, poorest_flow);
}

static bool poorest_prepare(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                            struct ek_error *error)
{
    (void)parameter, (void)at, (void)setting, (void)error;
    plan->parameter = 0.5;
    return true;
}

static const struct ek_method poorest = {
    .name = "poorest",
    .texts = &(const struct ek_texts){.title = "half of the difference to the poorest neighbour"},
    .supports = {.units = EK_REAL, .ports = EK_ALL_PORTS},
    .links = EK_LINKS_ALL,
    .prepare = poorest_prepare,
    .rule = &(const struct ek_rule){.flow = poorest_flow},
    .rounds = &(const struct ek_rounds_part){.block = poorest_block},
};

int main(void)
{
    struct ek_experiment experiment = {.topology = "torus:8x8", .method = "poorest", .load = "peak:6400", .seed = 1};
    struct ek_error error;
    struct ek_machine *machine = ek_method_register(&poorest, &error) ? ek_prepare(&experiment, &error) : NULL;
    struct ek_report report;
    enum ek_status status = machine ? ek_run(machine, 0, &report, NULL, NULL, &error) : error.status;
    if (status != EK_OK && status != EK_UNREACHED) {
        fprintf(stderr, "own_method: %s\n", error.sentence);
        return 1;
    }
    printf("poorest: variance %g after %llu steps, %g of load moved\n", report.variance_final,
           (unsigned long long)report.steps, report.moved);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    return 0;
}
