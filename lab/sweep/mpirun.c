// SPDX-License-Identifier: MIT
#include "lab/sweep/mpirun.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"

enum {
    LOOK_NS = 10000000,
    NOT_FOUND = 127
}; // between two checks for the process's end; the shell's status for an unknown command

unsigned lab_ranks_of_carrier(const char *carrier)
{
    char *end;
    unsigned long ranks = carrier && strncmp(carrier, "mpi:", 4) == 0 ? strtoul(carrier + 4, &end, 10) : 0;
    return ranks > 0 && ranks <= UINT32_MAX && *end == '\0' ? (unsigned)ranks : 0;
}

// Rewrites words that lab_shell_quote has quoted, for shells that do not know $'\ooo': uses plain quotes, which can
// hold any byte.
static void write_words(FILE *out, const char *words)
{
    bool quoted = false, octal = false;
    for (const char *c = words; *c; c++) {
        if (octal && *c == '\\') {
            const char byte = (char)(64 * (c[1] - '0') + 8 * (c[2] - '0') + (c[3] - '0'));
            fprintf(out, byte == '\'' ? "'\\''" : "%c", byte);
            c += 3;
        } else if (!quoted && c[0] == '$' && c[1] == '\'') {
            octal = true; // the quotation mark follows
        } else if (!quoted && *c == '\\') {
            fprintf(out, "\\%c", *++c);
        } else {
            quoted = *c == '\'' ? !quoted : quoted;
            octal = octal && (quoted || *c != '\'');
            fputc(*c, out);
        }
    }
}

// Returns the shell's command line, in which "$0" is this program. The caller frees it. NULL if memory is short.
static char *line_of(const struct lab_run_request *request, unsigned ranks)
{
    struct lab_stream line;
    if (lab_stream_begin(&line)) {
        fprintf(line.out, "exec mpirun -n %u \"$0\"", ranks);
        write_words(line.out, request->command + strlen("evenkeel"));
        fprintf(line.out, " --format json%s%s", request->experiment.keep_trace ? " --trace" : "",
                request->experiment.keep_loads ? " --final" : "");
    }
    return lab_stream_end(&line);
}

// Turns the process into mpirun. The process gets its own process group, because a terminal's signals are for the
// sweep's main process. The process ends with the process that started it.
static void exec_mpirun(const char *line, const char *command, FILE *out, FILE *errors)
{
    const int left[] = {SIGINT, SIGTERM, SIGHUP};
    int nothing = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        signal(left[i], SIG_DFL);
    }
    if (nothing >= 0 && dup2(nothing, 0) == 0 && dup2(fileno(out), 1) == 1 && dup2(fileno(errors), 2) == 2) {
        execl("/bin/sh", "sh", "-c", line, command, (char *)NULL);
    }
    _exit(EXIT_FAILURE);
}

// Waits for the process and returns its status as waitpid does. Terminates it if `stopped` returns true.
static int wait_for(pid_t process, bool (*stopped)(void))
{
    const struct timespec pause = {.tv_nsec = LOOK_NS};
    bool terminated = false;
    int status = 0;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (!terminated && stopped && stopped()) {
            kill(process, SIGTERM);
            terminated = true;
        }
        nanosleep(&pause, NULL);
    }
    return status;
}

// Returns what was written to a file, with a 0 at its end; to be freed, NULL if memory is short or the file cannot be
// read.
static char *read_back(FILE *file, size_t *length)
{
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    *length = text ? fread(text, 1, (size_t)size, file) : 0;
    if (text) {
        text[*length] = '\0';
    }
    return text;
}

// Explains a missing record with the first rank's sentence, or else mpirun's.
static void explain(const char *errors, int status, struct ek_error *error)
{
    const char *ours = strstr(errors, "evenkeel: ");
    const char *sentence = ours ? ours + strlen("evenkeel: ") : errors + strspn(errors, "-\n ");
    char said[400];
    snprintf(said, sizeof said, "%.*s", (int)strcspn(sentence, "\n"), sentence);
    lab_text_clean(said);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND) {
        base_refuse(error, "there is no mpirun to start ranks: install openmpi-bin, or use the carrier pool");
    } else if (ours) {
        base_refuse(error, "%s", said);
    } else {
        base_refuse(error, "mpirun returned no result: %s", *said ? said : "it printed nothing");
    }
}

static enum ek_status run(const char *line, FILE *out, FILE *errors, const struct lab_run_request *request,
                          struct lab_record *record, struct ek_error *error)
{
    char command[4096];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    command[length > 0 ? length : 0] = '\0';
    pid_t process = fork();
    if (process == 0) {
        exec_mpirun(line, command, out, errors);
    }
    if (process < 0) {
        base_refuse(error, "no further process can be started (%s): use the carrier pool", strerror(errno));
        return EK_BAD_INPUT;
    }
    int status = wait_for(process, request->stopped);
    size_t size = 0, said = 0;
    char *text = read_back(out, &size), *complaints = read_back(errors, &said);
    bool ended = WIFEXITED(status) && WEXITSTATUS(status) != EK_BAD_INPUT && WEXITSTATUS(status) <= EK_STUCK;
    enum ek_status result = EK_BAD_INPUT;
    if (ended && text && size > 0 && lab_record_read(text, size, record, error)) {
        result = (enum ek_status)WEXITSTATUS(status);
    } else if (request->stopped && request->stopped()) {
        result = EK_UNREACHED; // it was terminated before it could report that
    } else if (complaints) {
        explain(complaints, status, error);
    } else {
        base_refuse(error, "there is no memory for mpirun's messages: free some memory");
    }
    free(text);
    free(complaints);
    return result;
}

enum ek_status lab_ranks_run(const struct lab_run_request *request, unsigned ranks, struct lab_record *record,
                             struct ek_error *error)
{
    FILE *out = tmpfile(), *errors = tmpfile();
    char *line = line_of(request, ranks);
    enum ek_status status = EK_BAD_INPUT;
    if (out && errors && line) {
        status = run(line, out, errors, request, record, error);
    } else {
        base_refuse(error, "there is no memory, or no room for temporary files, to start ranks: free some");
    }
    if (record->count > 0) { // the command that was requested, not the ranks' own
        free(record->command);
        record->command = strdup(request->command);
    }
    free(line);
    if (out) {
        fclose(out);
    }
    if (errors) {
        fclose(errors);
    }
    return status;
}
