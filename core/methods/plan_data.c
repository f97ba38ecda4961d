// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "core/method.h"
#include "core/methods/methods.h"

void method_free_data(struct ek_plan *plan)
{
    free((void *)plan->data);
    plan->data = NULL;
}
