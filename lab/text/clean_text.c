// SPDX-License-Identifier: MIT
#include "lab/text/clean_text.h"

#include <string.h>

// Returns the length in bytes of the UTF-8 character that begins at `byte` (RFC 3629), or 0 if none begins there. The 0
// that ends the text is never part of a character.
static size_t character_length(const unsigned char *byte)
{
    if (byte[0] < 0x80) {
        return 1;
    }
    size_t length = byte[0] >= 0xC2 && byte[0] <= 0xDF   ? 2
                    : byte[0] >= 0xE0 && byte[0] <= 0xEF ? 3
                    : byte[0] >= 0xF0 && byte[0] <= 0xF4 ? 4
                                                         : 0;
    for (size_t i = 1; i < length; i++) {
        if ((byte[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (byte[0] == 0xE0 && byte[1] < 0xA0) || (byte[0] == 0xF0 && byte[1] < 0x90);
    bool surrogate = byte[0] == 0xED && byte[1] > 0x9F;
    bool beyond = byte[0] == 0xF4 && byte[1] > 0x8F;
    return overlong || surrogate || beyond ? 0 : length;
}

bool lab_text_is_utf8(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    size_t length = 1;
    for (; *byte && length > 0; byte += length) {
        length = character_length(byte);
    }
    return length > 0;
}

void lab_text_clean(char *text)
{
    bool valid = lab_text_is_utf8(text);
    for (unsigned char *byte = (unsigned char *)text; *byte; byte++) {
        if (*byte < 0x20 || *byte == 0x7F || (*byte >= 0x80 && !valid)) {
            *byte = '?';
        } else if (byte[0] == 0xC2 && byte[1] < 0xA0) { // a C1 control character takes two bytes
            *byte++ = '?';
            *byte = '?';
        }
    }
}

char *lab_text_clean_copy(const char *text)
{
    char *copy = strdup(text);
    if (copy) {
        lab_text_clean(copy);
    }
    return copy;
}

void lab_shell_quote(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
    if (*word && !word[strspn(word, plain)]) {
        fputs(word, out);
        return;
    }
    bool printable = lab_text_is_utf8(word);
    for (const char *c = word; *c; c++) {
        printable = printable && (unsigned char)*c >= 0x20 && *c != 0x7F;
    }
    fputs(printable ? "'" : "$'", out);
    for (const char *c = word; *c; c++) {
        if (printable && *c == '\'') {
            fputs("'\\''", out);
        } else if (!printable && ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7F || *c == '\'' || *c == '\\')) {
            fprintf(out, "\\%03o", (unsigned)(unsigned char)*c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('\'', out);
}
