// SPDX-License-Identifier: MIT
// The built-in methods, each defined in its family's file.
#ifndef EK_METHODS_H
#define EK_METHODS_H

#include "core/method.h"

// Cited by more than one family.
#define EK_XU_1995                                                                                                     \
    "Xu, Monien, Lüling & Lau, Nearest neighbor algorithms for load balancing in parallel computers, "                \
    "Concurrency: Practice and Experience 7(7), 1995"

extern const struct ek_method ek_method_ade, ek_method_ode, ek_method_gde, ek_method_matching; // exchange.c
extern const struct ek_method ek_method_dem;                                                   // exchange.c
extern const struct ek_method ek_method_adf, ek_method_odf, ek_method_diffusion;               // diffusion.c
extern const struct ek_method ek_method_dde;                                                   // dde.c
extern const struct ek_method ek_method_twa;                                                   // twa.c
extern const struct ek_method ek_method_sender;                                                // sender.c
extern const struct ek_method ek_method_fos, ek_method_sos, ek_method_opt, ek_method_ops;      // polynomial.c
extern const struct ek_method ek_method_adi, ek_method_mdi;                                    // product.c
extern const struct ek_method ek_method_de;                                                    // exchange_polynomial.c
extern const struct ek_method ek_method_ded;                                                   // ded.c
extern const struct ek_method ek_method_liquid;                                                // liquid.c
extern const struct ek_method ek_method_nna;                                                   // nna.c
extern const struct ek_method ek_method_splitting;                                             // splitting.c
extern const struct ek_method ek_method_local_average, ek_method_random_neighbours;            // local.c

#endif
