// SPDX-License-Identifier: MIT
// The link rules that are in force.
#include "core/links/link.h"

#include <assert.h>
#include <math.h>
#include <string.h>

bool core_link_read(struct ek_link_model *links, const struct core_link_rule *rule, const char *axis, const char *spec,
                    enum ek_units units, struct ek_error *error)
{
    if (strcmp(spec, "none") == 0) {
        return true;
    }
    assert(links->rules < sizeof links->use / sizeof *links->use);
    struct base_cursor cursor = base_cursor_start(axis, spec, error);
    struct core_link_use *use = &links->use[links->rules];
    if (!rule->read(&cursor, units, &use->value)) {
        return false;
    }
    use->rule = rule;
    use->axis = axis;
    links->rules++;
    return true;
}

void core_links_carry(const struct ek_link_model *links, uint32_t port, unsigned count, double *amounts)
{
    for (unsigned i = 0; i < links->rules; i++) {
        links->use[i].rule->carry(links->use[i].value, port, count, amounts);
    }
}

double core_links_narrowest(const struct ek_link_model *links, uint32_t ports)
{
    double least = INFINITY;
    for (uint32_t port = 0; port < ports; port++) {
        least = fmin(least, core_link_passes(links, port, INFINITY));
    }
    return least;
}

const char *core_links_undelayed(const struct ek_link_model *links)
{
    bool load = links->load_apart && links->delay_load.kind != CORE_DELAY_NONE;
    bool others = links->delay.kind != CORE_DELAY_NONE;
    return load && others ? "delay none and delay-load same" : load ? "delay-load same" : "delay none";
}
