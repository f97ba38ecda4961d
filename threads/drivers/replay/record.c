// SPDX-License-Identifier: MIT
// Looks, written down. How chunks go from hand to hand has a model: tests/models/recorder.pml.
#include "threads/drivers/replay/record.h"

#include "threads/free/look.h"
#include "threads/drivers/replay/tape.h"
#include "threads/host/workers.h"
#include "base/cursor.h"

// Chunks beside the workers' own: those that wait to be written.
enum { SPARE_LEAST = 64, SPARE_SHARE = 4, WRITER_STACK = 256 * 1024 };

static struct free_chunk *empty_chunk(struct free_recorder *recorder, uint32_t worker)
{
    struct free_chunk *chunk = recorder->free;
    recorder->free = chunk->next;
    chunk->next = NULL;
    chunk->worker = worker;
    chunk->count = 0;
    return chunk;
}

static void append(struct free_recorder *recorder, struct free_chunk *full)
{
    if (recorder->first) {
        recorder->last->next = full;
    } else {
        recorder->first = full;
    }
    recorder->last = full;
    pthread_cond_signal(&recorder->filled);
}

// Until there is an empty chunk, under the lock. It is counted.
static void wait_for_chunk(struct free_run *run)
{
    struct free_recorder *recorder = &run->recorder;
    if (recorder->free) {
        return;
    }
    uint64_t began_ns = free_now(run);
    while (!recorder->free) {
        pthread_cond_wait(&recorder->freed, &recorder->lock);
    }
    recorder->waits++;
    recorder->waited_ns += free_now(run) - began_ns;
}

// Hands the worker's chunk over, and waits for another. That may be in the midst of a turn, so who waits keeps the link
// table that it sees: a change of it waits too (links.h), and faults come late.
static void turn_over(struct free_worker *worker, struct free_chunk **own)
{
    struct free_recorder *recorder = &worker->run->recorder;
    pthread_mutex_lock(&recorder->lock);
    append(recorder, *own); // from here on it is another's
    wait_for_chunk(worker->run);
    *own = empty_chunk(recorder, (uint32_t)(worker - worker->run->worker));
    pthread_mutex_unlock(&recorder->lock);
}

static void write_byte(struct free_worker *worker, unsigned byte)
{
    struct free_chunk **own = &worker->run->recorder.own[worker - worker->run->worker];
    if ((*own)->count == FREE_CHUNK_BYTES) {
        turn_over(worker, own);
    }
    (*own)->bytes[(*own)->count++] = (uint8_t)byte;
}

static void write_number(struct free_worker *worker, uint64_t number)
{
    for (; number >= 128; number >>= 7) {
        write_byte(worker, (unsigned)(number & 127) | 128);
    }
    write_byte(worker, (unsigned)number);
}

static unsigned flags_of(const struct free_look *look)
{
    return (look->over ? FREE_TAPE_OVER : 0u) | (look->draining ? FREE_TAPE_DRAINING : 0u) |
           (look->triggered ? FREE_TAPE_TRIGGERED : 0u) | (look->permits_left ? FREE_TAPE_PERMITS_LEFT : 0u);
}

static void around(struct free_worker *worker)
{
    struct free_look *look = &worker->look;
    struct free_look before = *look;
    worker->run->recorder.of->around(worker);
    look->now -= look->now % FREE_TAPE_GRAIN_NS;
    uint32_t *links = &worker->run->recorder.links[worker - worker->run->worker];
    uint32_t version = look->usable ? free_links_version(&worker->run->links, look->usable) : 0;
    unsigned changes = flags_of(look) | (version != *links ? FREE_TAPE_LINKS : 0u) |
                       (look->epoch != before.epoch ? FREE_TAPE_EPOCH : 0u) |
                       (look->permits != before.permits ? FREE_TAPE_PERMITS : 0u);
    bool more = changes != flags_of(&before); // also where a number has changed, whose bit `before` lacks
    write_number(worker, (look->now - before.now) / FREE_TAPE_GRAIN_NS << 1 | more);
    if (more) {
        write_byte(worker, changes);
    }
    if (changes & FREE_TAPE_EPOCH) {
        write_number(worker, look->epoch);
    }
    if (changes & FREE_TAPE_PERMITS) {
        write_number(worker, look->permits);
    }
    if (changes & FREE_TAPE_LINKS) {
        write_number(worker, version);
        *links = version;
    }
}

static bool has_news(const struct free_run *run, uint32_t port)
{
    const struct free_port *here = &run->port[port];
    return here->waiting > 0 || here->room != run->recorder.room[port];
}

static void write_bits(struct free_worker *worker, uint32_t first, uint32_t end)
{
    const struct free_run *run = worker->run;
    unsigned bits = 0;
    unsigned count = 0;
    for (uint32_t port = first; port < end; port++) {
        if (run->port[port].inside) {
            continue;
        }
        bits |= (unsigned)has_news(run, port) << count++;
        if (count == 8) {
            write_byte(worker, bits);
            bits = count = 0;
        }
    }
    if (count > 0) {
        write_byte(worker, bits);
    }
}

