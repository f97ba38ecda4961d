// SPDX-License-Identifier: MIT
// The drawing of a record's topology, as data of a page.
#ifndef CLI_PAGE_PAGE_DRAWING_H
#define CLI_PAGE_PAGE_DRAWING_H

#include <stdio.h>

#include "lab/record/record.h"

// Writes ', "drawing": {...}', the drawing that `evenkeel draw` makes of the topology of the first run. Writes nothing
// if the topology is too large for a page, or if its spec does not make it again, as when a file has changed.
void report_page_drawing(FILE *out, const struct lab_record *record);

#endif
