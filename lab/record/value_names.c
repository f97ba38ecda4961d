// SPDX-License-Identifier: MIT
#include "lab/record/value_names.h"

#include <stdio.h>
#include <string.h>

#include "core/method.h"
#include "threads/api/axis.h"

enum { NAMES_MAX = 256, NAME_SIZE = 40 };

size_t lab_name_length(const char *text)
{
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
    bool letter = *text >= 'a' && *text <= 'z';
    return letter && (!text[length] || strchr(":(@,{}[^|", text[length])) ? length : 0;
}

static bool same_name(const char *text, const char *form)
{
    size_t length = lab_name_length(text);
    return length > 0 && length == lab_name_length(form) && strncmp(text, form, length) == 0;
}

static bool is_method(const struct ek_axis *axis)
{
    return strcmp(axis->option, "method") == 0;
}

// Returns the form of value `index`, as ring:K, or a method's name. NULL past the last.
static const char *form_at(const struct ek_axis *axis, size_t index)
{
    static const char *const switches[] = {"true", "false", NULL};
    if (axis->kind == EK_AXIS_SWITCH) {
        return switches[index];
    }
    if (is_method(axis)) {
        return ek_method_at(index) ? ek_method_at(index)->name : NULL;
    }
    const struct ek_choice *choice = ek_axis_choice(axis, index);
    return choice ? choice->form : NULL;
}

bool lab_name_begins(const struct ek_axis *axis, const char *text)
{
    text += *text == '{';
    for (size_t i = 0; form_at(axis, i); i++) {
        if (same_name(text, form_at(axis, i))) {
            return true;
        }
    }
    return false;
}

// Returns the next part of a form with several parts, each of which may come first; NULL after the last.
static const char *next_part(const char *form)
{
    const char *comma = strchr(form, ',');
    return comma ? comma + 1 : NULL;
}

// Returns the index of the form that a value has, or one past the last.
static size_t find_form(const struct ek_axis *axis, const char *text)
{
    for (size_t i = 0;; i++) {
        const char *form = form_at(axis, i);
        for (const char *part = form; part; part = next_part(part)) {
            if (same_name(text, part)) {
                return i;
            }
        }
        if (!form) {
            return i;
        }
    }
}

bool lab_name_may_continue(const struct ek_axis *axis, const char *text)
{
    size_t index = find_form(axis, text);
    const char *form = form_at(axis, index);
    if (form && is_method(axis)) {
        const char *parameter = ek_method_at(index)->texts->parameter;
        return parameter && strchr(parameter, ',');
    }
    bool names = false; // a name follows a comma; in list:V,V a number does
    for (const char *part = form ? next_part(form) : NULL; part; part = next_part(part)) {
        names = names || lab_name_length(part) > 0;
    }
    return names || (form && same_name(form, "file:"));
}

// ek_nearest calls name_at with an index alone.
static char names[NAMES_MAX + 1][NAME_SIZE];

static const char *name_at(size_t index)
{
    return *names[index] ? names[index] : NULL;
}

static void list_names(const struct ek_axis *axis)
{
    size_t count = 0;
    for (size_t i = 0; form_at(axis, i); i++) {
        for (const char *part = form_at(axis, i); part && count < NAMES_MAX; part = next_part(part)) {
            snprintf(names[count], NAME_SIZE, "%.*s", (int)lab_name_length(part), part);
            count += *names[count] != '\0';
        }
    }
    *names[count] = '\0';
}

bool lab_name_known(const struct ek_axis *axis, const char *text, const char **near)
{
    size_t length = lab_name_length(text);
    *near = NULL;
    if (length == 0 || !form_at(axis, 0) || form_at(axis, find_form(axis, text))) {
        return true;
    }
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    list_names(axis);
    *near = ek_nearest(name, name_at);
    return false;
}
