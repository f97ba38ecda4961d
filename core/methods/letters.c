// SPDX-License-Identifier: MIT
// What methods by letters share.
#include "core/methods/letters.h"

#include "base/random.h"

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
