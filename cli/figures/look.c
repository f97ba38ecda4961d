// SPDX-License-Identifier: MIT
#include "cli/figures/look.h"

#include <float.h>
#include <string.h>

#include "base/cursor.h"
#include "lab/text/clean_text.h"

// The limits of each side in inches.
static const double SIDE_LEAST = 1.0, SIDE_MOST = 20.0;

// Takes a unit, and gives how many of it an inch has. Returns false without an error if there is none.
static bool take_unit(struct base_cursor *cursor, double *per_inch, bool *pixels)
{
    static const struct {
        const char *name;
        double per_inch;
    } units[] = {{"mm", 25.4}, {"cm", 2.54}, {"in", 1.0}, {"px", 96.0}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i].name);
        if (strncmp(cursor->text + cursor->at, units[i].name, length) == 0) {
            cursor->at += length;
            *per_inch = units[i].per_inch;
            *pixels = strcmp(units[i].name, "px") == 0;
            return true;
        }
    }
    return false;
}

// Takes one side, as in "84mm", and gives it in inches.
static bool take_side(struct base_cursor *cursor, const char *what, double *inches, bool *pixels)
{
    const size_t start = cursor->at;
    double number, per_inch;
    if (!base_cursor_real(cursor, what, 0.0, DBL_MAX, &number)) {
        return false;
    }
    if (!take_unit(cursor, &per_inch, pixels)) {
        return base_cursor_fail(cursor, cursor->at, "%s needs a unit after the number: mm, cm, in or px", what);
    }
    *inches = number / per_inch;
    return (*inches >= SIDE_LEAST * (1.0 - DBL_EPSILON) && *inches <= SIDE_MOST * (1.0 + DBL_EPSILON)) ||
           base_cursor_fail(cursor, start, "%s must be from 25.4mm to 508mm, which is 1in to 20in or 96px to 1920px",
                            what);
}

static bool read_size(const char *text, struct report_look *look, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("size", text, error);
    bool wide = false, high = false;
    bool good = take_side(&cursor, "the width", &look->width_in, &wide) &&
                base_cursor_expect(&cursor, 'x', "the width, as in 84mmx60mm") &&
                take_side(&cursor, "the height", &look->height_in, &high) && base_cursor_end(&cursor);
    look->in_pixels = wide && high;
    return good;
}

static bool read_ticks(const char *text, bool swept, struct report_look *look, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("x-ticks", text, error);
    if (strcmp(text, "swept") == 0) {
        look->ticks = REPORT_TICKS_SWEPT;
        return swept || base_cursor_fail(&cursor, 0,
                                         "--x-ticks swept is for pictures of --x; the x of this picture is no swept "
                                         "value: give numbers, as in 0,50,100");
    }
    look->ticks = REPORT_TICKS_LISTED;
    do {
        if (look->ticks_count == REPORT_TICKS_MAX) {
            return base_cursor_fail(&cursor, cursor.at, "--x-ticks takes at most %d numbers", (int)REPORT_TICKS_MAX);
        }
        if (!base_cursor_real(&cursor, "a mark of --x-ticks", -DBL_MAX, DBL_MAX, &look->tick[look->ticks_count])) {
            return false;
        }
        look->ticks_count++;
    } while (base_cursor_accept(&cursor, ','));
    return base_cursor_end(&cursor);
}

static bool read_title(const char *text, struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start("title", text, error);
    if (strlen(text) > REPORT_TITLE_MAX) {
        return base_cursor_fail(&cursor, REPORT_TITLE_MAX, "a title has at most %d bytes: shorten it here",
                                (int)REPORT_TITLE_MAX);
    }
    return lab_text_is_utf8(text) || base_cursor_fail(&cursor, 0, "a title must be UTF-8");
}

bool report_look_read(const struct cli_picture *picture, bool swept, struct report_look *look, struct ek_error *error)
{
    *look = (struct report_look){.title = picture->title  ? picture->title
                                          : picture->size ? ""
                                                          : NULL,
                                 .legend = picture->legend,
                                 .style = picture->style};
    return (!picture->size || read_size(picture->size, look, error)) &&
           (!picture->title || read_title(picture->title, error)) &&
           (!picture->x_ticks || read_ticks(picture->x_ticks, swept, look, error));
}

const char *report_look_given(const struct cli_picture *picture)
{
    return picture->size      ? "size"
           : picture->title   ? "title"
           : picture->x_ticks ? "x-ticks"
           : picture->legend  ? "legend"
           : picture->style   ? "style"
                              : NULL;
}

struct report_paint report_paint_of(enum cli_picture_style style)
{
    static const struct report_paint paints[] = {
        [CLI_STYLE_PAPER] = {"#ffffff", "#000000", "#d8d8d8", "#707070", 1.0, 1.0, 0.22},
        [CLI_STYLE_SLIDES] = {"#ffffff", "#000000", "#d8d8d8", "#707070", 1.5, 1.6, 0.22},
        [CLI_STYLE_DARK] = {"#14171c", "#f2f2f2", "#3c424c", "#a8a8a8", 1.0, 1.0, 0.3}};
    return paints[style];
}

// Okabe and Ito's colours, which the colour-blind can distinguish, without yellow, which is invisible on white paper.
// The first four differ most in grey. On a dark background black becomes white, and dark colours become lighter.
static const char *const light[REPORT_STYLES] = {"#0072b2", "#e69f00", "#000000", "#009e73",
                                                 "#cc79a7", "#56b4e9", "#d55e00"};
static const char *const dark[REPORT_STYLES] = {"#56b4e9", "#e69f00", "#ffffff", "#009e73",
                                                "#cc79a7", "#f0e442", "#e8703a"};
static const char *const dashes[REPORT_STYLES] = {"1",     "(14,5)",        "(6,4)", "(14,4,3,4)",
                                                  "(3,3)", "(9,3,3,3,3,3)", "(22,7)"};
static const int points[REPORT_STYLES] = {7, 5, 9, 11, 13, 4, 6};

// A colour that is used again gets another dash, so 49 series differ.
struct report_style report_figure_style(size_t index, enum cli_picture_style style)
{
    const size_t at = index % REPORT_STYLES;
    return (struct report_style){.colour = style == CLI_STYLE_DARK ? dark[at] : light[at],
                                 .dash = dashes[(index + index / REPORT_STYLES) % REPORT_STYLES],
                                 .point = points[at],
                                 .size = 1.1 - 0.09 * (double)at,
                                 .width = 2.8 - 0.2 * (double)at};
}
