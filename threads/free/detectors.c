// SPDX-License-Identifier: MIT
// The ways of detecting termination.
#include "threads/free/detect.h"

const struct free_detector *free_detector_of(const struct machine_plan *machine)
{
    static const struct free_detector *const detectors[] = {
        [MACHINE_DETECT_SNAPSHOT] = NULL,
        [MACHINE_DETECT_SAFRA] = &free_detect_safra,
        [MACHINE_DETECT_MATTERN] = &free_detect_mattern,
    };
    return detectors[machine->detect];
}
