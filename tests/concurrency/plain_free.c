// SPDX-License-Identifier: MIT
// Short runs in free timing, each drawn from its number: any method on a small topology, one port or all, domains that
// overlap or not, delays, faults, stragglers, yields in the middle of the protocol, mailboxes for 1 to 64 messages; on
// threads, pools, and ranks, whose reports must agree. Each run must end, and its ledger is checked from outside.
//
//   plain_free [AXIS=VALUE]...   fixes axes, as ports=one or for=0.1 (seconds)
//              [runs=N] [first=N]   makes N runs, from this number on
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/method.h"
#include "tests/support/rank_threads.h"
#include "base/sanitizers.h"
#include "topologies/topology.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { RUNS = 200 };
#else
enum { RUNS = 1000 };
#endif
enum { FAILURES_MAX = 3, TEXT = 64, DUMP = 1500, SECONDS_MAX = 120 };

#define AT(field) offsetof(struct ek_experiment, field)

// The values of an axis, separated by `|`, and the percentage of runs in which it is drawn.
struct axis {
    const char *name;
    size_t at;
    unsigned percent;
    const char *values;
};

// The axes with text values. The first six are drawn together, by draw_method.
static const struct axis texts[] = {
    {"method", AT(method), 0, ""},
    {"units", AT(units), 0, ""},
    {"ports", AT(ports), 0, ""},
    {"topology", AT(topology), 0, ""},
    {"capacity", AT(capacity), 0, ""},
    {"weighting", AT(weighting), 0, ""},
    {"domains", AT(domains), 60, "exclusive|once"},
    {"load", AT(load), 70, "peak:20000|modulo:7919:1001|constant:500|uniform:450:550|uniform:0:3"},
    {"invoke", AT(invoke), 70, "outside:300:700|outside:499:502|below:450|probability:0.1|gradient:50|gradient:2"},
    {"stop", AT(stop), 40, "never|spread:1|spread:50|variance:100|neighbours:5|error:0.5|shared"},
    {"work", AT(work), 30, "normal:100:30:100|normal:5:5:50|constant:0=40,1=-40"},
    {"carrier", AT(carrier), 70, "pool:1|pool:2|pool:3|pool:1|pool:2|pool:3|pool:1|pool:2|mpi:2|mpi:4"},
    {"mailbox", AT(mailbox), 95,
     "spsc:1|spsc:2|spsc:3|spsc:16|wfcq:1|wfcq:3|wfcq:64|mutex:1|mutex:2|mutex:5|spsc:64|spsc:5"},
    {"delay", AT(delay), 35, "fixed:20us|fixed:1ms|uniform:0us:300us|exponential:50us"},
    {"faults", AT(faults), 40,
     "link:500,repair:2ms|link:2000,processor:300,repair:2ms|processor:300,repair:1ms|link:5000,repair:500us"},
    {"slow", AT(slow), 30, "1:3|0:50|1:200"},
    {"link-limit", AT(link_limit), 10, "7|100"},
    {"announce", AT(announce), 30, "pushed"},
};
enum { TEXTS = sizeof texts / sizeof *texts, BY_HAND = 6 };

static const struct axis numbers[] = {
    {"tick", AT(tick_s), 50, "0.00005|0.0005|0.002"}, {"perturb", AT(perturb), 40, "0.01|0.1|0.5"},
    {"for", AT(seconds_max), 100, "0.003|0.01|0.02"}, {"audit", AT(audit_s), 100, "0.0001|0.001|0.01"},
    {"watchdog", AT(watchdog_s), 100, "10"},
};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static const struct axis counts[] = {
    {"operations", AT(operations_max), 30, "1|7|100|1000"},
    {"seed", AT(seed), 100, "1|2|3|4|5|6|7|8|9"},
};
enum { COUNTS = sizeof counts / sizeof *counts };

// Every method that can run free, and its topologies: any, those whose dimensions are all closed, or rings.
enum where { ANYWHERE, CLOSED, RING };
static const struct {
    const char *spec;
    enum where real, tokens;
} methods[] = {
    {"adf", ANYWHERE, ANYWHERE},
    {"metropolis", ANYWHERE, ANYWHERE},
    {"odf", ANYWHERE, ANYWHERE},
    {"diffusion:0.1", ANYWHERE, ANYWHERE},
    {"ade", ANYWHERE, ANYWHERE},
    {"ode", ANYWHERE, ANYWHERE},
    {"gde:0.7", ANYWHERE, ANYWHERE},
    {"fos", ANYWHERE, ANYWHERE},
    {"sender:1/(deg+1)", ANYWHERE, ANYWHERE},
    {"nna", ANYWHERE, RING},
    {"nna:net", ANYWHERE, RING},
    {"nna:portion", ANYWHERE, RING},
    {"splitting:1/2", RING, RING},
    {"splitting:1/3", RING, RING},
    {"liquid:c5", CLOSED, CLOSED},
    {"liquid:c3", CLOSED, CLOSED},
    {"liquid:c0", CLOSED, CLOSED},
    {"local-average", ANYWHERE, ANYWHERE},
    {"random-neighbours:2", ANYWHERE, ANYWHERE},
};
enum { METHODS = sizeof methods / sizeof *methods };

