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

// Adds a cycle of processors in which each waits for an answer of the next, if there is one.
static void add_cycle(struct text *text, const struct free_run *run)
{
    uint32_t processors = run->topology->processors;
    uint32_t *seen = calloc(processors + 1u, sizeof *seen);
    for (uint32_t start = 0; seen && start < processors; start++) {
        uint32_t p = start;
        uint32_t port;
        while (seen[p] == 0 && (port = awaited(run, p)) != UINT32_MAX) {
            seen[p] = start + 1;
            p = run->topology->neighbour[port];
        }
        if (seen[p] == start + 1) {
            add(text, "a cycle of waits: %u", p);
            uint32_t at = p;
            do {
                at = run->topology->neighbour[awaited(run, at)];
                add(text, " -> %u", at);
            } while (at != p);
            add(text, "\n");
            break;
        }
        seen[p] = seen[p] == 0 ? start + 1 : seen[p];
    }
    free(seen);
}

// Adds the links over which another load was received than was sent: load was lost or created there.
static void add_links(struct text *text, const struct free_control *control)
{
    const struct free_run *run = &control->run;
    uint32_t shown = 0;
    for (uint32_t port = 0; run->sent && run->received && port < run->topology->ports && shown < LINES_MAX; port++) {
        uint32_t twin = run->topology->twin[port];
        double load = free_left_at(control, port).load;
        double gap = run->sent[twin] - run->received[port] - load;
        if (!(fabs(gap) <= 1e-12 * run->sent[twin])) {
            add(text, "link from %u to %u: %.17g sent, %.17g received, %.17g under way\n",
                run->topology->neighbour[port], run->topology->neighbour[twin], run->sent[twin], run->received[port],
                load);
            shown++;
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

char *free_dump(const struct free_control *control)
{
    const struct free_run *run = &control->run;
    struct text text = {0};
    uint32_t shown = 0;
    uint32_t idle = 0;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        bool busy = is_busy(control, p);
        idle += !busy;
        if (busy && shown++ < LINES_MAX) {
            add_processor(&text, control, p);
        }
    }
    if (shown > LINES_MAX) {
        add(&text, "and %u more processors\n", shown - LINES_MAX);
    }
    add(&text, "%u processors have nothing to do\n", idle);
    add_cycle(&text, run);
    add_links(&text, control);
    return text.characters;
}
