// SPDX-License-Identifier: MIT
// A text that says what every processor does and waits for, after the watchdog or a violation has ended a run. The
// workers have ended, so their state no longer changes.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/free/control/left.h"
#include "threads/free/control/report.h"
#include "threads/free/control/transport.h"
#include "threads/free/processor.h"

enum { LINES_MAX = 64, LINE_MAX = 256 };

struct text {
    char *characters;
    size_t length, room;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
    if (text->room - text->length < LINE_MAX) {
        char *grown = realloc(text->characters, text->room + 16 * LINE_MAX);
        if (!grown) {
            return;
        }
        text->characters = grown;
        text->room += 16 * LINE_MAX;
    }
    va_list list;
    va_start(list, format);
    int written = vsnprintf(text->characters + text->length, LINE_MAX, format, list);
    va_end(list);
    size_t most = LINE_MAX - 1;
    text->length += written < 0 ? 0 : (size_t)written < most ? (size_t)written : most;
}

static void append(struct text *text, const char *lines)
{
    size_t length = strlen(lines);
    char *grown = realloc(text->characters, text->length + length + 1);
    if (grown) {
        memcpy(grown + text->length, lines, length + 1);
        *text = (struct text){grown, text->length + length, text->length + length + 1};
    }
}

// Returns the port of p over which an answer is missing, or UINT32_MAX.
static uint32_t awaited(const struct free_run *run, uint32_t p)
{
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        enum free_member member = (enum free_member)run->port[port].member;
        if (member == FREE_MEMBER_ASKED || member == FREE_MEMBER_PULLED) {
            return port;
        }
    }
    return UINT32_MAX;
}

static void add_processor(struct text *text, const struct free_control *control, uint32_t p)
{
    const struct free_run *run = &control->run;
    static const char *const causes[EK_WAITS] = {[EK_WAIT_ANSWER] = "waits for an answer",
                                                 [EK_WAIT_PEER] = "waits for a neighbour's operation to end",
                                                 [EK_WAIT_ROOM] = "waits for room in a mailbox",
                                                 [EK_WAIT_TURNED] = "was refused and pauses",
                                                 [EK_WAIT_IDLE] = "has nothing to do"};
    const struct free_processor *processor = &run->processor[p];
    uint64_t ended_ns = control->attendant.ended_ns;
    unsigned epoch = atomic_load_explicit(&run->shared.epoch, memory_order_relaxed); // the workers have ended
    add(text, "processor %u: load %.10g, %s, in %u operations of neighbours", p, processor->held,
        causes[free_waiting_for(&run->worker[free_worker_of(run, p)], p)], processor->engaged);
    if (processor->phase != FREE_PHASE_IDLE) {
        add(text, ", its own operation %llu %s for %.3g ms", (unsigned long long)processor->operation,
            processor->phase == FREE_PHASE_ASKING ? "has asked" : "has settled",
            1e-6 * (double)(ended_ns > processor->begun_at ? ended_ns - processor->begun_at : 0));
    }
    if (processor->age > 0) {
        add(text, ", refused or postponed in %u turns", processor->age);
    }
    if (processor->epoch != epoch || processor->markers > 0) {
        add(text, ", %u markers of snapshot %u missing", processor->markers, epoch);
    }
    add(text, "%s\n", control->attendant.slept[free_worker_of(run, p)] ? ", asleep" : "");
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        uint8_t member = run->port[port].member;
        bool waits = member == FREE_MEMBER_ASKED || member == FREE_MEMBER_PULLED;
        struct free_left left = free_left_at(control, port);
        if (waits || left.messages > 0 || run->port[port].kept.count > 0) {
            add(text, "  link to %u: %s%llu messages under way from there, %u kept for it\n",
                run->topology->neighbour[port],
                member == FREE_MEMBER_ASKED    ? "waits for an answer; "
                : member == FREE_MEMBER_PULLED ? "waits for load; "
                                               : "",
                (unsigned long long)left.messages, run->port[port].kept.count);
        }
    }
}

// Returns whether p is shown: it has something to do, or a message is under way to it.
static bool is_busy(const struct free_control *control, uint32_t p)
{
    const struct free_run *run = &control->run;
    bool busy =
        free_waiting_for(&run->worker[free_worker_of(run, p)], p) != EK_WAIT_IDLE || run->processor[p].engaged > 0;
    for (uint32_t port = run->topology->first[p]; port < run->topology->first[p + 1]; port++) {
        busy = busy || free_left_at(control, port).messages > 0;
    }
    return busy;
}

