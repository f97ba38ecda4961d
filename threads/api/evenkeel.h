// SPDX-License-Identifier: MIT
// <evenkeel.h>: an emulated parallel machine, and nearest-neighbour load balancing on it. The header has these
// parts: topologies; methods, which say what a processor does; programs, whose tasks can be the load; experiments;
// reports; machines, which run experiments; replays of runs in free timing; and schedules of free timing that the
// caller chooses.
//
// Errors. A call that can fail returns false, NULL or a status, and fills the caller's `struct ek_error`: a status, one
// sentence that says what is wrong and what to do, and, if a value of an axis is wrong, which axis and which character.
// The library never prints and never exits.
//
// Threads and calls. "Any" means any number of threads at once, beside every call that does not exclude it.
//
//   call                                                    at the same time
//   ek_prepare, ek_theory_find, ek_facts_find,              any, also on one machine or topology [1]
//     ek_spectrum_find, ek_exchange_factor
//   ek_method_register, ek_family_register,                 no call that reads or changes the registries: these four,
//     ek_program_register, ek_plugin_register                 ek_prepare, ek_method_find, ek_method_at,
//                                                             ek_program_find, ek_problem_read,
//                                                             ek_topology_create and ek_axis_choice [2]
//   ek_method_find, ek_method_at, ek_program_find,          any
//     ek_problem_read, ek_problem_release
//   ek_run                                                  any, also on one machine [3]
//   ek_interrupt                                            any, also in a signal handler [4]
//   ek_ranks_agree                                          any, on one struct ek_ranks one at a time
//   ek_machine_topology, ek_machine_outline,                any, also on one machine
//     ek_machine_method, ek_machine_direct,
//     ek_machine_parameter, ek_machine_warning,
//     ek_machine_drawn, ek_machine_axis,
//     ek_machine_given, ek_theory_soon
//   ek_topology_create, ek_topology_create_within           any
//   ek_topology_valid, ek_topology_port, ek_topology_bytes, any, also on one topology
//     ek_topology_places
//   ek_machine_reseed                                       nothing else on the same machine
//   ek_machine_destroy, ek_topology_destroy,                nothing else on the same object [5]
//     ek_spectrum_destroy, ek_report_destroy
//   ek_replay_begin                                         any
//   ek_replay_turn, ek_replay_loads,                        any, on one replay one at a time
//     ek_replay_in_flight, ek_replay_report,
//     ek_replay_destroy
//   ek_overlaps_begin                                       any
//   ek_overlaps_add, ek_overlaps_end, ek_overlaps_destroy   any, on one object one at a time
//   ek_explore_begin, ek_explore_after                      any
//   ek_explore_schedule, ek_explore_follow,                 any, on one explorer one at a time
//     ek_explore_all, ek_explore_turns,
//     ek_explore_steps, ek_explore_loads,
//     ek_explore_met, ek_explore_report,
//     ek_explore_destroy
//   ek_axis_at, ek_axis_named, ek_axis_set,                 any; ek_axis_set: on one struct one at a time
//     ek_axis_choice, ek_timing_named, ek_nearest, ek_limits_read,
//     ek_effects_pool, ek_version, ek_api_version
//
// The functions ek_..._sized and ek_..._for follow the rules of the functions without this ending.
//
// Only ek_run blocks, until its run has ended. With ranks, ek_prepare and ek_ranks_agree also block until all ranks
// have called them. Finding eigenvalues can take minutes; ek_theory_soon tells whether it will.
//
// [1] These calls may find eigenvalues. ARPACK, which finds those of large graphs, has global state. A lock lets one
//     call at a time use ARPACK and is held for nothing else. It does not protect a program that calls ARPACK itself.
//     If the BLAS is OpenBLAS, these calls also set its number of threads to 1 for the whole process, permanently: more
//     threads would add numbers in another order.
// [2] The registries of methods, families of topologies and programs are global and have no lock. Register before you
//     prepare a machine. A family's `make` is called by the thread that called ek_prepare or ek_topology_create.
// [3] A run only reads its machine. The run's memory and threads are its own and are gone when ek_run returns. Runs at
//     the same time share the cores, and take longer than one after the other. `progress` is called by the thread that
//     called ek_run. A method's functions are called by the run's threads, for several processors at once, with these
//     exceptions: ek_prepare calls `prepare`, ek_machine_destroy calls `destroy`, ek_facts_find calls `facts`, and one
//     thread at a time calls `next`. Of a program's functions ek_prepare calls `prepare`, ek_machine_destroy calls
//     `release`, and the run's threads call the others. None of them may block. An observer is called by one thread at
//     a time. In rounds and turns this can be any of the run's threads, and the observer has about 60 KiB of stack. In
//     free timing it is the thread that called ek_run. If a machine has several runs at once, they call its observer
//     independently. With experiment.large_stacks all these functions have 8 MiB of stack.
// [4] ek_interrupt adds to a lock-free count. The machine's runs that are under way compare it with its value at their
//     start, and end. A run that begins later is not interrupted. A run that has called `progress` or its observer is
//     under way.
// [5] A machine owns the topologies that ek_machine_topology and ek_machine_outline return. A report owns its arrays,
//     and outlives its machine.
//
// Signals, stacks and cores. The run's threads block all signals except those of their own faults
// (SIGSEGV and the like), so the program's other threads handle signals. The library installs no handler and sends no
// signal. The stacks of a run's threads have 64 KiB, plus the program's thread-local variables. The caller of ek_run
// cannot be cancelled during the call: ek_interrupt ends the run, and then the cancellation takes effect. The threads
// pin themselves to the cores that the caller of ek_prepare was allowed to use, unless the experiment is `unpinned`.
// The caller of ek_run is not pinned. In free timing the threads are readers of liburcu's QSBR flavour. A reader's
// `read` is called by the thread that called the library. Numbers in specs have a decimal point, so LC_NUMERIC must be
// a locale with a decimal point.
#ifndef EVENKEEL_H
#define EVENKEEL_H

// The version of this header; ek_version returns that of the library.
#ifndef EK_VERSION
#define EK_VERSION "@VERSION@"
#endif

// Included here because they must not be inside of extern "C".
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/common.h"
#include "topologies/topology.h"
#include "core/method.h"
#include "core/program.h"
#include "core/register.h"
#include "threads/api/ranks.h"
#include "threads/api/axis.h"
#include "threads/api/experiment.h"
#include "threads/api/measures.h"
#include "threads/api/report.h"
#include "threads/api/prepared.h"
#include "threads/api/run.h"
#include "threads/api/turn.h"
#include "threads/api/replay.h"
#include "threads/api/explore.h"

#ifdef __cplusplus
}
#endif

#endif
