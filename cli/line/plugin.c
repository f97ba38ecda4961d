// SPDX-License-Identifier: MIT
#include "cli/line/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

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

static bool load(const char *path, struct ek_error *error)
{
    struct ek_error wrong;
    const struct ek_plugin *plugin = open_plugin(path, error);
    return plugin &&
           (ek_plugin_register(plugin, &wrong) || base_refuse(error, "plugin %.200s: %.380s", path, wrong.sentence));
}

// Loads the plugins of a list.
static bool load_all(const char *list, struct ek_error *error)
{
    while (list && *list) {
        enum { PATH_MAX_LENGTH = 4096 };
        char path[PATH_MAX_LENGTH];
        int length = (int)strcspn(list, ",");
        // A name without a '/' would be looked for among the system's libraries.
        const char *here = memchr(list, '/', (size_t)length) ? "" : "./";
        if (snprintf(path, sizeof path, "%s%.*s", here, length, list) >= (int)sizeof path) {
            return base_refuse(error, "a plugin's path is longer than %d characters", PATH_MAX_LENGTH);
        }
        if (!load(path, error)) {
            return false;
        }
        list += length + (list[length] == ',');
    }
    return true;
}

bool cli_plugin_load(const struct cli_call *call, struct ek_error *error)
{
    return load_all(cli_option_given(call, "plugin"), error);
}
