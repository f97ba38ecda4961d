// SPDX-License-Identifier: MIT
// A page of HTML that shows records and measurements of contention, and needs no other file.
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include <stdio.h>

#include "lab/record/record.h"
#include "lab/record/timeline.h"
#include "lab/studies/contention.h"

struct report_page {
    struct report_page_item {
        char *file;
        bool drawn;  // the first with its topology, which the page draws
        size_t rows; // of the longest trace, before rows were dropped
        struct lab_record record;
        struct lab_timeline timeline; // empty if the file is no recording
    } * items;
    size_t count;
    struct report_page_contention {
        char *file;
        struct lab_contention measured;
    } * contentions;
    size_t contentions_count;
};

// Takes over a record and its time line, which can be NULL, and drops what does not fit on a page. Returns false with
// `error` filled if memory is short; the record and the time line are destroyed then.
bool report_page_add(struct report_page *page, const char *file, struct lab_record *record,
                     struct lab_timeline *timeline, struct ek_error *error);

// Takes over a measurement of contention in the same way.
bool report_page_add_contention(struct report_page *page, const char *file, struct lab_contention *measured,
                                struct ek_error *error);
void report_page_destroy(struct report_page *page);

// Writes the page. Returns false if memory is short. Errors of writing stay with the stream.
bool report_page_write(FILE *out, const struct report_page *page);

// Returns whether the command was built with uPlot, which draws the page's charts.
bool report_page_has_charts(void);

#endif
