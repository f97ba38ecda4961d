// SPDX-License-Identifier: MIT
// Explains a word: a method, an option, a value of an option, or a word of the glossary.
#ifndef CLI_LINE_LOOKUP_H
#define CLI_LINE_LOOKUP_H

#include "cli/line/command.h"
#include "cli/terminal/text.h"

struct ek_method;

// Prints the page of a method; or the glossary's meaning of the word, the page of an option, or all options that have
// the word as a value. Notes a command that shows what the word means. Returns false with `error` filled if the word is
// none of these.
bool cli_word_explain(const struct cli_call *call, const char *word, struct ek_error *error);

// Returns the axis that a word names, in the singular or the plural ("methods", "topologies"), or NULL.
const struct ek_axis *cli_word_axis(const char *word);

// Prints a method's page.
void cli_method_explain(const struct ek_method *method);

// Returns the form of a method in a spec: "ade", "gde:L", "ded(X)".
struct cli_text cli_method_form(const struct ek_method *method);

#endif
