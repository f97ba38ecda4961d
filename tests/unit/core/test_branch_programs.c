// SPDX-License-Identifier: MIT
// Programs of branch and bound, against published optima, and against all permutations of small problems.
#include <criterion/criterion.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "tests/support/programs.h"
#include "tests/support/runs.h"

enum { ITEMS = 8, MACHINES = 5 };

// Taillard's generator, written here again.
static int64_t next_state(int64_t *state)
{
    int64_t high = *state / 127773;
    int64_t low = *state % 127773;
    *state = 16807 * low - 2836 * high;
    *state += *state < 0 ? 2147483647 : 0;
    return *state;
}

static int64_t draw(int64_t *state, int low, int high)
{
    return low + (int64_t)floor((double)next_state(state) / 2147483647.0 * (high - low + 1));
}

// Calls `value` with each order of the items from `place` on, and returns the least value.
static int64_t least_of(unsigned *order, unsigned place, unsigned items,
                        int64_t (*value)(const void *context, const unsigned *order), const void *context)
{
    if (place == items) {
        return value(context, order);
    }
    int64_t least = INT64_MAX;
    for (unsigned i = place; i < items; i++) {
        unsigned chosen = order[i];
        order[i] = order[place];
        order[place] = chosen;
        int64_t rest = least_of(order, place + 1, items, value, context);
        least = rest < least ? rest : least;
        order[place] = order[i];
        order[i] = chosen;
    }
    return least;
}

struct shop {
    unsigned jobs, machines;
    int64_t time[MACHINES][ITEMS];
};

static int64_t makespan(const void *context, const unsigned *order)
{
    const struct shop *shop = context;
    int64_t done[MACHINES + 1] = {0}; // done[i + 1]: when machine i is done with the jobs so far
    for (unsigned k = 0; k < shop->jobs; k++) {
        for (unsigned i = 0; i < shop->machines; i++) {
            int64_t begin = i > 0 && done[i] > done[i + 1] ? done[i] : done[i + 1];
            done[i + 1] = begin + shop->time[i][order[k]];
        }
    }
    return done[shop->machines];
}

Test(branch_programs, small_flow_shops_by_all_orders)
{
    for (unsigned seed = 1; seed <= 24; seed++) {
        struct shop shop = {.jobs = 1 + seed % 7, .machines = 1 + seed % MACHINES};
        unsigned order[ITEMS] = {0, 1, 2, 3, 4, 5, 6, 7};
        int64_t state = 1000 * seed;
        for (unsigned i = 0; i < shop.machines; i++) {
            for (unsigned job = 0; job < shop.jobs; job++) {
                shop.time[i][job] = draw(&state, 1, 99);
            }
        }
        int64_t least = least_of(order, 0, shop.jobs, makespan, &shop);
        for (int forward = 0; forward < 2; forward++) {
            char spec[64];
            snprintf(spec, sizeof spec, "flowshop%s:%ux%u:%u", forward ? "-forward" : "", shop.jobs, shop.machines,
                     1000 * seed);
            cr_expect_eq(must_execute(spec).result, least, "%s: %lld, not %lld", spec,
                         (long long)must_execute(spec).result, (long long)least);
        }
    }
}

struct map {
    unsigned cities;
    int64_t x[ITEMS], y[ITEMS];
};

static int64_t tour(const void *context, const unsigned *order)
{
    const struct map *map = context;
    int64_t length = 0;
    for (unsigned k = 0; k < map->cities; k++) {
        unsigned from = order[k];
        unsigned to = order[(k + 1) % map->cities];
        length += lround(hypot((double)(map->x[from] - map->x[to]), (double)(map->y[from] - map->y[to])));
    }
    return length;
}

