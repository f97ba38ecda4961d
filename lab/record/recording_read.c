// SPDX-License-Identifier: MIT
// Reading recordings. Every block is unpacked and checked against its checksum before it is used.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>
#include <zstd.h>

#include "base/error.h"
#include "base/grow.h"
#include "lab/record/json.h"
#include "lab/record/recording.h"
#include "lab/record/recording_block.h"
#include "lab/text/clean_text.h"

enum { WORKERS_MAX = 1 << 20, MEMORY_SHARE = 2 };

struct piece {
    const uint8_t *bytes;
    size_t count;
    size_t next; // the same worker's next piece, by number; 0: none
};

struct chain {
    size_t first, last; // numbers of a worker's pieces; 0: none
};

struct file {
    const char *path, *text; // inside a block
    size_t length;
};

// The memory that the experiment and the tapes point into.
struct lab_recording_parts {
    char *path;
    uint8_t **block; // [blocks]: the unpacked contents
    size_t blocks;
    struct piece *piece; // [pieces + 1]: numbered from 1
    size_t pieces;
    struct chain *chain; // [chains]: by worker
    size_t chains;
    struct file *file;
    size_t files;
    json_t *head; // the experiment uses its texts
    uint64_t number, unpacked;
    uint64_t memory; // that reading may use
};

static bool no_memory(const struct lab_recording *recorded, struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the recording %s", recorded->parts->path);
}

// Reports damage, or a lack of memory if that is why a reader failed.
static bool damaged(const struct lab_recording *recorded, size_t at, struct ek_error *error)
{
    return errno == ENOMEM
               ? no_memory(recorded, error)
               : base_refuse(error, "%s is damaged at byte %zu: make the recording again", recorded->parts->path, at);
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < bytes; i++) {
        number |= (uint64_t)at[i] << 8 * i;
    }
    return number;
}

static bool add_piece(struct lab_recording_parts *parts, size_t worker, const uint8_t *bytes, size_t count)
{
    if (worker >= parts->chains) {
        size_t chains = 2 * worker + 16;
        struct chain *chain = realloc(parts->chain, chains * sizeof *chain);
        if (!chain) {
            return false;
        }
        memset(chain + parts->chains, 0, (chains - parts->chains) * sizeof *chain);
        parts->chain = chain;
        parts->chains = chains;
    }
    size_t at = parts->pieces + 1;
    struct piece *piece = base_grow(parts->piece, at, sizeof *piece);
    if (!piece) {
        return false;
    }
    parts->piece = piece;
    parts->pieces = at;
    piece[at] = (struct piece){.bytes = bytes, .count = count};
    struct chain *chain = &parts->chain[worker];
    if (chain->last > 0) {
        piece[chain->last].next = at;
    } else {
        chain->first = at;
    }
    chain->last = at;
    return true;
}

static bool read_tapes(struct lab_recording *recorded, const uint8_t *content, size_t count, size_t at,
                       struct ek_error *error)
{
    while (count > 0) {
        uint64_t worker = count < 8 ? 0 : get(content, 4);
        uint64_t length = count < 8 ? 0 : get(content + 4, 4);
        if (count < 8 || worker >= WORKERS_MAX || length == 0 || length > count - 8) {
            return damaged(recorded, at, error);
        }
        if (!add_piece(recorded->parts, worker, content + 8, length)) {
            return no_memory(recorded, error);
        }
        recorded->tape_bytes += length;
        content += 8 + length;
        count -= 8 + length;
    }
    return true;
}

static bool read_file(struct lab_recording *recorded, const char *content, size_t count, size_t at,
                      struct ek_error *error)
{
    struct lab_recording_parts *parts = recorded->parts;
    const char *end = memchr(content, '\0', count);
    if (!end) {
        return damaged(recorded, at, error);
    }
    struct file *file = realloc(parts->file, (parts->files + 1) * sizeof *file);
    if (!file) {
        return no_memory(recorded, error);
    }
    parts->file = file;
    file[parts->files++] =
        (struct file){.path = content, .text = end + 1, .length = count - (size_t)(end + 1 - content)};
    return true;
}

static char *find_file(void *context, const char *path, size_t *length, struct ek_error *error)
{
    const struct lab_recording_parts *parts = context;
    for (size_t i = 0; i < parts->files; i++) {
        if (strcmp(parts->file[i].path, path) == 0) {
            *length = parts->file[i].length;
            char *text = malloc(*length + 1);
            if (text) {
                memcpy(text, parts->file[i].text, *length);
                text[*length] = '\0';
            } else {
                base_refuse(error, "there is no memory for %s", path);
            }
            return text;
        }
    }
    base_refuse(error, "the recording lacks the file %s: make the recording again", path);
    return NULL;
}

