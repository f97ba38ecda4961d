// SPDX-License-Identifier: MIT
// The version of the API, and how a program or a plugin adds methods and programs of tasks. Part of <evenkeel.h>.
#ifndef EK_REGISTER_H
#define EK_REGISTER_H

#include "base/common.h"

struct ek_method;
struct ek_program;

// The version of this header. It grows whenever a struct or a function is added or grows; ek_api_version returns that
// of the library. A program keeps running with the libraries of later versions, as long as their file name
// (libevenkeel.so.N) stays the same:
//  * ek_experiment, ek_report, ek_theory and ek_limits grow at their end. The inline functions that take them pass
//    their size to a function of the library (ek_..._sized), which reads and writes no more than this size.
//  * Structs that only the library makes (ek_topology, ek_axis, ek_progress) grow at their end too.
//  * All other structs stay as they are. Those of methods and programs can change with each version, so a method or a
//    program that was compiled with another version's header is refused.
#define EK_API_VERSION 8u

// Adds a method; the struct must stay alive. Call it from one thread and before any machine is prepared. Returns false
// with `error` filled if its name is taken, a function that it needs is missing, the registry (64 places) is full, or
// the caller was compiled with another version of this header (`api`, an EK_API_VERSION).
EK_API bool ek_method_register_for(unsigned api, const struct ek_method *method, struct ek_error *error);
static inline bool ek_method_register(const struct ek_method *method, struct ek_error *error)
{
    return ek_method_register_for(EK_API_VERSION, method, error);
}

// Adds a program, which --tasks and ek_experiment.tasks then name; the struct must stay alive. Call it from one thread
// and before any machine is prepared. Returns false with `error` filled if its name is taken or cannot be typed, a
// function or a text is missing, the registry (64 places) is full, or the caller was compiled with another version of
// this header (`api`, an EK_API_VERSION).
EK_API bool ek_program_register_for(unsigned api, const struct ek_program *program, struct ek_error *error);
static inline bool ek_program_register(const struct ek_program *program, struct ek_error *error)
{
    return ek_program_register_for(EK_API_VERSION, program, error);
}

#endif
