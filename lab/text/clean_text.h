// SPDX-License-Identifier: MIT
// Text that a user, a file or a system gave, before it is kept or shown: only printable UTF-8 gets through, so nothing
// in it can act on a terminal.
#ifndef LAB_TEXT_CLEAN_TEXT_H
#define LAB_TEXT_CLEAN_TEXT_H

#include <stdbool.h>
#include <stdio.h>

// Whether it is UTF-8 (no surrogates, nothing longer than it needs to be, nothing beyond U+10FFFF).
bool lab_text_is_utf8(const char *text);

// Replaces control characters (those of ASCII, and U+0080 to U+009F) and, where the text is not UTF-8, all bytes above
// 127, each by a '?'.
void lab_text_clean(char *text);
char *lab_text_clean_copy(const char *text); // to be freed; NULL without memory

// Prints a word as a POSIX shell would have to read it; bytes that are not printable as $'\ooo'.
void lab_shell_quote(FILE *out, const char *word);

#endif
