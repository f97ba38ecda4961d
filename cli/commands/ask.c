// SPDX-License-Identifier: MIT
#include "cli/commands/ask.h"

#include <string.h>

#include "base/cursor.h"
#include "cli/figures/figure.h"
#include "lab/results/results_figure.h"

enum { LOG_AUTO, LOG_NONE, LOG_X, LOG_Y, LOG_XY };
const struct ek_choice cli_logs[] = {[LOG_AUTO] = {"auto", "y, if it is the variance of traces"},
                                     [LOG_NONE] = {"none", "neither axis"},
                                     [LOG_X] = {"x", "the horizontal axis"},
                                     [LOG_Y] = {"y", "the vertical axis"},
                                     [LOG_XY] = {"xy", "both axes"},
                                     {0}};

// Reads "t" or "bootstrap", with a level after a colon if it is not 0.95.
static bool read_interval(const char *text, struct lab_confidence *confidence, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("interval", text, error);
    char name[16];
    bool named = base_cursor_name(&cursor, name, sizeof name);
    bool by_t = named && strcmp(name, "t") == 0;
    if (!by_t && !(named && strcmp(name, "bootstrap") == 0)) {
        return base_cursor_fail(&cursor, 0, "--interval takes t:LEVEL or bootstrap:LEVEL, as in t:0.95");
    }
    *confidence = (struct lab_confidence){.way = by_t ? LAB_INTERVAL_T : LAB_INTERVAL_BOOTSTRAP, .level = 0.95};
    size_t at = cursor.at + 1;
    return (!base_cursor_accept(&cursor, ':') ||
            base_cursor_real(&cursor, "the level of an interval", 0.0, 1.0, &confidence->level)) &&
           base_cursor_end(&cursor) &&
           ((confidence->level > 0.0 && confidence->level < 1.0) ||
            base_cursor_fail(&cursor, at, "the level of an interval lies above 0 and below 1, as in t:0.95"));
}

static bool options_fit(const struct cli_call *call, const struct cli_ask *ask, struct ek_error *error)
{
    if (ask->compare && ask->trace_of) {
        return base_refuse(error, "--compare and --trace-of are two questions: ask one after the other");
    }
    if (!ask->x != !ask->y || (ask->x && (ask->compare || ask->trace_of))) {
        return base_refuse(
            error, "give --x and --y together, without --compare and --trace-of, as in --x processors --y steps");
    }
    if (cli_option_given(call, "log") && !ask->picture.plot) {
        return base_refuse(error, "--log is about a picture: add --plot FILE");
    }
    if (ask->y && ask->columns) {
        return base_refuse(error, "--y is the column that is shown: leave out --columns");
    }
    if (ask->trace_of && ask->columns) {
        return base_refuse(error, "--trace-of shows one field of the traces: leave out --columns");
    }
    return true;
}

static struct report_across across_of(const struct cli_ask *ask)
{
    return (struct report_across){.swept = ask->x, .logarithmic = ask->log == LOG_X || ask->log == LOG_XY};
}

bool cli_ask_read(const struct cli_call *call, const struct cli_ask *ask, struct lab_question *question,
                  struct ek_error *error)
{
    *question = (struct lab_question){.where = ask->where,
                                      .columns = ask->y ? ask->y : ask->columns,
                                      .over = ask->x,
                                      .group = ask->group,
                                      .compare = ask->compare,
                                      .trace = ask->trace_of};
    return options_fit(call, ask, error) && report_figure_ready(&ask->picture, across_of(ask), error) &&
           read_interval(ask->interval, &question->confidence, error);
}

bool cli_ask_draw(const struct cli_ask *ask, struct lab_store *store, const struct lab_question *question,
                  struct ek_error *error)
{
    struct lab_figure figure = {0};
    bool variance = question->trace && strcmp(question->trace, "variance") == 0;
    bool log_x = across_of(ask).logarithmic;
    bool log_y = ask->log == LOG_Y || ask->log == LOG_XY || (ask->log == LOG_AUTO && variance);
    bool good = lab_results_figure(store, question, log_x, log_y, &figure, error) &&
                report_figure_draw(&figure, &ask->picture, error);
    lab_figure_destroy(&figure);
    return good;
}
