// SPDX-License-Identifier: MIT
// The recorder. The exchange of chunks has a model: tests/models/recorder.pml.
#include "threads/drivers/recorder/recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "threads/api/experiment.h"
#include "threads/api/report.h"
#include "threads/drivers/recorder/look_stream.h"
#include "threads/host/workers.h"

enum { CHUNK_BYTES = 4096 - 16 };

struct chunk {
    struct chunk *next;
    uint32_t worker, count;
    uint8_t bytes[CHUNK_BYTES];
};

struct recorder {
    struct free_look_source source; // records the looks of `inner`
    struct free_look_source *inner;
    struct free_run *run;
    const struct ek_recorder *sink; // the experiment's recorder
    struct base_arena memory;
    struct chunk *chunk; // [chunks]
    struct chunk **own;  // by worker: the chunk that it fills
    uint32_t *links;     // by worker: the version of the link table at its last look
    uint16_t *room;      // by port: the room that was known before a look
    uint8_t *usable;     // by port, with faults: what a worker that has waited uses as its link table
    uint64_t chunks;

    bool begun; // the writing thread runs
    pthread_t writer;
    pthread_mutex_t lock; // of all fields below, except `failed`
    pthread_cond_t filled, freed;
    struct chunk *free, *first, *last; // the empty chunks; the first and the last full one
    bool ends;                         // no chunk will be filled any more
    uint64_t waits, waited_ns;         // of workers, for an empty chunk
    atomic_bool failed;                // the sink has refused a chunk. Relaxed: a lone flag
};

// The number of spare chunks, which wait to be written: at least SPARE_LEAST, or one for SPARE_SHARE workers.
enum { SPARE_LEAST = 64, SPARE_SHARE = 4, WRITER_STACK = 256 * 1024 };

static struct chunk *empty_chunk(struct recorder *recorder, uint32_t worker)
{
    struct chunk *chunk = recorder->free;
    recorder->free = chunk->next;
    chunk->next = NULL;
    chunk->worker = worker;
    chunk->count = 0;
    return chunk;
}

static void append(struct recorder *recorder, struct chunk *full)
{
    if (recorder->first) {
        recorder->last->next = full;
    } else {
        recorder->first = full;
    }
    recorder->last = full;
    pthread_cond_signal(&recorder->filled);
}

// Copies the worker's part of its link table, and makes the copy its table until its next look around. A worker reads
// the entries of its own ports only, so the copies of all workers are one table.
static void copy_links(struct recorder *recorder, struct free_worker *worker)
{
    const struct free_run *run = recorder->run;
    const uint32_t *first = run->topology->first;
    for (uint32_t place = worker->begin; worker->look.usable != recorder->usable && place < worker->end; place++) {
        uint32_t p = free_processor_at(run, place);
        memcpy(recorder->usable + first[p], worker->look.usable + first[p], first[p + 1] - first[p]);
    }
    worker->look.usable = recorder->usable;
}

// Waits, under the lock, until there is an empty chunk. Counts the time. The worker may be within a turn, in which its
// link table stays the same. It keeps a copy, so that changes of the table do not wait for it (link_table.h): a fault
// comes when it is due.
static void wait_for_chunk(struct recorder *recorder, struct free_worker *worker)
{
    if (recorder->free) {
        return;
    }
    uint64_t began_ns = free_now(recorder->run);
    bool faults = worker->look.usable;
    if (faults) {
        copy_links(recorder, worker);
        free_links_offline();
    }
    while (!recorder->free) {
        pthread_cond_wait(&recorder->freed, &recorder->lock);
    }
    if (faults) {
        free_links_online();
    }
    recorder->waits++;
    recorder->waited_ns += free_now(recorder->run) - began_ns;
}

// Gives the worker's full chunk to the writing thread and waits for an empty one.
static void exchange_chunk(struct recorder *recorder, struct chunk **own)
{
    uint32_t worker = (*own)->worker;
    pthread_mutex_lock(&recorder->lock);
    append(recorder, *own); // from here on it belongs to the writing thread
    wait_for_chunk(recorder, &recorder->run->worker[worker]);
    *own = empty_chunk(recorder, worker);
    pthread_mutex_unlock(&recorder->lock);
}

static void write_byte(struct recorder *recorder, unsigned worker, unsigned byte)
{
    struct chunk **own = &recorder->own[worker];
    if ((*own)->count == CHUNK_BYTES) {
        exchange_chunk(recorder, own);
    }
    (*own)->bytes[(*own)->count++] = (uint8_t)byte;
}

static void write_number(struct recorder *recorder, unsigned worker, uint64_t number)
{
    for (; number >= 128; number >>= 7) {
        write_byte(recorder, worker, (unsigned)(number & 127) | 128);
    }
    write_byte(recorder, worker, (unsigned)number);
}

