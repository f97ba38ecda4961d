// SPDX-License-Identifier: MIT
#include "cli/line/complain.h"

#include <stdio.h>
#include <string.h>

#include "base/characters.h"
#include "lab/text/clean_text.h"

// Prints the error's excerpt behind `before`, and the caret in the line below.
static void print_excerpt(const char *before, const struct ek_error *error)
{
    int column = fprintf(stderr, "%s%s\n", before, error->excerpt) - (int)strlen(error->excerpt) - 1;
    for (int i = 0; i < error->excerpt_at && error->excerpt[i]; i++) {
        column += !base_continues(error->excerpt[i]);
    }
    fprintf(stderr, "%*s^\n", column, "");
}

static enum ek_status complain(const struct ek_error *error, const char *dashes, const char *equals)
{
    struct ek_error clean = *error;
    lab_text_clean(clean.sentence);
    lab_text_clean(clean.excerpt);
    fprintf(stderr, "evenkeel: %s\n", clean.sentence);
    if (*clean.excerpt) {
        char before[sizeof error->axis + 8];
        snprintf(before, sizeof before, "  %s%s%s ", dashes, error->axis, equals);
        print_excerpt(before, &clean);
    }
    return error->status;
}

enum ek_status cli_complain(const struct ek_error *error)
{
    return complain(error, "--", "");
}

enum ek_status cli_complain_of_line(const struct ek_error *error)
{
    return complain(error, "", " =");
}

void cli_complain_replay(const char *recording)
{
    if (recording) {
        fputs("  evenkeel replay ", stderr);
        lab_shell_quote(stderr, recording);
        fputc('\n', stderr);
    }
}
