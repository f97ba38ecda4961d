// SPDX-License-Identifier: MIT
#include "lab/studies/method_of_spec.h"
#include "core/method.h"

#include <stdio.h>
#include <string.h>

const struct ek_method *lab_method_of(const char *spec)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":("), spec);
    return ek_method_find(name);
}
