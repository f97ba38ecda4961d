// SPDX-License-Identifier: MIT
// The memory of a run: what is planned is what is said and what is taken, of every engine and every kind of array.
#include <criterion/criterion.h>
#include <malloc.h>
#include <string.h>

#include "core/memory.h"
#include "threads/machine.h"

Test(memory, is_taken_as_planned)
{
    struct core_memory memory = {.count = 0};
    double *loads, *none;
    char *apart;
    core_memory_plan(&memory, &loads, 1000, sizeof *loads);
    core_memory_plan(&memory, &none, 0, sizeof *none);
    core_memory_plan_apart(&memory, &apart, 3, 1);
    cr_expect_null(loads, "nothing is there before it is taken");
    uint64_t bytes = core_memory_bytes(&memory);
    cr_expect(bytes >= 8000 + 3 && bytes <= 8000 + 3 * CORE_MEMORY_APART, "%lu bytes", (unsigned long)bytes);
    cr_assert(core_memory_take(&memory));
    cr_expect_null(none);
    cr_expect_eq((uintptr_t)apart % CORE_MEMORY_APART, 0);
    for (unsigned i = 0; i < 1000; i++) {
        cr_assert_eq(loads[i], 0.0);
    }
    memset(apart, 1, CORE_MEMORY_APART); // the line is its own: AddressSanitizer would see otherwise
    core_memory_destroy(&memory);
    cr_expect(!loads && !apart);
    core_memory_destroy(&memory); // twice is as good as once
}

Test(memory, is_refused_whole)
{
    struct core_memory memory = {.count = 0};
    char *little, *much;
    core_memory_plan(&memory, &little, 100, 1);
    core_memory_plan(&memory, &much, UINT64_MAX / 16, 16);
    cr_expect_geq(core_memory_bytes(&memory), UINT64_MAX / 2);
    cr_expect_not(core_memory_take(&memory));
    cr_expect(!little && !much, "what was taken is given back");
    core_memory_plan(&memory, &much, UINT64_MAX, UINT64_MAX); // no overflow either
    core_memory_plan(&memory, &much, UINT64_MAX, 1);
    cr_expect_eq(core_memory_bytes(&memory), UINT64_MAX);
}

Test(memory, can_be_handed_over)
{
    struct core_memory memory = {.count = 0};
    double *loads;
    core_memory_plan(&memory, &loads, 2, sizeof *loads);
    cr_assert(core_memory_take(&memory));
    loads[1] = 7.0;
    double *kept = core_memory_hand_over(&memory, &loads);
    cr_expect_null(loads);
    core_memory_destroy(&memory);
    cr_expect_eq(kept[1], 7.0, "it outlives the rest");
    free(kept);
    cr_expect_null(core_memory_hand_over(&memory, &kept), "what was not planned");
}

// What a run takes from the allocator, against what its engine says.
static void expect_said_is_taken(const char *what, struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.seed = 1;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s: %s", what, error.sentence);
    double said = (double)machine->engine->bytes(machine);
    struct mallinfo2 before = mallinfo2();
    void *run = machine->engine->create(machine, 0, &error);
    struct mallinfo2 after = mallinfo2();
    cr_assert(run, "%s: %s", what, error.sentence);
    double taken = (double)(after.uordblks - before.uordblks) + (double)(after.hblkhd - before.hblkhd);
    double pages = 8 * 4096; // large arrays come in whole pages
    cr_expect(taken <= 1.01 * said + pages && said <= 1.01 * taken + pages, "%s: %.0f bytes are said and %.0f taken",
              what, said, taken);
    machine->engine->destroy(run);
    ek_machine_destroy(machine);
}

// AddressSanitizer has an allocator of its own, which does not tell.
#ifdef __SANITIZE_ADDRESS__
#define UNTOLD true
#else
#define UNTOLD false
#endif

Test(memory, what_is_said_is_taken, .disabled = UNTOLD)
{
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:100x100", .carrier = "pool:2", .method = "adf"},
        {.topology = "torus:20x20", .method = "ade", .units = "tokens", .keep_loads = true},
        {.topology = "torus:50x50", .carrier = "pool:3", .method = "adf", .mailbox = "spsc"},
        {.topology = "torus:50x50", .carrier = "pool:3", .method = "adf", .mailbox = "wfcq"},
        {.topology = "torus:30x30", .method = "adf", .mailbox = "mutex", .invoke = "below:3"},
        {.topology = "ring:2000", .carrier = "pool:2", .method = "sender:0.1", .delay = "uniform:0:50"},
        {.topology = "ring:2000", .carrier = "pool:2", .method = "sender:0.1", .timing = "turns", .delay = "fixed:9"},
        {.topology = "mesh:30x30", .method = "dde"},
        {.topology = "ring:500", .method = "liquid:c4r"},
        {.topology = "torus:20x20",
         .carrier = "pool:2",
         .method = "matching",
         .capacity = "semi",
         .weighting = "target"},
        {.topology = "torus:30x30",
         .carrier = "pool:2",
         .method = "adf",
         .timing = "turns",
         .delay = "fixed:2",
         .faults = "link:1"},
        {.topology = "torus:30x30", .method = "adf", .timing = "free"},
        {.topology = "torus:100x100", .method = "ade", .timing = "free", .carrier = "pool:2", .no_flows = true},
        {.topology = "star:300", .method = "adf", .timing = "free", .mailbox = "wfcq:9", .keep_links = true},
        {.topology = "torus:30x30",
         .method = "adf",
         .timing = "free",
         .mailbox = "mutex:3",
         .delay = "fixed:1us",
         .faults = "link:1,processor:1"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        char what[32];
        snprintf(what, sizeof what, "experiment %zu", i);
        expect_said_is_taken(what, experiments[i]);
    }
}
