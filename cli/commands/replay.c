// SPDX-License-Identifier: MIT
// `evenkeel replay FILE`: a recorded run made again, on this thread.
#include "lab/record/replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/interrupt.h"
#include "cli/commands/replay_overlaps.h"
#include "cli/terminal/present.h"
#include "cli/commands/replay_then.h"
#include "cli/commands/timeline.h"
#include "lab/record/json.h"

#define NOBODY UINT32_MAX

// What is to be looked at.
struct looking {
    struct lab_replay replay;
    const struct cli_options *options;
    uint64_t until, every;           // 0: to the end, none
    uint32_t processor, other;       // of --show; NOBODY: all, not a link
    bool words;                      // what happens is told
    struct cli_timeline *timeline;   // or NULL
    struct cli_overlaps *overlaps;   // too
    struct lab_replay_state *moment; // [moments] with --every
    size_t moments;
    bool cut, ended;
};

static bool has_link(const struct ek_topology *topology, uint32_t p, uint32_t q)
{
    for (uint32_t port = topology->first[p]; port < topology->first[p + 1]; port++) {
        if (topology->neighbour[port] == q) {
            return true;
        }
    }
    return false;
}

// "P" or "P-Q": two processors with a link between them.
static bool read_show(struct looking *looking, struct ek_error *error)
{
    const struct ek_topology *topology = ek_machine_topology(looking->replay.machine);
    const char *text = looking->options->show;
    looking->processor = looking->other = NOBODY;
    if (!text) {
        return true;
    }
    char *end;
    unsigned long first = strtoul(text, &end, 10);
    unsigned long second = NOBODY;
    bool good = *text >= '0' && *text <= '9' && first < topology->processors;
    if (good && *end == '-') {
        const char *from = end + 1;
        second = strtoul(from, &end, 10);
        good = *from >= '0' && *from <= '9' && second < topology->processors &&
               has_link(topology, (uint32_t)first, (uint32_t)second);
    }
    looking->processor = (uint32_t)first;
    looking->other = (uint32_t)second;
    return (good && *end == '\0') ||
           base_refuse_text(error, "show", text, 0, "--show takes a processor below %u, or a link as P-Q",
                            topology->processors);
}

static void say_event(const struct ek_event *event)
{
    static const char *const verbs[] = {[EK_EVENT_TAKES] = "takes",
                                        [EK_EVENT_SENDS] = "sends",
                                        [EK_EVENT_BEGINS] = "begins an operation",
                                        [EK_EVENT_ENDS] = "ends its operation",
                                        [EK_EVENT_LEAVES] = "gives its operation up, as nobody takes part",
                                        [EK_EVENT_WORKS] = "works",
                                        [EK_EVENT_LET_GO] = "is let go"};
    printf("        %s", verbs[event->kind]);
    if (event->message) {
        printf(" %s", event->message);
        if (strcmp(event->message, "refuse") != 0 && strcmp(event->message, "release") != 0) {
            printf(" %s", cli_text_real(event->amount).of);
        }
        printf(" %s %u", event->kind == EK_EVENT_TAKES ? "from" : "to", event->other);
    } else if (event->kind == EK_EVENT_ENDS) {
        printf(", which moved %s to it", cli_text_real(event->amount).of);
    } else if (event->kind == EK_EVENT_WORKS) {
        printf(": its load grows by %s", cli_text_real(event->amount).of);
    } else if (event->kind == EK_EVENT_LET_GO) {
        printf(" by the operation of %u, ", event->other);
        printf(isnan(event->amount) ? "in which it has no part" : "since which its load has grown by %s",
               cli_text_real(event->amount).of);
    }
    putchar('\n');
}

static bool is_of_link(const struct ek_event *event)
{
    return event->message || event->kind == EK_EVENT_LET_GO;
}

// Whether --show means this event of the turn.
static bool is_shown(const struct looking *looking, const struct ek_event *event)
{
    uint32_t p = looking->replay.turn.processor;
    if (looking->other != NOBODY) {
        return is_of_link(event) && ((p == looking->processor && event->other == looking->other) ||
                                     (p == looking->other && event->other == looking->processor));
    }
    return looking->processor == NOBODY || p == looking->processor;
}

// A turn in which nothing happens that is asked for is not told.
static void tell(const struct looking *looking)
{
    const struct ek_turn_made *turn = &looking->replay.turn;
    const struct cli_options *options = looking->options;
    if (!looking->words || turn->number < options->from || (options->to > 0 && turn->number > options->to)) {
        return;
    }
    bool told = false;
    for (size_t i = 0; i < turn->count; i++) {
        if (!is_shown(looking, &turn->events[i])) {
            continue;
        }
        if (!told) {
            printf("  turn %s  %s  processor %u, worker %u, holds %s then\n", cli_text_count(turn->number).of,
                   cli_text_seconds(1e-9 * (double)turn->time_ns).of, turn->processor, turn->worker,
                   cli_text_real(turn->held).of);
            told = true;
        }
        say_event(&turn->events[i]);
    }
}

