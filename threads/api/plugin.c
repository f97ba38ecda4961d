// SPDX-License-Identifier: MIT
// Plugins: methods, families of topologies, and programs that a shared object exports.
#include <string.h>

#include "core/register.h"
#include "threads/api/prepared.h"
#include "base/cursor.h"
#include "topologies/topology.h"

bool ek_plugin_register(const struct ek_plugin *plugin, struct ek_error *error)
{
    if (!plugin->version || strcmp(plugin->version, ek_version()) != 0) {
        return base_fail(error, EK_BAD_INPUT, "plugin",
                         "it was built for evenkeel %.20s, and this is %s: compile it again with this one's header",
                         plugin->version ? plugin->version : "of no version", ek_version());
    }
    for (size_t i = 0; plugin->methods && plugin->methods[i]; i++) {
        if (!ek_method_register(plugin->methods[i], error)) {
            return false;
        }
    }
    for (size_t i = 0; plugin->families && plugin->families[i]; i++) {
        if (!ek_family_register(plugin->families[i], error)) {
            return false;
        }
    }
    for (size_t i = 0; plugin->programs && plugin->programs[i]; i++) {
        if (!ek_program_register(plugin->programs[i], error)) {
            return false;
        }
    }
    return true;
}
