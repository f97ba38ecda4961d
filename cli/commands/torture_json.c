// SPDX-License-Identifier: MIT
// The report of `evenkeel torture` as JSON (docs/report.md): each run is written as it ends, so that the file of a
// crash says what ran before it.
#include <math.h>
#include <stdlib.h>

#include "cli/commands/torture.h"
#include "lab/record/json.h"

bool cli_torture_write_head(const char *typed, uint64_t seed)
{
    json_t *head = json_pack("{s:s, s:s, s:s, s:I}", "schema", "evenkeel.torture/1", "version", ek_version(), "command",
                             typed, "seed", (json_int_t)seed);
    putchar('{');
    lab_json_write(stdout, head, JSON_EMBED);
    fputs(",\n \"runs\": [", stdout);
    return fflush(stdout) == 0;
}

// What a run came to; of a refused one there is nothing.
static void add_measures(json_t *object, const struct ek_report *run)
{
    const struct ek_free_report *running = &run->free;
    json_object_set_new(object, "ended", json_string(lab_field_text(lab_field_named("ended"), run)));
    json_object_set_new(object, "converged", json_boolean(run->converged));
    json_object_update_new(
        object, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:f}", "operations",
                          (json_int_t)run->operations, "messages", (json_int_t)run->messages, "audits",
                          (json_int_t)running->audits, "link_failures", (json_int_t)running->faults.link_failures,
                          "processor_failures", (json_int_t)running->faults.processor_failures, "depth_most",
                          (json_int_t)running->depth_most, "stale_age_most", lab_json_real(running->stale_age.maximum),
                          "longest_wait", lab_json_real(running->longest_wait), "overlap_most",
                          (json_int_t)running->overlap_most, "elapsed_s", run->elapsed_s));
}

bool cli_torture_write_run(const struct cli_torture *drawn, uint64_t seed, const struct ek_report *run,
                           enum ek_status status, const struct ek_error *error, const struct cli_failure *failure,
                           bool first)
{
    char *line = cli_torture_line(drawn);
    json_t *object = json_pack("{s:I, s:s?, s:i, s:s?}", "seed", (json_int_t)seed, "command", line, "status",
                               (int)status, "error", error ? error->sentence : NULL);
    if (failure->kept) {
        json_object_set_new(object, "recording", json_string(failure->path));
    }
    if (run) {
        add_measures(object, run);
    }
    fputs(first ? "\n  " : ",\n  ", stdout);
    lab_json_write(stdout, object, 0);
    free(line);
    return fflush(stdout) == 0;
}

// How many runs came how far: up to each bound, and beyond the last.
static json_t *bins_of(const struct cli_torture_miss *miss)
{
    json_t *bins = json_array();
    double end = miss->first;
    for (size_t i = 0; i < CLI_TORTURE_BINS; i++) {
        bool last = i + 1 == CLI_TORTURE_BINS;
        json_array_append_new(bins, json_pack("{s:o, s:I}", "to", last ? json_null() : json_real(end), "runs",
                                              (json_int_t)miss->runs[i]));
        end *= miss->base;
    }
    return bins;
}

bool cli_torture_write_end(const struct cli_torture_tally *tally)
{
    json_t *misses = json_array();
    for (size_t i = 0; i < CLI_TORTURE_MISSES; i++) {
        const struct cli_torture_miss *miss = &tally->misses[i];
        bool any = miss->most > 0.0;
        json_array_append_new(
            misses, json_pack("{s:s, s:o, s:o, s:o}", "what", miss->name, "most", lab_json_real(any ? miss->most : NAN),
                              "seed", any ? json_integer((json_int_t)miss->seed) : json_null(), "bins", bins_of(miss)));
    }
    json_t *end =
        json_pack("{s:I, s:I, s:I, s:f, s:o}", "ran", (json_int_t)tally->done, "refused", (json_int_t)tally->refused,
                  "failed", (json_int_t)tally->failed, "elapsed_s", tally->elapsed_s, "near_misses", misses);
    fputs("],\n ", stdout);
    lab_json_write(stdout, end, JSON_EMBED);
    fputs("}\n", stdout);
    return true;
}
