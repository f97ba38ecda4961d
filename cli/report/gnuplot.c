// SPDX-License-Identifier: MIT
// Pictures as SVG or PNG, drawn by gnuplot, and the variance over the steps or over time as such a picture. The script
// goes through a pipe, the picture to a file beside FILE that takes FILE's name when it is whole.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/complain.h"
#include "cli/report/report.h"

extern char **environ;

enum { PATH_LENGTH = 4096 };

bool report_program_found(const char *name)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        char file[PATH_LENGTH];
        int written = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (written > 0 && (size_t)written < sizeof file && access(file, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

static bool ends_in(const char *file, const char *ending)
{
    size_t length = strlen(file);
    return length > strlen(ending) && strcmp(file + length - strlen(ending), ending) == 0;
}

// The name of the picture while it is being drawn.
static bool part_name(const char *file, char *part, struct ek_error *error)
{
    int length = snprintf(part, PATH_LENGTH, "%s.part", file);
    return (length > 0 && length < PATH_LENGTH) || cli_refuse(error, "", -1, "the path behind --plot is too long");
}

bool report_gnuplot_ready(const char *file, struct ek_error *error)
{
    char part[PATH_LENGTH];
    if (!ends_in(file, ".svg") && !ends_in(file, ".png")) {
        return cli_refuse(error, "plot", (int)strlen(file), "--plot draws files that end in .svg or .png");
    }
    if (!report_program_found("gnuplot")) {
        return cli_refuse(error, "", -1,
                          "--plot needs gnuplot, which is not installed: on Debian, apt-get install "
                          "gnuplot-nox");
    }
    if (!part_name(file, part, error)) {
        return false;
    }
    int opened = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (opened < 0) {
        return cli_refuse(error, "", -1, "%s cannot be written (%s): choose another place", file, strerror(errno));
    }
    close(opened);
    unlink(part);
    return true;
}

// In gnuplot's single quotes nothing is special but the quote itself; a line must not end within. The text is clean, or
// the name of a file, which is no part of the picture.
void report_gnuplot_quote(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("''", out);
        } else {
            fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
        }
    }
    fputc('\'', out);
}

// The ranges of what is drawn. A variance of 0 has no logarithm: the scale is linear where there is no other.
static void write_scale(FILE *out, const struct lab_record *record, size_t drawn)
{
    double low = INFINITY;
    double high = -INFINITY;
    double last = 0.0;
    for (size_t r = 0; r < drawn; r++) {
        for (size_t i = 0; i < record->runs[r].trace_count; i++) {
            const struct ek_trace_row *row = &record->runs[r].trace[i];
            last = fmax(last, report_trace_place(&record->runs[r], i));
            if (row->variance > 0.0 && isfinite(row->variance)) {
                low = fmin(low, row->variance);
                high = fmax(high, row->variance);
            }
        }
    }
    fprintf(out, "set xrange [0:%.17g]\n", last > 0.0 ? last : 1.0);
    if (low <= high) {
        fprintf(out, "set logscale y\nset format y '10^{%%L}'\nset yrange [%.17g:%.17g]\n", low / 2.0, high * 2.0);
    } else {
        fputs("set yrange [0:1]\n", out);
    }
}

static void write_data(FILE *out, const struct ek_report *report, size_t run)
{
    fprintf(out, "$run%zu << END\n", run);
    for (size_t i = 0; i < report->trace_count; i++) {
        fprintf(out, "%.17g %.17g\n", report_trace_place(report, i), report->trace[i].variance);
    }
    fputs("END\n", out);
}

// The slope that the theory predicts for rounds, beside the runs.
static void write_theory(FILE *out, const struct lab_record *record)
{
    const struct ek_report *first = &record->runs[0];
    const struct ek_theory theory = record->theory;
    if (!first->has_async && theory.has_exact && first->operations > 0 && first->variance_initial > 0.0) {
        double slope = 2.0 * (double)first->operations / (double)first->steps;
        fprintf(out,
                ", %.17g * %.17g**(%.17g * x) with lines dashtype 2 linewidth 2 linecolor rgb '#dd181f' "
                "title 'theory, {/Symbol g}^{2t} = %s^{2t}'",
                first->variance_initial, theory.gamma_exact, slope, cli_text_factor(theory.gamma_exact).of);
    }
}

void report_gnuplot_variance(FILE *out, const void *context)
{
    const struct lab_record *record = context;
    size_t drawn = record->count < REPORT_PLOT_RUNS ? record->count : REPORT_PLOT_RUNS;
    char title[512];
    snprintf(title, sizeof title, "%.100s on %.100s, %.100s, %s ports", record->method.spec, record->topology.spec,
             lab_record_axis(record, "load"), lab_record_axis(record, "ports"));
    fputs("set title ", out);
    report_gnuplot_quote(out, title);
    fprintf(out, " noenhanced\nset xlabel '%s'\nset ylabel 'variance'\n",
            record->runs[0].has_async ? "seconds" : "step");
    write_scale(out, record, drawn);
    for (size_t r = 0; r < drawn; r++) {
        write_data(out, &record->runs[r], r);
    }
    // In free timing a row is a snapshot, and the line between two of them only a guess.
    const char *with = record->runs[0].has_async ? "linespoints pointtype 7 pointsize 0.8" : "lines";
    fprintf(out, "plot $run0 using 1:2 with %s linewidth 2 linecolor rgb '#0060ad' title 'measured, %s'", with,
            cli_text_plural(drawn, "run").of);
    for (size_t r = 1; r < drawn; r++) {
        fprintf(out, ", $run%zu using 1:2 with %s linewidth 1 linecolor rgb '#0060ad' notitle", r, with);
    }
    write_theory(out, record);
    fputc('\n', out);
}

static void write_looks(FILE *out, bool png)
{
    fprintf(out, "set terminal %s background rgb 'white'\n",
            png ? "pngcairo size 1200,750 fontscale 1.3" : "svg size 800,500 font 'sans-serif,13'");
    fputs("set grid\nset border 3\nset tics nomirror\nset key top right\nset datafile missing 'nan'\n", out);
}

// Starts gnuplot with its picture going to `part`. Its standard input, or NULL.
static FILE *start_gnuplot(const char *part, pid_t *child)
{
    char *words[] = {(char[]){"gnuplot"}, NULL};
    int ends[2];
    if (pipe(ends) != 0) {
        return NULL;
    }
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int failed = posix_spawnp(child, "gnuplot", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    FILE *script = failed ? NULL : fdopen(ends[1], "w");
    if (!script) {
        close(ends[1]);
    }
    return script;
}

bool report_gnuplot_draw(const char *file, report_gnuplot_script *write, const void *context, struct ek_error *error)
{
    char part[PATH_LENGTH];
    pid_t child;
    if (!part_name(file, part, error)) {
        return false;
    }
    FILE *script = start_gnuplot(part, &child);
    if (!script) {
        return cli_refuse(error, "", -1, "gnuplot could not be started (%s)", strerror(errno));
    }
    // If gnuplot ends early, its exit status tells; the signal would end this program.
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGPIPE, &ignore, &before);
    write_looks(script, ends_in(file, ".png"));
    write(script, context);
    bool good = fclose(script) == 0;
    sigaction(SIGPIPE, &before, NULL);
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    good = good && WIFEXITED(status) && WEXITSTATUS(status) == 0 && rename(part, file) == 0;
    if (!good) {
        unlink(part);
    }
    return good || cli_refuse(error, "", -1, "gnuplot did not draw %s: see what it said above", file);
}
