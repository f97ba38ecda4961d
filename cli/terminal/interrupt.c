// SPDX-License-Identifier: MIT
#include "cli/terminal/interrupt.h"

#include <signal.h>
#include <time.h>

static volatile sig_atomic_t interrupted;
static struct timespec first_interrupt;

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof caught / sizeof *caught };
static struct sigaction before[CAUGHT];

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

// Handles a signal. Some senders signal a process and then its group, so a signal that follows at once counts as the
// same signal.
static void interrupt(int number)
{
    if (!interrupted) {
        clock_gettime(CLOCK_MONOTONIC, &first_interrupt);
        interrupted = 1;
    } else if (seconds_since(&first_interrupt) > 0.2) {
        struct sigaction end = {.sa_handler = SIG_DFL};
        sigaction(number, &end, NULL);
        raise(number);
    }
}

void cli_interrupt_catch(void)
{
    interrupted = 0;
    struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < CAUGHT; i++) {
        sigaddset(&action.sa_mask, caught[i]);
    }
    for (size_t i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(caught[i], &action, NULL);
        }
    }
}

void cli_interrupt_release(void)
{
    for (size_t i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], &before[i], NULL);
    }
}

bool cli_interrupt_came(void)
{
    return interrupted != 0;
}
