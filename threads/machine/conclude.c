// SPDX-License-Identifier: MIT
// Conclusions from a run's report.
#include "threads/machine/conclude.h"

#include <math.h>
#include <stdio.h>

#include "threads/api/report.h"
#include "threads/machine/search.h"
#include "topologies/topology.h"

// Returns whether each processor decides by its own load whether it invokes an operation.
static bool own_load_decides(const struct core_invoke *invoke)
{
    return invoke->kind != CORE_INVOKE_GRADIENT && invoke->kind != CORE_INVOKE_GLOBAL && core_invoke_by_load(invoke);
}

// Returns whether a processor with the mean load invokes an operation. In free timing the run then never comes to rest.
static bool mean_invokes(const struct machine_plan *plan, const struct ek_report *report, double *mean)
{
    *mean = report->total_final / plan->topology->processors;
    return plan->engine->overlapping && own_load_decides(&plan->invoke) &&
           core_invoke_test(&plan->invoke, report->seed, 0, 0, *mean);
}

// Returns whether no processor invokes an operation with its load at the end.
static bool none_invokes(const struct machine_plan *plan, const struct ek_report *report)
{
    const struct core_invoke *invoke = &plan->invoke;
    return own_load_decides(invoke) && !core_invoke_test(invoke, report->seed, 0, 0, report->minimum) &&
           !core_invoke_test(invoke, report->seed, 0, 0, report->maximum);
}

// Returns whether a link or a processor is down at the end.
static bool something_is_down(const struct ek_report *report)
{
    const struct ek_faults_report *faults = report->timed ? &report->free.faults : &report->faults;
    return faults->link_failures + faults->processor_failures > faults->repairs;
}

// Returns why nothing moves any more, if the theory gives no reason.
static const char *why_frozen(const struct machine_plan *plan)
{
    if (plan->objects) {
        return "no object can move any more: none weighs less than the difference of the loads over a link";
    }
    return plan->units == EK_TOKENS ? "nothing can move any more: this is as far as whole tokens get with this method"
                                    : "nothing can move any more: this is as far as the method gets";
}

// Returns a suspicion why the run made no progress.
static const char *why_no_progress(const struct machine_plan *plan, const struct ek_report *report)
{
    bool overlapping = plan->engine->overlapping && !plan->pushed;
    bool grew = report->error_final > report->error_initial;
    if (something_is_down(report)) {
        return "perhaps failed links or processors separate high loads from low ones";
    }
    if (overlapping && plan->domains != MACHINE_DOMAINS_EXCLUSIVE && (grew || plan->units == EK_REAL)) {
        return "perhaps overlapping operations together move too much: try domains once or exclusive, invoke "
               "probability:P, or a smaller parameter";
    }
    if (plan->method->rounds->reads_invokes && plan->invoke.kind == CORE_INVOKE_ALWAYS) {
        return "perhaps overlapping domains together move too much: try invoke probability:0.1";
    }
    if ((plan->pushed || core_links_delay(&plan->links)) && plan->units == EK_REAL) {
        return "perhaps the loads oscillate because announcements are old when they are used: try a smaller parameter";
    }
    if (grew) {
        return "perhaps this method never balances these loads: they are farther from balance than at the start";
    }
    return plan->units == EK_TOKENS ? "perhaps this is as far as whole tokens get with this method"
                                    : "perhaps this is as far as the method gets";
}

// Writes the theory's reason to `why`. Returns false if the theory gives none. The theory's reason for tokens that do
// not move holds in every timing, but only if links carry any amount and amounts are rounded down.
static bool theory_knows(const struct machine_plan *plan, char *why, size_t size)
{
    bool plain = machine_has(plan, CORE_NEEDS_PLAIN & ~CORE_NEEDS_NO_WORK);
    bool links_matter = plan->units == EK_TOKENS && !core_links_carry_all(&plan->links);
    return plan->stop.kind != CORE_STOP_NEVER && !links_matter && plan->rounding == CORE_ROUNDING_DOWN &&
           core_never_balances(plan->topology, machine_matrix(plan), plan->method_plan.parameter, plain, plan->units,
                               why, size);
}

// Returns what ended the run, or "" if the numbers of the report show it.
static const char *why_ended(const struct machine_plan *plan, enum ek_ended ended)
{
    switch (ended) {
    case EK_ENDED_INTERRUPT:
        return "interrupted";
    case EK_ENDED_STEPS:
        return "the limit on steps ended the run";
    case EK_ENDED_OPERATIONS:
        return "the limit on operations ended the run";
    case EK_ENDED_TIME:
        return "the limit on time ended the run";
    case EK_ENDED_ITSELF:
        return machine_direct(plan) ? "the method ended by itself"
                                    : "no processor invokes an operation any more, and nothing is under way";
    case EK_ENDED_STUCK:
        return "the watchdog saw no progress";
    default:
        return "";
    }
}

