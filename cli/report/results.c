// SPDX-License-Identifier: MIT
// The table of what a run's report says (docs/report.md describes it), and the summary over several runs.
#include "cli/report/results.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLACE(field) offsetof(struct ek_report, field)

static const struct report_field fields[] = {
    {.name = "seed", .kind = REPORT_FIELD_WHOLE, .offset = PLACE(seed)},
    {.name = "converged", .kind = REPORT_FIELD_SWITCH, .offset = PLACE(converged)},
    {.name = "operations", .kind = REPORT_FIELD_WHOLE, .offset = PLACE(operations), .summarised = true},
    {.name = "steps",
     .kind = REPORT_FIELD_WHOLE,
     .offset = PLACE(steps),
     .unless = PLACE(has_async),
     .summarised = true},
    {.name = "variance_initial", .kind = REPORT_FIELD_REAL, .offset = PLACE(variance_initial)},
    {.name = "variance_final", .kind = REPORT_FIELD_REAL, .offset = PLACE(variance_final), .summarised = true},
    {.name = "spread_final", .kind = REPORT_FIELD_REAL, .offset = PLACE(spread_final), .summarised = true},
    {.name = "minimum", .kind = REPORT_FIELD_REAL, .offset = PLACE(minimum)},
    {.name = "maximum", .kind = REPORT_FIELD_REAL, .offset = PLACE(maximum)},
    {.name = "total_initial", .kind = REPORT_FIELD_REAL, .offset = PLACE(total_initial)},
    {.name = "total_final", .kind = REPORT_FIELD_REAL, .offset = PLACE(total_final)},
    {.name = "generated", .kind = REPORT_FIELD_REAL, .offset = PLACE(generated)},
    {.name = "consumed", .kind = REPORT_FIELD_REAL, .offset = PLACE(consumed)},
    {.name = "in_flight", .kind = REPORT_FIELD_REAL, .offset = PLACE(in_flight)},
    {.name = "minimum_ever", .kind = REPORT_FIELD_REAL, .offset = PLACE(minimum_ever)},
    {.name = "parcels", .kind = REPORT_FIELD_WHOLE, .offset = PLACE(parcels), .summarised = true},
    {.name = "moved", .kind = REPORT_FIELD_REAL, .offset = PLACE(moved), .summarised = true},
    {.name = "stayed", .kind = REPORT_FIELD_REAL, .offset = PLACE(stayed), .when = PLACE(has_stayed)},
    {.name = "local_fraction", .kind = REPORT_FIELD_REAL, .offset = SIZE_MAX, .when = PLACE(has_stayed)},
    {.name = "flow_l1", .kind = REPORT_FIELD_REAL, .offset = PLACE(flow_l1)},
    {.name = "flow_l2", .kind = REPORT_FIELD_REAL, .offset = PLACE(flow_l2)},
    {.name = "messages", .kind = REPORT_FIELD_WHOLE, .offset = PLACE(messages), .summarised = true},
    {.name = "idle", .kind = REPORT_FIELD_WHOLE, .offset = PLACE(idle)},
    {.name = "exchange_steps",
     .kind = REPORT_FIELD_WHOLE,
     .offset = PLACE(exchange_steps),
     .when = PLACE(has_exchange),
     .summarised = true},
    {.name = "scan_steps",
     .kind = REPORT_FIELD_WHOLE,
     .offset = PLACE(scan_steps),
     .when = PLACE(has_scan),
     .summarised = true},
    {.name = "reduction_steps",
     .kind = REPORT_FIELD_WHOLE,
     .offset = PLACE(reduction_steps),
     .when = PLACE(has_reduction),
     .summarised = true},
    {.name = "shifts",
     .kind = REPORT_FIELD_REAL,
     .offset = PLACE(shifts),
     .when = PLACE(has_shifts),
     .summarised = true},
    {.name = "elapsed_s", .kind = REPORT_FIELD_REAL, .offset = PLACE(elapsed_s), .summarised = true},
};