static unsigned flags_of(const struct free_look *look)
{
    return (look->over ? LOOK_STREAM_OVER : 0u) | (look->draining ? LOOK_STREAM_DRAINING : 0u) |
           (look->triggered ? LOOK_STREAM_TRIGGERED : 0u) | (look->permits_left ? LOOK_STREAM_PERMITS_LEFT : 0u);
}

static void around(struct free_look_source *source, struct free_worker *worker)
{
    struct recorder *recorder = (struct recorder *)source;
    struct free_look *look = &worker->look;
    struct free_look before = *look;
    unsigned w = worker->index;
    recorder->inner->around(recorder->inner, worker);
    look->now -= look->now % LOOK_STREAM_GRAIN_NS;
    uint32_t *links = &recorder->links[w];
    uint32_t version = look->usable ? free_links_version(&recorder->run->links, look->usable) : 0;
    unsigned changes = flags_of(look) | (version != *links ? LOOK_STREAM_LINKS : 0u) |
                       (look->epoch != before.epoch ? LOOK_STREAM_EPOCH : 0u) |
                       (look->permits != before.permits ? LOOK_STREAM_PERMITS : 0u);
    bool more = changes != flags_of(&before); // a number that has changed sets a bit that `before` lacks
    write_number(recorder, w, (look->now - before.now) / LOOK_STREAM_GRAIN_NS << 1 | more);
    if (more) {
        write_byte(recorder, w, changes);
    }
    if (changes & LOOK_STREAM_EPOCH) {
        write_number(recorder, w, look->epoch);
    }
    if (changes & LOOK_STREAM_PERMITS) {
        write_number(recorder, w, look->permits);
    }
    if (changes & LOOK_STREAM_LINKS) {
        write_number(recorder, w, version);
        *links = version;
    }
}

static bool has_news(const struct recorder *recorder, uint32_t port)
{
    const struct free_port *here = &recorder->run->port[port];
    return here->waiting > 0 || here->room != recorder->room[port];
}

static void write_bits(struct recorder *recorder, unsigned worker, uint32_t first, uint32_t end)
{
    unsigned bits = 0;
    unsigned count = 0;
    for (uint32_t port = first; port < end; port++) {
        if (recorder->run->port[port].local) {
            continue;
        }
        bits |= (unsigned)has_news(recorder, port) << count++;
        if (count == 8) {
            write_byte(recorder, worker, bits);
            bits = count = 0;
        }
    }
    if (count > 0) {
        write_byte(recorder, worker, bits);
    }
}

static void ports(struct free_look_source *source, struct free_worker *worker, uint32_t first, uint32_t end)
{
    struct recorder *recorder = (struct recorder *)source;
    const struct free_port *all = recorder->run->port;
    for (uint32_t port = first; port < end; port++) {
        recorder->room[port] = all[port].room;
    }
    recorder->inner->ports(recorder->inner, worker, first, end);
    write_bits(recorder, worker->index, first, end);
    for (uint32_t port = first; port < end; port++) {
        const struct free_port *here = &all[port];
        if (here->local || !has_news(recorder, port)) {
            continue;
        }
        bool other_room = here->room != recorder->room[port];
        write_number(recorder, worker->index, (uint64_t)here->waiting << 1 | other_room);
        if (other_room) {
            write_number(recorder, worker->index, here->room);
        }
    }
}

static uint64_t now(struct free_look_source *source)
{
    const struct recorder *recorder = (const struct recorder *)source;
    return recorder->inner->now(recorder->inner);
}

// Passes a chunk to the sink, without the lock: the chunk belongs to the writing thread. A refused chunk counts as
// written, so that no worker waits for ever.
static void deliver(struct recorder *recorder, struct chunk *chunk)
{
    if (!recorder_failed(recorder) &&
        !recorder->sink->write(recorder->sink->context, chunk->worker, chunk->bytes, chunk->count)) {
        atomic_store_explicit(&recorder->failed, true, memory_order_relaxed);
    }
}

static void *write_all(void *context)
{
    struct recorder *recorder = context;
    pthread_mutex_lock(&recorder->lock);
    while (recorder->first || !recorder->ends) {
        struct chunk *chunk = recorder->first;
        if (!chunk) {
            pthread_cond_wait(&recorder->filled, &recorder->lock);
            continue;
        }
        recorder->first = chunk->next;
        pthread_mutex_unlock(&recorder->lock);
        deliver(recorder, chunk);
        pthread_mutex_lock(&recorder->lock);
        chunk->next = recorder->free;
        recorder->free = chunk;
        pthread_cond_signal(&recorder->freed);
    }
    pthread_mutex_unlock(&recorder->lock);
    return NULL;
}

