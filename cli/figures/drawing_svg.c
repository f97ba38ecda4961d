// SPDX-License-Identifier: MIT
// Colours are classes of a style sheet, which has a second set for viewers with a dark background. The marks of the
// legend are rectangles: each circle is a processor, and each path a link.
#include "cli/figures/drawing_svg.h"

#include <inttypes.h>
#include <math.h>

#include "cli/figures/drawing_colours.h"
#include "cli/terminal/text.h"
#include "lab/text/markup.h"
#include "topologies/topology.h"

// In pixels.
static const double PAD = 20.0, WIDTH_MIN = 440.0, HEAD = 62.0, LEGEND_LINE = 22.0, ENTRY = 46.0;

enum {
    ENTRIES = 24, // link colours in the legend
    LABELS = 48,  // most links that are labelled with their colour
    STOPS = 8     // of the legend's scale of loads
};

struct page {
    FILE *out;
    const struct report_drawing *drawing;
    const struct report_drawing_texts *texts;
    double width, height;
    struct ek_place origin; // of the drawing
    double legend;          // the top of the legend
    unsigned columns;       // of link colours in the legend
    uint32_t entries;
    double low, high; // the loads
};

static void write_styles(const struct page *page)
{
    static const char *const SETS[] = {
        ".ground{fill:#ffffff}.ink{fill:#1a1f24}.soft{fill:#57606a}.processor{fill:#eef1f4;stroke:#1a1f24}"
        ".halo{stroke:#ffffff}\n",
        ".ground{fill:#14181d}.ink{fill:#e6edf3}.soft{fill:#9aa5b1}.processor{fill:#2a323c;stroke:#c9d1d9}"
        ".halo{stroke:#14181d}\n"};
    fputs("<style>\ntext{font-family:sans-serif}.links{fill:none}.halo{stroke-width:3;paint-order:stroke}"
          ".number{text-anchor:middle}\n",
          page->out);
    for (unsigned dark = 0; dark < 2; dark++) {
        fputs(dark ? "@media (prefers-color-scheme:dark){\n" : "", page->out);
        fputs(SETS[dark], page->out);
        for (uint32_t c = 0; c < page->drawing->colours; c++) {
            struct report_colour colour = report_drawing_colour(c, page->drawing->colours, dark);
            fprintf(page->out, ".c%" PRIu32 "{stroke:%s}", c, colour.of);
            fprintf(page->out, c < page->entries ? ".e%" PRIu32 "{fill:%s}\n" : "\n", c, colour.of);
        }
        fputs(dark ? "}\n" : "", page->out);
    }
    fputs("</style>\n", page->out);
}

static void write_head(const struct page *page)
{
    const struct report_drawing_texts *texts = page->texts;
    fprintf(page->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" role=\"img\" "
            "aria-labelledby=\"title desc\">\n<title id=\"title\">",
            page->width, page->height, page->width, page->height);
    lab_markup_write(page->out, texts->title);
    fputs("</title>\n<desc id=\"desc\">", page->out);
    lab_markup_write(page->out, texts->facts);
    fputs(". Circles are processors with their numbers; lines are links. Links of one colour meet at no processor.",
          page->out);
    if (page->drawing->hosts < page->drawing->processors) {
        fputs(" Squares are switches.", page->out);
    }
    if (texts->load) {
        fputs(" The darker a processor, the higher its load: ", page->out);
        lab_markup_write(page->out, texts->of_load);
        fputc('.', page->out);
    }
    fputs("</desc>\n", page->out);
    write_styles(page);
    fprintf(page->out, "<rect class=\"ground\" width=\"%g\" height=\"%g\"/>\n", page->width, page->height);
    fprintf(page->out, "<text class=\"ink\" x=\"%g\" y=\"30\" font-size=\"17\" font-weight=\"bold\">", PAD);
    // A bold letter is about 10 pixels wide.
    size_t room = (size_t)((page->width - 2.0 * PAD) / 10.0);
    struct cli_line title = {0};
    bool fits = cli_text_width(texts->title) <= room;
    cli_line_add(&title, "%.*s%s", fits ? 2000 : (int)room - 1, texts->title, fits ? "" : "...");
    lab_markup_write(page->out, title.of);
    fprintf(page->out, "</text>\n<text class=\"soft\" x=\"%g\" y=\"49\" font-size=\"12\">", PAD);
    lab_markup_write(page->out, texts->facts);
    fputs("</text>\n", page->out);
}

