// SPDX-License-Identifier: MIT
// Reads the weight of an object exactly, from its digits.
#include "base/characters.h"
#include "core/objects/object_set.h"

// A decimal number: digits * 10^exponent.
struct decimal {
    uint64_t digits;
    int64_t exponent;
    bool any;      // a digit has been read
    bool overflow; // there are too many digits
};

static void read_digits(struct base_cursor *cursor, struct decimal *number, bool fraction)
{
    for (; base_is_digit(base_cursor_peek(cursor)); cursor->at++) {
        uint64_t digit = (uint64_t)(base_cursor_peek(cursor) - '0');
        number->any = true;
        number->overflow |= __builtin_mul_overflow(number->digits, 10, &number->digits) ||
                            __builtin_add_overflow(number->digits, digit, &number->digits);
        number->exponent -= fraction;
    }
}

static bool read_exponent(struct base_cursor *cursor, struct decimal *number)
{
    enum { MOST = 99 };
    uint64_t exponent;
    if (!base_cursor_accept(cursor, 'e') && !base_cursor_accept(cursor, 'E')) {
        return true;
    }
    bool below = base_cursor_accept(cursor, '-');
    if (!below) {
        base_cursor_accept(cursor, '+');
    }
    if (!base_cursor_whole(cursor, "the exponent", 0, MOST, &exponent)) {
        return false;
    }
    number->exponent += below ? -(int64_t)exponent : (int64_t)exponent;
    return true;
}

// Drops zeros at the end, so that 1.50000000000 is as good as 1.5.
static void drop_zeros(struct decimal *number)
{
    while (number->digits > 0 && number->digits % 10 == 0) {
        number->digits /= 10;
        number->exponent++;
    }
}

bool core_object_read_weight(struct base_cursor *cursor, uint64_t *weight)
{
    size_t at = cursor->at;
    struct decimal number = {0};
    read_digits(cursor, &number, false);
    if (base_cursor_accept(cursor, '.')) {
        read_digits(cursor, &number, true);
    }
    if (!number.any) {
        return base_cursor_fail(cursor, at, "a weight is a number above 0, as in 2.5");
    }
    if (!read_exponent(cursor, &number)) {
        return false;
    }
    if (number.digits == 0 && !number.overflow) {
        return base_cursor_fail(cursor, at, "a weight is above 0: leave out objects without one");
    }
    drop_zeros(&number);
    if (number.exponent < -CORE_OBJECT_DECIMALS && !number.overflow) {
        return base_cursor_fail(cursor, at, "weights are multiples of 1e-9: round this one");
    }
    *weight = number.digits;
    for (int64_t e = -CORE_OBJECT_DECIMALS; e < number.exponent && !number.overflow; e++) {
        number.overflow = __builtin_mul_overflow(*weight, 10, weight);
    }
    return !number.overflow || base_cursor_fail(cursor, at, "a weight has at most 10 digits before the point");
}