static const char *const topologies[] = {
    [ANYWHERE] = ("ring:2|ring:3|ring:16|chain:2|chain:9|torus:4x4|torus:5x3|mesh:4x4|hypercube:4|star:12|complete:7|"
                  "random:20:4|otis(mesh:2x2)|otis(ring:4)|torus:8x8"),
    [CLOSED] = "ring:3|ring:16|torus:4x4|torus:5x3|hypercube:4",
    [RING] = "ring:3|ring:8|ring:30",
};

// An experiment and its texts. A text fixed by an argument is the argument's.
struct drawn {
    char text[TEXTS][TEXT];
    struct ek_experiment experiment;
    struct base_random random;
};

static struct {
    uint64_t first, runs;
    const char *text[TEXTS], *number[NUMBERS], *count[COUNTS];
} wish;

static void *place(struct ek_experiment *experiment, const struct axis *axis)
{
    return (char *)experiment + axis->at;
}

static bool chance(struct drawn *drawn, unsigned percent)
{
    return base_random_below(&drawn->random, 100) < percent;
}

// Draws one of the values into the given memory.
static const char *pick(struct drawn *drawn, const char *values, char room[TEXT])
{
    unsigned count = 1;
    for (const char *at = values; (at = strchr(at, '|')); at++) {
        count++;
    }
    for (uint64_t skip = base_random_below(&drawn->random, count); skip > 0; skip--) {
        values = strchr(values, '|') + 1;
    }
    snprintf(room, TEXT, "%.*s", (int)strcspn(values, "|"), values);
    return room;
}

// Returns the fixed value, or a drawn one, or NULL if the axis is not drawn.
static const char *draw(struct drawn *drawn, const struct axis *axis, const char *fixed, char room[TEXT])
{
    const char *value = chance(drawn, axis->percent) ? pick(drawn, axis->values, room) : NULL;
    return fixed ? fixed : value;
}

static const struct ek_method *method_of(const char *spec)
{
    char name[TEXT];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ":"), spec);
    return ek_method_find(name);
}

// Draws what depends on one another: method, units, ports, topology and capacities.
static void draw_method(struct drawn *drawn)
{
    struct ek_experiment *experiment = &drawn->experiment;
    size_t chosen = base_random_below(&drawn->random, METHODS);
    experiment->method = wish.text[0] ? wish.text[0] : methods[chosen].spec;
    const struct ek_method *method = method_of(experiment->method);
    if (!method) {
        return;
    }
    bool tokens = (method->supports.units & EK_TOKENS) && (chance(drawn, 50) || !(method->supports.units & EK_REAL));
    bool one =
        (method->supports.ports & EK_ONE_PORT) && (chance(drawn, 50) || !(method->supports.ports & EK_ALL_PORTS));
    bool heavy = (method->supports.capacities || !tokens) && chance(drawn, 15);
    enum where where = tokens ? methods[chosen].tokens : methods[chosen].real;
    experiment->units = wish.text[1] ? wish.text[1] : tokens ? "tokens" : "real";
    experiment->ports = wish.text[2] ? wish.text[2] : one ? "one" : "all";
    pick(drawn, topologies[where], drawn->text[3]);
    experiment->topology = wish.text[3] ? wish.text[3] : drawn->text[3];
    experiment->capacity = wish.text[4] ? wish.text[4] : heavy ? "semi" : NULL;
    experiment->weighting = wish.text[5] ? wish.text[5] : heavy && !method->supports.capacities ? "target" : NULL;
}

// Returns whether loads can be pushed in such an experiment.
static bool can_push(const struct ek_experiment *experiment)
{
    const struct ek_method *method = method_of(experiment->method);
    return method && method->links == EK_LINKS_ALL && method->supports.delays && !experiment->domains &&
           strcmp(experiment->ports, "all") == 0;
}

// Returns the number of ranks that carry it, or 0.
static unsigned ranks_of(const struct ek_experiment *experiment)
{
    return experiment->carrier && strncmp(experiment->carrier, "mpi:", 4) == 0
               ? (unsigned)strtoul(experiment->carrier + 4, NULL, 10)
               : 0;
}

