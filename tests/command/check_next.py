# SPDX-License-Identifier: MIT
"""check_next.py EVENKEEL FOLDER: every command ends its text with a line "next: evenkeel ...", and that command runs and
succeeds. Chains are followed for some commands. Each row of the table in cli/line/next.c must have been printed once."""
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from expect import end, expect

EVENKEEL, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
DEPTH = 3
TABLE = os.path.join(os.path.dirname(__file__), "..", "..", "cli", "line", "next.c")

# Each line is a command, its exit status if that is not 0, and the next command that it must name, if that is new here.
# They run in this order in one folder, since later ones read files of earlier ones.
FIRST = r"""
                                                                            => run
run --topology ring:8                                                       => rank --topology ring:8
run -t ring:8 -m ode -l peak:800 --runs 3 --steps 900 --carrier pool        => rank --topology ring:8 --load peak:800
run --topology ring:8 --load 'list:9,7,4,1,4,6,1,5' --out 'a folder'        => report 'a folder/run.json' --out 'a folder/run.html'
run --topology ring:8 --stop never --steps 9                                => rank --topology ring:8
run --topology ring:8 --steps 3                                        => 3 => explain ade
run --topology ring:8 --steps 3 --out cut                              => 3 => report cut/run.json --out cut/run.html
run --topology ring:8 --work constant:0=3 --stop never --steps 9            => theory --topology ring:8 --work constant:0=3 --stop never --steps 9
run --topology ring:8 --tasks queens:6 --method steal:random                => rank --topology ring:8 --tasks queens:6
run --topology ring:4 --objects mesh:4x4 --load peak:16                     => run --topology ring:4 --load peak:16 --objects mesh:4x4 --out placement
run --topology ring:4 --tasks queens:6 --working suspended --method adf --invoke probability:0.3 --steps 1000 => rank --topology ring:4 --tasks queens:6 --invoke probability:0.3 --working suspended --steps 1000
run --topology ring:4 --units tokens --method adf --stop neighbours:1       => rank --topology ring:4 --units tokens --stop neighbours:1
run --topology mesh:4x4 --capacity semi --method sos                        => rank --topology mesh:4x4 --capacity semi
run --topology ring:6 --timing turns --method sender:1/deg --delay fixed:2  => rank --topology ring:6 --timing turns --delay fixed:2
run --topology ring:4 --timing free --method adf --load peak:40             => run --topology ring:4 --method adf --timing free --load peak:40 --runs 10
run --topology ring:4 --timing free --method adf --runs 2 --load peak:40    => run --topology ring:4 --method adf --timing free --load peak:40 --runs 10
run --topology ring:4 --timing free --method adf --load peak:40 --record a.ek => replay a.ek --from 1 --to 9
run --topology ring:4 --timing virtual --method ade --load peak:40 --record v.ek => replay v.ek --from 1 --to 9
show 'a folder/run.json'                                                    => report 'a folder/run.json' --out 'a folder/run.html'
report 'a folder/run.json' --out page.html                                  => show 'a folder/run.json'
report a.ek --out page.html                                                 => replay a.ek --from 1 --to 9
replay a.ek                                                                 => replay a.ek --from 1 --to 9
replay a.ek --from 1 --to 3                                                 => report a.ek --out a.html
replay v.ek --every 10                                                      => replay v.ek --from 1 --to 9
replay a.ek --until 5 --then random:7 --turns 20 --record c.ek              => replay c.ek --from 1
explore --topology ring:4 --method adf --load peak:40 --schedules 5         => check adf --runs 20
explore --topology ring:4 --method adf --schedules 5 --turns 9 --record x.ek => replay x.ek --from 1
check gde:0.7 --runs 3                                                      => explain gde:0.7
check queens:5 --runs 3                                                     => run --tasks queens:5
check plugin.so --runs 2                                                    => list method --plugin plugin.so
check share:4 --runs 2 --plugin plugin.so                                   => explain share:4 --plugin plugin.so
run --plugin plugin.so --topology petersen:7:2 --method share:4             => rank --topology petersen:7:2 --plugin plugin.so
list                                                                        => explain ode
list methods                                                                => explain method
list topology                                                               => explain topology
list --links --topology random:8:3 --seed 4                                 => draw random:8:3 --seed 4
explain share --plugin plugin.so                                            => list methods --plugin plugin.so
explain ode                                                                 => run --method ode
explain topology                                                            => list topology
explain frames                                                              => help run
explain --by                                                                => help rank
explain torus                                                               => explain topology
explain gamma                                                               => theory
theory --topology mesh:4x2                                                  => rank --topology mesh:4x2
theory --topology ring:8 --stop never --operations 3                        => rank --topology ring:8
draw mesh:3x3                                                               => theory --topology mesh:3x3
draw mesh:3x3 --load peak:90 --out 'a drawing.svg'                          => theory --topology mesh:3x3 --load peak:90
torture --runs 3 --seed 7 --method ade,adf                                  => torture --method ade,adf --runs 3 --seed 10
rank --topology ring:8 --method ade,ode,adf                                 => rank --topology ring:8 --method ade,ode,adf --runs 10
rank --topology ring:8 --method ade,ode,adf --runs 6                        => run --topology ring:8 --method ode --stop variance:1 --carrier pool
rank --topology ring:8 --tasks queens:6 --method adf,none --runs 6
rank --topology ring:6 --method ade,adf --capacity semi --runs 6            => run --topology ring:6 --capacity semi --method adf --stop error:0.01 --carrier pool
rank --topology ring:8 --method ade --timing rounds,virtual --runs 6
sweep --topology ring:4,ring:8 --method ade,ode --seed 1..2 --dry-run --store a.sqlite => sweep --topology ring:4,ring:8 --method ade,ode --seed 1..2 --store a.sqlite
sweep --topology ring:4,ring:8 --method ade,ode --seed 1..2 --store a.sqlite => results --store a.sqlite
sweep --method ade --topology ring:4,ring:8 --seed 1..2 --dry-run --store a.sqlite => results --store a.sqlite
results --store a.sqlite --where 'processors<8'                             => results --store a.sqlite --where 'processors<8' --group method
results --store a.sqlite --group topology,method                            => report a.sqlite --out a.html
results --store a.sqlite --x processors --y steps                           => report a.sqlite --out a.html
results merge b.sqlite a.sqlite                                             => results --store b.sqlite
report a.sqlite --out page.html                                             => results --store a.sqlite
papers --list xu                                                            => papers xu-01
papers xu-12 --quick                                                        => papers xu-12 --quick --report papers.html
papers xu-12 --quick --report papers.html                                   => papers --list
contention --runs 1 --for 20ms --topology ring:4 --vary unpinned            => contention --topology ring:4 --for 20ms --runs 1 --vary unpinned --keep
contention --runs 1 --for 20ms --topology ring:4 --vary unpinned --keep     => run --timing virtual --host measured
doctor                                                                      => run
help                                                                        => run
help gamma                                                                  => theory
rank --help                                                                 => rank --topology torus:8x8 --runs 10
"""

