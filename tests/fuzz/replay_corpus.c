// SPDX-License-Identifier: MIT
// Runs a fuzz target on the files named on the command line, so that gcc alone can test the corpus and every past
// find. An input passes if the target returns. An assertion or a sanitizer ends the program at a find.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 1 << 20 };

static int replay(const char *path, uint8_t *buffer)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(buffer, 1, INPUT_MAX, file);
    int unread = ferror(file) || !feof(file);
    fclose(file);
    if (unread) {
        fprintf(stderr, "%s: not readable, or larger than %d bytes\n", path, INPUT_MAX);
        return 1;
    }
    // An allocation of the exact size lets a sanitizer see a read past the end.
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact) {
        perror(path);
        return 1;
    }
    for (size_t i = 0; i < size; i++) {
        exact[i] = buffer[i];
    }
    fprintf(stderr, "%s\n", path);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t *buffer = malloc(INPUT_MAX);
    if (!buffer) {
        perror(argv[0]);
        return 1;
    }
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        failed += replay(argv[i], buffer);
    }
    free(buffer);
    printf("%d passed, %d failed\n", argc - 1 - failed, failed);
    return failed > 0;
}
