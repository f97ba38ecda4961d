// SPDX-License-Identifier: MIT
// Free timing over ranks whose messages are lost or changed on their way, or come late: each ends the run with its own
// status and sentence, and load in a porter's mailbox stays in the books. The ranks are threads (rank_threads.h).
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tests/support/free_ranks.h"
#include "threads/free/post.h"

enum { CROSSING, AMOUNT, STAMP, WORDS }; // of the words exchanged

static enum free_kind kind_of(const double *words)
{
    uint64_t stamp;
    memcpy(&stamp, &words[STAMP], sizeof stamp);
    return free_message_kind(&(struct mail_message){.stamp = stamp});
}

// Turns a message into a notice of no room, so that it never arrives.
static void lose(double *words)
{
    words[AMOUNT] = 0.0;
    memset(&words[STAMP], 0, sizeof words[STAMP]);
}

static void lose_questions(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        if (kind_of(words + i) == FREE_ASK) {
            lose(words + i);
        }
    }
}

// A processor that never receives a request keeps its load, and its neighbours on other ranks wait for it. It is
// processor 6 of a mesh of which each rank has a box, not a stretch of successive processors.
static void deaf_one_in_a_box(void)
{
    struct tests_room room = {.count = 4, .garble = lose_questions};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "mesh:4x4",
                                       .method = "adf",
                                       .load = "peak:800@6",
                                       .invoke = "at:5,10",
                                       .stop = "never",
                                       .watchdog_s = 0.1,
                                       .seconds_max = 0.02};
    tests_carry_free(&room, seat, &experiment);
    const struct tests_outcome *outcome = &seat[3].outcome;
    const char *dump = outcome->report.free.dump;
    tests_note(outcome->status == EK_STUCK && outcome->report.final[6] == 800.0, "who is deaf in a box",
               outcome->error.sentence);
    tests_note(dump && strstr(dump, "link to 6: waits for "), "the dump", dump ? dump : "");
    const struct ek_report *report = &outcome->report;
    tests_note(report->blocks == EK_BLOCKS_BOXES && report->cut == 8 && report->cut_in_order == 12, "boxes", "");
    tests_leave(&room, seat);
}

// Finds the first message of a kind and without a flag, once.
static double *find(double *words, size_t count, enum free_kind kind, bool *done)
{
    for (size_t i = 0; !*done && i + WORDS <= count; i += WORDS) {
        uint64_t stamp;
        memcpy(&stamp, &words[i + STAMP], sizeof stamp);
        if ((stamp & UINT16_MAX) == kind) {
            *done = true;
            return &words[i];
        }
    }
    return NULL;
}

static bool done;

// Makes a GIVE larger than what was given.
static void give_more(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    double *found = find(words, count, FREE_GIVE, &done);
    if (found) {
        found[AMOUNT] += 1.0;
    }
}

// Makes the amount of a GIVE impossible. The second rank's worker notices it.
static void give_less(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    double *found = find(words, count, FREE_GIVE, &done);
    if (found) {
        found[AMOUNT] = -1.0;
    }
}

static void lose_question(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    double *found = find(words, count, FREE_ASK, &done);
    if (found) {
        lose(found);
    }
}

// Suppresses every notice of room, so that messages from here stay in the porter's mailboxes.
static void lose_room(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        if (words[i + STAMP] == 0.0) {
            words[i + AMOUNT] = 0.0;
        }
    }
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL); // it is the workers that use the processor
}

static void interrupt(struct tests_seat *seat, double *words, size_t count)
{
    (void)words;
    (void)count;
    if (seat->calls > 200 && !done) {
        done = true;
        ek_interrupt(seat->outcome.machine);
    }
}

static uint64_t messages_of_links(const struct ek_report *report)
{
    uint64_t messages = 0;
    for (uint32_t i = 0; i < report->free.link_count; i++) {
        messages += report->free.link[i].messages;
    }
    return messages;
}

