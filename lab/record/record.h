// SPDX-License-Identifier: MIT
// The record of an experiment: what its runs leave behind, as one plain value that needs no live machine. It is written
// to JSON and read back whole, and every table, picture and page is made from it.
#ifndef LAB_RECORD_RECORD_H
#define LAB_RECORD_RECORD_H

#include <stdio.h>

#include "threads/api/run.h"

enum { LAB_SIDES_MAX = 32 };

// The computer that the runs were made on.
struct lab_host {
    char processor[96];
    unsigned cores; // that the process could use
    uint64_t memory_bytes;
};

// This one, as it was when it was first runs_asked for: it takes as long to find out as a small run.
const struct lab_host *lab_host_this(void);

struct lab_topology {
    char *spec;
    uint32_t processors, links, colours, degree_min, degree_max;
    int64_t diameter; // -1 where it was too dear to compute
    uint32_t dimensions;
    uint32_t side[LAB_SIDES_MAX]; // [dimensions]
    bool drawn;                   // from the seed: each run has a graph of its own, and this is the first's
    char note[64];                // what of its file was left out, or ""
};

struct lab_method {
    char *name, *spec, *title;
    double parameter; // NaN where it has none
    bool direct;      // it ends by itself
    bool exchange;    // it is dimension exchange
};

struct lab_record {
    char *command; // a line to paste to run it again
    char version[32];
    struct lab_host host;
    struct lab_topology topology;
    struct lab_method method;
    struct {
        char *value; // effective, as ek_machine_axis has it
        bool given;  // it is not the default
    } axis[EK_AXES_MAX];

    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t facts_count;

    uint64_t runs_asked; // runs
    bool replayed;       // made again from a recording
    struct ek_report *runs;
    size_t count;
};

// Fills everything but the runs from a machine. Text that is not UTF-8, or holds control characters, is cleaned: its
// other bytes become '?'. With `theory` also what is known beforehand, as far as that takes about a second. False
// without memory.
bool lab_record_begin(struct lab_record *record, const struct ek_machine *machine, const char *command,
                      uint64_t runs_asked, bool theory, struct ek_error *error);
void lab_record_destroy(struct lab_record *record);

// The same of a topology alone. False without memory; its spec is to be freed.
bool lab_topology_begin(struct lab_topology *to, const struct ek_topology *from);

// Takes a run's report over. False without memory: then the report is still the caller's.
bool lab_record_add(struct lab_record *record, struct ek_report *report, struct ek_error *error);

// The effective value of the axis with this option, and whether it is another than the default.
const char *lab_record_axis(const struct lab_record *record, const char *option);
bool lab_record_given(const struct lab_record *record, const char *option);

// The runs that ended without their criterion.
size_t lab_record_unreached(const struct lab_record *record);

// Of a field over all runs; sd is the sample's, 0 for one run.
struct lab_field;
struct lab_summary {
    double mean, sd, minimum, maximum;
};
struct lab_summary lab_record_summarise(const struct lab_record *record, const struct lab_field *field);

// What a written record has beside the rest, as bits.
enum { LAB_WITH_FINAL = 1, LAB_WITH_TRACE = 2, LAB_WITH_INITIAL = 4, LAB_WITH_ALL = 7 };
enum { LAB_WITHOUT_SUMMARY = 8 }; // leave out what can be made from the runs again

// Writes it as one JSON object (docs/report.md). Errors of writing stay with the stream.
void lab_record_write(FILE *out, const struct lab_record *record, unsigned parts);

// The same piece by piece, for runs that are written as they are made: what comes before them, each in turn, and what
// comes after all of them.
void lab_record_write_head(FILE *out, const struct lab_record *record);
void lab_record_write_run(FILE *out, const struct lab_record *record, size_t run, unsigned parts);
void lab_record_write_end(FILE *out, const struct lab_record *record, unsigned parts);

// Reads one that was written, from text of so many bytes. False and `error` where it is none, is of another schema, or
// lacks something.
bool lab_record_read(const char *text, size_t length, struct lab_record *record, struct ek_error *error);

#endif
