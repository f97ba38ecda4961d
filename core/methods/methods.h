// SPDX-License-Identifier: MIT
// The built-in methods, each defined in its family's file.
#ifndef CORE_METHODS_METHODS_H
#define CORE_METHODS_METHODS_H

#include "base/common.h"

struct ek_plan;
struct ek_turn;

// Cited by more than one family.
#define METHOD_XU_1995                                                                                                 \
    "Xu, Monien, Lüling & Lau, Nearest neighbor algorithms for load balancing in parallel computers, "                \
    "Concurrency: Practice and Experience 7(7), 1995"

// Frees plan->data if the method stored one block of memory there.
void method_free_data(struct ek_plan *plan);

// diffusion.c
extern const struct ek_method core_method_adf, core_method_odf, core_method_diffusion;
// Its rule and its loops, which fos shares: the equation is the same.
extern const struct ek_rule method_diffusion_rule;
extern const struct ek_rounds_part method_diffusion_rounds;
// gossip.c
extern const struct ek_method core_method_push_sum, core_method_broadcast_gossip;
// link_weights.c
extern const struct ek_method core_method_metropolis, core_method_diffusion_file;
// diffusion_polynomial.c
extern const struct ek_method core_method_fos, core_method_sos, core_method_opt, core_method_ops;
// chebyshev.c
extern const struct ek_method core_method_chebyshev;
// exchange.c
extern const struct ek_method core_method_ade, core_method_ode, core_method_gde, core_method_matching, core_method_dem;
// folded_exchange.c
extern const struct ek_method core_method_dem_folded;
// exchange_polynomial.c
extern const struct ek_method core_method_de;
// alternating_directions.c
extern const struct ek_method core_method_adi, core_method_mdi;
// direction_polynomial.c
extern const struct ek_method core_method_adi_ops, core_method_de_adi;
// none.c. A method by letters shares it, since it moves no amounts.
extern const struct ek_rounds_part method_none_rounds;
void method_none_act(struct ek_turn *turn, double *amounts);
// local_average.c
extern const struct ek_method core_method_local_average, core_method_random_neighbours;
// Each of these methods is defined in the file of its name.
extern const struct ek_method core_method_dde, core_method_twa, core_method_mwa, core_method_sender, core_method_ded,
    core_method_liquid, core_method_nna, core_method_none, core_method_steal, core_method_place, core_method_central,
    core_method_gradient, core_method_cwn, core_method_initiated, core_method_rotor, core_method_splitting,
    core_method_least_flow, core_method_partners, core_method_tempered;

// Returns whether a method was registered from outside.
bool core_method_is_registered(const struct ek_method *method);

#endif
