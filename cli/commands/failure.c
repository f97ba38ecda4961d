// SPDX-License-Identifier: MIT
// Recordings of runs that fail.
#include "cli/commands/failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "lab/text/clean_text.h"

// Of each seed and process another: what other runs have left stays.
static char *path_of(const char *directory, uint64_t seed)
{
    size_t size = strlen(directory) + 64;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/seed-%llu-%ld.ek", directory, (unsigned long long)seed, (long)getpid());
    }
    return path;
}

bool cli_failure_begin(struct cli_failure *failure, const char *directory, const char *command,
                       struct ek_experiment *experiment, struct ek_error *error)
{
    *failure = (struct cli_failure){.path = path_of(directory, experiment->seed)};
    if (!failure->path) {
        return base_refuse(error, "there is no memory for a recording");
    }
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        base_refuse_text(error, "record-failures", directory, 0, "--record-failures: the directory cannot be made (%s)",
                         strerror(errno));
    } else if ((failure->recording = lab_recorder_create(failure->path, command, experiment, error))) {
        return true;
    }
    cli_failure_destroy(failure);
    return false;
}

bool cli_failure_end(struct cli_failure *failure, const struct lab_record *record, enum ek_status status,
                     struct ek_error *error)
{
    bool written = lab_recorder_end(failure->recording, record->count > 0 ? record : NULL, error);
    failure->recording = NULL;
    failure->kept = status == EK_VIOLATION || status == EK_STUCK;
    if (!failure->kept) {
        unlink(failure->path);
    }
    return written;
}

void cli_failure_say(const struct cli_failure *failure)
{
    if (failure->kept) {
        fputs("  evenkeel replay ", stderr);
        lab_shell_quote(stderr, failure->path);
        fputc('\n', stderr);
    }
}

void cli_failure_destroy(struct cli_failure *failure)
{
    free(failure->path);
    *failure = (struct cli_failure){0};
}
