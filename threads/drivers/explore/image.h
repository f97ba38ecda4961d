// SPDX-License-Identifier: MIT
// What a run is between two turns, to come back to it: all that decides how it goes on. Of what is only measured
// (histograms, logs) nothing comes back.
#ifndef THREADS_DRIVERS_EXPLORE_IMAGE_H
#define THREADS_DRIVERS_EXPLORE_IMAGE_H

#include "threads/free/control/control.h"

struct free_image {
    struct free_control *of;
    struct free_control control;
    uint8_t *bytes; // of the arrays, one behind the other
};

// Room for one of this run, of so many bytes; false without memory.
size_t free_image_bytes(struct free_control *control);
bool free_image_begin(struct free_image *image, struct free_control *control);
void free_image_end(struct free_image *image);

void free_image_take(struct free_image *image);
void free_image_restore(const struct free_image *image);

#endif
