// SPDX-License-Identifier: MIT
// Writes a new placement as LB data files of DARMA/vt. A task goes to the file of its new rank, and a communication to
// that of the object that it comes from. All else is as it was read.
#include <stdlib.h>
#include <string.h>

#include "threads/api/report.h"
#include "threads/cargo/vt_files.h"

// The new phase of each rank.
struct phases {
    json_t **tasks, **communications; // [ranks] arrays
    uint32_t ranks;
};

static void destroy(struct phases *phases)
{
    for (uint32_t rank = 0; phases->tasks && phases->communications && rank < phases->ranks; rank++) {
        json_decref(phases->tasks[rank]);
        json_decref(phases->communications[rank]);
    }
    free(phases->tasks);
    free(phases->communications);
}

static bool begin(struct phases *phases, uint32_t ranks)
{
    *phases = (struct phases){.tasks = calloc(ranks, sizeof *phases->tasks),
                              .communications = calloc(ranks, sizeof *phases->communications),
                              .ranks = ranks};
    bool good = phases->tasks && phases->communications;
    for (uint32_t rank = 0; good && rank < ranks; rank++) {
        phases->tasks[rank] = json_array();
        phases->communications[rank] = json_array();
        good = phases->tasks[rank] && phases->communications[rank];
    }
    return good;
}

// Adds a task to its new rank. Only what changes is copied.
static bool add_task(struct phases *phases, json_t *task, uint32_t rank)
{
    json_t *copy = json_copy(task);
    if (json_object_set_new(copy, "node", json_integer(rank)) != 0) {
        json_decref(copy);
        return false;
    }
    return json_array_append_new(phases->tasks[rank], copy) == 0;
}

static bool place_all(const struct cargo_vt *vt, const uint32_t *place, struct phases *phases)
{
    bool good = true;
    size_t k = 0;
    for (uint32_t line = 0; good && line < vt->objects; line++) {
        const json_t *tasks = json_object_get(vt->phase[vt->rank_of[line]], "tasks");
        good = add_task(phases, json_array_get(tasks, vt->task_of[line]), place[line]);
    }
    for (uint32_t from = 0; good && from < vt->ranks; from++) {
        const json_t *all = json_object_get(vt->phase[from], "communications");
        for (size_t i = 0; good && i < json_array_size(all); i++, k++) {
            uint32_t rank = vt->sender[k] == CORE_NO_OBJECT ? from : place[vt->sender[k]];
            good = json_array_append(phases->communications[rank], json_array_get(all, i)) == 0;
        }
    }
    return good;
}

// Sets a value in an object, and in `good` whether that was possible. Releases the value.
static void set(json_t *object, const char *name, json_t *value, bool *good)
{
    *good = json_object_set_new(object, name, value) == 0 && *good;
}

// Returns the whole file of a rank, with its phase alone.
static json_t *file_of(const struct cargo_vt *vt, const struct phases *phases, uint32_t rank)
{
    uint32_t like = rank < vt->ranks ? rank : 0; // the file that it resembles
    bool good = true;
    json_t *file = json_object(), *list = json_array(), *phase = json_copy(vt->phase[like]);
    const json_t *old = json_object_get(vt->root[like], "metadata");
    json_t *metadata = old ? json_deep_copy(old) : json_object();
    set(metadata, "type", json_string("LBDatafile"), &good);
    set(metadata, "rank", json_integer(rank), &good);
    json_object_del(metadata, "phases"); // which phases the old file had
    set(phase, "id", json_integer(vt->number), &good);
    set(phase, "tasks", json_incref(phases->tasks[rank]), &good);
    set(phase, "communications", json_incref(phases->communications[rank]), &good);
    good = json_array_append_new(list, phase) == 0 && good;
    set(file, "metadata", metadata, &good);
    set(file, "phases", list, &good);
    if (!good) {
        json_decref(file);
        return NULL;
    }
    return file;
}

bool cargo_vt_write(const struct cargo_vt *vt, const uint32_t *place, uint32_t ranks, struct ek_placement_file *file)
{
    struct phases phases;
    bool good = begin(&phases, ranks) && place_all(vt, place, &phases);
    for (uint32_t rank = 0; good && rank < ranks; rank++) {
        json_t *root = file_of(vt, &phases, rank);
        file[rank].name = cargo_vt_path(vt->name, rank);
        file[rank].text = root ? json_dumps(root, JSON_COMPACT) : NULL;
        good = file[rank].name && file[rank].text;
        json_decref(root);
    }
    destroy(&phases);
    return good;
}
