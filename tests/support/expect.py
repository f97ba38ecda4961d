# SPDX-License-Identifier: MIT
"""Counts checks and prints those that fail, for the programs in Python that test scripts run."""
import sys

counts = {True: 0, False: 0}


def check(what, good, found=""):
    counts[bool(good)] += 1
    if not good:
        print(f"FAILED {what}: {found}")


def expect(what, wanted, found):
    counts[wanted == found] += 1
    if wanted != found:
        print(f"FAILED {what}:\n  wanted: {wanted}\n  found:  {found}")


def near(a, b, tolerance=1e-9):
    """Whether two numbers, or two absent numbers, are the same but for rounding."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= tolerance * max(1.0, abs(a), abs(b))


def end():
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(counts[False] > 0)
