// SPDX-License-Identifier: MIT
// Lists of values: what each text stands for, which texts are refused and where, and the experiments that lists
// make.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/sweep/grid.h"

static struct ek_error error;

// Returns all values of a text, each followed by a space.
static const char *values_of(const char *option, const char *text)
{
    static char all[4096];
    struct lab_values values;
    error = (struct ek_error){.at = -1};
    if (!lab_values_read(&values, ek_axis_named(option), text, &error)) {
        return NULL;
    }
    all[0] = '\0';
    for (size_t i = 0; i < values.count; i++) {
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s ", values.text[i]);
    }
    lab_values_destroy(&values);
    return all;
}

Test(grid, commas_separate_what_begins_a_value)
{
    static const struct {
        const char *option, *text, *values;
    } cases[] = {
        {"method", "ade", "ade "},
        {"method", "ade,ode,gde:0.7", "ade ode gde:0.7 "},
        {"method", "ded(fos),adi(opt),de-adi(opt)", "ded(fos) adi(opt) de-adi(opt) "},
        {"method", "dde:scan,ade", "dde:scan ade "},
        {"method", "dde:usual,scan", "dde:usual,scan "},
        {"topology", "ring:8,torus:4x4,otis(mesh:2x4),file:a,b.txt", "ring:8 torus:4x4 otis(mesh:2x4) file:a,b.txt "},
        {"load", "list:1,2,3,peak:5,list:4,5,6", "list:1,2,3 peak:5 list:4,5,6 "},
        {"load", "list:1,{2,3}", "list:1,2 list:1,3 "},
        {"work", "constant:0=2,8=-2,none", "constant:0=2,8=-2 none "},
        {"order", "2,0,1,usual,reversed", "2,0,1 usual reversed "},
        {"faults", "link:0.1,processor:0.01,link:0.2", "link:0.1,processor:0.01 link:0.2 "},
        {"faults", "processor:0.01,repair:3,none", "processor:0.01,repair:3 none "},
        {"slow", "1:2,3:4", "1:2,3:4 "},
        {"slow", "none,1:2", "none,1:2 "},
        {"invoke", "at:1,2,below:3", "at:1,2 below:3 "},
        {"link-limit", "{1,2},none", "1 2 none "},
        {"ports", "one,all", "one all "},
        {"stop", "variance:1,spread:2", "variance:1 spread:2 "},
        {"overlaps", "true,false", "true false "},
        {"steps", "5,10", "5 10 "},
        {"for", "20ms,1s", "20ms 1s "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *values = values_of(cases[i].option, cases[i].text);
        cr_expect(values && strcmp(values, cases[i].values) == 0, "%s gives %s (%s)", cases[i].text, values,
                  error.sentence);
    }
}

Test(grid, braces_stand_for_several)
{
    static const struct {
        const char *option, *text, *values;
    } cases[] = {
        {"topology", "ring:{4..128*2}", "ring:4 ring:8 ring:16 ring:32 ring:64 ring:128 "},
        {"topology", "ring:{4..10+3},ring:64", "ring:4 ring:7 ring:10 ring:64 "},
        {"topology", "ring:{4..11+3}", "ring:4 ring:7 ring:10 "},
        {"topology", "torus:{4,8}x{2..3}", "torus:4x2 torus:4x3 torus:8x2 torus:8x3 "},
        {"topology", "{ring,chain}:8,star:4", "ring:8 chain:8 star:4 "},
        {"topology", "ring:{8..4+-2}", "ring:8 ring:6 ring:4 "},
        {"topology", "ring:{32..4*0.5}", "ring:32 ring:16 ring:8 ring:4 "},
        {"topology", "ring:{6..4}", "ring:6 ring:5 ring:4 "},
        {"topology", "ring:{7..7}", "ring:7 "},
        {"method", "gde:{0.5..0.8+0.1}", "gde:0.5 gde:0.6 gde:0.7 gde:0.8 "},
        {"method", "liquid{,:c5},{ade,ode}", "liquid liquid:c5 ade ode "},
        {"seed", "1..5", "1 2 3 4 5 "},
        {"seed", "1..3,10,20..30+5", "1 2 3 10 20 25 30 "},
        {"method", "gde:{0.1..0.3+0.1}", "gde:0.1 gde:0.2 gde:0.3 "},
        {"topology", "ring:{3..243*3}", "ring:3 ring:9 ring:27 ring:81 ring:243 "},
        {"topology", "ring:{3..242*3}", "ring:3 ring:9 ring:27 ring:81 "},
        {"steps", "{10..1000*10}", "10 100 1000 "},
        {"steps", "10..1000*10", "10 100 1000 "},
        {"seed", "999999999998..1000000000000+2", "999999999998 1000000000000 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *values = values_of(cases[i].option, cases[i].text);
        cr_expect(values && strcmp(values, cases[i].values) == 0, "%s gives %s (%s)", cases[i].text, values,
                  error.sentence);
    }
}

Test(grid, what_is_wrong_is_pointed_at)
{
    static const struct {
        const char *option, *text, *sentence;
        int at;
    } cases[] = {
        {"method", "ade,odee", "method has no value 'odee': did you mean ode?", 4},
        {"method", "odee,ade", "did you mean ode?", 0},
        {"method", "gde:0.7,xyzzy", "method has no value 'xyzzy': choose one that `evenkeel list` shows", 8},
        {"method", "{ade,odee}", "did you mean ode?", 0},
        {"topology", "ring:8,rnig:{4..8}", "did you mean ring?", 7},
        {"load", "peak:5,list:1,2,peek:3", "did you mean peak?", 16},
        {"faults", "none,lnik:1", "did you mean link?", 5},
        {"timing", "rounds,fre", "did you mean free?", 7},
        {"stop", "variance:1,nver", "did you mean never?", 11},
        {"overlaps", "true,flase", "true or false", 5},
        {"topology", "ring:8,ring:{4", "not closed", 12},
        {"latency", "{500ns..4us*2}", "a range has numbers only", 0},
        {"topology", "ring:4}", "no brace for this one to close", 6},
        {"topology", "ring:{4,{5,6}}", "braces cannot be nested", 5},
        {"topology", "ring:{4..8*1}", "never gets from 4 to 8", 5},
        {"topology", "ring:{4..8*0.5}", "never gets from 4 to 8", 5},
        {"topology", "ring:{4..8+-1}", "never gets from 4 to 8", 5},
        {"topology", "ring:{0..8*2}", "never gets from 0 to 8", 5},
        {"seed", "0..1000000", "more than 1000000 values", 0},
        {"steps", "5,x", "whole number", 2},
        {"steps", "5,", "--steps", 2},
        {"overlaps", "perhaps", "true or false", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_null(values_of(cases[i].option, cases[i].text), "%s", cases[i].text);
        cr_expect(strstr(error.sentence, cases[i].sentence), "%s: %s", cases[i].text, error.sentence);
        cr_expect_eq(error.at, cases[i].at, "%s: at %d", cases[i].text, error.at);
        cr_expect_str_eq(error.axis, cases[i].option);
    }
}

static struct lab_grid grid;

static bool read_grid(const char *topology, const char *method, const char *load, const char *seed, const char *zip)
{
    const char *given[EK_AXES_MAX] = {0};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const char *option = ek_axis_at(i)->option;
        given[i] = strcmp(option, "topology") == 0 ? topology
                   : strcmp(option, "method") == 0 ? method
                   : strcmp(option, "load") == 0   ? load
                   : strcmp(option, "seed") == 0   ? seed
                                                   : NULL;
    }
    error = (struct ek_error){.at = -1};
    return lab_grid_read(&grid, given, zip, &error);
}

static const char *cells(void)
{
    static char all[1024];
    all[0] = '\0';
    for (size_t i = 0; i < grid.experiments; i++) {
        struct lab_experiment_spec cell = lab_grid_experiment(&grid, i);
        const char *load = lab_experiment_spec_axis(&cell, "load");
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s/%s/%s ", lab_experiment_spec_axis(&cell, "topology"),
                 lab_experiment_spec_axis(&cell, "method"), load ? load : "-");
    }
    return all;
}

Test(grid, cells_are_the_product)
{
    cr_assert(read_grid("ring:4,ring:8", "ade,ode,fos", NULL, "3,1..2", NULL), "%s", error.sentence);
    cr_expect_str_eq(cells(), "ring:4/ade/- ring:4/ode/- ring:4/fos/- ring:8/ade/- ring:8/ode/- ring:8/fos/- ");
    cr_expect_eq(grid.seeds, 3);
    cr_expect_eq(grid.seed[0], 3);
    cr_expect_eq(grid.seed[2], 2);
    lab_grid_destroy(&grid);
    cr_assert(read_grid(NULL, NULL, NULL, NULL, NULL));
    cr_expect_eq(grid.experiments, 1);
    cr_expect_eq(grid.seed[0], 1);
    lab_grid_destroy(&grid);
}

Test(grid, zipped_axes_go_together)
{
    cr_assert(read_grid("ring:4,ring:8", "ade,ode", "peak:4,peak:8", NULL, "load,topology"), "%s", error.sentence);
    cr_expect_str_eq(cells(), "ring:4/ade/peak:4 ring:4/ode/peak:4 ring:8/ade/peak:8 ring:8/ode/peak:8 ");
    lab_grid_destroy(&grid);

    cr_expect(!read_grid("ring:4,ring:8", "ade,ode,fos", NULL, NULL, "topology,method"));
    cr_expect_str_eq(error.sentence,
                     "topology and method are zipped but have different numbers of values: give both equally many");
    cr_expect_eq(error.at, 9);
    cr_expect(!read_grid("ring:4,ring:8", "ade,ode", NULL, NULL, "topology,load"));
    cr_expect_eq(error.at, 9);
    cr_expect(!read_grid("ring:4,ring:8", "ade,ode", NULL, NULL, "topology,topology"));
    cr_expect(strstr(error.sentence, "twice"));
    cr_expect(!read_grid("ring:4,ring:8", "ade,ode", "peak:1,peak:2", NULL, "topology,load/method"));
    cr_expect(strstr(error.sentence, "two axes or more"));
    cr_expect_eq(error.at, 14);
    cr_expect(!read_grid("ring:4,ring:8", "ade,ode", "peak:1,peak:2", NULL, "topology,load/method,load"));
    cr_expect(strstr(error.sentence, "load twice"));
    cr_expect(!read_grid("ring:{4..2000}", "gde:{0.01..0.99+0.001}", NULL, NULL, NULL));
    cr_expect(strstr(error.sentence, "more than 1000000 combinations"));
}

Test(grid, a_key_is_of_what_differs_from_the_defaults)
{
    char one[LAB_KEY_SIZE], other[LAB_KEY_SIZE];
    struct ek_reader none = {0};
    cr_assert(read_grid("torus:8x8,ring:8", "ade", NULL, NULL, NULL));
    struct lab_experiment_spec written = lab_grid_experiment(&grid, 0), differing = lab_grid_experiment(&grid, 1),
                               empty = {0};
    cr_assert(lab_experiment_spec_key(&written, none, one, &error));
    cr_assert(lab_experiment_spec_key(&empty, none, other, &error));
    cr_expect_str_eq(one, other);
    cr_assert(lab_experiment_spec_key(&differing, none, other, &error));
    cr_expect_str_neq(one, other);
    cr_expect_eq(strlen(one), 32);
    char *command = lab_experiment_spec_command(&differing, 7);
    cr_expect_str_eq(command, "evenkeel run --topology ring:8 --seed 7");
    free(command);
    lab_grid_destroy(&grid);
}

static char *read_text(void *context, const char *path, size_t *length, struct ek_error *failed)
{
    (void)path, (void)failed;
    *length = strlen(context);
    return strdup(context);
}

// Another graph under the same file name is another experiment.
Test(grid, a_key_is_of_what_is_in_the_files)
{
    static char ring[] = "0 1\n1 2\n2 0\n", path[] = "0 1\n1 2\n";
    char one[LAB_KEY_SIZE], same[LAB_KEY_SIZE], other[LAB_KEY_SIZE];
    cr_assert(read_grid("file:a", NULL, NULL, NULL, NULL));
    struct lab_experiment_spec cell = lab_grid_experiment(&grid, 0);
    cr_assert(lab_experiment_spec_key(&cell, (struct ek_reader){read_text, ring}, one, &error), "%s", error.sentence);
    cr_assert(lab_experiment_spec_key(&cell, (struct ek_reader){read_text, ring}, same, &error));
    cr_assert(lab_experiment_spec_key(&cell, (struct ek_reader){read_text, path}, other, &error));
    cr_expect_str_eq(one, same);
    cr_expect_str_neq(one, other);
    cr_expect(!lab_experiment_spec_key(&cell, (struct ek_reader){read_text, "no graph"}, other, &error));
    lab_grid_destroy(&grid);
}
