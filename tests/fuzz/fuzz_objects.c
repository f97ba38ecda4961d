// SPDX-License-Identifier: MIT
// Fuzzes LB data files of vt. The input is the file of rank 0, then a line `---` and the file of rank 1, if there is
// one. A file that can be read can also be written with each object on another processor, and read again.
#include "tests/fuzz/fuzz.h"

#include <errno.h>
#include <stdio.h>

#include "threads/api/report.h"
#include "threads/cargo/vt_files.h"

enum { RANKS = 3 };

// The files of all ranks. A rank without a file has no text.
struct files {
    struct {
        const char *text;
        size_t length;
    } of[RANKS];
};

static char *read_file(void *context, const char *path, size_t *length, struct ek_error *error)
{
    const struct files *files = context;
    unsigned rank;
    if (sscanf(path, "f%u", &rank) != 1 || rank >= RANKS || !files->of[rank].text) {
        errno = ENOENT;
        snprintf(error->sentence, sizeof error->sentence, "%s cannot be opened", path);
        return NULL;
    }
    *length = files->of[rank].length;
    char *copy = malloc(*length + 1);
    assert(copy);
    memcpy(copy, files->of[rank].text, *length);
    copy[*length] = '\0';
    return copy;
}

// Reads the files of a phase. Returns NULL if they are refused.
static struct cargo_vt *read_phase(struct files *files, int64_t phase, struct core_object_set *set)
{
    struct ek_error error = {0};
    struct base_cursor spec = base_cursor_start("objects", "f%p", &error);
    struct cargo_vt *vt = cargo_vt_read(set, RANKS, phase, (struct ek_reader){read_file, files}, &spec);
    if (vt && core_object_set_finish(set, &spec, 0)) {
        return vt;
    }
    tests_fuzz_check_error(&error, "objects", "f%p");
    cargo_vt_destroy(vt);
    return NULL;
}

static uint64_t print_of(const struct core_object_set *set)
{
    uint64_t print = 0;
    for (uint32_t i = 0; i < set->count; i++) { // the files of another placement have them in another order
        struct core_object object = set->object[i];
        object.line = object.home = 0; // without a home in the file, it is the processor
        print += core_object_print(&object);
    }
    return print;
}

// Moves each object to the next processor, and reads the files of this placement.
static void move_all(const struct cargo_vt *vt, const struct core_object_set *set)
{
    struct ek_placement_file file[RANKS] = {{0}};
    uint32_t *place = calloc(set->count, sizeof *place);
    assert(place);
    for (uint32_t line = 0; line < set->count; line++) {
        const struct core_object *object = &set->object[set->of_line[line]];
        place[line] = object->fixed ? object->place : (object->place + 1) % RANKS;
    }
    assert(cargo_vt_write(vt, place, RANKS, file));
    struct files files;
    for (unsigned rank = 0; rank < RANKS; rank++) {
        files.of[rank].text = file[rank].text;
        files.of[rank].length = strlen(file[rank].text);
    }
    struct core_object_set again = {0};
    struct cargo_vt *moved = read_phase(&files, vt->number, &again);
    assert(moved && again.count == set->count && again.total == set->total && again.pairs == set->pairs);
    assert(print_of(&again) == print_of(set));
    cargo_vt_destroy(moved);
    core_object_set_destroy(&again);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        free(file[rank].name);
        free(file[rank].text);
    }
    free(place);
}

static void try_phase(struct files *files, int64_t phase)
{
    struct core_object_set set = {0};
    struct cargo_vt *vt = read_phase(files, phase, &set);
    if (vt) {
        move_all(vt, &set);
    }
    cargo_vt_destroy(vt);
    core_object_set_destroy(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char BREAK[] = "\n---\n";
    char *text = tests_fuzz_text("", data, size), *second = strstr(text, BREAK);
    size_t first = second ? (size_t)(second - text) : size;
    struct files files = {.of = {{text, first}}};
    if (second) {
        files.of[1].text = second + strlen(BREAK);
        files.of[1].length = size - first - strlen(BREAK);
    }
    try_phase(&files, -1);
    try_phase(&files, 2);
    free(text);
    return 0;
}
