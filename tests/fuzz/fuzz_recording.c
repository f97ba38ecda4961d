// SPDX-License-Identifier: MIT
// Fuzzes recordings. The input is a file. If it begins with 'b' it is blocks, which are packed here as a recording
// packs them, with their sums: each has a kind ('h' the axes of the head, 'f', 't', 'e', else raw bytes), a length
// in two bytes, the lower first, and its content. A recording that can be read is replayed.
#define _GNU_SOURCE // memfd_create
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "lab/record/recording_block.h"
#include "lab/record/replay.h"

enum { TOPOLOGY_BYTES_MAX = 1 << 14, TURNS_MAX = 5000, CONTENT_MAX = 1 << 16 };

static FILE *file;
static char path[32];

static void open_file(void)
{
    int number = memfd_create("recording", 0);
    assert(number >= 0);
    file = fdopen(number, "w+");
    assert(file);
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
}

static void put(uint8_t *at, uint64_t number)
{
    for (unsigned i = 0; i < 8; i++) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
}

static void write_block(uint64_t number, enum lab_block kind, const uint8_t *content, size_t count)
{
    static uint8_t block[LAB_BLOCK_HEAD_BYTES + CONTENT_MAX], packed[2 * CONTENT_MAX];
    static ZSTD_CCtx *compressor;
    if (!compressor) {
        compressor = ZSTD_createCCtx();
        assert(compressor);
    }
    put(block, 7);
    put(block + 8, number);
    put(block + 16, kind);
    memcpy(block + LAB_BLOCK_HEAD_BYTES, content, count);
    size_t length = ZSTD_compress2(compressor, packed, sizeof packed, block, LAB_BLOCK_HEAD_BYTES + count);
    assert(!ZSTD_isError(length));
    uint8_t sum[LAB_BLOCK_SUM_BYTES];
    put(sum, XXH64(packed, length, 0));
    fwrite(packed, 1, length, file);
    fwrite(sum, 1, sizeof sum, file);
}

// Writes the axes as the head of a recording of this version.
static void write_head(uint64_t number, const uint8_t *axes, size_t count)
{
    static char head[CONTENT_MAX];
    int length = snprintf(head, sizeof head, "{\"version\": \"%s\", \"command\": \"evenkeel run\", \"axes\": %.*s}",
                          ek_version(), (int)(count < 2048 ? count : 2048), (const char *)axes);
    write_block(number, LAB_BLOCK_HEAD, (const uint8_t *)head, (size_t)length);
}

static void write_blocks(const uint8_t *data, size_t size)
{
    fputs(LAB_RECORDING_MAGIC, file);
    for (uint64_t number = 0; size >= 3; number++) {
        size_t length = data[1] | (size_t)data[2] << 8;
        char kind = (char)data[0];
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        if (kind == 'h') {
            write_head(number, data, length);
        } else if (kind == 'f' || kind == 't' || kind == 'e') {
            enum lab_block is = kind == 'f' ? LAB_BLOCK_FILE : kind == 't' ? LAB_BLOCK_TAPE : LAB_BLOCK_END;
            write_block(number, is, data, length);
        } else {
            fwrite(data, 1, length, file);
        }
        data += length;
        size -= length;
    }
}

static void check(const struct ek_error *error)
{
    size_t length = strnlen(error->sentence, sizeof error->sentence);
    assert(error->status == EK_BAD_INPUT && length > 0 && length < sizeof error->sentence);
}

// Returns whether the machine is small. A large one takes long and finds nothing more.
static bool is_small(void)
{
    struct lab_recording recorded;
    struct ek_error error = {.at = -1};
    if (!lab_recording_read(path, &recorded, &error)) {
        check(&error);
        return false;
    }
    const char *spec = recorded.experiment.topology;
    struct ek_topology *topology =
        spec ? ek_topology_create_within(spec, 1, recorded.experiment.reader, TOPOLOGY_BYTES_MAX, &error) : NULL;
    ek_topology_destroy(topology);
    lab_recording_destroy(&recorded);
    return topology;
}

static void replay_all(struct lab_replay *replay)
{
    struct ek_error error = {.at = -1};
    enum ek_replay_status status = EK_REPLAY_TURN;
    for (unsigned turns = 0; turns < TURNS_MAX && status == EK_REPLAY_TURN; turns++) {
        status = lab_replay_turn(replay, &error);
    }
    if (status == EK_REPLAY_MISFIT) {
        check(&error);
    }
    lab_replay_state_now(replay);
    if (status == EK_REPLAY_ENDS && replay->recorded.whole && !lab_replay_matches(replay, &error)) {
        check(&error);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!file) {
        open_file();
    }
    rewind(file);
    int cut = ftruncate(fileno(file), 0);
    assert(cut == 0);
    (void)cut;
    if (size > 0 && data[0] == 'b') {
        write_blocks(data + 1, size - 1);
    } else {
        fwrite(data, 1, size, file);
    }
    fflush(file);
    struct lab_replay replay;
    struct ek_error error = {.at = -1};
    if (!is_small()) {
        return 0;
    }
    if (!lab_replay_open(&replay, path, &error)) {
        check(&error);
        return 0;
    }
    replay_all(&replay);
    lab_replay_close(&replay);
    return 0;
}
