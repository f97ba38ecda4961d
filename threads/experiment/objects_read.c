// SPDX-License-Identifier: MIT
// Readers of the axes of objects.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/objects/object_sources.h"
#include "threads/api/prepared.h"
#include "threads/cargo/vt_files.h"
#include "threads/experiment/axis.h"
#include "threads/host/limits.h"
#include "topologies/topology.h"

const struct ek_choice experiment_phase_names[] = {
    {"first", "the first phase of the file of rank 0"}, {"N", "the phase with this id"}, {NULL, NULL}};
const struct ek_choice experiment_remainder_names[] = {
    {"carry", "a giver adds the unused part of an amount to its next amount over the link"},
    {"drop", "the unused part of an amount is forgotten"},
    {NULL, NULL}};
const struct ek_choice experiment_migrate_names[] = {
    {"each", "objects move in each step"},
    {"end", "the method balances numbers, and each object then moves once"},
    {NULL, NULL}};

bool experiment_read_phase(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("phase", spec, error);
    uint64_t phase = 0;
    bool first = strcmp(spec, "first") == 0;
    bool good = first || (base_cursor_whole(&cursor, "the phase", 0, INT64_MAX, &phase) && base_cursor_end(&cursor));
    plan->phase = first ? -1 : (int64_t)phase;
    return good;
}

bool experiment_read_choose(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("choose", "way to choose objects", spec, core_choose_names, &index, error);
    plan->choose = good ? (enum core_choose)index : CORE_CHOOSE_FIT;
    return good;
}

bool experiment_read_remainder(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good =
        experiment_read_name("remainder", "use of a remainder", spec, experiment_remainder_names, &index, error);
    plan->drops_rest = index == 1;
    return good;
}

bool experiment_read_migrate(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    size_t index;
    bool good = experiment_read_name("migrate", "time to move objects", spec, experiment_migrate_names, &index, error);
    plan->migrates_last = good && index == 1;
    return good;
}

// Checks that so many objects fit into the memory, before they are made.
static bool check_room(double count, struct ek_error *error)
{
    enum { BYTES = 160 }; // of an object with its neighbours in a mesh, and while its array grows
    struct ek_limits limits;
    host_limits_read_memory("", &limits);
    return count < CORE_NO_OBJECT - 1 && (!*limits.memory_bound || count * BYTES <= (double)limits.memory_free)
               ? true
               : base_fail_at(error, "objects", 0, "there is no memory for %.0f objects: use fewer", count);
}

// Draws the numbers of objects by processor from the load. A mesh is placed in equal parts unless the user places it.
static bool draw_counts(struct machine_plan *plan, const struct core_object_source *source, double *placed,
                        struct ek_error *error)
{
    const struct ek_experiment *experiment = plan->experiment;
    uint32_t processors = plan->topology->processors;
    double cells = (double)source->width * source->height, total = 0.0;
    bool mesh = source->kind == CORE_OBJECTS_MESH;
    if (mesh && !experiment->load && !experiment->loads) {
        core_load_destroy(&plan->load);
        snprintf(plan->load_spec, sizeof plan->load_spec, "even:%.0f", cells);
        if (!core_load_parse(&plan->load, plan->load_spec, processors, EK_TOKENS, experiment->reader, error)) {
            return false;
        }
    }
    core_load_draw(&plan->load, experiment->seed, processors, placed);
    plan->objects_drawn = core_load_is_drawn(&plan->load);
    for (uint32_t p = 0; p < processors; p++) {
        total += placed[p];
    }
    return (!mesh || total == cells ||
            base_fail_at(error, "load", 0,
                         "the mesh has %.0f cells, and this load places %.0f: leave load out, or place as many", cells,
                         total)) &&
           check_room(total, error);
}

static bool draw_objects(struct machine_plan *plan, const struct core_object_source *source, struct base_cursor *cursor)
{
    uint32_t processors = plan->topology->processors;
    double *placed = calloc(processors, sizeof *placed);
    bool good = placed ? draw_counts(plan, source, placed, cursor->error) &&
                             core_objects_draw(plan->objects, source, placed, processors, cursor)
                       : base_cursor_fail(cursor, 0, "no memory for the loads of %u processors", processors);
    free(placed);
    return good;
}

// Reads the objects of files, which say where they are.
static bool read_objects(struct machine_plan *plan, const struct core_object_source *source, struct base_cursor *cursor)
{
    struct ek_reader reader = plan->experiment->reader;
    uint32_t processors = plan->topology->processors;
    if (plan->experiment->load || plan->experiment->loads) {
        return base_fail_at(cursor->error, "load", 0, "the files say where the objects are: leave load out");
    }
    snprintf(plan->load_spec, sizeof plan->load_spec, "placed");
    cursor->at = source->path;
    if (source->kind == CORE_OBJECTS_FILE) {
        return core_objects_read_file(plan->objects, processors, reader, cursor);
    }
    plan->from_vt = true;
    plan->vt = cargo_vt_read(plan->objects, processors, plan->phase, reader, cursor);
    if (!plan->vt || !core_object_set_finish(plan->objects, cursor, source->path)) {
        return false;
    }
    if (!plan->experiment->keep_placement) { // no new files are made from these
        cargo_vt_destroy(plan->vt);
        plan->vt = NULL;
    }
    return true;
}