// Writes the links of a colour as one group.
static void write_colour(const struct page *page, uint32_t colour, uint32_t count)
{
    const struct report_drawing *drawing = page->drawing;
    fprintf(page->out, "<g class=\"c%" PRIu32 "\"><title>Colour %" PRIu32 ": %s</title>\n", colour, colour,
            cli_text_plural(count, "link").of);
    for (uint32_t link = 0; link < drawing->links; link++) {
        if (drawing->line[link].colour == colour) {
            fputs("<path d=\"", page->out);
            report_drawing_path(page->out, drawing, &drawing->line[link]);
            fputs("\"/>\n", page->out);
        }
    }
    fputs("</g>\n", page->out);
}

static uint32_t links_of(const struct report_drawing *drawing, uint32_t colour)
{
    uint32_t count = 0;
    for (uint32_t link = 0; link < drawing->links; link++) {
        count += drawing->line[link].colour == colour;
    }
    return count;
}

static void write_links(const struct page *page)
{
    const struct report_drawing *drawing = page->drawing;
    double wide = fmin(0.4 + 0.1 * drawing->radius, 2.0);
    fprintf(page->out, "<g class=\"links\" stroke-width=\"%g\">\n", report_drawing_round(wide));
    for (uint32_t colour = 0; colour < drawing->colours; colour++) {
        write_colour(page, colour, links_of(drawing, colour));
    }
    fputs("</g>\n", page->out);
    if (drawing->links <= LABELS && drawing->colours > 1) { // the colours are visible without colour, as in print
        fputs("<g class=\"soft halo number\" font-size=\"9\">\n", page->out);
        for (uint32_t link = 0; link < drawing->links; link++) {
            struct ek_place at = report_drawing_middle(drawing, &drawing->line[link]);
            fprintf(page->out, "<text x=\"%g\" y=\"%g\">%" PRIu32 "</text>\n", report_drawing_round(at.x),
                    report_drawing_round(at.y + 3.0), drawing->line[link].colour);
        }
        fputs("</g>\n", page->out);
    }
}

static double part_of(const struct page *page, double load)
{
    return page->high > page->low ? (load - page->low) / (page->high - page->low) : 0.5;
}

// Writes a processor as a circle, or a switch as a square.
static void write_processor(const struct page *page, uint32_t p)
{
    const struct report_drawing *drawing = page->drawing;
    bool host = p < drawing->hosts;
    double x = drawing->at[p].x;
    double y = drawing->at[p].y;
    double radius = drawing->radius;
    if (host) {
        fprintf(page->out, "<circle cx=\"%g\" cy=\"%g\" r=\"%g\"", report_drawing_round(x), report_drawing_round(y),
                report_drawing_round(radius));
    } else {
        fprintf(page->out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"", report_drawing_round(x - radius),
                report_drawing_round(y - radius), report_drawing_round(2.0 * radius),
                report_drawing_round(2.0 * radius));
    }
    if (page->texts->load) {
        fprintf(page->out, " style=\"fill:%s\"", report_drawing_shade(part_of(page, page->texts->load[p])).of);
    }
    fprintf(page->out, "><title>%s %" PRIu32, host ? "Processor" : "Switch", p);
    if (page->texts->load) {
        fprintf(page->out, ": %s", cli_text_amount(page->texts->load[p]).of);
    }
    fprintf(page->out, "</title></%s>\n", host ? "circle" : "rect");
}

static void write_numbers(const struct page *page)
{
    static const double SMALLEST = 5.5, LARGEST = 12.0, LETTER = 0.62; // of the font's size: the width of a digit
    const struct report_drawing *drawing = page->drawing;
    int digits = snprintf(NULL, 0, "%" PRIu32, drawing->processors - 1);
    double size = fmin(LARGEST, 1.75 * drawing->radius / (LETTER * fmax(digits, 1.5)));
    if (size < SMALLEST) {
        return; // the numbers are in the processors' titles only
    }
    fprintf(page->out, "<g class=\"ink number\" font-size=\"%g\">\n", report_drawing_round(size));
    for (uint32_t p = 0; p < drawing->processors; p++) {
        fprintf(page->out, "<text x=\"%g\" y=\"%g\"", report_drawing_round(drawing->at[p].x),
                report_drawing_round(drawing->at[p].y + 0.36 * size));
        if (page->texts->load) {
            bool dark = report_drawing_is_dark(part_of(page, page->texts->load[p]));
            fprintf(page->out, " style=\"fill:%s\"", dark ? "#ffffff" : "#000000");
        }
        fprintf(page->out, ">%" PRIu32 "</text>\n", p);
    }
    fputs("</g>\n", page->out);
}

