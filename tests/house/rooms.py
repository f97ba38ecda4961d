#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the picture of the rooms in ARCHITECTURE.md to the includes of the code.

The picture has a line for each room, which is a folder with sources: its name, what it holds, and the rooms whose headers it
includes. Left out are rooms that it also reaches through another room of its line, and in names the folder of its own floor. In a
floor, each room stands above the rooms that it includes. The texts are written by hand; the rest is made from the code.

  rooms.py           prints the lines that are out of date, and fails if there are any
  rooms.py --write   brings the picture up to date; a new room gets the text "?", which has to be replaced"""
import difflib
import os
import re
import sys

FLOORS = ["cli", "lab", "threads", "core", "topologies", "base"]  # highest first
PAGE = "ARCHITECTURE.md"
PICTURE = re.compile(r"(?<=<!-- rooms -->\n```\n).*?(?=\n```)", re.S)


def read_imports():
    """Returns for each room the rooms whose headers it includes."""
    found = {}
    for floor in FLOORS:
        for room, _, names in os.walk(floor):
            for name in names:
                if name.endswith((".c", ".h")):
                    with open(os.path.join(room, name), encoding="utf-8") as file:
                        headers = re.findall(r'^#include "([^"]+)"', file.read(), re.M)
                    found.setdefault(room, set()).update(map(os.path.dirname, headers))
    return {room: {used for used in uses if used in found and used != room} for room, uses in found.items()}


def reached(graph, room):
    """Returns the rooms that the room includes, directly or through others."""
    seen, waiting = set(), [room]
    while waiting:
        for used in graph[waiting.pop()] - seen:
            seen.add(used)
            waiting.append(used)
    return seen


def draw(graph, texts):
    below = {room: reached(graph, room) for room in graph}
    order = sorted(graph, key=lambda room: (FLOORS.index(room.split("/")[0]), -len(below[room]), room))
    lines, floor = [], None
    for room in order:
        if floor and room.split("/")[0] != floor:
            lines.append("")
        floor = room.split("/")[0]
        direct = [used.removeprefix(floor + "/") for used in order if used in graph[room] and
                  not any(used in below[other] for other in graph[room] if other != used)]
        arrows = "-> " + ", ".join(direct) if direct else ""
        lines.append(f"{room:26}{texts.get(room, '?'):46}{arrows}".rstrip())
    return "\n".join(lines)


def main():
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    shown = PICTURE.search(page)[0]
    texts = {room: text for room, text in re.findall(r"^(\S+) +(.*?)(?: *->.*)?$", shown, re.M) if text != "?"}
    drawn = draw(read_imports(), texts)
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(PICTURE.sub(lambda _: drawn, page))
        return 0
    wrong = list(difflib.unified_diff(shown.splitlines(), drawn.splitlines(), PAGE, "the code", n=0, lineterm=""))
    wrong += re.findall(r"^\S+ +\?.*", drawn, re.M)
    for line in wrong:
        print(line)
    return int(len(wrong) > 0)


sys.exit(main())
