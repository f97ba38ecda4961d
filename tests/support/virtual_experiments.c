// SPDX-License-Identifier: MIT
#include "tests/support/virtual_experiments.h"
#include "core/method.h"

#include <stdio.h>
#include <string.h>

static const char *const topologies[] = {"chain:2",    "ring:5",      "chain:6",     "mesh:3x3", "torus:4x4",  "star:7",
                                         "complete:6", "hypercube:3", "random:12:3", "mesh:1x4", "torus:3x2x3"};
static const char *const asked[] = {"ade",       "gde:0.7", "adf",           "diffusion:0.3",       "sender:0.2",
                                    "liquid:c1", "nna",     "local-average", "random-neighbours:2", "ode"};
static const char *const pushed[] = {"adf", "diffusion:0.3", "sender:1.5/deg", "fos"};
static const char *const invocations[] = {"at:1",          "below:40", "outside:20:60", "probability:0.1",
                                          "probability:1", "every:3",  "gradient:9",    "global:spread:30",
                                          "above:70",      "at:0,1"};
static const char *const works[] = {"constant:0=7,1=-3", "normal:5:9:5"};
static const char *const stops[] = {"variance:900", "spread:20", "error:30", "shared", "neighbours:15"};

#define PICK(random, values) (values)[base_random_below(random, sizeof(values) / sizeof *(values))]

static uint64_t between(struct base_random *random, uint64_t least, uint64_t most)
{
    return least + base_random_below(random, most - least + 1);
}

static bool once_in(struct base_random *random, unsigned number)
{
    return base_random_below(random, number) == 0;
}

// Writes a time, small or large, that is at least `least`.
static const char *draw_time(struct base_random *random, char *text, size_t size, uint64_t least, uint64_t most)
{
    uint64_t limit = once_in(random, 2) ? least + 5 : most;
    snprintf(text, size, "%luns", (unsigned long)between(random, least, limit));
    return text;
}

static void draw_costs(struct tests_virtual *drawn, struct base_random *random)
{
    struct ek_experiment *experiment = &drawn->experiment;
    experiment->turn_cost = draw_time(random, drawn->turn_cost, sizeof drawn->turn_cost, 1, 700);
    experiment->overhead = draw_time(random, drawn->overhead, sizeof drawn->overhead, 0, 400);
    experiment->gap = draw_time(random, drawn->gap, sizeof drawn->gap, 1, 600);
    if (once_in(random, 2)) {
        snprintf(drawn->byte_time, sizeof drawn->byte_time, "%.2fns", 9.0 * base_random_unit(random));
        snprintf(drawn->load_bytes, sizeof drawn->load_bytes, "%.1f", 20.0 * base_random_unit(random));
        experiment->byte_time = drawn->byte_time;
        experiment->load_bytes = drawn->load_bytes;
    }
}

// Writes a file with a delay for each link, or with two for each.
static void draw_file(struct tests_virtual *drawn, struct base_random *random)
{
    struct ek_error error;
    struct ek_topology *topology =
        ek_topology_create(drawn->topology, drawn->experiment.seed, (struct ek_reader){0}, &error);
    size_t length = 0;
    bool both = once_in(random, 2); // a file names both directions in every line, or in none
    for (uint32_t port = 0; topology && port < topology->ports; port++) {
        uint32_t from = topology->neighbour[topology->twin[port]];
        if (from > topology->neighbour[port]) {
            continue;
        }
        length += (size_t)snprintf(drawn->delays + length, sizeof drawn->delays - length, "%u %u %luns", from,
                                   topology->neighbour[port], (unsigned long)between(random, 0, 3000));
        if (both) {
            length += (size_t)snprintf(drawn->delays + length, sizeof drawn->delays - length, " %luns",
                                       (unsigned long)between(random, 0, 3000));
        }
        length += (size_t)snprintf(drawn->delays + length, sizeof drawn->delays - length, "\n");
    }
    ek_topology_destroy(topology);
    drawn->file = (struct tests_memory){.text = drawn->delays, .length = length};
    drawn->experiment.reader = tests_memory_reader(&drawn->file);
}

