// SPDX-License-Identifier: MIT
// Cleans text from users, files and the system before it is kept or shown. Only printable UTF-8 gets through, so the
// text cannot control a terminal or look like another text.
#ifndef LAB_TEXT_CLEAN_TEXT_H
#define LAB_TEXT_CLEAN_TEXT_H

#include <stdbool.h>
#include <stdio.h>

// Returns whether the text is valid UTF-8: no surrogates, no overlong forms, nothing above U+10FFFF.
bool lab_text_is_utf8(const char *text);

// Replaces each byte of control characters, of characters that change the direction of writing, and of characters that
// cannot be seen by '?'. If the text is not UTF-8, each byte above 127 is replaced too.
void lab_text_clean(char *text);
char *lab_text_clean_copy(const char *text); // to be freed; NULL if memory is short

// Prints a word, quoted for a POSIX shell if necessary. A word with unprintable bytes is printed as $'\ooo'.
void lab_shell_quote(FILE *out, const char *word);

#endif
