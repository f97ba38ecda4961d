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
        size_t rows; // of the longest trace that it had
        struct lab_record record;
        struct lab_timeline timeline; // empty where there is none
    } * items;
    size_t count;
    struct report_page_contention {
        char *file;
        struct lab_contention measured;
    } * contentions;
    size_t contentions_count;
};

// Takes a record over, and drops what a page does not have of it; and its time line, or NULL. False without memory:
// they are gone all the same.
bool report_page_add(struct report_page *page, const char *file, struct lab_record *record,
                     struct lab_timeline *timeline, struct ek_error *error);

// The same of a measurement.
bool report_page_add_contention(struct report_page *page, const char *file, struct lab_contention *measured,
                                struct ek_error *error);
void report_page_destroy(struct report_page *page);

// False without memory; errors of writing stay with the stream.
bool report_page_write(FILE *out, const struct report_page *page);

// Whether the command was built with what draws the page's charts.
bool report_page_has_charts(void);

#endif