static bool keep_moment(struct looking *looking, struct ek_error *error)
{
    enum { MOMENTS_MAX = 1 << 24 };
    size_t count = looking->moments;
    if ((count & (count - 1)) == 0) {
        struct lab_replay_state *moment = realloc(looking->moment, 2 * (count + 1) * sizeof *moment);
        if (!moment || count >= MOMENTS_MAX) {
            free(moment);
            looking->moment = moment ? NULL : looking->moment;
            looking->moments = 0;
            return base_refuse(error, "there is no memory for so many moments: give a larger --every");
        }
        looking->moment = moment;
    }
    looking->moment[looking->moments++] = lab_replay_state_now(&looking->replay);
    return true;
}

// Makes the turns that are asked for.
static bool go(struct looking *looking, struct ek_error *error)
{
    struct lab_replay *replay = &looking->replay;
    if (looking->every > 0 && !keep_moment(looking, error)) { // before the first
        return false;
    }
    while (looking->until == 0 || replay->turn.number < looking->until) {
        if (cli_interrupt_came()) {
            error->status = EK_UNREACHED;
            snprintf(error->sentence, sizeof error->sentence, "interrupted after turn %s",
                     cli_text_count(replay->turn.number).of);
            return false;
        }
        enum ek_replay_status status = lab_replay_turn(replay, error);
        if (status != EK_REPLAY_TURN) {
            looking->cut = status == EK_REPLAY_CUT;
            looking->ended = status == EK_REPLAY_ENDS;
            return status != EK_REPLAY_MISFIT;
        }
        tell(looking);
        if (looking->timeline) {
            cli_timeline_add(looking->timeline, &replay->turn);
        }
        if (looking->overlaps && !cli_overlaps_add(looking->overlaps, error)) {
            return false;
        }
        if (looking->every > 0 && replay->turn.number % looking->every == 0 && !keep_moment(looking, error)) {
            return false;
        }
    }
    return true;
}

static json_t *moment_object(const struct lab_replay_state *moment)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "turn", (json_int_t)moment->turn, "time",
                     lab_json_real(moment->time), "variance", lab_json_real(moment->variance), "spread",
                     lab_json_real(moment->spread), "minimum", lab_json_real(moment->minimum), "maximum",
                     lab_json_real(moment->maximum), "in_flight", lab_json_real(moment->in_flight), "mean",
                     lab_json_real(moment->mean));
}

static void write_json(struct looking *looking)
{
    const struct lab_recording *recorded = &looking->replay.recorded;
    struct lab_replay_state moment = lab_replay_state_now(&looking->replay);
    json_t *root =
        json_pack("{s:s, s:s, s:b, s:b, s:I, s:I, s:o}", "schema", "evenkeel.replay/1", "command", recorded->command,
                  "whole", recorded->whole, "ended", looking->ended, "bytes", (json_int_t)recorded->bytes, "tape_bytes",
                  (json_int_t)recorded->tape_bytes, "moment", moment_object(&moment));
    if (looking->every > 0) {
        json_t *trace = json_array();
        for (size_t i = 0; i < looking->moments; i++) {
            json_array_append_new(trace, moment_object(&looking->moment[i]));
        }
        json_object_set_new(root, "trace", trace);
    }
    if (looking->overlaps) {
        json_object_set_new(root, "overlaps", cli_overlaps_object(looking->overlaps));
    }
    if (looking->options->final) {
        const double *load = ek_replay_loads(looking->replay.replay);
        json_t *final = json_array();
        for (uint32_t p = 0; p < ek_machine_topology(looking->replay.machine)->processors; p++) {
            json_array_append_new(final, lab_json_real(load[p]));
        }
        json_object_set_new(root, "final", final);
    }
    lab_json_write(stdout, root, JSON_INDENT(2));
    putchar('\n');
}

static void write_csv(const struct looking *looking)
{
    if (looking->overlaps) {
        cli_overlaps_write_csv(looking->overlaps);
        return;
    }
    puts("turn,time,variance,spread,minimum,maximum,in_flight,mean");
    for (size_t i = 0; i < looking->moments; i++) {
        const struct lab_replay_state *moment = &looking->moment[i];
        printf("%llu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", (unsigned long long)moment->turn, moment->time,
               moment->variance, moment->spread, moment->minimum, moment->maximum, moment->in_flight, moment->mean);
    }
}

static void write_table(struct looking *looking)
{
    const struct lab_recording *recorded = &looking->replay.recorded;
    struct lab_replay_state moment = lab_replay_state_now(&looking->replay);
    printf("  recorded   %s\n", recorded->command);
    printf("  recording  %s, %s of looks%s\n", cli_text_bytes(recorded->bytes).of,
           cli_text_bytes(recorded->tape_bytes).of, recorded->whole ? "" : ", cut off before the run's end");
    printf("  after      turn %s, at %s%s\n", cli_text_count(moment.turn).of, cli_text_seconds(moment.time).of,
           looking->ended ? ", the last"
           : looking->cut ? ", the last that it holds"
                          : "");
    printf("  variance   %s\n", cli_text_real(moment.variance).of);
    printf("  loads      %s to %s, %s on the mean, %s on links\n", cli_text_real(moment.minimum).of,
           cli_text_real(moment.maximum).of, cli_text_real(moment.mean).of, cli_text_real(moment.in_flight).of);
}

