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

static void print_promise(const struct lab_promise_text *promise, const struct lab_promise_found *found)
{
    struct cli_line line = {0};
    cli_line_add(&line, "%s", verdict_of(found));
    if (found->runs > 0) {
        cli_line_add(&line, " in %s", cli_text_plural(found->runs, promise->unit).of);
    }
    if (found->broken) {
        line = (struct cli_line){0};
        cli_line_add(&line, "BROKEN, seed %llu: %s", (unsigned long long)found->seed, found->why);
    } else {
        cli_line_add(&line, ": %s", promise->what);
    }
    cli_text_labelled(stdout, promise->name, INDENT, line.of);
    print_command(found->command);
    print_command(found->beside);
}

static void print_method(const char *method, const struct lab_checked *checked)
{
    printf("%s: %s\n", method, cli_text_plural(checked->experiments, "random experiment").of);
    for (unsigned promise = 0; promise < checked->count; promise++) {
        print_promise(&checked->promises[promise], &checked->found[promise]);
    }
    putchar('\n');
}

// Prints the verdict in one sentence.
static void print_verdict(const char *method, const struct lab_checked *checked)
{
    struct cli_line line = {0};
    unsigned tested = 0;
    for (unsigned promise = 0; promise < checked->count; promise++) {
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
    for (unsigned promise = 0; promise < checked->count; promise++) {
        if (checked->found[promise].broken) {
            cli_line_add(&line, "%s%s", between, checked->promises[promise].name);
            between = ", ";
        }
    }
    cli_text_wrap(stdout, line.of, 0, WIDTH);
}

static json_t *promise_object(const struct lab_promise_text *promise, const struct lab_promise_found *found)
{
    bool broken = found->broken;
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:s?, s:s?, s:s?}", "name", promise->name, "what", promise->what,
                     "verdict", verdict_of(found), "runs", (json_int_t)found->runs, "seed",
                     broken ? json_integer((json_int_t)found->seed) : json_null(), "why", broken ? found->why : NULL,
                     "command", broken ? found->command : NULL, "beside", *found->beside ? found->beside : NULL);
}

static void write_method(const char *method, const struct lab_checked *checked, bool first)
{
    json_t *promises = json_array();
    for (unsigned promise = 0; promise < checked->count; promise++) {
        json_array_append_new(promises, promise_object(&checked->promises[promise], &checked->found[promise]));
    }
    fputs(first ? "\n  " : ",\n  ", stdout);
    lab_json_write(stdout,
                   json_pack("{s:s, s:I, s:I, s:I, s:o}", checked->program ? "program" : "method", method,
                             "experiments", (json_int_t)checked->experiments, "refused", (json_int_t)checked->refused,
                             "broken", (json_int_t)checked->broken, "promises", promises),
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

void report_check_method(const struct report_check *shown, const char *method, const struct lab_checked *checked,
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
