// SPDX-License-Identifier: MIT
// What a run is between two turns, to come back to it: all that decides how it goes on. Of what is only measured
// (histograms, logs) nothing comes back.
#ifndef ASYNC_IMAGE_H
#define ASYNC_IMAGE_H

#include "threads/async/state.h"

struct async_image {
    struct async_run *of;
    struct async_run run;
    uint8_t *bytes; // of the arrays, one behind the other
};

// Room for one of this run, of so many bytes; false without memory.
size_t async_image_bytes(struct async_run *run);
bool async_image_begin(struct async_image *image, struct async_run *run);
void async_image_end(struct async_image *image);

void async_image_take(struct async_image *image);
void async_image_restore(const struct async_image *image);

#endif
