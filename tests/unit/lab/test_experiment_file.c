// SPDX-License-Identifier: MIT
// Files of experiments: what they mean, which lines are refused, and that a file that was read is written as it was.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "lab/sweep/experiment_file.h"

static struct ek_error error;
static struct lab_experiment_file sheet;

static bool read_sheet(const char *text)
{
    error = (struct ek_error){.at = -1};
    return lab_experiment_file_read(&sheet, text, strlen(text), &error);
}

// Returns all sections as the options of command lines, one a line.
static char *lines(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < sheet.count; i++) {
        fprintf(out, "%s:", sheet.section[i].name);
        lab_section_write(out, &sheet.section[i]);
        fputc('\n', out);
    }
    fclose(out);
    return text;
}

static void expect_lines(const char *text, const char *wanted)
{
    cr_assert(read_sheet(text), "%s: %s", text, error.sentence);
    char *found = lines();
    cr_expect_str_eq(found, wanted);
    free(found);
    lab_experiment_file_destroy(&sheet);
}

Test(sheet, sections_are_experiments)
{
    expect_lines("[a]\ntopology = ring:4\n[b]\nmethod=fos\n", "a: --topology ring:4\nb: --method fos\n");
    expect_lines("topology = ring:4\n", "experiment: --topology ring:4\n");
    expect_lines("# none\n; none\n[a]\nsteps = 9 ; a remark\n", "a: --steps 9\n");
    expect_lines("[a] # one\nsteps = 9,\t# a remark ; or two\n  # none\n  10 # and 11\n", "a: --steps 9,10\n");
    expect_lines("[a]\nload = file:a#b;c\n", "a: --load 'file:a#b;c'\n");
    expect_lines("[a]\nruns = 5\nzip = topology,load\noverlaps = true\nunpinned = true,false\n",
                 "a: --unpinned=true,false --overlaps --runs 5 --zip topology,load\n");
    expect_lines("[a]\nload = list:1,2\nmethod = ded(fos),ade\n", "a: --method 'ded(fos),ade' --load list:1,2\n");
}

Test(sheet, what_is_global_is_in_all_that_follow)
{
    expect_lines("[global]\nseed = 1..3\nmethod = ade\n[a]\ntopology = ring:4\n[b]\nmethod = fos\n",
                 "a: --topology ring:4 --method ade --seed 1..3\nb: --method fos --seed 1..3\n");
    expect_lines("method = ade\n[a]\nsteps = 1\n[global]\nmethod = ode\n[b]\nsteps = 2\n",
                 "a: --method ade --steps 1\nb: --method ode --steps 2\n");
    expect_lines("[global]\nmethod = ade\n[global]\nmethod = ode\n[b]\nsteps = 2\n", "b: --method ode --steps 2\n");
}

Test(sheet, an_indented_line_goes_on_with_a_list)
{
    expect_lines("[a]\ntopology = ring:4,\n  ring:8\n  ring:16\n", "a: --topology ring:4,ring:8,ring:16\n");
    expect_lines("[a]\nload = list:1,2,\n  3,4\n", "a: --load list:1,2,3,4\n");
    expect_lines("[a]\n  steps = 4\n[a]\n  steps = 5\n", "a: --steps 4\na: --steps 5\n");
}

Test(sheet, what_is_wrong_is_said_with_its_line)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"[a]\ntopologi = ring:4\n", "line 2: there is no option 'topologi', the nearest is topology"},
        {"[a]\n\nxyzzy = 4\n", "line 3: there is no option 'xyzzy': write the name of an axis, runs or zip"},
        {"[a]\nstore = b\n", "line 2: there is no option 'store'"},
        {"[a]\ntopology\n", "line 2 is neither [a section] nor name = values"},
        {"[a\ntopology = ring:4\n", "line 1 is neither [a section] nor name = values"},
        {"[a]\nmethod =\n", "line 2: method has no value"},
        {"[a]\nmethod = # ade\n", "line 2: method has no value"},
        {"[a]\n  topology = ring:4\n  method = ade\n",
         "line 3: method is indented, which continues the list of topology"},
        {"[a]\nmethod = ade,\n", "line 2: the list of method ends in a comma"},
        {"[a]\nload = list:"
         "11111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111"
         "1111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111\n",
         "line 2 is longer than 190 characters"},
        {"[a]\nmethod = ade\nsteps = 4\nmethod = ode\n",
         "line 4: method is given twice, first in line 2: remove one, or write one list"},
        {"[a]\nruns = 2\nruns = 3\n", "line 3: runs is given twice, first in line 2"},
        {"[a]\nruns = 2\n\nruns = 3\n  4\n", "line 4: runs is given twice, first in line 2"},
        {"seed = 1\nseed = 2\n[a]\nsteps = 4\n", "line 2: seed is given twice, first in line 1"},
        {"[global]\nseed = 1\nseed = 2\n[a]\nsteps = 4\n", "line 3: seed is given twice, first in line 2"},
        {"", "there is no experiment: write [a name], and below it options"},
        {"# none\n\n", "there is no experiment"},
        {"[global]\nseed = 1\n", "there is no experiment"},
        {"[a]\n", "line 1: this section is empty: write an option"},
        {"[a]\nseed = 1\n[b]\n # none\n[c]\nxyzzy = 2\n", "line 3: this section is empty"},
        {"[a\nxyzzy = 4\n", "line 1 is neither [a section] nor name = values"},
        {"[a]\nmethod = \xff\n", "this is not text in UTF-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect(!read_sheet(cases[i].text), "%s", cases[i].text);
        cr_expect(strstr(error.sentence, cases[i].sentence), "%s: %s", cases[i].text, error.sentence);
    }
    cr_expect(!lab_experiment_file_read(&sheet, "[a]\0", 4, &error));
}

