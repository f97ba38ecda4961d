// SPDX-License-Identifier: MIT
// Experiments in files. The library inih parses them.
#include "lab/sweep/experiment_file.h"

#include <ctype.h>
#include <ini.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/record/record.h"
#include "lab/text/clean_text.h"
#include "threads/api/experiment.h"

static const char ALONE[] = "experiment"; // the name of an experiment outside of any section

enum { LINE_MAX_BYTES = 190 }; // inih has room for 199 and cuts longer lines silently

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the experiments: give fewer");
}

// Returns the names of the options in a file: the axes, then runs and zip. NULL past the last.
static const char *option_name(size_t index)
{
    const struct ek_axis *axis = ek_axis_at(index);
    return axis ? axis->option : ek_axis_at(index - 1) ? "runs" : ek_axis_at(index - 2) ? "zip" : NULL;
}

// Returns the index of an option among these names, or one past the last.
static size_t index_of(const char *option)
{
    size_t i = 0;
    while (option_name(i) && strcmp(option_name(i), option) != 0) {
        i++;
    }
    return i;
}

// Returns where a section keeps an option, or NULL.
static char **place_of(struct lab_section *section, const char *option)
{
    size_t i = index_of(option);
    if (!option_name(i)) {
        return NULL;
    }
    return ek_axis_at(i) ? &section->given[i] : strcmp(option, "runs") == 0 ? &section->runs : &section->zip;
}

const char *lab_section_text(const struct lab_section *section, const char *option)
{
    struct lab_section copy = *section; // place_of returns a place to write to
    char **place = place_of(&copy, option);
    return place ? *place : NULL;
}

size_t lab_section_line(const struct lab_section *section, const char *option)
{
    size_t i = index_of(option);
    return option_name(i) ? section->line[i] : section->begun;
}

// Sets an option from a line of a file.
static bool set(struct lab_section *section, const char *option, const char *text, size_t line, struct ek_error *error)
{
    char **place = place_of(section, option);
    if (!place) {
        const char *near = ek_nearest(option, option_name);
        return base_refuse(error, "there is no option '%.40s'%s%s: write the name of an axis, runs or zip", option,
                           near ? ", the nearest is " : "", near ? near : "");
    }
    char *copy = strdup(text);
    free(*place);
    *place = copy;
    section->line[index_of(option)] = line;
    return copy || no_memory(error);
}

bool lab_section_set(struct lab_section *section, const char *option, const char *text, struct ek_error *error)
{
    return set(section, option, text, 0, error);
}

bool lab_section_change(struct lab_section *section, const char *option, const char *text, struct ek_error *error)
{
    return set(section, option, text, lab_section_line(section, option), error);
}

struct lab_experiment_spec lab_section_spec(const struct lab_section *section)
{
    struct lab_experiment_spec spec = {0};
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        spec.text[i] = section->given[i];
    }
    return spec;
}

void lab_section_destroy(struct lab_section *section)
{
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        free(section->given[i]);
    }
    free(section->name);
    free(section->runs);
    free(section->zip);
}

void lab_experiment_file_destroy(struct lab_experiment_file *file)
{
    for (size_t i = 0; i < file->count; i++) {
        lab_section_destroy(&file->section[i]);
    }
    free(file->section);
    *file = (struct lab_experiment_file){0};
}

// Adds a section that has nothing but its name.
static struct lab_section *add_section(struct lab_experiment_file *file, const char *name, struct ek_error *error)
{
    struct lab_section *larger = realloc(file->section, (file->count + 1) * sizeof *larger);
    if (!larger) {
        no_memory(error);
        return NULL;
    }
    file->section = larger;
    struct lab_section *section = &file->section[file->count++];
    *section = (struct lab_section){.name = lab_text_clean_copy(name)};
    return section->name || no_memory(error) ? section : NULL;
}

bool lab_experiment_file_begin(struct lab_experiment_file *file, struct ek_error *error)
{
    *file = (struct lab_experiment_file){0};
    if (add_section(file, ALONE, error)) {
        return true;
    }
    lab_experiment_file_destroy(file);
    return false;
}

