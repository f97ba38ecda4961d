// SPDX-License-Identifier: MIT
// The order of names that contain numbers.
#include <criterion/criterion.h>

#include <string.h>

#include "lab/text/compare_naturally.h"

Test(text, natural_order)
{
    static const char *const sorted[] = {"",    "0",    "7",  "10",   "0ns",   "10ns", "500ns", "1us", "1.5us",
                                         "2us", "1ms",  "2s", "1m",   "1h",    "a",    "a9",    "a10", "a10b",
                                         "a11", "a100", "b",  "b2c1", "b2c10", "b2us", "b1ms",  "bus"};
    enum { COUNT = sizeof sorted / sizeof *sorted };
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < COUNT; j++) {
            int order = lab_compare_naturally(sorted[i], strlen(sorted[i]), sorted[j], strlen(sorted[j]));
            cr_expect_eq((order > 0) - (order < 0), (i > j) - (i < j), "'%s' and '%s'", sorted[i], sorted[j]);
        }
    }
}
