// SPDX-License-Identifier: MIT
// The axes of experiments, by their names. Part of <evenkeel.h>.
#ifndef EK_AXIS_H
#define EK_AXIS_H

#include "base/common.h"

// The timings, as bits: those in which an axis means something.
enum { EK_IN_ROUNDS = 1, EK_IN_TURNS = 2, EK_IN_FREE = 4, EK_IN_VIRTUAL = 8, EK_IN_ALL = 15 };

// Returns the timing that a value of the axis `timing` selects, as one of these bits; NULL selects the default. Returns
// 0 if there is no such value.
EK_API unsigned ek_timing_named(const char *value);

enum ek_axis_kind {
    EK_AXIS_TEXT,    // const char *: a spec, which ek_prepare reads
    EK_AXIS_WHOLE,   // uint64_t
    EK_AXIS_SECONDS, // double, as in 20us or 5s
    EK_AXIS_SHARE,   // double from 0 to 1
    EK_AXIS_SWITCH   // bool
};

// The subject of an axis.
enum ek_role {
    EK_ROLE_SUBJECT, // what is balanced, where and how
    EK_ROLE_SETTING, // how the experiment differs from the papers' plain case: all processors balance together, and no
                     // load is generated or consumed
    EK_ROLE_END,     // when a run ends
    EK_ROLE_MACHINE, // threads, barriers and mailboxes: they do not influence the result in rounds
    EK_ROLE_REPORT,  // the seed, and what is reported
    EK_ROLE_COST     // what turns and messages cost: only virtual time and the virtual seconds of rounds depend on it
};

// The group of options that help shows an axis in.
enum ek_topic {
    EK_TOPIC_NONE,    // an option of one command
    EK_TOPIC_MACHINE, // the emulated machine: its processors and links, and how they act
    EK_TOPIC_METHOD,  // what the balancing method does
    EK_TOPIC_LOAD,    // the load, and the work that creates and consumes it
    EK_TOPIC_FREE,    // what only machines without rounds have
    EK_TOPIC_COST,    // what turns and messages cost
    EK_TOPIC_RUNS,    // how many runs there are, with which random draws, and when they end
    EK_TOPIC_HOST,    // how this computer carries the machine
    EK_TOPIC_OUTPUT,  // what is measured, printed and written
    EK_TOPIC_FIGURE,  // what a figure shows
    EK_TOPICS
};

// An axis of experiments. The command makes from it an option, a line in help, manual page and list, and a field in
// reports.
struct ek_axis {
    const char *option; // its name on the command line: "link-limit"
    const char *field;  // its name in reports: "link_limit"; NULL if each run has a field of its own for it
    enum ek_role role;
    const char *form;    // what its value looks like; NULL for a switch
    const char *initial; // its default as text, or NULL if there is none
    const char *help;    // one line
    const char *more;    // more for the manual page, or NULL
    enum ek_axis_kind kind;
    size_t place;              // offset of its value in struct ek_experiment
    uint64_t minimum, maximum; // bounds of a whole number
    unsigned timings;          // the timings in which it has a meaning: EK_IN_ROUNDS | ...
    const char *otherwise;     // advice for users who set it in another timing, or NULL
    bool later;                // records of earlier versions lack it; their runs had its default
    enum ek_topic topic;
};

// The most axes that an experiment has.
enum { EK_AXES_MAX = 64 };

// Returns axis `index`, or NULL past the last.
EK_API const struct ek_axis *ek_axis_at(size_t index);

// Returns the axis with this option, or NULL.
EK_API const struct ek_axis *ek_axis_named(const char *option);

// Sets the value of an axis from text, which must stay valid as long as the experiment is used. Returns false with
// `error` filled if the text is not a number of the axis' kind; ek_prepare checks specs. `values` is the struct that
// axis->place is an offset in: the experiment, or the program's own struct if the axis is a row that the program made
// for an option of its own.
EK_API bool ek_axis_set(const struct ek_axis *axis, void *values, const char *text, struct ek_error *error);

// Returns value `index` that an axis can have. Returns NULL past the last, and for axes of numbers.
EK_API const struct ek_choice *ek_axis_choice(const struct ek_axis *axis, size_t index);

#endif