struct reading {
    const char *text; // the rest of the text
    size_t line;      // the last line that was read
    bool indented;    // that line begins with a blank
    size_t head;      // the line of the last [section], 0 before the first
    bool empty;       // that section is still empty
    struct lab_experiment_file *file;
    struct lab_section global;
    char *section_name; // the name of the current section
    char *last;         // the last option, which an indented line continues
    struct ek_error *error;
    size_t failed; // the line with an error, or 0
};

// Refuses an empty section, which inih would skip silently.
static bool check_bare(struct reading *reading)
{
    if (reading->empty && !reading->failed) {
        reading->failed = reading->head;
        base_refuse(reading->error, "this section is empty: write an option, as in seed = 1, or delete the section");
    }
    return !reading->failed;
}

static bool begin_head(struct reading *reading)
{
    bool good = check_bare(reading);
    free(reading->last);
    reading->last = NULL;
    reading->head = reading->line;
    reading->empty = true;
    return good;
}

// Returns the length of a line without its comment, which begins with a ; or # at the line's start or after a blank.
// Most builds of inih do not recognise a # after a value.
static size_t uncommented_length(const char *line)
{
    size_t i = 0;
    while (line[i] && !(strchr(";#", line[i]) && (i == 0 || isspace((unsigned char)line[i - 1])))) {
        i++;
    }
    return i;
}

// Returns the next line for inih, which reports neither line numbers nor indentation. NULL past the last line or after
// an error.
static char *next_line(char *to, int room, void *context)
{
    struct reading *reading = context;
    if (!*reading->text || reading->failed) {
        return NULL;
    }
    size_t length = strcspn(reading->text, "\n");
    snprintf(to, (size_t)room, "%.*s", (int)length, reading->text);
    reading->text += length + (reading->text[length] == '\n');
    to[uncommented_length(to)] = '\0';
    reading->line++;
    reading->indented = isspace((unsigned char)*to);
    bool continues = reading->indented && reading->last;
    bool head = to[strspn(to, " \t")] == '[' && !continues;
    return !head || begin_head(reading) ? to : NULL;
}

// Begins a section with the options of [global].
static bool begin_section(struct reading *reading, const char *name)
{
    struct lab_experiment_file *file = reading->file;
    if (file->count == LAB_SECTIONS_MAX) {
        return base_refuse(reading->error, "there are more than %d sections: divide the file", LAB_SECTIONS_MAX);
    }
    struct lab_section *section = add_section(file, name, reading->error);
    if (!section) {
        return false;
    }
    section->begun = reading->line;
    bool good = true;
    for (size_t i = 0; good && option_name(i); i++) {
        const char *text = lab_section_text(&reading->global, option_name(i));
        good = !text || set(section, option_name(i), text, reading->global.line[i], reading->error);
    }
    return good;
}

// Replaces a name by a copy of another.
static bool remember(char **place, const char *name, struct ek_error *error)
{
    free(*place);
    *place = strdup(name);
    return *place || no_memory(error);
}

// Sets an option from a line. An indented line continues the list of the line before.
static bool set_line(struct reading *reading, struct lab_section *section, const char *name, const char *text)
{
    bool continues = reading->indented && reading->last && strcmp(reading->last, name) == 0;
    size_t first = place_of(section, name) ? lab_section_line(section, name) : 0;
    if (!continues && first > reading->head) {
        return base_refuse(reading->error, "%s is given twice, first in line %zu: remove one, or write one list", name,
                           first);
    }
    if (!continues) {
        return remember(&reading->last, name, reading->error) &&
               set(section, name, text, reading->line, reading->error);
    }
    char option[32];
    snprintf(option, sizeof option, "%.*s", (int)strcspn(text, " \t=:"), text);
    if (strchr(text, '=') && place_of(section, option)) {
        return base_refuse(reading->error,
                           "%s is indented, which continues the list of %s: begin the line without spaces", option,
                           name);
    }
    const char *before = *place_of(section, name);
    size_t length = strlen(before) + strlen(text) + 2;
    char *both = malloc(length);
    if (!both) {
        return no_memory(reading->error);
    }
    bool comma = *before && before[strlen(before) - 1] == ',';
    snprintf(both, length, "%s%s%s", before, comma ? "" : ",", text);
    bool good = set(section, name, both, lab_section_line(section, name), reading->error);
    free(both);
    return good;
}

