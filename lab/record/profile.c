// SPDX-License-Identifier: MIT
// Writes and reads profiles.
#include "lab/record/profile.h"

#include <stdlib.h>

#include "lab/record/json.h"

const char *const lab_profile_kinds[EK_PROFILE_KINDS] = {"work", "overhead", "idle", "executed", "created"};

// Writes the arrays of the first `kinds` kinds, with `count` reals each, as members of an object.
static void write_kinds(FILE *out, const double *real, unsigned kinds, size_t count)
{
    for (unsigned kind = 0; kind < kinds; kind++) {
        fprintf(out, "%s\"%s\": ", kind > 0 ? ", " : "", lab_profile_kinds[kind]);
        lab_json_write_reals(out, real + kind * count, count);
    }
}

void lab_profile_write(FILE *out, const struct ek_profile *profile, uint32_t processors)
{
    fprintf(out, ", \"profile\": {\"group\": %u, \"processors\": {", (unsigned)profile->group);
    write_kinds(out, profile->processor, EK_PROFILE_KINDS, processors);
    fputs("}, \"intervals\": [", out);
    for (size_t i = 0; i < profile->intervals; i++) {
        fputs(i > 0 ? ", {\"from\": " : "{\"from\": ", out);
        lab_json_write(out, lab_json_real(profile->interval[i].from), JSON_ENCODE_ANY);
        fputs(", \"to\": ", out);
        lab_json_write(out, lab_json_real(profile->interval[i].to), JSON_ENCODE_ANY);
        fputs(", ", out);
        write_kinds(out, profile->time + i * EK_PROFILE_TIMES * profile->groups, EK_PROFILE_TIMES, profile->groups);
        fputc('}', out);
    }
    fputs("]}", out);
}

static bool read_kinds(const json_t *object, double *real, unsigned kinds, size_t count)
{
    bool good = true;
    for (unsigned kind = 0; good && kind < kinds; kind++) {
        good = lab_json_read_reals(json_object_get(object, lab_profile_kinds[kind]), real + kind * count, count);
    }
    return good;
}

static bool read_intervals(const json_t *array, struct ek_profile *profile)
{
    bool good = true;
    for (size_t i = 0; good && i < profile->intervals; i++) {
        const json_t *one = json_array_get(array, i);
        double *time = profile->time + i * EK_PROFILE_TIMES * profile->groups;
        profile->interval[i] = (struct ek_interval){.from = lab_json_number(json_object_get(one, "from")),
                                                    .to = lab_json_number(json_object_get(one, "to"))};
        good = read_kinds(one, time, EK_PROFILE_TIMES, profile->groups);
    }
    return good;
}

bool lab_profile_read(const json_t *object, uint32_t processors, struct ek_profile *profile)
{
    if (!object) {
        return true;
    }
    const json_t *array = json_object_get(object, "intervals");
    json_int_t group = json_integer_value(json_object_get(object, "group"));
    if (group < 1 || group > processors || !json_is_array(array)) {
        return false;
    }
    profile->group = (uint32_t)group;
    profile->groups = (processors + profile->group - 1) / profile->group;
    profile->intervals = json_array_size(array);
    profile->interval = calloc(profile->intervals + 1, sizeof *profile->interval);
    profile->time = calloc(profile->intervals * EK_PROFILE_TIMES + 1, profile->groups * sizeof *profile->time);
    profile->processor = calloc(EK_PROFILE_KINDS, processors * sizeof *profile->processor);
    return profile->interval && profile->time && profile->processor &&
           read_kinds(json_object_get(object, "processors"), profile->processor, EK_PROFILE_KINDS, processors) &&
           read_intervals(array, profile);
}

void lab_profile_drop(struct ek_profile *profile)
{
    free(profile->interval);
    free(profile->time);
    free(profile->processor);
    *profile = (struct ek_profile){0};
}
