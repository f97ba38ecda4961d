// SPDX-License-Identifier: MIT
// The travelling salesman problem by branch and bound: the shortest tour through N cities. Distances are rounded to
// whole numbers, as TSPLIB's EUC_2D (Reinelt 1991) defines them.
//
// A task is a path from city 0. Its bound is the length of the path + the length of a minimum spanning tree of the
// unvisited cities + the least distances from them to the end of the path and to city 0 (Held & Karp 1970). It is the
// length of the tour if all cities are visited.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/axes/spec.h"
#include "core/programs/branch.h"

enum { CITIES_LEAST = 3, SQUARE = 1000 };

static const double COORDINATE_MOST = 1e6;

struct tsp {
    struct core_branch branch; // its items are the cities
    int32_t distance[];        // [cities * cities]
};

struct city {
    double x, y;
};

static int32_t distance(const struct tsp *tsp, uint32_t from, uint32_t to)
{
    return tsp->distance[(size_t)from * tsp->branch.items + to];
}

// The length of a minimum spanning tree of the cities (Prim's algorithm).
static int32_t spanning_tree(const struct tsp *tsp, const uint8_t *cities, uint32_t count)
{
    int32_t near[CORE_BRANCH_ITEMS]; // the distance of each city that the tree has not reached to the tree
    uint8_t left[CORE_BRANCH_ITEMS]; // these cities
    int32_t length = 0;
    uint32_t reached = count > 0 ? cities[0] : 0;
    for (uint32_t k = 1; k < count; k++) {
        left[k - 1] = cities[k];
        near[k - 1] = INT32_MAX;
    }
    for (uint32_t n = count; n > 1; n--) {
        uint32_t nearest = 0;
        for (uint32_t k = 0; k + 1 < n; k++) {
            int32_t apart = distance(tsp, reached, left[k]);
            near[k] = apart < near[k] ? apart : near[k];
            nearest = near[k] < near[nearest] ? k : nearest;
        }
        length += near[nearest];
        reached = left[nearest];
        left[nearest] = left[n - 2];
        near[nearest] = near[n - 2];
    }
    return length;
}

// The least distance from a city to one of the others. `except` is none of them.
static int32_t least_distance(const struct tsp *tsp, uint32_t from, const uint8_t *cities, uint32_t count,
                              uint32_t except, uint32_t *to)
{
    int32_t least = INT32_MAX;
    for (uint32_t k = 0; k < count; k++) {
        if (cities[k] != except && distance(tsp, from, cities[k]) < least) {
            least = distance(tsp, from, cities[k]);
            *to = cities[k];
        }
    }
    return least;
}

// The bound of a path of this length from city 0 to `end`. At the root, where the path has no links, the tour leaves
// city 0 by two links to different cities.
static int32_t bound_of(const struct tsp *tsp, int32_t length, uint32_t end, const uint8_t *unvisited, uint32_t count)
{
    uint32_t first = UINT32_MAX;
    uint32_t last;
    if (count == 0) {
        return length + distance(tsp, end, 0);
    }
    length += spanning_tree(tsp, unvisited, count);
    length += least_distance(tsp, end, unvisited, count, UINT32_MAX, &first);
    return length + least_distance(tsp, 0, unvisited, count, end == 0 ? first : UINT32_MAX, &last);
}

static void tsp_begin(const struct ek_problem *problem, uint64_t index, void *task)
{
    const struct tsp *tsp = (const struct tsp *)problem;
    struct core_branch_task root = {.front = 1};
    uint8_t unvisited[CORE_BRANCH_ITEMS];
    (void)index;
    uint32_t count = core_branch_unplaced(&tsp->branch, &root, unvisited);
    root.bound = bound_of(tsp, 0, 0, unvisited, count);
    memcpy(task, &root, sizeof root);
}

