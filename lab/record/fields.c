// SPDX-License-Identifier: MIT
#include "lab/record/fields.h"
#include "threads/api/report.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define OF_QUANTILES(field) .name = #field, .offset = offsetof(struct ek_quantiles, field)

static const struct lab_field quantiles[] = {{OF_QUANTILES(count), .kind = LAB_WHOLE},
                                             {OF_QUANTILES(mean), .kind = LAB_REAL},
                                             {OF_QUANTILES(median), .kind = LAB_REAL},
                                             {OF_QUANTILES(p90), .kind = LAB_REAL},
                                             {OF_QUANTILES(p99), .kind = LAB_REAL},
                                             {OF_QUANTILES(maximum), .kind = LAB_REAL},
                                             {.name = NULL}};

#define OF_EFFECT(field) .name = #field, .offset = offsetof(struct ek_effect, field)

static const struct lab_field effect[] = {
    {OF_EFFECT(count), .kind = LAB_WHOLE},     {OF_EFFECT(before), .kind = LAB_REAL},
    {OF_EFFECT(after), .kind = LAB_REAL},      {OF_EFFECT(left), .kind = LAB_REAL},
    {OF_EFFECT(left_error), .kind = LAB_REAL}, {.name = NULL}};

#define OF_EFFECTS(field) .name = #field, .offset = offsetof(struct ek_effects, field)
#define EFFECT(field)                                                                                                  \
    {                                                                                                                  \
        OF_EFFECTS(field), .kind = LAB_GROUP, .parts = effect                                                          \
    }

const struct lab_field lab_effects_fields[] = {EFFECT(alone),
                                               EFFECT(overlapped),
                                               EFFECT(adjacent),
                                               EFFECT(one_shared),
                                               EFFECT(two_shared),
                                               EFFECT(many),
                                               {OF_EFFECTS(unknown), .kind = LAB_WHOLE},
                                               {.name = NULL}};

#define WAITED(cause) .offset = (cause) * sizeof(double), .kind = LAB_REAL

static const struct lab_field waited[] = {
    {.name = "answer", WAITED(EK_WAIT_ANSWER)}, {.name = "peer", WAITED(EK_WAIT_PEER)},
    {.name = "room", WAITED(EK_WAIT_ROOM)},     {.name = "turned", WAITED(EK_WAIT_TURNED)},
    {.name = "idle", WAITED(EK_WAIT_IDLE)},     {.name = NULL}};

#define DEPTH(index) .offset = (index) * sizeof(uint64_t), .kind = LAB_WHOLE

static const struct lab_field depths[] = {
    {.name = "1", DEPTH(0)},  {.name = "2", DEPTH(1)},    {.name = "4", DEPTH(2)},
    {.name = "8", DEPTH(3)},  {.name = "16", DEPTH(4)},   {.name = "32", DEPTH(5)},
    {.name = "64", DEPTH(6)}, {.name = "more", DEPTH(7)}, {.name = NULL}};
_Static_assert(sizeof depths / sizeof *depths == EK_DEPTHS + 1, "a name for each depth");

#define OF_ASYNC(field) .name = #field, .offset = offsetof(struct ek_free_report, field)
#define OF_ASYNC_FAULTS(field) .name = #field, .offset = offsetof(struct ek_free_report, faults.field)
#define QUANTILES .kind = LAB_GROUP, .parts = quantiles
#define HARDWARE .when = offsetof(struct ek_free_report, has_counters)
#define RECORDED .when = offsetof(struct ek_free_report, has_recorder)

