// SPDX-License-Identifier: MIT
// What the library gets in a page instead of threads and other libraries. There is one thread and one worker, and there
// are no files. A sentence refuses each thing that a page cannot do; nothing here computes anything in another way.
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/sized.h"
#include "core/programs/programs.h"
#include "threads/api/run.h"
#include "threads/cargo/vt_files.h"
#include "threads/host/counters.h"
#include "threads/host/limits.h"
#include "threads/host/pages.h"
#include "threads/host/places.h"
#include "threads/host/slice.h"
#include "threads/host/workers.h"
#include "threads/mail/bell.h"
#include "threads/mail/mailbox.h"
#include "topologies/spectra/eigensolvers.h"

static const uint64_t MEMORY = 1 << 30; // the module grows to no more than 2 GiB (bindings/web/web.mk)

bool host_workers_run(unsigned workers, const struct host_places *places, const struct host_job *job,
                      struct ek_error *error)
{
    (void)places;
    if (workers != 1 || job->help) {
        return base_fail(error, EK_BAD_INPUT, "carrier", "a page has one thread: choose carrier pool:1");
    }
    job->body(job->context, 0);
    return true;
}

void host_workers_block_signals(sigset_t *before)
{
    sigemptyset(before);
}

uint64_t host_workers_bytes(unsigned workers, bool large, bool mapped)
{
    (void)workers, (void)large, (void)mapped;
    return 0;
}

bool host_workers_possible(unsigned workers, struct ek_error *error)
{
    return workers <= 1 || base_fail(error, EK_BAD_INPUT, "carrier", "a page has one thread: choose carrier pool:1");
}

struct host_places *host_places_find(void)
{
    return NULL;
}

void host_places_destroy(struct host_places *places)
{
    (void)places;
}

unsigned host_places_count(const struct host_places *places)
{
    (void)places;
    return 1;
}

void host_limits_read_memory(const char *root, struct ek_limits *limits)
{
    (void)root;
    limits->memory_free = limits->memory_total = MEMORY;
    limits->memory_bound = "the memory of a page";
    limits->memory_mapped = false;
}

void ek_limits_read_sized(struct ek_limits *limits, size_t size)
{
    struct ek_limits found = {.cores = 1, .cores_total = 1, .threads_max = 1, .threads_bound = "a page"};
    host_limits_read_memory("", &found);
    base_sized_copy(limits, size, &found, sizeof found);
}

void host_pages_request(const struct base_arena *memory)
{
    (void)memory;
}

void host_slice_shorten(unsigned workers, unsigned cores)
{
    (void)workers, (void)cores;
}

void host_counters_begin(struct host_counters *counters, unsigned workers)
{
    (void)workers;
    *counters = (struct host_counters){0};
}

uint64_t host_thread_ns(void)
{
    return 0;
}

void host_counters_sample(struct host_counters *counters)
{
    (void)counters;
}

void host_counters_end(struct host_counters *counters)
{
    (void)counters;
}

void host_counters_add(struct host_counters *total, const struct host_counters *one)
{
    total->threads += 1;
    (void)one;
}

const char *host_counters_why(void)
{
    return "a page has no hardware counters";
}

// With one worker nobody sleeps, so no bell has anyone to wake.
bool mail_bell_ring(struct mail_bell *bell)
{
    return atomic_exchange(&bell->lying, 0) == 1;
}

void mail_bell_lie_down(struct mail_bell *bell)
{
    atomic_store(&bell->lying, 1);
}

void mail_bell_sleep(struct mail_bell *bell, uint64_t nanoseconds)
{
    (void)bell, (void)nanoseconds;
}

bool mail_bell_rise(struct mail_bell *bell)
{
    return atomic_exchange(&bell->lying, 0) == 0;
}

static bool no_queue(struct mail_boxes *boxes)
{
    (void)boxes;
    return false;
}

const struct mail_kind mail_wfcq = {.choice = {"wfcq", "not in a page"}, .begin = no_queue};

// Eigenvalues by LAPACK and ARPACK differ from those of any other program in their last bits, and parameters that
// follow from them would too.
enum topo_linear topo_linear_symmetric(double *matrix, uint32_t order, double *value)
{
    (void)matrix, (void)order, (void)value;
    return TOPO_LINEAR_UNFINISHED;
}

enum topo_linear topo_linear_general(double *matrix, uint32_t order, double *real, double *imaginary)
{
    (void)matrix, (void)order, (void)real, (void)imaginary;
    return TOPO_LINEAR_UNFINISHED;
}

enum topo_linear topo_linear_modulus(double *matrix, uint32_t order, double *modulus)
{
    (void)matrix, (void)order, (void)modulus;
    return TOPO_LINEAR_UNFINISHED;
}

enum topo_linear topo_linear_extremes(const struct topo_operator *a, double *smallest, double *largest)
{
    (void)a, (void)smallest, (void)largest;
    return TOPO_LINEAR_UNFINISHED;
}

enum topo_linear topo_linear_modulus_iterated(const struct topo_operator *a, double *modulus)
{
    (void)a, (void)modulus;
    return TOPO_LINEAR_UNFINISHED;
}

struct cargo_vt *cargo_vt_read(struct core_object_set *set, uint32_t processors, int64_t phase, struct ek_reader reader,
                               struct base_cursor *spec)
{
    (void)set, (void)processors, (void)phase, (void)reader;
    base_cursor_fail(spec, 0, "a page reads no LB data files: use the command");
    return NULL;
}

void cargo_vt_destroy(struct cargo_vt *vt)
{
    (void)vt;
}

bool cargo_vt_write(const struct cargo_vt *vt, const uint32_t *place, uint32_t ranks, struct ek_placement_file *file)
{
    (void)vt, (void)place, (void)ranks, (void)file;
    return false;
}

static struct ek_problem *no_hashes(const struct ek_program_setting *setting, struct ek_error *error)
{
    (void)setting;
    base_fail(error, EK_BAD_INPUT, "tasks",
              "uts needs SHA-1, which a page does not have: use the command, or queens:8");
    return NULL;
}

static void no_first_task(const struct ek_problem *problem, uint64_t index, void *task)
{
    (void)problem, (void)index, (void)task;
}

static void no_execution(const struct ek_problem *problem, const void *task, struct ek_execution *execution)
{
    (void)problem, (void)task, (void)execution;
}

const struct ek_program core_program_uts = {.name = "uts",
                                            .choice = {"uts:NAME", "not in a page"},
                                            .prepare = no_hashes,
                                            .begin = no_first_task,
                                            .execute = no_execution};
