// SPDX-License-Identifier: MIT
// Profiles of runs in records (docs/report.md).
#ifndef LAB_RECORD_PROFILE_H
#define LAB_RECORD_PROFILE_H

#include <jansson.h>
#include <stdio.h>

#include "threads/api/measures.h"

// The names of a profile's kinds, by enum ek_profile_kind.
extern const char *const lab_profile_kinds[EK_PROFILE_KINDS];

// Writes a profile as a member of its run's object.
void lab_profile_write(FILE *out, const struct ek_profile *profile, uint32_t processors);

// Reads a profile. Without an object there is none. Returns false if the object is none of a profile, or if memory is
// short.
bool lab_profile_read(const json_t *object, uint32_t processors, struct ek_profile *profile);

// Frees a profile.
void lab_profile_drop(struct ek_profile *profile);

#endif