static const struct lab_field free_fields[] = {
    {OF_ASYNC(audits), .kind = LAB_WHOLE},
    {OF_ASYNC(audit_interval), .kind = LAB_REAL},
    {OF_ASYNC(reached_s), .kind = LAB_REAL},
    {OF_ASYNC(reached_window_s), .kind = LAB_REAL},
    {OF_ASYNC(reached_operations), .kind = LAB_REAL},
    {OF_ASYNC(latency), QUANTILES},
    {OF_ASYNC(operation_time), QUANTILES},
    {OF_ASYNC(longest_wait), .kind = LAB_REAL, .grows = true},
    {OF_ASYNC(refusals), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(abandoned), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(engagements), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(overlaps), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(overlap_most), .kind = LAB_WHOLE},
    {OF_ASYNC(asked), .kind = LAB_REAL, .grows = true},
    {OF_ASYNC(got), .kind = LAB_REAL, .grows = true},
    {OF_ASYNC(stale), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(stale_age), QUANTILES},
    {OF_ASYNC(announced_age), QUANTILES},
    {OF_ASYNC(logged), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(log_lost), .kind = LAB_WHOLE},
    {OF_ASYNC(spheres_sampled), .kind = LAB_WHOLE},
    {OF_ASYNC(spheres), .kind = LAB_REAL},
    {OF_ASYNC(sphere_operations), QUANTILES},
    {OF_ASYNC(sphere_processors), QUANTILES},
    {OF_ASYNC(sphere_time), QUANTILES},
    {OF_ASYNC(delay_asked), QUANTILES},
    {OF_ASYNC(delay_realised), QUANTILES},
    {OF_ASYNC(mailbox_capacity), .kind = LAB_UNSIGNED},
    {OF_ASYNC(depth), .kind = LAB_LIST, .parts = depths},
    {OF_ASYNC(depth_most), .kind = LAB_WHOLE},
    {OF_ASYNC(stalls), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(turns), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(empty_turns), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(sleeps), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(wakes), .kind = LAB_WHOLE, .grows = true},
    {OF_ASYNC(switches_voluntary), .kind = LAB_WHOLE, .grows = true, .of_host = true},
    {OF_ASYNC(switches_forced), .kind = LAB_WHOLE, .grows = true, .of_host = true},
    {OF_ASYNC(migrations), .kind = LAB_WHOLE, .grows = true, .of_host = true},
    {OF_ASYNC(waited), .kind = LAB_GROUP, .parts = waited},
    {OF_ASYNC_FAULTS(link_failures), .kind = LAB_WHOLE},
    {OF_ASYNC_FAULTS(processor_failures), .kind = LAB_WHOLE},
    {OF_ASYNC_FAULTS(repairs), .kind = LAB_WHOLE},
    {OF_ASYNC(fault_lag), .kind = LAB_REAL},
    {OF_ASYNC_FAULTS(returned), .kind = LAB_WHOLE},
    {OF_ASYNC_FAULTS(load_returned), .kind = LAB_REAL},
    {OF_ASYNC(cycles), .kind = LAB_WHOLE, .grows = true, .of_host = true, HARDWARE},
    {OF_ASYNC(instructions), .kind = LAB_WHOLE, .grows = true, .of_host = true, HARDWARE},
    {OF_ASYNC(cache_misses), .kind = LAB_WHOLE, .grows = true, .of_host = true, HARDWARE},
    {OF_ASYNC(recorder_waits), .kind = LAB_WHOLE, RECORDED},
    {OF_ASYNC(recorder_waited), .kind = LAB_REAL, RECORDED},
    {.name = NULL},
};

// Returns the share of all tokens, or objects, that never left their processor.
static double local_fraction(const void *of)
{
    const struct ek_report *report = of;
    double all = report->has_objects ? (double)report->objects.object_count : report->total_initial + report->generated;
    return report->stayed / all;
}

// Returns the load moved over links divided by all load there ever was (Wu & Shu, Fig. 15).
static double normalised_cost(const void *of)
{
    const struct ek_report *report = of;
    return report->moved / (report->total_initial + report->generated);
}

// The reasons for a run's end.
static const char *const ended_names[] = {
    [EK_ENDED_CRITERION] = "criterion", [EK_ENDED_ITSELF] = "itself",
    [EK_ENDED_STEPS] = "steps",         [EK_ENDED_OPERATIONS] = "operations",
    [EK_ENDED_TIME] = "time",           [EK_ENDED_INTERRUPT] = "interrupt",
    [EK_ENDED_FROZEN] = "frozen",       [EK_ENDED_REPEATS] = "repeats",
    [EK_ENDED_DIVERGES] = "diverges",   [EK_ENDED_GIVEN_UP] = "given_up",
    [EK_ENDED_STUCK] = "stuck",         [EK_ENDED_VIOLATION] = "violation",
    [EK_ENDED_DONE] = "done",           [EK_ENDED_DONE + 1] = NULL,
};

// How the processors were divided among ranks.
static const char *const blocks_names[] = {
    [EK_BLOCKS_IN_ORDER] = "order", [EK_BLOCKS_BOXES] = "boxes", [EK_BLOCKS_PARTS] = "parts", NULL};

#define OF(field) .name = #field, .offset = offsetof(struct ek_report, field)
#define OF_FAULTS(field) .name = #field, .offset = offsetof(struct ek_report, faults.field)
#define OF_TASKS(field) .name = #field, .offset = offsetof(struct ek_report, tasks.field)
#define OF_OBJECTS(field) .name = #field, .offset = offsetof(struct ek_report, objects.field)
#define WHEN(field) .when = offsetof(struct ek_report, field)

