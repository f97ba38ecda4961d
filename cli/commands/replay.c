// SPDX-License-Identifier: MIT
// `evenkeel replay FILE`: repeats a recorded run on one thread.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "cli/commands/commands.h"
#include "cli/commands/file_kind.h"
#include "cli/commands/replay_overlaps.h"
#include "cli/commands/replay_then.h"
#include "cli/line/complain.h"
#include "cli/line/plugin.h"
#include "cli/report/record_report.h"
#include "cli/figures/timeline.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/text.h"
#include "lab/record/json.h"
#include "lab/record/replay.h"
#include "topologies/topology.h"

struct options {
    struct report_view view;
    uint64_t from, to, until, every, turns;      // 0 if not given
    const char *show, *then, *record, *timeline; // NULL if not given
    bool overlaps, final, trace;
};

#define PLACE(field) offsetof(struct options, field)

static const struct cli_option own[] = {
    {.name = "from",
     .form = "TURN",
     .help = "print what happens, in words, from this turn on",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(from),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.name = "to",
     .form = "TURN",
     .help = "print what happens, in words, up to this turn",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(to),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.name = "show",
     .form = "P|P-Q",
     .help = "print what happens, in words, at processor P, or on the link between P and Q",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(show)},
    {.name = "until",
     .form = "TURN",
     .help = "stop after this turn and print the loads at that moment",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(until),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.name = "every",
     .topic = EK_TOPIC_OUTPUT,
     .form = "K",
     .help = "add the measurements after each K-th turn to JSON and CSV",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(every),
     .minimum = 1,
     .maximum = UINT64_MAX},
    {.name = "overlaps",
     .help = "show how operations overlapped, and what that did to the variance",
     .kind = EK_AXIS_SWITCH,
     .place = PLACE(overlaps)},
    {.name = "timeline",
     .topic = EK_TOPIC_OUTPUT,
     .form = "FILE",
     .help = "write operations and parcels on a time line, for Perfetto or chrome://tracing",
     .more = "The file holds the first million of them.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(timeline),
     .file = CLI_WRITES},
    {.name = "then",
     .form = "STRATEGY:SEED",
     .help = "continue differently after --until TURN, by a strategy of explore",
     .more = "As in random:7 or pct:3:7. The processors continue in virtual time from that turn on, or from the start "
             "without --until. Each turn is checked, and the result is printed as `explore` prints one schedule. The "
             "seed is the schedule's number.",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(then)},
    {.name = "turns",
     .form = "MOST",
     .help = "with --then: stop the schedule after this many turns [10000]",
     .kind = EK_AXIS_WHOLE,
     .place = PLACE(turns),
     .minimum = 1,
     .maximum = 1000000000},
    {.name = "record",
     .topic = EK_TOPIC_OUTPUT,
     .form = "FILE",
     .help = "with --then: record the whole run from its first turn",
     .kind = EK_AXIS_TEXT,
     .place = PLACE(record),
     .file = CLI_WRITES},
    CLI_OPTION_FORMAT(PLACE(view.format)),
    CLI_OPTION_FINAL(PLACE(final)),
    CLI_OPTION_TRACE(PLACE(trace)),
    CLI_OPTION_HEAT(PLACE(view.heat)),
    CLI_OPTION_QUIET(PLACE(view.quiet)),
    CLI_OPTION_PLUGIN,
    {0}};

#define NO_PROCESSOR UINT32_MAX

