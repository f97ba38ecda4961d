// SPDX-License-Identifier: MIT
// Fuzzes load files. The first byte selects the units and the number of processors, the rest is the file.
#include "tests/fuzz/fuzz.h"

#include <math.h>

#include "core/axes/load.h"
#include "tests/support/text_file.h"

enum { PROCESSORS_MAX = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct tests_memory memory = {.text = (const char *)data + 1, .length = size - 1};
    uint32_t processors = 1 + data[0] % PROCESSORS_MAX;
    enum ek_units units = data[0] >= 128 ? EK_TOKENS : EK_REAL;
    struct core_load load;
    struct ek_error error = {0};
    if (!core_load_parse(&load, "file:load.txt", processors, units, tests_memory_reader(&memory), &error)) {
        tests_fuzz_check_error(&error, "load", "file:load.txt");
        return 0;
    }
    double held[PROCESSORS_MAX], total = 0.0;
    core_load_draw(&load, 1, processors, held);
    for (uint32_t p = 0; p < processors; p++) {
        assert(held[p] >= 0.0 && isfinite(held[p]));
        assert(units == EK_REAL || held[p] == floor(held[p]));
        total += held[p];
    }
    assert(total <= 0x1p53);
    core_load_destroy(&load);
    return 0;
}
