// SPDX-License-Identifier: MIT
// The words of reports and pages that are neither methods nor options nor values.
#ifndef CLI_LINE_GLOSSARY_H
#define CLI_LINE_GLOSSARY_H

#include <stddef.h>

struct cli_term {
    const char *word;
    const char *meaning;  // one or two sentences
    const char *shown_by; // a command whose report has the word or shows the thing
};

// Returns the term at this index, in the order of the alphabet, or NULL past the last.
const struct cli_term *cli_term_at(size_t index);

// Returns the term with this word, in the singular or in the plural, or NULL.
const struct cli_term *cli_term_find(const char *word);

#endif