// Returns whether an operation in which nothing moved shows that nothing would move: it was an operation of all
// processors, and the links carry something. In free timing no run ends for this reason.
static bool stillness_is_rest(const struct machine_plan *plan)
{
    return !plan->method_plan.ends_when_still || !machine_has(plan, CORE_NEEDS_ROUNDS) ||
           (machine_has(plan, CORE_NEEDS_ALL_INVOKE) &&
            core_links_narrowest(&plan->links, plan->topology->ports) > 0.0);
}

// Returns whether a method that ended by itself reached what it promises. The result of a direct method in tokens must
// have the spread that it guarantees, with no load in flight. In reals it must be as near to balance as the papers'
// methods get: 0.01 for each of at most two stages, or a millionth of large loads.
static bool kept_its_promise(const struct machine_plan *plan, const struct ek_report *report)
{
    if (plan->objects || plan->method->rounds->estimate) {
        return true;
    }
    double mean = report->total_initial / plan->topology->processors;
    double norm = sqrt(report->variance_initial + plan->topology->processors * mean * mean);
    double most = plan->method_plan.spread_most;
    if (!machine_direct(plan)) {
        return true;
    }
    if (plan->units == EK_TOKENS) {
        return report->in_flight == 0.0 && (most == 0.0 || report->spread_final <= most) && stillness_is_rest(plan);
    }
    double limit = fmax(0.02, 1e-6 * norm);
    return report->error_final <= limit && report->in_flight <= limit;
}

// Writes the settings that the result of a direct method needs and that this run lacks, such as "invoke always and
// delay none". Returns false if the run lacks none.
static bool list_lacking(const struct machine_plan *plan, char *list, size_t size)
{
    static const struct {
        enum core_need need;
        const char *setting;
    } settings[] = {
        {CORE_NEEDS_ALL_INVOKE, "invoke always"},
        {CORE_NEEDS_NO_DELAY, "delay none"},
        {CORE_NEEDS_NO_LIMIT, "link-limit none"},
        {CORE_NEEDS_NO_WORK, "work none"},
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (!machine_has(plan, settings[i].need)) {
            at += (size_t)snprintf(list + at, size - at, "%s%s", at > 0 ? " and " : "", settings[i].setting);
        }
    }
    return at > 0;
}

// Explains why a direct method ended away from balance. Names the method's own errors only if no setting is the cause.
static void explain_direct(const struct machine_plan *plan, const struct ek_report *report, char *why, size_t size)
{
    const struct ek_plan *method = &plan->method_plan;
    bool tokens = plan->units == EK_TOKENS;
    char end[48], flight[48] = "", guarantee[48], lacking[64], cause[240] = "";
    snprintf(end, sizeof end, tokens ? "with a spread of %g" : "%.3g from balance",
             tokens ? report->spread_final : report->error_final);
    if (report->in_flight > 0.0) {
        snprintf(flight, sizeof flight, " and with %g in flight", report->in_flight);
    }
    snprintf(guarantee, sizeof guarantee, tokens ? "its end is certain" : "its result is exact");
    if (method->spread_most > 0.0) {
        snprintf(guarantee, sizeof guarantee, "it guarantees a spread of at most %g", method->spread_most);
    }
    bool kept = kept_its_promise(plan, report);
    if (!kept && list_lacking(plan, lacking, sizeof lacking)) {
        snprintf(cause, sizeof cause, "; %s only with %s", guarantee, lacking);
    } else if (!kept && method->inexact) {
        snprintf(cause, sizeof cause, ", because %s", method->inexact);
    }
    snprintf(why, size, "the method ended %s%s%s", end, flight, cause);
}

// Explains loads that repeat: they are as even as doubles can be, or the theory knows why.
static void explain_cycle(const struct machine_plan *plan, const struct ek_report *report, char *why, size_t size)
{
    static const double ROUNDING = 1e-12; // of the largest load
    char theory[232] = "";
    bool known = theory_knows(plan, theory, sizeof theory);
    if (report->spread_final <= ROUNDING * fabs(report->maximum)) {
        known = true;
        snprintf(theory, sizeof theory, "these are rounding errors, which no method removes");
    }
    char period[40] = "operation";
    if (report->cycle > 1) {
        snprintf(period, sizeof period, "%llu operations", (unsigned long long)report->cycle);
    }
    snprintf(why, size, "the loads repeat every %s for ever, with a spread of %g%s%s", period, report->spread_final,
             known ? ": " : "", theory);
}

static void explain_growth(const struct machine_plan *plan, const struct ek_report *report, char *why, size_t size)
{
    char theory[232] = "";
    char grown[40] = "beyond all numbers";
    bool known = theory_knows(plan, theory, sizeof theory);
    if (isfinite(report->error_final)) {
        snprintf(grown, sizeof grown, "to %.3g from balance", report->error_final);
    }
    snprintf(why, size,
             "the loads grew %s, so rounding errors exceed a millionth of all load and the numbers have lost their "
             "meaning%s%s",
             grown, known ? "; " : "", theory);
}

