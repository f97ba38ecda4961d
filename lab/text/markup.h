// SPDX-License-Identifier: MIT
// Text for HTML and SVG.
#ifndef LAB_TEXT_MARKUP_H
#define LAB_TEXT_MARKUP_H

#include <stdio.h>

// Writes a text with its markup characters escaped; nothing for NULL.
void lab_markup_write(FILE *out, const char *text);

#endif
