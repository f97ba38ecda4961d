// SPDX-License-Identifier: MIT
// <evenkeel.h>: an emulated parallel machine, and nearest-neighbour load balancing on it. Of the five parts below
// the first says where (topologies), the second what a processor does (methods), the third how it runs, the fourth how
// a run in free timing is made again, the fifth how its schedules are chosen.
//
// Errors. A call that can fail returns false, NULL or a status, and fills the `struct ek_error` that it was given: a
// status, one sentence that says what is wrong and what to do, and, where a spec is at fault, which one and at which
// character. The library never prints and never exits.
//
// Who may call what when. "Any": by any number of threads at once, beside every other call that does not exclude it.
//
//   call                                                    at the same time
//   ek_prepare, ek_theory_find, ek_facts_find,              any, also on one machine or topology [1]
//     ek_spectrum_find, ek_exchange_factor
//   ek_method_register, ek_family_register,                 nothing that looks at the registries: neither themselves,
//     ek_plugin_register                                      ek_prepare, ek_method_find, ek_method_at,
//                                                             ek_topology_create nor ek_axis_choice [2]
//   ek_method_find, ek_method_at                            any
//   ek_run                                                  any, also on one machine [3]
//   ek_interrupt                                            any, also in a signal handler [4]
//   ek_ranks_agree                                          any, on one struct ek_ranks one at a time
//   ek_machine_topology, ek_machine_method,                 any, also on one machine
//     ek_machine_direct, ek_machine_parameter,
//     ek_machine_warning, ek_machine_drawn,
//     ek_machine_axis, ek_machine_given, ek_theory_soon
//   ek_topology_create, ek_topology_create_within           any
//   ek_topology_valid, ek_topology_port, ek_topology_bytes  any, also on one topology
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
//     ek_axis_choice, ek_nearest, ek_limits_read,
//     ek_effects_pool, ek_version, ek_api_version
//
// The functions ek_..._sized and ek_..._for follow the rules of those that call them.
//
// Only ek_run blocks, until its run has ended; with ranks ek_prepare and ek_ranks_agree too, until all have said
// whether they go on; eigenvalues can take minutes, of which ek_theory_soon warns.
//
// [1] They may look for eigenvalues. ARPACK, which finds those of large graphs, keeps state of its own: a lock lets one
//     call at a time iterate, and is held for nothing else. It does not keep out a program that calls ARPACK itself.
//     Where the BLAS is OpenBLAS they also set its number of threads to 1, for the whole process and for good: more
//     threads would add in another order.
// [2] The registries of methods and of families of topologies are global and have no lock: register before anything is
//     prepared. A family's `make` is called by the thread that called ek_prepare or ek_topology_create.
// [3] A run only reads its machine. Its memory and its threads are its own, and both are gone when ek_run returns. Runs
//     at the same time share the cores, and take longer than one after the other. `progress` is called by the thread
//     that called ek_run. Of a method the run's threads call all but `prepare`, `destroy` and `facts`, for several
//     processors at once; `next` alone is called by one of them at a time. None of them may block. An observer is
//     called by one thread at a time: in rounds and turns by any of the run's, on whose stack it has some 60 KiB, in
//     free timing by the one that called ek_run. Of a machine with several runs at once each calls it by itself.
// [4] It adds to a lock-free count, by which the machine's runs that are under way know that they are to end. A run
//     that begins later is not meant; one that has called `progress` or its observer is under way.
// [5] A machine owns the topology that ek_machine_topology answers. A report owns what it holds, and outlives its
//     machine.
//
// What a run shares with its process. Its threads block all signals but those of their own faults (SIGSEGV and its
// like): they are the program's other threads' to handle. The library itself has no handler and sends no signal. The
// stacks of a run's threads have 64 KiB beside the program's thread-local variables. ek_run's caller cannot be
// cancelled while it is in there: ek_interrupt ends the run, and the cancellation follows. The threads pin themselves
// to cores that ek_prepare's caller was given, unless the experiment is `unpinned`; ek_run's caller stays where it is.
// In free timing they are readers of liburcu's QSBR flavour. A reader's `read` is called by the thread that called the
// library. Numbers in specs have a decimal point: LC_NUMERIC must be a locale that has one too.
#ifndef EVENKEEL_H
#define EVENKEEL_H

// The version that this header is of; ek_version says the library's.
#ifndef EK_VERSION
#define EK_VERSION "@VERSION@"
#endif

// Here, as in C++ they do not belong into extern "C".
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "base/common.h"
#include "topologies/topology.h"
#include "core/method.h"
#include "threads/api/run.h"
#include "threads/api/replay.h"
#include "threads/api/explore.h"

#ifdef __cplusplus
}
#endif

#endif
