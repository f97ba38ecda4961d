// SPDX-License-Identifier: MIT
// All that a test writes to standard output and standard error, compared with a file of tests/data line by line. With
// UPDATE=1 in the environment, a test writes its file anew.
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "threads/api/run.h"

struct golden {
    FILE *file;
    int out, err; // the streams before
};

static inline struct golden golden_begin(void)
{
    struct golden golden = {.file = tmpfile(), .out = dup(STDOUT_FILENO), .err = dup(STDERR_FILENO)};
    fflush(stdout);
    cr_assert(golden.file && dup2(fileno(golden.file), STDOUT_FILENO) >= 0);
    cr_assert(dup2(fileno(golden.file), STDERR_FILENO) >= 0);
    setvbuf(stdout, NULL, _IOLBF, 0); // so that both streams are in order
    return golden;
}

// Rounds the numbers with many digits to ten: the last ones depend on the C library and the processor.
static inline void golden_round(char *line)
{
    char *to = line;
    for (char *at = line; *at;) {
        char *end = at;
        double value = *at >= '0' && *at <= '9' ? strtod(at, &end) : 0.0;
        char text[40];
        size_t length = end - at > 13 ? (size_t)snprintf(text, sizeof text, "%.10g", value) : (size_t)(end - at);
        memmove(to, end - at > 13 ? text : at, length);
        to += length;
        at = end;
        for (bool word = true; word && *at; at++) { // copies what follows, up to the next number
            word = (*at >= '0' && *at <= '9') || (*at >= 'a' && *at <= 'z') || *at == '_';
            *to++ = *at;
        }
    }
    *to = '\0';
}

// Reads a line without its end. The version of evenkeel is VERSION in it, and the date of a manual page DATE.
static inline bool golden_line(FILE *file, char *line, size_t size)
{
    if (!file || !fgets(line, (int)size, file)) {
        *line = '\0';
        return false;
    }
    line[strcspn(line, "\n")] = '\0';
    char own[40], *at;
    snprintf(own, sizeof own, "\"%s\"", ek_version());
    while ((at = strstr(line, own)) != NULL) {
        memmove(at + strlen("VERSION"), at + strlen(own), strlen(at + strlen(own)) + 1);
        memcpy(at, "VERSION", strlen("VERSION"));
    }
    if (strncmp(line, ".Dd ", 4) == 0) {
        snprintf(line, size, ".Dd DATE");
    }
    golden_round(line);
    return true;
}

static inline void golden_write(FILE *written, const char *path)
{
    static char line[100000];
    FILE *file = fopen(path, "w");
    cr_assert(file);
    while (golden_line(written, line, sizeof line)) {
        fprintf(file, "%s\n", line);
    }
    fclose(file);
    rewind(written);
}

// Ends what golden_begin began.
static inline void golden_end(struct golden *golden, const char *path)
{
    static char found[100000], wanted[100000];
    fflush(stdout);
    dup2(golden->out, STDOUT_FILENO);
    dup2(golden->err, STDERR_FILENO);
    close(golden->out);
    close(golden->err);
    rewind(golden->file);
    if (getenv("UPDATE")) {
        golden_write(golden->file, path);
    }
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    int differ = 0;
    for (int number = 1; differ < 10; number++) {
        const bool one = golden_line(golden->file, found, sizeof found),
                   other = golden_line(file, wanted, sizeof wanted);
        if (!one && !other) {
            break;
        }
        differ += one != other || strcmp(found, wanted) != 0;
        cr_expect(one == other && strcmp(found, wanted) == 0, "%s:%d\n  wanted: %s\n  found:  %s", path, number, wanted,
                  found);
    }
    fclose(file);
    fclose(golden->file);
}

#endif