Test(sheet, where_each_value_was_given_is_known)
{
    cr_assert(
        read_sheet("\n[global]\nseed = 1\n\n[a]\n# none\ntopology = ring:4,\n  ring:8\nruns = 5\n[b]\nzip = x\n"));
    static const struct {
        size_t section;
        const char *option;
        size_t line;
    } cases[] = {{0, "seed", 3}, {0, "topology", 7}, {0, "runs", 9}, {0, "zip", 0},  {0, "method", 0},
                 {0, "", 7},     {1, "seed", 3},     {1, "zip", 11}, {1, "runs", 0}, {1, "", 11}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(lab_section_line(&sheet.section[cases[i].section], cases[i].option), cases[i].line, "%zu", i);
    }
    cr_assert(lab_section_set(&sheet.section[0], "seed", "7", &error));
    cr_expect_eq(lab_section_line(&sheet.section[0], "seed"), 0,
                 "an option of the command line has no line in the file");
    lab_experiment_file_destroy(&sheet);
}

static char *written(void)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    cr_assert(lab_experiment_file_write(out, &sheet, &error), "%s", error.sentence);
    fclose(out);
    return text;
}

Test(sheet, a_file_comes_back_as_it_was)
{
    char list[2000] = "[long]\nload = list:0";
    for (int i = 1; i < 100; i++) {
        snprintf(list + strlen(list), sizeof list - strlen(list), i % 20 == 0 ? ",\n  %d" : ",%d", i * 111);
    }
    char hashes[400] = "[long]\nload = a";
    for (int i = 0; i < 100; i++) {
        strcat(hashes, i == 50 ? "\n  ,#x" : ",#x");
    }
    const char *texts[] = {list, hashes,
                           "[a]\ntopology = ring:{4..8*2}\nmethod = ade,fos\nseed = 1..3\n[b]\noverlaps = true,false\n",
                           "[a]\nload = file:a b'c$d\"e.txt\n", "[empty]\nseed = 1\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert(read_sheet(texts[i]), "%s", error.sentence);
        char *before = lines(), *text = written();
        lab_experiment_file_destroy(&sheet);
        cr_assert(read_sheet(text), "%s: %s", text, error.sentence);
        char *after = lines();
        cr_expect_str_eq(after, before);
        lab_experiment_file_destroy(&sheet);
        free(before);
        free(text);
        free(after);
    }
}

Test(sheet, what_no_file_can_say_is_refused)
{
    static const char *const texts[] = {"file:a ;b", "file:a #b", "file:a\t#b", ";b",
                                        " file:a",   "file:a\nb", "file:a "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert(lab_experiment_file_begin(&sheet, &error));
        cr_assert(lab_section_set(&sheet.section[0], "topology", texts[i], &error));
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        cr_expect(!lab_experiment_file_write(out, &sheet, &error), "%s", texts[i]);
        cr_expect(strstr(error.sentence, "cannot be written in a file"), "%s", error.sentence);
        fclose(out);
        free(text);
        lab_experiment_file_destroy(&sheet);
    }
}

Test(sheet, runs_are_seeds)
{
    struct lab_grid grid;
    cr_assert(read_sheet("[a]\nseed = 7\nruns = 3\n"));
    cr_assert(lab_section_grid(&sheet.section[0], &grid, &error), "%s", error.sentence);
    cr_expect_eq(grid.seeds, 3);
    cr_expect_eq(grid.seed[0], 7);
    cr_expect_eq(grid.seed[2], 9);
    lab_grid_destroy(&grid);
    lab_experiment_file_destroy(&sheet);
    static const char *const wrong[] = {"seed = 1..4\nruns = 3\n", "runs = 0\n", "runs = x\n", "runs = 1000001\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert(read_sheet(wrong[i]));
        cr_expect(!lab_section_grid(&sheet.section[0], &grid, &error), "%s", wrong[i]);
        cr_expect(strstr(error.sentence, "--runs"), "%s", error.sentence);
        lab_experiment_file_destroy(&sheet);
    }
}
