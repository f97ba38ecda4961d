// SPDX-License-Identifier: MIT
#include "cli/tables/costs_line.h"

#include <string.h>

#include "cli/tables/table_lines.h"
#include "threads/api/report.h"

// Returns whether a cost has an effect: the numbers of bytes only if a byte takes time, and the latency only if no
// delay replaces it, and the time of tasks only if there are tasks.
static bool is_in_force(const struct lab_record *record, const struct ek_axis *axis)
{
    bool bytes = strcmp(axis->option, "message-bytes") == 0 || strcmp(axis->option, "load-bytes") == 0;
    bool free_bytes = strcmp(lab_record_axis(record, "byte-time"), "0") == 0;
    bool tasks = strcmp(axis->option, "task-time") == 0;
    bool latency = strcmp(axis->option, "latency") == 0;
    return strcmp(axis->option, "host") != 0 && !(bytes && free_bytes) && !(tasks && !record->runs[0].has_tasks) &&
           !(latency && lab_record_given(record, "delay"));
}

void report_costs_say(FILE *out, const struct cli_terminal *terminal, const struct lab_record *record)
{
    struct cli_line line = {0};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        bool meant = ek_timing_named(lab_record_axis(record, "timing")) & axis->timings;
        if (axis->role == EK_ROLE_COST && meant && is_in_force(record, axis) &&
            (axis->timings & EK_IN_ROUNDS || record->axis[i].given)) {
            cli_line_add(&line, "%s%s %s", line.length > 0 ? ", " : "", axis->option, record->axis[i].value);
        }
    }
    bool host = lab_record_given(record, "host");
    report_say(out, terminal, "costs", "%s%s%s", host ? lab_record_axis(record, "host") : "", host ? ": " : "",
               line.of);
}
