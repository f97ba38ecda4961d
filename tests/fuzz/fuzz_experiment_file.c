// SPDX-License-Identifier: MIT
// Fuzzes files of experiments: what was read must be the same after writing and reading, and its lists must make
// experiments.
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

#include "lab/sweep/experiment_file.h"

enum { BRACES_MAX = 8 }; // more make a million values, which takes long and finds nothing more

static void check(const struct ek_error *error)
{
    size_t length = strnlen(error->sentence, sizeof error->sentence);
    assert(error->status == EK_BAD_INPUT && length > 0 && length < sizeof error->sentence);
}

static char *lines(const struct lab_experiment_file *sheet)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert(out);
    for (size_t i = 0; i < sheet->count; i++) {
        lab_section_write(out, &sheet->section[i]);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static void check_return(const struct lab_experiment_file *sheet)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert(out);
    struct ek_error error = {0};
    bool written = lab_experiment_file_write(out, sheet, &error);
    fclose(out);
    if (written) {
        struct lab_experiment_file again;
        assert(lab_experiment_file_read(&again, text, length, &error));
        char *before = lines(sheet), *after = lines(&again);
        bool empty = *before == '\n'; // a section without a line is written with its seed
        assert(again.count == sheet->count && (empty || strcmp(before, after) == 0));
        free(before);
        free(after);
        lab_experiment_file_destroy(&again);
    } else {
        check(&error);
    }
    free(text);
}

static void check_grid(const struct lab_section *section)
{
    struct lab_grid grid;
    struct ek_error error = {0};
    if (!lab_section_grid(section, &grid, &error)) {
        check(&error);
        return;
    }
    assert(grid.experiments > 0 && grid.seeds > 0);
    struct lab_experiment_spec cell = lab_grid_experiment(&grid, grid.experiments - 1);
    char *command = lab_experiment_spec_command(&cell, grid.seed[grid.seeds - 1]);
    assert(command);
    free(command);
    lab_grid_destroy(&grid);
}

static size_t braces(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        count += *text == '{';
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = tests_fuzz_text("", data, size);
    struct lab_experiment_file sheet;
    struct ek_error error = {0};
    if (!lab_experiment_file_read(&sheet, text, size, &error)) {
        check(&error);
    } else {
        check_return(&sheet);
        for (size_t i = 0;
             i < sheet.count && braces(text) <= BRACES_MAX && !strstr(text, "..") && !strstr(text, "runs"); i++) {
            check_grid(&sheet.section[i]);
        }
        lab_experiment_file_destroy(&sheet);
    }
    free(text);
    return 0;
}