// The whole run, as `run` printed it, when it is sure that this is it.
static enum ek_status present_whole(struct looking *looking, struct ek_error *error)
{
    struct lab_record *record = &looking->replay.recorded.record;
    const struct cli_options *options = looking->options;
    unsigned parts = (options->final ? LAB_WITH_FINAL : 0) | (options->trace ? LAB_WITH_TRACE : 0);
    if (!lab_replay_matches(&looking->replay, error)) {
        return cli_complain(error);
    }
    record->replayed = true;
    if (!cli_present(record, options, parts, error)) {
        return cli_complain(error);
    }
    if (record->runs[0].ended == EK_ENDED_VIOLATION) {
        error->status = EK_VIOLATION;
        snprintf(error->sentence, sizeof error->sentence, "%.400s", record->runs[0].why);
        return cli_complain(error);
    }
    return EK_OK;
}

static enum ek_status present(struct looking *looking, struct ek_error *error)
{
    const struct cli_options *options = looking->options;
    bool whole = looking->ended && looking->replay.recorded.whole && looking->every == 0 && !looking->words &&
                 looking->until == 0 && !looking->overlaps;
    if (whole) {
        return present_whole(looking, error);
    }
    if (options->quiet) {
        return EK_OK;
    }
    if (options->format == CLI_CSV) {
        write_csv(looking);
    } else if (options->format == CLI_TABLE) {
        write_table(looking);
        if (looking->overlaps && !cli_overlaps_write_table(looking->overlaps, error)) {
            return cli_complain(error);
        }
    } else {
        write_json(looking);
    }
    return EK_OK;
}

static bool refuse_combination(const struct looking *looking, struct ek_error *error)
{
    const struct cli_options *options = looking->options;
    if (options->record || options->turns > 0) {
        return base_refuse(error, "--record and --turns are for what goes on by --then");
    }
    if (options->to > 0 && options->to < options->from) {
        return base_refuse(error, "--to %llu is before --from %llu: nothing happens in between",
                           (unsigned long long)options->to, (unsigned long long)options->from);
    }
    if (looking->words && options->format != CLI_TABLE) {
        return base_refuse(error, "what happens is told in words: leave --format out with --from, --to and "
                                  "--show");
    }
    if (options->experiment.overlaps && (looking->words || (options->format == CLI_CSV && looking->every > 0))) {
        return base_refuse(error,
                           "--overlaps has tables of its own: leave --from, --to and --show out, and in CSV --every");
    }
    bool lines = looking->every > 0 || options->experiment.overlaps;
    if (options->format == CLI_CSV && !lines && looking->until > 0) {
        return base_refuse(error, "--format csv has a line for each --every N turns: give it");
    }
    return cli_present_possible(options, error);
}

static bool open_timeline(struct looking *looking, struct ek_error *error)
{
    const char *path = looking->options->timeline;
    looking->timeline = path ? cli_timeline_open(path, looking->replay.machine, error) : NULL;
    return !path || looking->timeline;
}

static bool begin_overlaps(struct looking *looking, struct ek_error *error)
{
    bool asked = looking->options->experiment.overlaps;
    looking->overlaps = asked ? cli_overlaps_begin(&looking->replay, error) : NULL;
    return !asked || looking->overlaps;
}

// Also where the replay went wrong: what it has is kept.
static bool close_timeline(struct looking *looking, bool good, struct ek_error *error)
{
    struct ek_error other = {.at = -1};
    if (!looking->timeline || cli_timeline_close(looking->timeline, &other)) {
        return good;
    }
    *error = good ? other : *error;
    return false;
}

enum ek_status cli_replay(const struct cli_options *options, const char *typed)
{
    struct ek_error error = {.at = -1};
    struct looking looking = {.options = options,
                              .until = options->until,
                              .every = options->experiment.every,
                              .words = options->from > 0 || options->to > 0 || options->show};
    looking.until = looking.until == 0 ? options->to : looking.until;
    if (!options->argument) {
        base_refuse(&error, "replay needs a file, as in evenkeel replay FILE");
        return cli_complain(&error);
    }
    if (options->then) {
        return cli_then(options, typed);
    }
    if (!refuse_combination(&looking, &error) || !lab_replay_open(&looking.replay, options->argument, &error)) {
        return cli_complain(&error);
    }
    cli_interrupt_catch();
    bool good = read_show(&looking, &error) && begin_overlaps(&looking, &error) && open_timeline(&looking, &error) &&
                go(&looking, &error) && (!looking.overlaps || cli_overlaps_end(looking.overlaps, &error));
    cli_interrupt_release();
    good = close_timeline(&looking, good, &error);
    enum ek_status status = good ? present(&looking, &error) : cli_complain(&error);
    if (looking.overlaps) {
        cli_overlaps_destroy(looking.overlaps);
    }
    free(looking.moment);
    lab_replay_close(&looking.replay);
    return status;
}
