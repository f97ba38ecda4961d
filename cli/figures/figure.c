// SPDX-License-Identifier: MIT
#include "cli/figures/figure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/figures/figure_sheet.h"
#include "cli/figures/gnuplot.h"
#include "lab/files/atomic_file.h"
#include "lab/text/memory_stream.h"

// Refuses options that need a picture, where there is none.
static bool needs_no_picture(const struct cli_picture *picture, struct ek_error *error)
{
    const char *option = report_look_given(picture);
    return (!picture->script || base_refuse(error, "--plot-script keeps the script of a picture: add --plot FILE")) &&
           (!option || base_refuse(error, "--%s is about a picture: add --plot FILE", option));
}

// Checks the options of the look against each other.
static bool look_fits(const struct report_look *look, struct report_across across, struct ek_error *error)
{
    for (size_t i = 0; i < look->ticks_count; i++) {
        if (across.logarithmic && look->tick[i] <= 0.0) {
            return base_refuse(error, "--x-ticks has %.10g, for which a logarithmic axis has no place: leave it out",
                               look->tick[i]);
        }
    }
    return report_sheet_has_room(look) ||
           base_refuse(error, "--title leaves too little room for the drawing: shorten it, or give a larger --size");
}

bool report_figure_ready(const struct cli_picture *picture, struct report_across across, struct ek_error *error)
{
    const char *file = picture->plot, *script = picture->script;
    struct report_look look;
    if (!file) {
        return needs_no_picture(picture, error);
    }
    if (!report_figure_drawn(file)) {
        return base_refuse_text(error, "plot", file, strlen(file), "--plot draws files that end in .svg, .pdf or .png");
    }
    if (!report_look_read(picture, across.swept, &look, error) || !look_fits(&look, across, error)) {
        return false;
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

char *report_figure_bytes(const struct lab_figure *figure, const struct report_look *look, const char *file,
                          size_t *length, struct ek_error *error)
{
    FILE *script = tmpfile();
    if (script) {
        report_figure_script(script, figure, look, file, false);
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

static bool draw(const struct lab_figure *figure, const struct report_look *look, const char *file,
                 struct ek_error *error)
{
    size_t length;
    char *picture = report_figure_bytes(figure, look, file, &length, error);
    bool good = picture && lab_file_write(file, picture, length, error);
    free(picture);
    return good;
}

static bool keep_script(const struct lab_figure *figure, const struct report_look *look,
                        const struct cli_picture *picture, struct ek_error *error)
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        report_figure_script(text.out, figure, look, picture->plot, true);
    }
    char *kept = lab_stream_end(&text);
    bool good = kept ? lab_file_write(picture->script, kept, text.length, error)
                     : base_refuse(error, "no memory for the script: leave out --plot-script");
    free(kept);
    return good;
}

bool report_figure_draw(const struct lab_figure *figure, const struct cli_picture *picture, struct ek_error *error)
{
    struct report_look look;
    return report_look_read(picture, true, &look, error) &&
           (!picture->script || keep_script(figure, &look, picture, error)) &&
           draw(figure, &look, picture->plot, error);
}
