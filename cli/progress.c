// SPDX-License-Identifier: MIT
// The progress line of a sweep.
#include "cli/progress.h"

#include <math.h>

// On a terminal a line that changes, elsewhere a line now and then.
void cli_progress_show(void *context, const struct lab_sweep_progress *so_far)
{
    struct cli_progress *progress = context;
    struct cli_line line = {0};
    cli_line_add(&line, "%s of %s, %s", cli_text_count(so_far->done).of, cli_text_plural(so_far->runs, "run").of,
                 cli_text_seconds(so_far->elapsed_s).of);
    if (isfinite(so_far->left_s)) {
        cli_line_add(&line, ", about %s to go", cli_text_seconds(so_far->left_s).of);
    }
    if (progress->terminal.is_terminal) {
        fprintf(stderr, "\r%.*s\033[K", progress->terminal.columns - 1, line.of);
        progress->shown = true;
    } else if (so_far->elapsed_s - progress->said_s >= 30.0) {
        fprintf(stderr, "evenkeel: %s\n", line.of);
        progress->said_s = so_far->elapsed_s;
    }
}

void cli_progress_end(struct cli_progress *progress)
{
    if (progress->shown) {
        fputs("\r\033[K", stderr);
    }
}
