// SPDX-License-Identifier: MIT
// The tape of a run in virtual time.
#include "threads/drivers/virtual/virtual_marks.h"

// The functions of xxHash become part of this file, so that the library does not depend on another one.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <string.h>

#include "threads/api/experiment.h"
#include "threads/api/replay.h"
#include "threads/drivers/virtual/virtual_ranks.h"
#include "threads/free/control/end.h"

// The turns between two marks: so many, and EACH for each processor. A mark costs about as much as a turn for ten
// processors.
enum { MARK_TURNS = 1 << 14, MARK_TURNS_EACH = 16, NUMBER_BYTES = 8 };

// The data of a processor that go into a mark.
struct print {
    double held;
    uint64_t operation, turns;
};

RANK_PASSES(struct print);

enum { PRINT_WORDS = sizeof(struct print) / sizeof(double), TOGETHER = 64 };

// Prints that are hashed in the order of processors, some together.
struct prints {
    const struct virtual_machine *machine;
    XXH64_state_t state;
    double words[TOGETHER * PRINT_WORDS];
    size_t count;
};

static void hash(struct prints *prints)
{
    XXH64_update(&prints->state, prints->words, prints->count * sizeof(struct print));
    prints->count = 0;
}

static void put_print(void *context, uint32_t p, double *words)
{
    const struct virtual_machine *machine = ((const struct prints *)context)->machine;
    const struct free_processor *processor = &machine->run->processor[p];
    struct print print = {.held = processor->held, .operation = processor->operation, .turns = machine->turns[p]};
    memcpy(words, &print, sizeof print);
}

static void add_print(void *context, uint32_t p, const double *words)
{
    struct prints *prints = context;
    (void)p;
    memcpy(prints->words + prints->count++ * PRINT_WORDS, words, sizeof(struct print));
    if (prints->count == TOGETHER) {
        hash(prints);
    }
}

static uint64_t hash_of(const struct virtual_machine *machine)
{
    struct prints prints = {.machine = machine};
    struct free_transport *transport = machine->control->transport;
    XXH64_reset(&prints.state, 0);
    transport->pass(transport, machine->control,
                    &(struct rank_pass){.context = &prints, .words = PRINT_WORDS, .put = put_print, .take = add_print});
    hash(&prints);
    return XXH64_digest(&prints.state);
}

// Returns whether 8 bytes belong to an entry.
static bool has_number(enum virtual_entry entry)
{
    return entry == VIRTUAL_MARK || entry == VIRTUAL_LAST;
}

// ---- writing ----

static void write_entry(struct virtual_machine *machine, enum virtual_entry entry)
{
    enum { VARINT_MOST = 10 };
    struct virtual_marks *marks = &machine->marks;
    uint8_t bytes[VARINT_MOST + 1 + NUMBER_BYTES];
    size_t count = 0;
    uint64_t advance = marks->tests - marks->entered;
    for (; advance >= 128; advance >>= 7) {
        bytes[count++] = (uint8_t)(advance & 127) | 128;
    }
    bytes[count++] = (uint8_t)advance;
    bytes[count++] = (uint8_t)entry;
    uint64_t number = entry == VIRTUAL_MARK ? hash_of(machine) : virtual_turns_so_far(machine);
    for (unsigned i = 0; has_number(entry) && i < NUMBER_BYTES; i++) {
        bytes[count++] = (uint8_t)(number >> 8 * i);
    }
    marks->entered = marks->tests;
    marks->refused = marks->refused || !marks->recorder->write(marks->recorder->context, 0, bytes, count);
}

static void write_mark(struct virtual_machine *machine)
{
    uint64_t turns = virtual_turns_so_far(machine);
    uint64_t between = MARK_TURNS + (uint64_t)MARK_TURNS_EACH * machine->run->topology->processors;
    if (turns - machine->marks.turns >= between) {
        machine->marks.turns = turns;
        write_entry(machine, VIRTUAL_MARK);
    }
}