const struct report_field *report_field_at(size_t index)
{
    return index < sizeof fields / sizeof *fields ? &fields[index] : NULL;
}

const struct report_field *report_field_named(const char *name)
{
    size_t i = 0;
    while (report_field_at(i) && strcmp(report_field_at(i)->name, name) != 0) {
        i++;
    }
    return report_field_at(i);
}

bool report_field_present(const struct report_field *field, const struct ek_report *report)
{
    return field->when == 0 || *(const bool *)((const char *)report + field->when);
}

bool report_field_measured(const struct report_field *field, const struct ek_report *report)
{
    return field->unless == 0 || !*(const bool *)((const char *)report + field->unless);
}

uint64_t report_field_whole(const struct report_field *field, const struct ek_report *report)
{
    assert(field->kind == REPORT_FIELD_WHOLE);
    return *(const uint64_t *)((const char *)report + field->offset);
}

double report_field_value(const struct report_field *field, const struct ek_report *report)
{
    if (!report_field_measured(field, report)) {
        return NAN;
    }
    if (field->offset == SIZE_MAX) {
        return report->stayed / (report->total_initial + report->generated - report->consumed);
    }
    if (field->kind == REPORT_FIELD_WHOLE) {
        return (double)report_field_whole(field, report);
    }
    const char *place = (const char *)report + field->offset;
    return field->kind == REPORT_FIELD_REAL ? *(const double *)place : *(const bool *)place;
}

#define FREE(field) .name = #field, .offset = offsetof(struct ek_async_report, field)

static const struct report_free_field free_fields[] = {
    {FREE(audits), .kind = REPORT_FREE_WHOLE},
    {FREE(audit_interval), .kind = REPORT_FREE_REAL},
    {FREE(latency), .kind = REPORT_FREE_QUANTILES},
    {FREE(operation_time), .kind = REPORT_FREE_QUANTILES},
    {FREE(longest_wait), .kind = REPORT_FREE_REAL},
    {FREE(refusals), .kind = REPORT_FREE_WHOLE},
    {FREE(abandoned), .kind = REPORT_FREE_WHOLE},
    {FREE(engagements), .kind = REPORT_FREE_WHOLE},
    {FREE(overlaps), .kind = REPORT_FREE_WHOLE},
    {FREE(overlap_most), .kind = REPORT_FREE_WHOLE},
    {FREE(alone), .kind = REPORT_FREE_EFFECT},
    {FREE(overlapped), .kind = REPORT_FREE_EFFECT},
    {FREE(asked), .kind = REPORT_FREE_REAL},
    {FREE(got), .kind = REPORT_FREE_REAL},
    {FREE(stale), .kind = REPORT_FREE_WHOLE},
    {FREE(stale_age), .kind = REPORT_FREE_QUANTILES},
    {FREE(logged), .kind = REPORT_FREE_WHOLE},
    {FREE(log_lost), .kind = REPORT_FREE_WHOLE},
    {FREE(spheres_sampled), .kind = REPORT_FREE_WHOLE},
    {FREE(spheres), .kind = REPORT_FREE_REAL},
    {FREE(sphere_operations), .kind = REPORT_FREE_QUANTILES},
    {FREE(sphere_processors), .kind = REPORT_FREE_QUANTILES},
    {FREE(sphere_time), .kind = REPORT_FREE_QUANTILES},
    {FREE(delay_asked), .kind = REPORT_FREE_QUANTILES},
    {FREE(delay_realised), .kind = REPORT_FREE_QUANTILES},
    {FREE(mailbox_capacity), .kind = REPORT_FREE_COUNT},
    {FREE(depth), .kind = REPORT_FREE_DEPTH},
    {FREE(depth_most), .kind = REPORT_FREE_WHOLE},
    {FREE(stalls), .kind = REPORT_FREE_WHOLE},
    {FREE(turns), .kind = REPORT_FREE_WHOLE},
    {FREE(empty_turns), .kind = REPORT_FREE_WHOLE},
    {FREE(sleeps), .kind = REPORT_FREE_WHOLE},
    {FREE(wakes), .kind = REPORT_FREE_WHOLE},
    {FREE(switches_voluntary), .kind = REPORT_FREE_WHOLE},
    {FREE(switches_forced), .kind = REPORT_FREE_WHOLE},
    {FREE(migrations), .kind = REPORT_FREE_WHOLE},
    {FREE(waited), .kind = REPORT_FREE_WAITED},
    {FREE(link_failures), .kind = REPORT_FREE_WHOLE},
    {FREE(processor_failures), .kind = REPORT_FREE_WHOLE},
    {FREE(repairs), .kind = REPORT_FREE_WHOLE},
    {FREE(returned), .kind = REPORT_FREE_WHOLE},
    {FREE(load_returned), .kind = REPORT_FREE_REAL},
    {FREE(cycles), .kind = REPORT_FREE_WHOLE, .hardware = true},
    {FREE(instructions), .kind = REPORT_FREE_WHOLE, .hardware = true},
    {FREE(cache_misses), .kind = REPORT_FREE_WHOLE, .hardware = true},
};

