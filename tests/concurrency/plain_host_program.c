// SPDX-License-Identifier: MIT
// A host: a program with threads of its own, which handles signals, cancels threads and has thread-local data. It
// tests what <evenkeel.h> promises to such programs, also under ThreadSanitizer.
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/runs.h"
#include "topologies/topology.h"

// Each worker's stack must have room for this, beside the frames of its processors.
static _Thread_local volatile char ballast[60 * 1024];

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

// Graphs without closed form whose eigenvalues only ARPACK finds: the extreme eigenvalues of a Laplacian, and the
// factor of an exchange operation.
struct finder {
    double parameter, gamma; // the results of one thread alone
    unsigned wrong;
};

static void find(struct finder *finder, double *parameter, double *gamma)
{
    struct ek_error error;
    const struct ek_experiment experiment = {.topology = "random:600:3", .method = "odf", .carrier = "pool:1"};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    *parameter = machine ? ek_machine_parameter(machine) : NAN;
    ek_machine_destroy(machine);
    struct ek_topology *topology = ek_topology_create("random:800:3", 1, (struct ek_reader){0}, &error);
    if (!topology || !ek_exchange_factor(topology, 0.5, gamma, &error)) {
        *gamma = NAN;
    }
    ek_topology_destroy(topology);
    finder->wrong += *parameter != finder->parameter || *gamma != finder->gamma;
}

static void *find_often(void *context)
{
    for (unsigned i = 0; i < tests_part(40); i++) {
        double parameter, gamma;
        find(context, &parameter, &gamma);
    }
    return NULL;
}

static bool eigenvalues_are_found_by_several_threads_at_once(void)
{
    enum { THREADS = 3 };
    struct finder alone = {0}, together[THREADS];
    pthread_t thread[THREADS];
    find(&alone, &alone.parameter, &alone.gamma);
    for (unsigned i = 0; i < THREADS; i++) {
        together[i] = (struct finder){.parameter = alone.parameter, .gamma = alone.gamma};
        if (pthread_create(&thread[i], NULL, find_often, &together[i]) != 0) {
            return false;
        }
    }
    unsigned wrong = 0;
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(thread[i], NULL);
        wrong += together[i].wrong;
    }
    return alone.parameter > 0.0 && alone.gamma > 0.0 && wrong == 0;
}

// A run in another thread, which signals when it is running.
struct running {
    struct ek_machine *machine;
    atomic_bool under_way;
    struct ek_report report;
};

static void note_progress(void *context, const struct ek_progress *so_far)
{
    (void)so_far;
    atomic_store(&((struct running *)context)->under_way, true);
}

static void *run(void *context)
{
    struct running *running = context;
    struct ek_error error;
    ek_run(running->machine, 0, &running->report, note_progress, running, &error);
    atomic_store(&running->under_way, true); // even if it ended before it was seen running
    return NULL;
}

static bool start(struct running *running, pthread_t *thread)
{
    bool good = pthread_create(thread, NULL, run, running) == 0;
    while (good && !atomic_load(&running->under_way)) {
        pause_ms(1);
    }
    return good;
}

static bool forget(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)context, (void)worker, (void)bytes, (void)count;
    return true;
}

// The run is recorded if it can be.
static struct ek_machine *long_run(const char *timing)
{
    static const struct ek_recorder recorder = {.write = forget};
    const struct ek_experiment experiment = {.topology = "torus:4x4",
                                             .timing = timing,
                                             .stop = "never",
                                             .seconds_max = 60.0,
                                             .recorder = strcmp(timing, "free") == 0 ? &recorder : NULL};
    struct ek_error error;
    return ek_prepare(&experiment, &error);
}

static unsigned threads_here(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; tasks && (task = readdir(tasks)) != NULL;) {
        count += task->d_name[0] != '.';
    }
    if (tasks) {
        closedir(tasks);
    }
    return count;
}

// Returns whether there are no more threads than wanted. The system may list a joined thread for a moment.
static bool only_threads(unsigned wanted)
{
    for (int tries = 0; tries < 6000 && threads_here() > wanted; tries++) {
        pause_ms(10);
    }
    return threads_here() <= wanted;
}

// A cancelled thread waits until its run has ended, which an interrupt speeds up. No thread may still use its stack.
static bool a_cancelled_thread_leaves_no_workers(const char *timing)
{
    struct running running = {.machine = long_run(timing)};
    unsigned before = threads_here();
    pthread_t thread;
    void *result = NULL;
    if (!running.machine || !start(&running, &thread)) {
        return false;
    }
    pthread_cancel(thread);
    pause_ms(50);
    ek_interrupt(running.machine);
    pthread_join(thread, &result);
    bool good = only_threads(before) && running.report.ended == EK_ENDED_INTERRUPT;
    ek_report_destroy(&running.report);
    ek_machine_destroy(running.machine);
    return good;
}

static volatile sig_atomic_t handled;

static void handle(int number)
{
    (void)number;
    handled = 1;
}

// From here on only a worker, or the thread that writes a recording, could receive the signal.
static void send_signal(void *context, const struct ek_progress *so_far)
{
    (void)so_far;
    sigset_t usr1;
    sigemptyset(&usr1);
    sigaddset(&usr1, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &usr1, NULL);
    kill(getpid(), SIGUSR1);
    pause_ms(50);
    ek_interrupt(context);
}

static bool workers_leave_signals_to_the_host(const char *timing)
{
    struct ek_machine *machine = long_run(timing);
    struct ek_report report;
    struct ek_error error;
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    handled = 0;
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle}, NULL);
    if (!machine) {
        return false;
    }
    ek_run(machine, 0, &report, send_signal, machine, &error);
    bool left = !handled;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    return left && handled;
}

// Thread-local data on the same stack as the deepest frames.
static bool stacks_hold_thread_local_data(void)
{
    static const char *const methods[] = {"dde", "ode", "fos", "nna"};
    ballast[0] = 1;
    for (unsigned i = 0; i < sizeof methods / sizeof *methods; i++) {
        const struct ek_experiment experiment = {.topology = "mesh:4x4", .method = methods[i], .operations_max = 100};
        struct ek_error error;
        struct ek_report report = {0};
        struct ek_machine *machine = ek_prepare(&experiment, &error);
        enum ek_status status = machine ? ek_run(machine, 0, &report, NULL, NULL, &error) : EK_BAD_INPUT;
        ek_report_destroy(&report);
        ek_machine_destroy(machine);
        if (status != EK_OK && status != EK_UNREACHED) {
            printf("%s: %s\n", methods[i], error.sentence);
            return false;
        }
    }
    return ballast[0] == 1;
}

static unsigned passed, failed;

static void expect(const char *what, bool good)
{
    passed += good;
    failed += !good;
    if (!good) {
        printf("not so: %s\n", what);
    }
}

int main(void)
{
    expect("stacks hold thread-local data", stacks_hold_thread_local_data());
    expect("eigenvalues are found by several threads at once", eigenvalues_are_found_by_several_threads_at_once());
    expect("a thread cancelled in rounds leaves no workers", a_cancelled_thread_leaves_no_workers("rounds"));
    expect("a thread cancelled in free timing leaves no workers", a_cancelled_thread_leaves_no_workers("free"));
    expect("workers leave signals to the host in rounds", workers_leave_signals_to_the_host("rounds"));
    expect("workers leave signals to the host in free timing", workers_leave_signals_to_the_host("free"));
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
