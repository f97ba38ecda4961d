// SPDX-License-Identifier: MIT
// The objects and communications in LB data files of DARMA/vt.
//
// An object is known by its `id`, or its `seq_id`. The objects of an application that can migrate have different ones
// on all ranks. The others exist on every rank under one number, so they are known by number and home.
#include "threads/cargo/vt_objects.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// The key by which an object is known.
struct key {
    json_int_t id;
    int64_t home;    // of an object that cannot migrate, else -1
    bool sequential; // `id` is a seq_id
    uint32_t line;
};

// The files whose objects are being taken.
struct taking {
    struct cargo_vt *vt;
    struct core_object_set *set;
    struct key *key; // [set->count]
    uint32_t processors;
    int64_t phase;
    struct base_cursor *spec;
    size_t at;
    uint32_t rank;         // the file
    size_t element;        // the number of the task or communication, from 0
    size_t communications; // so far, in all files
};

static bool fail(const struct taking *taking, const char *what, const char *why)
{
    char *path = cargo_vt_path(taking->spec->text + taking->at, taking->rank);
    base_cursor_fail(taking->spec, taking->at, "%s: %s %zu of phase %lld %s", path ? path : "a file", what,
                     taking->element, (long long)taking->phase, why);
    free(path);
    return false;
}

static bool fail_file(const struct taking *taking, const char *why)
{
    char *path = cargo_vt_path(taking->spec->text + taking->at, taking->rank);
    base_cursor_fail(taking->spec, taking->at, "%s %s", path ? path : "a file", why);
    free(path);
    return false;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static int compare_keys(const void *a, const void *b)
{
    const struct key *left = a, *right = b;
    return left->sequential != right->sequential ? left->sequential - right->sequential
           : left->id != right->id               ? (left->id > right->id) - (left->id < right->id)
                                                 : (left->home > right->home) - (left->home < right->home);
}

// Reads the key of an entity. Returns false if it has no number.
static bool read_key(const json_t *entity, bool migratable, struct key *key)
{
    const json_t *id = json_object_get(entity, "id");
    const json_t *home = json_object_get(entity, "home");
    *key = (struct key){.home = migratable ? -1 : json_integer_value(home), .sequential = !id};
    id = id ? id : json_object_get(entity, "seq_id");
    key->id = json_integer_value(id);
    return json_is_integer(id);
}

// Returns the bytes that move with an object, or 1 if the file does not say.
static bool read_bytes(const json_t *task, uint64_t *bytes)
{
    static const char *const parts[] = {"user_defined", "attributes"};
    static const char *const names[] = {"task_serialized_bytes", "task_footprint_bytes", "bytes"};
    *bytes = 1;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
            const json_t *size = json_object_get(json_object_get(task, parts[p]), names[n]);
            double value = json_number_value(size);
            if (json_is_number(size)) {
                *bytes = value >= 0.0 && value <= 0x1p53 ? (uint64_t)llround(value) : 0;
                return value >= 0.0 && value <= 0x1p53;
            }
        }
    }
    return true;
}

// Reads the rank at `name`, or leaves *rank if there is none.
static bool read_rank(const struct taking *taking, const json_t *object, const char *name, uint32_t *rank)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number = json_integer_value(value);
    if (value && !(json_is_integer(value) && number >= 0 && number < taking->processors)) {
        return false;
    }
    *rank = value ? (uint32_t)number : *rank;
    return true;
}

// Reads the time of a task, in nanoseconds.
static bool read_time(const json_t *task, uint64_t *weight)
{
    const json_t *time = json_object_get(task, "time");
    double seconds = json_number_value(time);
    *weight = json_is_number(time) && seconds >= 0.0 && seconds < 9e9 ? (uint64_t)llround(1e9 * seconds) : 0;
    return json_is_number(time) && seconds >= 0.0 && seconds < 9e9;
}

static bool note_object(struct taking *taking, struct core_object object, struct key key)
{
    struct cargo_vt *vt = taking->vt;
    key.line = taking->set->count;
    if (!core_object_add(taking->set, object)) {
        return fail(taking, "task", "does not fit into the memory");
    }
    taking->key[key.line] = key;
    vt->rank_of[key.line] = taking->rank;
    vt->task_of[key.line] = taking->element;
    vt->objects = taking->set->count;
    return true;
}

