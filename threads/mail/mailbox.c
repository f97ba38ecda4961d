// SPDX-License-Identifier: MIT
// The table of mailbox kinds, and `slot`, which needs no functions.
#include "threads/mail/mailbox.h"

#include <string.h>

const struct mail_kind mail_slot = {
    .choice = {"slot", "one place per link, direction and phase, ordered by the barrier (rounds only)"},
};

static const struct mail_kind *const kinds[] = {&mail_slot, &mail_spsc, &mail_wfcq, &mail_mutex};

const struct mail_kind *mail_kind_at(size_t index)
{
    return index < sizeof kinds / sizeof *kinds ? kinds[index] : NULL;
}

const struct mail_kind *mail_kind_find(const char *name)
{
    size_t i = 0;
    while (mail_kind_at(i) && strcmp(mail_kind_at(i)->choice.form, name) != 0) {
        i++;
    }
    return mail_kind_at(i);
}

const struct ek_choice *mail_choice(size_t index)
{
    return mail_kind_at(index) ? &mail_kind_at(index)->choice : NULL;
}

void mail_boxes_plan(struct mail_boxes *boxes, struct base_arena *memory)
{
    if (boxes->kind->plan) {
        boxes->kind->plan(boxes, memory);
    }
}

bool mail_boxes_begin(struct mail_boxes *boxes)
{
    boxes->begun = !boxes->kind->begin || boxes->kind->begin(boxes);
    return boxes->begun;
}

void mail_boxes_end(struct mail_boxes *boxes)
{
    if (boxes->begun && boxes->kind->end) {
        boxes->kind->end(boxes);
    }
    boxes->begun = false;
}
