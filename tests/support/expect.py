# SPDX-License-Identifier: MIT
"""Counts checks and prints those that fail, for the programs in Python that test scripts run."""
import sys

passed = []  # an entry for each check; threads may append at the same time


def check(what, good, found=""):
    passed.append(bool(good))
    if not good:
        print(f"FAILED {what}: {found}")


def expect(what, wanted, found):
    passed.append(wanted == found)
    if wanted != found:
        print(f"FAILED {what}:\n  wanted: {wanted}\n  found:  {found}")


def near(a, b, tolerance=1e-9):
    """Whether two numbers, or two absent numbers, are the same but for rounding."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def end():
    failed = passed.count(False)
    print(f"{len(passed) - failed} passed, {failed} failed")
    sys.exit(failed > 0)
