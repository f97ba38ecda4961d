// SPDX-License-Identifier: MIT
#include "cli/commands/run_ranks.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/mpi/mpi.h"
#include "cli/terminal/interrupt.h"
#include "threads/api/run.h"

static const struct cli_mpi *mpi;
static const struct ek_ranks *ranks;
static bool joined;
static int saved_stderr = -1; // standard error before it was silenced

static bool is_mpi(const char *carrier)
{
    return strncmp(carrier, "mpi", 3) == 0 && (carrier[3] == '\0' || carrier[3] == ':');
}

static void silence(void)
{
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) {
        abort(); // no stream is left for a message
    }
}

// Returns the rank that Open MPI's mpirun, or a launcher with PMIx, gave this process; "0" without a launcher.
static const char *rank_by_environment(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    rank = rank ? rank : getenv("PMIX_RANK");
    return rank ? rank : "0";
}

bool cli_ranks_silence(int count, char **words)
{
    bool asked = false;
    for (int i = 1; i < count; i++) {
        const char *value = strchr(words[i], '=');
        asked = asked || is_mpi(value ? value + 1 : words[i]);
    }
    bool other = asked && strcmp(rank_by_environment(), "0") != 0;
    if (other) {
        saved_stderr = dup(STDERR_FILENO);
        silence();
    }
    return other;
}

enum ek_status cli_ranks_stay_behind(enum ek_status status)
{
    const unsigned PATIENCE_S = 3; // if the first rank fails too, mpirun ends this process sooner
    char host[256] = "its host";
    if (status != EK_OK) {
        sleep(PATIENCE_S);
        gethostname(host, sizeof host - 1);
        dprintf(saved_stderr,
                "evenkeel: rank %s cannot begin on %s: run the same command there without mpirun to see why\n",
                rank_by_environment(), host);
    }
    return status;
}

// Finds the shared object with MPI: beside the command in a build, in lib/ after an installation.
static bool find(char *path, size_t size)
{
    static const char *const places[] = {"evenkeel-mpi.so", "../lib/evenkeel/evenkeel-mpi.so"};
    char command[2048];
    ssize_t length = readlink("/proc/self/exe", command, sizeof command - 1);
    command[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(command, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        int written = snprintf(path, size, "%.*s/%s", (int)(slash - command), command, places[i]);
        if (written > 0 && (size_t)written < size && access(path, R_OK) == 0) {
            return true;
        }
    }
    return false;
}

bool cli_ranks_built(void)
{
    char path[4096];
    return find(path, sizeof path);
}

// RTLD_GLOBAL: the plugins that MPI loads look for its symbols globally.
static bool open_mpi(const char *carrier, struct ek_error *error)
{
    char path[4096];
    if (!find(path, sizeof path)) {
        return base_refuse_text(error, "carrier", carrier, 0,
                                "this evenkeel was built without MPI: install openmpi-bin and libopenmpi-dev and build "
                                "it again, or use --carrier pool");
    }
    void *object = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    mpi = object ? dlsym(object, "evenkeel_mpi") : NULL;
    if (!mpi) {
        return base_refuse_text(error, "carrier", carrier, 0, "MPI cannot be opened: %.480s", dlerror());
    }
    return strcmp(mpi->version, ek_version()) == 0 ||
           base_refuse_text(error, "carrier", carrier, 0,
                            "%.300s belongs to evenkeel %.20s, and this is %s: build both again", path, mpi->version,
                            ek_version());
}

bool cli_ranks_join(const char *carrier, struct ek_error *error)
{
    if (!is_mpi(carrier)) {
        return true;
    }
    if (!open_mpi(carrier, error)) {
        return false;
    }
    ranks = mpi->begin(cli_interrupt_came);
    if (!ranks) {
        return base_refuse_text(
            error, "carrier", carrier, 0,
            "this MPI has no memory or does not support calls by several threads in turn: use --carrier pool");
    }
    joined = true;
    setenv("TERM", "dumb", 1); // mpirun gives ranks a terminal even if its own output is none
    if (!cli_ranks_first()) {
        silence();
    }
    return true;
}

bool cli_ranks_joined(void)
{
    return joined;
}

const struct ek_ranks *cli_ranks(void)
{
    return ranks;
}

bool cli_ranks_first(void)
{
    return !ranks || ranks->rank == 0;
}

void cli_ranks_leave(enum ek_status status)
{
    if (ranks) {
        fflush(stdout);
        fflush(stderr);
        mpi->end(status != EK_BAD_INPUT);
        ranks = NULL;
    }
}
