// SPDX-License-Identifier: MIT
// What methods by letters share.
#include "core/methods/letters.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "core/method.h"

uint64_t method_letter_draw(struct ek_letter_turn *turn, uint64_t bound)
{
    uint64_t moment = turn->moment << 24 | turn->draws++;
    struct base_random random = base_random_moment(turn->view.seed, turn->view.processor, BASE_STREAM_LETTERS, moment);
    return base_random_below(&random, bound);
}

uint32_t method_letter_other(struct ek_letter_turn *turn)
{
    uint32_t drawn = (uint32_t)method_letter_draw(turn, turn->processors - 1);
    return drawn + (drawn >= turn->view.processor);
}

uint32_t method_letter_neighbour(struct ek_letter_turn *turn)
{
    return turn->neighbour[method_letter_draw(turn, turn->view.degree)];
}

uint64_t method_letter_load(const struct ek_letter_turn *turn)
{
    return turn->held + turn->works;
}

unsigned method_letter_port(const struct ek_letter_turn *turn, uint32_t neighbour)
{
    unsigned from = 0, end = turn->view.degree;
    while (end - from > 1) {
        unsigned middle = from + (end - from) / 2;
        *(turn->neighbour[middle] > neighbour ? &end : &from) = middle;
    }
    return from;
}

bool method_letter_whole(struct base_cursor *cursor, const char *what, uint64_t minimum, uint64_t maximum,
                         uint64_t *value)
{
    return !base_cursor_accept(cursor, ':') || base_cursor_whole(cursor, what, minimum, maximum, value);
}

bool method_letter_data(struct ek_plan *plan, const void *data, size_t size, struct ek_error *error)
{
    void *own = malloc(size);
    if (!own) {
        return base_fail(error, EK_BAD_INPUT, "method", "there is no memory left for the method");
    }
    memcpy(own, data, size);
    plan->data = own;
    return true;
}
