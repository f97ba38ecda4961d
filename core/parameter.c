// SPDX-License-Identifier: MIT
// Reads a method's parameter, with errors that point into the method's whole spec.
#include "core/parameter.h"

#include <string.h>

#include "topologies/scan.h"

bool ek_parameter_read(const char *text, int at, const char *what, double minimum, double maximum, const char *example,
                       double *value, struct ek_error *error)
{
    if (!text) {
        return ek_fail(error, EK_BAD_INPUT, "method", at, "the method needs %s, as in %s", what, example);
    }
    struct ek_scan scan = ek_scan_start("method", text, error);
    if (ek_scan_real(&scan, what, minimum, maximum, value) && ek_scan_end(&scan)) {
        return true;
    }
    error->at += error->at >= 0 ? at : 0;
    return false;
}

bool ek_parameter_none(const char *text, int at, struct ek_error *error)
{
    return !text || ek_fail(error, EK_BAD_INPUT, "method", at,
                            "this method takes no parameter: leave out what follows its name");
}

bool ek_parameter_name(const char *text, int at, const char *what, const char *(*known)(size_t index), size_t *index,
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
    struct ek_scan scan = ek_scan_start("method", text, error);
    ek_scan_unknown(&scan, 0, what, text, known);
    error->at = at;
    return false;
}
