// SPDX-License-Identifier: MIT
// Machines: what is known of one before it runs, and what this system lets it have. Part of <evenkeel.h>.
#ifndef EK_PREPARED_H
#define EK_PREPARED_H

#include "base/common.h"

struct ek_family;   // topologies/topology.h
struct ek_method;   // core/method.h
struct ek_program;  // core/program.h
struct ek_topology; // topologies/topology.h

// Returns the library's version, as "0.1.0".
EK_API const char *ek_version(void);

// Returns the EK_API_VERSION of the library. If it is lower than the header's, the library does not know the newest
// fields: ek_prepare refuses an experiment that sets one, and in reports these fields are 0.
EK_API unsigned ek_api_version(void);

// A machine that is ready to run: its axes are read and checked, its topology is built.
struct ek_machine;

EK_API void ek_machine_destroy(struct ek_machine *machine);

// Return the topology. The outline may have no arrays (`first` and all members down to `colour_first` are NULL): if its
// links follow from the numbers of the processors, a run may compute them. ek_machine_topology then makes a topology
// with arrays at the first call, and returns NULL if there is no memory for it. It also returns NULL on a rank
// that stores the links of its own processors only (docs/scale.md).
EK_API const struct ek_topology *ek_machine_topology(const struct ek_machine *machine);
EK_API const struct ek_topology *ek_machine_outline(const struct ek_machine *machine);

EK_API const struct ek_method *ek_machine_method(const struct ek_machine *machine);

// Returns whether the method ends a run after a fixed number of operations.
EK_API bool ek_machine_direct(const struct ek_machine *machine);

// Returns the method's parameter, the paper's lambda or alpha; NaN if it has none.
EK_API double ek_machine_parameter(const struct ek_machine *machine);

// Returns a sentence that the user should read before the run, or "".
EK_API const char *ek_machine_warning(const struct ek_machine *machine);

// Returns the effective value of axis `index` as text: the user's value, the default, or what the machine has chosen. A
// time is written in seconds, a switch as true or false; an axis of numbers without a value is "". The text is valid as
// long as the machine.
EK_API const char *ek_machine_axis(const struct ek_machine *machine, size_t index);

// Returns whether axis `index` has another value than its default.
EK_API bool ek_machine_given(const struct ek_machine *machine, size_t index);

// Returns whether the machine depends on the experiment's seed: a random topology, or drawn capacities. Run r of such a
// machine differs from run 0 of a machine prepared with seed + r.
EK_API bool ek_machine_drawn(const struct ek_machine *machine);

// Gives the experiment another seed, as if it had been prepared with this seed. Returns false and changes nothing if
// the machine depends on the seed: prepare another one then.
EK_API bool ek_machine_reseed(struct ek_machine *machine, uint64_t seed);

// Ends the machine's runs that are under way, each at its next step. Later runs are not affected. May be called in a
// signal handler.
EK_API void ek_interrupt(struct ek_machine *machine);

// Methods, families and programs that a shared object exports under the name `evenkeel_plugin`, for `evenkeel --plugin
// FILE.so` or any program that opens the object. The object is not linked with the library; functions of the library
// that it calls are those of the program. Its structs must stay valid.
struct ek_plugin {
    const char *version;                      // EK_VERSION; it must equal the library's, as structs may change with it
    const struct ek_method *const *methods;   // ended by NULL; or NULL if there are none
    const struct ek_family *const *families;  // ended by NULL; or NULL if there are none
    const struct ek_program *const *programs; // ended by NULL; or NULL if there are none
};
extern EK_API const struct ek_plugin evenkeel_plugin; // the plugin defines it; the library does not

// Registers what a plugin has, as ek_method_register, ek_family_register and ek_program_register do. Returns false with
// `error` filled at the first that is refused; those before it stay registered.
EK_API bool ek_plugin_register(const struct ek_plugin *plugin, struct ek_error *error);

// The limits of this system. A number that is not known is 0, a text "".
struct ek_limits {
    unsigned cores;            // processing units that the calling thread may use
    unsigned cores_total;      // processing units of the computer
    char cores_bound[128];     // what keeps the thread from the others, e.g. "the CPU mask (0-3)"
    char processor[96];        // the processor's name
    uint64_t memory_free;      // bytes that may still be used
    uint64_t memory_total;     // bytes of the computer
    const char *memory_bound;  // the limit that sets memory_free, e.g. "the control group's memory limit"
    bool memory_mapped;        // this limit counts mapped memory, used or not, as ulimit -v does
    uint64_t threads_max;      // threads that a run can have
    const char *threads_bound; // the limit that sets threads_max, e.g. "pid_max"
    uint64_t maps_max;         // vm.max_map_count
    bool real_time;            // SCHED_FIFO is permitted
    char counters[96];         // why there are no hardware counters; "" if there are
};
EK_API void ek_limits_read_sized(struct ek_limits *limits, size_t size);
static inline void ek_limits_read(struct ek_limits *limits)
{
    ek_limits_read_sized(limits, sizeof *limits);
}

// The convergence factor of this machine's method on its topology.
struct ek_theory {
    bool has_exact, has_closed;
    double gamma_exact;    // convergence factor of one operation: variance shrinks by its square
    double gamma_closed;   // the paper's closed form
    double parameter;      // lambda or alpha
    double parameter_best; // the best parameter for this topology; NaN if unknown
    double operations;     // predicted from the load of run 0 until the criterion variance or error holds; NaN if
                           // gamma_exact is not below 1, and for another criterion
    double steps;          // the same in steps
    char note[400];        // why the two factors differ, or what could not be found; else ""
    bool incomplete;       // memory was short, and a number may be missing for that reason only
};
EK_API void ek_theory_find_sized(const struct ek_machine *machine, struct ek_theory *theory, size_t size);
static inline void ek_theory_find(const struct ek_machine *machine, struct ek_theory *theory)
{
    ek_theory_find_sized(machine, theory, sizeof *theory);
}

// Returns whether ek_theory_find takes about a second at most. Without a closed form and with more than some thousand
// processors it takes minutes.
EK_API bool ek_theory_soon(const struct ek_machine *machine);

// Finds facts about the runs that are known before a run: at most EK_FACTS_MAX, of which the first `room` are written.
// Returns their number. The function takes about a second at most. A fact that could not be found in this time says so.
// If memory was short there is a fact called "facts_missing".
enum { EK_FACTS_MAX = 32 };
EK_API size_t ek_facts_find(const struct ek_machine *machine, struct ek_fact *facts, size_t room);

#endif
