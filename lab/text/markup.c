// SPDX-License-Identifier: MIT
#include "lab/text/markup.h"

void lab_markup_write(FILE *out, const char *text)
{
    for (; text && *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}
