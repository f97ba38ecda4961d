// SPDX-License-Identifier: MIT
// What each axis can be, for `list` and for the help: gathered from where each choice is defined.
#include <string.h>

#include "threads/barrier.h"
#include "threads/carrier.h"
#include "threads/mailbox.h"
#include "core/stop.h"

static bool from_core(const struct ek_choice *choice, const char **form, const char **summary)
{
    if (choice) {
        *form = choice->form;
        *summary = choice->summary;
    }
    return choice != NULL;
}

static bool from_carriers(size_t index, const char **form, const char **summary)
{
    const struct ek_carrier *carrier = ek_carrier_at(index);
    if (carrier) {
        *form = carrier->form;
        *summary = carrier->summary;
    }
    return carrier != NULL;
}

static bool from_mailboxes(size_t index, const char **form, const char **summary)
{
    const struct ek_mailbox_kind *kind = ek_mailbox_at(index);
    if (kind) {
        *form = kind->name;
        *summary = kind->summary;
    }
    return kind != NULL;
}

bool ek_choice_at(const char *axis, size_t index, const char **form, const char **summary)
{
    if (strcmp(axis, "load") == 0) {
        return from_core(ek_load_choice(index), form, summary);
    }
    if (strcmp(axis, "stop") == 0) {
        return from_core(ek_stop_choice(index), form, summary);
    }
    if (strcmp(axis, "carrier") == 0) {
        return from_carriers(index, form, summary);
    }
    if (strcmp(axis, "mailbox") == 0) {
        return from_mailboxes(index, form, summary);
    }
    if (strcmp(axis, "barrier") == 0) {
        return from_core(ek_barrier_choice(index), form, summary);
    }
    return false;
}
