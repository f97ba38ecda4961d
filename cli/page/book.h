// SPDX-License-Identifier: MIT
// The verdicts on the papers' claims as a book: one page of HTML that needs no other file.
#ifndef CLI_PAGE_BOOK_H
#define CLI_PAGE_BOOK_H

#include "lab/papers/verdict.h"
#include "lab/text/memory_stream.h"

// A book in the making: a page of HTML whose chapters are written as the verdicts come, and put together at the end.
struct report_book {
    const struct lab_papers *papers;
    struct lab_stream verdicts, chapters, pictures; // what goes into the table, what comes after it, and of the claim
                                                    // under way
    const struct lab_paper *paper;                  // whose chapter is under way
    size_t of[LAB_VERDICTS];                        // claims, by their verdicts
    bool draws;                                     // there is gnuplot
};

// False and `error` where `file` could not be written.
bool report_book_begin(struct report_book *book, const struct lab_papers *papers, const char *file,
                       struct ek_error *error);

// Draws what there is to draw of a check, for the claim that comes next; its runs are the table `runs` of the store.
bool report_book_draw(struct report_book *book, const struct lab_evidence *evidence, size_t count,
                      struct lab_store *store, struct ek_error *error);
bool report_book_add(struct report_book *book, const struct lab_judgement *judgement, struct ek_error *error);
bool report_book_write(struct report_book *book, const char *file, struct ek_error *error);

// Frees what a book holds; one that was never begun is all zero.
void report_book_end(struct report_book *book);

#endif