static void tsp_execute(const struct ek_problem *problem, const void *task_bytes, struct ek_execution *execution)
{
    const struct tsp *tsp = (const struct tsp *)problem;
    struct core_branch_task task;
    memcpy(&task, task_bytes, sizeof task);
    if (core_branch_ends(&tsp->branch, &task, execution)) {
        return;
    }
    uint8_t unvisited[CORE_BRANCH_ITEMS];
    struct core_branch_child children[CORE_BRANCH_ITEMS];
    uint32_t count = core_branch_unplaced(&tsp->branch, &task, unvisited);
    uint32_t end = task.item[task.front - 1];
    int32_t length = 0;
    for (unsigned i = 1; i < task.front; i++) {
        length += distance(tsp, task.item[i - 1], task.item[i]);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint8_t others[CORE_BRANCH_ITEMS];
        memcpy(others, unvisited, k);
        memcpy(others + k, unvisited + k + 1, count - k - 1);
        children[k].item = unvisited[k];
        children[k].bound = bound_of(tsp, length + distance(tsp, end, unvisited[k]), unvisited[k], others, count - 1);
    }
    core_branch_create(&task, false, children, count, execution);
}

static struct tsp *make_tsp(struct base_cursor *cursor, const struct city *city, uint32_t cities, int64_t upper)
{
    struct tsp *tsp = malloc(sizeof *tsp + (size_t)cities * cities * sizeof tsp->distance[0]);
    if (!tsp) {
        base_cursor_fail(cursor, cursor->at, "there is no memory for the problem");
        return NULL;
    }
    tsp->branch = core_branch_problem(cities, upper);
    tsp->branch.problem.children_most = cities - 1;
    for (uint32_t i = 0; i < cities; i++) {
        for (uint32_t j = 0; j < cities; j++) {
            double x = city[i].x - city[j].x;
            double y = city[i].y - city[j].y;
            tsp->distance[(size_t)i * cities + j] = (int32_t)(sqrt(x * x + y * y) + 0.5);
        }
    }
    return tsp;
}

// Reads N:SEED[:UPPER], and draws the cities from a square.
static struct tsp *draw_tsp(struct base_cursor *cursor)
{
    struct city city[CORE_BRANCH_ITEMS];
    uint64_t cities;
    int64_t state;
    int64_t upper;
    if (!base_cursor_whole(cursor, "the number of cities", CITIES_LEAST, CORE_BRANCH_ITEMS, &cities) ||
        !base_cursor_expect(cursor, ':', "the number of cities") || !core_branch_read(cursor, &state, &upper)) {
        return NULL;
    }
    for (uint64_t i = 0; i < cities; i++) {
        city[i].x = core_branch_draw(&state, SQUARE);
        city[i].y = core_branch_draw(&state, SQUARE);
    }
    return make_tsp(cursor, city, (uint32_t)cities, upper);
}

// A file of TSPLIB while it is read.
struct tsp_file {
    struct city city[CORE_BRANCH_ITEMS];
    bool known[CORE_BRANCH_ITEMS];
    uint32_t cities; // 0 before DIMENSION
    uint32_t count;  // of known cities
    bool planar;     // EDGE_WEIGHT_TYPE is EUC_2D
    bool section;    // NODE_COORD_SECTION has begun
    bool ended;      // EOF was read
};

// Takes a word, if it is next and no longer word is.
static bool take_word(struct base_cursor *line, const char *word)
{
    size_t length = strlen(word);
    const char *text = line->text + line->at;
    bool next = strncmp(text, word, length) == 0 &&
                (text[length] == '\0' || text[length] == ':' || text[length] == ' ' || text[length] == '\t');
    line->at += next ? length : 0;
    return next;
}

static bool take_colon(struct base_cursor *line, const char *after)
{
    core_spec_blanks(line);
    if (!base_cursor_expect(line, ':', after)) {
        return false;
    }
    core_spec_blanks(line);
    return true;
}

static bool take_dimension(struct tsp_file *file, struct base_cursor *line)
{
    uint64_t cities;
    if (!take_colon(line, "DIMENSION") ||
        !base_cursor_whole(line, "the number of cities", CITIES_LEAST, CORE_BRANCH_ITEMS, &cities)) {
        return false;
    }
    file->cities = (uint32_t)cities;
    return true;
}

