// SPDX-License-Identifier: MIT
// The logs of all ranks.
#include "threads/free/over_ranks/rank_logs.h"

#include "base/error.h"
#include "threads/free/finish.h"

struct free_log_lengths free_log_lengths_of(const struct free_run *run, unsigned r)
{
    struct free_log_lengths lengths = {0};
    if (run->log.ring) {
        lengths.of[FREE_LOG_ADDED] = run->log.ring[r].added;
        lengths.of[FREE_LOG_OPERATIONS] = run->log.ring[r].next;
    }
    if (run->parts.ring) {
        lengths.of[FREE_LOG_PARTS] = run->parts.ring[r].added;
        lengths.of[FREE_LOG_NOTES] = run->parts.ring[r].noted;
    }
    return lengths;
}

void free_log_lengths_set(struct free_run *run, unsigned r, const struct free_log_lengths *lengths)
{
    if (run->log.ring) {
        run->log.ring[r].added = lengths->of[FREE_LOG_ADDED];
        run->log.ring[r].next = (uint32_t)lengths->of[FREE_LOG_OPERATIONS];
    }
    if (run->parts.ring) {
        run->parts.ring[r].added = lengths->of[FREE_LOG_PARTS];
        run->parts.ring[r].noted = lengths->of[FREE_LOG_NOTES];
        run->parts.ring[r].next_member = (uint32_t)lengths->of[FREE_LOG_NOTES];
    }
}

// ---- rings ----

static void gather_rings(struct free_rank_link *link)
{
    struct watch_operation_log *operations = &link->control->run.log;
    struct watch_part_log *parts = &link->control->run.parts;
    if (operations->ring && free_rank_bring(link, operations->ring, sizeof *operations->ring)) {
        watch_operation_log_begin(operations); // a ring's place is each rank's own
        free_rank_collect_parts(link, operations->places, operations->capacity * sizeof *operations->places, false);
    }
    if (parts->ring && free_rank_bring(link, parts->ring, sizeof *parts->ring)) {
        watch_part_log_begin(parts);
        free_rank_collect_parts(link, parts->places, parts->capacity * sizeof *parts->places, false);
        free_rank_collect_parts(link, parts->members, parts->capacity * sizeof *parts->members, false);
    }
}

// ---- lists that grow ----

// Completes the joined list of this kind, whose elements have `bytes` bytes.
static void collect_list(struct free_rank_link *link, unsigned kind, void *array, size_t bytes)
{
    link->from[0] = 0;
    for (unsigned r = 0; r < link->ranks->count; r++) {
        struct free_log_lengths lengths = free_log_lengths_of(&link->control->run, r);
        link->from[r + 1] = link->from[r] + lengths.of[kind] * (bytes / sizeof(double));
    }
    free_rank_collect_list(link, array);
}

// Joins the lists in each rank. Returns false if one of them has no memory: then all end with an error.
static bool join(struct free_rank_link *link)
{
    struct free_run *run = &link->control->run;
    unsigned own = link->ranks->rank;
    struct ek_error error = {.at = -1};
    bool good = (!run->log.ring || watch_operation_log_join(&run->log, own)) &&
                (!run->parts.ring || watch_part_log_join(&run->parts, own));
    if (!good) {
        base_fail(&error, EK_BAD_INPUT, "overlaps",
                  "no memory for the logs of operations of all ranks: choose a limit with --operations or --for, or no "
                  "--overlaps");
    }
    good = free_rank_agree(link, good, &error);
    if (!good) {
        free_violate_with(run, &error);
    }
    return good;
}

static void gather_lists(struct free_rank_link *link)
{
    static const struct free_log_lengths none = {0};
    struct free_run *run = &link->control->run;
    bool joined = join(link);
    if (joined && run->log.ring) {
        collect_list(link, FREE_LOG_OPERATIONS, run->log.places, sizeof *run->log.places);
    }
    if (joined && run->parts.ring) {
        collect_list(link, FREE_LOG_PARTS, run->parts.places, sizeof *run->parts.places);
        collect_list(link, FREE_LOG_NOTES, run->parts.members, sizeof *run->parts.members);
    }
    for (unsigned r = 0; (!joined || link->lost) && r < link->ranks->count; r++) { // nothing is measured
        free_log_lengths_set(run, r, &none);
    }
}

void free_ranks_gather_logs(struct free_rank_link *link)
{
    (link->control->run.log.grows ? gather_lists : gather_rings)(link);
}
