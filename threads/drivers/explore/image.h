// SPDX-License-Identifier: MIT
// An *image* is a copy of a run's state between two turns, to return to it. It contains all that decides how the run
// goes on, but no measurements (histograms, logs).
#ifndef THREADS_DRIVERS_EXPLORE_IMAGE_H
#define THREADS_DRIVERS_EXPLORE_IMAGE_H

#include "threads/free/control/control.h"

struct explore_image {
    struct free_control *of;
    struct free_control control;
    uint8_t *bytes; // copies of the arrays, one after the other
};

// The first function returns the bytes of memory that an image takes. The second one allocates an image and returns
// false if there is no memory. The third one frees it.
size_t explore_image_bytes(struct free_control *control);
bool explore_image_begin(struct explore_image *image, struct free_control *control);
void explore_image_end(struct explore_image *image);

void explore_image_take(struct explore_image *image);
void explore_image_restore(const struct explore_image *image);

#endif
