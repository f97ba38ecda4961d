// SPDX-License-Identifier: MIT
// States of a run.
#include "threads/drivers/explore/state.h"

#include <string.h>

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t *put_processor(uint64_t *word, const struct free_run *run, uint32_t p)
{
    const struct free_processor *processor = &run->processor[p];
    const struct free_worker *worker = &run->worker[free_worker_of(run, p)];
    uint64_t pass = worker->look.pass;
    struct free_alone alone = run->alone ? run->alone[p] : (struct free_alone){0};
    bool reserved = alone.reserved_until > pass;
    *word++ = pass;
    *word++ = bits_of(processor->held);
    *word++ = bits_of(processor->native);
    *word++ = bits_of(alone.level);
    *word++ = processor->operation;
    *word++ = (uint64_t)processor->waiting << 32 | processor->engaged;
    *word++ = (uint64_t)processor->cursor << 32 | processor->pause;
    *word++ = reserved ? alone.reserved_until - pass : 0;
    *word++ = reserved ? (uint64_t)alone.reserved_port << 32 | alone.reserved_age : 0;
    *word++ = (uint64_t)processor->age << 32 | (uint64_t)processor->phase << 8 | (uint64_t)processor->second << 3 |
              (uint64_t)processor->withdrawn << 2 | (uint64_t)processor->any_joined << 1 | (processor->wanted_at > 0);
    return word;
}

static uint64_t *put_port(uint64_t *word, const struct ek_explore *explore, uint32_t port)
{
    const struct free_run *run = explore->run;
    const struct free_port *here = &run->port[port];
    const struct explore_under_way *way = &explore->checker.way[port];
    *word++ = (uint64_t)here->member << 56 | (uint64_t)(run->moves_objects && here->engaged && here->gives) << 49 |
              (uint64_t)here->engaged << 48 | (uint64_t)here->kept.count << 40 | (uint64_t)here->waiting << 24 |
              (uint64_t)here->room << 8 | way->count;
    *word++ = bits_of(here->neighbour_level);
    *word++ = bits_of(here->asked); // or what it got
    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t bound = explore->checker.bound;
        const struct mail_message *message = &explore->checker.place[(size_t)port * bound + (way->first + i) % bound];
        *word++ = message->stamp & 0xFFFF; // without the time
        *word++ = bits_of(message->amount);
    }
    return word;
}

static uint64_t *put_worker(uint64_t *word, const struct explore_worker *worker, uint32_t passed)
{
    *word++ = (uint64_t)passed << 32 | (uint64_t)worker->own << 3 | (uint64_t)worker->rung << 2 |
              (uint64_t)worker->any << 1 | worker->unseen;
    *word++ = (uint64_t)worker->turns.place << 32 | worker->turns.next;
    return word;
}

static uint64_t *put_doubles(uint64_t *word, const double *values, size_t count)
{
    if (count > 0) {
        memcpy(word, values, count * sizeof *word);
    }
    return word + count;
}

size_t explore_state_most(const struct ek_explore *explore)
{
    enum { OF_PROCESSOR = 10, OF_PORT = 3, OF_WORKER = 2 };
    const struct free_run *run = explore->run;
    const struct ek_plan *plan = &run->machine->method_plan;
    return (size_t)run->topology->processors * (OF_PROCESSOR + plan->state_doubles) +
           (size_t)run->topology->ports * (OF_PORT + 2 * explore->checker.bound + plan->port_doubles) +
           (size_t)run->machine->workers * OF_WORKER +
           (run->moves_objects ? cargo_objects_words_most(&run->objects) : 0);
}

size_t explore_state_put(const struct ek_explore *explore, const uint32_t *passed, uint64_t *words)
{
    const struct free_run *run = explore->run;
    const struct ek_plan *plan = &run->machine->method_plan;
    uint64_t *word = words;
    for (uint32_t p = 0; p < run->topology->processors; p++) {
        word = put_processor(word, run, p);
    }
    for (uint32_t port = 0; port < run->topology->ports; port++) {
        word = put_port(word, explore, port);
    }
    for (unsigned w = 0; w < run->machine->workers; w++) {
        word = put_worker(word, &explore->worker[w], passed[w]);
    }
    word = put_doubles(word, run->state, (size_t)run->topology->processors * plan->state_doubles);
    word = put_doubles(word, run->memory, (size_t)run->topology->ports * plan->port_doubles);
    word = run->moves_objects ? cargo_objects_put_words(&run->objects, word) : word;
    return (size_t)(word - words);
}
