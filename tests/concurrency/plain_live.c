// SPDX-License-Identifier: MIT
// The thread of `evenkeel run --live` draws what an observer copies from runs in rounds, in turns, in free timing and
// in virtual time, under ThreadSanitizer. Some runs are slowed, and keys pause them, let them go on and change their
// speed. tests/command/test_live.sh checks what the pictures show.
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/figures/live.h"
#include "threads/api/run.h"

enum { RUNS = 2, PICTURES = 3, TRIES = 100 };

// Counts the pictures in the file that has taken the place of standard output.
static unsigned count_pictures(FILE *file)
{
    char line[1000];
    unsigned pictures = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        pictures += strstr(line, "variance   ") != NULL;
    }
    return pictures;
}

// Makes runs until some pictures were drawn in each of them. Returns false if a run fails.
static bool make_runs(struct report_live *live, struct ek_machine *machine, FILE *file, struct ek_error *error)
{
    if (!report_live_begin(live, machine, error)) {
        return false;
    }
    for (uint64_t run = 0; run < RUNS; run++) {
        unsigned before = count_pictures(file);
        for (unsigned tries = 0; tries < TRIES && count_pictures(file) < before + PICTURES; tries++) {
            struct ek_report report;
            enum ek_status status = ek_run(machine, run, &report, NULL, NULL, error);
            if (status != EK_OK && status != EK_UNREACHED) {
                return false;
            }
            ek_report_destroy(&report);
            raise(SIGCONT); // as fg does after Ctrl-Z
        }
        if (count_pictures(file) < before + PICTURES) {
            return base_refuse(error, "no pictures in %d runs", TRIES);
        }
        report_live_clear(live);
    }
    return true;
}

static bool show(struct ek_experiment experiment, const char *speed, FILE *file, struct ek_error *error)
{
    struct lab_record record = {0};
    struct report_live_plan plan = {.runs = RUNS, .limit_s = experiment.seconds_max};
    if (!report_speed_read(speed, experiment.timing ? experiment.timing : "rounds", &plan.speed, error)) {
        return false;
    }
    struct report_live *live = report_live_create(&record, &plan, error);
    if (!live) {
        return false;
    }
    report_live_observe(live, &experiment);
    struct ek_machine *machine = ek_prepare(&experiment, error);
    bool good =
        machine && lab_record_begin(&record, machine, "", RUNS, false, error) && make_runs(live, machine, file, error);
    report_live_destroy(live);
    lab_record_destroy(&record);
    ek_machine_destroy(machine);
    return good;
}

// ---- keys ----

struct keyboard {
    int end; // of the terminal that is standard input
    atomic_bool over;
};

// Presses keys, so that a paused run always goes on again.
static void *press(void *context)
{
    static const char keys[] = " nn+.-  \033[C ";
    const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
    struct keyboard *keyboard = context;
    for (size_t i = 0; !keyboard->over; i = (i + 1) % (sizeof keys - 1)) {
        if (write(keyboard->end, &keys[i], 1) != 1) {
            break;
        }
        nanosleep(&pause, NULL);
    }
    return NULL;
}

// Makes a new terminal standard input. Returns its other end, or -1.
static int open_terminal(void)
{
    int end = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    bool good = end >= 0 && grantpt(end) == 0 && unlockpt(end) == 0;
    int terminal = good ? open(ptsname(end), O_RDWR | O_NOCTTY) : -1;
    return terminal >= 0 && dup2(terminal, STDIN_FILENO) == STDIN_FILENO ? end : -1;
}

static bool is_cooked(void)
{
    struct termios settings;
    return tcgetattr(STDIN_FILENO, &settings) == 0 && (settings.c_lflag & ICANON) && (settings.c_lflag & ECHO);
}

static const struct {
    struct ek_experiment experiment;
    const char *speed;
} cases[] = {
    {{.topology = "ring:32", .method = "ade", .stop = "never", .seconds_max = 0.3, .carrier = "pool:2"}, "max"},
    {{.topology = "torus:4x4", .method = "adf", .stop = "never", .seconds_max = 0.3, .timing = "free"}, NULL},
    {{.topology = "torus:4x4", .method = "adf", .stop = "never", .seconds_max = 0.3, .timing = "turns"}, "max"},
    {{.topology = "ring:32", .method = "ade", .stop = "never", .seconds_max = 0.5, .carrier = "pool:2"}, NULL},
    {{.topology = "torus:4x4", .method = "adf", .stop = "never", .seconds_max = 0.5, .timing = "turns"}, "100steps/s"},
    {{.topology = "torus:4x4", .method = "ade", .seconds_max = 2e-5, .timing = "virtual", .carrier = "pool:2"}, NULL},
    {{.topology = "torus:4x4", .method = "ade", .seconds_max = 2e-5, .timing = "virtual"}, "20us/s"},
    {{.topology = "torus:4x4", .method = "adf", .tasks = "uts:t1", .seconds_max = 0.3, .carrier = "pool:2"}, NULL},
    {{.topology = "torus:4x4",
      .method = "adf",
      .tasks = "uts:t1",
      .invoke = "below:2",
      .seconds_max = 0.3,
      .timing = "free"},
     NULL}};

int main(void)
{
    unsigned passed = 0, failed = 0;
    FILE *file = tmpfile();
    int out = dup(STDOUT_FILENO);
    struct keyboard keyboard = {.end = open_terminal()};
    pthread_t presser;
    if (!file || out < 0 || dup2(fileno(file), STDOUT_FILENO) < 0 || keyboard.end < 0 ||
        pthread_create(&presser, NULL, press, &keyboard) != 0) {
        return 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        bool good = show(cases[i].experiment, cases[i].speed, file, &error) &&
                    (is_cooked() || base_refuse(&error, "the terminal does not have its settings back"));
        *(good ? &passed : &failed) += 1;
        if (!good) {
            fprintf(stderr, "experiment %zu: %s\n", i, error.sentence);
        }
    }
    keyboard.over = true;
    pthread_join(presser, NULL);
    fflush(stdout);
    dup2(out, STDOUT_FILENO);
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
