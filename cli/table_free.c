// SPDX-License-Identifier: MIT
// What free timing adds to the table of a run, in plain words: how fast, whether the ledger agreed, how operations
// overlapped and what they did, how messages fared, and what the processors waited for. What was not measured is not
// shown.
#include <math.h>
#include <string.h>

#include "cli/results.h"
#include "cli/text.h"

// "12.3 %" of a whole; "-" of nothing.
static struct ek_text share(double part, double whole)
{
    struct ek_text text = {"-"};
    if (whole > 0.0) {
        snprintf(text.of, sizeof text.of, "%.3g %%", 100.0 * part / whole);
    }
    return text;
}

// "6.21 million a second".
static struct ek_text rate(double count, double seconds)
{
    double each = count / seconds;
    struct ek_text text;
    if (each >= 1e6) {
        snprintf(text.of, sizeof text.of, "%.3g million a second", each / 1e6);
    } else {
        snprintf(text.of, sizeof text.of, "%.50s a second", ek_text_count((uint64_t)lround(each)).of);
    }
    return text;
}

// "median 12 us, 99 % within 340 us, at most 1.2 ms".
static struct ek_text times(const struct ek_quantiles *times)
{
    struct ek_text text;
    snprintf(text.of, sizeof text.of, "median %.16s, 99 %% within %.16s, at most %.16s",
             ek_text_seconds(times->median).of, ek_text_seconds(times->p99).of, ek_text_seconds(times->maximum).of);
    return text;
}

static void print_speed(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report)
{
    const struct ek_free_report *free = &report->free;
    ek_table_say(out, terminal, "speed", "operations: %s; messages: %s",
                 rate((double)report->operations, report->elapsed_s).of,
                 rate((double)report->messages, report->elapsed_s).of);
    struct ek_line line = {0};
    ek_line_add(&line, "%s", ek_text_plural(free->audits, "audit").of);
    if (!isnan(free->audit_interval)) {
        ek_line_add(&line, " every %s", ek_text_seconds(free->audit_interval).of);
    }
    ek_table_say(out, terminal, "ledger", "%s%s", line.of, free->audits > 0 ? ", exact" : "");
}

static void print_operations(FILE *out, const struct ek_terminal *terminal, const struct ek_free_report *free)
{
    if (free->operation_time.count > 0) {
        ek_table_say(out, terminal, "operations", "%s; longest wait for one %s", times(&free->operation_time).of,
                     ek_text_seconds(free->longest_wait).of);
    }
    if (free->refusals > 0) {
        ek_table_say(out, terminal, "refused", "%s of neighbours; everybody refused in %s",
                     ek_text_plural(free->refusals, "ask").of, ek_text_plural(free->abandoned, "operation").of);
    }
    if (free->engagements > 0) {
        ek_table_say(out, terminal, "overlap", "%s of %s were in another operation too, at most %s at once",
                     share((double)free->overlaps, (double)free->engagements).of,
                     ek_text_plural(free->engagements, "engagement").of, ek_text_count(free->overlap_most).of);
    }
    if (free->spheres_sampled > 0 && free->sphere_operations.count > 0) {
        ek_table_say(out, terminal, "spheres",
                     "%.3g at a time, each of %.3g operations (at most %.3g) and %.3g processors (at most %.3g)",
                     free->spheres, free->sphere_operations.mean, free->sphere_operations.maximum,
                     free->sphere_processors.mean, free->sphere_processors.maximum);
    }
}

// What the closed form leaves of the variance of a domain, over what was there: the facts have it in units of the
// variance of one load, and before the operation each of the d+1 processors has 1-1/N. NaN where the domains differ in
// size.
static double theory_left(const struct ek_results *results)
{
    const struct ek_topology *topology = ek_machine_topology(results->machine);
    bool exchanges = ek_machine_method(results->machine)->links == EK_LINKS_COLOUR;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t count = ek_facts_find(results->machine, facts, EK_FACTS_MAX);
    for (size_t i = 0; i < count && topology->degree_min == topology->degree_max; i++) {
        if (strcmp(facts[i].name, exchanges ? "domain_exchange" : "domain_diffusion") == 0) {
            double before = (topology->degree_max + 1.0) * (1.0 - 1.0 / topology->processors);
            return facts[i].value / before;
        }
    }
    return NAN;
}

static void print_effect(FILE *out, const struct ek_terminal *terminal, const char *label,
                         const struct ek_effect *effect, uint64_t measured, double theory)
{
    if (effect->count == 0) {
        return;
    }
    struct ek_text after;
    if (isnan(effect->after_error)) { // of one operation
        snprintf(after.of, sizeof after.of, "%.5g", effect->after);
    } else {
        snprintf(after.of, sizeof after.of, "%.5g +- %.2g", effect->after, effect->after_error);
    }
    ek_table_label(out, terminal, label);
    fprintf(out, "%9s%9s%11.5g%22s%8.3g", ek_text_count(effect->count).of,
            share((double)effect->count, (double)measured).of, effect->before, after.of,
            effect->after / effect->before);
    if (!isnan(theory)) {
        fprintf(out, "%8s", ek_text_real(round(theory * 1e4) / 1e4).of);
    }
    fputc('\n', out);
}

