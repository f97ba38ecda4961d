// SPDX-License-Identifier: MIT
// What a word means, whatever it is: a method, an option, or a value of one.
#ifndef CLI_LINE_LOOKUP_H
#define CLI_LINE_LOOKUP_H

#include "threads/api/run.h"

// Prints what it means: a method's page, an option's, or all options of which it is a value. False and `error` where
// nothing is called so.
bool cli_word_explain(const char *word, struct ek_error *error);

// The axis that a word names, in the singular or the plural ("methods", "topologies"); NULL where none does.
const struct ek_axis *cli_word_axis(const char *word);

// A method's page.
void cli_method_explain(const struct ek_method *method);

#endif