static const char *draw_delay(struct tests_virtual *drawn, struct base_random *random, char *spec, size_t size)
{
    unsigned long low = (unsigned long)between(random, 0, 2000);
    switch (base_random_below(random, 4)) {
    case 0:
        snprintf(spec, size, "fixed:%luns", low);
        break;
    case 1:
        snprintf(spec, size, "uniform:%luns:%luns", low, low + (unsigned long)between(random, 0, 2000));
        break;
    case 2:
        snprintf(spec, size, "exponential:%luns", low + 1);
        break;
    default:
        if (!drawn->file.text) {
            draw_file(drawn, random);
        }
        snprintf(spec, size, "file:any");
        break;
    }
    return spec;
}

static void draw_protocol(struct tests_virtual *drawn, struct base_random *random)
{
    static const char *const domains[] = {"overlap", "once", "exclusive"};
    struct ek_experiment *experiment = &drawn->experiment;
    bool pushes = once_in(random, 3);
    snprintf(drawn->method, sizeof drawn->method, "%s", pushes ? PICK(random, pushed) : PICK(random, asked));
    experiment->announce = pushes ? "pushed" : NULL;
    experiment->domains = pushes ? NULL : PICK(random, domains);
    bool exchange = strstr(drawn->method, "de") == drawn->method + 1; // ade, gde, ode
    experiment->ports =
        !pushes && (exchange || strncmp(drawn->method, "adf", 3) == 0) && once_in(random, 3) ? "one" : NULL;
    bool whole = strncmp(drawn->method, "liquid", 6) == 0;
    experiment->units = whole || (once_in(random, 2) && strcmp(drawn->method, "fos") != 0) ? "tokens" : "real";
    if (whole || strcmp(drawn->method, "nna") == 0) {
        snprintf(drawn->topology, sizeof drawn->topology, "ring:5");
    }
}

static void draw_setting(struct tests_virtual *drawn, struct base_random *random)
{
    static const char *const mailboxes[] = {"spsc:1", "spsc:2", "spsc:9"};
    struct ek_experiment *experiment = &drawn->experiment;
    experiment->delay = once_in(random, 2) ? draw_delay(drawn, random, drawn->delay, sizeof drawn->delay) : NULL;
    experiment->delay_load =
        once_in(random, 4) ? draw_delay(drawn, random, drawn->delay_load, sizeof drawn->delay_load) : NULL;
    experiment->invoke = once_in(random, 2) ? PICK(random, invocations) : NULL;
    experiment->mailbox = once_in(random, 2) ? PICK(random, mailboxes) : NULL;
    experiment->slow = once_in(random, 4) ? "1:5" : NULL;
    experiment->link_limit = once_in(random, 6) ? "4" : NULL;
    if (once_in(random, 4)) {
        experiment->work = PICK(random, works);
        experiment->tick_s = once_in(random, 2) ? 1e-9 * (double)between(random, 1, 9000) : 0.0;
        experiment->working = !experiment->announce && once_in(random, 3) ? "suspended" : NULL;
    }
    if (once_in(random, 4)) {
        snprintf(drawn->faults, sizeof drawn->faults, "link:%lu,processor:%lu,repair:%luus",
                 (unsigned long)between(random, 1, 200000), (unsigned long)between(random, 1, 50000),
                 (unsigned long)between(random, 1, 20));
        experiment->faults = drawn->faults;
    }
}