static void write_processors(const struct page *page)
{
    double wide = fmin(0.3 + 0.07 * page->drawing->radius, 1.4);
    fprintf(page->out, "<g class=\"processor\" stroke-width=\"%g\">\n", report_drawing_round(wide));
    for (uint32_t p = 0; p < page->drawing->processors; p++) {
        write_processor(page, p);
    }
    fputs("</g>\n", page->out);
    write_numbers(page);
}

// Writes the legend of the link colours. Returns the place below it.
static double write_colour_legend(const struct page *page)
{
    double y = page->legend;
    fprintf(page->out,
            "<text class=\"soft\" x=\"%g\" y=\"%g\" font-size=\"12\">link colours, in the order of dimension "
            "exchange</text>\n",
            PAD, y);
    for (uint32_t c = 0; c < page->entries; c++) {
        double x = PAD + c % page->columns * ENTRY;
        y += c % page->columns == 0 ? LEGEND_LINE : 0.0;
        fprintf(page->out,
                "<rect class=\"e%" PRIu32 "\" x=\"%g\" y=\"%g\" width=\"18\" height=\"4\"/><text class=\"ink\" "
                "x=\"%g\" y=\"%g\" font-size=\"12\">%" PRIu32 "</text>\n",
                c, x, y - 6.0, x + 22.0, y, c);
    }
    if (page->entries < page->drawing->colours) {
        y += LEGEND_LINE;
        fprintf(page->out, "<text class=\"soft\" x=\"%g\" y=\"%g\" font-size=\"12\">and so on to %" PRIu32 "</text>\n",
                PAD, y, page->drawing->colours - 1);
    }
    return y + LEGEND_LINE;
}

static void write_load_legend(const struct page *page, double y)
{
    fprintf(page->out, "<text class=\"soft\" x=\"%g\" y=\"%g\" font-size=\"12\">", PAD, y);
    lab_markup_write(page->out, page->texts->of_load);
    fputs("</text>\n", page->out);
    static const double STEP = 18.0;
    y += LEGEND_LINE;
    struct cli_text low = cli_text_amount(page->low);
    double x = PAD + 8.0 * (double)cli_text_width(low.of) + 6.0;
    fprintf(page->out, "<text class=\"ink\" x=\"%g\" y=\"%g\" font-size=\"12\">%s</text>\n", PAD, y, low.of);
    for (unsigned i = 0; i < STOPS; i++) {
        fprintf(page->out, "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"10\" style=\"fill:%s\"/>\n", x + STEP * i,
                y - 9.0, STEP, report_drawing_shade(i / (STOPS - 1.0)).of);
    }
    fprintf(page->out, "<text class=\"ink\" x=\"%g\" y=\"%g\" font-size=\"12\">%s</text>\n", x + STEP * STOPS + 6.0, y,
            cli_text_amount(page->high).of);
}

// Finds the size of the whole, and the places of its parts.
static void arrange(struct page *page)
{
    const struct report_drawing *drawing = page->drawing;
    page->width = ceil(fmax(drawing->width, WIDTH_MIN) + 2.0 * PAD);
    page->origin = (struct ek_place){floor((page->width - drawing->width) / 2.0), HEAD};
    page->entries = drawing->colours < ENTRIES ? drawing->colours : ENTRIES;
    page->columns = (unsigned)((page->width - 2.0 * PAD) / ENTRY);
    page->legend = ceil(HEAD + drawing->height + LEGEND_LINE);
    uint32_t lines = page->entries > 0 ? 2 + (page->entries - 1) / page->columns : 0;
    lines += page->entries < drawing->colours;
    lines += page->texts->load ? 2 : 0;
    page->height = page->legend + LEGEND_LINE * (lines > 0 ? lines - 1 : 0) + PAD - LEGEND_LINE * (lines == 0);
    page->low = INFINITY;
    page->high = -INFINITY;
    for (uint32_t p = 0; page->texts->load && p < drawing->processors; p++) {
        page->low = fmin(page->low, page->texts->load[p]);
        page->high = fmax(page->high, page->texts->load[p]);
    }
}

void report_drawing_svg(FILE *out, const struct report_drawing *drawing, const struct report_drawing_texts *texts)
{
    struct page page = {.out = out, .drawing = drawing, .texts = texts};
    arrange(&page);
    write_head(&page);
    fprintf(out, "<g transform=\"translate(%g %g)\">\n", page.origin.x, page.origin.y);
    write_links(&page);
    write_processors(&page);
    fputs("</g>\n", out);
    double below = page.entries > 0 ? write_colour_legend(&page) : page.legend;
    if (texts->load) {
        write_load_legend(&page, below);
    }
    fputs("</svg>\n", out);
}