static void draw_all(struct drawn *drawn, uint64_t number)
{
    *drawn = (struct drawn){.random = base_random_start(1985, number, BASE_STREAM_LOAD)};
    struct ek_experiment *experiment = &drawn->experiment;
    draw_method(drawn);
    for (size_t i = BY_HAND; i < TEXTS; i++) {
        *(const char **)place(experiment, &texts[i]) = draw(drawn, &texts[i], wish.text[i], drawn->text[i]);
    }
    char room[TEXT];
    for (size_t i = 0; i < NUMBERS; i++) {
        const char *value = draw(drawn, &numbers[i], wish.number[i], room);
        *(double *)place(experiment, &numbers[i]) = value ? strtod(value, NULL) : 0.0;
    }
    for (size_t i = 0; i < COUNTS; i++) {
        const char *value = draw(drawn, &counts[i], wish.count[i], room);
        *(uint64_t *)place(experiment, &counts[i]) = value ? strtoull(value, NULL, 10) : 0;
    }
    if (!can_push(experiment)) {
        experiment->announce = NULL;
    }
    if (ranks_of(experiment) > 2 && strpbrk(experiment->topology, "23")) { // there may not be enough processors
        experiment->carrier = "mpi:2";
    }
    experiment->timing = "free";
    experiment->keep_loads = true;
    experiment->no_flows = chance(drawn, 50);
    experiment->unpinned = chance(drawn, 30);
    if (!experiment->work) {
        experiment->tick_s = 0.0;
    }
}

static bool is(const char *axis, const char *value)
{
    return axis && strcmp(axis, value) == 0;
}

// Returns what is wrong with the loads at the end, or NULL.
static const char *wrong_loads(const struct ek_experiment *experiment, const struct tests_outcome *outcome)
{
    const struct ek_report *report = &outcome->report;
    bool tokens = is(experiment->units, "tokens");
    double low, high;
    // A method that chooses its partners may choose none.
    bool bounded = report->ended == EK_ENDED_ITSELF && !experiment->work && experiment->invoke &&
                   !ek_machine_method(outcome->machine)->free->includes &&
                   sscanf(experiment->invoke, "outside:%lf:%lf", &low, &high) == 2;
    double total = 0.0;
    for (uint32_t p = 0; p < ek_machine_topology(outcome->machine)->processors; p++) {
        double load = report->final[p];
        total += load;
        if (!(load >= 0.0) || isinf(load)) {
            return "a load that is none";
        }
        if (tokens && load != floor(load)) {
            return "a part of a token";
        }
        if (bounded && (load < low || load > high)) {
            return "nobody invokes, but a load is out of its bounds";
        }
    }
    double handled = report->total_initial + report->generated + report->moved;
    double gap = fabs(report->total_initial + report->generated - report->consumed - total);
    return gap > (tokens ? 0.0 : 1e-12 * handled) ? "initial + generated - consumed is not what is there" : NULL;
}

// Returns what is wrong with a run that ended well, or NULL.
static const char *wrong_report(const struct ek_experiment *experiment, const struct tests_outcome *outcome)
{
    const struct ek_report *report = &outcome->report;
    const struct ek_free_report *running = &report->free;
    // With one port two operations may share a link: those of two processors that asked each other.
    uint64_t most = is(experiment->domains, "exclusive") ? 1 : is(experiment->ports, "one") ? 2 : UINT64_MAX;
    return report->in_flight != 0.0             ? "something is in flight"
           : !(report->minimum_ever >= 0.0)     ? "a load was below zero"
           : running->overlap_most > most       ? "more operations at once than there may be"
           : most == 1 && running->overlaps > 0 ? "domains overlap that are exclusive"
           : running->dump                      ? "a dump without a complaint"
           : experiment->operations_max && report->operations > experiment->operations_max
               ? "more operations than permitted"
           : report->ended == EK_ENDED_OPERATIONS && report->operations != experiment->operations_max
               ? "fewer operations than permitted"
               : wrong_loads(experiment, outcome);
}

// Prints the command that repeats the run.
static void show(struct drawn *drawn, uint64_t number, const char *wrong, const char *dump)
{
    printf("run %llu: %s\n  evenkeel run --timing free", (unsigned long long)number, wrong);
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = *(const char **)place(&drawn->experiment, &texts[i]);
        if (text) {
            printf(strpbrk(text, "()") ? " --%s '%s'" : " --%s %s", texts[i].name, text);
        }
    }
    for (size_t i = 0; i < NUMBERS; i++) {
        double value = *(double *)place(&drawn->experiment, &numbers[i]);
        if (value > 0.0) {
            printf(" --%s %g%s", numbers[i].name, value, numbers[i].at == AT(perturb) ? "" : "s");
        }
    }
    for (size_t i = 0; i < COUNTS; i++) {
        uint64_t value = *(uint64_t *)place(&drawn->experiment, &counts[i]);
        if (value > 0) {
            printf(" --%s %llu", counts[i].name, (unsigned long long)value);
        }
    }
    printf("%s\n%.*s%s", drawn->experiment.unpinned ? " --unpinned" : "", DUMP, dump ? dump : "",
           dump && strlen(dump) > DUMP ? "...\n" : "");
    fflush(stdout);
}