// Lets the loads at the start be the weights of the objects.
static bool take_weights(struct machine_plan *plan, struct ek_error *error)
{
    const struct core_object_set *set = plan->objects;
    uint32_t processors = plan->topology->processors;
    uint64_t *weight = calloc(processors, sizeof *weight);
    double *load = calloc(processors, sizeof *load);
    bool good = weight && load;
    for (uint32_t i = 0; good && i < set->count; i++) {
        weight[set->object[i].place] += set->object[i].weight;
    }
    for (uint32_t p = 0; good && p < processors; p++) {
        load[p] = core_object_load(set, weight[p]);
    }
    core_load_destroy(&plan->load);
    good = good ? core_load_take(&plan->load, load, processors, processors, EK_REAL, error)
                : base_fail(error, EK_BAD_INPUT, "objects", "no memory for the loads of %u processors", processors);
    free(weight);
    free(load);
    return good;
}

bool experiment_read_objects(struct machine_plan *plan, const char *spec, struct ek_error *error)
{
    struct core_object_source source;
    struct base_cursor cursor = base_cursor_start("objects", spec, error);
    if (!experiment_has_objects(plan->experiment)) {
        return true;
    }
    if (!core_object_source_parse(&source, spec, error)) {
        return false;
    }
    plan->objects = calloc(1, sizeof *plan->objects);
    if (!plan->objects) {
        return base_cursor_fail(&cursor, 0, "there is no memory for objects");
    }
    bool drawn = source.kind == CORE_OBJECTS_WEIGHTS || source.kind == CORE_OBJECTS_MESH;
    return (drawn ? draw_objects(plan, &source, &cursor) : read_objects(plan, &source, &cursor)) &&
           take_weights(plan, error);
}

void experiment_objects_destroy(struct machine_plan *plan)
{
    cargo_vt_destroy(plan->vt);
    if (plan->objects) {
        core_object_set_destroy(plan->objects);
    }
    free(plan->objects);
}

// Some methods wait for amounts, or balance whole ones. Objects cannot add up to these, so such a method can only say
// where objects go at the end.
bool experiment_check_objects_method(const struct machine_plan *plan, struct ek_error *error)
{
    const struct ek_method *method = plan->method;
    const char *does = plan->units == EK_TOKENS ? "balances whole loads"
                       : method->rounds->reads_arrivals || plan->method_plan.sleeps
                           ? "waits for the amounts that it has computed"
                           : NULL;
    if (machine_moves_objects(plan) && does) {
        return base_fail_at(error, "method", 0,
                            "%s %s, and objects do not add up to these: use migrate end, or a method like ade, adf or "
                            "sos",
                            method->name, does);
    }
    if (machine_moves_objects(plan) && method->placement) {
        return base_fail_at(error, "migrate", 0, "%s moves each object once: use migrate end", method->name);
    }
    return !plan->objects || plan->units == EK_REAL || plan->objects->decimals == 0 ||
           base_fail_at(error, "method", 0,
                        "%s balances whole loads, and these weights are not whole: use a method like ade, adf or sos",
                        method->name);
}

// Refuses axes of objects that a machine without them would ignore.
static bool check_without_objects(const struct machine_plan *plan, struct ek_error *error)
{
    const struct {
        const char *axis;
        bool asked;
    } ignored[] = {{"choose", plan->choose != CORE_CHOOSE_FIT},
                   {"remainder", plan->drops_rest},
                   {"migrate", plan->migrates_last},
                   {"phase", plan->phase >= 0}};
    if (plan->method->supports.objects) {
        return base_fail_at(error, "method", 0,
                            "%s balances objects: use objects mesh:16x16, or another source of objects, or a method "
                            "like adf",
                            plan->method->name);
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        if (ignored[i].asked) {
            return base_fail_at(error, ignored[i].axis, 0, "%s is for objects: give objects, or leave %s out",
                                ignored[i].axis, ignored[i].axis);
        }
    }
    return true;
}

bool experiment_check_objects(const struct machine_plan *plan, struct ek_error *error)
{
    bool clocked = plan->engine->by_clock;
    const struct {
        const char *axis;
        bool asked;
        const char *sentence;
    } refused[] = {
        {"work", plan->work.kind != CORE_WORKLOAD_NONE, "objects are neither made nor used up: use work none"},
        {"capacity", plan->capacity != NULL, "objects are balanced on equal processors: use capacity homo"},
        {"weighting", plan->to_target, "objects do not divide, so no target can be reached: leave weighting out"},
        {"link-limit", !core_links_carry_all(&plan->links), "an object may exceed a limit: use link-limit none"},
        {"load-bytes", plan->links.costs.of[CORE_COST_LOAD_BYTES] > 0.0,
         "objects have their own sizes: leave load-bytes out"},
        {"delay", plan->links.delay.kind != CORE_DELAY_NONE && !clocked,
         "in rounds and turns parcels of objects are not delayed: use timing free or virtual, or delay none"},
        {"delay-load", core_links_delay(&plan->links) && !clocked,
         "in rounds and turns parcels of objects are not delayed: use timing free or virtual, or delay-load same"},
        {"faults", plan->faults.kind != CORE_FAULTS_NONE && !clocked,
         "in rounds and turns the links of a machine with objects do not fail: use timing free or virtual, or faults "
         "none"},
        {"phase", plan->phase >= 0 && !plan->from_vt, "only files of vt have phases: leave phase out"},
    };
    for (size_t i = 0; plan->objects && i < sizeof refused / sizeof *refused; i++) {
        if (refused[i].asked) {
            return base_fail_at(error, refused[i].axis, 0, "%s", refused[i].sentence);
        }
    }
    return plan->objects || check_without_objects(plan, error);
}
