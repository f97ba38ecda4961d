// SPDX-License-Identifier: MIT
#include "cli/tables/paste.h"

#include <string.h>

enum { COLUMNS_MAX = 16 };

bool report_is_pasted(enum cli_format format)
{
    return format == CLI_MARKDOWN || format == CLI_LATEX;
}

// Returns what stands for a character in a table of LaTeX, or NULL for the character itself. In text fonts of LaTeX, <
// and > are other signs.
static const char *in_latex(char character)
{
    switch (character) {
    case '\\':
        return "\\textbackslash{}";
    case '~':
        return "\\textasciitilde{}";
    case '^':
        return "\\textasciicircum{}";
    case '<':
        return "$<$";
    case '>':
        return "$>$";
    case '|':
        return "$|$";
    case '"':
        return "\\textquotedbl{}";
    case '\n':
        return " ";
    default:
        return NULL;
    }
}

static void write_cell(FILE *out, enum cli_format format, const char *text)
{
    // A backslash makes these characters plain ones.
    const char *special = format == CLI_LATEX ? "{}$&#%_" : "\\`*_|<&~[]$#";
    for (; *text; text++) {
        const char *instead = format == CLI_LATEX ? in_latex(*text) : *text == '\n' ? " " : NULL;
        if (instead) {
            fputs(instead, out);
        } else {
            fprintf(out, "%s%c", strchr(special, *text) ? "\\" : "", *text);
        }
        if (format == CLI_LATEX && text[0] == '-' && text[1] == '-') {
            fputs("{}", out); // two would become a dash
        }
    }
}

void report_paste_line(FILE *out, enum cli_format format, size_t count, const char *const *cells)
{
    if (format == CLI_LATEX && count > 0 && (cells[0][0] == '[' || cells[0][0] == '*')) {
        fputs("{}", out); // after the end of a line these would be its options
    }
    for (size_t i = 0; i < count; i++) {
        fputs(format == CLI_MARKDOWN ? "| " : i > 0 ? " & " : "", out);
        write_cell(out, format, cells[i]);
        fputs(format == CLI_MARKDOWN ? " " : "", out);
    }
    fputs(format == CLI_MARKDOWN ? "|\n" : " \\\\\n", out);
}

void report_paste_head(FILE *out, enum cli_format format, const char *align, const char *const *headings)
{
    const size_t count = strlen(align);
    if (format == CLI_LATEX) {
        fputs("% \\usepackage{booktabs}\n\\begin{tabular}{", out);
        for (size_t i = 0; i < count; i++) {
            fprintf(out, align[i] == 'p' ? "p{0.3\\linewidth}" : "%c", align[i]);
        }
        fputs("}\n\\toprule\n", out);
    }
    report_paste_line(out, format, count, headings);
    if (format == CLI_LATEX) {
        fputs("\\midrule\n", out);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fputs(align[i] == 'r' ? "| ---: " : "| --- ", out);
    }
    fputs("|\n", out);
}

void report_paste_foot(FILE *out, enum cli_format format)
{
    fputs(format == CLI_LATEX ? "\\bottomrule\n\\end{tabular}\n" : "", out);
}

static void write_texts(FILE *out, enum cli_format format, const char *align, const struct cli_text *texts,
                        size_t count)
{
    const char *cells[COLUMNS_MAX];
    for (size_t i = 0; i < count; i++) {
        cells[i] = texts[i].of;
    }
    if (align) {
        report_paste_head(out, format, align, cells);
    } else {
        report_paste_line(out, format, count, cells);
    }
}

void report_paste_columns(FILE *out, enum cli_format format, const struct report_columns *columns)
{
    struct cli_text texts[COLUMNS_MAX];
    char align[COLUMNS_MAX + 1] = "";
    const size_t count = columns->count < COLUMNS_MAX ? (size_t)columns->count : COLUMNS_MAX;
    for (size_t i = 0; i < count; i++) {
        texts[i] = columns->heading(columns->of, (int)i);
        align[i] = (int)i == columns->name ? 'l' : 'r';
    }
    write_texts(out, format, align, texts, count);
    for (size_t line = 0; line < columns->lines; line++) {
        for (size_t i = 0; i < count; i++) {
            texts[i] = columns->cell(columns->of, line, (int)i);
        }
        write_texts(out, format, NULL, texts, count);
    }
    report_paste_foot(out, format);
}

void report_paste_notes(FILE *out, enum cli_format format, const char *text)
{
    text += strspn(text, "\n");
    if (!*text) {
        return;
    }
    fputs(format == CLI_LATEX ? "" : "\n~~~text\n", out);
    while (*text) {
        const size_t length = strcspn(text, "\n");
        fprintf(out, "%s%.*s\n", format == CLI_LATEX ? length > 0 ? "% " : "%" : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
    fputs(format == CLI_LATEX ? "" : "~~~\n", out);
}
