// SPDX-License-Identifier: MIT
#include "base/nearest.h"

#include <assert.h>
#include <string.h>

#include "base/characters.h"

enum {
    NAME_MAX_COMPARED = 63, // longer names are near none
    CUT_LEAST = 3           // a word of so many letters matches the names that begin with it
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Returns whether two characters are equal, upper and lower case alike.
static bool alike(char a, char b)
{
    return a == b || (base_is_letter(a) && base_is_letter(b) && (a | ' ') == (b | ' '));
}

// Returns the edit distance of two words. Two letters that have changed places count as one edit (Damerau 1964).
static size_t distance(const char *a, const char *b)
{
    size_t row[3][NAME_MAX_COMPARED + 1] = {{0}};
    size_t width = strlen(b);
    assert(width <= NAME_MAX_COMPARED);
    for (size_t j = 0; j <= width; j++) {
        row[0][j] = j;
    }
    size_t i = 0;
    for (; a[i]; i++) {
        const size_t *last = row[i % 3];
        const size_t *before = row[(i + 2) % 3];
        size_t *now = row[(i + 1) % 3];
        now[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            now[j + 1] = least(last[j] + !alike(a[i], b[j]), least(last[j + 1], now[j]) + 1);
            if (i > 0 && j > 0 && alike(a[i], b[j - 1]) && alike(a[i - 1], b[j])) {
                now[j + 1] = least(now[j + 1], before[j - 1] + 1);
            }
        }
    }
    return row[i % 3][width];
}

const char *base_nearest(const char *word, struct base_names names)
{
    const char *nearest = NULL;
    size_t length = strlen(word);
    size_t best = length > NAME_MAX_COMPARED ? 0 : 2 * (1 + (length + 1) / 3); // a third of the word may be wrong
    const char *name;
    for (size_t i = 0; (name = names.at(names.list, i)) != NULL; i++) {
        if (strlen(name) > NAME_MAX_COMPARED) {
            continue;
        }
        // Leaving out the end of a name counts as one edit. Of two names with equally many edits, the name that begins
        // with the word is nearer.
        bool begins = strncmp(word, name, length) == 0;
        size_t edits = begins && length >= CUT_LEAST ? 1 : distance(word, name);
        size_t away = 2 * edits + !begins;
        if (away < best) {
            best = away;
            nearest = name;
        }
    }
    return nearest;
}
