# SPDX-License-Identifier: MIT
"""How what was measured is written down: with where it was, between two marks of a page, instead of what was there."""
import os
import platform
import shlex
import sys


def machine(command):
    """What a table is worth nothing without: the line that makes it again, and where it was made."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "unknown model")
    options = f" BENCH={shlex.quote(' '.join(sys.argv[1:]))}" if sys.argv[1:] else ""
    return (f"`{command}{options}`, on {len(os.sched_getaffinity(0))} cores of {model}, Linux {platform.release()}; "
            f"load of the machine at the end {os.getloadavg()[0]:.1f}.")


def put(path, mark, text):
    begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
    with open(path, encoding="utf-8") as file:
        page = file.read()
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        sys.exit(f"{path} has no lines {begin.strip()} and {end.strip()}, between which the tables would go")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page[:page.index(begin) + len(begin)] + text.strip() + "\n" + page[page.index(end):])