Test(branch_programs, small_tours_by_all_orders)
{
    for (unsigned seed = 1; seed <= 24; seed++) {
        struct map map = {.cities = 3 + seed % 6};
        unsigned order[ITEMS] = {0, 1, 2, 3, 4, 5, 6, 7};
        int64_t state = 777 * seed;
        for (unsigned i = 0; i < map.cities; i++) {
            map.x[i] = draw(&state, 0, 999);
            map.y[i] = draw(&state, 0, 999);
        }
        int64_t least = least_of(order, 1, map.cities, tour, &map);
        char spec[64];
        snprintf(spec, sizeof spec, "tsp:%u:%u", map.cities, 777 * seed);
        cr_expect_eq(must_execute(spec).result, least, "%s: %lld, not %lld", spec, (long long)must_execute(spec).result,
                     (long long)least);
    }
}

// The optima that Taillard published, with his seeds.
Test(branch_programs, taillards_flow_shops)
{
    static const struct {
        const char *spec;
        int64_t optimum;
    } shops[] = {
        {"flowshop:20x5:873654221", 1278},  {"flowshop:20x5:379008056", 1359},   {"flowshop:20x5:1866992158", 1081},
        {"flowshop:20x5:216771124", 1293},  {"flowshop:20x5:495070989", 1235},   {"flowshop:20x5:402959317", 1195},
        {"flowshop:20x5:1369363414", 1234}, {"flowshop:20x5:2021925980", 1206},  {"flowshop:20x5:573109518", 1230},
        {"flowshop:20x5:88325120", 1108},   {"flowshop:20x10:2065119309", 1593},
    };
    for (size_t i = 0; i < sizeof shops / sizeof *shops; i++) {
        cr_expect_eq(must_execute(shops[i].spec).result, shops[i].optimum, "%s", shops[i].spec);
    }
    expect_executed("flowshop:20x5:1369363414", 1452, 1234);
    expect_executed("flowshop:20x5:495070989", 319353, 1235);
    expect_executed("flowshop:20x10:2065119309", 154855, 1593);
}

// Searches for a makespan below UPPER, the optimum and 1, find the optima of Taillard's ten. The seventh takes minutes,
// so only the full tests search for it, and the others search for some.
Test(branch_programs, taillards_larger_flow_shops, .timeout = 3600)
{
    static const struct {
        const char *spec;
        int64_t optimum;
        unsigned most; // it is left out if the tests run a smaller part than one in `most`
    } shops[] = {
        {"flowshop:20x10:587595453:1583", 1582, 1},         {"flowshop:20x10:1401007982:1660", 1659, 1},
        {"flowshop:20x10:873136276:1497", 1496, 1},         {"flowshop:20x10:268827376:1378", 1377, UINT_MAX},
        {"flowshop:20x10:1634173168:1420", 1419, UINT_MAX}, {"flowshop:20x10:691823909:1398", 1397, UINT_MAX},
        {"flowshop:20x10:73807235:1485", 1484, 1},          {"flowshop:20x10:1273398721:1539", 1538, 1},
        {"flowshop:20x10:2065119309:1594", 1593, UINT_MAX}, {"flowshop:20x10:1672900551:1592", 1591, 1},
    };
    for (size_t i = 0; i < sizeof shops / sizeof *shops; i++) {
        if (tests_one_in() <= shops[i].most) {
            cr_expect_eq(must_execute(shops[i].spec).result, shops[i].optimum, "%s", shops[i].spec);
        }
    }
}

// With the optimum as UPPER, the tasks that are executed do not depend on their order.
Test(branch_programs, tasks_below_a_known_optimum)
{
    static const struct {
        const char *spec;
        uint64_t executed, nodes;
        int64_t result;
    } runs[] = {
        {"flowshop-forward:8x3:7:503", 9, 1, 503},  {"flowshop-forward:10x5:42:646", 17092, 4661, 646},
        {"flowshop:9x5:1234567:721", 389, 81, 721}, {"flowshop:10x10:1:1099", 2209, 449, 1099},
        {"tsp:10:1:3361", 182, 33, 3361},           {"tsp:12:12345:3660", 1099, 186, 3660},
        {"tsp:14:1:3483", 412, 51, 3483},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct ek_serial serial = must_execute(runs[i].spec);
        cr_expect(serial.executed == runs[i].executed && serial.nodes == runs[i].nodes &&
                      serial.result == runs[i].result,
                  "%s: %llu executed, %llu nodes, result %lld", runs[i].spec, (unsigned long long)serial.executed,
                  (unsigned long long)serial.nodes, (long long)serial.result);
    }
    expect_executed("tsp:3:1:1690", 1, 1690); // the root's bound is the tour: all three distances
    cr_expect_eq(must_execute("flowshop-forward:8x3:7").result, 503);
    cr_expect_eq(must_execute("flowshop:9x5:1234567").result, 721);
    cr_expect_eq(must_execute("flowshop-forward:10x5:42").result, 646);
    cr_expect_eq(must_execute("tsp:12:12345").result, 3660);
    cr_expect_eq(must_execute("tsp:14:1").result, 3483);
}

