// SPDX-License-Identifier: MIT
// Judges checks: a quantity has one value for each seed, and their mean is compared with what is expected.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/verdict.h"

// About 280 intervals decide. By Bonferroni's inequality all of them contain their means 97 times of 100, so hardly any
// verdict depends on the seeds.
const struct lab_confidence lab_papers_confidence = {.way = LAB_INTERVAL_T, .level = 0.9999};

// The relative tolerance of comparisons that have no tolerance of their own.
static const double ROUNDING = 1e-9;

// An interval that is wider than this part of the paper's number does not show that the number is right.
static const double WIDEST = 0.25;

enum { NUMBERS_MAX = 64, VALUES_MAX = 1 << 20 };

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the results of so many runs");
}

// "7.28, 9.2 +- 0.1": numbers, and the error that each number may have.
struct numbers {
    double of[NUMBERS_MAX];
    size_t count;
    double slack;
};

static bool read_numbers(struct numbers *numbers, const char *text, struct ek_error *error)
{
    *numbers = (struct numbers){0};
    const char *at = text;
    char *end;
    bool good = true;
    for (bool more = true; good && more && numbers->count < NUMBERS_MAX;) {
        numbers->of[numbers->count++] = strtod(at, &end);
        good = end != at;
        end += strspn(end, " ");
        more = *end == ',';
        at = end + more;
    }
    if (good && strncmp(at, "+-", 2) == 0) {
        numbers->slack = strtod(at + 2, &end);
        at = end;
    }
    return (good && *at == '\0') || base_refuse(error, "'%.60s' is no list of numbers, as in 1, 2.5 +- 0.1", text);
}

// Prepares a statement. Formats its text as sqlite3_mprintf does.
static bool prepare(struct lab_store *store, sqlite3_stmt **statement, struct ek_error *error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    char *sql = sqlite3_vmprintf(format, values);
    va_end(values);
    bool good =
        (sql || no_memory(error)) && (sqlite3_prepare_v2(lab_store_sql(store), sql, -1, statement, NULL) == SQLITE_OK ||
                                      lab_store_fail(store, error));
    sqlite3_free(sql);
    return good;
}

// Adds a piece of evidence. Returns NULL and `error` if memory is short.
static struct lab_evidence *add_evidence(struct lab_judgement *judgement, const struct lab_check *check,
                                         const char *command, struct ek_error *error)
{
    struct lab_evidence *larger = realloc(judgement->evidence, (judgement->count + 1) * sizeof *larger);
    if (!larger) {
        no_memory(error);
        return NULL;
    }
    judgement->evidence = larger;
    struct lab_evidence *evidence = &larger[judgement->count++];
    *evidence = (struct lab_evidence){.check = check, .paper = NAN, .command = strdup(command)};
    evidence->measured = (struct lab_interval){.value = NAN, .low = NAN, .high = NAN};
    return evidence->command || no_memory(error) ? evidence : NULL;
}

// Counts the runs that satisfy the condition. Adds to the evidence the command of the first run that decides: the first
// run for which the condition has the truth value `deciding`.
static bool count_runs(struct lab_evidence *evidence, bool deciding, sqlite3_stmt *rows, struct lab_store *store,
                       struct ek_error *error)
{
    size_t holds = 0;
    bool found = false;
    int got;
    while ((got = sqlite3_step(rows)) == SQLITE_ROW) {
        const bool is = sqlite3_column_int(rows, 0) != 0;
        evidence->runs++;
        holds += is;
        if (is == deciding && !found) {
            free(evidence->command);
            evidence->command = strdup((const char *)sqlite3_column_text(rows, 1));
            found = true;
        }
    }
    evidence->measured =
        (struct lab_interval){.value = (double)holds, .low = NAN, .high = NAN, .count = evidence->runs};
    return (got == SQLITE_DONE || lab_store_fail(store, error)) && (evidence->command || no_memory(error));
}

