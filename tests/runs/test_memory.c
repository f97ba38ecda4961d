// SPDX-License-Identifier: MIT
// The memory that an experiment is planned to need, against the memory that its topology and its run take.
#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/support/text_file.h"
#include "threads/api/run.h"
#include "threads/experiment/tables.h"
#include "threads/machine/machine.h"
#include "threads/host/limits.h"
#include "threads/host/workers.h"
#include "threads/machine/budget.h"
#include "base/lines.h"
#include "topologies/build.h"
#include "base/sanitizers.h"

// Checks the plan made before the topology is built against the plan made afterwards. The first is never larger, and
// together with the topology it is at least half as large. Delays and faults are left out of this, since their
// memory is known afterwards only.
static void expect_said_before(const char *what, const struct ek_machine *machine, double said)
{
    struct ek_topology outline = *machine->plan.topology;
    outline.first = NULL;
    outline.degree_max = outline.colours = 0;
    struct machine_plan unread = {.experiment = machine->plan.experiment,
                                  .method = machine->plan.method,
                                  .engine = machine->plan.engine,
                                  .units = machine->plan.units,
                                  .ports = machine->plan.ports,
                                  .to_target = machine->plan.to_target,
                                  .program = machine->plan.program,
                                  .problem = machine->plan.problem,
                                  .pushed = machine->plan.pushed,
                                  .carrier = machine->plan.carrier,
                                  .workers_asked = machine->plan.workers_asked,
                                  .mailbox = machine->plan.mailbox,
                                  .mailbox_capacity = machine->plan.mailbox_capacity,
                                  .barrier = machine->plan.barrier,
                                  .places = machine->plan.places,
                                  .ranks = machine->plan.ranks,
                                  .interrupts = machine->plan.interrupts};
    struct machine_budget before = machine_budget_before(&unread, &outline, 0);
    double topology = (double)ek_topology_bytes(machine->plan.topology);
    cr_expect_eq(before.workers, machine->plan.workers);
    cr_expect_leq((double)before.topology, topology);
    bool later = core_links_delay(&machine->plan.links) || machine->plan.faults.kind != CORE_FAULTS_NONE;
    double least = later ? topology : 0.5 * (topology + said);
    cr_expect((double)before.run <= said && (double)(before.topology + before.run) >= least,
              "%s: %.0f bytes are said before and %.0f afterwards", what, (double)before.run, said);
}

