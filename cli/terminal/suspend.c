// SPDX-License-Identifier: MIT
#include "cli/terminal/suspend.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "cli/terminal/keys.h"

// Set by signal handlers, which run on other threads than the one that draws. Relaxed: lone flags.
static atomic_bool stop_asked, continued;
static struct sigaction stop_before, continue_before;

static void note_stop(int number)
{
    (void)number;
    atomic_store_explicit(&stop_asked, true, memory_order_relaxed);
}

// Catches the next SIGTSTP only: the one after it stops the process.
static void catch_stop(void)
{
    struct sigaction action = {.sa_handler = note_stop, .sa_flags = SA_RESTART | (int)SA_RESETHAND};
    if (stop_before.sa_handler != SIG_IGN) {
        sigaction(SIGTSTP, &action, NULL);
    }
}

static void note_continued(int number)
{
    (void)number;
    atomic_store_explicit(&continued, true, memory_order_relaxed);
    catch_stop();
}

void cli_suspend_catch(void)
{
    struct sigaction action = {.sa_handler = note_continued, .sa_flags = SA_RESTART};
    atomic_store_explicit(&stop_asked, false, memory_order_relaxed);
    atomic_store_explicit(&continued, false, memory_order_relaxed);
    sigaction(SIGTSTP, NULL, &stop_before);
    sigaction(SIGCONT, &action, &continue_before);
    catch_stop();
}

// This thread must not go on before the process has stopped, so it takes the signal itself.
void cli_suspend_if_asked(void)
{
    sigset_t stop, before;
    if (atomic_exchange_explicit(&stop_asked, false, memory_order_relaxed)) {
        sigemptyset(&stop);
        sigaddset(&stop, SIGTSTP);
        cli_keys_lend();
        pthread_sigmask(SIG_UNBLOCK, &stop, &before);
        raise(SIGTSTP);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
}

void cli_suspend_release(void)
{
    sigaction(SIGCONT, &continue_before, NULL);
    sigaction(SIGTSTP, &stop_before, NULL);
    cli_suspend_if_asked();
}

bool cli_suspend_continued(void)
{
    return atomic_exchange_explicit(&continued, false, memory_order_relaxed);
}