static bool begin_section(struct tsp_file *file, struct base_cursor *line)
{
    file->section = true;
    return (file->cities > 0 && file->planar) ||
           base_cursor_fail(line, 0, "the lines DIMENSION and EDGE_WEIGHT_TYPE must come before the cities");
}

// Reads a line before the cities. The lines that say nothing about distances are skipped.
static bool take_header(struct tsp_file *file, struct base_cursor *line)
{
    if (take_word(line, "DIMENSION")) {
        return take_dimension(file, line);
    }
    if (take_word(line, "EDGE_WEIGHT_TYPE")) {
        if (!take_colon(line, "EDGE_WEIGHT_TYPE")) {
            return false;
        }
        file->planar = take_word(line, "EUC_2D");
        return file->planar || base_cursor_fail(line, line->at, "only the distances EUC_2D can be read");
    }
    if (take_word(line, "NODE_COORD_SECTION")) {
        return begin_section(file, line);
    }
    line->at += strlen(line->text + line->at);
    return true;
}

static bool take_city(struct tsp_file *file, struct base_cursor *line)
{
    static const char looks[] = "a city's line has its number and its coordinates, as in 3 17.5 20";
    struct city city;
    uint64_t number;
    if (!base_cursor_whole(line, "the number of the city", 1, file->cities, &number)) {
        return false;
    }
    if (file->known[number - 1]) {
        return base_cursor_fail(line, 0, "city %u is listed already: leave one of the lines out", (unsigned)number);
    }
    if (!core_spec_gap(line, looks) ||
        !base_cursor_real(line, "the first coordinate", -COORDINATE_MOST, COORDINATE_MOST, &city.x) ||
        !core_spec_gap(line, looks) ||
        !base_cursor_real(line, "the second coordinate", -COORDINATE_MOST, COORDINATE_MOST, &city.y)) {
        return false;
    }
    file->city[number - 1] = city;
    file->known[number - 1] = true;
    file->count++;
    return true;
}

static bool take_tsp_line(void *context, struct base_cursor *line)
{
    struct tsp_file *file = context;
    file->ended = file->ended || take_word(line, "EOF");
    if (file->ended) {
        line->at += strlen(line->text + line->at);
        return true;
    }
    return file->section ? take_city(file, line) : take_header(file, line);
}

static struct tsp *read_tsp(struct base_cursor *cursor, struct ek_reader reader)
{
    struct tsp_file file = {.cities = 0};
    size_t at = cursor->at;
    if (!core_spec_lines(cursor, reader, take_tsp_line, &file)) {
        return NULL;
    }
    if (!file.section) {
        base_cursor_fail(cursor, at, "the file has no line NODE_COORD_SECTION, so it names no cities");
        return NULL;
    }
    if (file.count < file.cities) {
        base_cursor_fail(cursor, at, "the file has %u of its %u cities: add the others", (unsigned)file.count,
                         (unsigned)file.cities);
        return NULL;
    }
    return make_tsp(cursor, file.city, file.cities, EK_NO_VALUE);
}

static struct ek_problem *tsp_prepare(const struct ek_program_setting *setting, struct ek_error *error)
{
    struct base_cursor cursor = core_program_cursor(setting, error);
    struct tsp *tsp = core_program_is_file(&cursor) ? read_tsp(&cursor, setting->reader) : draw_tsp(&cursor);
    return tsp ? &tsp->branch.problem : NULL;
}

const struct ek_program core_program_tsp = {
    .name = "tsp",
    .choice = {"tsp:N:SEED[:UPPER]", "the shortest tour through N cities; UPPER is a length that is known. Or "
                                     "tsp:file:PATH, in the format of TSPLIB"},
    .source = "Reinelt, TSPLIB: a traveling salesman problem library, ORSA Journal on Computing 3, 1991",
    .result = EK_RESULT_LEAST,
    .prepare = tsp_prepare,
    .begin = tsp_begin,
    .execute = tsp_execute,
};
