// SPDX-License-Identifier: MIT
// `evenkeel theory`: closed forms beside exact convergence factors, for one method or for all that have a factor and
// need no parameter.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/files.h"
#include "cli/report/results.h"
#include "cli/text.h"

static const char *const with_theory[] = {"ade", "ode", "adf", "odf", "fos"};
enum { METHODS = sizeof with_theory / sizeof *with_theory };

static void print_rows(const struct ek_topology *topology, const struct report_theory_row *rows, size_t count)
{
    report_table_write_topology(stdout, topology);
    printf("\n  %-14s %9s %9s %13s %13s %13s %13s\n", "method", "parameter", "best", "exact factor", "closed form",
           "operations", "steps");
    for (size_t i = 0; i < count; i++) {
        const struct ek_theory *theory = &rows[i].theory;
        printf("  %-14s %9s %9s %13s %13s %13s %13s\n", rows[i].method, cli_text_real(theory->parameter).of,
               cli_text_real(theory->parameter_best).of,
               cli_text_factor(theory->has_exact ? theory->gamma_exact : NAN).of,
               cli_text_factor(theory->has_closed ? theory->gamma_closed : NAN).of,
               cli_text_amount(theory->operations).of, cli_text_amount(theory->steps).of);
    }
    putchar('\n');
    bool noted = false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].theory.note[0]) {
            cli_text_labelled(stdout, rows[i].method, 18, rows[i].theory.note);
            noted = true;
        }
    }
    fputs(noted ? "\n" : "", stdout);
    cli_text_wrap(stdout,
                  "The factor is what an operation leaves of the distance from balance in the long run; operations and "
                  "steps are predicted from --load until the variance is 1, in real units only.",
                  0, 80);
    if (count == 1 && rows[0].facts_count > 0) {
        putchar('\n');
        report_table_write_facts(stdout, rows[0].facts, rows[0].facts_count, NULL);
    }
}

static bool methods_fault(const struct ek_error *error)
{
    return strcmp(error->axis, "method") == 0;
}

static void find_factor(const struct ek_machine *machine, struct ek_theory *theory)
{
    ek_theory_find(machine, theory);
    if (!theory->has_exact && !theory->has_closed && !theory->note[0]) {
        snprintf(theory->note, sizeof theory->note,
                 "No factor is computed for it; its facts are what is known of it beforehand.");
    }
}

// Finds a row for each method. The last machine, to ask for the topology; NULL and `error` where there is none. A
// method that has no parameter for this topology is no error among others: its row says why.
static struct ek_machine *find_rows(struct ek_experiment experiment, const char *const *methods, size_t count,
                                    struct report_theory_row *rows, struct ek_error *error)
{
    struct ek_machine *kept = NULL;
    for (size_t i = 0; i < count; i++) {
        experiment.method = methods[i];
        rows[i] = (struct report_theory_row){
            .method = methods[i], .theory = {.parameter = NAN, .parameter_best = NAN, .operations = NAN, .steps = NAN}};
        struct ek_machine *machine = ek_prepare(&experiment, error);
        if (machine) {
            find_factor(machine, &rows[i].theory);
            rows[i].facts_count = ek_facts_find(machine, rows[i].facts, EK_FACTS_MAX);
            ek_machine_destroy(kept);
            kept = machine;
        } else if (count > 1 && methods_fault(error)) {
            snprintf(rows[i].theory.note, sizeof rows[i].theory.note, "%.399s", error->sentence);
        } else {
            ek_machine_destroy(kept);
            return NULL;
        }
    }
    return kept;
}

enum ek_status cli_command_theory(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    struct ek_experiment experiment = options->experiment;
    experiment.reader = cli_files_reader();
    experiment.carrier = "pool:1"; // nothing runs, so no limit on threads matters
    const char *const one[] = {experiment.method};
    size_t count = experiment.method ? 1 : METHODS;
    struct report_theory_row rows[METHODS];
    struct ek_machine *machine = find_rows(experiment, experiment.method ? one : with_theory, count, rows, &error);
    if (!machine) {
        return cli_complain(&error, cli_options_text(options, error.axis));
    }
    if (options->format == CLI_JSON) {
        report_json_write_theory(stdout, ek_machine_topology(machine), rows, count);
    } else if (options->format == CLI_CSV) {
        report_csv_write_theory(stdout, ek_machine_topology(machine), rows, count);
    } else {
        print_rows(ek_machine_topology(machine), rows, count);
    }
    ek_machine_destroy(machine);
    return EK_OK;
}
