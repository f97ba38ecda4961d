// SPDX-License-Identifier: MIT
// The verdicts on the papers' claims as a book: one page of HTML that needs no other file.
#ifndef CLI_PAGE_BOOK_H
#define CLI_PAGE_BOOK_H

#include "cli/figures/look.h"
#include "lab/papers/verdict.h"
#include "lab/text/memory_stream.h"

// A book in the making. Its parts are written to memory as the verdicts arrive, and joined at the end.
struct report_book {
    const struct lab_papers *papers;
    struct lab_stream verdicts, chapters; // the lines of the table, and what follows it
    struct lab_stream pictures;           // of the claim under way
    const struct lab_paper *paper;        // of the chapter under way
    size_t of[LAB_VERDICTS];              // number of claims with each verdict
    bool draws;                           // gnuplot is installed
    struct report_look look;              // of the pictures
};

// Begins a book. Returns false with `error` filled if `file` could not be written, or if the options of its pictures
// cannot be read.
bool report_book_begin(struct report_book *book, const struct lab_papers *papers, const char *file,
                       const struct cli_picture *picture, struct ek_error *error);

// Draws the pictures of a check of the claim that report_book_add adds next. The check's runs are the table `runs` of
// the store.
bool report_book_draw(struct report_book *book, const struct lab_evidence *evidence, size_t count,
                      struct lab_store *store, struct ek_error *error);
// Adds a claim with its verdict.
bool report_book_add(struct report_book *book, const struct lab_judgement *judgement, struct ek_error *error);

// Joins the parts and writes the page.
bool report_book_write(struct report_book *book, const char *file, struct ek_error *error);

// Frees a book. A book that is all zero is ignored.
void report_book_end(struct report_book *book);

#endif
