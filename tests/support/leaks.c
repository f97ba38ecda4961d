// SPDX-License-Identifier: MIT
// Leaks fail a Criterion program, but not those of Criterion's runner: it loses the timer of a test that has a limit of
// time. Each test runs in a child of the runner. A suppression of libcriterion would hide every leak, because the
// children call the tests from it.
#include <stdlib.h>

#include "base/sanitizers.h"

#ifdef __SANITIZE_ADDRESS__
#define CALLED_BY_SANITIZER __attribute__((visibility("default")))

// Only a program with Criterion has it.
extern int criterion_run_all_tests(void *tests) __attribute__((weak));

int __lsan_is_turned_off(void);
const char *__asan_default_options(void);

// LeakSanitizer asks at the end of each process. The runner sets BXFI_MAP for its children.
CALLED_BY_SANITIZER int __lsan_is_turned_off(void)
{
    return criterion_run_all_tests && !getenv("BXFI_MAP");
}

// The runner ignores the exit status of a child whose test passed, but not its abort.
CALLED_BY_SANITIZER const char *__asan_default_options(void)
{
    return "abort_on_error=1";
}
#endif
