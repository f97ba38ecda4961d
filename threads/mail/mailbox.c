// SPDX-License-Identifier: MIT
// The registry of mailbox kinds, and `slot`, which needs no code of its own.
#include "threads/mail/mailbox.h"

const struct mail_kind mail_slot = {
    .name = "slot",
    .summary = "one place per link, direction and phase, ordered by the barrier (rounds only)",
};

static const struct mail_kind *const kinds[] = {&mail_slot, &mail_spsc, &mail_wfcq, &mail_mutex};

const struct mail_kind *mail_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}