// Rounds the amounts of a linear rule. With pushed announcements nothing is drawn or carried.
static void draw_rounding(struct tests_virtual *drawn, struct base_random *random)
{
    static const char *const roundings[] = {"nearest", "random", "carry"};
    struct ek_experiment *experiment = &drawn->experiment;
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(drawn->method, ":("), drawn->method);
    const struct ek_method *method = ek_method_find(name);
    const struct ek_rule *rule = method->free->operate && !experiment->announce ? NULL : method->rule;
    if (strcmp(experiment->units, "tokens") == 0 && rule && rule->flow && rule->flow_tokens && once_in(random, 2)) {
        experiment->rounding = experiment->announce ? "nearest" : PICK(random, roundings);
    }
}

static void draw_end(struct tests_virtual *drawn, struct base_random *random)
{
    struct ek_experiment *experiment = &drawn->experiment;
    experiment->stop = once_in(random, 2) ? PICK(random, stops) : "never";
    experiment->operations_max = once_in(random, 2) ? between(random, 1, 80) : 0;
    experiment->seconds_max = 1e-9 * (double)between(random, 1, 60000);
}

void tests_draw_virtual(struct tests_virtual *drawn, uint64_t number)
{
    struct base_random random = base_random_start(31, number, BASE_STREAM_LOAD);
    *drawn = (struct tests_virtual){0};
    struct ek_experiment *experiment = &drawn->experiment;
    snprintf(drawn->topology, sizeof drawn->topology, "%s", PICK(&random, topologies));
    snprintf(drawn->load, sizeof drawn->load, "modulo:7919:%lu", (unsigned long)between(&random, 1, 200));
    *experiment = (struct ek_experiment){.topology = drawn->topology,
                                         .method = drawn->method,
                                         .timing = "virtual",
                                         .load = drawn->load,
                                         .unpinned = true,
                                         .seed = base_random_below(&random, 1000),
                                         .keep_loads = true,
                                         .keep_trace = true};
    draw_protocol(drawn, &random);
    draw_costs(drawn, &random);
    draw_setting(drawn, &random);
    draw_end(drawn, &random);
    experiment->sample_s = once_in(&random, 2) ? 1e-9 * (double)between(&random, 1, 9000) : 0.0;
    draw_rounding(drawn, &random);
}

const char *tests_virtual_said(const struct tests_virtual *drawn)
{
    static char text[600];
    const struct ek_experiment *e = &drawn->experiment;
    const char *const words[] = {e->topology,   e->method,  e->rounding,   e->units,    e->ports, e->domains,
                                 e->announce,   e->invoke,  e->turn_cost,  e->overhead, e->gap,   e->byte_time,
                                 e->load_bytes, e->delay,   e->delay_load, e->mailbox,  e->slow,  e->link_limit,
                                 e->work,       e->working, e->faults,     e->stop,     e->load};
    size_t length = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        length += (size_t)snprintf(text + length, 40, "%.38s ", words[i] ? words[i] : "-");
    }
    snprintf(text + length, sizeof text - length, "operations %lu for %gs tick %gs seed %lu",
             (unsigned long)e->operations_max, e->seconds_max, e->tick_s, (unsigned long)e->seed);
    return text;
}

