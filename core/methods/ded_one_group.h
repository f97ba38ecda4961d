// SPDX-License-Identifier: MIT
// The last stage of ded in one group, whose flow moves in all groups.
#ifndef CORE_METHODS_DED_ONE_GROUP_H
#define CORE_METHODS_DED_ONE_GROUP_H

#include "core/methods/ded_stages.h"

enum ek_next method_ded_one_group_next(const struct method_ded *ded, const struct ek_moment *moment,
                                       struct ek_step *step);
void method_ded_one_group_announce(const struct ek_turn *turn, double *values);
void method_ded_one_group_act(struct ek_turn *turn, double *amounts);
void method_ded_one_group_facts(const struct method_ded *ded, const struct ek_outlook *outlook, struct ek_facts *facts);

#endif