static bool judge_condition(const struct lab_check *check, struct lab_store *store, struct lab_evidence *evidence,
                            struct ek_error *error)
{
    const bool always = check->expectation == LAB_EXPECT_ALWAYS;
    sqlite3_stmt *rows = NULL;
    bool good =
        prepare(store, &rows, error, "SELECT (%s) IS TRUE, command FROM runs ORDER BY processors, total_initial, seed",
                check->expected) &&
        count_runs(evidence, !always, rows, store, error);
    sqlite3_finalize(rows);
    const double holds = evidence->measured.value;
    const bool held = always ? holds == (double)evidence->runs : holds > 0.0;
    evidence->holds = evidence->runs == 0 ? LAB_HOLDS_OPEN : held ? LAB_HOLDS_YES : LAB_HOLDS_NO;
    snprintf(evidence->expected, sizeof evidence->expected, always ? "in all %zu runs" : "in at least one of %zu runs",
             evidence->runs);
    return good;
}

// Returns the factor by which the interval widens because the paper's number is itself a mean of some cases.
static double widen(const struct lab_check *check, size_t count)
{
    return check->cases ? sqrt(1.0 + (double)count / strtod(check->cases, NULL)) : 1.0;
}

static enum lab_holds decide(bool yes, bool no)
{
    return yes ? LAB_HOLDS_YES : no ? LAB_HOLDS_NO : LAB_HOLDS_OPEN;
}

// Adds how far the paper's number may be from the measured one, and how wide the interval may be.
static void write_reach(struct lab_evidence *evidence, double most, double widest)
{
    const size_t used = strlen(evidence->expected), room = sizeof evidence->expected - used;
    if (evidence->check->cases) {
        snprintf(evidence->expected + used, room,
                 ", itself a mean of %s cases: at most %.4g away, in an interval no wider than %.4g",
                 evidence->check->cases, most, widest);
    } else {
        snprintf(evidence->expected + used, room, ", in an interval no wider than %.4g", widest);
    }
}

// Compares a measured quantity with a number.
static void compare(struct lab_evidence *evidence, double number, double slack)
{
    const struct lab_check *check = evidence->check;
    const struct lab_interval *measured = &evidence->measured;
    const bool sure = !isfinite(measured->low);
    const double low = sure ? measured->value : measured->low, high = sure ? measured->value : measured->high;
    const double reach = widen(check, measured->count), rounding = ROUNDING * fmax(1.0, fabs(number));
    const double off = fabs(measured->value - number), width = reach * (high - low), most = 0.5 * width + slack;
    const double tolerance = check->tolerance ? strtod(check->tolerance, NULL) : 0.0;
    const double widest = tolerance > 0.0 ? tolerance : fmax(WIDEST * fabs(number), 2.0 * slack);
    const char *form = "%.10g";
    if (!isfinite(measured->value)) {
        evidence->holds = LAB_HOLDS_OPEN;
        return;
    }
    switch (check->expectation) {
    case LAB_EXPECT_AGREES:
        evidence->paper = number;
        evidence->slack = slack;
        evidence->holds = decide(off <= most + rounding && width <= widest, off > most + rounding);
        form = slack > 0.0 ? "%.10g +- %.10g" : "%.10g";
        break;
    case LAB_EXPECT_EQUALS:
        evidence->paper = number;
        evidence->holds = decide(off <= fmax(tolerance, rounding), true);
        break;
    case LAB_EXPECT_MOST:
        evidence->holds = decide(high <= number + rounding, low > number + rounding);
        form = "at most %.10g";
        break;
    default:
        evidence->holds = decide(low >= number - rounding, high < number - rounding);
        form = "at least %.10g";
    }
    snprintf(evidence->expected, sizeof evidence->expected, form, number, slack);
    if (check->expectation == LAB_EXPECT_AGREES && !sure) {
        write_reach(evidence, most, widest);
    }
}

// Judges whether the quantity of a group is larger, or smaller, than that of the group before.
static void compare_in_order(struct lab_evidence *evidence, const struct lab_evidence *before)
{
    const bool rises = evidence->check->expectation == LAB_EXPECT_RISES;
    evidence->holds = LAB_HOLDS_YES;
    if (!before) {
        snprintf(evidence->expected, sizeof evidence->expected, "%s from here", rises ? "rises" : "falls");
        return;
    }
    const struct lab_interval *lower = rises ? &before->measured : &evidence->measured;
    const struct lab_interval *upper = rises ? &evidence->measured : &before->measured;
    const bool sure = !isfinite(lower->high) || !isfinite(upper->low);
    evidence->holds =
        sure ? decide(upper->value > lower->value, true) : decide(upper->low > lower->high, upper->high <= lower->low);
    snprintf(evidence->expected, sizeof evidence->expected, "%s %.10g", rises ? "above" : "below",
             before->measured.value);
}

