// SPDX-License-Identifier: MIT
// The experiments that torture draws. A seed's experiment is the same on every computer and in every version, unless an
// axis or a method is added: tests/data/torture.txt has them, and UPDATE=1 writes it anew. This machine can run each
// experiment that is drawn without bounds.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lab/studies/torture.h"
#include "threads/api/run.h"

static const char FILE_NAME[] = "tests/data/torture.txt";

// Bounds as options and their values, and how many seeds are drawn with them.
static const struct set {
    const char *bound[6];
    uint64_t seeds;
} sets[] = {
    {{NULL}, 60},
    {{"units", "tokens", "ports", "one"}, 12},
    {{"units", "real", "ports", "all"}, 12},
    {{"method", "adf,liquid:c2,ode", "announce", "pushed"}, 9},
    {{"topology", "ring:5,torus:3x3", "domains", "once", "faults", "none"}, 9},
    {{"topology", "otis(mesh:2x4)", "method", "ded(fos)", "slow", "3:9"}, 3},
    {{"units", "tokens", "announce", "asked", "capacity", "cs"}, 9},
    {{"tasks", "queens:6,tsp:7:1"}, 30},
    {{"tasks", "bag:uniform:1:9", "timing", "rounds,turns,free,virtual"}, 20},
    {{"tasks", "queens:6", "mailbox", "spsc:2"}, 9},
};
enum { SETS = sizeof sets / sizeof *sets };

static struct lab_section draw(const struct set *set, uint64_t seed)
{
    const char *given[EK_AXES_MAX] = {0};
    struct lab_torture_bounds bounds;
    struct lab_section drawn;
    struct ek_error error;
    for (size_t b = 0; b < 6 && set->bound[b]; b += 2) {
        for (size_t i = 0; ek_axis_at(i); i++) {
            given[i] = strcmp(ek_axis_at(i)->option, set->bound[b]) == 0 ? set->bound[b + 1] : given[i];
        }
    }
    cr_assert(lab_torture_bounds_read(&bounds, given, &error), "%s", error.sentence);
    cr_assert(lab_torture_draw(seed, &bounds, (struct ek_reader){0}, &drawn, &error), "%s", error.sentence);
    lab_torture_bounds_destroy(&bounds);
    return drawn;
}

static void write_all(FILE *out)
{
    for (size_t s = 0; s < SETS; s++) {
        for (uint64_t seed = 1; seed <= sets[s].seeds; seed++) {
            struct lab_section drawn = draw(&sets[s], seed);
            fprintf(out, "%zu", s);
            lab_section_write(out, &drawn);
            fputc('\n', out);
            lab_section_destroy(&drawn);
        }
    }
}

Test(torture_draw, a_seed_has_its_experiment)
{
    if (getenv("UPDATE")) {
        FILE *file = fopen(FILE_NAME, "w");
        cr_assert(file);
        write_all(file);
        fclose(file);
    }
    char *text = NULL, wanted[1000];
    size_t length;
    FILE *out = open_memstream(&text, &length), *file = fopen(FILE_NAME, "r");
    cr_assert(out && file);
    write_all(out);
    fclose(out);
    size_t lines = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        cr_assert(fgets(wanted, sizeof wanted, file), "%s has no line for: %s", FILE_NAME, line);
        wanted[strcspn(wanted, "\n")] = '\0';
        cr_expect_str_eq(line, wanted);
    }
    cr_expect(!fgets(wanted, sizeof wanted, file) && lines > 100);
    fclose(file);
    free(text);
}

static void must_run(const struct set *set, uint64_t seed)
{
    struct lab_section drawn = draw(set, seed);
    struct lab_experiment_spec spec = lab_section_spec(&drawn);
    struct ek_experiment experiment;
    struct ek_error error = {.sentence = ""};
    bool good = lab_experiment_spec_read(&spec, (struct ek_reader){0}, &experiment, &error);
    experiment.by_caller = true; // it will not run: no threads are needed
    struct ek_machine *machine = good ? ek_prepare(&experiment, &error) : NULL;
    cr_expect(machine, "seed %d: %s", (int)seed, error.sentence);
    ek_machine_destroy(machine);
    lab_section_destroy(&drawn);
}

Test(torture_draw, this_machine_can_run_it)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        must_run(&sets[0], seed);
    }
}

Test(torture_draw, this_machine_can_run_tasks)
{
    static const struct set any = {{"tasks", "queens:6,tsp:7:1,bag:uniform:1:9"}, 0};
    static const char *const kinds[] = {"--timing free",   "--timing virtual", "--timing rounds", "--timing turns",
                                        "--detect safra",  "--detect mattern", "--faults link:",  "--announce pushed",
                                        "--method steal:", "--give newest",    "--delay "};
    unsigned found[sizeof kinds / sizeof *kinds] = {0};
    for (uint64_t seed = 1; seed <= 150; seed++) {
        must_run(&any, seed);
        struct lab_section drawn = draw(&any, seed);
        char *line = NULL;
        size_t length;
        FILE *out = open_memstream(&line, &length);
        cr_assert(out);
        lab_section_write(out, &drawn);
        fclose(out);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            found[i] += strstr(line, kinds[i]) != NULL;
        }
        free(line);
        lab_section_destroy(&drawn);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        cr_expect(found[i] > 3, "%s in %u of 150 experiments", kinds[i], found[i]);
    }
}
