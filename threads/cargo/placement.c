// SPDX-License-Identifier: MIT
// What a run reports of its objects, and the files of their new placement.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "threads/api/report.h"
#include "threads/cargo/objects.h"
#include "threads/cargo/vt_files.h"
#include "topologies/topology.h"

// Returns the largest load divided by the mean, minus 1.
static double imbalance_of(uint64_t most, uint64_t total, uint32_t processors)
{
    return (double)most * processors / (double)total - 1.0;
}

static double imbalance_at_start(const struct cargo_objects *objects)
{
    const struct core_object_set *set = objects->set;
    uint64_t most = 0;
    uint64_t *load = calloc(objects->topology->processors, sizeof *load);
    for (uint32_t i = 0; load && i < set->count; i++) {
        uint64_t *at = &load[set->object[i].place];
        *at += set->object[i].weight;
        most = *at > most ? *at : most;
    }
    free(load);
    return imbalance_of(most, set->total, objects->topology->processors);
}

static double edge_cut_at_start(const struct core_object_set *set)
{
    double cut = 0.0;
    for (size_t k = 0; k < set->pairs; k++) {
        const struct core_object_pair *pair = &set->pair[k];
        cut += set->object[pair->a].place != set->object[pair->b].place ? pair->bytes : 0.0;
    }
    return cut;
}

// Returns the place of each object by its line, or NULL if there is no memory.
static uint32_t *places_by_line(const struct cargo_objects *objects)
{
    const struct core_object_set *set = objects->set;
    uint32_t *place = malloc(set->count * sizeof *place);
    for (uint32_t i = 0; place && i < set->count; i++) {
        place[set->object[i].line] = objects->place[i];
    }
    return place;
}

// Writes a weight with all its digits. Returns the number of characters.
static size_t write_weight(const struct core_object_set *set, uint64_t weight, char *text, size_t size)
{
    uint64_t whole = (uint64_t)set->scale;
    int digits = (int)set->decimals;
    return (size_t)(digits == 0 ? snprintf(text, size, "%llu", (unsigned long long)weight)
                                : snprintf(text, size, "%llu.%0*llu", (unsigned long long)(weight / whole), digits,
                                           (unsigned long long)(weight % whole)));
}

// Writes the lines of a file that `--objects file:` reads.
static bool write_lines(const struct cargo_objects *objects, const uint32_t *place, struct ek_placement_file *file)
{
    enum { LINE = 80 }; // the longest line
    const struct core_object_set *set = objects->set;
    size_t at = 0, size = (size_t)set->count * LINE + 1;
    file->name = strdup("placement.csv");
    file->text = calloc(size, 1);
    for (uint32_t line = 0; file->text && line < set->count; line++) {
        const struct core_object *object = &set->object[set->of_line[line]];
        at += (size_t)snprintf(file->text + at, size - at, "%u,", (unsigned)place[line]);
        at += write_weight(set, object->weight, file->text + at, size - at);
        at += (size_t)snprintf(file->text + at, size - at, ",%llu\n", (unsigned long long)object->bytes);
    }
    return file->name && file->text;
}

static bool write_files(const struct cargo_objects *objects, struct ek_objects_report *report)
{
    uint32_t *place = places_by_line(objects);
    report->file_count = objects->vt ? objects->topology->processors : 1;
    report->file = calloc(report->file_count, sizeof *report->file);
    bool good = place && report->file;
    if (good && objects->vt) {
        good = cargo_vt_write(objects->vt, place, objects->topology->processors, report->file);
    } else if (good) {
        good = write_lines(objects, place, report->file);
    }
    free(place);
    if (!good) {
        cargo_objects_release(report);
    }
    return good;
}

void cargo_objects_release(struct ek_objects_report *report)
{
    for (size_t i = 0; report->file && i < report->file_count; i++) {
        free(report->file[i].name);
        free(report->file[i].text);
    }
    free(report->file);
    report->file = NULL;
    report->file_count = 0;
}

static void count_moves(const struct cargo_objects *objects, struct ek_objects_report *report)
{
    const struct core_object_set *set = objects->set;
    uint64_t once = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        report->objects_moved += objects->moves[i];
        once += objects->moves[i] <= 1;
    }
    report->moved_once = (double)once / set->count;
}

uint64_t cargo_objects_stayed(const struct cargo_objects *objects)
{
    uint64_t stayed = 0;
    for (uint32_t i = 0; i < objects->set->count; i++) {
        stayed += objects->moves[i] == 0;
    }
    return stayed;
}

void cargo_objects_lowest(const struct machine_plan *machine, uint32_t processors, struct ek_report *report)
{
    report->minimum_ever = report->minimum;
    for (uint32_t p = 0; p < processors; p++) {
        report->minimum_ever = fmin(report->minimum_ever, machine->load.values[p]);
    }
}

bool cargo_objects_report(const struct cargo_objects *objects, bool files, struct ek_objects_report *report,
                          struct ek_error *error)
{
    const struct core_object_set *set = objects->set;
    uint64_t most = 0;
    *report = (struct ek_objects_report){.object_count = set->count,
                                         .imbalance_initial = imbalance_at_start(objects),
                                         .edge_cut_initial = edge_cut_at_start(set),
                                         .edge_cut = core_object_edge_cut(set, objects->place)};
    for (uint32_t p = 0; p < objects->topology->processors; p++) {
        uint64_t load = objects->held[p].weight + objects->fixed[p];
        most = load > most ? load : most;
        report->bytes_moved += objects->bytes_sent[p];
        report->most_bytes = objects->bytes_sent[p] > report->most_bytes ? objects->bytes_sent[p] : report->most_bytes;
    }
    report->imbalance = imbalance_of(most, set->total, objects->topology->processors);
    count_moves(objects, report);
    return !files || write_files(objects, report) ||
           base_refuse(error, "there is no memory for the files of the new placement");
}