static void end_all(void)
{
    static const struct {
        const char *what;
        unsigned deaf_after;
        void (*garble)(struct tests_seat *seat, double *words, size_t count);
        double seconds; // after which the run drains
        enum ek_status status;
        enum ek_ended ended;
        const char *sentence; // that the sentence contains
    } kinds[] = {
        {"a gift that grew", 0, give_more, 60.0, EK_VIOLATION, EK_ENDED_VIOLATION, "of load was lost or made"},
        {"a gift that is none", 0, give_less, 60.0, EK_VIOLATION, EK_ENDED_VIOLATION, "an amount that is no load"},
        {"a lost question", 0, lose_question, 0.2, EK_STUCK, EK_ENDED_STUCK,
         "the list of processors shows what each waits for"},
        {"an interrupt of one", 0, interrupt, 60.0, EK_UNREACHED, EK_ENDED_INTERRUPT, ""},
        {"a deaf rank, before", 2, NULL, 60.0, EK_BAD_INPUT, EK_ENDED_CRITERION, "another rank does not answer"},
        {"a deaf rank", 100, NULL, 60.0, EK_BAD_INPUT, EK_ENDED_CRITERION, "another rank does not answer"},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct tests_room room = {.count = 2, .deaf_after = kinds[i].deaf_after, .garble = kinds[i].garble};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = {.topology = "torus:4x4",
                                           .method = "adf",
                                           .units = "tokens",
                                           .stop = "never",
                                           .keep_links = true,
                                           .watchdog_s = 0.5,
                                           .seconds_max = kinds[i].seconds};
        done = false;
        tests_carry_free(&room, seat, &experiment);
        const struct tests_outcome *outcome = &seat[1].outcome;
        char found[700];
        snprintf(found, sizeof found, "status %d, ended %d: %s", (int)outcome->status, (int)outcome->report.ended,
                 outcome->error.sentence);
        tests_note(outcome->status == kinds[i].status && strstr(outcome->error.sentence, kinds[i].sentence),
                   kinds[i].what, found);
        tests_note(outcome->status == EK_BAD_INPUT || outcome->report.ended == kinds[i].ended, kinds[i].what, found);
        tests_note(outcome->status == EK_BAD_INPUT || messages_of_links(&outcome->report) == outcome->report.messages,
                   kinds[i].what, "messages");
        const char *dump = outcome->report.free.dump;
        tests_note(outcome->status != EK_STUCK || (dump && strstr(dump, ": waits for an answer")), "the dump",
                   dump ? dump : "");
        tests_leave(&room, seat);
    }
}

// Returns how many messages on the link from processor 4 to 0 are in the porter's mailbox, after the receiver has
// taken the others; or UINT_MAX if the dump does not show this.
static unsigned in_porters_mailbox(const char *dump)
{
    unsigned under_way = 0, kept = 0;
    const char *here = dump ? strstr(dump, "link to 4: ") : NULL;
    const char *there = dump ? strstr(dump, "link to 0: 0 messages under way from there, ") : NULL;
    bool said = here && there && sscanf(here, "link to 4: %u messages", &under_way) == 1 &&
                sscanf(there, "link to 0: 0 messages under way from there, %u kept", &kept) == 1;
    return said ? under_way - kept : UINT_MAX;
}