const struct lab_field lab_report_fields[] = {
    {OF(seed), .kind = LAB_WHOLE},
    {OF(converged), .kind = LAB_SWITCH},
    {OF(ended), .kind = LAB_NAME, .names = ended_names},
    {OF(hopeless), .kind = LAB_SWITCH},
    {OF(why), .kind = LAB_TEXT, .size = sizeof((struct ek_report *)NULL)->why},
    {OF(operations), .kind = LAB_WHOLE, .grows = true, .summarised = true},
    {OF(invocations), .kind = LAB_WHOLE, .grows = true, .summarised = true},
    {OF(steps), .kind = LAB_WHOLE, .grows = true, .unless = offsetof(struct ek_report, timed), .summarised = true},
    {OF(variance_initial), .kind = LAB_REAL, .summarised = true},
    {OF(variance_final), .kind = LAB_REAL, .summarised = true},
    {OF(error_initial), .kind = LAB_REAL, .summarised = true},
    {OF(error_final), .kind = LAB_REAL, .summarised = true},
    {OF(factor), .kind = LAB_REAL, .summarised = true},
    {OF(spread_final), .kind = LAB_REAL, .summarised = true},
    {OF(discrepancy_final), .kind = LAB_REAL, WHEN(has_discrepancy), .summarised = true},
    {OF(estimate_mean), .kind = LAB_REAL, WHEN(has_estimates), .summarised = true},
    {OF(estimate_spread), .kind = LAB_REAL, WHEN(has_estimates), .summarised = true},
    {OF(estimate_error), .kind = LAB_REAL, WHEN(has_estimates), .summarised = true},
    {OF(minimum), .kind = LAB_REAL, .summarised = true},
    {OF(maximum), .kind = LAB_REAL, .summarised = true},
    {OF(total_initial), .kind = LAB_REAL, .summarised = true},
    {OF(total_final), .kind = LAB_REAL, .summarised = true},
    {OF(held_final), .kind = LAB_REAL, .summarised = true},
    {OF(mean_final), .kind = LAB_REAL, .summarised = true},
    {OF(generated), .kind = LAB_REAL, .grows = true, .summarised = true},
    {OF(consumed), .kind = LAB_REAL, .grows = true, .summarised = true},
    {OF(unmet), .kind = LAB_REAL, .grows = true, .summarised = true},
    {OF(in_flight), .kind = LAB_REAL, .summarised = true},
    {OF(minimum_ever), .kind = LAB_REAL, .summarised = true},
    {OF(parcels), .kind = LAB_WHOLE, .grows = true, .summarised = true},
    {OF(moved), .kind = LAB_REAL, .grows = true, .summarised = true},
    {.name = "normalised_cost", .kind = LAB_REAL, .grows = true, .computed = normalised_cost, .summarised = true},
    {OF(stayed), .kind = LAB_REAL, WHEN(has_stayed), .summarised = true},
    {.name = "local_fraction", .kind = LAB_REAL, .computed = local_fraction, WHEN(has_stayed), .summarised = true},
    {OF(flow_l1), .kind = LAB_REAL, .summarised = true},
    {OF(flow_l2), .kind = LAB_REAL, .summarised = true},
    {OF(messages), .kind = LAB_WHOLE, .grows = true, .summarised = true},
    {OF(idle), .kind = LAB_WHOLE, .grows = true, .summarised = true},
    {OF(exchange_steps), .kind = LAB_WHOLE, .grows = true, WHEN(has_exchange), .summarised = true},
    {OF(scan_steps), .kind = LAB_WHOLE, .grows = true, WHEN(has_scan), .summarised = true},
    {OF(reduction_steps), .kind = LAB_WHOLE, .grows = true, WHEN(has_reduction), .summarised = true},
    {OF(shifts), .kind = LAB_REAL, .grows = true, WHEN(has_shifts), .summarised = true},
    {OF(steps_paper), .kind = LAB_WHOLE, WHEN(has_steps_paper), .summarised = true},
    {OF(steps_paper_counts), .kind = LAB_TEXT, .size = sizeof((struct ek_report *)NULL)->steps_paper_counts,
     WHEN(has_steps_paper)},
    {OF(cycle), .kind = LAB_WHOLE, WHEN(has_cycle)},
    {OF(effects), .kind = LAB_GROUP, .parts = lab_effects_fields, WHEN(has_effects)},
    {OF(window_moments), .kind = LAB_WHOLE, WHEN(has_window), .summarised = true},
    {OF(bound), .kind = LAB_REAL, WHEN(has_window), .summarised = true},
    {OF(variance_mean), .kind = LAB_REAL, WHEN(has_window), .summarised = true},
    {OF(variance_most), .kind = LAB_REAL, WHEN(has_window), .summarised = true},
    {OF_FAULTS(link_failures), .kind = LAB_WHOLE, WHEN(has_faults), .summarised = true},
    {OF_FAULTS(processor_failures), .kind = LAB_WHOLE, WHEN(has_faults), .summarised = true},
    {OF_FAULTS(repairs), .kind = LAB_WHOLE, WHEN(has_faults), .summarised = true},
    {OF_FAULTS(returned), .kind = LAB_WHOLE, WHEN(has_faults), .summarised = true},
    {OF_FAULTS(load_returned), .kind = LAB_REAL, WHEN(has_faults), .summarised = true},
    {OF(elapsed_s), .kind = LAB_REAL, .of_host = true, .grows = true, .summarised = true},
    {OF(virtual_s), .kind = LAB_REAL, .grows = true, WHEN(has_virtual), .summarised = true},
    {OF(windows), .kind = LAB_WHOLE, .grows = true, WHEN(has_windows), .summarised = true},
    {OF(window_s), .kind = LAB_REAL, WHEN(has_windows)},
    {OF(events), .kind = LAB_WHOLE, .grows = true, WHEN(has_windows), .summarised = true},
    {OF(busy_s), .kind = LAB_REAL, .grows = true, WHEN(has_windows), .summarised = true},
    {OF(overhead_s), .kind = LAB_REAL, .grows = true, WHEN(has_windows), .summarised = true},
    {OF(idle_s), .kind = LAB_REAL, .grows = true, WHEN(has_windows), .summarised = true},
    {OF_TASKS(executed), .kind = LAB_WHOLE, .grows = true, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(nodes), .kind = LAB_WHOLE, .grows = true, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(nodes_serial), .kind = LAB_WHOLE, WHEN(tasks.has_search),
     .unless = offsetof(struct ek_report, tasks.serial_unknown), .summarised = true},
    {OF_TASKS(search_overhead), .kind = LAB_REAL, WHEN(tasks.has_search), .summarised = true},
    {OF_TASKS(result), .kind = LAB_WHOLE, WHEN(tasks.has_result), .summarised = true},
    {OF_TASKS(ticks), .kind = LAB_WHOLE, .grows = true, WHEN(tasks.has_ticks), .summarised = true},
    {OF_TASKS(done_s), .kind = LAB_REAL, .grows = true, WHEN(tasks.has_times), .summarised = true},
    {.name = "tasks_moved",
     .kind = LAB_REAL,
     .offset = offsetof(struct ek_report, moved),
     .grows = true,
     WHEN(has_tasks),
     .summarised = true},
    {.name = "transfers",
     .kind = LAB_WHOLE,
     .offset = offsetof(struct ek_report, parcels),
     .grows = true,
     WHEN(has_tasks),
     .summarised = true},
    {OF_TASKS(cost), .kind = LAB_WHOLE, .grows = true, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(speedup), .kind = LAB_REAL, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(efficiency), .kind = LAB_REAL, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(bound_ticks), .kind = LAB_REAL, WHEN(tasks.has_ticks), .summarised = true},
    {OF_TASKS(idle_ticks), .kind = LAB_REAL, .grows = true, WHEN(tasks.has_ticks), .summarised = true},
    {OF_TASKS(idle_ticks_most), .kind = LAB_REAL, .grows = true, WHEN(tasks.has_ticks), .summarised = true},
    {OF_TASKS(shared_tick), .kind = LAB_WHOLE, WHEN(tasks.has_shared), .summarised = true},
    {OF_TASKS(work_s), .kind = LAB_REAL, WHEN(tasks.has_times), .summarised = true},
    {OF_TASKS(bound_s), .kind = LAB_REAL, WHEN(tasks.has_bound), .summarised = true},
    {.name = "tasks_idle_s",
     .offset = offsetof(struct ek_report, tasks.idle_s),
     .kind = LAB_REAL,
     .grows = true,
     WHEN(tasks.has_bound),
     .summarised = true},
    {.name = "tasks_idle_most_s",
     .offset = offsetof(struct ek_report, tasks.idle_most_s),
     .kind = LAB_REAL,
     .grows = true,
     WHEN(tasks.has_bound),
     .summarised = true},
    {OF_TASKS(detection_s), .kind = LAB_REAL, .grows = true, WHEN(tasks.has_times), .summarised = true},
    {OF_TASKS(detection_messages), .kind = LAB_WHOLE, .grows = true, WHEN(tasks.has_times), .summarised = true},
    {OF_TASKS(native_fraction), .kind = LAB_REAL, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(most_held), .kind = LAB_WHOLE, .grows = true, WHEN(has_tasks), .summarised = true},
    {OF_TASKS(requests), .kind = LAB_WHOLE, .grows = true, WHEN(tasks.has_letters), .summarised = true},
    {OF_TASKS(requests_failed), .kind = LAB_WHOLE, .grows = true, WHEN(tasks.has_letters), .summarised = true},
    {OF_TASKS(letter_hops), .kind = LAB_WHOLE, .grows = true, WHEN(tasks.has_letters), .summarised = true},
    {OF_OBJECTS(object_count), .kind = LAB_WHOLE, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(imbalance_initial), .kind = LAB_REAL, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(imbalance), .kind = LAB_REAL, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(edge_cut_initial), .kind = LAB_REAL, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(edge_cut), .kind = LAB_REAL, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(bytes_moved), .kind = LAB_WHOLE, .grows = true, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(most_bytes), .kind = LAB_WHOLE, .grows = true, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(objects_moved), .kind = LAB_WHOLE, .grows = true, WHEN(has_objects), .summarised = true},
    {OF_OBJECTS(moved_once), .kind = LAB_REAL, WHEN(has_objects), .summarised = true},
    {OF(workers), .kind = LAB_UNSIGNED, .of_host = true},
    {OF(blocks), .kind = LAB_NAME, .names = blocks_names, WHEN(has_ranks)},
    {OF(cut), .kind = LAB_WHOLE, WHEN(has_ranks)},
    {OF(cut_in_order), .kind = LAB_WHOLE, WHEN(has_ranks)},
    {.name = "free", .offset = offsetof(struct ek_report, free), .kind = LAB_GROUP, .parts = free_fields, WHEN(timed)},
    {.name = NULL},
};