// The values of one group, one for each seed.
struct sample {
    double *value, *per; // [count]
    size_t count, room;
    size_t runs;
};

static bool add_value(struct sample *sample, double value, double per, struct ek_error *error)
{
    if (sample->count == sample->room) {
        const size_t room = sample->room > 0 ? 2 * sample->room : 64;
        double *values = room <= VALUES_MAX ? realloc(sample->value, room * sizeof *values) : NULL;
        sample->value = values ? values : sample->value;
        double *pers = values ? realloc(sample->per, room * sizeof *pers) : NULL;
        sample->per = pers ? pers : sample->per;
        if (!pers) {
            return no_memory(error);
        }
        sample->room = room;
    }
    sample->value[sample->count] = value;
    sample->per[sample->count++] = per;
    return true;
}

// Returns the interval of the mean, or of the ratio of means if the check has a denominator. Equal values have no
// interval.
static struct lab_interval estimate(const struct lab_check *check, const struct sample *sample)
{
    struct lab_interval interval =
        check->per ? lab_interval_ratio(sample->value, sample->per, sample->count, lab_papers_confidence)
                   : lab_interval_mean(sample->value, sample->count, lab_papers_confidence);
    if (interval.low == interval.high) {
        interval.low = interval.high = NAN;
    }
    return interval;
}

// Adds the evidence of a group that is complete, and empties the sample.
static bool end_group(const struct lab_check *check, const char *command, const char *group, struct sample *sample,
                      struct lab_judgement *judgement, size_t first, const struct numbers *numbers,
                      struct ek_error *error)
{
    struct lab_evidence *evidence = add_evidence(judgement, check, command, error);
    if (!evidence || (group && !(evidence->group = strdup(group)))) {
        return evidence ? no_memory(error) : false;
    }
    const size_t index = judgement->count - 1 - first;
    evidence->runs = sample->runs;
    evidence->measured = estimate(check, sample);
    *sample = (struct sample){.value = sample->value, .per = sample->per, .room = sample->room};
    if (!check->expected) {
        evidence->holds = LAB_HOLDS_SHOWN;
    } else if (check->expectation == LAB_EXPECT_RISES || check->expectation == LAB_EXPECT_FALLS) {
        compare_in_order(evidence, index > 0 ? evidence - 1 : NULL);
    } else if (numbers->count > 1 && index >= numbers->count) {
        return base_refuse(error, "[%s %s] has more groups than numbers: there is none for '%s'", judgement->claim->id,
                           check->name, group ? group : "");
    } else {
        compare(evidence, numbers->of[numbers->count > 1 ? index : 0], numbers->slack);
    }
    return true;
}

