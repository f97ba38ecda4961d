// SPDX-License-Identifier: MIT
#include "cli/commands/sweep_progress.h"

#include "base/error.h"
#include "cli/terminal/progress.h"

void cli_sweep_progress(void *progress, const struct lab_sweep_progress *so_far)
{
    struct cli_text left = {""};
    if (so_far->left_s > 0.0) { // the time left is known
        snprintf(left.of, sizeof left.of, ", about %.60s to go", cli_text_seconds(so_far->left_s).of);
    }
    cli_progress_show(progress, so_far->elapsed_s, "%s of %s, %s%s", cli_text_count(so_far->done).of,
                      cli_text_plural(so_far->runs, "run").of, cli_text_seconds(so_far->elapsed_s).of, left.of);
}

bool cli_sweep_complete(const struct lab_sweep_result *swept, struct ek_error *error)
{
    if (swept->violated > 0 || swept->stuck > 0) {
        return base_fail(error, swept->violated > 0 ? EK_VIOLATION : EK_STUCK, "",
                         "%s %s: the store's view `unreached` has their command lines and reasons",
                         cli_text_plural(swept->violated > 0 ? swept->violated : swept->stuck, "run").of,
                         swept->violated > 0 ? "violated an invariant" : "got stuck");
    }
    if (swept->left > 0 || swept->failed > 0) {
        return base_fail(error, EK_UNREACHED, "", "%s%s of %s done: run the same command again to continue",
                         swept->interrupted ? "interrupted with " : "only ",
                         cli_text_count(swept->ran + swept->reused).of, cli_text_plural(swept->runs, "run").of);
    }
    return true;
}
