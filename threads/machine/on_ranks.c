// SPDX-License-Identifier: MIT
// A machine on ranks.
#include "threads/machine/on_ranks.h"

#include <limits.h>
#include <string.h>

#include "base/error.h"

bool machine_ranks_settle(struct ek_machine *machine, struct ek_error *error)
{
    const struct ek_ranks *ranks = machine->experiment.ranks;
    if (!machine->carrier->ranks) {
        return true;
    }
    if (!ranks) {
        return base_fail_at(
            error, "carrier", 0,
            "mpi is for a run that mpirun starts, as in mpirun -n 4 evenkeel run --carrier mpi, and in a "
            "sweep mpi:4: else use --carrier pool");
    }
    if (machine->workers_asked > 0 && machine->workers_asked != ranks->count) {
        return base_fail_at(error, "carrier", 0, "%u ranks are asked for, and %u %s started: use mpirun -n %u",
                            machine->workers_asked, ranks->count, ranks->count == 1 ? "was" : "were",
                            machine->workers_asked);
    }
    machine->ranks = ranks;
    machine->workers_asked = ranks->count;
    return true;
}

static bool refuse(const char *axis, const char *sentence, struct ek_error *error)
{
    return base_fail(error, EK_BAD_INPUT, axis, "%s", sentence);
}

// What goes over links at a time must not be more words than MPI can count.
static bool check_size(const struct ek_machine *machine, struct ek_error *error)
{
    const struct ek_topology *topology = machine->topology;
    if (topology->processors < machine->ranks->count) {
        return base_fail(error, EK_BAD_INPUT, "topology",
                         "%u ranks cannot carry %u processor%s: start as many ranks at most", machine->ranks->count,
                         topology->processors, topology->processors == 1 ? "" : "s");
    }
    int most = INT_MAX / (machine->engine->together ? MACHINE_RANKS_WORDS : MACHINE_RANKS_WORDS_FREE);
    return topology->ports <= (uint32_t)most ||
           base_fail(error, EK_BAD_INPUT, "topology",
                     "mpi carries %d ends of links at most, and these are %u: use a smaller topology", most,
                     topology->ports);
}

// What rounds do not do on ranks.
static bool check_rounds(const struct ek_machine *machine, struct ek_error *error)
{
    if (machine->mailbox->put) {
        return refuse("mailbox", "between ranks there are messages of MPI: use --mailbox slot, or --carrier pool",
                      error);
    }
    if (machine->barrier != MAIL_BARRIER_AUTO) {
        return refuse("barrier", "ranks meet by messages: leave --barrier out, or use --carrier pool", error);
    }
    if (machine->faults.kind != CORE_FAULTS_NONE && core_links_delay(&machine->links)) {
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

bool machine_ranks_check(const struct ek_machine *machine, struct ek_error *error)
{
    if (!machine->ranks) {
        return true;
    }
    if (machine->engine->timing == EK_IN_TURNS) {
        return refuse("timing", "mpi carries rounds and free timing: use these, or --carrier threads or pool", error);
    }
    if (machine->experiment.recorder) {
        return refuse("carrier", "a recording is of one process: use --carrier threads or pool", error);
    }
    return machine->engine->together ? check_rounds(machine, error) : check_size(machine, error);
}

// In rounds what is under way with delays is summed from port to port, and so from span to span and rank to rank: that
// goes quickly where each rank has one span only.
bool machine_ranks_place(struct ek_machine *machine, struct ek_error *error)
{
    bool in_order = core_links_delay(&machine->links) && machine->engine->together;
    return !machine->ranks ||
           rank_placement_make(&machine->placement, machine->topology, machine->ranks, in_order, error);
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
    const struct rank_placement *placement = &machine->placement;
    print = mix(print, placement->begin, placement->spans * sizeof *placement->begin);
    print = mix(print, placement->rank, placement->spans * sizeof *placement->rank);
    return mix(print, machine->topology->neighbour, machine->topology->ports * sizeof *machine->topology->neighbour);
}

void machine_ranks_report(const struct ek_machine *machine, struct ek_report *report)
{
    report->has_ranks = machine->ranks != NULL;
    report->blocks = machine->placement.blocks;
    report->cut = machine->placement.cut;
    report->cut_in_order = machine->placement.in_order;
}

unsigned machine_ranks_threads(const struct ek_machine *machine)
{
    return machine->ranks ? 1 : machine->workers;
}
