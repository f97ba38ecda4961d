// SPDX-License-Identifier: MIT
// Schedules have the logs that are listed in tests/data/schedules.txt, whatever the compiler and its options, on small
// and large machines. Each line of the list is
//   STRATEGY SCHEDULES SHA-256 AXIS=VALUE...
// where the SHA-256 is the one that `explore` prints. The experiments use no logarithm and no cosine, since libraries
// round these differently. tests/house/test_compilers.sh builds this program with other compilers, too.
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "threads/api/axis.h"
#include "threads/api/explore.h"
#include "threads/api/run.h"

struct ek_experiment;

enum { LINE = 400, TURNS = 10000 };

static void add(void *context, const uint8_t *bytes, size_t count)
{
    sha256_update(context, count, bytes);
}

static bool set(struct ek_experiment *experiment, char *word, struct ek_error *error)
{
    char *value = strchr(word, '=');
    if (!value) {
        return false;
    }
    *value++ = '\0';
    const struct ek_axis *axis = ek_axis_named(word);
    return axis && ek_axis_set(axis, experiment, value, error);
}

// Finds the SHA-256 of the schedules' logs, in hexadecimal digits. Returns false if a schedule fails or cannot be
// made.
static bool hash(const struct ek_experiment *experiment, const char *strategy, uint64_t schedules, char *digits,
                 struct ek_error *error)
{
    struct sha256_ctx one, all;
    struct ek_explore_log log = {.write = add, .context = &one};
    struct ek_machine *machine = ek_prepare(experiment, error);
    struct ek_explore *explore = machine ? ek_explore_begin(machine, strategy, TURNS, &log, error) : NULL;
    uint8_t digest[SHA256_DIGEST_SIZE];
    bool good = explore;
    sha256_init(&all);
    for (uint64_t number = 0; good && number < schedules; number++) {
        sha256_init(&one);
        enum ek_explored how = ek_explore_schedule(explore, number, error);
        good = how == EK_EXPLORED_ENDS || how == EK_EXPLORED_CUT;
        sha256_digest(&one, sizeof digest, digest);
        sha256_update(&all, sizeof digest, digest);
    }
    sha256_digest(&all, sizeof digest, digest);
    for (size_t i = 0; i < sizeof digest; i++) {
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
    }
    if (explore) {
        ek_explore_destroy(explore);
    }
    if (machine) {
        ek_machine_destroy(machine);
    }
    return good;
}

static bool is_right(char *line)
{
    struct ek_experiment experiment = {.timing = "free", .seed = 1, .seconds_max = 1e6}; // as `explore` sets it
    struct ek_error error = {.at = -1};
    char digits[2 * SHA256_DIGEST_SIZE + 1] = "";
    char *place;
    const char *strategy = strtok_r(line, " \n", &place);
    const char *schedules = strtok_r(NULL, " \n", &place);
    const char *wanted = strtok_r(NULL, " \n", &place);
    bool good = wanted;
    for (char *word; good && (word = strtok_r(NULL, " \n", &place));) {
        good = set(&experiment, word, &error);
    }
    good = good && hash(&experiment, strategy, strtoull(schedules, NULL, 10), digits, &error);
    if (!good || strcmp(digits, wanted) != 0) {
        printf("FAILED %s %s: %s, not %s; %s\n", strategy, schedules, digits, wanted, error.sentence);
        return false;
    }
    return true;
}

int main(void)
{
    FILE *file = fopen("tests/data/schedules.txt", "r");
    char line[LINE];
    unsigned passed = 0;
    unsigned failed = !file;
    while (file && fgets(line, sizeof line, file)) {
        *(is_right(line) ? &passed : &failed) += 1;
    }
    if (file) {
        fclose(file);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