static void print_effects(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results,
                          const struct ek_free_report *free)
{
    uint64_t measured = free->alone.count + free->overlapped.count;
    if (measured == 0) {
        return;
    }
    double theory = free->alone.count > 0 ? theory_left(results) : NAN;
    fprintf(out, "\n  variance of a domain\n%22s%9s%11s%22s%8s%s\n", "operations", "share", "before", "after", "left",
            isnan(theory) ? "" : "  theory");
    print_effect(out, terminal, "alone", &free->alone, measured, theory);
    print_effect(out, terminal, "overlapped", &free->overlapped, measured, NAN);
    fputc('\n', out);
}

static void print_mailboxes(FILE *out, const struct ek_terminal *terminal, const struct ek_report *report)
{
    const struct ek_free_report *free = &report->free;
    if (free->latency.count > 0) {
        ek_table_say(out, terminal, "latency", "%s", times(&free->latency).of);
    }
    double emptied = 0.0;
    for (size_t i = 0; i < EK_DEPTHS; i++) {
        emptied += (double)free->depth[i];
    }
    struct ek_line line = {0};
    ek_line_add(&line, "at most %s in one, of %u that it takes", ek_text_count(free->depth_most).of,
                free->mailbox_capacity);
    if (emptied > 0.0) {
        ek_line_add(&line, "; %s held one", share((double)free->depth[0], emptied).of);
    }
    ek_table_say(out, terminal, "mailboxes", "%s; %s stalled", line.of,
                 share((double)free->stalls, (double)report->messages).of);
    if (free->asked > 0.0) {
        line = (struct ek_line){0};
        ek_line_add(&line, "%s of the load asked for was there", share(free->got, free->asked).of);
        if (free->stale > 0) {
            ek_line_add(&line, "; %s less, told %s before (median)", ek_text_plural(free->stale, "time").of,
                        ek_text_seconds(free->stale_age.median).of);
        }
        ek_table_say(out, terminal, "stale", "%s", line.of);
    }
}

static void print_waiting(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results,
                          const struct ek_report *report)
{
    static const char *const causes[EK_WAITS] = {[EK_WAIT_ANSWER] = "for answers",
                                                 [EK_WAIT_PEER] = "for a neighbour's operation",
                                                 [EK_WAIT_ROOM] = "for room",
                                                 [EK_WAIT_TURNED] = "when refused",
                                                 [EK_WAIT_IDLE] = "idle"};
    const struct ek_free_report *free = &report->free;
    double all = report->elapsed_s * ek_machine_topology(results->machine)->processors;
    struct ek_line line = {0};
    for (size_t i = 0; i < EK_WAITS; i++) {
        if (free->waited[i] > 0.0) {
            ek_line_add(&line, "%s%s %s", line.length > 0 ? ", " : "", share(free->waited[i], all).of, causes[i]);
        }
    }
    ek_table_say(out, terminal, "waiting", "%s%s", line.of, line.length > 0 ? " of the processors' time" : "none");
    ek_table_say(out, terminal, "turns", "%s, %s empty; %s, %s woken by a neighbour", ek_text_count(free->turns).of,
                 share((double)free->empty_turns, (double)free->turns).of, ek_text_plural(free->sleeps, "sleep").of,
                 ek_text_count(free->wakes).of);
    ek_table_say(out, terminal, "switches", "%s voluntary, %s forced, %s", ek_text_count(free->switches_voluntary).of,
                 ek_text_count(free->switches_forced).of, ek_text_plural(free->migrations, "migration").of);
}

// A fifth is more than the clock's grain and the buckets of the histogram make.
static void print_delay(FILE *out, const struct ek_terminal *terminal, const struct ek_free_report *free)
{
    double asked = free->delay_asked.median;
    double realised = free->delay_realised.median;
    if (free->delay_asked.count == 0 || isnan(realised)) {
        return;
    }
    ek_table_say(out, terminal, "delay", "%s asked, %s realised (medians)", ek_text_seconds(asked).of,
                 ek_text_seconds(realised).of);
    if (fabs(realised - asked) > 0.2 * asked) {
        ek_table_say(out, terminal, "",
                     "%swarning:%s they part by more than 20 %%: processors had no turn when messages fell due",
                     ek_terminal_style(terminal, "33").of, ek_terminal_style(terminal, "0").of);
    }
}

static void print_faults(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results,
                         const struct ek_free_report *free)
{
    if (ek_options_differ(results->options, "faults")) {
        ek_table_say(out, terminal, "faults", "%s and %s failed, %s; %s came back with %s of load",
                     ek_text_plural(free->link_failures, "link").of,
                     ek_text_plural(free->processor_failures, "processor").of,
                     ek_text_plural(free->repairs, "repair").of, ek_text_plural(free->returned, "parcel").of,
                     ek_text_amount(free->load_returned).of);
    }
    if (free->has_counters && free->cycles > 0) {
        ek_table_say(out, terminal, "hardware", "%s cycles, %.2f instructions each, %s cache misses",
                     ek_text_count(free->cycles).of, (double)free->instructions / (double)free->cycles,
                     ek_text_count(free->cache_misses).of);
    }
}

void ek_table_write_free(FILE *out, const struct ek_terminal *terminal, const struct ek_results *results,
                         const struct ek_report *report)
{
    const struct ek_free_report *free = &report->free;
    fputs(results->count > 1 ? "\n  of the first run\n" : "", out);
    print_speed(out, terminal, report);
    print_operations(out, terminal, free);
    print_effects(out, terminal, results, free);
    print_mailboxes(out, terminal, report);
    print_waiting(out, terminal, results, report);
    print_delay(out, terminal, free);
    print_faults(out, terminal, results, free);
}
