// SPDX-License-Identifier: MIT
// Times on the command line, read as those in specs are.
#include <stdio.h>

#include "threads/run.h"
#include "topologies/scan.h"

bool ek_duration_read(const char *axis, const char *text, double *seconds, struct ek_error *error)
{
    char option[sizeof error->axis + 2];
    snprintf(option, sizeof option, "--%s", axis);
    struct topo_scan scan = topo_scan_start(axis, text, error);
    return topo_scan_duration(&scan, option, seconds) && topo_scan_end(&scan);
}