#define OF_TRACE(field) .name = #field, .offset = offsetof(struct ek_trace_row, field)
#define TRACED                                                                                                         \
    {OF_TRACE(variance), .kind = LAB_REAL}, {OF_TRACE(spread), .kind = LAB_REAL},                                      \
        {OF_TRACE(minimum), .kind = LAB_REAL}, {OF_TRACE(maximum), .kind = LAB_REAL},                                  \
        {OF_TRACE(moved), .kind = LAB_REAL}, {OF_TRACE(invokers), .kind = LAB_WHOLE},                                  \
        {OF_TRACE(in_flight), .kind = LAB_REAL}, {OF_TRACE(error), .kind = LAB_REAL},                                  \
        {OF_TRACE(mean), .kind = LAB_REAL}, {OF_TRACE(deviation), .kind = LAB_REAL},                                   \
        {OF_TRACE(normalised_cost), .kind = LAB_REAL}, {OF_TRACE(local_fraction), .kind = LAB_REAL},                   \
    {                                                                                                                  \
        OF_TRACE(invocations), .kind = LAB_WHOLE                                                                       \
    }

static const struct lab_field step_rows[] = {
    {OF_TRACE(step), .kind = LAB_WHOLE}, TRACED, {OF_TRACE(time), .kind = LAB_REAL, .later = true}, {.name = NULL}};
