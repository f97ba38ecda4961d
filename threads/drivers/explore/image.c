// SPDX-License-Identifier: MIT
// Images of a run.
#include "threads/drivers/explore/image.h"

#include <stdlib.h>
#include <string.h>

// Returns whether an array decides how the run goes on. `place` is the address of the run's pointer to it.
static bool decides(const struct free_control *control, const void *place)
{
    const struct free_run *run = &control->run;
    const void *const those[] = {&run->processor,
                                 &run->alone,
                                 &run->own_part,
                                 &run->consumed_at_home,
                                 &run->port,
                                 &run->kept_message,
                                 &run->engagement,
                                 &run->delayed,
                                 &run->delayed_message,
                                 &run->snapshot,
                                 &run->state,
                                 &run->memory,
                                 &run->sent,
                                 &run->received,
                                 &run->objects.held,
                                 &run->objects.bytes_sent,
                                 &run->objects.moved,
                                 &run->objects.parcel,
                                 &run->objects.rest,
                                 &run->objects.next,
                                 &run->objects.place,
                                 &run->objects.moves,
                                 &run->objects.way,
                                 &run->objects.bundle,
                                 &run->objects.holder,
                                 &run->objects.known,
                                 &run->worker,
                                 &run->boxes.store[0],
                                 &run->boxes.store[1],
                                 &run->boxes.store[2],
                                 &run->links.tables,
                                 &run->links.outages.down,
                                 &control->faults.faults.down,
                                 &control->faults.faults.repairs,
                                 &control->faults.faults.repairs_left,
                                 &control->attendant.held,
                                 &control->attendant.lightest,
                                 &control->attendant.tried};
    for (size_t i = 0; i < sizeof those / sizeof *those; i++) {
        if (those[i] == place) {
            return true;
        }
    }
    return false;
}

// Calls `copy`, unless NULL, for each such array and its place in the image. Returns the bytes of all these arrays.
static size_t go_through(const struct explore_image *image, void (*copy)(uint8_t *image, uint8_t *array, size_t bytes))
{
    const struct base_arena *plan = &image->of->plan;
    size_t bytes = 0;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct base_array *array = &plan->array[i];
        if (array->block && decides(image->of, array->place)) {
            if (copy) {
                copy(image->bytes + bytes, array->block, array->bytes);
            }
            bytes += array->bytes;
        }
    }
    return bytes;
}

static void take(uint8_t *image, uint8_t *array, size_t bytes)
{
    memcpy(image, array, bytes);
}

static void restore(uint8_t *image, uint8_t *array, size_t bytes)
{
    memcpy(array, image, bytes);
}

size_t explore_image_bytes(struct free_control *control)
{
    return go_through(&(struct explore_image){.of = control}, NULL) + 1;
}

bool explore_image_begin(struct explore_image *image, struct free_control *control)
{
    *image = (struct explore_image){.of = control};
    image->bytes = malloc(explore_image_bytes(control));
    return image->bytes;
}

void explore_image_end(struct explore_image *image)
{
    free(image->bytes);
    image->bytes = NULL;
}

void explore_image_take(struct explore_image *image)
{
    image->control = *image->of;
    go_through(image, take);
}

void explore_image_restore(const struct explore_image *image)
{
    *image->of = image->control;
    go_through(image, restore);
}
