// SPDX-License-Identifier: MIT
#include "cli/terminal/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/terminal/keys.h"

static atomic_bool interrupted;         // released after `first_interrupt` was written
static struct timespec first_interrupt; // when the first signal came

static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
enum { CAUGHT = sizeof caught / sizeof *caught };
static struct sigaction before[CAUGHT];

// How a program ends that does not heed the first signal; no patience: only a second signal ends it.
static struct {
    unsigned patience_s;
    int status;
    char sentence[800];
} end;

static double seconds_since(const struct timespec *then)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - then->tv_sec) + 1e-9 * (double)(now.tv_nsec - then->tv_nsec);
}

void cli_interrupt_ask(void)
{
    if (!cli_interrupt_came()) {
        clock_gettime(CLOCK_MONOTONIC, &first_interrupt);
        atomic_store_explicit(&interrupted, true, memory_order_release);
        alarm(end.patience_s);
    }
}

// Handles a signal. Some senders signal a process and then its group, so a signal that follows at once counts as the
// same signal.
static void interrupt(int number)
{
    if (!cli_interrupt_came()) {
        cli_interrupt_ask();
    } else if (seconds_since(&first_interrupt) > 0.2) {
        struct sigaction usual = {.sa_handler = SIG_DFL};
        cli_keys_rescue();
        sigaction(number, &usual, NULL);
        raise(number);
    }
}

// Handles the alarm: a handler may only write and exit.
static void lose_patience(int number)
{
    (void)number;
    ssize_t written = write(STDERR_FILENO, end.sentence, strlen(end.sentence));
    (void)written;
    _exit(end.status);
}

void cli_interrupt_catch_within(unsigned patience_s, const char *sentence, int status)
{
    end.patience_s = patience_s;
    end.status = status;
    snprintf(end.sentence, sizeof end.sentence, "%s%s\n", isatty(STDERR_FILENO) ? "\r\033[K" : "", sentence);
    struct sigaction action = {.sa_handler = lose_patience};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    cli_interrupt_catch();
}

void cli_interrupt_catch(void)
{
    atomic_store_explicit(&interrupted, false, memory_order_relaxed); // no signal is caught yet
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
    alarm(0);
    end.patience_s = 0;
    for (size_t i = 0; i < CAUGHT; i++) {
        sigaction(caught[i], &before[i], NULL);
    }
}

bool cli_interrupt_came(void)
{
    return atomic_load_explicit(&interrupted, memory_order_acquire); // pairs with the release in cli_interrupt_ask
}