static struct ek_serial execute_text(const char *spec, const char *text)
{
    return must_execute_file(spec, text, 0);
}

// By hand: the order 0, 1, 2 of the jobs takes 1 + 4 + 5 + 6. The tour around the square passes the fifth city.
Test(branch_programs, files)
{
    static const char jobs[] = "# jobs and machines\n3 2\n1 2 3\n\n4\t5 6\n";
    cr_expect_eq(execute_text("flowshop:file:a", jobs).result, 16);
    cr_expect_eq(execute_text("flowshop-forward:file:a", jobs).result, 16);
    static const char cities[] = "NAME: five\nTYPE : TSP\nCOMMENT : a house: with a roof\nDIMENSION: 5\n"
                                 "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n2 10 0\n1 0.0 0\n3 1.0e+01 10\n"
                                 "5 5 15\n4 0 10\nEOF\nmore\n";
    cr_expect_eq(execute_text("tsp:file:a", cities).result, 10 + 10 + 7 + 7 + 10);
}

static void expect_file_refused(const char *spec, const struct bad_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct ek_program *program;
        struct tests_memory memory;
        struct ek_error error = {0};
        cr_expect_null(ek_problem_read(spec, text_reader(&memory, files[i].text), &program, &error), "%s",
                       files[i].text);
        cr_expect(strstr(error.sentence, files[i].part), "%s: %s", files[i].text, error.sentence);
        cr_expect_str_eq(error.axis, "tasks");
    }
}

Test(branch_programs, bad_files)
{
    static const struct bad_file shops[] = {
        {"", "the file ends too early"},
        {"3 2\n1 2 3\n", "the file ends too early"},
        {"3\n", "a:1: the first line has the numbers of jobs and machines"},
        {"59 2\n", "a:1: the number of jobs must be a whole number from 1 to 58"},
        {"3 61\n", "a:1: the number of machines must be a whole number from 1 to 60"},
        {"3 2\n1 2\n", "a:2: a machine's line has the time of each job"},
        {"3 2\n1 2 3 4\n", "a:2: ' ' cannot follow"},
        {"3 2\n1 2 -3\n", "a:2: the time of a job must be a whole number from 0"},
        {"1 1\n3\n4\n", "a:3: the first line names 1 machines, and this line is one more"},
    };
    expect_file_refused("flowshop:file:a", shops, sizeof shops / sizeof *shops);
    static const struct bad_file maps[] = {
        {"", "no line NODE_COORD_SECTION"},
        {"NODE_COORD_SECTION\n1 2 3\n", "a:1: the lines DIMENSION and EDGE_WEIGHT_TYPE must come before"},
        {"DIMENSION: 2\n", "a:1: the number of cities must be a whole number from 3 to 58"},
        {"DIMENSION 4\n", "a:1: write ':' after DIMENSION"},
        {"EDGE_WEIGHT_TYPE: GEO\n", "a:1: only the distances EUC_2D"},
        {"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 2 3\n", "the file has 1 of its 3 cities"},
        {"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 2\n", "a:4: a city's line has its number"},
        {"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n4 2 3\n", "a:4: the number of the city"},
        {"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 2 3\n1 2 3\n", "a:5: city 1 is listed already"},
        {"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 2 x\n", "a:4: the second coordinate"},
    };
    expect_file_refused("tsp:file:a", maps, sizeof maps / sizeof *maps);
}