unsigned tests_virtual_values(const struct ek_report *report, struct tests_value values[TESTS_VALUES_MAX])
{
    const struct ek_free_report *free = &report->free;
    const struct tests_value all[] = {
        {"windows", (double)report->windows},
        {"events", (double)report->events},
        {"busy_s", report->busy_s},
        {"overhead_s", report->overhead_s},
        {"idle_s", report->idle_s},
        {"hopeless", report->hopeless},
        {"converged", report->converged},
        {"audits", (double)free->audits},
        {"reached_s", free->reached_s},
        {"turns", (double)free->turns},
        {"empty_turns", (double)free->empty_turns},
        {"refusals", (double)free->refusals},
        {"abandoned", (double)free->abandoned},
        {"engagements", (double)free->engagements},
        {"overlaps", (double)free->overlaps},
        {"overlap_most", (double)free->overlap_most},
        {"asked", free->asked},
        {"got", free->got},
        {"stale", (double)free->stale},
        {"stalls", (double)free->stalls},
        {"depth_most", (double)free->depth_most},
        {"longest_wait", free->longest_wait},
        {"latency count", (double)free->latency.count},
        {"latency mean", free->latency.mean},
        {"latency maximum", free->latency.maximum},
        {"operation_time count", (double)free->operation_time.count},
        {"operation_time mean", free->operation_time.mean},
        {"announced_age mean", free->announced_age.mean},
        {"stale_age mean", free->stale_age.mean},
        {"waited for an answer", free->waited[EK_WAIT_ANSWER]},
        {"waited for a peer", free->waited[EK_WAIT_PEER]},
        {"waited for room", free->waited[EK_WAIT_ROOM]},
        {"waited after refusals", free->waited[EK_WAIT_TURNED]},
        {"waited idle", free->waited[EK_WAIT_IDLE]},
        {"failures", (double)free->faults.link_failures},
        {"returned", (double)free->faults.returned},
        {"load_returned", free->faults.load_returned},
    };
    memcpy(values, all, sizeof all);
    return sizeof all / sizeof *all;
}

// Returns whether two logs of operations say the same.
static bool same_overlaps(const struct ek_report *a, const struct ek_report *b)
{
    return a->has_effects == b->has_effects && a->free.logged == b->free.logged &&
           a->free.log_lost == b->free.log_lost && a->free.spheres_sampled == b->free.spheres_sampled &&
           memcmp(&a->free.spheres, &b->free.spheres, sizeof a->free.spheres) == 0 &&
           memcmp(&a->free.sphere_operations, &b->free.sphere_operations, sizeof a->free.sphere_operations) == 0 &&
           memcmp(&a->free.sphere_processors, &b->free.sphere_processors, sizeof a->free.sphere_processors) == 0 &&
           memcmp(&a->free.sphere_time, &b->free.sphere_time, sizeof a->free.sphere_time) == 0 &&
           memcmp(&a->effects, &b->effects, sizeof a->effects) == 0;
}

// Returns the name of a time of tasks, or of a count of letters, in which two reports differ, or NULL.
static const char *tasks_differ(const struct ek_tasks_report *a, const struct ek_tasks_report *b)
{
    enum { VALUES = 10 };
    static const char *const names[VALUES] = {
        "work_s",          "done_s",       "detection_s",       "detection_messages",
        "bound_s",         "tasks_idle_s", "tasks_idle_most_s", "requests",
        "requests_failed", "letter_hops"};
    const struct ek_tasks_report *both[2] = {a, b};
    struct tests_value values[2][VALUES];
    for (int i = 0; i < 2; i++) {
        const struct ek_tasks_report *tasks = both[i];
        const double all[VALUES] = {tasks->work_s,
                                    tasks->done_s,
                                    tasks->detection_s,
                                    (double)tasks->detection_messages,
                                    tasks->bound_s,
                                    tasks->idle_s,
                                    tasks->idle_most_s,
                                    (double)tasks->requests,
                                    (double)tasks->requests_failed,
                                    (double)tasks->letter_hops};
        for (int k = 0; k < VALUES; k++) {
            values[i][k] = (struct tests_value){names[k], all[k]};
        }
    }
    return tests_values_differ(values[0], values[1], VALUES);
}

const char *tests_virtual_differs(const struct ek_report *a, const struct ek_report *b, uint32_t processors)
{
    struct tests_value values[TESTS_VALUES_MAX], others[TESTS_VALUES_MAX];
    unsigned count = tests_virtual_values(a, values);
    tests_virtual_values(b, others);
    const char *name = tests_values_differ(values, others, count);
    if (!name && memcmp(a->free.depth, b->free.depth, sizeof a->free.depth) != 0) {
        name = "depth";
    }
    name = name || same_overlaps(a, b) ? name : "overlaps";
    name = name ? name : tasks_differ(&a->tasks, &b->tasks);
    return name ? name : tests_report_differs(a, b, processors);
}