// Load in a porter's mailboxes at the end is in flight, and in the ledger. On a busy machine a run may end before
// the mailboxes are full or before the other rank has looked, so each run has twice the time of the one before. The
// first rank's watchdog sees that the other's worker has turns; otherwise it would wait for ever.
static void strand_load(void)
{
    bool full = false, soon = false, good = true;
    double seconds = 0.1;
    for (unsigned i = 0; i < 8 && good && !(full && soon); i++, seconds *= 2.0) {
        clock_t before = clock();
        struct tests_room room = {.count = 2, .garble = lose_room};
        struct tests_seat seat[TESTS_RANKS_MAX];
        struct ek_experiment experiment = {.topology = "complete:8",
                                           .method = "sender:1/(2deg)",
                                           .announce = "pushed",
                                           .load = "peak:4096@7",
                                           .mailbox = "spsc:4",
                                           .watchdog_s = 0.3,
                                           .seconds_max = seconds};
        tests_carry_free(&room, seat, &experiment);
        const struct tests_outcome *outcome = &seat[1].outcome;
        bool stuck = outcome->status == EK_STUCK, in_flight = outcome->report.in_flight > 0.0;
        full = full || (stuck && in_flight && in_porters_mailbox(outcome->report.free.dump) == 4);
        soon = soon || (stuck && (double)(clock() - before) < (seconds + 4 * 0.3) * CLOCKS_PER_SEC);
        good = stuck || (outcome->status == EK_UNREACHED && !in_flight);
        tests_note(good, "no word of room", outcome->error.sentence);
        tests_leave(&room, seat);
    }
    tests_note(full, "load in a porter's mailbox", "not one was full in eight runs");
    tests_note(soon, "a watchdog that sees turns", "none in eight runs");
}

// The number of messages in the last pack for rank 1 that was not empty, and whether a pack with fewer than four
// messages came after a full one. A full pack has four. Meanwhile the workers fill all mailboxes.
static unsigned came;
static bool partly;

static void count_messages(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    unsigned messages = 0;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        messages += words[i + STAMP] != 0.0;
    }
    partly = partly || (came == 4 && messages > 0 && messages < 4);
    came = messages > 0 ? messages : came;
    nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
}

// Reports more room than there is.
static void say_more_room(struct tests_seat *seat, double *words, size_t count)
{
    (void)seat;
    for (size_t i = 0; i + WORDS <= count; i += WORDS) {
        words[i + AMOUNT] += words[i + STAMP] == 0.0 ? 100.0 : 0.0;
    }
}

// Carries two processors on a rank each. They announce a new load in each turn, and one of them has few turns.
static void announce_to_sleeper(const char *slow, void (*garble)(struct tests_seat *, double *, size_t),
                                enum ek_status status, const char *sentence)
{
    struct tests_room room = {.count = 2, .garble = garble};
    struct tests_seat seat[TESTS_RANKS_MAX];
    struct ek_experiment experiment = {.topology = "chain:2",
                                       .method = "sender:1/(2deg)",
                                       .announce = "pushed",
                                       .stop = "never",
                                       .work = "constant:0=8,1=8",
                                       .mailbox = "spsc:7",
                                       .slow = slow,
                                       .seconds_max = status == EK_OK ? 0.1 : 60.0};
    tests_carry_free(&room, seat, &experiment);
    const struct tests_outcome *outcome = &seat[1].outcome;
    tests_note(outcome->status == status && strstr(outcome->error.sentence, sentence), slow, outcome->error.sentence);
    tests_leave(&room, seat);
}

// If messages wait for a receiver that takes none, a pack has four of them, and then as many as there is room for.
// On a busy machine there may have been fewer before.
static void fill_mailboxes(void)
{
    for (unsigned i = 0; i < 12 && !partly; i++) {
        announce_to_sleeper("1:2000", count_messages, EK_OK, "");
    }
    tests_note(partly, "room for some of what waits", "none in twelve runs");
    announce_to_sleeper("0:1000", say_more_room, EK_VIOLATION,
                        "rank 1 sent more messages over the link from processor 1 to 0 than rank 0 had room for");
}

static const struct tests_check checks[] = {
    {"deaf", deaf_one_in_a_box},
    {"end", end_all},
    {"strand", strand_load},
    {"fill", fill_mailboxes},
};

int main(int count, char **argument)
{
    return tests_free_ranks_main(checks, sizeof checks / sizeof *checks, count, argument);
}
