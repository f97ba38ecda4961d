// SPDX-License-Identifier: MIT
// Reads a method's parameter, with errors that point into the method's whole spec.
#include "core/parameter.h"

#include <string.h>

#include "topologies/scan.h"

bool core_parameter_read(const char *text, int at, const char *what, double minimum, double maximum,
                         const char *example, double *value, struct ek_error *error)
{
    if (!text) {
        return topo_fail(error, EK_BAD_INPUT, "method", at, "the method needs %s, as in %s", what, example);
    }
    struct topo_scan scan = topo_scan_start("method", text, error);
    if (topo_scan_real(&scan, what, minimum, maximum, value) && topo_scan_end(&scan)) {
        return true;
    }
    error->at += error->at >= 0 ? at : 0;
    return false;
}

bool core_parameter_none(const char *text, int at, struct ek_error *error)
{
    return !text || topo_fail(error, EK_BAD_INPUT, "method", at,
                              "this method takes no parameter: leave out what follows its name");
}

bool core_parameter_name(const char *text, int at, const char *what, const char *(*known)(size_t index), size_t *index,
                         struct ek_error *error)
{
    for (*index = 0; text && known(*index); ++*index) {
        if (strcmp(text, known(*index)) == 0) {
            return true;
        }
    }
    if (!text) {
        return true;
    }
    struct topo_scan scan = topo_scan_start("method", text, error);
    topo_scan_unknown(&scan, 0, what, text, known);
    error->at = at;
    return false;
}
