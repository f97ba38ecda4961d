// SPDX-License-Identifier: MIT
// Takes the place of libgit2 in programs with Criterion. Criterion starts the program once more for each test, and most
// of that time would go to libgit2: it loads fifteen libraries and reads all certificates of the system. Criterion
// needs it only for eq(str, ...) of <criterion/new/assert.h>, and no test uses that header.
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
