// SPDX-License-Identifier: MIT
// Questions to a store, and their pictures.
#include "cli/commands/ask.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/report/figure.h"
#include "lab/store/results_figure.h"

// "t", "bootstrap", or with a level behind a colon.
static bool read_interval(const char *text, struct lab_confidence *confidence, struct ek_error *error)
{
    *confidence = (struct lab_confidence){.way = LAB_INTERVAL_T, .level = 0.95};
    const size_t word = strcspn(text, ":");
    if (word == strlen("bootstrap") && strncmp(text, "bootstrap", word) == 0) {
        confidence->way = LAB_INTERVAL_BOOTSTRAP;
    } else if (word != 1 || *text != 't') {
        return base_refuse_text(error, "interval", text, 0,
                                "--interval takes t:LEVEL or bootstrap:LEVEL, as in t:0.95");
    }
    if (text[word] == ':') {
        char *end;
        confidence->level = strtod(text + word + 1, &end);
        if (end == text + word + 1 || *end || !(confidence->level > 0.0 && confidence->level < 1.0)) {
            return base_refuse_text(error, "interval", text, word + 1,
                                    "a level is a number above 0 and below 1, as in t:0.95");
        }
    }
    return true;
}

static bool options_fit(const struct cli_options *options, struct ek_error *error)
{
    if (options->compare && options->trace_of) {
        return base_refuse(error, "--compare and --trace-of are two questions: ask them one after the other");
    }
    if (!options->x != !options->y || (options->x && (options->compare || options->trace_of))) {
        return base_refuse(
            error, "--x and --y go together, and with neither --compare nor --trace-of: --x processors --y steps");
    }
    if (options->log && !options->plot) {
        return base_refuse(error, "--log is of a picture: give --plot FILE too");
    }
    if (options->y && options->columns) {
        return base_refuse(error, "--y is the column that is shown: leave out --columns");
    }
    if (options->trace_of && options->columns) {
        return base_refuse(error, "--trace-of shows one field of the traces: leave out --columns");
    }
    return true;
}

bool cli_ask_read(const struct cli_options *options, struct lab_question *question, struct ek_error *error)
{
    *question = (struct lab_question){.where = options->where,
                                      .columns = options->y ? options->y : options->columns,
                                      .over = options->x,
                                      .group = options->group,
                                      .compare = options->compare,
                                      .trace = options->trace_of};
    return options_fit(options, error) && report_figure_ready(options->plot, options->plot_script, error) &&
           read_interval(cli_options_text(options, "interval"), &question->confidence, error);
}

// Which axes are logarithmic.
static bool read_log(const struct cli_options *options, const struct lab_question *question, bool *x, bool *y,
                     struct ek_error *error)
{
    static const struct {
        const char *name;
        bool x, y;
    } known[] = {{"none", false, false}, {"x", true, false}, {"y", false, true}, {"xy", true, true}};
    *x = false;
    *y = question->trace && strcmp(question->trace, "variance") == 0;
    for (size_t i = 0; options->log && i < sizeof known / sizeof *known; i++) {
        if (strcmp(options->log, known[i].name) == 0) {
            *x = known[i].x;
            *y = known[i].y;
            return true;
        }
    }
    return !options->log || base_refuse_text(error, "log", options->log, 0, "--log takes x, y, xy or none");
}

bool cli_ask_draw(const struct cli_options *options, struct lab_store *store, const struct lab_question *question,
                  struct ek_error *error)
{
    struct lab_figure figure = {0};
    bool log_x, log_y;
    bool good = read_log(options, question, &log_x, &log_y, error) &&
                lab_results_figure(store, question, log_x, log_y, &figure, error) &&
                report_figure_draw(&figure, options->plot, options->plot_script, error);
    lab_figure_destroy(&figure);
    return good;
}
