// SPDX-License-Identifier: MIT
// gnuplot reads its script from a file and writes the picture through a pipe into memory. So the two processes never
// wait for each other, and a full disk is noticed by this process, which can report it.
#include "cli/figures/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "lab/text/memory_stream.h"

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

// In single quotes only the quote itself is special. In double quotes gnuplot would run text in backquotes as a
// command.
void report_gnuplot_quote(FILE *script, const char *text)
{
    fputc('\'', script);
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("'.\"\\n\".'", script);
        } else if (*text == '\'') {
            fputs("''", script);
        } else {
            fputc(*text, script);
        }
    }
    fputc('\'', script);
}

// Starts gnuplot. Returns the end of the pipe from which its picture can be read, or -1.
static int start(FILE *script, pid_t *child)
{
    char *words[] = {(char[]){"gnuplot"}, NULL};
    int ends[2];
    if (lseek(fileno(script), 0, SEEK_SET) != 0 || pipe(ends) != 0) {
        return -1;
    }
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int failed = posix_spawnp(child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (failed) {
        errno = failed;
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

// Reads a pipe to its end. Returns NULL without memory.
static char *read_all(FILE *pipe_end, size_t *length)
{
    struct lab_stream into;
    bool begun = lab_stream_begin(&into);
    char piece[4096];
    size_t got;
    while (begun && (got = fread(piece, 1, sizeof piece, pipe_end)) > 0) {
        fwrite(piece, 1, got, into.out);
    }
    char *bytes = lab_stream_end(&into);
    *length = into.length;
    if (ferror(pipe_end)) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

char *report_gnuplot_run(FILE *script, size_t *length, struct ek_error *error)
{
    pid_t child;
    int end = start(script, &child);
    FILE *picture = end < 0 ? NULL : fdopen(end, "r");
    if (!picture) {
        base_refuse(error, "gnuplot could not be started (%s): check that it is installed and can run",
                    strerror(errno));
        return NULL;
    }
    char *bytes = read_all(picture, length);
    fclose(picture); // before waiting, since gnuplot may still be writing
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!bytes) {
        base_refuse(error, "no memory for the picture: draw it as .svg, or draw fewer runs");
    } else if (*length == 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        base_refuse(
            error,
            "gnuplot did not draw the picture: keep its script with --plot-script and run gnuplot on it to see why");
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}
