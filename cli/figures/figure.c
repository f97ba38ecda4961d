// SPDX-License-Identifier: MIT
#include "cli/figures/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/figures/gnuplot.h"
#include "lab/files/atomic_file.h"
#include "lab/text/memory_stream.h"

bool report_figure_ready(const char *file, const char *script, struct ek_error *error)
{
    if (!file) {
        return !script || base_refuse(error, "--plot-script keeps the script of a picture: add --plot FILE");
    }
    if (!report_figure_drawn(file)) {
        return base_refuse_text(error, "plot", file, strlen(file), "--plot draws files that end in .svg, .pdf or .png");
    }
    if (!report_program_found("gnuplot")) {
        return base_refuse(error,
                           "--plot needs gnuplot, which is not installed: on Debian, apt-get install gnuplot-nox");
    }
    if (script && strcmp(script, file) == 0) {
        return base_refuse(error, "--plot and --plot-script name the same file: give them two files");
    }
    return lab_file_possible(file, error) && (!script || lab_file_possible(script, error));
}

char *report_figure_bytes(const struct lab_figure *figure, const char *file, size_t *length, struct ek_error *error)
{
    FILE *script = tmpfile();
    if (script) {
        report_figure_script(script, figure, file, false);
    }
    char *picture = NULL;
    if (!script || fflush(script) != 0 || ferror(script)) {
        base_refuse(error, "the script for gnuplot could not be written in /tmp (%s): make room there",
                    strerror(errno));
    } else {
        picture = report_gnuplot_run(script, length, error);
    }
    if (script) {
        fclose(script);
    }
    return picture;
}

static bool draw(const struct lab_figure *figure, const char *file, struct ek_error *error)
{
    size_t length;
    char *picture = report_figure_bytes(figure, file, &length, error);
    bool good = picture && lab_file_write(file, picture, length, error);
    free(picture);
    return good;
}

static bool keep_script(const struct lab_figure *figure, const char *file, const char *script, struct ek_error *error)
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        report_figure_script(text.out, figure, file, true);
    }
    char *kept = lab_stream_end(&text);
    bool good = kept ? lab_file_write(script, kept, text.length, error)
                     : base_refuse(error, "no memory for the script: leave out --plot-script");
    free(kept);
    return good;
}

bool report_figure_draw(const struct lab_figure *figure, const char *file, const char *script, struct ek_error *error)
{
    return (!script || keep_script(figure, file, script, error)) && draw(figure, file, error);
}