const struct report_free_field *report_free_field_at(size_t index)
{
    return index < sizeof free_fields / sizeof *free_fields ? &free_fields[index] : NULL;
}

static bool quantile_at(const struct ek_quantiles *quantiles, size_t index, struct report_free_number *number)
{
    const struct report_free_number numbers[] = {{"count", (double)quantiles->count, true},
                                                 {"mean", quantiles->mean, false},
                                                 {"median", quantiles->median, false},
                                                 {"p90", quantiles->p90, false},
                                                 {"p99", quantiles->p99, false},
                                                 {"maximum", quantiles->maximum, false}};
    bool there = index < sizeof numbers / sizeof *numbers;
    *number = there ? numbers[index] : (struct report_free_number){0};
    return there;
}

static bool effect_at(const struct ek_effect *effect, size_t index, struct report_free_number *number)
{
    const struct report_free_number numbers[] = {{"count", (double)effect->count, true},
                                                 {"before", effect->before, false},
                                                 {"after", effect->after, false},
                                                 {"after_error", effect->after_error, false}};
    bool there = index < sizeof numbers / sizeof *numbers;
    *number = there ? numbers[index] : (struct report_free_number){0};
    return there;
}

static bool waited_at(const double *waited, size_t index, struct report_free_number *number)
{
    static const char *const names[EK_WAITS] = {[EK_WAIT_ANSWER] = "answer",
                                                [EK_WAIT_PEER] = "peer",
                                                [EK_WAIT_ROOM] = "room",
                                                [EK_WAIT_TURNED] = "turned",
                                                [EK_WAIT_IDLE] = "idle"};
    bool there = index < EK_WAITS;
    *number = there ? (struct report_free_number){names[index], waited[index], false} : (struct report_free_number){0};
    return there;
}

static bool depth_at(const uint64_t *depth, size_t index, struct report_free_number *number)
{
    static const char *const names[EK_DEPTHS] = {"1", "2", "4", "8", "16", "32", "64", "more"};
    bool there = index < EK_DEPTHS;
    *number =
        there ? (struct report_free_number){names[index], (double)depth[index], true} : (struct report_free_number){0};
    return there;
}

bool report_free_number_at(const struct report_free_field *field, const struct ek_async_report *async, size_t index,
                           struct report_free_number *number)
{
    const void *place = (const char *)async + field->offset;
    switch (field->kind) {
    case REPORT_FREE_QUANTILES:
        return quantile_at(place, index, number);
    case REPORT_FREE_EFFECT:
        return effect_at(place, index, number);
    case REPORT_FREE_WAITED:
        return waited_at(place, index, number);
    case REPORT_FREE_DEPTH:
        return depth_at(place, index, number);
    case REPORT_FREE_COUNT:
        *number = (struct report_free_number){"", *(const unsigned *)place, true};
        break;
    case REPORT_FREE_WHOLE:
        *number = (struct report_free_number){"", (double)*(const uint64_t *)place, true};
        break;
    case REPORT_FREE_REAL:
        *number = (struct report_free_number){"", *(const double *)place, false};
        break;
    }
    return index == 0;
}

