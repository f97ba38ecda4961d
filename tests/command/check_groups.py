# SPDX-License-Identifier: MIT
"""check_groups.py HELP MAN COMMAND: the help of a command shows each option once, below the heading of its group, and the
manual page has the same groups in the same order. HELP and MAN are files, COMMAND is a name. Prints what is wrong."""
import re
import sys

# One option of each group, and its group. Only groups that the command has are compared.
KNOWN = {"topology": "The machine", "method": "The method", "load": "The load", "tick": "Free timing and virtual time",
         "latency": "Costs, which virtual time and the virtual seconds of rounds are computed from",
         "stop": "Runs: how many, and when they end", "mailbox": "This computer", "plot": "Figures", "format": "Output",
         "store": "Of this command", "where": "Of this command", "strategy": "Of this command"}


def help_groups(lines):
    """Returns the heading and the options of each group of a help text, in order."""
    groups = []
    for line in lines:
        option = re.match(r"  --([a-z-]+)", line)
        if option:
            groups[-1][1].append(option[1])
        elif re.match(r"[A-Z].*:$", line):
            groups.append((line[:-1], []))
    return groups


def manual_groups(text, command):
    """Returns the same of the manual page: the command's own groups, and those of the section OPTIONS."""
    part = re.search(rf"^\.Ss {command}\n(.*?)(?=^\.S[sh] )", text, re.M | re.S)[1]
    shared = re.search(r"^\.Sh OPTIONS\n(.*?)(?=^\.Sh )", text, re.M | re.S)[1]
    listed = set(re.findall(r"^\.Op .*?Fl \\-(\S+)", part, re.M))
    groups = {}
    for block, heading in ((part, r"^\.Pp\n(.*):\n\.Bl"), (shared, r"^\.Ss (.*)\n")):
        pieces = re.split(heading, block, flags=re.M)
        for name, body in zip(pieces[1::2], pieces[2::2]):
            options = [o.replace("\\-", "-") for o in re.findall(r"^\.It .*?Fl \\-(\S+)", body, re.M)]
            groups.setdefault(name, []).extend(o for o in options if block is part or o.replace("-", "\\-") in listed)
    return groups


def main():
    lines = open(sys.argv[1]).read().split("\n")
    groups = help_groups(lines)
    options = [o for _, names in groups for o in names]
    of = {o: heading for heading, names in groups for o in names}
    for option in {o for o in options if options.count(o) > 1}:
        print(f"--{option} is shown twice")
    for option, heading in KNOWN.items():
        if option in of and of[option] != heading:
            print(f"--{option} is below '{of[option]}'")
    manual = manual_groups(open(sys.argv[2]).read(), sys.argv[3])
    for heading, names in groups:
        if sorted(manual.get(heading, [])) != sorted(names):
            print(f"{heading}: {names} in the help, {manual.get(heading)} in the manual page")
    print(len(groups), "groups")


main()
