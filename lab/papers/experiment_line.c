// SPDX-License-Identifier: MIT
#include "lab/papers/experiment_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Returns the next word of the line, or NULL at its end. Quotes group characters, as in a shell. The word overwrites
// its part of the line.
static char *next_word(char **at)
{
    char *from = *at + strspn(*at, " ");
    if (*from == '\0') {
        return NULL;
    }
    char *word = from, *to = from;
    char quote = '\0';
    for (; *from && (quote || *from != ' '); from++) {
        if (!quote && (*from == '\'' || *from == '"')) {
            quote = *from;
        } else if (quote && *from == quote) {
            quote = '\0';
        } else {
            *to++ = *from;
        }
    }
    *at = *from ? from + 1 : from;
    *to = '\0';
    return word;
}

static bool read_words(struct lab_section *section, char *line, struct ek_error *error)
{
    for (char *word; (word = next_word(&line));) {
        if (strncmp(word, "--", 2) != 0) {
            return base_refuse(error, "'%.60s' is no option of an experiment: options begin with --", word);
        }
        const char *option = word + 2;
        char *equals = strchr(word, '=');
        if (equals) {
            *equals = '\0';
        }
        const struct ek_axis *axis = ek_axis_named(option);
        bool is_switch = axis && axis->kind == EK_AXIS_SWITCH;
        const char *value = equals ? equals + 1 : is_switch ? "true" : next_word(&line);
        if (!value) {
            return base_refuse(error, "--%.40s has no value", option);
        }
        if (!lab_section_set(section, option, value, error)) {
            return false;
        }
    }
    return true;
}

bool lab_experiment_line_read(struct lab_section *section, const char *line, struct ek_error *error)
{
    *section = (struct lab_section){0};
    char *copy = strdup(line);
    bool good = copy ? read_words(section, copy, error) : base_refuse(error, "there is no memory for an experiment");
    free(copy);
    if (!good) {
        lab_section_destroy(section);
    }
    return good;
}
