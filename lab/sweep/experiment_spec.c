// SPDX-License-Identifier: MIT
#include "lab/sweep/experiment_spec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "lab/record/record.h"
#include "lab/sweep/mpirun.h"
#include "lab/text/clean_text.h"
#include "lab/text/memory_stream.h"
#include "threads/api/run.h"

const char *lab_experiment_spec_axis(const struct lab_experiment_spec *spec, const char *option)
{
    return spec->text[lab_axis_index(option)];
}

bool lab_experiment_spec_read(const struct lab_experiment_spec *spec, struct ek_reader reader,
                              struct ek_experiment *experiment, struct ek_error *error)
{
    *experiment = (struct ek_experiment){.seed = 1, .every = 1, .reader = reader};
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        bool off = axis->kind == EK_AXIS_SWITCH && spec->text[i] && strcmp(spec->text[i], "true") != 0;
        if (spec->text[i] && !off && !ek_axis_set(axis, experiment, spec->text[i], error)) {
            return false;
        }
    }
    return true;
}

// Returns whether the text differs from the axis' default. The seed is not part of an experiment.
static bool differs(const struct ek_axis *axis, const char *text)
{
    if (!text || strcmp(axis->option, "seed") == 0) {
        return false;
    }
    return axis->kind == EK_AXIS_SWITCH ? strcmp(text, "true") == 0
                                        : !axis->initial || strcmp(text, axis->initial) != 0;
}

static void write_options(FILE *out, const struct lab_experiment_spec *spec)
{
    if (spec->plugin) {
        fputs(" --plugin ", out);
        lab_shell_quote(out, spec->plugin);
    }
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (differs(axis, spec->text[i])) {
            fprintf(out, " --%s", axis->option);
            if (axis->kind != EK_AXIS_SWITCH) {
                fputc(' ', out);
                lab_shell_quote(out, spec->text[i]);
            }
        }
    }
}

char *lab_experiment_spec_command(const struct lab_experiment_spec *spec, uint64_t seed)
{
    struct lab_stream line;
    if (lab_stream_begin(&line)) {
        fputs("evenkeel run", line.out);
        write_options(line.out, spec);
        fprintf(line.out, " --seed %" PRIu64, seed);
    }
    return lab_stream_end(&line);
}

// A reader that adds the files' contents to the hash.
struct hashing {
    struct ek_reader reader;
    XXH3_state_t *state;
};

static char *read_and_hash(void *context, const char *path, size_t *length, struct ek_error *error)
{
    struct hashing *hashing = context;
    char *text = hashing->reader.read(hashing->reader.context, path, length, error);
    if (text) {
        XXH3_128bits_update(hashing->state, text, *length);
    }
    return text;
}

static bool names_files(const struct lab_experiment_spec *spec)
{
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (spec->text[i] && (strstr(spec->text[i], "file:") || strncmp(spec->text[i], "vt:", 3) == 0)) {
            return true;
        }
    }
    return false;
}

// Adds the named files to the hash. Prepares the machine for this purpose, since only the library knows which part of a
// spec is a path.
static bool add_files(const struct lab_experiment_spec *spec, struct hashing *hashing, struct ek_error *error)
{
    struct ek_experiment experiment;
    struct ek_reader reader = {.read = read_and_hash, .context = hashing};
    if (!lab_experiment_spec_read(spec, reader, &experiment, error)) {
        return false;
    }
    if (lab_ranks_of_carrier(experiment.carrier) > 0) {
        experiment.carrier = NULL; // ranks read the same files, and this process has no ranks
    }
    struct ek_machine *machine = ek_prepare(&experiment, error);
    ek_machine_destroy(machine);
    return machine;
}

bool lab_experiment_spec_key(const struct lab_experiment_spec *spec, struct ek_reader reader, char key[LAB_KEY_SIZE],
                             struct ek_error *error)
{
    struct hashing hashing = {.reader = reader, .state = XXH3_createState()};
    struct lab_stream text;
    if (lab_stream_begin(&text)) {
        write_options(text.out, spec);
    }
    char *line = lab_stream_end(&text);
    bool good = line && hashing.state;
    if (!good) {
        base_refuse(error, "there is no memory for the key of an experiment: free some memory");
    } else {
        XXH3_128bits_reset(hashing.state);
        XXH3_128bits_update(hashing.state, line, text.length);
        good = !names_files(spec) || add_files(spec, &hashing, error);
        XXH128_canonical_t digest;
        XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(hashing.state));
        for (size_t i = 0; i < sizeof digest.digest; i++) {
            snprintf(key + 2 * i, 3, "%02x", digest.digest[i]);
        }
    }
    free(line);
    XXH3_freeState(hashing.state);
    return good;
}
