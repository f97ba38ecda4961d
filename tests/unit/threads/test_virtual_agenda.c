// SPDX-License-Identifier: MIT
// The agenda of virtual time, against a list of times that is searched from one end to the other.
#include <criterion/criterion.h>

#include <stdlib.h>

#include "base/random.h"
#include "threads/drivers/virtual/agenda.h"

enum { PLACES_MAX = 4200, WINDOWS = 60, EVERY_NTH = 7 };

// An agenda, and the same times without a tree.
struct fixture {
    struct virtual_agenda agenda;
    struct base_arena memory;
    struct base_random random;
    uint64_t next[PLACES_MAX], ended[PLACES_MAX];
    uint64_t until;
    unsigned visits;
    uint32_t last_place;
};

static struct fixture *create(uint32_t count, uint64_t seed)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    fixture->random = base_random_start(seed, count, BASE_STREAM_LOAD);
    virtual_agenda_plan(&fixture->agenda, count, &fixture->memory);
    cr_assert(base_arena_take(&fixture->memory));
    virtual_agenda_begin(&fixture->agenda);
    return fixture;
}

static void destroy(struct fixture *fixture)
{
    base_arena_destroy(&fixture->memory);
    free(fixture);
}

static uint32_t count_of(const struct fixture *fixture)
{
    return fixture->agenda.count[0];
}

static uint64_t first_of(const struct fixture *fixture)
{
    uint64_t first = VIRTUAL_NEVER;
    for (uint32_t place = 0; place < count_of(fixture); place++) {
        first = fixture->next[place] < first ? fixture->next[place] : first;
    }
    return first;
}

static void expect_equal(const struct fixture *fixture)
{
    cr_assert_eq(virtual_agenda_first(&fixture->agenda), first_of(fixture));
    for (uint32_t place = 0; place < count_of(fixture); place++) {
        cr_assert_eq(fixture->agenda.leaf[place].next, fixture->next[place], "%u", place);
    }
}

// Wakes a processor in both.
static void wake(struct fixture *fixture, uint32_t place, uint64_t time)
{
    virtual_agenda_wake(&fixture->agenda, place, time);
    time = time > fixture->ended[place] ? time : fixture->ended[place];
    fixture->next[place] = time < fixture->next[place] ? time : fixture->next[place];
}

// A turn: it must be due. The next one begins soon, late or never, and some other processor wakes after the window.
static void visit(void *context, uint32_t place)
{
    struct fixture *fixture = context;
    struct virtual_leaf *leaf = &fixture->agenda.leaf[place];
    cr_assert_lt(place, count_of(fixture));
    cr_assert_eq(leaf->next, fixture->next[place]);
    cr_assert_lt(leaf->next, fixture->until);
    fixture->visits++;
    fixture->last_place = place;
    leaf->ended = fixture->ended[place] = leaf->next + 1 + base_random_below(&fixture->random, 9);
    uint64_t sleep = base_random_below(&fixture->random, 200);
    leaf->next = fixture->next[place] =
        base_random_below(&fixture->random, 3) > 0 ? VIRTUAL_NEVER : leaf->ended + sleep;
    if (fixture->until < VIRTUAL_NEVER) {
        uint32_t other = (uint32_t)base_random_below(&fixture->random, count_of(fixture));
        wake(fixture, other, fixture->until + base_random_below(&fixture->random, 50));
    }
}

static const uint32_t counts[] = {1, 2, 63, 64, 65, 128, 4095, 4096, 4097, 4200};

Test(agenda, has_as_many_nodes_as_leaves_need)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct fixture *fixture = create(counts[i], 1);
        unsigned top = counts[i] <= 64 ? 1 : counts[i] <= 4096 ? 2 : 3;
        cr_expect_eq(fixture->agenda.top, top, "%u", counts[i]);
        cr_expect_eq(fixture->agenda.count[top], 1);
        cr_expect_eq(fixture->agenda.count[1], (counts[i] + 63) / 64);
        expect_equal(fixture);
        destroy(fixture);
    }
}

Test(agenda, visits_every_turn_before_the_end_of_a_window)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct fixture *fixture = create(counts[i], 2);
        for (unsigned window = 0; window < WINDOWS && first_of(fixture) < VIRTUAL_NEVER; window++) {
            fixture->until = first_of(fixture) + 1 + base_random_below(&fixture->random, 30);
            fixture->visits = 0;
            virtual_agenda_walk(&fixture->agenda, fixture->until, visit, fixture);
            cr_assert_gt(fixture->visits, 0);
            cr_assert_geq(first_of(fixture), fixture->until);
            expect_equal(fixture);
            virtual_agenda_walk(&fixture->agenda, fixture->until, visit, fixture); // now there is none
            expect_equal(fixture);
        }
        destroy(fixture);
    }
}

Test(agenda, makes_one_turn_of_the_earliest_processor)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct fixture *fixture = create(counts[i], 3);
        fixture->until = VIRTUAL_NEVER;
        for (unsigned turn = 0; turn < 2 * counts[i] && first_of(fixture) < VIRTUAL_NEVER; turn++) {
            uint64_t first = first_of(fixture);
            uint32_t wanted = 0;
            while (fixture->next[wanted] != first) {
                wanted++;
            }
            fixture->visits = 0;
            virtual_agenda_step(&fixture->agenda, visit, fixture);
            cr_assert_eq(fixture->visits, 1);
            cr_assert_eq(fixture->last_place, wanted);
            cr_assert_eq(virtual_agenda_first(&fixture->agenda), first_of(fixture));
        }
        expect_equal(fixture);
        destroy(fixture);
    }
}

Test(agenda, a_processor_wakes_when_its_turn_has_ended_at_the_earliest)
{
    struct fixture *fixture = create(200, 4);
    fixture->until = 1;
    virtual_agenda_walk(&fixture->agenda, 1, visit, fixture);
    for (uint32_t place = 0; place < 200; place += EVERY_NTH) {
        wake(fixture, place, 0);
        cr_expect_leq(fixture->agenda.leaf[place].next, fixture->next[place]);
        cr_expect_geq(fixture->agenda.leaf[place].next, fixture->ended[place]);
        expect_equal(fixture);
    }
    destroy(fixture);
}