static bool read_axes(struct lab_recording *recorded, size_t at, struct ek_error *error)
{
    const char *option;
    json_t *value;
    json_object_foreach(json_object_get(recorded->parts->head, "axes"), option, value)
    {
        const struct ek_axis *axis = ek_axis_named(option);
        if (!axis || !json_is_string(value) ||
            !ek_axis_set(axis, &recorded->experiment, json_string_value(value), error)) {
            return damaged(recorded, at, error);
        }
    }
    recorded->experiment.reader = (struct ek_reader){.read = find_file, .context = recorded->parts};
    recorded->experiment.keep_loads = true;
    recorded->experiment.by_caller = true;
    return true;
}

static bool read_head(struct lab_recording *recorded, const char *content, size_t count, size_t at,
                      struct ek_error *error)
{
    struct lab_recording_parts *parts = recorded->parts;
    if (parts->head) {
        return damaged(recorded, at, error);
    }
    json_error_t fault;
    parts->head = json_loadb(content, count, JSON_REJECT_DUPLICATES, &fault);
    const char *version = json_string_value(json_object_get(parts->head, "version"));
    const char *command = json_string_value(json_object_get(parts->head, "command"));
    if (!version || !command) {
        return damaged(recorded, at, error);
    }
    if (strcmp(version, ek_version()) != 0) {
        return base_refuse(
            error,
            "%s was recorded by version %.20s, and this is version %s: replay it with the version that recorded it",
            parts->path, version, ek_version());
    }
    recorded->command = lab_text_clean_copy(command);
    return recorded->command ? read_axes(recorded, at, error) : no_memory(recorded, error);
}

static bool read_end(struct lab_recording *recorded, const char *content, size_t count, size_t at,
                     struct ek_error *error)
{
    if (!lab_record_read(content, count, &recorded->record, error)) {
        return damaged(recorded, at, error);
    }
    recorded->whole = true;
    return true;
}

// Checks the head of an unpacked block and reads its content.
static bool read_block(struct lab_recording *recorded, const uint8_t *block, size_t size, size_t at,
                       struct ek_error *error)
{
    struct lab_recording_parts *parts = recorded->parts;
    if (size < LAB_BLOCK_HEAD_BYTES || recorded->whole) { // no block follows the end
        return damaged(recorded, at, error);
    }
    parts->number = parts->blocks == 0 ? get(block, 8) : parts->number;
    uint64_t kind = get(block + 16, 8);
    bool headless = !parts->head && kind != LAB_BLOCK_HEAD && kind != LAB_BLOCK_FILE;
    if (get(block, 8) != parts->number || get(block + 8, 8) != parts->blocks || headless) {
        return damaged(recorded, at, error);
    }
    const uint8_t *content = block + LAB_BLOCK_HEAD_BYTES;
    size_t count = size - LAB_BLOCK_HEAD_BYTES;
    switch (kind) {
    case LAB_BLOCK_HEAD:
        return read_head(recorded, (const char *)content, count, at, error);
    case LAB_BLOCK_FILE:
        return read_file(recorded, (const char *)content, count, at, error);
    case LAB_BLOCK_TAPE:
        return read_tapes(recorded, content, count, at, error);
    case LAB_BLOCK_END:
        return read_end(recorded, (const char *)content, count, at, error);
    default:
        return damaged(recorded, at, error);
    }
}

// Checks and unpacks a frame and reads its block. The block stays in memory because others point into it.
static bool read_frame(struct lab_recording *recorded, const uint8_t *frame, size_t length, size_t at,
                       struct ek_error *error)
{
    struct lab_recording_parts *parts = recorded->parts;
    unsigned long long size = ZSTD_getFrameContentSize(frame, length);
    if (XXH64(frame, length, 0) != get(frame + length, LAB_BLOCK_SUM_BYTES) || size == ZSTD_CONTENTSIZE_ERROR ||
        size == ZSTD_CONTENTSIZE_UNKNOWN || size / 65536 > length) {
        return damaged(recorded, at, error); // no block compresses that well
    }
    parts->unpacked += size;
    if (parts->unpacked > parts->memory / MEMORY_SHARE) {
        return base_refuse(
            error,
            "replaying %s takes more than %llu MB, half of the free memory: free some memory, or record a shorter run",
            parts->path, (unsigned long long)(parts->memory / MEMORY_SHARE >> 20));
    }
    uint8_t **blocks = base_grow(parts->block, parts->blocks, sizeof *blocks);
    uint8_t *block = malloc(size + 1);
    parts->block = blocks ? blocks : parts->block;
    if (!blocks || !block) {
        free(block);
        return no_memory(recorded, error);
    }
    blocks[parts->blocks] = block;
    bool good = ZSTD_decompress(block, size, frame, length) == size;
    good = good ? read_block(recorded, block, size, at, error) : damaged(recorded, at, error);
    parts->blocks++;
    return good;
}