static const char *wrong_outcome(const struct ek_experiment *experiment, const struct tests_outcome *outcome)
{
    bool ended = outcome->machine && (outcome->status == EK_OK || outcome->status == EK_UNREACHED);
    return ended ? wrong_report(experiment, outcome) : outcome->error.sentence;
}

static bool run_here(struct drawn *drawn, uint64_t number)
{
    struct tests_outcome outcome;
    tests_try(&drawn->experiment, 0, &outcome);
    const char *wrong = wrong_outcome(&drawn->experiment, &outcome);
    if (wrong) {
        show(drawn, number, wrong, outcome.report.free.dump);
    }
    tests_outcome_destroy(&outcome);
    return !wrong;
}

// Returns what is wrong with the outcome of a rank, compared with that of the first, or NULL.
static const char *wrong_rank(const struct ek_experiment *experiment, const struct tests_outcome *rank,
                              const struct tests_outcome *first)
{
    const char *wrong = wrong_outcome(experiment, rank);
    return wrong ? wrong
                 : tests_report_differs(&rank->report, &first->report, ek_machine_topology(rank->machine)->processors);
}

static bool run_on_ranks(struct drawn *drawn, uint64_t number)
{
    struct tests_room room = {.count = ranks_of(&drawn->experiment), .deaf_after = UINT32_MAX};
    struct tests_seat seat[TESTS_RANKS_MAX] = {{0}};
    const char *wrong = NULL;
    for (unsigned r = 0; r < room.count; r++) {
        seat[r].experiment = drawn->experiment;
    }
    tests_carry(&room, seat);
    for (unsigned r = 0; r < room.count; r++) {
        wrong = wrong ? wrong : wrong_rank(&drawn->experiment, &seat[r].outcome, &seat[0].outcome);
    }
    if (wrong) {
        show(drawn, number, wrong, seat[0].outcome.report.free.dump);
    }
    for (unsigned r = 0; r < room.count; r++) {
        tests_outcome_destroy(&seat[r].outcome);
    }
    return !wrong;
}

static bool run(uint64_t number)
{
    struct drawn drawn;
    draw_all(&drawn, number);
    return (ranks_of(&drawn.experiment) > 0 ? run_on_ranks : run_here)(&drawn, number);
}

// Returns whether every method that can run free is drawn. `none` has no operation that could go wrong.
static bool complete(void)
{
    bool good = true;
    const struct ek_method *method;
    for (size_t i = 0; (method = ek_method_at(i)) != NULL; i++) {
        bool found = !method->free || strcmp(method->name, "none") == 0;
        for (size_t k = 0; k < METHODS; k++) {
            found = found || method_of(methods[k].spec) == method;
        }
        if (!found) {
            printf("%s runs free and is not drawn\n", method->name);
            good = false;
        }
    }
    return good;
}

static bool fix(const struct axis *axis, size_t count, const char **fixed, const char *argument)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(axis[i].name);
        if (strncmp(argument, axis[i].name, length) == 0 && argument[length] == '=') {
            fixed[i] = argument + length + 1;
            return true;
        }
    }
    return false;
}

static bool read_argument(const char *argument)
{
    if (strncmp(argument, "runs=", 5) == 0) {
        wish.runs = strtoull(argument + 5, NULL, 10);
    } else if (strncmp(argument, "first=", 6) == 0) {
        wish.first = strtoull(argument + 6, NULL, 10);
    } else if (!fix(texts, TEXTS, wish.text, argument) && !fix(numbers, NUMBERS, wish.number, argument) &&
               !fix(counts, COUNTS, wish.count, argument)) {
        printf("what is '%s'?\n", argument);
        return false;
    }
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (!read_argument(arguments[i])) {
            return EK_BAD_INPUT;
        }
    }
    wish.runs = wish.runs > 0 ? wish.runs : RUNS / tests_one_in();
    unsigned passed = complete();
    unsigned failed = !passed;
    double begun = seconds();
    uint64_t done = 0;
    while (done < wish.runs && failed < FAILURES_MAX && seconds() - begun < SECONDS_MAX) {
        bool good = run(wish.first + done++);
        passed += good;
        failed += !good;
    }
    if (done < wish.runs && failed < FAILURES_MAX) { // the machine is busy
        printf("only %llu of %llu runs in %d s\n", (unsigned long long)done, (unsigned long long)wish.runs,
               SECONDS_MAX);
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
