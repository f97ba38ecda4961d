// SPDX-License-Identifier: MIT
// Shared by the tests of specs: specs that are refused, with the place and the sentence of the error, and files in
// memory.
#ifndef TESTS_SPECS_H
#define TESTS_SPECS_H

#include <criterion/criterion.h>
#include <string.h>

#include "tests/support/text_file.h"

static const struct ek_reader NO_FILES = {0};

struct bad_spec {
    const char *spec;
    int at;
    const char *part; // that the sentence contains
};

struct bad_file {
    const char *text;
    const char *part;
};

static inline void expect_refused(const struct ek_error *error, const char *axis, const char *spec, int at,
                                  const char *part)
{
    cr_expect_eq(error->status, EK_BAD_INPUT, "%s", spec);
    cr_expect_str_eq(error->axis, axis, "%s", spec);
    cr_expect_eq(error->at, at, "%s: at %d, not %d: %s", spec, error->at, at, error->sentence);
    cr_expect(strstr(error->sentence, part), "%s: %s", spec, error->sentence);
    cr_expect_null(strchr(error->sentence, '\n'), "%s", spec);
}

static inline struct ek_reader text_reader(struct tests_memory *memory, const char *text)
{
    *memory = (struct tests_memory){.text = text, .length = strlen(text)};
    return tests_memory_reader(memory);
}

#endif
