// SPDX-License-Identifier: MIT
// What a run is between two turns, to come back to it: all that decides how it goes on. Of what is only measured
// (histograms, logs) nothing comes back.
#ifndef THREADS_DRIVERS_EXPLORE_IMAGE_H
#define THREADS_DRIVERS_EXPLORE_IMAGE_H

#include "threads/free/control/control.h"

struct explore_image {
    struct free_control *of;
    struct free_control control;
    uint8_t *bytes; // of the arrays, one behind the other
};

// Room for one of this run, of so many bytes; false without memory.
size_t explore_image_bytes(struct free_control *control);
bool explore_image_begin(struct explore_image *image, struct free_control *control);
void explore_image_end(struct explore_image *image);

void explore_image_take(struct explore_image *image);
void explore_image_restore(const struct explore_image *image);

#endif
