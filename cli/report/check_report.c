// SPDX-License-Identifier: MIT
#include "cli/report/check_report.h"

#include <stdio.h>

#include "cli/terminal/text.h"
#include "lab/record/json.h"

enum { WIDTH = 100, INDENT = 16 };

static const char *verdict_of(const struct lab_promise_found *found)
{
    return found->broken ? "broken" : found->runs > 0 ? "holds" : "not tested";
}

static void print_command(const char *command)
{
    if (*command) {
        printf("%*s%s\n", INDENT, "", command);
    }
}

static void print_promise(enum lab_promise promise, const struct lab_promise_found *found)
{
    bool pairs = promise == LAB_PROMISE_DETERMINISM || promise == LAB_PROMISE_CARRIERS;
    struct cli_line line = {0};
    cli_line_add(&line, "%s", verdict_of(found));
    if (found->runs > 0) {
        cli_line_add(&line, " in %s", cli_text_plural(found->runs, pairs ? "comparison" : "run").of);
    }
    if (found->broken) {
        line = (struct cli_line){0};
        cli_line_add(&line, "BROKEN, seed %llu: %s", (unsigned long long)found->seed, found->why);
    } else {
        cli_line_add(&line, ": %s", lab_promises[promise].what);
    }
    cli_text_labelled(stdout, lab_promises[promise].name, INDENT, line.of);
    print_command(found->command);
    print_command(found->beside);
}

static void print_method(const char *method, const struct lab_method_checked *checked)
{
    printf("%s: %s\n", method, cli_text_plural(checked->experiments, "random experiment").of);
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        print_promise((enum lab_promise)promise, &checked->found[promise]);
    }
    putchar('\n');
}

// Prints the verdict in one sentence.
static void print_verdict(const char *method, const struct lab_method_checked *checked)
{
    struct cli_line line = {0};
    unsigned tested = 0;
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        tested += checked->found[promise].runs > 0 || checked->found[promise].broken;
    }
    if (tested == 0) {
        cli_line_add(&line, "check: no promise of %s was tested", method);
    } else if (checked->broken == 0) {
        cli_line_add(&line, "check: %s keeps all %s that were tested", method, cli_text_plural(tested, "promise").of);
    } else {
        cli_line_add(&line, "check: %s breaks %u of %s:", method, checked->broken,
                     cli_text_plural(tested, "promise").of);
    }
    const char *between = " ";
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        if (checked->found[promise].broken) {
            cli_line_add(&line, "%s%s", between, lab_promises[promise].name);
            between = ", ";
        }
    }
    cli_text_wrap(stdout, line.of, 0, WIDTH);
}

static json_t *promise_object(enum lab_promise promise, const struct lab_promise_found *found)
{
    bool broken = found->broken;
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:s?, s:s?, s:s?}", "name", lab_promises[promise].name, "what",
                     lab_promises[promise].what, "verdict", verdict_of(found), "runs", (json_int_t)found->runs, "seed",
                     broken ? json_integer((json_int_t)found->seed) : json_null(), "why", broken ? found->why : NULL,
                     "command", broken ? found->command : NULL, "beside", *found->beside ? found->beside : NULL);
}

static void write_method(const char *method, const struct lab_method_checked *checked, bool first)
{
    json_t *promises = json_array();
    for (int promise = 0; promise < LAB_PROMISES; promise++) {
        json_array_append_new(promises, promise_object((enum lab_promise)promise, &checked->found[promise]));
    }
    fputs(first ? "\n  " : ",\n  ", stdout);
    lab_json_write(stdout,
                   json_pack("{s:s, s:I, s:I, s:I, s:o}", "method", method, "experiments",
                             (json_int_t)checked->experiments, "refused", (json_int_t)checked->refused, "broken",
                             (json_int_t)checked->broken, "promises", promises),
                   0);
}

void report_check_begin(const struct report_check *shown)
{
    if (shown->format == CLI_JSON) {
        putchar('{');
        lab_json_write(stdout,
                       json_pack("{s:s, s:s, s:s, s:I}", "schema", "evenkeel.check/1", "version", ek_version(),
                                 "command", shown->command, "seed", (json_int_t)shown->seed),
                       JSON_EMBED);
        fputs(",\n \"methods\": [", stdout);
    }
}

void report_check_method(const struct report_check *shown, const char *method, const struct lab_method_checked *checked,
                         bool first)
{
    if (shown->format == CLI_JSON) {
        write_method(method, checked, first);
        return;
    }
    if (!shown->quiet) {
        print_method(method, checked);
    }
    print_verdict(method, checked);
}

void report_check_end(const struct report_check *shown)
{
    if (shown->format == CLI_JSON) {
        fputs("]}\n", stdout);
    }
}
