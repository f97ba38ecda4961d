// SPDX-License-Identifier: MIT
// Delay lines.
#include "threads/mail/delay_line.h"

#include <math.h>

#include "core/measure.h"
#include "base/debug.h"

void mail_delay_lines_plan(struct mail_delay_lines *lines, const struct ek_link_model *links, uint64_t seed,
                           uint32_t ports, struct base_arena *memory)
{
    // A port receives one message in each step, and no message stays longer than the longest delay.
    uint32_t depth = (uint32_t)core_links_delay_most(links) + 2;
    *lines = (struct mail_delay_lines){.links = links, .seed = seed, .depth = depth};
    base_arena_plan(memory, &lines->known, ports, sizeof *lines->known);
    base_arena_plan(memory, &lines->announced, (uint64_t)ports * depth, sizeof *lines->announced);
    base_arena_plan(memory, &lines->parcels, (uint64_t)ports * depth, sizeof *lines->parcels);
    base_arena_plan(memory, &lines->announced_queue, ports, sizeof *lines->announced_queue);
    base_arena_plan(memory, &lines->parcel_queue, ports, sizeof *lines->parcel_queue);
}

static void put(struct mail_delay_queue *queue, struct mail_delayed *place, uint32_t depth, struct mail_delayed message)
{
    BASE_DEBUG_ASSERT(queue->count < depth);
    place[(queue->first + queue->count++) % depth] = message;
}

// Takes the next message if it is due at `now`; otherwise returns false.
static bool take(struct mail_delay_queue *queue, const struct mail_delayed *place, uint32_t depth, uint64_t now,
                 double *amount)
{
    if (queue->count == 0 || place[queue->first].due > now) {
        return false;
    }
    *amount = place[queue->first].amount;
    queue->first = (queue->first + 1) % depth;
    queue->count--;
    return true;
}

void mail_delay_announcement(struct mail_delay_lines *lines, uint32_t port, uint64_t now, double announced)
{
    struct mail_delayed *place = lines->announced + (size_t)port * lines->depth;
    struct mail_delay_queue *queue = &lines->announced_queue[port];
    uint64_t due = core_link_arrives(lines->links, false, lines->seed, port, now, now);
    put(queue, place, lines->depth, (struct mail_delayed){due, announced});
    while (take(queue, place, lines->depth, now, &lines->known[port])) {
    }
}

double mail_delay_parcel(struct mail_delay_lines *lines, uint32_t port, uint64_t sent, double amount)
{
    struct mail_delayed *place = lines->parcels + (size_t)port * lines->depth;
    struct mail_delay_queue *queue = &lines->parcel_queue[port];
    if (amount > 0.0) {
        uint64_t due = core_link_arrives(lines->links, true, lines->seed, port, sent, sent);
        put(queue, place, lines->depth, (struct mail_delayed){due > sent ? due : sent + 1, amount});
    }
    double due = 0.0;
    double total = 0.0;
    while (take(queue, place, lines->depth, sent + 1, &due)) {
        total += due;
    }
    return total;
}

double mail_delay_cut(struct mail_delay_lines *lines, uint32_t port, uint64_t *parcels)
{
    double load = 0.0;
    double amount = 0.0;
    while (take(&lines->parcel_queue[port], lines->parcels + (size_t)port * lines->depth, lines->depth, UINT64_MAX,
                &amount)) {
        load += amount;
        ++*parcels;
    }
    lines->parcel_queue[port] = lines->announced_queue[port] = (struct mail_delay_queue){0};
    lines->known[port] = NAN;
    return load;
}

void mail_delay_add_in_flight(const struct mail_delay_lines *lines, uint32_t from, uint32_t to, double *sum,
                              double *lost)
{
    for (uint32_t port = from; port < to; port++) {
        const struct mail_delay_queue *queue = &lines->parcel_queue[port];
        for (uint32_t i = 0; i < queue->count; i++) {
            uint32_t place = (queue->first + i) % lines->depth;
            core_measure_add(sum, lost, lines->parcels[(size_t)port * lines->depth + place].amount);
        }
    }
}

double mail_delay_in_flight(const struct mail_delay_lines *lines, uint32_t ports)
{
    double sum = 0.0;
    double lost = 0.0;
    mail_delay_add_in_flight(lines, 0, lines->links ? ports : 0, &sum, &lost);
    return isfinite(lost) ? sum + lost : sum;
}
