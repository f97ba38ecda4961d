// SPDX-License-Identifier: MIT
// Writing recordings. One thread writes at a time: the caller's thread writes the head before the run, the run's own
// thread writes the tapes, and the caller's thread writes the end after that thread has ended.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/error.h"
#include "lab/files/atomic_file.h"
#include "lab/record/clock.h"
#include "lab/record/json.h"
#include "lab/record/recording.h"
#include "lab/record/recording_block.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"

enum { COMPRESSION = 1 }; // fastest: the run's worker threads need the cores

// A block is written after this time even if it is not full. So the recording of a killed run lacks little.
static const uint64_t PATIENCE_NS = 1000000000;

struct lab_recorder {
    char *path, *command;
    const struct ek_experiment *experiment;
    struct ek_reader files; // the caller's reader
    struct lab_file file;
    uint64_t number, blocks;
    ZSTD_CCtx *compressor;
    uint8_t *block, *packed; // a block being filled, and the compressed block
    size_t count;            // bytes of tapes in `block`
    uint64_t written_ns;     // when the last block was written
    struct ek_recorder recorder;
    int failed; // errno of the first write that failed
};

static void put(uint8_t *at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
}

static bool has_failed(struct lab_recorder *recording, int number)
{
    recording->failed = recording->failed ? recording->failed : number > 0 ? number : EIO;
    return false;
}

// Writes a block with `count` bytes of content, which follow the room for its head.
static bool write_block(struct lab_recorder *recording, enum lab_block kind, uint8_t *block, size_t count)
{
    put(block, recording->number, 8);
    put(block + 8, recording->blocks++, 8);
    put(block + 16, kind, 8);
    size_t size = LAB_BLOCK_HEAD_BYTES + count;
    size_t most = ZSTD_compressBound(size);
    uint8_t *packed = size <= LAB_BLOCK_HEAD_BYTES + LAB_BLOCK_BYTES ? recording->packed : malloc(most);
    if (!packed) {
        return has_failed(recording, ENOMEM);
    }
    errno = 0;
    size_t length = ZSTD_compress2(recording->compressor, packed, most, block, size);
    uint8_t sum[LAB_BLOCK_SUM_BYTES];
    bool good = !ZSTD_isError(length);
    if (good) { // flushed, so that a killed run leaves complete blocks
        put(sum, XXH64(packed, length, 0), sizeof sum);
        good = fwrite(packed, 1, length, recording->file.file) == length &&
               fwrite(sum, 1, sizeof sum, recording->file.file) == sizeof sum && fflush(recording->file.file) == 0;
    }
    int number = errno;
    recording->written_ns = lab_clock_ns();
    if (packed != recording->packed) {
        free(packed);
    }
    return good || has_failed(recording, number);
}

static bool write_text(struct lab_recorder *recording, enum lab_block kind, const char *text, size_t length)
{
    uint8_t *block = malloc(LAB_BLOCK_HEAD_BYTES + length);
    if (!block) {
        return has_failed(recording, ENOMEM);
    }
    memcpy(block + LAB_BLOCK_HEAD_BYTES, text, length);
    bool good = write_block(recording, kind, block, length);
    free(block);
    return good;
}

static bool write_tapes(struct lab_recorder *recording)
{
    bool good = recording->count == 0 || write_block(recording, LAB_BLOCK_TAPE, recording->block, recording->count);
    recording->count = 0;
    return good;
}

// Takes a piece of a tape from the run's own thread. A piece that does not fit into the block is split.
static bool take(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    enum { PIECE_HEAD = 8 };
    struct lab_recorder *recording = context;
    while (count > 0) {
        if (recording->count + PIECE_HEAD >= LAB_BLOCK_BYTES && !write_tapes(recording)) {
            return false;
        }
        size_t room = LAB_BLOCK_BYTES - recording->count - PIECE_HEAD;
        size_t now = count < room ? count : room;
        uint8_t *at = recording->block + LAB_BLOCK_HEAD_BYTES + recording->count;
        put(at, worker, 4);
        put(at + 4, now, 4);
        memcpy(at + PIECE_HEAD, bytes, now);
        recording->count += PIECE_HEAD + now;
        bytes += now;
        count -= now;
    }
    return lab_clock_ns() - recording->written_ns < PATIENCE_NS || write_tapes(recording);
}

// Reads a file that a spec names, and copies it into the recording.
static char *read_file(void *context, const char *path, size_t *length, struct ek_error *error)
{
    struct lab_recorder *recording = context;
    char *text = recording->files.read ? recording->files.read(recording->files.context, path, length, error) : NULL;
    if (!text) {
        return NULL;
    }
    size_t path_bytes = strlen(path) + 1;
    char *both = malloc(path_bytes + *length);
    if (!both) {
        free(text);
        base_refuse(error, "there is no memory to record %s", path);
        return NULL;
    }
    memcpy(both, path, path_bytes);
    memcpy(both + path_bytes, text, *length);
    write_text(recording, LAB_BLOCK_FILE, both, path_bytes + *length); // lab_recorder_end reports a failure
    free(both);
    return text;
}

static bool set_up(struct lab_recorder *recording, const char *path, const char *command)
{
    recording->path = lab_text_clean_copy(path);
    recording->command = lab_text_clean_copy(command);
    recording->compressor = ZSTD_createCCtx();
    size_t most = LAB_BLOCK_HEAD_BYTES + LAB_BLOCK_BYTES;
    recording->block = malloc(most);
    recording->packed = malloc(ZSTD_compressBound(most));
    if (!recording->path || !recording->command || !recording->compressor || !recording->block || !recording->packed) {
        return false;
    }
    ZSTD_CCtx_setParameter(recording->compressor, ZSTD_c_compressionLevel, COMPRESSION);
    return true;
}

