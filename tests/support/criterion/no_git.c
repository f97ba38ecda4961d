// SPDX-License-Identifier: MIT
// An empty library that test programs load in place of libgit2, so that they start faster. Criterion is linked with
// libgit2 and starts a test program again for each test. Most of such a start would go to libgit2, which loads fifteen
// libraries and reads all certificates of the system. Criterion needs libgit2 only for eq(str, ...) of
// <criterion/new/assert.h>, and no test uses that header.
#include <stdio.h>
#include <stdlib.h>

int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}

// The arguments are not read.
int git_diff_buffers(void)
{
    fputs("eq(str, ...) needs libgit2: use cr_expect_str_eq (tests/support/criterion/no_git.c)\n", stderr);
    exit(1);
}
