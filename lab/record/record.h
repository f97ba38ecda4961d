// SPDX-License-Identifier: MIT
// The record of an experiment: the results of its runs as one plain value that needs no machine. It can be written to
// JSON and read back without loss. Every table, picture and page is made from a record.
#ifndef LAB_RECORD_RECORD_H
#define LAB_RECORD_RECORD_H

#include <stdio.h>

#include "threads/api/axis.h"
#include "threads/api/prepared.h"

enum { LAB_SIDES_MAX = 32 };

// The computer that made the runs.
struct lab_host {
    char processor[96];
    unsigned cores; // usable by the process
    uint64_t memory_bytes;
};

// Returns this computer as it was at the first call. The first call takes about as long as a small run.
const struct lab_host *lab_host_this(void);

struct lab_topology {
    char *spec;
    uint32_t processors, links, degree_min, degree_max;
    uint32_t colours; // 0 if the links were not coloured
    int64_t diameter; // -1 if it takes too long to compute
    uint32_t dimensions;
    uint32_t side[LAB_SIDES_MAX]; // [dimensions]
    bool drawn;                   // drawn from the seed: each run has its own graph, and this is the first run's
    char note[64];                // which parts of its file were ignored, or ""
};

static inline bool lab_topology_is_coloured(const struct lab_topology *topology)
{
    return topology->colours > 0 || topology->links == 0;
}

struct lab_method {
    char *name, *spec, *title;
    double parameter; // NaN if the method has none
    bool direct;      // it balances in a fixed number of operations
    bool exchange;    // it is dimension exchange
};

struct lab_record {
    char *command; // the command line that repeats the runs
    char version[32];
    struct lab_host host;
    struct lab_topology topology;
    struct lab_method method;
    struct {
        char *value; // the effective value, as ek_machine_axis returns it
        bool given;  // it differs from the default
    } axis[EK_AXES_MAX];

    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    size_t facts_count;

    uint64_t runs_asked; // the number of runs requested
    bool replayed;       // the run was replayed from a recording
    struct ek_report *runs;
    size_t count;
};

// Fills the record, except for its runs, from a machine. Cleans all text. With `theory` the record also gets the
// theoretical results that take at most about a second. Returns false if memory is short.
bool lab_record_begin(struct lab_record *record, const struct ek_machine *machine, const char *command,
                      uint64_t runs_asked, bool theory, struct ek_error *error);
void lab_record_destroy(struct lab_record *record);

// Returns whether memory sufficed to find all of the theory and the facts.
bool lab_theory_is_whole(const struct ek_theory *theory, const struct ek_fact *facts, size_t count);

// Copies a topology's properties; the spec is to be freed. Returns false if memory is short.
bool lab_topology_begin(struct lab_topology *to, const struct ek_topology *from);

// Moves a run's report into the record. Returns false if memory is short; then the caller still owns the report.
bool lab_record_add(struct lab_record *record, struct ek_report *report, struct ek_error *error);

// Returns the index of the axis with this option, which must exist.
size_t lab_axis_index(const char *option);

// Return an axis' effective value, and whether it differs from the default.
const char *lab_record_axis(const struct lab_record *record, const char *option);
bool lab_record_given(const struct lab_record *record, const char *option);

// Returns whether tables show virtual time. In rounds they do so only if a cost was given: the others are defaults.
bool lab_record_shows_virtual(const struct lab_record *record);

// Returns how many runs ended without reaching their criterion.
size_t lab_record_unreached(const struct lab_record *record);

// The statistics of a field over all runs. `sd` is the sample's standard deviation, 0 for one run.
struct lab_field;
struct lab_summary {
    double mean, sd, minimum, maximum;
};
struct lab_summary lab_record_summarise(const struct lab_record *record, const struct lab_field *field);

// The optional parts of a written record, as bits.
enum { LAB_WITH_FINAL = 1, LAB_WITH_TRACE = 2, LAB_WITH_INITIAL = 4, LAB_WITH_ALL = 7 };
enum { LAB_WITHOUT_SUMMARY = 8 }; // omit the summary, which follows from the runs

// Writes the record as one JSON object (docs/report.md). The stream remembers errors of writing.
void lab_record_write(FILE *out, const struct lab_record *record, unsigned parts);

// Write the same object in pieces, for runs that are written as soon as they end: the head, each run in turn, then the
// end.
void lab_record_write_head(FILE *out, const struct lab_record *record);
void lab_record_write_run(FILE *out, const struct lab_record *record, size_t run, unsigned parts);
void lab_record_write_end(FILE *out, const struct lab_record *record, unsigned parts);

// Reads a record from JSON of `length` bytes. Returns false if the text is not a complete record of this schema.
bool lab_record_read(const char *text, size_t length, struct lab_record *record, struct ek_error *error);

#endif
