// SPDX-License-Identifier: MIT
// The report of torture as JSON (docs/report.md). Each run is written when it ends: if the process crashes, the file
// shows which runs came before.
#include <math.h>

#include "lab/record/json.h"
#include "lab/studies/torture.h"
#include "threads/api/report.h"

void lab_torture_write_head(FILE *out, uint64_t seed, const char *command)
{
    json_t *head = json_pack("{s:s, s:s, s:s, s:I}", "schema", "evenkeel.torture/1", "version", ek_version(), "command",
                             command, "seed", (json_int_t)seed);
    putc('{', out);
    lab_json_write(out, head, JSON_EMBED);
    fputs(",\n \"runs\": [", out);
}

static json_t *measures_object(const struct ek_report *report)
{
    const struct ek_free_report *free = &report->free;
    return json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:I, s:f}", "ended",
                     lab_field_text(lab_field_named("ended"), report), "converged", (int)report->converged,
                     "operations", (json_int_t)report->operations, "messages", (json_int_t)report->messages, "audits",
                     (json_int_t)free->audits, "link_failures", (json_int_t)free->faults.link_failures,
                     "processor_failures", (json_int_t)free->faults.processor_failures, "depth_most",
                     (json_int_t)free->depth_most, "stale_age_most", lab_json_real(free->stale_age.maximum),
                     "longest_wait", lab_json_real(free->longest_wait), "overlap_most", (json_int_t)free->overlap_most,
                     "elapsed_s", report->elapsed_s);
}

void lab_torture_write_run(FILE *out, const struct lab_torture_run *run, bool first)
{
    json_t *object = json_pack("{s:I, s:s, s:i, s:s?}", "seed", (json_int_t)run->seed, "command", run->command,
                               "status", (int)run->status, "error", run->error ? run->error->sentence : NULL);
    if (run->recording) {
        json_object_set_new(object, "recording", json_string(run->recording));
    }
    if (run->report) {
        json_object_update_new(object, measures_object(run->report));
    }
    fputs(first ? "\n  " : ",\n  ", out);
    lab_json_write(out, object, 0);
    fflush(out);
}

static json_t *bins_array(const struct lab_near_miss *miss)
{
    json_t *bins = json_array();
    double end = miss->first;
    for (size_t i = 0; i < LAB_NEAR_MISS_BINS; i++, end *= miss->base) {
        bool last = i + 1 == LAB_NEAR_MISS_BINS;
        json_array_append_new(bins, json_pack("{s:o, s:I}", "to", last ? json_null() : json_real(end), "runs",
                                              (json_int_t)miss->runs[i]));
    }
    return bins;
}

void lab_torture_write_end(FILE *out, const struct lab_torture_tally *tally)
{
    json_t *misses = json_array();
    for (size_t i = 0; i < LAB_NEAR_MISSES; i++) {
        const struct lab_near_miss *miss = &tally->misses[i];
        bool any = miss->most > 0.0;
        json_array_append_new(misses, json_pack("{s:s, s:o, s:o, s:o}", "what", miss->name, "most",
                                                lab_json_real(any ? miss->most : NAN), "seed",
                                                any ? json_integer((json_int_t)miss->seed) : json_null(), "bins",
                                                bins_array(miss)));
    }
    json_t *end =
        json_pack("{s:I, s:I, s:I, s:f, s:o}", "ran", (json_int_t)tally->done, "refused", (json_int_t)tally->refused,
                  "failed", (json_int_t)tally->failed, "elapsed_s", tally->elapsed_s, "near_misses", misses);
    fputs("],\n ", out);
    lab_json_write(out, end, JSON_EMBED);
    fputs("}\n", out);
}
