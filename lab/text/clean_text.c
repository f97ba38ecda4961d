// SPDX-License-Identifier: MIT
#include "lab/text/clean_text.h"

#include <stdint.h>
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

// Returns whether the character that begins at `byte` is a control character, or changes the order of the characters
// around it, or cannot be seen. With such characters a name could be shown as another name.
static bool is_hidden(const unsigned char *byte, size_t length)
{
    static const uint32_t ranges[][2] = {{0, 0x1F},          {0x7F, 0x9F},      {0xAD, 0xAD},     {0x34F, 0x34F},
                                         {0x61C, 0x61C},     {0x115F, 0x1160},  {0x17B4, 0x17B5}, {0x180B, 0x180F},
                                         {0x200B, 0x200F},   {0x2028, 0x202E},  {0x2060, 0x206F}, {0x3164, 0x3164},
                                         {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},  {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3},
                                         {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
    uint32_t code = length == 1 ? *byte : *byte & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        code = code << 6 | (byte[i] & 0x3Fu);
    }
    size_t i = 0;
    while (i < sizeof ranges / sizeof *ranges && code > ranges[i][1]) {
        i++;
    }
    return i < sizeof ranges / sizeof *ranges && code >= ranges[i][0];
}

void lab_text_clean(char *text)
{
    bool valid = lab_text_is_utf8(text);
    size_t length = 1;
    for (unsigned char *byte = (unsigned char *)text; *byte; byte += length) {
        length = valid ? character_length(byte) : 1;
        if (is_hidden(byte, length) || (*byte >= 0x80 && !valid)) {
            memset(byte, '?', length);
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
    size_t length = 1;
    for (const unsigned char *c = (const unsigned char *)word; printable && *c; c += length) {
        length = character_length(c);
        printable = !is_hidden(c, length);
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
