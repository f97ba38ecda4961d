// SPDX-License-Identifier: MIT
#include "cli/page/page_drawing.h"

#include "cli/figures/drawing.h"
#include "cli/figures/drawing_colours.h"
#include "cli/terminal/read_file.h"
#include "threads/api/report.h"
#include "topologies/topology.h"

// A larger drawing would be most of the page.
enum { PROCESSORS_MAX = 1024, LINKS_MAX = 4096 };

static void write_colours(FILE *out, const char *name, const struct report_drawing *drawing, bool dark)
{
    fprintf(out, ", \"%s\": [", name);
    for (uint32_t c = 0; c < drawing->colours; c++) {
        fprintf(out, "%s\"%s\"", c > 0 ? ", " : "", report_drawing_colour(c, drawing->colours, dark).of);
    }
    fputc(']', out);
}

static void write_drawing(FILE *out, const struct report_drawing *drawing)
{
    fprintf(out, ",\n\"drawing\": {\"width\": %g, \"height\": %g, \"radius\": %g, \"hosts\": %u, \"at\": [",
            report_drawing_round(drawing->width), report_drawing_round(drawing->height),
            report_drawing_round(drawing->radius), drawing->hosts);
    for (uint32_t p = 0; p < drawing->processors; p++) {
        fprintf(out, "%s[%g, %g]", p > 0 ? ", " : "", report_drawing_round(drawing->at[p].x),
                report_drawing_round(drawing->at[p].y));
    }
    fputs("], \"lines\": [", out);
    for (uint32_t link = 0; link < drawing->links; link++) {
        fputs(link > 0 ? ", [\"" : "[\"", out);
        report_drawing_path(out, drawing, &drawing->line[link]);
        fprintf(out, "\", %u]", drawing->line[link].colour);
    }
    fputc(']', out);
    write_colours(out, "light", drawing, false);
    write_colours(out, "dark", drawing, true);
    fputc('}', out);
}

void report_page_drawing(FILE *out, const struct lab_record *record)
{
    const struct lab_topology *of = &record->topology;
    if (of->processors > PROCESSORS_MAX || of->links > LINKS_MAX || record->count == 0) {
        return;
    }
    struct ek_error ignored;
    struct ek_topology *topology = ek_topology_create(of->spec, record->runs[0].seed, cli_reader(), &ignored);
    bool same = topology && topology->processors == of->processors && topology->links == of->links &&
                topology->colours == of->colours && topology->diameter == of->diameter;
    struct report_drawing drawing = {0};
    if (same && report_drawing_make(&drawing, topology, &ignored)) {
        write_drawing(out, &drawing);
    }
    report_drawing_destroy(&drawing);
    ek_topology_destroy(topology);
}
