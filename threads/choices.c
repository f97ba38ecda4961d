// SPDX-License-Identifier: MIT
// What each axis can be, for `list` and for the help: gathered from where each choice is defined.
#include <string.h>

#include "core/capacity.h"
#include "core/delay.h"
#include "core/fault.h"
#include "core/invoke.h"
#include "core/slow.h"
#include "core/stop.h"
#include "core/work.h"
#include "threads/mail/barrier.h"
#include "threads/carrier.h"
#include "threads/mail/mailbox.h"

// Axes whose values are names; an axis' first is its default.
static const struct {
    const char *axis;
    struct core_choice choice;
} named[] = {
    {"units", {"real", "loads are any amounts"}},
    {"units", {"tokens", "whole loads, whole transfers"}},
    {"ports", {"all", "a processor may use all its links in a step"}},
    {"ports", {"one", "a processor may use one link in a step"}},
    {"timing", {"rounds", "all processors act at once, with a barrier between the phases"}},
    {"timing", {"turns", "one processor after another in a step, in the order of their numbers"}},
    {"timing", {"turns:random", "one after another, in a fresh order each step"}},
    {"timing", {"free", "every processor at its own pace, without a barrier"}},
    {"domains", {"overlap", "a processor may be in several operations at once"}},
    {"domains", {"exclusive", "a processor in an operation refuses to take part in another"}},
    {"clock", {"operation", "the workload of a tick comes after each operation"}},
    {"clock", {"step", "the workload of a tick comes after each step"}},
    {"weighting", {"capacity", "a method balances loads divided by capacities"}},
    {"weighting", {"target", "a method balances the distances from each processor's share"}},
    {"link-limit", {"none", "a link carries any amount"}},
    {"link-limit", {"U", "a link carries at most U one way in a step"}},
};

// Axes whose values are specs.
static const struct {
    const char *axis;
    const struct core_choice *(*choice)(size_t index);
} parsed[] = {
    {"load", core_load_choice},       {"work", core_workload_choice}, {"capacity", core_capacity_choice},
    {"delay", core_delay_choice},     {"invoke", core_invoke_choice}, {"stop", core_stop_choice},
    {"barrier", mail_barrier_choice}, {"slow", core_slow_choice},     {"faults", core_faults_choice},
};

static const struct core_choice *choice_of(const char *axis, size_t index)
{
    for (size_t i = 0; i < sizeof parsed / sizeof *parsed; i++) {
        if (strcmp(axis, parsed[i].axis) == 0) {
            return parsed[i].choice(index);
        }
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (strcmp(axis, named[i].axis) == 0 && index-- == 0) {
            return &named[i].choice;
        }
    }
    return NULL;
}

bool ek_choice_at(const char *axis, size_t index, const char **form, const char **summary)
{
    const struct core_choice *choice = choice_of(axis, index);
    const struct machine_carrier *carrier = strcmp(axis, "carrier") == 0 ? machine_carrier_at(index) : NULL;
    const struct mail_kind *mailbox = strcmp(axis, "mailbox") == 0 ? mail_kind_at(index) : NULL;
    if (choice) {
        *form = choice->form;
        *summary = choice->summary;
    } else if (carrier) {
        *form = carrier->form;
        *summary = carrier->summary;
    } else if (mailbox) {
        *form = mailbox->name;
        *summary = mailbox->summary;
    }
    return choice || carrier || mailbox;
}
