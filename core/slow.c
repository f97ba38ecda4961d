// SPDX-License-Identifier: MIT
// Parses stragglers. A processor stands in the list only once, so that no factor is lost.
#include "core/slow.h"

#include <stdlib.h>
#include <string.h>

#include "core/spec.h"

static const struct ek_choice choices[] = {
    {"none", "every processor takes every turn"},
    {"P:FACTOR,P:FACTOR,…", "processor P takes every FACTOR-th turn only"},
};

enum { CHOICES = sizeof choices / sizeof *choices };

const struct ek_choice *core_slow_choice(size_t index)
{
    return index < CHOICES ? &choices[index] : NULL;
}

// Takes P:FACTOR. 0 stands for a processor that is not named yet.
static bool take_factor(struct topo_scan *scan, uint32_t processors, uint32_t *factor)
{
    size_t at = scan->at;
    uint64_t processor;
    uint64_t number;
    if (!topo_scan_whole(scan, "the processor", 0, processors - 1, &processor) ||
        !topo_scan_expect(scan, ':', "the processor, as in 3:10") ||
        !topo_scan_whole(scan, "the factor", 1, CORE_SLOW_MAX, &number)) {
        return false;
    }
    if (factor[processor] > 0) {
        return topo_scan_fail(scan, at, "processor %u is there already: leave one of them out", (unsigned)processor);
    }
    factor[processor] = (uint32_t)number;
    return true;
}

static bool take_list(struct topo_scan *scan, uint32_t processors, uint32_t *factor)
{
    do {
        if (!take_factor(scan, processors, factor)) {
            return false;
        }
    } while (topo_scan_accept(scan, ','));
    for (uint32_t p = 0; p < processors; p++) {
        factor[p] = factor[p] > 0 ? factor[p] : 1;
    }
    return topo_scan_end(scan);
}

bool core_slow_parse(const char *spec, uint32_t processors, uint32_t **factor, struct ek_error *error)
{
    *factor = NULL;
    struct topo_scan scan = topo_scan_start("slow", spec, error);
    if (strncmp(spec, "none", 4) == 0) {
        scan.at = 4;
        return topo_scan_end(&scan);
    }
    if (*spec < '0' || *spec > '9') {
        return topo_scan_fail(&scan, 0, "stragglers are none, or processors with their factors, as in 3:10,5:2");
    }
    uint32_t *list = calloc(processors, sizeof *list);
    if (!list) {
        return topo_scan_fail(&scan, 0, "no memory for %u factors: use a smaller topology", processors);
    }
    if (!take_list(&scan, processors, list)) {
        free(list);
        return false;
    }
    *factor = list;
    return true;
}