// A replay, and the parts of it that are shown.
struct session {
    struct lab_replay replay;
    const struct options *options;
    uint64_t until;                   // the last turn; 0: to the end
    uint32_t processor, other;        // of --show; processor NO_PROCESSOR: all; other NO_PROCESSOR: no link
    bool words;                       // print events in words
    bool has_workers;                 // each turn belonged to a worker thread, as in free timing
    struct report_timeline *timeline; // or NULL
    struct cli_overlaps *overlaps;    // or NULL
    struct lab_replay_state *moment;  // [moments] with --every
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

// Reads --show P, or P-Q: two processors with a link between them.
static bool read_show(struct session *session, struct ek_error *error)
{
    const struct ek_topology *topology = ek_machine_topology(session->replay.machine);
    session->processor = session->other = NO_PROCESSOR;
    if (!session->options->show) {
        return true;
    }
    struct base_cursor cursor = base_cursor_start("show", session->options->show, error);
    uint64_t first, second = NO_PROCESSOR;
    if (!base_cursor_whole(&cursor, "a processor", 0, topology->processors - 1, &first) ||
        (base_cursor_accept(&cursor, '-') &&
         !base_cursor_whole(&cursor, "a processor", 0, topology->processors - 1, &second)) ||
        !base_cursor_end(&cursor)) {
        return false;
    }
    session->processor = (uint32_t)first;
    session->other = (uint32_t)second;
    return session->other == NO_PROCESSOR || has_link(topology, session->processor, session->other) ||
           base_cursor_fail(&cursor, 0, "processors %u and %u have no link between them", session->processor,
                            session->other);
}

static void print_event(const struct ek_event *event)
{
    static const char *const verbs[] = {[EK_EVENT_TAKES] = "takes",
                                        [EK_EVENT_SENDS] = "sends",
                                        [EK_EVENT_BEGINS] = "begins an operation",
                                        [EK_EVENT_ENDS] = "ends its operation",
                                        [EK_EVENT_LEAVES] = "gives up its operation, since no neighbour takes part",
                                        [EK_EVENT_WORKS] = "works",
                                        [EK_EVENT_LET_GO] = "is released"};
    printf("        %s", verbs[event->kind]);
    if (event->message) {
        printf(" %s", event->message);
        if (strcmp(event->message, "refuse") != 0 && strcmp(event->message, "release") != 0) {
            printf(" %s", cli_text_real(event->amount).of);
        }
        printf(" %s %u", event->kind == EK_EVENT_TAKES ? "from" : "to", event->other);
    } else if (event->kind == EK_EVENT_ENDS) {
        printf(", which moved %s to this processor", cli_text_real(event->amount).of);
    } else if (event->kind == EK_EVENT_WORKS) {
        printf(": its load grows by %s", cli_text_real(event->amount).of);
    } else if (event->kind == EK_EVENT_LET_GO) {
        printf(" by the operation of %u, ", event->other);
        printf(isnan(event->amount) ? "in which it had no part" : "since which its load has grown by %s",
               cli_text_real(event->amount).of);
    }
    putchar('\n');
}

static bool is_of_link(const struct ek_event *event)
{
    return event->message || event->kind == EK_EVENT_LET_GO;
}

// Returns whether --show selects this event of the turn.
static bool is_shown(const struct session *session, const struct ek_event *event)
{
    uint32_t p = session->replay.turn.processor;
    if (session->other != NO_PROCESSOR) {
        return is_of_link(event) && ((p == session->processor && event->other == session->other) ||
                                     (p == session->other && event->other == session->processor));
    }
    return session->processor == NO_PROCESSOR || p == session->processor;
}

// Prints the turn's events that --show selects, if any.
static void print_events(const struct session *session)
{
    const struct ek_turn_made *turn = &session->replay.turn;
    const struct options *options = session->options;
    if (!session->words || turn->number < options->from || (options->to > 0 && turn->number > options->to)) {
        return;
    }
    bool told = false;
    for (size_t i = 0; i < turn->count; i++) {
        if (!is_shown(session, &turn->events[i])) {
            continue;
        }
        if (!told) {
            printf("  turn %s  %s  processor %u", cli_text_count(turn->number).of,
                   cli_text_seconds(1e-9 * (double)turn->time_ns).of, turn->processor);
            if (session->has_workers) {
                printf(", worker %u", turn->worker);
            }
            printf(", load %s\n", cli_text_real(turn->held).of);
            told = true;
        }
        print_event(&turn->events[i]);
    }
}

static bool keep_moment(struct session *session, struct ek_error *error)
{
    enum { MOMENTS_MAX = 1 << 24 };
    size_t count = session->moments;
    if ((count & (count - 1)) == 0) {
        struct lab_replay_state *moment = realloc(session->moment, 2 * (count + 1) * sizeof *moment);
        if (!moment || count >= MOMENTS_MAX) {
            free(moment);
            session->moment = moment ? NULL : session->moment;
            session->moments = 0;
            return base_refuse(error, "there is no memory for so many moments: give a larger --every");
        }
        session->moment = moment;
    }
    session->moment[session->moments++] = lab_replay_state_now(&session->replay);
    return true;
}

// Repeats the turns up to the last that is wanted.
static bool repeat_turns(struct session *session, struct ek_error *error)
{
    struct lab_replay *replay = &session->replay;
    if (session->options->every > 0 && !keep_moment(session, error)) { // before the first turn
        return false;
    }
    while (session->until == 0 || replay->turn.number < session->until) {
        if (cli_interrupt_came()) {
            return base_fail(error, EK_UNREACHED, "", "interrupted after turn %s",
                             cli_text_count(replay->turn.number).of);
        }
        enum ek_replay_status status = lab_replay_turn(replay, error);
        if (status != EK_REPLAY_TURN) {
            session->cut = status == EK_REPLAY_CUT;
            session->ended = status == EK_REPLAY_ENDS;
            return status != EK_REPLAY_MISFIT;
        }
        print_events(session);
        if (session->timeline) {
            report_timeline_add(session->timeline, &replay->turn);
        }
        if (session->overlaps && !cli_overlaps_add(session->overlaps, error)) {
            return false;
        }
        if (session->options->every > 0 && replay->turn.number % session->options->every == 0 &&
            !keep_moment(session, error)) {
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

static void write_json(struct session *session)
{
    const struct lab_recording *recorded = &session->replay.recorded;
    struct lab_replay_state moment = lab_replay_state_now(&session->replay);
    json_t *root =
        json_pack("{s:s, s:s, s:b, s:b, s:I, s:I, s:o}", "schema", "evenkeel.replay/1", "command", recorded->command,
                  "whole", recorded->whole, "ended", session->ended, "bytes", (json_int_t)recorded->bytes, "tape_bytes",
                  (json_int_t)recorded->tape_bytes, "moment", moment_object(&moment));
    if (session->options->every > 0) {
        json_t *trace = json_array();
        for (size_t i = 0; i < session->moments; i++) {
            json_array_append_new(trace, moment_object(&session->moment[i]));
        }
        json_object_set_new(root, "trace", trace);
    }
    if (session->overlaps) {
        json_object_set_new(root, "overlaps", cli_overlaps_object(session->overlaps));
    }
    if (session->options->final) {
        const double *load = ek_replay_loads(session->replay.replay);
        json_t *final = json_array();
        for (uint32_t p = 0; p < ek_machine_outline(session->replay.machine)->processors; p++) {
            json_array_append_new(final, lab_json_real(load[p]));
        }
        json_object_set_new(root, "final", final);
    }
    lab_json_write(stdout, root, JSON_INDENT(2));
    putchar('\n');
}

static void write_csv(const struct session *session)
{
    if (session->overlaps) {
        cli_overlaps_write_csv(session->overlaps);
        return;
    }
    puts("turn,time,variance,spread,minimum,maximum,in_flight,mean");
    for (size_t i = 0; i < session->moments; i++) {
        const struct lab_replay_state *moment = &session->moment[i];
        printf("%llu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", (unsigned long long)moment->turn, moment->time,
               moment->variance, moment->spread, moment->minimum, moment->maximum, moment->in_flight, moment->mean);
    }
}

static void write_table(struct session *session)
{
    const struct lab_recording *recorded = &session->replay.recorded;
    struct lab_replay_state moment = lab_replay_state_now(&session->replay);
    printf("  recorded   %s\n", recorded->command);
    printf("  recording  %s, compressed, with %s of observations%s\n", cli_text_bytes(recorded->bytes).of,
           cli_text_bytes(recorded->tape_bytes).of, recorded->whole ? "" : ", cut off before the run's end");
    printf("  after      turn %s, at %s%s\n", cli_text_count(moment.turn).of, cli_text_seconds(moment.time).of,
           session->ended ? ", the last"
           : session->cut ? ", the last in the recording"
                          : "");
    printf("  variance   %s\n", cli_text_real(moment.variance).of);
    printf("  loads      %s to %s, mean %s, %s in flight\n", cli_text_real(moment.minimum).of,
           cli_text_real(moment.maximum).of, cli_text_real(moment.mean).of, cli_text_real(moment.in_flight).of);
}

// Prints the whole run as `run` did, if the replay matches the record.
static enum ek_status present_whole(struct session *session, struct ek_error *error)
{
    struct lab_record *record = &session->replay.recorded.record;
    const struct options *options = session->options;
    unsigned parts = (options->final ? LAB_WITH_FINAL : 0) | (options->trace ? LAB_WITH_TRACE : 0);
    if (!lab_replay_matches(&session->replay, error)) {
        return cli_complain(error);
    }
    record->replayed = true;
    if (!report_record_write(record, &options->view, parts, error)) {
        return cli_complain(error);
    }
    if (record->runs[0].ended == EK_ENDED_VIOLATION) {
        base_fail(error, EK_VIOLATION, "", "%.400s", record->runs[0].why);
        return cli_complain(error);
    }
    return EK_OK;
}

static enum ek_status present(struct session *session, struct ek_error *error)
{
    const struct options *options = session->options;
    bool whole = session->ended && session->replay.recorded.whole && session->options->every == 0 && !session->words &&
                 session->until == 0 && !session->overlaps;
    if (whole) {
        return present_whole(session, error);
    }
    if (options->view.format == CLI_CSV) {
        write_csv(session);
    } else if (options->view.format == CLI_JSON) {
        write_json(session);
    } else if (!options->view.quiet) {
        write_table(session);
        if (session->overlaps && !cli_overlaps_write_table(session->overlaps, error)) {
            return cli_complain(error);
        }
    }
    return EK_OK;
}

static bool refuse_combination(const struct session *session, struct ek_error *error)
{
    const struct options *options = session->options;
    if (options->record || options->turns > 0) {
        return base_refuse(error, "--record and --turns need --then");
    }
    if (options->to > 0 && options->to < options->from) {
        return base_refuse(error, "--to %llu is before --from %llu: give turns in order",
                           (unsigned long long)options->to, (unsigned long long)options->from);
    }
    if (session->words && options->view.format != CLI_TABLE) {
        return base_refuse(error, "--from, --to and --show print text: leave out --format");
    }
    if (options->overlaps && (session->words || (options->view.format == CLI_CSV && session->options->every > 0))) {
        return base_refuse(error,
                           "--overlaps prints its own tables: leave out --from, --to and --show, and in CSV --every");
    }
    bool lines = session->options->every > 0 || options->overlaps;
    if (options->view.format == CLI_CSV && !lines && session->until > 0) {
        return base_refuse(error, "--format csv prints a line for every K-th turn: add --every K");
    }
    return report_record_possible(&options->view, error);
}

static bool open_timeline(struct session *session, struct ek_error *error)
{
    const char *path = session->options->timeline;
    session->timeline = path ? report_timeline_open(path, session->replay.machine, error) : NULL;
    return !path || session->timeline;
}

static bool begin_overlaps(struct session *session, struct ek_error *error)
{
    bool asked = session->options->overlaps;
    session->overlaps = asked ? cli_overlaps_begin(&session->replay, error) : NULL;
    return !asked || session->overlaps;
}

// Completes the time line, also if the replay failed.
static bool close_timeline(struct session *session, bool good, struct ek_error *error)
{
    struct ek_error other = {.at = -1};
    if (!session->timeline || report_timeline_close(session->timeline, &other)) {
        return good;
    }
    *error = good ? other : *error;
    return false;
}

static enum ek_status show(struct session *session, const struct cli_call *call)
{
    struct ek_error error = {.at = -1};
    if (!refuse_combination(session, &error) || !lab_replay_open(&session->replay, call->words[0], &error)) {
        return cli_complain(&error);
    }
    session->has_workers = ek_timing_named(session->replay.recorded.experiment.timing) == EK_IN_FREE;
    cli_plugin_interrupt_catch(call);
    bool good = read_show(session, &error) && begin_overlaps(session, &error) && open_timeline(session, &error) &&
                repeat_turns(session, &error) && (!session->overlaps || cli_overlaps_end(session->overlaps, &error));
    cli_interrupt_release();
    good = close_timeline(session, good, &error);
    enum ek_status status = good ? present(session, &error) : cli_complain(&error);
    if (session->overlaps) {
        cli_overlaps_destroy(session->overlaps);
    }
    free(session->moment);
    lab_replay_close(&session->replay);
    return status;
}

static enum ek_status replay(const struct cli_call *call, const void *values)
{
    const struct options *options = values;
    struct ek_error error;
    if (!cli_file_may_be(call->words[0], CLI_FILE_RECORDING, &error)) {
        return cli_complain(&error);
    }
    if (options->then) {
        const struct cli_then then = {.spec = options->then,
                                      .file = call->words[0],
                                      .recording = options->record,
                                      .until = options->until,
                                      .turns_most = options->turns};
        return cli_then(call, &then, &options->view);
    }
    struct session session = {.options = options,
                              .until = options->until > 0 ? options->until : options->to,
                              .words = options->from > 0 || options->to > 0 || options->show};
    return show(&session, call);
}

const struct cli_command cli_replay = {
    .name = "replay",
    .argument = "FILE",
    .summary = "repeat a recorded run, turn by turn",
    .more = "FILE is a recording of `run --record`. The run is repeated on one thread, to the last bit, checked "
            "against its record, and printed as `run` did. In a *turn* one processor takes the messages that have "
            "arrived, and acts. The status is 0, also if the recording is incomplete; 1 if the run violates an "
            "invariant; 2 if it cannot be repeated.",
    .options = own,
    .size = sizeof(struct options),
    .act = replay};
