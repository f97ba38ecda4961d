# SPDX-License-Identifier: MIT
"""The project's random numbers: Threefry-2x64 with 20 rounds (Salmon et al. 2011), keyed by seed and purpose, counted by
owner, moment and draw."""
import functools
import math

MASK = (1 << 64) - 1
ROTATIONS = (16, 42, 12, 31, 16, 32, 24, 21)
MATCHING, WORK, INVOKE, DELAY, NEIGHBOURS, PAUSE, TURN_COSTS, WIRE_COSTS, ROUNDING, PEERS = 2, 4, 5, 6, 8, 11, 16, 17, 18, 22


@functools.lru_cache(maxsize=1 << 16)
def threefry(key, counter):
    """The first of the two words. A run that is computed again has the same ones."""
    keys = (*key, key[0] ^ key[1] ^ 0x1BD11BDAA9FC1A22)
    a, b = (counter[0] + keys[0]) & MASK, (counter[1] + keys[1]) & MASK
    for number in range(20):
        turn = ROTATIONS[number % 8]
        a = (a + b) & MASK
        b = ((b << turn | b >> (64 - turn)) & MASK) ^ a
        if number % 4 == 3:
            block = number // 4 + 1
            a = (a + keys[block % 3]) & MASK
            b = (b + keys[(block + 1) % 3] + block) & MASK
    return a


class Moment:
    """The numbers of one moment of an owner."""

    def __init__(self, seed, owner, purpose, moment):
        self.key = (seed, purpose)
        self.counter = [moment << 8, owner]

    def bits(self):
        word = threefry(self.key, tuple(self.counter))
        self.counter[0] += 1
        return word

    def unit(self):
        return (self.bits() >> 11) * 2.0 ** -53

    def exponential(self):
        return -math.log(1.0 - self.unit())

    def below(self, bound):
        """A whole number, without bias: the words of the incomplete last cycle are left out."""
        while True:
            word = self.bits()
            if word >= (1 << 64) % bound:
                return word % bound
