// SPDX-License-Identifier: MIT
// The registry of mailbox kinds, and `slot`, which needs no code of its own.
#include "threads/mailbox.h"

const struct ek_mailbox_kind ek_mailbox_slot = {
    .name = "slot",
    .summary = "one place per link, direction and phase, ordered by the barrier (rounds only)",
};

static const struct ek_mailbox_kind *const kinds[] = {&ek_mailbox_slot, &ek_mailbox_spsc, &ek_mailbox_wfcq,
                                                      &ek_mailbox_mutex};

const struct ek_mailbox_kind *ek_mailbox_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}