static const struct lab_field second_rows[] = {{OF_TRACE(time), .kind = LAB_REAL}, TRACED, {.name = NULL}};

#define OF_FRAME(field) .name = #field, .offset = offsetof(struct ek_frame, field)

static const struct lab_field step_frames[] = {{OF_FRAME(step), .kind = LAB_WHOLE}, {.name = NULL}};
static const struct lab_field second_frames[] = {{OF_FRAME(time), .kind = LAB_REAL}, {.name = NULL}};

const struct lab_time *lab_time_of(const struct ek_report *report)
{
    static const struct lab_time steps = {"step", "communication steps", false, false, step_rows, step_frames};
    static const struct lab_time seconds = {"second", "time in seconds", true, false, second_rows, second_frames};
    static const struct lab_time computed = {"virtual second", "virtual time", true, true, second_rows, second_frames};
    return report->has_windows ? &computed : report->timed ? &seconds : &steps;
}

#define OF_LINK(field) .name = #field, .offset = offsetof(struct ek_link_report, field)

const struct lab_field lab_link_fields[] = {{OF_LINK(from), .kind = LAB_UNSIGNED},
                                            {OF_LINK(to), .kind = LAB_UNSIGNED},
                                            {OF_LINK(messages), .kind = LAB_WHOLE},
                                            {OF_LINK(stalls), .kind = LAB_WHOLE},
                                            {OF_LINK(depth_most), .kind = LAB_WHOLE},
                                            {OF_LINK(load), .kind = LAB_REAL},
                                            {OF_LINK(latency), QUANTILES},
                                            {.name = NULL}};

