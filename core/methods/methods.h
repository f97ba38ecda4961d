// SPDX-License-Identifier: MIT
// The built-in methods, each defined in its family's file.
#ifndef EK_METHODS_H
#define EK_METHODS_H

#include "core/method.h"

// Cited by more than one family.
#define EK_XU_1995                                                                                        \
    "Xu, Monien, Lüling & Lau, Nearest neighbor algorithms for load balancing in parallel computers, " \
    "Concurrency: Practice and Experience 7(7), 1995"

extern const struct ek_method ek_method_ade, ek_method_ode, ek_method_gde, ek_method_matching; // exchange.c
extern const struct ek_method ek_method_adf, ek_method_odf, ek_method_diffusion;               // diffusion.c

#endif