double report_trace_place(const struct ek_report *report, size_t row)
{
    assert(row < report->trace_count);
    return report->has_async ? report->trace[row].time : (double)report->trace[row].step;
}

struct report_summary report_summarise(const struct report_results *results, const struct report_field *field)
{
    assert(results->count > 0);
    double first = report_field_value(field, &results->reports[0]);
    struct report_summary summary = {.mean = first, .minimum = first, .maximum = first};
    double squares = 0.0;
    // Welford's recurrence: no cancellation however large the mean.
    for (size_t i = 1; i < results->count; i++) {
        double value = report_field_value(field, &results->reports[i]);
        double away = value - summary.mean;
        summary.mean += away / (double)(i + 1);
        squares += away * (value - summary.mean);
        summary.minimum = fmin(summary.minimum, value);
        summary.maximum = fmax(summary.maximum, value);
    }
    summary.sd = isnan(first) ? NAN : results->count > 1 ? sqrt(squares / (double)(results->count - 1)) : 0.0;
    return summary;
}

const char *report_units(const struct report_results *results)
{
    bool only_tokens = ek_machine_method(results->machine)->units == EK_TOKENS;
    return only_tokens ? "tokens" : cli_options_text(results->options, "units");
}

const char *report_stop(const struct report_results *results)
{
    return ek_machine_stop(results->machine);
}

static const struct {
    const char *name;
    const char *option;                                         // NULL: as the name
    const char *(*value)(const struct report_results *results); // NULL: the option's
} axes[] = {
    {.name = "units", .value = report_units},
    {.name = "ports"},
    {.name = "load"},
    {.name = "carrier"},
    {.name = "timing"},
    {.name = "invoke"},
    {.name = "delay"},
    {.name = "work"},
    {.name = "capacity"},
    {.name = "stop", .value = report_stop},
    {.name = "weighting"},
    {.name = "link_limit", .option = "link-limit"},
    {.name = "clock"},
    {.name = "domains"},
};

const char *report_axis_name(size_t index)
{
    return index < sizeof axes / sizeof *axes ? axes[index].name : NULL;
}

const char *report_axis_value(const struct report_results *results, size_t index)
{
    assert(index < sizeof axes / sizeof *axes);
    const char *option = axes[index].option ? axes[index].option : axes[index].name;
    return axes[index].value ? axes[index].value(results) : cli_options_text(results->options, option);
}

void report_theory(const struct report_results *results, struct ek_theory *theory)
{
    if (ek_theory_soon(results->machine)) {
        ek_theory_find(results->machine, theory);
        return;
    }
    *theory = (struct ek_theory){.gamma_exact = NAN,
                                 .gamma_closed = NAN,
                                 .parameter = ek_machine_parameter(results->machine),
                                 .parameter_best = NAN,
                                 .operations = NAN,
                                 .steps = NAN};
    snprintf(theory->note, sizeof theory->note,
             "It takes long to find the factor on this topology: evenkeel theory does it.");
}

size_t report_unreached(const struct report_results *results)
{
    size_t unreached = 0;
    for (size_t i = 0; i < results->count; i++) {
        unreached += !results->reports[i].converged;
    }
    return unreached;
}

const char *report_why(const struct ek_report *report)
{
    if (report->why_not[0]) {
        return report->why_not;
    }
    switch (report->reason) {
    case EK_INTERRUPT:
        return "interrupted";
    case EK_TIME:
        return "--for cut it";
    case EK_ENDED:
        return "the method ended by itself";
    case EK_QUIET:
        return "nobody invokes any more, and nothing is under way";
    case EK_WATCHDOG:
        return "the watchdog saw no progress";
    default:
        return "";
    }
}
