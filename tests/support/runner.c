// SPDX-License-Identifier: MIT
// Runs the tests of a Criterion program, in place of Criterion's own main. Each test has a process of its own, as
// there, but it is forked and not executed: a program under a sanitizer takes long to load. Tests that leak fail.
// Criterion ignores the exit status of a test that passed, and loses memory itself.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A test that calls exit() has not passed.
enum { PASSED = 76, SKIPPED = 77 };

// The linker defines where the lists begin and end that Test() and TestSuite() write.
extern struct criterion_test *__start_cr_tst[], *__stop_cr_tst[];
extern struct criterion_suite *__start_cr_sts[] __attribute__((weak)), *__stop_cr_sts[] __attribute__((weak));

static const struct criterion_test_extra_data none;
// Of the process of one test: its test, its suite, and whether an assertion failed.
static const struct criterion_test *running;
static const struct criterion_test_extra_data *suite;
static void *parameter;
static bool failed;
static jmp_buf end_of_test;

// The functions that Criterion's macros call.

void criterion_internal_test_setup(void)
{
    if (suite->init) {
        suite->init();
    }
    if (running->data->init) {
        running->data->init();
    }
}

void criterion_internal_test_main(void (*body)(void))
{
    if (setjmp(end_of_test) != 0) {
        return;
    }
    if (running->data->kind_ == CR_TEST_PARAMETERIZED) {
        ((void (*)(void *))body)(parameter);
    } else {
        body();
    }
}

void criterion_internal_test_teardown(void)
{
    if (running->data->fini) {
        running->data->fini();
    }
    if (suite->fini) {
        suite->fini();
    }
}

void criterion_send_assert(struct criterion_assert_stats *assertion)
{
    if (!assertion->passed) {
        failed = true;
        fprintf(stderr, "[----] %s:%u: Assertion Failed\n[----]   %s\n", assertion->file, assertion->line,
                assertion->message);
    }
}

void cri_asserts_passed_incr(void)
{
}

void criterion_continue_test(void)
{
}

void criterion_abort_test(void)
{
    longjmp(end_of_test, 1);
}

void criterion_skip_test(const char *format, ...)
{
    (void)format;
    _exit(SKIPPED);
}

void cr_log(enum criterion_severity severity, const char *format, ...)
{
    va_list values;
    (void)severity;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
}

void *cr_malloc(size_t bytes)
{
    return malloc(bytes);
}

void cr_free(void *memory)
{
    free(memory);
}

static const struct criterion_test_extra_data *suite_of(const struct criterion_test *test)
{
    for (struct criterion_suite **one = __start_cr_sts; one < __stop_cr_sts; one++) {
        if (strcmp((*one)->name, test->category) == 0) {
            return (*one)->data;
        }
    }
    return &none;
}

// Executes the test in a process of its own, and returns its status as waitpid() does.
static int execute(void)
{
    double seconds = running->data->timeout > 0.0 ? running->data->timeout : suite->timeout;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm((unsigned)seconds);
        running->test();
        exit(failed ? 1 : PASSED);
    }
    int status = -1;
    return child < 0 || waitpid(child, &status, 0) != child ? -1 : status;
}

struct counts {
    unsigned tested, failing, crashing;
};

static void count(struct counts *counts)
{
    int status = execute();
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        return;
    }
    counts->tested++;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != PASSED) {
        counts->failing++;
        counts->crashing += WIFSIGNALED(status);
        fprintf(stderr, "[FAIL] %s::%s: %s %d\n", running->category, running->name,
                WIFSIGNALED(status) ? "signal" : "status",
                WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
}

static void count_all(struct counts *counts)
{
    if (running->data->kind_ != CR_TEST_PARAMETERIZED) {
        count(counts);
        return;
    }
    struct criterion_test_params all = running->data->param_();
    for (size_t i = 0; i < all.length; i++) {
        parameter = (char *)all.params + i * all.size;
        count(counts);
    }
    if (all.cleanup) {
        all.cleanup(&all);
    }
}

int main(int argument_count, char **argument)
{
    const char *filter = argument_count == 3 && strcmp(argument[1], "--filter") == 0 ? argument[2] : NULL;
    if (argument_count > 1 && !filter) {
        fprintf(stderr, "usage: %s [--filter SUITE/TEST]\n", argument[0]);
        return 2;
    }
    struct counts counts = {0};
    for (struct criterion_test **test = __start_cr_tst; test < __stop_cr_tst; test++) {
        char name[300];
        running = *test;
        suite = suite_of(running);
        snprintf(name, sizeof name, "%s/%s", running->category, running->name);
        if (!running->data->disabled && !suite->disabled && (!filter || fnmatch(filter, name, 0) == 0)) {
            count_all(&counts);
        }
    }
    printf("[====] Synthesis: Tested: %u | Passing: %u | Failing: %u | Crashing: %u \n", counts.tested,
           counts.tested - counts.failing, counts.failing, counts.crashing);
    return counts.failing > 0 || counts.tested == 0;
}
