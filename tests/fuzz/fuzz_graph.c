// SPDX-License-Identifier: MIT
// Fuzzes graph files. The whole input is the file, which is read alone and as the group of an OTIS network.
#include "tests/fuzz/fuzz.h"

#include "tests/support/text_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tests_memory memory = {.text = (const char *)data, .length = size};
    tests_fuzz_check_topology("file:graph", tests_memory_reader(&memory));
    tests_fuzz_check_topology("otis(file:graph)", tests_memory_reader(&memory));
    return 0;
}
