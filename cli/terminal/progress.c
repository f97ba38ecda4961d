// SPDX-License-Identifier: MIT
// The progress line of a sweep, and what is said where it is not whole.
#include "cli/terminal/progress.h"

#include "base/error.h"

// On a terminal a line that changes, elsewhere a line now and then.
void cli_progress_show(void *context, const struct lab_sweep_progress *so_far)
{
    struct cli_progress *progress = context;
    struct cli_line line = {0};
    cli_line_add(&line, "%s of %s, %s", cli_text_count(so_far->done).of, cli_text_plural(so_far->runs, "run").of,
                 cli_text_seconds(so_far->elapsed_s).of);
    if (so_far->left_s > 0.0) { // it is known, and not only the last are under way
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

bool cli_progress_whole(const struct lab_sweep_result *swept, struct ek_error *error)
{
    if (swept->violated > 0 || swept->stuck > 0) {
        base_refuse(error, "%s %s: the store's view `unreached` has the line and why",
                    cli_text_plural(swept->violated > 0 ? swept->violated : swept->stuck, "run").of,
                    swept->violated > 0 ? "violated an invariant" : "stuck fast");
        error->status = swept->violated > 0 ? EK_VIOLATION : EK_STUCK;
    } else if (swept->left > 0 || swept->failed > 0) {
        base_refuse(error, "%s%s of %s: start it again, and it goes on from there",
                    swept->interrupted ? "interrupted: it made " : "it made only ",
                    cli_text_count(swept->ran + swept->reused).of, cli_text_plural(swept->runs, "run").of);
        error->status = EK_UNREACHED;
    }
    return swept->violated + swept->stuck + swept->left + swept->failed == 0;
}