static void destroy(struct lab_recorder *recording)
{
    lab_file_abandon(&recording->file);
    ZSTD_freeCCtx(recording->compressor);
    free(recording->path);
    free(recording->command);
    free(recording->block);
    free(recording->packed);
    free(recording);
}

// Writes a block with the JSON that the stream holds, and ends the stream.
static bool write_json(struct lab_recorder *recording, enum lab_block kind, struct lab_stream *text)
{
    char *json = lab_stream_end(text);
    bool good = json ? write_text(recording, kind, json, text->length) : has_failed(recording, ENOMEM);
    free(json);
    return good;
}

static bool write_record(struct lab_recorder *recording, const struct lab_record *record)
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        lab_record_write(text.out, record, LAB_WITH_ALL);
    }
    return write_json(recording, LAB_BLOCK_END, &text);
}

// Returns a number that differs for each recording.
static uint64_t draw_number(const char *path)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return XXH64(path, strlen(path), (XXH64_hash_t)now.tv_sec * 1000000000u + (XXH64_hash_t)now.tv_nsec) ^
           (uint64_t)getpid();
}

struct lab_recorder *lab_recorder_create(const char *path, const char *command, struct ek_experiment *experiment,
                                         struct ek_error *error)
{
    struct lab_recorder *recording = calloc(1, sizeof *recording);
    if (!recording || !set_up(recording, path, command)) {
        base_refuse(error, "there is no memory for a recording");
    } else if (lab_file_open(&recording->file, path, error)) {
        recording->number = draw_number(path);
        recording->recorder = (struct ek_recorder){.write = take, .context = recording};
        recording->files = experiment->reader;
        experiment->recorder = &recording->recorder;
        experiment->reader = (struct ek_reader){.read = read_file, .context = recording};
        experiment->read_part = NULL; // a recording has its files whole
        recording->experiment = experiment;
        fputs(LAB_RECORDING_MAGIC, recording->file.file);
        return recording;
    }
    if (recording) {
        destroy(recording);
    }
    return NULL;
}

// Returns the carrier that a replay needs: the effective one, because the machine chooses the number of worker threads.
// A run on ranks, which is in virtual time, is replayed by one process.
static const char *carrier_of(const struct ek_machine *machine, size_t index)
{
    const char *carrier = ek_machine_axis(machine, index);
    return carrier && strncmp(carrier, "mpi", 3) == 0 ? "pool" : carrier;
}

// Returns the text from which ek_axis_set reads an axis' value, or NULL if none was given.
static json_t *axis_of(const struct lab_recorder *recording, const struct ek_machine *machine, size_t index)
{
    const struct ek_axis *axis = ek_axis_at(index);
    const char *place = (const char *)recording->experiment + axis->place;
    double seconds;
    uint64_t whole;
    switch (axis->kind) {
    case EK_AXIS_TEXT: {
        bool carrier = strcmp(axis->option, "carrier") == 0;
        const char *text = carrier ? carrier_of(machine, index) : *(const char *const *)place;
        return text ? json_string(text) : NULL;
    }
    case EK_AXIS_WHOLE:
        memcpy(&whole, place, sizeof whole);
        return whole > 0 ? json_sprintf("%llu", (unsigned long long)whole) : NULL;
    case EK_AXIS_SECONDS:
    case EK_AXIS_SHARE:
        memcpy(&seconds, place, sizeof seconds);
        return seconds > 0.0 ? json_sprintf(axis->kind == EK_AXIS_SHARE ? "%.17g" : "%.17gs", seconds) : NULL;
    case EK_AXIS_SWITCH:
        return *(const bool *)place ? json_string("true") : NULL;
    }
    return NULL;
}

static json_t *head_object(const struct lab_recorder *recording, const struct ek_machine *machine)
{
    json_t *axes = json_object();
    for (size_t i = 0; ek_axis_at(i); i++) {
        json_t *axis = axis_of(recording, machine, i);
        if (axis) {
            json_object_set_new(axes, ek_axis_at(i)->option, axis);
        }
    }
    return json_pack("{s:s, s:s, s:s, s:o}", "schema", "evenkeel.recording/1", "version", ek_version(), "command",
                     recording->command, "axes", axes);
}

bool lab_recorder_begin(struct lab_recorder *recording, const struct ek_machine *machine, struct ek_error *error)
{
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        lab_json_write(text.out, head_object(recording, machine), 0);
    }
    bool good = write_json(recording, LAB_BLOCK_HEAD, &text) &&
                (lab_file_name(&recording->file) || has_failed(recording, errno));
    return good || base_refuse(error, "the recording %s could not be written (%s): choose another place for it",
                               recording->path, strerror(recording->failed));
}

bool lab_recorder_end(struct lab_recorder *recording, const struct lab_record *record, struct ek_error *error)
{
    bool good = !recording->failed && write_tapes(recording) && (!record || write_record(recording, record)) &&
                (lab_file_complete(&recording->file) || has_failed(recording, errno));
    if (!good) {
        base_refuse(error, "the recording %s could not be written (%s): choose another place for it", recording->path,
                    strerror(recording->failed));
    }
    destroy(recording);
    return good;
}
