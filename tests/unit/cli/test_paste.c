// SPDX-License-Identifier: MIT
// Cells of tables to be pasted, with every special character.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cli/tables/paste.h"

static void expect_line(enum cli_format format, const char *const cells[2], const char *wanted)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    report_paste_line(out, format, 2, cells);
    fclose(out);
    cr_expect_str_eq(text, wanted);
    free(text);
}

Test(paste, special_characters)
{
    expect_line(CLI_LATEX, (const char *const[]){"{}$&#%_", "\\~^<>|\""},
                "\\{\\}\\$\\&\\#\\%\\_ & \\textbackslash{}\\textasciitilde{}\\textasciicircum{}$<$$>$$|$"
                "\\textquotedbl{} \\\\\n");
    expect_line(CLI_MARKDOWN, (const char *const[]){"{}$&#%_", "\\~^<>|\"`*[]"},
                "| {}\\$\\&\\#%\\_ | \\\\\\~^\\<>\\|\"\\`\\*\\[\\] |\n");
    expect_line(CLI_LATEX, (const char *const[]){"--size", "a\nb"}, "-{}-size & a b \\\\\n");
    expect_line(CLI_MARKDOWN, (const char *const[]){"--size", "a\nb"}, "| --size | a b |\n");
}

// After the end of a line LaTeX takes [ and * for its options.
Test(paste, the_beginning_of_a_line)
{
    expect_line(CLI_LATEX, (const char *const[]){"[2; 3]", "[2]"}, "{}[2; 3] & [2] \\\\\n");
    expect_line(CLI_LATEX, (const char *const[]){"*", "*"}, "{}* & * \\\\\n");
    expect_line(CLI_LATEX, (const char *const[]){"", ""}, " &  \\\\\n");
}
