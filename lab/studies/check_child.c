// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // MAP_ANONYMOUS, which POSIX does not have yet
#include "lab/studies/check_child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "lab/record/clock.h"

void lab_check_note(struct lab_checked *checked, unsigned promise, uint64_t seed, const char *why, const char *command,
                    const char *beside)
{
    struct lab_promise_found *found = &checked->found[promise];
    if (!found->broken) {
        found->broken = true;
        found->seed = seed;
        snprintf(found->why, sizeof found->why, "%s", why);
        snprintf(found->command, sizeof found->command, "%s", command);
        snprintf(found->beside, sizeof found->beside, "%s", beside);
        checked->broken++;
    }
}

// Runs in the child. Crashes end it by their signal, even if the parent handles these signals.
static void run_child(const struct lab_check_request *request, const struct lab_check_job *job,
                      struct lab_check_shared *shared)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        signal(faults[i], SIG_DFL);
    }
    signal(SIGINT, SIG_IGN); // the parent ends the child
    signal(SIGTERM, SIG_IGN);
    job->check(request, job->context, shared);
}

// Waits for the child. Returns how it ended; `late` becomes true if it was killed because a run did not end.
static int attend(const struct lab_check_request *request, struct lab_check_shared *shared, pid_t child, bool *late)
{
    static const struct timespec pause = {.tv_nsec = 20000000};
    int how = 0;
    while (waitpid(child, &how, WNOHANG) == 0) {
        uint64_t since = shared->since_ns;
        bool over = since > 0 && lab_clock_ns() > since + (uint64_t)(1e9 * request->timeout_s);
        if (over || (request->stopped && request->stopped())) {
            *late = over;
            kill(child, SIGKILL);
        }
        if (request->progress) {
            request->progress(request->context, shared->experiments);
        }
        nanosleep(&pause, NULL);
    }
    return how;
}

// Notes the run in which the child was killed for lateness, or died.
static void note_end(const struct lab_check_request *request, const struct lab_check_job *job,
                     struct lab_check_shared *shared, int how, bool late)
{
    char why[600];
    if (late) {
        snprintf(why, sizeof why, "a run did not end within %g s", request->timeout_s);
        lab_check_note(&shared->checked, job->termination, shared->seed, why, shared->command, "");
    } else if (WIFSIGNALED(how) && WTERMSIG(how) != SIGKILL) {
        snprintf(why, sizeof why, "the process died of signal %d (%s)", WTERMSIG(how), strsignal(WTERMSIG(how)));
        lab_check_note(&shared->checked, job->crash, shared->seed, why, shared->command, "");
    } else if (WIFEXITED(how) && WEXITSTATUS(how) != 0) {
        snprintf(why, sizeof why, "the process ended with status %d", WEXITSTATUS(how));
        lab_check_note(&shared->checked, job->crash, shared->seed, why, shared->command, "");
    }
}

static bool check(const struct lab_check_request *request, const struct lab_check_job *job,
                  struct lab_check_shared *shared, struct ek_error *error)
{
    pid_t parent = getpid(), child = fork();
    if (child < 0) {
        return base_refuse(error, "no process can be started for the check (%s): end other programs", strerror(errno));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent) { // otherwise the parent ended before prctl
            run_child(request, job, shared);
        }
        _exit(0);
    }
    bool late = false;
    int how = attend(request, shared, child, &late);
    note_end(request, job, shared, how, late);
    return shared->checked.experiments > 0 || shared->checked.broken > 0 || shared->checked.refused == 0 ||
           base_refuse(error, "%.560s", shared->checked.refusal);
}

bool lab_check_in_child(const struct lab_check_request *request, const struct lab_check_job *job,
                        struct lab_checked *checked, struct ek_error *error)
{
    struct lab_check_shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        return base_refuse(error, "there is no memory for the check: free some memory");
    }
    shared->checked.promises = job->promises;
    shared->checked.count = job->count;
    bool good = check(request, job, shared, error);
    *checked = shared->checked;
    munmap(shared, sizeof *shared);
    return good;
}