// Returns whether the bytes left can be the beginning of a frame that was cut off.
static bool may_begin(const uint8_t *bytes, size_t left)
{
    static const uint8_t magic[] = {0x28, 0xB5, 0x2F, 0xFD};
    return memcmp(bytes, magic, left < sizeof magic ? left : sizeof magic) == 0;
}

static bool read_all(struct lab_recording *recorded, const uint8_t *bytes, size_t size, struct ek_error *error)
{
    size_t magic = strlen(LAB_RECORDING_MAGIC);
    if (size < magic || memcmp(bytes, LAB_RECORDING_MAGIC, magic) != 0) {
        return base_refuse(error, "%s is not a recording: give a file that run --record has written",
                           recorded->parts->path);
    }
    for (size_t at = magic; at < size;) {
        size_t length = ZSTD_findFrameCompressedSize(bytes + at, size - at);
        if (ZSTD_isError(length)) { // the file ends inside a frame, or this is not a frame
            return may_begin(bytes + at, size - at) ? recorded->parts->head || damaged(recorded, at, error)
                                                    : damaged(recorded, at, error);
        }
        if (size - at - length < LAB_BLOCK_SUM_BYTES) { // the file ends inside a checksum
            return recorded->parts->head || damaged(recorded, at, error);
        }
        if (!read_frame(recorded, bytes + at, length, at, error)) {
            return false;
        }
        at += length + LAB_BLOCK_SUM_BYTES;
    }
    return recorded->parts->head ||
           base_refuse(error, "%s ends before its experiment: its run had not begun, so record it again",
                       recorded->parts->path);
}

// Reads the file into memory. It is not mapped, because a file that another process truncates meanwhile would raise
// SIGBUS.
static bool read_stream(struct lab_recording *recorded, FILE *file, size_t size, struct ek_error *error)
{
    uint8_t *bytes = size <= recorded->parts->memory ? malloc(size) : NULL;
    if (!bytes) {
        return no_memory(recorded, error);
    }
    recorded->bytes = fread(bytes, 1, size, file);
    bool good = read_all(recorded, bytes, recorded->bytes, error);
    free(bytes);
    return good;
}

static bool open_file(struct lab_recording *recorded, const char *path, struct ek_error *error)
{
    FILE *file = fopen(path, "rbe");
    struct stat about;
    bool good = file && fstat(fileno(file), &about) == 0;
    if (!good) {
        base_refuse(error, "%s cannot be opened (%s): check the path", recorded->parts->path, strerror(errno));
    } else if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        good = base_refuse(error, "%s is not a recording: give a file that run --record has written",
                           recorded->parts->path);
    } else {
        good = read_stream(recorded, file, (size_t)about.st_size, error);
    }
    if (file) {
        fclose(file);
    }
    return good;
}

static size_t next_piece(void *context, unsigned worker, const uint8_t **bytes)
{
    struct lab_recording_parts *parts = context;
    size_t at = worker < parts->chains ? parts->chain[worker].first : 0;
    if (at == 0) {
        return 0;
    }
    parts->chain[worker].first = parts->piece[at].next;
    *bytes = parts->piece[at].bytes;
    return parts->piece[at].count;
}

bool lab_recording_read(const char *path, struct lab_recording *recorded, struct ek_error *error)
{
    *recorded = (struct lab_recording){.parts = calloc(1, sizeof *recorded->parts)};
    struct ek_limits limits;
    ek_limits_read(&limits);
    errno = 0;
    bool good = recorded->parts && (recorded->parts->path = lab_text_clean_copy(path));
    if (!good) {
        base_refuse(error, "there is no memory for a recording");
    } else {
        recorded->parts->memory = limits.memory_free > 0 ? limits.memory_free : UINT64_MAX;
        good = open_file(recorded, path, error);
    }
    if (good) {
        recorded->tape = (struct ek_tape){.read = next_piece, .context = recorded->parts};
    } else {
        lab_recording_destroy(recorded);
    }
    return good;
}

void lab_recording_destroy(struct lab_recording *recorded)
{
    struct lab_recording_parts *parts = recorded->parts;
    if (parts) {
        for (size_t i = 0; i < parts->blocks; i++) {
            free(parts->block[i]);
        }
        json_decref(parts->head);
        free(parts->block);
        free(parts->piece);
        free(parts->chain);
        free(parts->file);
        free(parts->path);
        free(parts);
    }
    free(recorded->command);
    lab_record_destroy(&recorded->record);
    *recorded = (struct lab_recording){0};
}