static void ports(struct free_worker *worker, uint32_t first, uint32_t end)
{
    struct free_run *run = worker->run;
    for (uint32_t port = first; port < end; port++) {
        run->recorder.room[port] = run->port[port].room;
    }
    run->recorder.of->ports(worker, first, end);
    write_bits(worker, first, end);
    for (uint32_t port = first; port < end; port++) {
        const struct free_port *here = &run->port[port];
        if (here->inside || !has_news(run, port)) {
            continue;
        }
        bool other_room = here->room != run->recorder.room[port];
        write_number(worker, (uint64_t)here->waiting << 1 | other_room);
        if (other_room) {
            write_number(worker, here->room);
        }
    }
}

static uint64_t now(const struct free_run *run)
{
    return run->recorder.of->now(run);
}

const struct free_world free_world_recorded = {.around = around, .ports = ports, .now = now};

// What a chunk needs to be handed on is the writer's alone meanwhile, so nobody waits for it. What is not taken is
// empty all the same: nobody waits for ever.
static void hand_on(struct free_run *run, struct free_chunk *chunk)
{
    struct free_recorder *recorder = &run->recorder;
    const struct ek_recorder *to = run->machine->experiment.recorder;
    if (!free_record_failed(run) && !to->write(to->context, chunk->worker, chunk->bytes, chunk->count)) {
        atomic_store_explicit(&recorder->failed, true, memory_order_relaxed);
    }
}

static void *write_all(void *context)
{
    struct free_run *run = context;
    struct free_recorder *recorder = &run->recorder;
    pthread_mutex_lock(&recorder->lock);
    while (recorder->first || !recorder->ends) {
        struct free_chunk *chunk = recorder->first;
        if (!chunk) {
            pthread_cond_wait(&recorder->filled, &recorder->lock);
            continue;
        }
        recorder->first = chunk->next;
        pthread_mutex_unlock(&recorder->lock);
        hand_on(run, chunk);
        pthread_mutex_lock(&recorder->lock);
        chunk->next = recorder->free;
        recorder->free = chunk;
        pthread_cond_signal(&recorder->freed);
    }
    pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

void free_record_plan(struct free_run *run, struct base_arena *memory)
{
    struct free_recorder *recorder = &run->recorder;
    uint64_t workers = run->machine->workers;
    uint64_t spare = workers / SPARE_SHARE;
    recorder->of = &free_world_threads;
    recorder->chunks = workers + (spare > SPARE_LEAST ? spare : SPARE_LEAST);
    base_arena_plan(memory, &recorder->chunk, recorder->chunks, sizeof *recorder->chunk);
    base_arena_plan(memory, &recorder->own, workers, sizeof *recorder->own);
    base_arena_plan(memory, &recorder->links, workers, sizeof *recorder->links);
    base_arena_plan(memory, &recorder->room, run->topology->ports, sizeof *recorder->room);
}

static bool begin_lock(struct free_recorder *recorder)
{
    if (pthread_mutex_init(&recorder->lock, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&recorder->filled, NULL) == 0) {
        if (pthread_cond_init(&recorder->freed, NULL) == 0) {
            return true;
        }
        pthread_cond_destroy(&recorder->filled);
    }
    pthread_mutex_destroy(&recorder->lock);
    return false;
}

static void end_lock(struct free_recorder *recorder)
{
    pthread_cond_destroy(&recorder->freed);
    pthread_cond_destroy(&recorder->filled);
    pthread_mutex_destroy(&recorder->lock);
}

static bool create_writer(struct free_run *run)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    sigset_t before;
    machine_workers_block_signals(&before);
    bool good = pthread_attr_setstacksize(&attributes, WRITER_STACK) == 0 &&
                pthread_create(&run->recorder.writer, &attributes, write_all, run) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return good;
}

static bool start_writer(struct free_run *run)
{
    if (!begin_lock(&run->recorder)) {
        return false;
    }
    bool good = create_writer(run);
    if (!good) {
        end_lock(&run->recorder);
    }
    return good;
}

bool free_record_begin(struct free_run *run, struct ek_error *error)
{
    struct free_recorder *recorder = &run->recorder;
    for (uint64_t i = recorder->chunks; i-- > 0;) {
        recorder->chunk[i].next = recorder->free;
        recorder->free = &recorder->chunk[i];
    }
    bool faults = free_faults(run->machine);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        recorder->own[w] = empty_chunk(recorder, w);
        recorder->links[w] = faults ? free_links_version(&run->links, free_links_read(&run->links)) : 0;
    }
    recorder->begun = start_writer(run);
    return recorder->begun ||
           base_fail(error, EK_BAD_INPUT, "", "the system gives no thread that could write the recording");
}

void free_record_end(struct free_run *run)
{
    struct free_recorder *recorder = &run->recorder;
    if (!recorder->begun) {
        return;
    }
    pthread_mutex_lock(&recorder->lock);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        append(recorder, recorder->own[w]);
    }
    recorder->ends = true;
    pthread_cond_signal(&recorder->filled);
    pthread_mutex_unlock(&recorder->lock);
    pthread_join(recorder->writer, NULL);
    end_lock(recorder);
    recorder->begun = false;
}

bool free_record_failed(const struct free_run *run)
{
    return atomic_load_explicit(&run->recorder.failed, memory_order_relaxed);
}

void free_record_world(struct free_run *run, const struct free_world *world)
{
    if (run->machine->experiment.recorder) {
        run->recorder.of = world;
    } else {
        run->world = world;
    }
}
