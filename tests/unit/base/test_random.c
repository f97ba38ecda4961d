// SPDX-License-Identifier: MIT
// Random numbers: Threefry's published vectors, and streams that share nothing.
#include <criterion/criterion.h>
#include <math.h>

#include "base/random.h"

enum { MANY = 200000 };

// Threefry-2x64 with 20 rounds: Random123's known-answer vectors.
Test(random, is_threefry)
{
    struct base_random zeros = base_random_start(0, 0, (enum base_stream)0);
    cr_assert_eq(base_random_bits(&zeros), 0xc2b6e3a8c2c69865);
    struct base_random ones = {.key = {UINT64_MAX, UINT64_MAX}, .counter = {UINT64_MAX, UINT64_MAX}};
    cr_assert_eq(base_random_bits(&ones), 0xe02cb7c4d95d277a);
}

Test(random, streams_owners_and_seeds_are_apart)
{
    uint64_t first[3 * 3 * 3];
    size_t count = 0;
    for (uint64_t seed = 0; seed < 3; seed++) {
        for (uint64_t owner = 0; owner < 3; owner++) {
            for (unsigned stream = 0; stream < 3; stream++) {
                struct base_random random = base_random_start(seed, owner, (enum base_stream)stream);
                first[count] = base_random_bits(&random);
                for (size_t i = 0; i < count; i++) {
                    cr_assert_neq(first[i], first[count]);
                }
                count++;
            }
        }
    }
}

Test(random, below_is_even)
{
    struct base_random random = base_random_start(3, 4, BASE_STREAM_LOAD);
    unsigned seen[10] = {0};
    for (unsigned i = 0; i < MANY; i++) {
        uint64_t value = base_random_below(&random, 10);
        cr_assert_lt(value, 10);
        seen[value]++;
    }
    for (unsigned i = 0; i < 10; i++) { // six standard deviations of a binomial
        cr_assert_lt(fabs(seen[i] - MANY / 10.0), 6 * sqrt(MANY * 0.09));
    }
    cr_assert_eq(base_random_below(&random, 1), 0);
    cr_assert_leq(base_random_below(&random, UINT64_MAX), UINT64_MAX - 1);
}
