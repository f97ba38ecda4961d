// SPDX-License-Identifier: MIT
#include "cli/line/plugin.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/terminal/interrupt.h"
#include "threads/api/prepared.h"

// Opens a plugin. Returns NULL with `error` filled if the file is none.
static const struct ek_plugin *open_plugin(const char *path, struct ek_error *error)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        base_refuse(error, "a plugin cannot be opened: %.480s", dlerror());
        return NULL;
    }
    const struct ek_plugin *plugin = dlsym(object, "evenkeel_plugin");
    if (!plugin) {
        base_refuse(error, "%.200s is no plugin: it exports no struct ek_plugin called evenkeel_plugin", path);
    }
    return plugin;
}

// Opens and registers the plugin whose path is the first `length` characters. A name without a '/' would be looked for
// among the system's libraries.
static const struct ek_plugin *load(const char *name, size_t length, struct ek_error *error)
{
    enum { PATH_MAX_LENGTH = 4096 };
    char path[PATH_MAX_LENGTH];
    struct ek_error wrong;
    const char *here = memchr(name, '/', length) ? "" : "./";
    if (snprintf(path, sizeof path, "%s%.*s", here, (int)length, name) >= (int)sizeof path) {
        base_refuse(error, "a plugin's path is longer than %d characters", PATH_MAX_LENGTH);
        return NULL;
    }
    const struct ek_plugin *plugin = open_plugin(path, error);
    if (plugin && !ek_plugin_register(plugin, &wrong)) {
        base_refuse(error, "plugin %.200s: %.380s", path, wrong.sentence);
        return NULL;
    }
    return plugin;
}

const struct ek_plugin *cli_plugin_open(const char *path, struct ek_error *error)
{
    return load(path, strlen(path), error);
}

// Loads the plugins of a list.
static bool load_all(const char *list, struct ek_error *error)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");
        if (!load(list, length, error)) {
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

enum { PATIENCE_S = 5 }; // how long a method or a program may take to return after a signal or a time limit

static char crash_sentence[600]; // made before a crash, because a handler may only write

// Writes the sentence, and lets the signal end the process as it does without a handler. If another thread crashes
// meanwhile, that thread waits for the end.
static void crash(int number)
{
    static atomic_flag crashed = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&crashed)) {
        pause();
    }
    ssize_t written = write(STDERR_FILENO, crash_sentence, strlen(crash_sentence));
    (void)written;
    signal(number, SIG_DFL);
    raise(number);
}

// Makes crashes name the plugins. Whether a plugin is the cause is not known: its code runs in this process.
static void name_in_crashes(const char *list)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction action = {.sa_handler = crash};
    snprintf(crash_sentence, sizeof crash_sentence,
             "evenkeel: the command crashed, perhaps in the plugin %.200s: evenkeel check %.200s tests its methods\n",
             list, list);
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sigaction(faults[i], &action, NULL);
    }
}

bool cli_plugin_load(const struct cli_call *call, struct ek_error *error)
{
    const char *list = cli_option_given(call, "plugin");
    if (list) {
        name_in_crashes(list);
    }
    return load_all(list, error);
}

void cli_plugin_interrupt_catch(const struct cli_call *call)
{
    const char *list = cli_option_given(call, "plugin");
    if (!list) {
        cli_interrupt_catch();
        return;
    }
    char sentence[700];
    snprintf(
        sentence, sizeof sentence,
        "evenkeel: %s does not end, perhaps because the plugin %.200s does not return: evenkeel check %.200s tests "
        "its methods",
        call->command->name, list, list);
    cli_interrupt_catch_within(PATIENCE_S, sentence, EK_STUCK);
}

bool cli_plugin_overdue(const struct cli_call *call, struct cli_plugin_patience *patience, double elapsed_s,
                        double limit_s)
{
    if (!patience->interrupted && cli_interrupt_came()) {
        patience->interrupted = true;
        patience->interrupted_s = elapsed_s;
    }
    bool late = limit_s > 0.0 && elapsed_s > limit_s + PATIENCE_S;
    bool ignored = patience->interrupted && elapsed_s > patience->interrupted_s + PATIENCE_S;
    return cli_option_given(call, "plugin") && (late || ignored);
}