static int take_line(void *context, const char *section_name, const char *name, const char *text)
{
    struct reading *reading = context;
    bool good = true;
    bool global = !*section_name || strcmp(section_name, "global") == 0;
    if (reading->empty || !reading->section_name || strcmp(reading->section_name, section_name) != 0) {
        reading->empty = false;
        good = remember(&reading->section_name, section_name, reading->error) &&
               (global || begin_section(reading, section_name));
    }
    struct lab_section *section = global ? &reading->global : &reading->file->section[reading->file->count - 1];
    good = good && (*text || base_refuse(reading->error, "%.40s has no value: write one after the =", name)) &&
           set_line(reading, section, name, text);
    reading->failed = good ? 0 : reading->line;
    return 1;
}

// Refuses a list that ends in a comma and does not continue.
static bool check_ends(const struct lab_experiment_file *file, struct ek_error *error)
{
    for (size_t i = 0; i < file->count; i++) {
        for (size_t a = 0; ek_axis_at(a); a++) {
            const char *text = file->section[i].given[a];
            if (text && text[strlen(text) - 1] == ',') {
                return base_refuse(error, "line %zu: the list of %s ends in a comma: indent the line that continues it",
                                   file->section[i].line[a], ek_axis_at(a)->option);
            }
        }
    }
    return true;
}

// Returns the number of the first line that is too long, or 0.
static size_t long_line(const char *text, size_t length)
{
    size_t line = 1;
    for (size_t at = 0; at < length; line++) {
        const char *end = memchr(text + at, '\n', length - at);
        size_t bytes = end ? (size_t)(end - text) - at : length - at;
        if (bytes > LINE_MAX_BYTES) {
            return line;
        }
        at += bytes + 1;
    }
    return 0;
}

// Adds the line to an error.
static bool add_line_to(struct ek_error *error, size_t line)
{
    struct ek_error inner = *error;
    return base_refuse(error, "line %zu: %.500s", line, inner.sentence);
}

static bool read_lines(struct reading *reading, const char *text, struct ek_error *error)
{
    reading->text = text;
    int line = ini_parse_stream(next_line, reading, take_line, reading);
    if (line != 0) {
        return base_refuse(error, "line %d is neither [a section] nor name = values: correct it", line);
    }
    if (!check_bare(reading)) {
        return add_line_to(error, reading->failed);
    }
    bool alone = reading->section_name && !*reading->section_name; // options alone need no section
    if (reading->file->count == 0 && !alone) {
        return base_refuse(error, "there is no experiment: write [a name], and below it options, as in seed = 1..20");
    }
    return (reading->file->count > 0 || begin_section(reading, ALONE)) && check_ends(reading->file, error);
}

bool lab_experiment_file_read(struct lab_experiment_file *file, const char *text, size_t length, struct ek_error *error)
{
    *file = (struct lab_experiment_file){0};
    if (memchr(text, '\0', length) || !lab_text_is_utf8(text)) {
        return base_refuse(error, "this is not text in UTF-8: save the file as UTF-8");
    }
    size_t longest = long_line(text, length);
    if (longest > 0) {
        return base_refuse(error, "line %zu is longer than %d characters: continue the list on indented lines", longest,
                           LINE_MAX_BYTES);
    }
    struct reading reading = {.file = file, .error = error};
    bool good = read_lines(&reading, text, error);
    lab_section_destroy(&reading.global);
    free(reading.section_name);
    free(reading.last);
    if (!good) {
        lab_experiment_file_destroy(file);
    }
    return good;
}

// Returns how much of a list fits on one line: it ends after a comma, unless it is the rest. The next line must not
// begin like a comment.
static size_t part_length(const char *text, size_t room)
{
    size_t length = strlen(text);
    if (length <= room) {
        return length;
    }
    length = room;
    while (length > 0 && (text[length - 1] != ',' || strchr(" ;#", text[length]))) {
        length--;
    }
    return length;
}