static double taken_now(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

// Checks what a run takes from the allocator against its engine's plan.
static void expect_said_is_taken(const char *what, struct ek_experiment experiment)
{
    struct ek_error error;
    experiment.seed = 1;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s: %s", what, error.sentence);
    double said = (double)machine->plan.engine->bytes(&machine->plan);
    expect_said_before(what, machine, said);
    double before = taken_now();
    void *run = machine->plan.engine->create(&machine->plan, 0, &error);
    double taken = taken_now() - before;
    cr_assert(run, "%s: %s", what, error.sentence);
    double pages = 8 * 4096; // large arrays come in whole pages
    cr_expect(taken <= 1.01 * said + pages && said <= 1.01 * taken + pages, "%s: %.0f bytes are said and %.0f taken",
              what, said, taken);
    machine->plan.engine->destroy(run);
    ek_machine_destroy(machine);
}

static uint64_t mapped_now(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    cr_assert(file && fscanf(file, "%lu", &pages) == 1);
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

// AddressSanitizer replaces the allocator, and mallinfo2() does not see it.
#ifdef __SANITIZE_ADDRESS__
#define UNTOLD true
#else
#define UNTOLD false
#endif

static bool forget(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)context, (void)worker, (void)bytes, (void)count;
    return true;
}

Test(memory, what_is_said_is_taken, .disabled = UNTOLD)
{
    static const struct ek_recorder recorder = {.write = forget};
    static const struct ek_experiment experiments[] = {
        {.topology = "torus:100x100", .carrier = "pool:2", .method = "adf"},
        {.topology = "torus:20x20", .method = "ade", .units = "tokens", .keep_loads = true},
        {.topology = "torus:50x50", .carrier = "pool:3", .method = "adf", .mailbox = "spsc"},
        {.topology = "torus:50x50", .carrier = "pool:3", .method = "adf", .mailbox = "wfcq"},
        {.topology = "torus:30x30", .method = "adf", .mailbox = "mutex", .invoke = "below:3"},
        {.topology = "ring:2000", .carrier = "pool:2", .method = "sender:0.1", .delay = "uniform:0:50"},
        {.topology = "ring:2000", .carrier = "pool:2", .method = "sender:0.1", .timing = "turns", .delay = "fixed:9"},
        {.topology = "mesh:30x30", .method = "dde"},
        {.topology = "ring:500", .method = "liquid:c4r"},
        {.topology = "torus:20x20",
         .carrier = "pool:2",
         .method = "matching",
         .capacity = "semi",
         .weighting = "target"},
        {.topology = "torus:30x30",
         .carrier = "pool:2",
         .method = "adf",
         .timing = "turns",
         .delay = "fixed:2",
         .faults = "link:1"},
        {.topology = "torus:30x30", .method = "adf", .timing = "free"},
        {.topology = "torus:30x30", .method = "adf", .timing = "free", .recorder = &recorder},
        {.topology = "ring:1000", .carrier = "pool:2", .method = "adf", .frames = 300},
        {.topology = "ring:1000", .method = "adf", .timing = "free", .carrier = "pool:2", .frames = 300},
        {.topology = "torus:100x100", .method = "ade", .timing = "free", .carrier = "pool:2", .no_flows = true},
        {.topology = "star:300", .method = "adf", .timing = "free", .mailbox = "wfcq:9", .keep_links = true},
        {.topology = "star:300", .method = "adf"},
        {.topology = "star:300", .method = "opt"},
        {.topology = "ring:30", .method = "adf", .tasks = "mandelbrot:3000x2000:100", .keep_picture = true},
        {.topology = "ring:1000", .carrier = "pool:2", .method = "adf", .tasks = "queens:5", .profile = 300},
        {.topology = "star:300", .method = "adf", .timing = "turns", .carrier = "pool:7"},
        {.topology = "torus:30x30",
         .method = "adf",
         .timing = "free",
         .mailbox = "mutex:3",
         .delay = "fixed:1us",
         .faults = "link:1,processor:1"},
    };
    for (size_t i = 0; i < sizeof experiments / sizeof *experiments; i++) {
        char what[32];
        snprintf(what, sizeof what, "experiment %zu", i);
        expect_said_is_taken(what, experiments[i]);
    }
}

static double said_of(const char *topology, const char *timing, const char *method)
{
    struct ek_error error;
    struct ek_machine *machine =
        ek_prepare(&(struct ek_experiment){.topology = topology, .timing = timing, .method = method}, &error);
    cr_assert(machine, "%s", error.sentence);
    double said = (double)machine->plan.engine->bytes(&machine->plan);
    ek_machine_destroy(machine);
    return said;
}

// Only the worker of a hub has room for so many neighbours. If every worker had, this would be 32 MB.
Test(memory, of_a_hub_is_that_of_one_worker)
{
    static const struct {
        const char *timing, *method;
    } rows[] = {{"rounds", "adf"}, {"rounds", "local-average"}, {"turns", "adf"}, {"free", "adf"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double hub = said_of("star:2000", rows[i].timing, rows[i].method);
        double none = said_of("ring:2000", rows[i].timing, rows[i].method);
        cr_expect(hub <= 1.2 * none, "%s %s: %.0f bytes, %.0f without a hub", rows[i].timing, rows[i].method, hub,
                  none);
    }
}

// Every kind of mailbox, in every engine that supports it, on two carriers, with and without the arrays of a report.
Test(memory, of_every_kind_is_said, .disabled = UNTOLD)
{
    unsigned tried = 0;
    for (size_t e = 0; experiment_engine_at(e); e++) {
        const struct machine_engine *engine = experiment_engine_at(e);
        const char *const carriers[] = {engine->computed ? "pool:1" : "threads", "pool:2"};
        for (size_t k = 0; mail_kind_at(k); k++) {
            for (unsigned c = 0; c < 6; c++) {
                char mailbox[32], what[96];
                bool keeps = c % 3 == 2, bounded = engine->capacity > 0;
                if (bounded && !mail_kind_at(k)->put) {
                    continue;
                }
                snprintf(mailbox, sizeof mailbox, bounded && c % 3 == 1 ? "%s:2049" : "%s",
                         mail_kind_at(k)->choice.form);
                snprintf(what, sizeof what, "%s, %s, %s", engine->choice.form, mailbox, carriers[c / 3]);
                expect_said_is_taken(what, (struct ek_experiment){.topology = "torus:16x16",
                                                                  .method = "adf",
                                                                  .timing = engine->choice.form,
                                                                  .mailbox = mailbox,
                                                                  .carrier = carriers[c / 3],
                                                                  .keep_loads = keeps,
                                                                  .keep_links = keeps});
                tried++;
            }
        }
    }
    cr_expect_eq(tried, 6 * (3 * 4 + 2 * 3));
}

static double bytes_each(const struct ek_experiment *experiment, double processors)
{
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    double each = (double)machine_budget_of(&machine->plan).run / processors;
    ek_machine_destroy(machine);
    return each;
}

// Rank 1 of 4. The other ranks give the same data.
static bool repeat(void *context, const void *own, void *all, size_t bytes)
{
    (void)context;
    for (size_t r = 0; r < 4; r++) {
        memmove((char *)all + r * bytes, own, bytes);
    }
    return true;
}

static const struct ek_ranks one_of_four = {.rank = 1, .count = 4, .gather = repeat};

// Returns the bytes for each processor beyond the first 90,000.
static double slope_of(struct ek_experiment experiment)
{
    experiment.topology = "torus:300x600";
    double large = bytes_each(&experiment, 90000);
    experiment.topology = "torus:300x300";
    return large - bytes_each(&experiment, 90000);
}

// A rank takes the memory that is said, before and after its processors are placed: a fourth of that of one process,
// and some bytes more. In virtual time and free timing it also has the ranks of the other ranks' processors (4 each),
// and in free timing room for their spheres of operations (36). In turns it has the ranks of all processors (4), and
// whether they have a neighbour on another rank (1). In virtual time, ranks exchange the messages left under way (16
// for each own port).
Test(memory, of_a_rank_is_that_of_its_processors, .disabled = UNTOLD)
{
    static const struct {
        const char *timing;
        bool no_flows;
        double beyond; // bytes for each processor of the machine
    } rows[] = {
        {"virtual", true, 19}, {"virtual", false, 19}, {"free", true, 30}, {"free", false, 30}, {"turns", true, 5}};
    struct ek_experiment experiment = {.method = "adf", .stop = "never", .seconds_max = 1e-6, .ranks = &one_of_four};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        experiment.timing = rows[i].timing;
        experiment.no_flows = rows[i].no_flows;
        experiment.carrier = "pool:1";
        double all = slope_of(experiment);
        experiment.carrier = "mpi";
        double own = slope_of(experiment), said = all / 4 + rows[i].beyond;
        cr_expect(fabs(own - said) < 1.0, "%s: %.1f bytes of %.1f", rows[i].timing, own, all);
    }
    experiment.timing = "free";
    experiment.topology = "torus:600x300"; // in boxes
    double own = bytes_each(&experiment, 180000);
    experiment.carrier = "pool:1";
    double all = bytes_each(&experiment, 180000);
    cr_expect(own > 0.25 * all && own < 0.6 * all, "boxes: %.1f bytes of %.1f", own, all);
    experiment.carrier = "mpi";
    experiment.topology = "torus:16x16";
    experiment.timing = "virtual";
    expect_said_is_taken("a rank", experiment);
}

// Ranks that store the links of their own processors only add up the links that lead to other ranks: 3 at each of the 4
// bounds between blocks.
Test(memory, of_own_links_leaves_their_count_to_all_ranks)
{
    struct ek_experiment experiment = {.topology = "circulant:200000:1,2",
                                       .method = "adf",
                                       .stop = "never",
                                       .steps_max = 1,
                                       .no_flows = true,
                                       .carrier = "mpi",
                                       .ranks = &one_of_four};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_assert(machine->plan.topology->window);
    cr_expect_eq(machine->plan.placement.cut, 12);
    ek_machine_destroy(machine);
}

struct asked {
    uint64_t arrays, making;
};

static bool note_asked(void *context, const struct ek_topology *outline, uint64_t making, size_t at,
                       struct ek_error *error)
{
    (void)at;
    (void)error;
    *(struct asked *)context = (struct asked){.arrays = ek_topology_bytes(outline), .making = making};
    return true;
}

// A topology takes the planned memory. While it is built it takes no more than is planned for that: it can be built
// if only this much may be mapped.
Test(memory, of_topologies_is_said, .disabled = UNTOLD)
{
    static const char graph[] = "0 1\n1 2\n2 3\n3 0\n";
    static const char *const specs[] = {"chain:30000",   "torus:150x150",  "hypercube:14",
                                        "complete:500",  "star:30000",     "otis(mesh:13x13)",
                                        "random:9000:6", "random:500:300", "file:square"};
    struct tests_memory file = {.text = graph, .length = sizeof graph - 1};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        struct asked asked;
        struct ek_error error;
        struct topo_permit permit = {.allows = note_asked, .context = &asked};
        struct base_files files = {.reader = tests_memory_reader(&file)};
        double before = taken_now();
        struct ek_topology *topology = topo_create_permitted(specs[i], 1, files, permit, &error);
        double taken = taken_now() - before, said = (double)asked.arrays;
        cr_assert(topology, "%s: %s", specs[i], error.sentence);
        ek_topology_destroy(topology);
        cr_expect(taken <= 1.1 * said + 65536 && said <= 1.01 * taken, "%s: %.0f bytes are said and %.0f taken",
                  specs[i], said, taken);
        malloc_trim(0);
        struct rlimit unbound, bound;
        getrlimit(RLIMIT_AS, &unbound);
        struct ek_limits limits = {.memory_free = 0};
        bound = unbound;
        bound.rlim_cur = mapped_now() + asked.making + (1 << 20);
        cr_assert_eq(setrlimit(RLIMIT_AS, &bound), 0);
        host_limits_read_memory("", &limits);
        topology = topo_create_permitted(specs[i], 1, files, permit, &error);
        setrlimit(RLIMIT_AS, &unbound);
        cr_expect(topology, "%s: %s", specs[i], error.sentence);
        cr_expect_str_eq(limits.memory_bound, "ulimit -v");
        cr_expect(limits.memory_mapped && limits.memory_free <= asked.making + (1 << 20));
        ek_topology_destroy(topology);
    }
}