static void plan(struct recorder *recorder, const struct machine_plan *machine)
{
    uint64_t workers = machine->workers;
    uint64_t spare = workers / SPARE_SHARE;
    recorder->chunks = workers + (spare > SPARE_LEAST ? spare : SPARE_LEAST);
    base_arena_plan(&recorder->memory, &recorder->chunk, recorder->chunks, sizeof *recorder->chunk);
    base_arena_plan(&recorder->memory, &recorder->own, workers, sizeof *recorder->own);
    base_arena_plan(&recorder->memory, &recorder->links, workers, sizeof *recorder->links);
    base_arena_plan(&recorder->memory, &recorder->room, machine->topology->ports, sizeof *recorder->room);
    base_arena_plan(&recorder->memory, &recorder->usable, free_faults(machine) ? machine->topology->ports : 0,
                    sizeof *recorder->usable);
}

uint64_t recorder_bytes(const struct machine_plan *machine)
{
    struct recorder recorder = {.run = NULL};
    plan(&recorder, machine);
    return sizeof recorder + base_arena_bytes(&recorder.memory);
}

static bool begin_lock(struct recorder *recorder)
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

static void end_lock(struct recorder *recorder)
{
    pthread_cond_destroy(&recorder->freed);
    pthread_cond_destroy(&recorder->filled);
    pthread_mutex_destroy(&recorder->lock);
}

static bool create_writer(struct recorder *recorder)
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    sigset_t before;
    host_workers_block_signals(&before);
    bool good = pthread_attr_setstacksize(&attributes, WRITER_STACK) == 0 &&
                pthread_create(&recorder->writer, &attributes, write_all, recorder) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return good;
}

static bool start_writer(struct recorder *recorder)
{
    if (!begin_lock(recorder)) {
        return false;
    }
    bool good = create_writer(recorder);
    if (!good) {
        end_lock(recorder);
    }
    return good;
}

static void begin(struct recorder *recorder)
{
    const struct free_run *run = recorder->run;
    for (uint64_t i = recorder->chunks; i-- > 0;) {
        recorder->chunk[i].next = recorder->free;
        recorder->free = &recorder->chunk[i];
    }
    bool faults = free_faults(run->machine);
    for (unsigned w = 0; w < run->machine->workers; w++) {
        recorder->own[w] = empty_chunk(recorder, w);
        recorder->links[w] = faults ? free_links_version(&run->links, free_links_read(&run->links)) : 0;
    }
}

struct recorder *recorder_create(struct free_run *run, struct ek_error *error)
{
    struct recorder *recorder = calloc(1, sizeof *recorder);
    if (!recorder) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for a recorder");
        return NULL;
    }
    recorder->source = (struct free_look_source){.around = around, .ports = ports, .now = now};
    recorder->run = run;
    recorder->sink = run->machine->experiment->recorder;
    plan(recorder, run->machine);
    if (!base_arena_take(&recorder->memory)) {
        base_fail(error, EK_BAD_INPUT, "", "no memory for a recorder");
        recorder_destroy(recorder);
        return NULL;
    }
    begin(recorder);
    recorder->begun = start_writer(recorder);
    if (!recorder->begun) {
        base_fail(error, EK_BAD_INPUT, "", "the system gives no thread that could write the recording");
        recorder_destroy(recorder);
        return NULL;
    }
    return recorder;
}

void recorder_wrap(struct recorder *recorder, struct free_run *run, struct free_look_source *source)
{
    run->source = source;
    if (recorder) {
        recorder->inner = source;
        run->source = &recorder->source;
    }
}

void recorder_end(struct recorder *recorder)
{
    if (!recorder || !recorder->begun) {
        return;
    }
    pthread_mutex_lock(&recorder->lock);
    for (unsigned w = 0; w < recorder->run->machine->workers; w++) {
        append(recorder, recorder->own[w]);
    }
    recorder->ends = true;
    pthread_cond_signal(&recorder->filled);
    pthread_mutex_unlock(&recorder->lock);
    pthread_join(recorder->writer, NULL);
    end_lock(recorder);
    recorder->begun = false;
}

bool recorder_failed(const struct recorder *recorder)
{
    return recorder && atomic_load_explicit(&recorder->failed, memory_order_relaxed);
}

void recorder_report(const struct recorder *recorder, struct ek_free_report *report)
{
    if (recorder) {
        report->has_recorder = true;
        report->recorder_waits = recorder->waits;
        report->recorder_waited = 1e-9 * (double)recorder->waited_ns;
    }
}

void recorder_destroy(struct recorder *recorder)
{
    if (recorder) {
        recorder_end(recorder);
        base_arena_destroy(&recorder->memory);
        free(recorder);
    }
}
