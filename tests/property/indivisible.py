# SPDX-License-Identifier: MIT
"""Objects: which of them a giver chooses, by the definitions of METHODS.md ("Choice", "Remainder")."""
import math
import sys

EPSILON = sys.float_info.epsilon


class Objects:
    """The lines of a file. Weights count in units, of which `scale` make 1."""

    def __init__(self, text, choose, carries):
        rows = [line.split(",") for line in text.splitlines()]
        tenths = [round(10 * float(row[1])) for row in rows]
        self.scale = 10 if any(w % 10 for w in tenths) else 1
        self.weight = [w * self.scale // 10 for w in tenths]
        self.size = [int(row[2]) if len(row) > 2 else 1 for row in rows]
        self.home = [int(row[0]) for row in rows]
        self.choose, self.carries = choose, carries

    def order(self, held):
        """The heaviest first, of equal ones the lower line."""
        return sorted(held, key=lambda i: (-self.weight[i], i))

    def units(self, held):
        return sum(self.weight[i] for i in held)

    def load(self, held):
        return self.units(held) / self.scale

    def bytes(self, some):
        return sum(self.size[i] for i in some)

    def give(self, held, giver, amount, other, rest):
        """The objects that go for an amount, and the rest that stays. `other` is the neighbour's load."""
        if amount <= 0.0:
            return [], 0.0
        own = self.units(held)
        below = own - round(other * self.scale) if not math.isnan(other) else 0
        wanted = amount * self.scale + (rest if self.carries else 0.0)
        slack = 1e-9 + 16 * EPSILON * own
        going = []

        def left():
            return wanted - self.units(going)

        def fit(allowed):
            for i in self.order(held):
                if i not in going and allowed(i) and self.weight[i] < below and self.weight[i] <= left() + slack:
                    going.append(i)

        if self.choose == "foreign":
            fit(lambda i: self.home[i] != giver)
        fit(lambda i: True)
        light = [i for i in held if i not in going and self.weight[i] < below]
        if self.choose == "nearest" and light:
            least = min(light, key=lambda i: (self.weight[i], i))
            if self.weight[least] + slack < 2.0 * left():
                going.append(least)
        return going, left()

    def would_give(self, held, amount, other):
        """Whether anything goes now, or when the rest has been carried often enough."""
        if not held or not amount > 0.0 or math.isnan(other):
            return False
        least = min(self.weight[i] for i in held)
        slack = 1e-9 + 16 * EPSILON * self.units(held)
        fits = least <= amount * self.scale + slack or (
            self.choose == "nearest" and least + slack < 2.0 * amount * self.scale)
        return least < self.units(held) - round(other * self.scale) and (self.carries or fits)
