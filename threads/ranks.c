// SPDX-License-Identifier: MIT
// Ranks, before a run.
#include "threads/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "topologies/scan.h"

bool machine_ranks_settle(struct ek_machine *machine, struct ek_error *error)
{
    const struct ek_ranks *ranks = machine->experiment.ranks;
    if (!machine->carrier->ranks) {
        return true;
    }
    if (!ranks) {
        return topo_fail(error, EK_BAD_INPUT, "carrier", 0,
                         "mpi is for a run that mpirun starts, as in mpirun -n 4 evenkeel run --carrier mpi: else use "
                         "--carrier pool");
    }
    if (machine->workers_asked > 0 && machine->workers_asked != ranks->count) {
        return topo_fail(error, EK_BAD_INPUT, "carrier", 0,
                         "%u ranks are asked for, and %u were started: use mpirun -n %u", machine->workers_asked,
                         ranks->count, machine->workers_asked);
    }
    machine->ranks = ranks;
    machine->workers_asked = ranks->count;
    return true;
}

static bool refuse(const char *axis, const char *sentence, struct ek_error *error)
{
    return topo_fail(error, EK_BAD_INPUT, axis, -1, "%s", sentence);
}

// An array by port must not have more elements than MPI can count.
static bool check_size(const struct ek_machine *machine, struct ek_error *error)
{
    const struct ek_topology *topology = machine->topology;
    if (topology->processors < machine->ranks->count) {
        return topo_fail(error, EK_BAD_INPUT, "topology", -1,
                         "%u ranks cannot carry %u processors: start as many ranks at most", machine->ranks->count,
                         topology->processors);
    }
    return topology->ports <= INT_MAX / 4 ||
           refuse("topology", "mpi carries half a thousand million ports at most: use a smaller topology", error);
}

bool machine_ranks_check(const struct ek_machine *machine, struct ek_error *error)
{
    if (!machine->ranks) {
        return true;
    }
    if (!machine->engine->together) {
        return refuse("timing", "mpi carries rounds alone: use --timing rounds, or --carrier threads or pool", error);
    }
    if (machine->mailbox->put) {
        return refuse("mailbox", "between ranks there are messages of MPI: use --mailbox slot, or --carrier pool",
                      error);
    }
    if (machine->barrier != MAIL_BARRIER_AUTO) {
        return refuse("barrier", "ranks meet by messages: leave --barrier out, or use --carrier pool", error);
    }
    if (machine->faults.kind != CORE_FAULTS_NONE && machine->delay.kind != CORE_DELAY_NONE) {
        return refuse("faults",
                      "what is under way on a link that fails goes back to its sender, which mpi does not do: use "
                      "--delay none, or --carrier pool",
                      error);
    }
    if (machine->experiment.overlaps) {
        return refuse("overlaps", "mpi does not measure domains: leave --overlaps out, or use --carrier pool", error);
    }
    return check_size(machine, error);
}

// What a rank says of itself.
struct word {
    bool good;
    uint64_t print;
    struct ek_error error;
};

static bool judge(const struct word *word, unsigned count, struct ek_error *error)
{
    for (unsigned r = 0; r < count; r++) {
        if (!word[r].good) {
            *error = word[r].error;
            return false;
        }
    }
    for (unsigned r = 1; r < count; r++) {
        if (word[r].print != word[0].print) {
            return topo_fail(error, EK_BAD_INPUT, "carrier", -1,
                             "rank %u has another experiment than rank 0: start all with the same options and files",
                             r);
        }
    }
    return true;
}

bool machine_ranks_agree(const struct ek_ranks *ranks, bool good, uint64_t print, struct ek_error *error)
{
    if (!ranks) {
        return good;
    }
    struct word *word = calloc(ranks->count, sizeof *word);
    if (!word) {
        return topo_fail(error, EK_BAD_INPUT, "carrier", -1, "no memory for what %u ranks say", ranks->count);
    }
    word[ranks->rank].good = good;
    word[ranks->rank].print = print;
    word[ranks->rank].error = *error;
    bool heard = ranks->gather(ranks->context, &word[ranks->rank], word, sizeof *word);
    good = heard ? judge(word, ranks->count, error)
                 : topo_fail(error, EK_BAD_INPUT, "carrier", -1, "another rank does not answer: it was ended, or died");
    free(word);
    return good;
}

// Fowler, Noll and Vo's hash, 64 bits, 1a.
static uint64_t mix(uint64_t print, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        print = (print ^ byte[i]) * 0x100000001b3u;
    }
    return print;
}

uint64_t machine_ranks_print(const struct ek_machine *machine)
{
    const struct ek_experiment *experiment = &machine->experiment;
    const uint64_t kept[] = {experiment->keep_loads, experiment->keep_trace, experiment->trace_rows,
                             experiment->observer.look != NULL};
    uint64_t print = mix(0xcbf29ce484222325u, kept, sizeof kept);
    for (size_t i = 0; i < EK_AXES_MAX && machine->said[i]; i++) {
        print = mix(print, machine->said[i], strlen(machine->said[i]));
    }
    return mix(print, machine->topology->neighbour, machine->topology->ports * sizeof *machine->topology->neighbour);
}

unsigned machine_ranks_threads(const struct ek_machine *machine)
{
    return machine->ranks ? 1 : machine->workers;
}