static bool write_line(FILE *out, const char *name, const char *text, struct ek_error *error)
{
    bool plain = lab_text_is_utf8(text) && !text[uncommented_length(text)] && !isspace((unsigned char)text[0]) &&
                 !isspace((unsigned char)text[strlen(text) - 1]) && !text[strcspn(text, "\r\n")];
    size_t room = LINE_MAX_BYTES - strlen(name) - strlen(" = ");
    fprintf(out, "%s = ", name);
    while (plain && *text) {
        size_t length = part_length(text, room);
        if (length == 0) {
            break;
        }
        fprintf(out, "%.*s\n%s", (int)length, text, text[length] ? "  " : "");
        text += length;
    }
    return (plain && !*text) ||
           base_refuse(error, "the value of %s cannot be written in a file: it %s", name,
                       plain ? "is too long" : "contains a line break, ' ;' or ' #', or begins or ends with a space");
}

bool lab_experiment_file_write(FILE *out, const struct lab_experiment_file *file, struct ek_error *error)
{
    bool good = true;
    for (size_t s = 0; good && s < file->count; s++) {
        const struct lab_section *section = &file->section[s];
        fprintf(out, "%s[%s]\n", s > 0 ? "\n" : "", section->name);
        bool empty = true;
        for (size_t i = 0; good && option_name(i); i++) {
            const char *text = lab_section_text(section, option_name(i));
            empty = empty && !text;
            good = !text || write_line(out, option_name(i), text, error);
        }
        if (empty) { // an empty section would be skipped
            fprintf(out, "seed = %s\n", ek_axis_named("seed")->initial);
        }
    }
    return good;
}

void lab_section_write(FILE *out, const struct lab_section *section)
{
    for (size_t i = 0; option_name(i); i++) {
        const char *text = lab_section_text(section, option_name(i));
        bool is_switch = ek_axis_at(i) && ek_axis_at(i)->kind == EK_AXIS_SWITCH;
        if (text && is_switch) {
            fprintf(out, strcmp(text, "true") == 0 ? " --%s" : " --%s=", option_name(i));
            if (strcmp(text, "true") != 0) {
                lab_shell_quote(out, text);
            }
        } else if (text) {
            fprintf(out, " --%s ", option_name(i));
            lab_shell_quote(out, text);
        }
    }
}

// Writes the seeds that --runs selects, from the given seed on.
static bool write_seeds(char *seeds, size_t size, const char *seed, const char *runs, struct ek_error *error)
{
    const struct ek_axis *axis = ek_axis_named("seed");
    struct ek_experiment first, count;
    struct ek_error wrong;
    if (!ek_axis_set(axis, &count, runs, &wrong) || count.seed < 1 || count.seed > LAB_VALUES_MAX) {
        return base_refuse_text(error, "runs", runs, 0, "--runs takes a whole number from 1 to %d", LAB_VALUES_MAX);
    }
    if (!ek_axis_set(axis, &first, seed, &wrong)) {
        return base_refuse_text(error, "seed", seed, 0,
                                "--runs needs a single seed: remove --runs, or the list of seeds");
    }
    snprintf(seeds, size, "%" PRIu64 "..%" PRIu64, first.seed, first.seed + count.seed - 1);
    return true;
}

bool lab_section_grid(const struct lab_section *section, struct lab_grid *grid, struct ek_error *error)
{
    const char *given[EK_AXES_MAX];
    char seeds[64];
    for (size_t i = 0; i < EK_AXES_MAX; i++) {
        given[i] = section->given[i];
    }
    if (section->runs) {
        size_t axis = lab_axis_index("seed");
        const char *seed = given[axis] ? given[axis] : ek_axis_at(axis)->initial;
        if (!write_seeds(seeds, sizeof seeds, seed, section->runs, error)) {
            return false;
        }
        given[axis] = seeds;
    }
    return lab_grid_read(grid, given, section->zip, error);
}
