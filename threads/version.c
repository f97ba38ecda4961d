// SPDX-License-Identifier: MIT
// The version that the file VERSION holds, handed over by the Makefile.
#include "threads/run.h"

const char *ek_version(void)
{
    return EK_VERSION;
}
