// SPDX-License-Identifier: MIT
#include "lab/text/compare_naturally.h"

#include <ctype.h>
#include <string.h>

int lab_compare_naturally(const char *a, size_t length_a, const char *b, size_t length_b)
{
    const char *const end_a = a + length_a, *const end_b = b + length_b;
    while (a < end_a && b < end_b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            const char *from_a = a, *from_b = b;
            while (a < end_a && isdigit((unsigned char)*a)) {
                a++;
            }
            while (b < end_b && isdigit((unsigned char)*b)) {
                b++;
            }
            const int by_digits = (int)((a - from_a) - (b - from_b));
            const int by_text = by_digits != 0 ? by_digits : memcmp(from_a, from_b, (size_t)(a - from_a));
            if (by_text != 0) {
                return by_text;
            }
        } else if (*a != *b) {
            return (unsigned char)*a - (unsigned char)*b;
        } else {
            a++;
            b++;
        }
    }
    return (int)((end_a - a) - (end_b - b));
}
