// SPDX-License-Identifier: MIT
// `evenkeel theory`: closed forms beside exact convergence factors, for one method or for all that have a factor and
// need no parameter.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/commands/commands.h"
#include "cli/line/complain.h"
#include "cli/line/shared_options.h"
#include "cli/report/theory_report.h"
#include "cli/tables/paste.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/read_file.h"
#include "threads/api/run.h"
#include "topologies/topology.h"

static const char *const with_theory[] = {"ade", "ode", "adf", "odf", "fos"};
enum { METHODS = sizeof with_theory / sizeof *with_theory };

struct options {
    struct ek_experiment experiment;
    enum cli_format format;
};

static const struct cli_option own[] = {
    CLI_OPTION_FORMAT_TO_PASTE(offsetof(struct options, format)), CLI_OPTION_PLUGIN, {0}};

static struct report_eigenvalues eigenvalues_of(const struct ek_topology *topology)
{
    struct ek_spectrum spectrum;
    struct ek_error ignored;
    if (topology->links == 0 || !ek_spectrum_find(topology, false, &spectrum, &ignored)) {
        return (struct report_eigenvalues){NAN, NAN, NAN, NAN};
    }
    double rho = spectrum.second / spectrum.largest;
    double gamma = (1.0 - rho) / (1.0 + rho);
    struct report_eigenvalues found = {spectrum.second, spectrum.largest, rho, 2.0 / (1.0 + sqrt(1.0 - gamma * gamma))};
    ek_spectrum_destroy(&spectrum);
    return found;
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
                 "No factor is known for such runs; the method's facts are known before the run.");
    }
}

// Finds a row for each method. A method that has no parameter for this topology is no error if there are others: its
// row contains the reason. Returns the last machine, which has the topology, or NULL with `error` filled.
static struct ek_machine *find_rows(struct ek_experiment experiment, const char *const *methods, size_t count,
                                    struct report_theory_row *rows, struct ek_error *error)
{
    struct cli_progress progress = cli_progress_begin(false, true);
    const time_t began = time(NULL);
    struct ek_machine *kept = NULL;
    for (size_t i = 0; i < count; i++) {
        cli_progress_show(&progress, difftime(time(NULL), began),
                          "%s, method %zu of %zu: computing distances and the spectrum", methods[i], i + 1, count);
        experiment.method = methods[i];
        rows[i] = (struct report_theory_row){
            .method = methods[i], .theory = {.parameter = NAN, .parameter_best = NAN, .operations = NAN, .steps = NAN}};
        errno = 0;
        struct ek_machine *machine = ek_prepare(&experiment, error);
        if (machine) {
            find_factor(machine, &rows[i].theory);
            rows[i].facts_count = ek_facts_find(machine, rows[i].facts, EK_FACTS_MAX);
            ek_machine_destroy(kept);
            kept = machine;
        } else if (count > 1 && methods_fault(error) && errno != ENOMEM) {
            snprintf(rows[i].theory.note, sizeof rows[i].theory.note, "%.399s", error->sentence);
        } else {
            ek_machine_destroy(kept);
            kept = NULL;
            break;
        }
    }
    cli_progress_clear(&progress);
    return kept;
}

static enum ek_status theory(const struct cli_call *call, const void *values)
{
    (void)call;
    const struct options *options = values;
    struct ek_error error = {.at = -1};
    struct ek_experiment experiment = options->experiment;
    experiment.reader = cli_reader();
    experiment.carrier = "pool:1"; // nothing runs, so no limit on threads matters
    const char *const one[] = {experiment.method};
    size_t count = experiment.method ? 1 : METHODS;
    struct report_theory_row found[METHODS];
    struct ek_machine *machine = find_rows(experiment, experiment.method ? one : with_theory, count, found, &error);
    if (!machine) {
        return cli_complain(&error);
    }
    errno = 0;
    struct report_eigenvalues eigenvalues = eigenvalues_of(ek_machine_outline(machine));
    bool enough = errno != ENOMEM;
    for (size_t i = 0; i < count; i++) {
        enough = enough && lab_theory_is_whole(&found[i].theory, found[i].facts, found[i].facts_count);
    }
    struct lab_topology topology = {0};
    bool good = enough && lab_topology_begin(&topology, ek_machine_outline(machine));
    ek_machine_destroy(machine);
    if (good && options->format == CLI_JSON) {
        report_theory_json(stdout, &topology, &eigenvalues, found, count);
    } else if (good && options->format == CLI_CSV) {
        report_theory_csv(stdout, &topology, &eigenvalues, found, count);
    } else if (good && report_is_pasted(options->format)) {
        good = report_theory_paste(stdout, options->format, &topology, &eigenvalues, found, count);
    } else if (good) {
        report_theory_table(stdout, &topology, &eigenvalues, found, count);
    }
    free(topology.spec);
    if (!good) {
        base_refuse(&error, "no memory for the theory: name one --method");
        return cli_complain(&error);
    }
    return EK_OK;
}

const struct cli_command cli_theory = {
    .name = "theory",
    .theme = CLI_THEME_LEARN,
    .summary = "compare closed forms with exact convergence factors",
    .more = "The convergence factor gamma is the factor by which an operation reduces the distance from balance in the "
            "long run; the variance shrinks by its square. The table also has the best parameter, the operations and "
            "steps predicted until --stop holds, and the eigenvalues of the topology. Without --method it compares "
            "ade, ode, adf, odf and fos. gde:L, diffusion:A and sender:C also have a factor if all processors share "
            "their number. With --method the command adds what else is known before a run, such as the expected "
            "variance with --work and --operations.",
    .axes =
        (const char *const[]){
            "topology",  "method",        "units",      "ports", "timing", "clock",      "invoke",   "load", "work",
            "capacity",  "weighting",     "link-limit", "delay", "host",   "turn-cost",  "overhead", "gap",  "latency",
            "byte-time", "message-bytes", "load-bytes", "stop",  "steps",  "operations", "seed",     NULL},
    .experiment = offsetof(struct options, experiment),
    .variants = (const struct cli_variant[]){{.axis = "method", .initial = ""}, {0}},
    .options = own,
    .size = sizeof(struct options),
    .act = theory};