#define OF_FLOW(field) .name = #field, .offset = offsetof(struct ek_flow_report, field)

const struct lab_field lab_flow_fields[] = {
    {OF_FLOW(from), .kind = LAB_UNSIGNED},      {OF_FLOW(to), .kind = LAB_UNSIGNED},
    {OF_FLOW(dimension), .kind = LAB_UNSIGNED}, {OF_FLOW(colour), .kind = LAB_UNSIGNED},
    {OF_FLOW(forth), .kind = LAB_REAL},         {OF_FLOW(back), .kind = LAB_REAL},
    {OF_FLOW(net), .kind = LAB_REAL},           {.name = NULL}};

static const struct lab_field *named(const struct lab_field *fields, const char *name)
{
    while (fields->name && strcmp(fields->name, name) != 0) {
        fields++;
    }
    return fields->name ? fields : NULL;
}

const struct lab_field *lab_field_named(const char *name)
{
    return named(lab_report_fields, name);
}

const struct lab_field *lab_trace_field_at(size_t index)
{
    return index + 2 < sizeof step_rows / sizeof *step_rows ? &step_rows[index + 1] : NULL;
}

const struct lab_field *lab_trace_field_named(const char *name)
{
    return named(step_rows + 1, name);
}

// Finds the field of a column such as "free.turns": first the field "free", then its part "turns".
static const struct lab_field *field_of_column(const char *column)
{
    const struct lab_field *fields = lab_report_fields;
    while (fields) {
        const size_t length = strcspn(column, ".");
        while (fields->name && !(strlen(fields->name) == length && strncmp(fields->name, column, length) == 0)) {
            fields++;
        }
        if (!fields->name || !column[length]) {
            return fields->name ? fields : NULL;
        }
        column += length + 1;
        fields = fields->parts;
    }
    return NULL;
}

bool lab_field_grows(const char *column)
{
    const struct lab_field *field = field_of_column(column);
    return (field && field->grows) || strcmp(column, "duration_s") == 0;
}

bool lab_field_present(const struct lab_field *field, const void *of)
{
    return field->when == 0 || *(const bool *)((const char *)of + field->when);
}

bool lab_field_measured(const struct lab_field *field, const void *of)
{
    return field->unless == 0 || !*(const bool *)((const char *)of + field->unless);
}

uint64_t lab_field_whole(const struct lab_field *field, const void *of)
{
    const char *place = (const char *)of + field->offset;
    assert(field->kind == LAB_WHOLE || field->kind == LAB_UNSIGNED);
    return field->kind == LAB_WHOLE ? *(const uint64_t *)place : *(const unsigned *)place;
}

// JSON has no infinity. Treating it as NaN keeps a record the same when it is written and read back.
static double finite(double value)
{
    return isfinite(value) ? value : NAN;
}

double lab_field_value(const struct lab_field *field, const void *of)
{
    const char *place = (const char *)of + field->offset;
    if (!lab_field_measured(field, of)) {
        return NAN;
    }
    switch (field->kind) {
    case LAB_WHOLE:
    case LAB_UNSIGNED:
        return (double)lab_field_whole(field, of);
    case LAB_REAL:
        return finite(field->computed ? field->computed(of) : *(const double *)place);
    case LAB_SWITCH:
        return *(const bool *)place;
    case LAB_NAME:
    case LAB_TEXT:
    case LAB_GROUP:
    case LAB_LIST:
        break;
    }
    return NAN;
}

const char *lab_field_text(const struct lab_field *field, const void *of)
{
    const char *place = (const char *)of + field->offset;
    assert(field->kind == LAB_NAME || field->kind == LAB_TEXT);
    return field->kind == LAB_TEXT ? place : field->names[*(const unsigned *)place];
}
