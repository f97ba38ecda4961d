// SPDX-License-Identifier: MIT
// Classes of characters: those of ASCII, whatever the locale.
#ifndef BASE_CHARACTERS_H
#define BASE_CHARACTERS_H

#include <stdbool.h>

static inline bool base_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool base_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool base_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool base_is_control(char c)
{
    return (unsigned char)c < ' ' || c == 127;
}

// Returns whether the byte continues a character of UTF-8 that an earlier byte began.
static inline bool base_continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

#endif
