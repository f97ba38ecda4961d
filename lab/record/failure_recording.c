// SPDX-License-Identifier: MIT
#include "lab/record/failure_recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

// Returns a path that differs for each seed and process, so that earlier recordings stay.
static char *path_of(const char *directory, uint64_t seed)
{
    size_t size = strlen(directory) + 64;
    char *path = malloc(size);
    if (path) {
        snprintf(path, size, "%s/seed-%llu-%ld.ek", directory, (unsigned long long)seed, (long)getpid());
    }
    return path;
}

bool lab_failure_recording_begin(struct lab_failure_recording *failure, const char *directory, const char *command,
                                 struct ek_experiment *experiment, struct ek_error *error)
{
    *failure = (struct lab_failure_recording){.path = path_of(directory, experiment->seed)};
    if (!failure->path) {
        return base_refuse(
            error, "there is no memory for a recording: do not record failures, or choose a smaller experiment");
    }
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        base_refuse_text(error, "record-failures", directory, 0,
                         "the directory for recordings cannot be made (%s): choose another directory", strerror(errno));
    } else if ((failure->recorder = lab_recorder_create(failure->path, command, experiment, error))) {
        return true;
    }
    lab_failure_recording_destroy(failure);
    return false;
}

bool lab_failure_recording_end(struct lab_failure_recording *failure, const struct lab_record *record,
                               enum ek_status status, struct ek_error *error)
{
    bool written = lab_recorder_end(failure->recorder, record->count > 0 ? record : NULL, error);
    failure->recorder = NULL;
    failure->kept = status == EK_VIOLATION || status == EK_STUCK;
    if (!failure->kept) {
        unlink(failure->path);
    }
    return written;
}

void lab_failure_recording_destroy(struct lab_failure_recording *failure)
{
    free(failure->path);
    *failure = (struct lab_failure_recording){0};
}