static bool take_task(struct taking *taking, const json_t *task)
{
    const json_t *entity = json_object_get(task, "entity");
    struct core_object object = {.place = taking->rank};
    struct key key;
    bool migratable = !json_is_false(json_object_get(entity, "migratable"));
    if (strcmp(text_of(entity, "type"), "object") != 0) {
        return fail(taking, "task", "has no entity of type object");
    }
    if (!read_key(entity, migratable, &key)) {
        return fail(taking, "task", "has neither an id nor a seq_id");
    }
    if (!read_rank(taking, task, "node", &object.place)) {
        return fail(taking, "task", "has a node that is no processor: use a topology with a processor for each rank");
    }
    object.home = object.place;
    if (!read_rank(taking, entity, "home", &object.home)) {
        return fail(taking, "task", "has a home that is no processor: use a topology with a processor for each rank");
    }
    if (!read_time(task, &object.weight)) {
        return fail(taking, "task", "has no time that is at least 0, in seconds");
    }
    if (!read_bytes(task, &object.bytes)) {
        return fail(taking, "task", "has a size in bytes that is below 0, or above 2^53");
    }
    object.fixed = !migratable || object.weight == 0;
    return note_object(taking, object, key);
}

static bool find_object(const struct taking *taking, struct key key, uint32_t *line)
{
    const struct key *found = bsearch(&key, taking->key, taking->set->count, sizeof key, compare_keys);
    *line = found ? found->line : 0;
    return found != NULL;
}

// Finds the object of one end of a communication: one that can migrate, else one with the same home.
static bool find_end(const struct taking *taking, const json_t *entity, uint32_t *line)
{
    struct key key;
    return read_key(entity, true, &key) &&
           (find_object(taking, key, line) || (read_key(entity, false, &key) && find_object(taking, key, line)));
}

static bool take_communication(struct taking *taking, const json_t *communication)
{
    const json_t *from = json_object_get(communication, "from"), *to = json_object_get(communication, "to");
    const json_t *bytes = json_object_get(communication, "bytes");
    struct core_object_pair pair = {.bytes = json_number_value(bytes)};
    uint32_t *sender = &taking->vt->sender[taking->communications++];
    *sender = CORE_NO_OBJECT;
    if (strcmp(text_of(communication, "type"), "SendRecv") != 0) {
        return true; // between an object and a rank
    }
    if (!(json_is_number(bytes) && pair.bytes >= 0.0 && pair.bytes <= 0x1p53)) {
        return fail(taking, "communication", "has no number of bytes from 0 to 2^53");
    }
    if (!find_end(taking, from, &pair.a)) {
        return fail(taking, "communication", "comes from an object that no file has");
    }
    if (!find_end(taking, to, &pair.b)) {
        return fail(taking, "communication", "goes to an object that no file has");
    }
    *sender = pair.a;
    return core_object_pair_add(taking->set, pair) || fail(taking, "communication", "does not fit into the memory");
}

// Hands the elements of an array of each phase to `take`.
static bool take_all(struct taking *taking, const char *name, bool (*take)(struct taking *taking, const json_t *value))
{
    for (taking->rank = 0; taking->rank < taking->vt->ranks; taking->rank++) {
        const json_t *array = json_object_get(taking->vt->phase[taking->rank], name);
        for (taking->element = 0; taking->element < json_array_size(array); taking->element++) {
            if (!take(taking, json_array_get(array, taking->element))) {
                return false;
            }
        }
    }
    return true;
}

static bool check_duplicates(struct taking *taking)
{
    qsort(taking->key, taking->set->count, sizeof *taking->key, compare_keys);
    for (uint32_t i = 1; i < taking->set->count; i++) {
        if (compare_keys(&taking->key[i - 1], &taking->key[i]) == 0) {
            uint32_t first = taking->key[i - 1].line, second = taking->key[i].line;
            uint32_t line = first > second ? first : second;
            taking->rank = taking->vt->rank_of[line];
            taking->element = taking->vt->task_of[line];
            return fail(taking, "task", "has the id of another object: each object may be in one file, once");
        }
    }
    return true;
}

// Returns the phase with this number in a file, NULL if it has none; below 0: its first one.
static json_t *phase_of(const json_t *root, int64_t number)
{
    const json_t *phases = json_object_get(root, "phases");
    for (size_t i = 0; i < json_array_size(phases); i++) {
        json_t *phase = json_array_get(phases, i);
        if (number < 0 || json_integer_value(json_object_get(phase, "id")) == number) {
            return phase;
        }
    }
    return NULL;
}

