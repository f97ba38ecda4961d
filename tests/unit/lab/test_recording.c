// SPDX-License-Identifier: MIT
// Recordings, piece by piece: what was written comes back, however it is divided into blocks, and a block of another
// recording is noticed.
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "lab/record/recording.h"
#include "lab/record/recording_block.h"
#include "threads/api/run.h"

enum { PIECE_HEAD = 8, BYTES = 4 * LAB_BLOCK_BYTES };

static char folder[] = "/tmp/evenkeel-recording-XXXXXX";
static struct ek_error error;
static uint8_t sent[BYTES];

static void enter_folder(void)
{
    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    for (size_t i = 0; i < BYTES; i++) {
        sent[i] = (uint8_t)(i * 2654435761u >> 24);
    }
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

// Records pieces of these sizes by worker 0.
static void record(const char *path, const size_t *sizes, size_t count)
{
    struct ek_experiment experiment = {
        .topology = "ring:4", .timing = "free", .method = "adf", .carrier = "pool:1", .seed = 1};
    struct lab_recorder *recorder = lab_recorder_create(path, "evenkeel run", &experiment, &error);
    cr_assert(recorder, "%s", error.sentence);
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert(lab_recorder_begin(recorder, machine, &error), "%s", error.sentence);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        cr_assert(experiment.recorder->write(experiment.recorder->context, 0, sent + at, sizes[i]));
        at += sizes[i];
    }
    cr_assert(lab_recorder_end(recorder, NULL, &error), "%s", error.sentence);
    ek_machine_destroy(machine);
}

// Reads the recording and returns how many bytes of worker 0 came back, all as they were sent.
static size_t read_back(const char *path)
{
    struct lab_recording recorded;
    cr_assert(lab_recording_read(path, &recorded, &error), "%s", error.sentence);
    const uint8_t *bytes;
    size_t at = 0;
    for (size_t now; (now = recorded.tape.read(recorded.tape.context, 0, &bytes)) > 0; at += now) {
        cr_assert(at + now <= BYTES && memcmp(bytes, sent + at, now) == 0, "the piece at byte %zu differs", at);
    }
    cr_expect_eq(recorded.tape_bytes, at);
    lab_recording_destroy(&recorded);
    return at;
}

TestSuite(recording, .init = enter_folder, .fini = remove_folder, .timeout = 60);

// A block that is full, or has room for no more than the head of a piece, is followed by another one.
Test(recording, a_block_can_be_filled_to_its_last_byte)
{
    for (size_t left = 0; left <= 2 * PIECE_HEAD + 1; left++) {
        const size_t sizes[] = {100, LAB_BLOCK_BYTES - 100 - 2 * PIECE_HEAD - left, 3, 2 * LAB_BLOCK_BYTES};
        record("a.ek", sizes, 4);
        cr_expect_eq(read_back("a.ek"), sizes[0] + sizes[1] + sizes[2] + sizes[3], "%zu bytes left", left);
    }
}

struct bytes {
    size_t size;
    uint8_t of[BYTES];
};

static struct bytes whole(const char *path)
{
    static struct bytes found;
    FILE *file = fopen(path, "r");
    cr_assert(file);
    found.size = fread(found.of, 1, BYTES, file);
    fclose(file);
    return found;
}

// Returns where block `index` begins.
static size_t block_at(const struct bytes *file, size_t index)
{
    size_t at = strlen(LAB_RECORDING_MAGIC);
    for (size_t i = 0; i < index; i++) {
        at += ZSTD_findFrameCompressedSize(file->of + at, file->size - at) + LAB_BLOCK_SUM_BYTES;
    }
    return at;
}

// Writes the first `to` bytes of a file and the bytes of the other one from `from` on. Reading them must fail at `to`.
static void expect_damage(const struct bytes *one, size_t to, const struct bytes *other, size_t from)
{
    FILE *file = fopen("both.ek", "w");
    fwrite(one->of, 1, to, file);
    fwrite(other->of + from, 1, other->size - from, file);
    fclose(file);
    struct lab_recording recorded;
    cr_expect_not(lab_recording_read("both.ek", &recorded, &error));
    char wanted[100];
    snprintf(wanted, sizeof wanted, "both.ek is damaged at byte %zu: make the recording again", to);
    cr_expect_str_eq(error.sentence, wanted);
}

// Each block is whole. Only the number of its recording is wrong, or a block is missing or doubled.
Test(recording, a_foreign_or_missing_block_is_damage)
{
    const size_t sizes[] = {3 * LAB_BLOCK_BYTES};
    record("a.ek", sizes, 1);
    record("b.ek", sizes, 1);
    static struct bytes a, b;
    a = whole("a.ek");
    b = whole("b.ek");
    cr_expect_eq(read_back("a.ek"), sizes[0]);
    expect_damage(&a, block_at(&a, 2), &b, block_at(&b, 2));
    expect_damage(&a, block_at(&a, 2), &a, block_at(&a, 3));
    expect_damage(&a, block_at(&a, 2), &a, block_at(&a, 1));
}

// Nothing is at the path until the experiment is accepted.
Test(recording, an_older_recording_stays_until_the_run_begins)
{
    const size_t sizes[] = {10};
    record("a.ek", sizes, 1);
    struct ek_experiment experiment = {.topology = "ring:4", .timing = "free", .method = "typo", .seed = 1};
    struct lab_recorder *recorder = lab_recorder_create("a.ek", "evenkeel run", &experiment, &error);
    cr_assert(recorder, "%s", error.sentence);
    cr_expect_null(ek_prepare(&experiment, &error));
    cr_expect(lab_recorder_end(recorder, NULL, &error), "%s", error.sentence);
    cr_expect_eq(read_back("a.ek"), 10);
}
