// SPDX-License-Identifier: MIT
// A porter from its creation to its end.
#include "threads/drivers/porters/porter.h"

#include <stdlib.h>

#include "threads/drivers/porters/gather.h"
#include "threads/drivers/porters/meeting.h"
#include "threads/free/over_ranks/ranks_transport.h"

static void plan(struct porter *porter, const struct machine_plan *machine)
{
    struct base_arena *memory = &porter->memory;
    uint64_t ranks = machine->ranks->count;
    free_rank_link_plan(&porter->ranks, machine, porter_pack_words(), memory);
    porter_meeting_plan(porter, ranks, memory);
    porter_gather_plan(porter, ranks, memory);
}

uint64_t porter_bytes(const struct machine_plan *machine)
{
    struct porter porter = {.driver = NULL};
    plan(&porter, machine);
    return sizeof porter + base_arena_bytes(&porter.memory);
}

struct porter *porter_create(const struct machine_plan *machine)
{
    struct porter *porter = calloc(1, sizeof *porter);
    if (!porter) {
        return NULL;
    }
    plan(porter, machine);
    porter->transport = free_ranks_transport(&porter->ranks, porter_gather);
    if (!base_arena_take(&porter->memory)) {
        free(porter);
        return NULL;
    }
    free_rank_link_begin(&porter->ranks);
    porter_meeting_begin(porter, machine->mailbox_capacity);
    return porter;
}

void porter_destroy(struct porter *porter)
{
    if (porter) {
        free_rank_link_end(&porter->ranks);
        base_arena_destroy(&porter->memory);
        free(porter);
    }
}

void porter_begin(struct porter *porter, struct thread_driver *driver)
{
    porter->driver = driver;
    porter->ranks.control = driver->control;
    driver->crowded = true; // the worker may have to share a core with its porter
    driver->starts_clock = false;
}

void porter_work(struct porter *porter)
{
    threads_work(porter->driver, porter->ranks.ranks->rank);
}

// All porters return after the same meeting, because at a meeting each porter waits for all others.
void porter_attend(struct porter *porter)
{
    bool returns = false;
    while (!returns && porter_meet(porter)) {
        returns = porter->attends_elsewhere;
        if (porter->ranks.ranks->rank == 0) {
            porter->driver->interrupted = porter->interrupted;
            threads_attend(porter->driver);
        }
    }
}