// Returns whether someone asks the run to end, and what is to be written then.
static bool is_asked(const struct virtual_machine *machine, enum virtual_entry *request)
{
    const struct free_control *control = machine->control;
    // In several processes they end together, when they have exchanged that one of them refused an entry.
    bool interrupted = machine->interrupted || (machine->marks.refused && !machine->ranks);
    *request = interrupted ? VIRTUAL_INTERRUPT : VIRTUAL_TOO_LONG;
    return !free_drains(control) && (interrupted || machine->marks.too_long);
}

// ---- reading ----

// Returns the next byte of the tape, or 0 at its end. The machine cannot follow the tape then.
static unsigned read_byte(struct virtual_marks *marks)
{
    if (marks->at == marks->end) {
        size_t count = marks->status == EK_REPLAY_TURN ? marks->tape->read(marks->tape->context, 0, &marks->at) : 0;
        marks->end = marks->at + count;
        if (count == 0) {
            marks->at = marks->end = NULL;
            marks->status = EK_REPLAY_CUT;
            return 0;
        }
    }
    return *marks->at++;
}

// Reads the next entry.
static void read_entry(struct virtual_marks *marks)
{
    uint64_t advance = 0;
    unsigned byte = 128;
    for (unsigned shift = 0; byte >= 128 && shift < 64; shift += 7) {
        byte = read_byte(marks);
        advance |= (uint64_t)(byte & 127) << shift;
    }
    unsigned entry = read_byte(marks);
    marks->entered += advance;
    marks->next = (enum virtual_entry)entry;
    marks->number = 0;
    for (unsigned i = 0; has_number(marks->next) && i < NUMBER_BYTES; i++) {
        marks->number |= (uint64_t)read_byte(marks) << 8 * i;
    }
    if (marks->status == EK_REPLAY_TURN && (byte >= 128 || entry > VIRTUAL_LAST)) {
        marks->status = EK_REPLAY_MISFIT;
    }
}

// Reads the entries of the current test. Returns whether one is a request.
static bool follow(struct virtual_machine *machine, enum virtual_entry *request)
{
    struct virtual_marks *marks = &machine->marks;
    bool asked = false;
    while (marks->status == EK_REPLAY_TURN && marks->entered == marks->tests && marks->next != VIRTUAL_LAST) {
        if (marks->next == VIRTUAL_MARK && marks->number != hash_of(machine)) {
            marks->status = EK_REPLAY_MISFIT;
            return false;
        }
        if (marks->next != VIRTUAL_MARK) {
            asked = true;
            *request = marks->next;
        }
        read_entry(marks);
    }
    return asked;
}

// ---- a run ----

void virtual_marks_begin(struct virtual_machine *machine, const struct ek_tape *tape)
{
    machine->marks = (struct virtual_marks){.recorder = machine->run->machine->experiment->recorder,
                                            .tape = tape,
                                            .next = VIRTUAL_LAST,
                                            .status = EK_REPLAY_TURN};
    if (tape) {
        read_entry(&machine->marks);
    }
}

bool virtual_marks_test(struct virtual_machine *machine, enum ek_ended *ended)
{
    struct virtual_marks *marks = &machine->marks;
    enum virtual_entry request;
    marks->tests++;
    if (marks->recorder) {
        write_mark(machine);
    }
    bool asked = marks->tape ? follow(machine, &request) : is_asked(machine, &request);
    if (asked) {
        *ended = request == VIRTUAL_INTERRUPT ? EK_ENDED_INTERRUPT : EK_ENDED_TIME;
        if (marks->recorder) {
            write_entry(machine, request);
        }
    }
    return asked;
}

bool virtual_marks_all_made(struct virtual_machine *machine)
{
    struct virtual_marks *marks = &machine->marks;
    bool made = marks->tape && marks->next == VIRTUAL_LAST && virtual_turns_so_far(machine) >= marks->number;
    if (made && marks->entered != marks->tests) {
        marks->status = EK_REPLAY_MISFIT;
    }
    return made;
}

void virtual_marks_check_end(struct virtual_machine *machine)
{
    struct virtual_marks *marks = &machine->marks;
    if (marks->tape && !virtual_marks_all_made(machine)) {
        marks->status = EK_REPLAY_MISFIT;
    }
}

void virtual_marks_end(struct virtual_machine *machine)
{
    if (machine->marks.recorder) {
        write_entry(machine, VIRTUAL_LAST);
    }
}