// Reads the values, and judges each group.
static bool judge_rows(const struct lab_check *check, const char *command, sqlite3_stmt *rows, struct lab_store *store,
                       struct lab_judgement *judgement, const struct numbers *numbers, struct ek_error *error)
{
    const size_t first = judgement->count;
    struct sample sample = {0};
    char *group = NULL;
    bool good = true;
    int got;
    while (good && (got = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(rows, 0), *name = text ? text : "";
        if (!group || strcmp(group, name) != 0) {
            good = !group || end_group(check, command, group, &sample, judgement, first, numbers, error);
            free(group);
            group = strdup(name);
            good = good && (group || no_memory(error));
        }
        sample.runs += (size_t)sqlite3_column_int64(rows, 3);
        const bool measured =
            sqlite3_column_type(rows, 1) != SQLITE_NULL && sqlite3_column_type(rows, 2) != SQLITE_NULL;
        good = good &&
               (!measured || add_value(&sample, sqlite3_column_double(rows, 1), sqlite3_column_double(rows, 2), error));
    }
    good = good && (got == SQLITE_DONE || lab_store_fail(store, error)) &&
           end_group(check, command, check->by ? group : NULL, &sample, judgement, first, numbers, error);
    if (good && numbers->count > 1 && judgement->count - first != numbers->count) {
        good = base_refuse(error, "[%s %s] has %zu groups for %zu numbers", judgement->claim->id, check->name,
                           judgement->count - first, numbers->count);
    }
    free(group);
    free(sample.value);
    free(sample.per);
    return good;
}

static bool judge_quantity(const struct lab_check *check, const char *command, struct lab_store *store,
                           struct lab_judgement *judgement, struct ek_error *error)
{
    struct numbers numbers = {0};
    const bool compared =
        check->expected && check->expectation != LAB_EXPECT_RISES && check->expectation != LAB_EXPECT_FALLS;
    sqlite3_stmt *rows = NULL;
    bool good = (!compared || read_numbers(&numbers, check->expected, error)) &&
                prepare(store, &rows, error,
                        "SELECT (%s) AS of_group, (%s), (%s), count(*) FROM runs GROUP BY of_group, seed "
                        "ORDER BY of_group, seed",
                        check->by ? check->by : "''", check->quantity, check->per ? check->per : "1") &&
                judge_rows(check, command, rows, store, judgement, &numbers, error);
    sqlite3_finalize(rows);
    return good;
}

// Counts the runs for the evidence of a check that is only a chart.
static bool judge_chart(struct lab_store *store, struct lab_evidence *evidence, struct ek_error *error)
{
    sqlite3_stmt *rows = NULL;
    bool good = prepare(store, &rows, error, "SELECT count(*) FROM runs") &&
                (sqlite3_step(rows) == SQLITE_ROW || lab_store_fail(store, error));
    evidence->runs = good ? (size_t)sqlite3_column_int64(rows, 0) : 0;
    evidence->holds = LAB_HOLDS_SHOWN;
    sqlite3_finalize(rows);
    return good;
}

// Counts the runs that the check lacks: those that do not exist, and those whose numbers do not count. A condition
// counts every run. A quantity counts only runs that reached their criterion or, if they have none, that ended before
// the limit of steps. With `unreached` a run need not have reached its criterion.
static bool count_lacking(const struct lab_check *check, struct lab_store *store, size_t *lacking,
                          struct ek_error *error)
{
    sqlite3_stmt *rows = NULL;
    bool good = prepare(store, &rows, error,
                        "SELECT (SELECT count(*) FROM temp.selected) - count(*) FILTER (WHERE CASE WHEN %d THEN 1 WHEN "
                        "%d OR stop IN ('never', 'its own end') THEN ended <> 'steps' OR steps_max <> %d ELSE "
                        "converged END) FROM runs",
                        lab_check_is_condition(check), check->unreached != NULL, LAB_CLAIMS_STEPS_MAX) &&
                (sqlite3_step(rows) == SQLITE_ROW || lab_store_fail(store, error));
    *lacking = good ? (size_t)sqlite3_column_int64(rows, 0) : 0;
    sqlite3_finalize(rows);
    return good;
}

// Makes a check that lacks runs undecided, unless a single run decides its condition.
static void open_lacking(struct lab_judgement *judgement, size_t first, size_t lacking)
{
    for (size_t i = first; i < judgement->count; i++) {
        struct lab_evidence *evidence = &judgement->evidence[i];
        const enum lab_expectation expectation = evidence->check->expectation;
        const bool decided = (expectation == LAB_EXPECT_ALWAYS && evidence->holds == LAB_HOLDS_NO) ||
                             (expectation == LAB_EXPECT_SOME && evidence->holds == LAB_HOLDS_YES);
        evidence->lacking = lacking;
        if (lacking > 0 && !decided && evidence->holds != LAB_HOLDS_SHOWN) {
            evidence->holds = LAB_HOLDS_OPEN;
        }
    }
}

bool lab_check_judge(const struct lab_check *check, const char *command, struct lab_store *store,
                     struct lab_judgement *judgement, struct ek_error *error)
{
    const bool condition = lab_check_is_condition(check);
    const size_t first = judgement->count;
    size_t lacking;
    bool good = count_lacking(check, store, &lacking, error);
    if (!good) {
        return false;
    }
    if (check->quantity && !condition) {
        good = judge_quantity(check, command, store, judgement, error);
    } else {
        struct lab_evidence *evidence = add_evidence(judgement, check, command, error);
        good = evidence &&
               (condition ? judge_condition(check, store, evidence, error) : judge_chart(store, evidence, error));
    }
    open_lacking(judgement, first, lacking);
    if (!good && error->sentence[0] != '[') {
        struct ek_error inner = *error;
        base_refuse(error, "[%s %s]: %.500s", judgement->claim->id, check->name, inner.sentence);
    }
    return good;
}