# Commands whose output a program reads, or that print nothing.
SILENT = r"""
run --topology ring:8 --format json
run --topology ring:8 --format csv
run --topology ring:8 --quiet
run --topology ring:8 --method nobody
show 'a folder/run.json' --format json
show - --quiet
rank --topology ring:8 --method ade,ode --format markdown
rank --topology ring:8 --method ade,ode --format latex
rank --topology ring:8 --method ade,ode --quiet
theory --format csv
theory --format latex
list --format json
list --links --format csv
draw ring:4 --out -
results --store a.sqlite --format csv
results --store a.sqlite --format markdown
results --store a.sqlite --quiet
sweep --topology ring:4 --store a.sqlite --format json
sweep --topology ring:4 --store a.sqlite --quiet
sweep --topology ring:4 --print line
explore --topology ring:4 --method adf --load peak:40 --schedules 3 --format csv
replay a.ek --quiet
replay a.ek --every 10 --format csv
check ade --runs 2 --format json
torture --runs 1 --format json
papers --list --format json
help --man
help --completion bash
version
"""

# A computer that is too busy measures nothing, and says so.
BUSY = "this computer's costs could not be measured (one core, or too busy): nothing was kept"

done = {}  # by command: its exit status and its lines
printed = set()  # pairs of a command's name and the next command


