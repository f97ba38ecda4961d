#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the rooms of the house and their imports, as ARCHITECTURE.md shows them. With --write it replaces the picture there.

Each line has a room and the rooms whose headers it includes, without those that it also reaches through another room of the line.
Lines are ordered so that arrows point downwards. Rooms that include each other in a circle are marked with '!'."""
import os
import re
import subprocess
import sys

FLOORS = ["cli", "lab", "threads", "core", "topologies", "base"]  # highest first
PAGE = "ARCHITECTURE.md"


def imports():
    """The rooms that each room includes headers of. A room is a folder with sources."""
    found = {}
    for path in subprocess.check_output(["git", "ls-files", *FLOORS], text=True).split():
        if path.endswith((".c", ".h")):
            uses = found.setdefault(os.path.dirname(path), set())
            with open(path, encoding="utf-8") as file:
                uses.update(map(os.path.dirname, re.findall(r'^#include "([^"]+)"', file.read(), re.M)))
    return {room: {used for used in uses if used in found and used != room} for room, uses in found.items()}


def reached(graph, room):
    seen, waiting = set(), [room]
    while waiting:
        for used in graph[waiting.pop()] - seen:
            seen.add(used)
            waiting.append(used)
    return seen


def picture(graph):
    below = {room: reached(graph, room) for room in graph}
    circle = {room for room in graph if room in below[room]}
    height = {room: len(below[room]) for room in graph}
    lines = []
    for floor in FLOORS:
        rooms = [room for room in graph if room.split("/")[0] == floor]
        for room in sorted(rooms, key=lambda name: (-height[name], name)):
            direct = {used for used in graph[room]
                      if not any(used in below[other] and other not in below[used] for other in graph[room] - {used})}
            arrows = sorted(direct, key=lambda name: (FLOORS.index(name.split("/")[0]), -height[name], name))
            lines.append(f"{'! ' if room in circle else ''}{room:24} {'-> ' + ', '.join(arrows) if arrows else ''}".rstrip())
        lines.append("")
    return "\n".join(lines).rstrip()


def main():
    drawn = f"<!-- rooms -->\n```\n{picture(imports())}\n```\n<!-- end of rooms -->"
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(re.sub(r"<!-- rooms -->.*<!-- end of rooms -->", lambda _: drawn, page, flags=re.S))
    else:
        print(drawn)


main()
