// SPDX-License-Identifier: MIT
// Sets of objects, their sources, and the choice of objects for an amount.
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/objects/object_choice.h"
#include "core/objects/object_sources.h"

// Reads a weight. Returns 0 if it is refused, with the error's sentence in `sentence`.
static uint64_t weight_of(const char *text, char *sentence)
{
    struct ek_error error = {0};
    struct base_cursor cursor = base_cursor_start("objects", text, &error);
    uint64_t weight = 0;
    bool good = core_object_read_weight(&cursor, &weight);
    cr_expect(!good || text[cursor.at] == '\0', "%s is read to its end", text);
    strcpy(sentence, error.sentence);
    return good ? weight : 0;
}

Test(objects, weights_are_exact)
{
    static const struct {
        const char *text;
        uint64_t weight;
    } cases[] = {{"1", 1000000000},
                 {"0.1", 100000000},
                 {".5", 500000000},
                 {"3.", 3000000000},
                 {"0.000000001", 1},
                 {"2.50000000000000", 2500000000},
                 {"1e-3", 1000000},
                 {"1.5e2", 150000000000},
                 {"2E+1", 20000000000},
                 {"123456789.123456789", 123456789123456789},
                 {"18446744073", 18446744073000000000u}};
    char sentence[sizeof((struct ek_error *)NULL)->sentence];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t weight = weight_of(cases[i].text, sentence);
        cr_expect_eq(weight, cases[i].weight, "%s is %llu: %s", cases[i].text, (unsigned long long)weight, sentence);
    }
}

Test(objects, wrong_weights)
{
    static const struct {
        const char *text, *part;
    } cases[] = {{"", "a number above 0"},
                 {"-1", "a number above 0"},
                 {"nan", "a number above 0"},
                 {"inf", "a number above 0"},
                 {"0", "is above 0"},
                 {"0.000", "is above 0"},
                 {"0.0000000001", "multiples"},
                 {"1e-10", "multiples"},
                 {"1.0000000001", "multiples"},
                 {"1e99", "10 digits"},
                 {"99999999999", "10 digits"},
                 {"18446744074", "10 digits"},
                 {"99999999999999999999", "10 digits"},
                 {"1e400", "exponent"}};
    char sentence[sizeof((struct ek_error *)NULL)->sentence];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(weight_of(cases[i].text, sentence), 0, "%s", cases[i].text);
        cr_expect(strstr(sentence, cases[i].part), "%s: %s", cases[i].text, sentence);
    }
}

// A set of objects on processor 0, with their lists.
static struct core_object_set set;
static struct core_object_list held, parcel;
static uint32_t next[16], place[16];

// Makes a set of objects with these weights; `foreign` objects are away from home.
static void begin(const char *const weights[], unsigned foreign)
{
    char sentence[sizeof((struct ek_error *)NULL)->sentence];
    struct ek_error error = {0};
    struct base_cursor spec = base_cursor_start("objects", "test", &error);
    set = (struct core_object_set){0};
    held = parcel = (struct core_object_list){.head = CORE_NO_OBJECT};
    for (unsigned i = 0; weights[i]; i++) {
        struct core_object object = {
            .weight = weight_of(weights[i], sentence), .bytes = 1, .home = (foreign >> i & 1) ? 7 : 0};
        cr_assert(core_object_add(&set, object));
    }
    cr_assert(core_object_set_finish(&set, &spec, 0), "%s", error.sentence);
    for (uint32_t i = set.count; i-- > 0;) {
        core_objects_prepend(&held, next, i, set.object[i].weight);
        place[i] = 0;
    }
}

// Chooses objects, and compares their lines, as in "0,3". The rest must stay in its order.
static void expect_chosen(struct core_object_request request, const char *expected)
{
    char lines[64] = "";
    bool chosen[16] = {false};
    uint64_t before = held.weight;
    request.place = place;
    core_objects_choose(&set, &request, &held, next, &parcel);
    for (uint32_t i = parcel.head; i != CORE_NO_OBJECT; i = next[i]) {
        chosen[set.object[i].line] = true;
    }
    for (unsigned line = 0; line < set.count; line++) {
        if (chosen[line]) {
            snprintf(lines + strlen(lines), sizeof lines - strlen(lines), "%s%u", *lines ? "," : "", line);
        }
    }
    cr_expect_str_eq(lines, expected);
    cr_expect_eq(held.weight + parcel.weight, before);
    core_objects_receive(&held, next, &parcel); // back again
    cr_expect_eq(parcel.head, CORE_NO_OBJECT);
    cr_expect_eq(held.count, set.count);
    uint32_t index = 0;
    for (uint32_t i = held.head; i != CORE_NO_OBJECT; i = next[i]) {
        cr_expect_eq(i, index++, "the list is sorted");
    }
    cr_expect_eq(index, set.count);
}

Test(objects, the_unit_is_as_large_as_it_can_be)
{
    begin((const char *const[]){"300", "2000", NULL}, 0);
    cr_expect_eq(set.decimals, 0);
    cr_expect_eq(set.total, 2300);
    cr_expect_eq(set.object[0].line, 1, "the heaviest object is first");
    cr_expect_eq(set.of_line[0], 1);
    core_object_set_destroy(&set);
    begin((const char *const[]){"0.1", "0.25", "3", NULL}, 0);
    cr_expect_eq(set.decimals, 2);
    cr_expect_eq(set.total, 335);
    cr_expect_eq(core_object_load(&set, set.total), 3.35);
    core_object_set_destroy(&set);
}

