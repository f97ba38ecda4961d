// SPDX-License-Identifier: MIT
// The built-in methods, each defined in its family's file.
#ifndef CORE_METHODS_METHODS_H
#define CORE_METHODS_METHODS_H

#include "core/method.h"

// Cited by more than one family.
#define METHOD_XU_1995                                                                                                 \
    "Xu, Monien, Lüling & Lau, Nearest neighbor algorithms for load balancing in parallel computers, "                \
    "Concurrency: Practice and Experience 7(7), 1995"

extern const struct ek_method core_method_ade, core_method_ode, core_method_gde, core_method_matching; // exchange.c
extern const struct ek_method core_method_dem;                                                         // exchange.c
extern const struct ek_method core_method_dem_folded;                                                  // folded.c
extern const struct ek_method core_method_adf, core_method_odf, core_method_diffusion;                 // diffusion.c
extern const struct ek_method core_method_dde;                                                         // dde.c
extern const struct ek_method core_method_twa;                                                         // twa.c
extern const struct ek_method core_method_sender;                                                      // sender.c
extern const struct ek_method core_method_fos, core_method_sos, core_method_opt, core_method_ops;      // polynomial.c
extern const struct ek_method core_method_adi, core_method_mdi;                                        // product.c
extern const struct ek_method core_method_adi_ops, core_method_de_adi;                  // product_polynomial.c
extern const struct ek_method core_method_de;                                           // exchange_polynomial.c
extern const struct ek_method core_method_ded;                                          // ded.c
extern const struct ek_method core_method_liquid;                                       // liquid.c
extern const struct ek_method core_method_nna;                                          // nna.c
extern const struct ek_method core_method_splitting;                                    // splitting.c
extern const struct ek_method core_method_local_average, core_method_random_neighbours; // local.c

#endif