// A dump that is being written.
struct dump {
    struct free_control *control;
    struct text text;  // of all processes
    struct text here;  // the lines of this process in the current pass
    uint32_t shown;    // lines of all processes in this pass, also those beyond LINES_MAX
    uint32_t idle;     // processors that have nothing to do
    uint32_t *awaited; // by processor: the neighbour whose answer is missing, or NOBODY; NULL: no memory
};

#define NOBODY UINT32_MAX

// Counts a line about processor p. Returns whether this process writes it.
static bool takes_line(struct dump *dump, uint32_t p)
{
    return dump->shown++ < LINES_MAX && free_has_here(dump->control, p);
}

static void put_processor(void *context, uint32_t p, double *words)
{
    const struct dump *dump = context;
    const struct free_run *run = &dump->control->run;
    uint32_t port = awaited(run, p);
    words[0] = is_busy(dump->control, p);
    words[1] = port == UINT32_MAX ? (double)NOBODY : run->topology->neighbour[port];
}

static void take_processor(void *context, uint32_t p, const double *words)
{
    struct dump *dump = context;
    if (dump->awaited) {
        dump->awaited[p] = (uint32_t)words[1];
    }
    if (words[0] == 0.0) {
        dump->idle++;
    } else if (takes_line(dump, p)) {
        add_processor(&dump->here, dump->control, p);
    }
}

// Adds a cycle of processors in which each waits for an answer of the next, if there is one.
static void add_cycle(struct dump *dump, uint32_t processors)
{
    const uint32_t *next = dump->awaited;
    uint32_t *seen = calloc(processors + 1u, sizeof *seen);
    for (uint32_t start = 0; seen && start < processors; start++) {
        uint32_t p = start;
        while (seen[p] == 0 && next[p] != NOBODY) {
            seen[p] = start + 1;
            p = next[p];
        }
        if (seen[p] == start + 1) {
            add(&dump->text, "a cycle of waits: %u", p);
            uint32_t at = p;
            do {
                at = next[at];
                add(&dump->text, " -> %u", at);
            } while (at != p);
            add(&dump->text, "\n");
            break;
        }
        seen[p] = seen[p] == 0 ? start + 1 : seen[p];
    }
    free(seen);
}

// Returns the load that was lost on the link to a port: it was sent, and is neither received nor under way. A negative
// load was created there. Returns 0 if the difference is a rounding error.
static double gap_at(const struct free_control *control, uint32_t port)
{
    const struct free_run *run = &control->run;
    double sent = run->sent[run->topology->twin[port]];
    double gap = sent - run->received[port] - free_left_at(control, port).load;
    return fabs(gap) <= 1e-12 * sent ? 0.0 : gap;
}

static void put_gap(void *context, uint32_t port, double *words)
{
    words[0] = gap_at(((const struct dump *)context)->control, port) != 0.0;
}

static void take_gap(void *context, uint32_t port, const double *words)
{
    struct dump *dump = context;
    const struct free_run *run = &dump->control->run;
    uint32_t twin = run->topology->twin[port];
    if (words[0] != 0.0 && takes_line(dump, run->topology->neighbour[twin])) {
        add(&dump->here, "link from %u to %u: %.17g sent, %.17g received, %.17g under way\n",
            run->topology->neighbour[port], run->topology->neighbour[twin], run->sent[twin], run->received[port],
            free_left_at(dump->control, port).load);
    }
}

// Makes a pass, and appends the lines of all processes.
static void make_pass(struct dump *dump, const struct rank_pass *pass)
{
    struct free_transport *transport = dump->control->transport;
    dump->here = (struct text){0};
    dump->shown = 0;
    transport->pass(transport, dump->control, pass);
    char *lines = transport->join(transport, dump->control, dump->here.characters);
    append(&dump->text, lines ? lines : "");
    free(lines);
}

char *free_dump(struct free_control *control)
{
    const struct free_run *run = &control->run;
    uint32_t processors = run->topology->processors;
    struct dump dump = {.control = control, .awaited = malloc((processors + 1u) * sizeof *dump.awaited)};
    make_pass(&dump, &(struct rank_pass){.context = &dump, .words = 2, .put = put_processor, .take = take_processor});
    if (dump.shown > LINES_MAX) {
        add(&dump.text, "and %u more processors\n", dump.shown - LINES_MAX);
    }
    add(&dump.text, "%u processors have nothing to do\n", dump.idle);
    if (dump.awaited) {
        add_cycle(&dump, processors);
    }
    if (run->sent && run->received) {
        make_pass(&dump, &(struct rank_pass){
                             .context = &dump, .ports = run->topology, .words = 1, .put = put_gap, .take = take_gap});
    }
    free(dump.awaited);
    return dump.text.characters;
}