// Returns the least number of a row of phases that ends with `number`, if a list of the metadata has them: single
// numbers, and ranges from a number to another one. If it has not, returns `number` + 1.
static int64_t first_listed(const json_t *root, const char *name, int64_t number)
{
    const json_t *phases = json_object_get(json_object_get(root, "metadata"), "phases");
    const json_t *lists = json_object_get(phases, name);
    const json_t *list = json_object_get(lists, "list"), *ranges = json_object_get(lists, "range");
    for (size_t i = 0; i < json_array_size(ranges); i++) {
        const json_t *range = json_array_get(ranges, i);
        json_int_t from = json_integer_value(json_array_get(range, 0)),
                   to = json_integer_value(json_array_get(range, 1));
        if (json_array_size(range) == 2 && from >= 0 && from <= number && number <= to) {
            return from;
        }
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *listed = json_array_get(list, i);
        if (json_is_integer(listed) && json_integer_value(listed) == number) {
            return number;
        }
    }
    return number + 1;
}

// Finds the phase with this number in a file; below 0: its first one. Of phases that are identical to the one before,
// vt writes only their numbers.
static json_t *find_phase(const json_t *root, int64_t number)
{
    json_t *phase = phase_of(root, number);
    while (!phase && number > 0) {
        int64_t first = first_listed(root, "identical_to_previous", number);
        bool listed = first > 0 && first <= number;
        number = listed ? first - 1 : -1;
        phase = listed ? phase_of(root, number) : NULL;
    }
    return phase;
}

static bool check_file(const struct taking *taking, const json_t *root)
{
    const json_t *metadata = json_object_get(root, "metadata");
    const json_t *rank = json_object_get(metadata, "rank");
    const char *type = text_of(metadata, "type");
    if ((*type && strcmp(type, "LBDatafile") != 0) || json_array_size(json_object_get(root, "phases")) == 0) {
        return fail_file(taking, "is no LB data file with phases");
    }
    return !rank || json_integer_value(rank) == taking->rank || fail_file(taking, "is the file of another rank");
}

static bool find_phases(struct taking *taking)
{
    struct cargo_vt *vt = taking->vt;
    char why[80];
    for (taking->rank = 0; taking->rank < vt->ranks; taking->rank++) {
        if (!check_file(taking, vt->root[taking->rank])) {
            return false;
        }
        json_t *phase = find_phase(vt->root[taking->rank], taking->phase);
        if (!phase) {
            bool skipped = first_listed(vt->root[taking->rank], "skipped", taking->phase) <= taking->phase;
            snprintf(why, sizeof why,
                     skipped ? "left out phase %lld: choose another phase" : "has no phase %lld: choose another phase",
                     (long long)taking->phase);
            return fail_file(taking, why);
        }
        vt->phase[taking->rank] = phase;
        if (taking->phase < 0) { // the first phase of rank 0 is that of all ranks
            taking->phase = json_integer_value(json_object_get(phase, "id"));
        }
    }
    vt->number = taking->phase;
    return true;
}

// Allocates what is known by object.
static bool take_room(struct taking *taking)
{
    struct cargo_vt *vt = taking->vt;
    size_t tasks = 1, communications = 1; // memory for none would be NULL
    for (uint32_t rank = 0; rank < vt->ranks; rank++) {
        tasks += json_array_size(json_object_get(vt->phase[rank], "tasks"));
        communications += json_array_size(json_object_get(vt->phase[rank], "communications"));
    }
    vt->sender = calloc(communications, sizeof *vt->sender);
    taking->key = calloc(tasks, sizeof *taking->key);
    vt->rank_of = calloc(tasks, sizeof *vt->rank_of);
    vt->task_of = calloc(tasks, sizeof *vt->task_of);
    return (taking->key && vt->rank_of && vt->task_of && vt->sender) ||
           base_cursor_fail(taking->spec, taking->at, "there is no memory for %zu objects", tasks);
}

bool cargo_vt_take_objects(struct cargo_vt *vt, struct core_object_set *set, uint32_t processors, int64_t phase,
                           struct base_cursor *spec, size_t at)
{
    struct taking taking = {.vt = vt, .set = set, .processors = processors, .phase = phase, .spec = spec, .at = at};
    bool good = find_phases(&taking) && take_room(&taking) && take_all(&taking, "tasks", take_task) &&
                check_duplicates(&taking) && take_all(&taking, "communications", take_communication);
    free(taking.key);
    return good;
}