Test(objects, choices)
{
    enum { ALL = 1000000 };
    begin((const char *const[]){"5", "4", "3", "3", "1", NULL}, 1 << 3 | 1 << 4);
    struct core_object_request request = {.amount = 8.0, .below = ALL};
    expect_chosen(request, "0,2");
    request.amount = 2.9;
    expect_chosen(request, "4");
    request.amount = 0.9;
    expect_chosen(request, "");
    request.amount = 100.0;
    expect_chosen(request, "0,1,2,3,4");
    request.below = 4; // only lighter objects go
    expect_chosen(request, "2,3,4");
    request.below = 0;
    expect_chosen(request, "");
    request = (struct core_object_request){.choose = CORE_CHOOSE_FOREIGN, .amount = 8.0, .below = ALL};
    expect_chosen(request, "1,3,4");
    core_object_set_destroy(&set);
    begin((const char *const[]){"5", "4", "4", NULL}, 0);
    request = (struct core_object_request){.choose = CORE_CHOOSE_NEAREST, .amount = 7.0, .below = ALL};
    expect_chosen(request, "0"); // 5 and 9 are as near to 7, so it stays at 5
    request.amount = 7.5;
    expect_chosen(request, "0,1"); // of the lightest, the lower line
    request.amount = 2.5;
    expect_chosen(request, "1");
    request.amount = 2.0;
    expect_chosen(request, "");
    core_object_set_destroy(&set);
}

// An object that crossed a link in this step stays.
Test(objects, one_link_in_a_step)
{
    static const uint64_t crossed[] = {9, 8, 0};
    begin((const char *const[]){"3", "2", "1", NULL}, 0);
    expect_chosen((struct core_object_request){.amount = 6.0, .below = 100, .crossed = crossed, .now = 9}, "1,2");
    core_object_set_destroy(&set);
}

// Line 2 exchanges most with the receiver by its weight, then 0. Line 1 exchanges with an object that stays here.
Test(objects, communicating)
{
    static const struct core_object_pair pairs[] = {{0, 3, 60.0}, {1, 0, 500.0}, {2, 3, 50.0}};
    struct ek_error error;
    struct base_cursor spec = base_cursor_start("objects", "test", &error);
    double score[16];
    begin((const char *const[]){"3", "4", "2", "1", NULL}, 0);
    core_object_set_destroy(&set);
    set = (struct core_object_set){0};
    for (unsigned i = 0; i < 4; i++) {
        static const uint64_t weight[] = {3, 4, 2, 1};
        cr_assert(core_object_add(&set, (struct core_object){.weight = 1000000000 * weight[i], .bytes = 1}));
    }
    for (unsigned k = 0; k < 3; k++) {
        cr_assert(core_object_pair_add(&set, pairs[k]));
    }
    cr_assert(core_object_set_finish(&set, &spec, 0));
    place[set.of_line[3]] = 5;
    cr_expect_float_eq(core_object_edge_cut(&set, place), 110.0, 0.0);
    struct core_object_request request = {
        .choose = CORE_CHOOSE_COMMUNICATING, .amount = 2.5, .below = 100, .receiver = 5, .score = score};
    expect_chosen(request, "2");
    request.amount = 5.0;
    expect_chosen(request, "0,2");
    request.amount = 6.5;
    expect_chosen(request, "0,2,3");
    core_object_set_destroy(&set);
}

static bool draw(const char *text, const double *placed, uint32_t processors, struct ek_error *error)
{
    struct core_object_source source;
    struct base_cursor spec = base_cursor_start("objects", text, error);
    set = (struct core_object_set){0};
    return core_object_source_parse(&source, text, error) &&
           core_objects_draw(&set, &source, placed, processors, &spec);
}

Test(objects, cells_of_a_mesh)
{
    struct ek_error error = {0};
    static const double placed[] = {4.0, 2.0};
    cr_assert(draw("mesh:3x2", placed, 2, &error), "%s", error.sentence);
    cr_expect_eq(set.count, 6);
    cr_expect_eq(set.pairs, 7, "two rows of 2 links, and 3 between the rows");
    cr_expect_eq(set.total, 6);
    uint32_t at[6];
    for (uint32_t i = 0; i < 6; i++) {
        at[i] = set.object[i].place;
    }
    // Cells 0 1 2 3 lie on the first processor and 4 5 on the second: the links 1-4, 2-5 and 3-4 are cut.
    cr_expect_float_eq(core_object_edge_cut(&set, at), 3.0, 0.0);
    core_object_set_destroy(&set);
}

Test(objects, drawn_weights)
{
    struct ek_error error = {0};
    static const double placed[] = {0.0, 300.0};
    cr_assert(draw("weights:uniform:2:4", placed, 2, &error), "%s", error.sentence);
    uint64_t first = set.total;
    cr_expect_eq(set.count, 300);
    cr_expect(set.object[0].weight == 4 && set.object[299].weight == 2 && set.object[0].place == 1);
    cr_expect(first > 800 && first < 1000, "%llu", (unsigned long long)first);
    core_object_set_destroy(&set);
    cr_assert(draw("weights:uniform:2:4@1", placed, 2, &error));
    cr_expect_eq(set.total, first, "1 is the default of the seed");
    core_object_set_destroy(&set);
    cr_assert(draw("weights:uniform:2:4@2", placed, 2, &error));
    cr_expect_neq(set.total, first);
    core_object_set_destroy(&set);
}
