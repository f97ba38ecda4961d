// SPDX-License-Identifier: MIT
#include "cli/tables/table_lines.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/terminal/terminal.h"
#include "lab/record/fields.h"
#include "threads/api/report.h"

void report_faint(FILE *out, const struct cli_terminal *terminal, const char *text)
{
    fprintf(out, "%s%s%s", cli_terminal_style(terminal, CLI_FAINT), text, cli_terminal_style(terminal, CLI_PLAIN));
}

void report_label(FILE *out, const struct cli_terminal *terminal, const char *label)
{
    fputs("  ", out);
    report_faint(out, terminal, label);
    fprintf(out, "%*s", REPORT_LABEL - 2 - (int)strlen(label), "");
}

void report_say(FILE *out, const struct cli_terminal *terminal, const char *label, const char *format, ...)
{
    struct cli_line line = {0};
    va_list arguments;
    va_start(arguments, format);
    cli_line_add_list(&line, format, arguments);
    va_end(arguments);
    fputs("  ", out);
    report_faint(out, terminal, label);
    cli_text_after(out, 2 + (int)strlen(label), line.of, REPORT_LABEL, REPORT_WIDTH);
}

void report_topology_say(struct cli_line *line, const struct lab_topology *topology)
{
    cli_line_add(line, "%s: %s, %s", topology->spec, cli_text_plural(topology->processors, "processor").of,
                 cli_text_plural(topology->links, "link").of);
    if (lab_topology_is_coloured(topology)) {
        cli_line_add(line, ", %s", cli_text_plural(topology->colours, "colour").of);
    }
    if (topology->diameter >= 0) {
        cli_line_add(line, ", diameter %" PRId64, topology->diameter);
    }
    if (*topology->note) {
        cli_line_add(line, "; %s", topology->note);
    }
}

// Returns whether the run reached its criterion, or ended as its method does.
static bool came_to_its_end(const struct lab_record *record, const struct ek_report *run)
{
    return run->ended == EK_ENDED_CRITERION ? run->converged : run->ended == EK_ENDED_ITSELF && record->method.direct;
}

static struct cli_text measured_beside(const struct ek_fact *fact, const struct lab_record *record)
{
    const struct ek_report *run = &record->runs[0];
    const struct lab_field *field = *fact->beside ? lab_field_named(fact->beside) : NULL;
    bool measured = field && lab_field_present(field, run);
    if (measured && fact->at_end && !came_to_its_end(record, run)) {
        return (struct cli_text){"unreached"};
    }
    return cli_text_amount(measured ? lab_field_value(field, run) : NAN);
}

void report_facts_write(FILE *out, const struct ek_fact *facts, size_t count, const struct lab_record *record)
{
    enum { NAME = 22, NUMBER = 14 };
    if (count > 0) {
        fprintf(out, "  %-*s%*s%*s\n", NAME, "known before the run", NUMBER, "theory", record ? NUMBER : 0,
                record ? "run 0" : "");
    }
    for (size_t i = 0; i < count; i++) {
        int column = fprintf(out, "  %-*s %*s", NAME, facts[i].name, NUMBER - 1, cli_text_amount(facts[i].value).of);
        if (record) {
            column += fprintf(out, " %*s", NUMBER - 1, measured_beside(&facts[i], record).of);
        }
        cli_text_after(out, column, facts[i].text, 2 + NAME + (record ? 2 : 1) * NUMBER + 2, REPORT_WIDTH);
    }
}

void report_faults_write(FILE *out, const struct cli_terminal *terminal, const struct ek_faults_report *faults)
{
    report_say(out, terminal, "faults", "%s and %s failed, %s; %s were returned with %s of load",
               cli_text_plural(faults->link_failures, "link").of,
               cli_text_plural(faults->processor_failures, "processor").of,
               cli_text_plural(faults->repairs, "repair").of, cli_text_plural(faults->returned, "parcel").of,
               cli_text_amount(faults->load_returned).of);
}