static void explain_no_progress(const struct machine_plan *plan, const struct ek_report *report, char *why, size_t size)
{
    char theory[232] = "";
    bool known = theory_knows(plan, theory, sizeof theory);
    bool given_up = report->ended == EK_ENDED_GIVEN_UP;
    snprintf(why, size, "%sthe distance from balance did not fall while the number of operations doubled; %s%s",
             given_up ? "given up, as no limit is set: " : "", known ? theory : why_no_progress(plan, report),
             given_up ? "; that is no proof: a run with a limit on steps, operations or time goes on" : "");
}

// Explains why the criterion was not reached. Each sentence stands beside the condition that makes it true.
static void explain(const struct machine_plan *plan, struct ek_report *report, const struct ek_error *error)
{
    double mean;
    char *why = report->why;
    size_t size = sizeof report->why;
    enum ek_ended ended = report->ended;
    *why = '\0';
    if (report->converged) {
        return;
    }
    if (ended == EK_ENDED_VIOLATION) {
        snprintf(why, size, "%.399s", error->sentence);
    } else if (plan->method->placement && ended == EK_ENDED_ITSELF) {
        snprintf(why, size, "the best placement that the method has found has an imbalance of %.4g",
                 report->objects.imbalance);
    } else if (plan->migrates_last && (ended == EK_ENDED_CRITERION || ended == EK_ENDED_ITSELF)) {
        snprintf(why, size,
                 "the method balanced numbers, and objects come only as near to these as an imbalance of %.4g",
                 report->objects.imbalance);
    } else if (ended == EK_ENDED_DIVERGES) {
        explain_growth(plan, report, why, size);
    } else if (ended == EK_ENDED_REPEATS) {
        explain_cycle(plan, report, why, size);
    } else if (ended == EK_ENDED_ITSELF && plan->stop.kind != CORE_STOP_NEVER && machine_direct(plan)) {
        explain_direct(plan, report, why, size);
    } else if ((ended == EK_ENDED_GIVEN_UP || ended == EK_ENDED_FROZEN) && mean_invokes(plan, report, &mean)) {
        snprintf(why, size, "the mean, %g, lies outside the bounds of invoke, so some processor always invokes", mean);
    } else if (machine_moves_objects(plan) && ended == EK_ENDED_GIVEN_UP) {
        snprintf(why, size,
                 "given up, as no limit is set: objects went to and fro, and for many operations the loads "
                 "came no nearer to balance");
    } else if (report->hopeless && plan->stop.kind != CORE_STOP_NEVER && ended != EK_ENDED_FROZEN) {
        explain_no_progress(plan, report, why, size);
    } else if (ended == EK_ENDED_FROZEN && none_invokes(plan, report)) {
        snprintf(why, size, "no processor invokes an operation, so nothing moves");
    } else if (ended == EK_ENDED_FROZEN && something_is_down(report)) {
        snprintf(why, size, "nothing can move any more over the links that are up");
    } else if (!theory_knows(plan, why, size)) {
        snprintf(why, size, "%s", ended == EK_ENDED_FROZEN ? why_frozen(plan) : why_ended(plan, ended));
    }
}

// Decides whether the run converged. Without a criterion, an end that the user asked for is a good one.
static enum ek_status judge(const struct machine_plan *plan, struct ek_report *report)
{
    enum ek_ended ended = report->ended;
    if (plan->stop.kind == CORE_STOP_ITSELF) {
        report->converged = ended == EK_ENDED_ITSELF && kept_its_promise(plan, report);
    }
    if (plan->program) {
        report->converged = ended == EK_ENDED_DONE;
        return report->converged ? EK_OK : EK_UNREACHED;
    }
    if (plan->migrates_last) { // the criterion was tested on numbers
        report->converged = (ended == EK_ENDED_CRITERION || ended == EK_ENDED_ITSELF) &&
                            report->objects.imbalance <= plan->imbalance_most;
    }
    report->converged = report->converged && ended != EK_ENDED_DIVERGES; // the numbers have lost their meaning
    bool asked =
        ended == EK_ENDED_STEPS || ended == EK_ENDED_OPERATIONS || ended == EK_ENDED_TIME || ended == EK_ENDED_ITSELF;
    bool rests = plan->pushed && ended == EK_ENDED_FROZEN; // the run would do nothing until its limit
    bool never = plan->stop.kind == CORE_STOP_NEVER && (asked || rests);
    return report->converged || never ? EK_OK : EK_UNREACHED;
}

enum ek_status machine_conclude(const struct machine_plan *plan, enum ek_status status, struct ek_report *report,
                                const struct ek_error *error)
{
    if (status == EK_OK) {
        status = judge(plan, report);
    }
    report->converged = report->converged && status == EK_OK;
    report->ended = status == EK_VIOLATION ? EK_ENDED_VIOLATION : report->ended;
    explain(plan, report, error);
    machine_search_report(plan, report);
    return status;
}
