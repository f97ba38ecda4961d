// SPDX-License-Identifier: MIT
#include "cli/terminal/keys.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"

// A terminal has one state, which signal handlers need too.
static struct termios own;     // the terminal's own settings
static atomic_bool taken;      // the terminal has our settings. Released after `own` was written
static bool begun;             // between cli_keys_begin and cli_keys_end
static bool ended;             // nothing can be read any more
static unsigned char byte[64]; // read, but not returned yet
static size_t bytes, used;

// The signals that end a process: first those of a thread's own faults, then those of abort, Ctrl-\, a limit of time
// and a lost reader.
static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGXCPU, SIGPIPE};
enum { FAULTS = 4, DEADLY = sizeof deadly / sizeof *deadly };
static struct sigaction before[DEADLY];

// Sets the terminal although this process may be on its way into the background: a blocked SIGTTOU does not stop it.
static void set(const struct termios *settings, int when)
{
    sigset_t one, old;
    sigemptyset(&one);
    sigaddset(&one, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &one, &old);
    tcsetattr(STDIN_FILENO, when, settings);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void take(void)
{
    struct termios settings = own;
    settings.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    settings.c_cc[VMIN] = 1;
    settings.c_cc[VTIME] = 0;
    atomic_store_explicit(&taken, true, memory_order_release);
    set(&settings, TCSANOW);
}

// Acquire: pairs with the release in `take`, which makes `own` visible.
static void give_back(int when)
{
    if (atomic_exchange_explicit(&taken, false, memory_order_acquire) && cli_terminal_in_front(STDIN_FILENO)) {
        set(&own, when);
    }
}

void cli_keys_rescue(void)
{
    give_back(TCSANOW);
}

// Handles a deadly signal. The handling that was in place before follows: a fault happens again, another signal is
// raised again.
static void rescue(int number, siginfo_t *info, void *context)
{
    (void)context;
    size_t i = 0;
    cli_keys_rescue();
    while (deadly[i] != number) {
        i++;
    }
    sigaction(number, &before[i], NULL);
    if (i >= FAULTS || info->si_code <= 0) {
        raise(number);
    }
}

static void catch_deadly(void)
{
    struct sigaction action = {.sa_sigaction = rescue, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(deadly[i], &action, NULL);
        }
    }
}

bool cli_keys_begin(void)
{
    if (isatty(STDIN_FILENO) != 1 || tcgetattr(STDIN_FILENO, &own) != 0) {
        return false;
    }
    begun = true;
    ended = false;
    bytes = used = 0;
    catch_deadly();
    cli_keys_follow(false);
    return true;
}

void cli_keys_end(void)
{
    if (!begun) {
        return;
    }
    begun = false;
    give_back(TCSAFLUSH);
    for (size_t i = 0; i < DEADLY; i++) {
        sigaction(deadly[i], &before[i], NULL);
    }
}

void cli_keys_lend(void)
{
    give_back(TCSANOW);
}

// In the background the shell has given the terminal the settings that it wants.
void cli_keys_follow(bool continued)
{
    if (!begun) {
        return;
    }
    if (!cli_terminal_in_front(STDIN_FILENO)) {
        atomic_store_explicit(&taken, false, memory_order_relaxed);
    } else if (continued || !atomic_load_explicit(&taken, memory_order_relaxed)) {
        take();
    }
}

static bool can_read(void)
{
    return begun && !ended && atomic_load_explicit(&taken, memory_order_relaxed);
}

void cli_keys_wait(int other, int most_ms)
{
    struct pollfd polled[] = {{.fd = other, .events = POLLIN},
                              {.fd = can_read() ? STDIN_FILENO : -1, .events = POLLIN}};
    if (used == bytes && poll(polled, 2, most_ms) > 0 && polled[1].revents != 0) {
        ssize_t count = read(STDIN_FILENO, byte, sizeof byte);
        ended = count <= 0; // the terminal is gone
        bytes = count > 0 ? (size_t)count : 0;
        used = 0;
    }
}

// Returns the last byte of the escape sequence that begins here, and leaves it as the next byte. The sequences of
// arrows are ESC [ C and ESC O C, with numbers after the '[' if Shift or the like was pressed.
static unsigned char end_of_sequence(void)
{
    used += used < bytes && (byte[used] == '[' || byte[used] == 'O');
    while (used < bytes && (byte[used] == ';' || (byte[used] >= '0' && byte[used] <= '9'))) {
        used++;
    }
    return used < bytes ? byte[used++] : '\0';
}

enum cli_key cli_keys_next(void)
{
    static const enum cli_key keys[256] = {[' '] = CLI_KEY_PAUSE,  ['.'] = CLI_KEY_STEP,   ['n'] = CLI_KEY_STEP,
                                           ['+'] = CLI_KEY_FASTER, ['='] = CLI_KEY_FASTER, ['-'] = CLI_KEY_SLOWER,
                                           ['_'] = CLI_KEY_SLOWER, ['q'] = CLI_KEY_QUIT,   ['Q'] = CLI_KEY_QUIT};
    enum { ESCAPE = 27 };
    enum cli_key key = CLI_KEY_NONE;
    while (key == CLI_KEY_NONE && used < bytes) {
        unsigned char next = byte[used++];
        key = next != ESCAPE ? keys[next] : end_of_sequence() == 'C' ? CLI_KEY_STEP : CLI_KEY_NONE;
    }
    return key;
}