def run(command):
    if command not in done:
        ran = subprocess.run([EVENKEEL, *shlex.split(command)], cwd=FOLDER, capture_output=True, text=True, check=False,
                             timeout=600, env={**os.environ, "XDG_DATA_HOME": os.path.abspath(FOLDER), "COLUMNS": ""})
        done[command] = ran.returncode, ran.stdout.splitlines(), ran.stderr
    return done[command]


def next_of(command):
    """The next command, where exactly the last line names one; else None."""
    lines = run(command)[1]
    named = [line for line in lines if line.startswith("next: ")]
    expect(f"{command}: one next command, on the last line", named, lines[-1:] if named else [])
    if not named:
        return None
    expect(f"{command}: what next begins with", True, named[0].startswith("next: evenkeel "))
    line = named[0].removeprefix("next: evenkeel ")
    words = shlex.split(command)
    printed.add(("help" if "--help" in words or not words else words[0], line))
    return line


def follow(command, depth):
    following = next_of(command)
    for _ in range(depth):
        if following is None or following in done:
            return
        status, _, error = run(following)
        expect(f"{command}: what is next succeeds: {following}: {error[-300:]}", 2 if BUSY in error else 0, status)
        following = next_of(following)


def check_first():
    for line in FIRST.strip("\n").splitlines():
        command, *rest = [part.strip() for part in line.split("=>")]
        wanted = rest.pop() if rest else None
        if BUSY in run(command)[2]:
            print(f"skipped: {command}: {BUSY}")
            printed.add((command.split()[0], wanted))
            continue
        expect(f"{command}: status", int(rest[0]) if rest else 0, run(command)[0])
        if wanted is not None:
            expect(f"{command}: next", wanted, next_of(command))
        follow(command, DEPTH)


def check_each_word():
    """What each term, method and command's help names succeeds."""
    with open(os.path.join(os.path.dirname(TABLE), "glossary.c"), encoding="utf-8") as file:
        terms = re.findall(r'^    \{"([a-z-]+)"', file.read(), re.M)
    expect("terms", True, len(terms) > 20)
    commands = re.findall(r"^  ([a-z]+) +[A-Za-z.\[\] ]{10}", "\n".join(run("help")[1]), re.M)
    expect("commands", True, len(commands) > 15)
    for command in [*(f"explain {term}" for term in terms), *(f"help {name}" for name in commands)]:
        expect(f"{command}: something is next", True, next_of(command) is not None)
        follow(command, 1)


def check_silent():
    for command in SILENT.strip().splitlines():
        status, lines, error = run(command)
        expect(f"{command}: it ran", command.endswith(("nobody", "show - --quiet")) is False, status == 0)
        expect(f"{command}: nothing is next", [], [line for line in [*lines, *error.splitlines()] if "next: " in line])


def check_rows():
    """Each row of the table has been printed."""
    with open(TABLE, encoding="utf-8") as file:
        rows = re.findall(r'\.after = "([a-z]+)",\s*\.line = "([^"]*)"', file.read())
    expect("rows", True, len(rows) > 40)
    for after, line in rows:
        pattern = " ".join(line.split())
        pattern = re.sub(r" ?\\\{[^}]*\\\}", ".*", re.escape(pattern).replace(r"\ ", " "))
        found = [following for name, following in printed if name == after and re.fullmatch(pattern, following)]
        expect(f"after {after}, {line}: printed", True, bool(found))


check_first()
check_each_word()
check_silent()
check_rows()
end()