// A run is refused before it takes much memory. The sentence says how much it needs, how much there is, and what
// limits it.
Test(memory, is_refused_before_it_is_taken, .disabled = UNTOLD)
{
    static const struct {
        const char *topology, *timing;
    } cases[] = {{"complete:30000", "rounds"},
                 {"complete:30000", "free"},
                 {"random:30000:9000", "rounds"},
                 {"torus:5000x5000", "turns"},
                 {"otis(torus:64x64)", "free"}};
    struct rlimit bound = {.rlim_cur = 1 << 30, .rlim_max = 1 << 30};
    cr_assert_eq(setrlimit(RLIMIT_AS, &bound), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = {
            .topology = cases[i].topology, .timing = cases[i].timing, .method = "adf", .carrier = "pool:2"};
        struct ek_error error;
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        cr_expect_null(ek_prepare(&experiment, &error), "%s", cases[i].topology);
        getrusage(RUSAGE_SELF, &after);
        cr_expect_lt(after.ru_maxrss - before.ru_maxrss, 16384, "%s: %ld KiB", cases[i].topology,
                     after.ru_maxrss - before.ru_maxrss);
        cr_expect(strstr(error.sentence, "bound by ulimit -v") && strstr(error.sentence, "MiB"), "%s", error.sentence);
        cr_expect_str_eq(error.axis, "topology");
    }
}

