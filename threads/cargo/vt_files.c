// SPDX-License-Identifier: MIT
// Finds and reads LB data files of DARMA/vt.
#include "threads/cargo/vt_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/cargo/brotli.h"
#include "threads/cargo/vt_objects.h"

static bool is_compressed(const char *path)
{
    size_t length = strlen(path);
    return length >= 3 && strcmp(path + length - 3, ".br") == 0;
}

void cargo_vt_destroy(struct cargo_vt *vt)
{
    for (uint32_t rank = 0; vt && rank < vt->ranks; rank++) {
        json_decref(vt->root[rank]);
    }
    if (vt) {
        free(vt->name);
        free(vt->root);
        free(vt->phase);
        free(vt->rank_of);
        free(vt->task_of);
        free(vt->sender);
    }
    free(vt);
}

// The result of reading the file of a rank.
enum found { FOUND, ABSENT, WRONG };

// The files that are being read.
struct vt_files {
    struct cargo_vt *vt;
    struct ek_reader reader;
    struct base_cursor *spec;
    size_t at; // where the pattern begins
    const char *pattern;
};

static bool refuse(const struct vt_files *files, const char *path, const char *why)
{
    return base_cursor_fail(files->spec, files->at, "%s %s", path, why);
}

// Reads the text of a file. A rank without a file is no error: the reader sets errno to ENOENT then, or leaves it 0.
static enum found read_text(const struct vt_files *files, const char *path, char **text, size_t *length)
{
    struct ek_error wrong = {0};
    errno = 0;
    *text = files->reader.read(files->reader.context, path, length, &wrong);
    if (*text) {
        return FOUND;
    }
    bool absent = errno == ENOENT || errno == 0;
    base_cursor_fail(files->spec, files->at, "%s", wrong.sentence);
    return absent ? ABSENT : WRONG;
}

// Replaces compressed text by what it contains.
static bool expand(const struct vt_files *files, const char *path, char **text, size_t *length)
{
    if (!is_compressed(path)) {
        return true;
    }
    const char *why;
    char *whole = cargo_brotli_expand(*text, *length, length, &why);
    free(*text);
    *text = whole;
    return whole || refuse(files, path, why);
}

static bool parse(const struct vt_files *files, const char *path, const char *text, size_t length, json_t **root)
{
    json_error_t wrong;
    *root = json_loadb(text, length, 0, &wrong);
    return *root ||
           base_cursor_fail(files->spec, files->at, "%s:%d: this is no JSON: %.120s", path, wrong.line, wrong.text);
}

static enum found read_root(const struct vt_files *files, uint32_t rank, json_t **root)
{
    char *text = NULL, *path = cargo_vt_path(files->pattern, rank);
    size_t length = 0;
    if (!path) {
        base_cursor_fail(files->spec, files->at, "there is no memory for the path of a file");
        return WRONG;
    }
    enum found found = read_text(files, path, &text, &length);
    if (found == FOUND && (!expand(files, path, &text, &length) || !parse(files, path, text, length, root))) {
        found = WRONG;
    }
    free(text);
    free(path);
    return found;
}

// Reads one file after the other, until a rank has none.
static bool read_roots(struct vt_files *files, uint32_t processors)
{
    struct cargo_vt *vt = files->vt;
    enum found found = FOUND;
    vt->root = calloc(processors, sizeof *vt->root);
    vt->phase = calloc(processors, sizeof *vt->phase);
    if (!vt->root || !vt->phase) {
        return base_cursor_fail(files->spec, files->at, "there is no memory for the files of %u ranks", processors);
    }
    while (vt->ranks < processors && (found = read_root(files, vt->ranks, &vt->root[vt->ranks])) == FOUND) {
        vt->ranks++;
    }
    return found == FOUND || (found == ABSENT && vt->ranks > 0);
}

// Fails if a rank behind the last one has a file: either a file between them is missing, or there are more ranks than
// processors.
static bool check_last(const struct vt_files *files, uint32_t processors)
{
    enum { GAP = 64 }; // ranks without a file that are looked for
    uint32_t end = files->vt->ranks + GAP < processors ? files->vt->ranks + GAP : processors;
    for (uint32_t rank = files->vt->ranks; rank <= end; rank++) {
        char *text = NULL, *path = cargo_vt_path(files->pattern, rank);
        size_t length;
        enum found found = path ? read_text(files, path, &text, &length) : ABSENT;
        free(text);
        free(path);
        if (found != ABSENT) {
            return rank == processors ? base_cursor_fail(files->spec, files->at,
                                                         "there are files of more than %u ranks: use a topology with a "
                                                         "processor for each",
                                                         processors)
                                      : base_cursor_fail(files->spec, files->at,
                                                         "rank %u has a file and rank %u has none: give the files of "
                                                         "all ranks",
                                                         rank, files->vt->ranks);
        }
    }
    *files->spec->error = (struct ek_error){.at = -1};
    return true;
}

// Keeps the name of new files: they lie in another directory, and are not compressed.
static bool keep_name(struct vt_files *files)
{
    const char *slash = strrchr(files->pattern, '/');
    const char *name = slash ? slash + 1 : files->pattern;
    files->vt->name = strndup(name, strlen(name) - (is_compressed(name) ? 3 : 0));
    return files->vt->name != NULL ||
           base_cursor_fail(files->spec, files->at, "there is no memory for the name of a file");
}

static bool read_files(struct vt_files *files, struct core_object_set *set, uint32_t processors, int64_t phase)
{
    const char *slash = strrchr(files->pattern, '/');
    if (!cargo_vt_names_rank(slash ? slash : files->pattern)) {
        return base_cursor_fail(files->spec, files->at,
                                "the name of the files has %%p for the rank, as in vt:data.%%p.json");
    }
    if (!files->reader.read) {
        return base_cursor_fail(files->spec, files->at, "no files can be read here: choose other objects");
    }
    return keep_name(files) && read_roots(files, processors) && check_last(files, processors) &&
           cargo_vt_take_objects(files->vt, set, processors, phase, files->spec, files->at);
}

struct cargo_vt *cargo_vt_read(struct core_object_set *set, uint32_t processors, int64_t phase, struct ek_reader reader,
                               struct base_cursor *spec)
{
    struct vt_files files = {.vt = calloc(1, sizeof *files.vt),
                             .reader = reader,
                             .spec = spec,
                             .at = spec->at,
                             .pattern = spec->text + spec->at};
    if (!files.vt) {
        base_cursor_fail(spec, spec->at, "there is no memory for files");
        return NULL;
    }
    if (!read_files(&files, set, processors, phase)) {
        cargo_vt_destroy(files.vt);
        return NULL;
    }
    return files.vt;
}