// Computed links need no parcels. A hypercube has as many flows as ports.
static void expect_computed_links(void)
{
    static const struct {
        struct ek_experiment experiment;
        double processors, bytes;
    } cases[] = {
        {{.topology = "torus:3000x5000", .stop = "never", .no_flows = true}, 15e6, 24.0},
        {{.topology = "torus:3000x5000", .stop = "variance:1", .no_flows = true}, 15e6, 32.0},
        {{.topology = "torus:3000x3000", .stop = "never"}, 9e6, 56.0},
        {{.topology = "torus:3001x3001", .stop = "never"}, 3001.0 * 3001.0, 56.0},
        {{.topology = "hypercube:20", .stop = "never"}, 0x1p20, 24.0 + 20 * 8},
        {{.topology = "hypercube:20", .method = "adf", .stop = "never", .no_flows = true}, 0x1p20, 24.0},
        {{.topology = "hypercube:20", .method = "adf", .stop = "never"}, 0x1p20, 24.0 + 20 * 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_experiment experiment = cases[i].experiment;
        experiment.method = experiment.method ? experiment.method : "ade";
        experiment.carrier = "pool:2";
        experiment.steps_max = 1;
        double each = bytes_each(&experiment, cases[i].processors);
        cr_expect(each >= cases[i].bytes && each < cases[i].bytes + 0.1, "%zu: %g bytes a processor", i, each);
    }
}

// A machine that computes the rows of its topology needs memory for its run only: 24 bytes a processor, 8 more if it
// looks for cycles, and 32 more for flows.
Test(memory, without_arrays_is_that_of_the_run, .disabled = UNTOLD)
{
    struct ek_experiment experiment = {.topology = "torus:3000x5000",
                                       .method = "adf",
                                       .carrier = "pool:2",
                                       .stop = "never",
                                       .steps_max = 1,
                                       .no_flows = true};
    struct rlimit bound = {.rlim_cur = 1 << 30, .rlim_max = 1 << 30};
    struct ek_error error;
    cr_assert_eq(setrlimit(RLIMIT_AS, &bound), 0);
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    if (machine && ek_machine_outline(machine)->first) {
        cr_skip_test("this computer has no vectors of four");
    }
    cr_assert(machine, "%s", error.sentence);
    double each = (double)machine_budget_of(&machine->plan).run / 15e6;
    cr_expect(each >= 24.0 && each < 24.1, "%g bytes a processor", each);
    cr_expect_null(ek_machine_topology(machine));
    ek_machine_destroy(machine);
    experiment.stop = "variance:1";
    each = bytes_each(&experiment, 15e6);
    cr_expect(each >= 32.0 && each < 32.1, "%g bytes a processor", each);
    expect_computed_links();
    experiment.topology = "torus:5000x5000";
    experiment.stop = "never";
    experiment.no_flows = false;
    cr_expect_null(ek_prepare(&experiment, &error));
    cr_expect(strstr(error.sentence, "(loads and messages 1336"), "%s", error.sentence);
    experiment.no_flows = experiment.keep_links = true;
    cr_expect_null(ek_prepare(&experiment, &error));
    cr_expect(strstr(error.sentence, "(topology 2194, loads and messages "), "%s", error.sentence);
}

// A run that its caller carries has no threads to count, and cannot run without its caller.
Test(memory, of_what_the_caller_carries_has_no_threads)
{
    struct ek_experiment experiment = {.topology = "ring:300", .timing = "free", .by_caller = true};
    struct ek_error error;
    struct ek_report report;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    cr_expect_eq(machine_budget_of(&machine->plan).workers, 0);
    cr_expect_eq(ek_run(machine, 0, &report, NULL, NULL, &error), EK_BAD_INPUT);
    cr_expect(strstr(error.sentence, "without `by_caller` to run it"), "%s", error.sentence);
    ek_machine_destroy(machine);
}

// Topology and threads fit into the memory alone, but not together. Either part may be the larger one.
Test(memory, threads_count_beside_what_they_carry)
{
    enum { WORKERS = 2000 };
    struct ek_limits limits;
    ek_limits_read(&limits);
    uint64_t threads = host_workers_bytes(WORKERS, false, limits.memory_mapped);
    cr_assert(limits.memory_free > 4 * threads && limits.threads_max > WORKERS, "this computer is too small to tell");
    struct ek_error error;
    struct machine_budget budget = {.topology = 1, .run = limits.memory_free - threads / 2, .workers = WORKERS};
    cr_expect_not(machine_budget_fits(&budget, BASE_NOWHERE, &error));
    cr_expect(strstr(error.sentence, "(topology 1, loads and messages ") && strstr(error.sentence, ", threads "), "%s",
              error.sentence);
    budget.run = limits.memory_free / 2;
    cr_expect(machine_budget_fits(&budget, BASE_NOWHERE, &error), "%s", error.sentence);
    budget.distances = limits.memory_free;
    cr_expect_not(machine_budget_fits(&budget, BASE_NOWHERE, &error));
    cr_expect(strstr(error.sentence, "(topology 1, distances "), "%s", error.sentence);
    budget.distances = 0;
    budget.making = 2 * limits.memory_free;
    cr_expect_not(machine_budget_fits(&budget, BASE_NOWHERE, &error));
    cr_expect(strstr(error.sentence, "while it is made"), "%s", error.sentence);
}
