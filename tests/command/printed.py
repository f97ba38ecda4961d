# SPDX-License-Identifier: MIT
"""printed.py EVENKEEL FOLDER: runs many commands in the folder and prints what each prints, in every format. Times and
rates are replaced by words. Commands that race threads, whose output differs each time, are tested elsewhere."""
import json
import os
import re
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from new_lines import print_new

EVENKEEL, FOLDER = os.path.abspath(sys.argv[1]), sys.argv[2]
VERSION = subprocess.run([EVENKEEL, "version"], capture_output=True, text=True, check=True).stdout.split()[1]

# Each line is a command. A line that begins with > has a file's name and its text.
COMMANDS = r"""
theory --topology torus:4x4 --format csv
theory --topology chain:7 --method diffusion:0.3 --ports one
theory --topology hypercube:3 --method fos --work normal:9:0:9 --stop never --operations 3
theory --topology ring:8 --method twa
theory --topology ring:8 --method dde --units tokens --format json
theory --topology mesh:3x3 --method ode --stop error:0.5 --load peak:900
theory --topology star:6 --method ops --format csv
theory --topology random:12:3 --seed 3
theory --topology ring:8 --method nobody
theory --topology ring:8 --capacity semi --method sos
list --format csv
list nothing
list topology --links
list method
list load
list seed
list method --format json
list topology --format json
list tick --format json
list --links --topology star:4 --format json
list --links --topology otis(mesh:1x2)
list --links --topology hypercube:2 --format csv
explain nothing
explain torus
explain peak
explain --method
help nobody
help run --nothing
version
rank --topology ring:8 --method ade,ode,gde:0.7,adf --runs 6
rank --topology ring:8 --method ade,ode,adf --runs 6 --format csv
rank --topology ring:8 --method ade,ode,adf --runs 6 --format json
rank --topology ring:8 --method ade,ode,gde:0.7 --runs 6 --by moved
rank --topology ring:8 --method ade,ode --runs 2 --by messages
rank --topology ring:8 --method ade,ade --runs 6
rank --topology ring:8 --method ade --runs 6
rank --topology ring:8 --method adf,ade,ode,twa,diffusion:0.9 --runs 6 --steps 24
rank --topology ring:8 --method adf,ade,ode,twa --runs 6 --steps 24 --format csv
rank --topology ring:8 --method adf,ade,ode,twa,diffusion:0.9 --runs 6 --steps 24 --format json
rank --topology ring:8 --method adf,ade --runs 6 --steps 4
rank --topology ring:8 --method ade,ode --runs 6 --load peak:800
rank --topology ring:8 --method adf,ode --runs 6 --stop never --steps 9 --by variance_final
rank --topology chain:4 --method dde,twa,ade --units tokens --runs 6
rank --topology ring:6 --method ade,adf --capacity semi --runs 6
rank --topology ring:6 --method ade,adf --ports one --runs 6 --by operations
rank --topology ring:6 --method ade,adf --work constant:0=3 --runs 6 --steps 40
rank --topology ring:8 --method twa,dem --runs 2
rank --topology ring:8 --by nothing
rank --topology ring:8 --method ade --quiet --runs 2
rank --topology ring:8 --tasks queens:6 --method adf,ade,dde,none --runs 2
rank --topology ring:8 --tasks queens:6 --method adf,none --runs 1 --by most_held --format csv
run --topology ring:8 --tasks queens:7 --method adf --carrier pool:1
run --topology ring:8 --tasks queens:7 --method steal:random --carrier pool:1
run --topology ring:8 --tasks queens:7 --method place:random --hops 3 --carrier pool:1
run --topology star:5 --tasks queens:6 --method central --carrier pool:1 --format csv
rank --topology ring:8 --tasks queens:6 --method steal:neighbour,gradient,adf --runs 1 --by letter_hops
run --topology ring:8 --tasks queens:7 --method none --steps 9 --carrier pool:1
run --topology ring:8 --tasks tsp:8:1:9999 --method ade --runs 3 --carrier pool:1
run --topology ring:8 --tasks tsp:8:1 --method ade --runs 2 --steps 12 --carrier pool:1
run --topology ring:5 --tasks tsp:9:1 --method adf --runs 3 --steps 1 --carrier pool:1
run --timing virtual --topology ring:8 --tasks queens:6 --method ade --runs 2 --carrier pool:1
run --topology mesh:2x4 --tasks mandelbrot:32x32:8 --method adf --capacity semi --grain 100 --carrier pool:1
run --topology mesh:2x4 --tasks mandelbrot:60x40:8 --method adf --grain 100 --carrier pool:1 --picture
run --topology ring:8 --tasks queens:6 --picture
run --topology ring:4 --tasks bag:uniform:1:9 --load even:9 --method none --carrier pool:1 --format csv
run --topology ring:8 --tasks flowshop:7x4:1 --method adf --carrier pool:1 --format json
run --topology ring:8 --tasks queens:7 --method adf --carrier pool:1 --stop spread:1
run --topology ring:8 --tasks queens:7 --method dde --carrier pool:1
run --topology ring:4 --tasks queens:6 --working suspended --method adf --invoke probability:0.3 --steps 1000 --carrier pool:1
run --topology ring:8 --tasks uts:bin:3:0.9:2:1
run --topology ring:8 --units tasks
list tasks
> objects.csv 0,5,7\n0,3\n0,1.5,2\n0,2\n2,1\n
run --topology ring:4 --objects file:objects.csv --method ade --carrier pool:1
run --topology ring:4 --objects file:objects.csv --method odf --choose nearest --migrate end --carrier pool:1
run --topology ring:4 --objects file:objects.csv --stop imbalance:0.01 --carrier pool:1
run --topology ring:4 --objects weights:uniform:1:9 --load uniform:0:20 --runs 3 --carrier pool:1
run --topology ring:4 --objects mesh:4x4 --load peak:16 --method adf --carrier pool:1 --format json
run --topology ring:4 --objects mesh:4x4 --load peak:16 --method adf --runs 2 --carrier pool:1 --format csv
run --topology ring:4 --objects mesh:4x4 --load peak:15
run --topology ring:4 --objects mesh:4x4 --method liquid:c5
rank --topology ring:4 --objects file:objects.csv --method ade,gde:0.7,none,dde --stop imbalance:0.7
rank --topology ring:4 --objects file:objects.csv --method ade,adf --stop imbalance:0.01
rank --topology ring:4 --objects file:objects.csv --method ade,adf --by edge_cut --stop imbalance:0.7 --format csv
list objects
sweep --topology ring:4,ring:8 --tasks queens:6 --method adf,none --x processors --y speedup --plot t.svg --store t.sqlite --jobs 1
results --store t.sqlite --columns ticks,speedup,efficiency --sort efficiency
sweep --topology ring:4,ring:8 --method ade,twa --runs 3 --store a.sqlite --jobs 1
sweep --topology ring:4,ring:8 --method ade,twa --runs 4 --store a.sqlite --jobs 1
sweep --topology ring:4,ring:8 --method ade,twa --runs 4 --store a.sqlite --jobs 1 --format json
sweep --topology ring:4,ring:8 --method ade,twa --runs 4 --store a.sqlite --jobs 1 --format csv
sweep --topology ring:4,ring:8 --runs 5 --steps 9 --store b.sqlite --jobs 1
sweep --topology ring:4,ring:8 --runs 5 --steps 9 --store b.sqlite --jobs 1 --format json
sweep --topology ring:4 --method ade --again --store a.sqlite --jobs 1
sweep --topology ring:4 --method ade,ode --shard 2/2 --runs 3 --store c.sqlite --jobs 1
sweep --topology ring:4,ring:8 --method ade,ode --zip topology,method --store d.sqlite --jobs 1 --format csv
sweep --topology ring:4 --x processors --y steps --plot s.svg --method ade,ode --seed 1..5 --store e.sqlite --jobs 1
> two.ini [global]\nseed = 1..2\n[one]\ntopology = ring:4\n[two]\ntopology = ring:6\nmethod = ode\nzip = topology,method\n
sweep --file two.ini --steps 9 --print line
sweep --file two.ini --steps 9 --runs 3 --print file
> three.ini [global]\nload = peak:8\n[one]\ntopology = ring:4\n[two]\ntopology = ring:6,ring:9\nmethod = ode,ade\n
sweep --topology file:none.txt,ring:4 --method ade --runs 2 --store g.sqlite --jobs 1
sweep --file three.ini --runs 3 --print line
sweep --file three.ini --runs 3 --print file
sweep --file three.ini --stop never --steps 8,9 --seed 5..7 --print line
sweep --file three.ini --topology ring:3,ring:5 --method ade,adf --zip topology,method --print line
sweep --file two.ini --zip seed,steps --steps 8,9 --print line
sweep --file two.ini --store f.sqlite --jobs 1 --format json
> wrong.ini [one]\ntopology = ring:4\nnothing = 1\n
sweep --file wrong.ini
> wrong2.ini [one]\ntopology = ring:4\nmethod = ade, odee\n
sweep --file wrong2.ini
sweep --file two.ini --method odee
results merge m.sqlite a.sqlite b.sqlite
results merge m.sqlite a.sqlite
results merge m.sqlite m.sqlite
results merge
results --store m.sqlite --group topology,method --columns steps,operations
results --store none.sqlite
results --store e.sqlite --x processors --y steps --plot r.pdf
results --store e.sqlite --group method --columns steps --format csv
explore --topology ring:4 --method adf --load peak:40 --schedules 5 --seed 2 --jobs 1 --turns 300 --record x.ek
explore --topology ring:4 --method adf --load peak:40 --schedules 5 --seed 2 --jobs 2 --turns 300 --record x2.ek --format csv
explore --strategy exhaustive --topology chain:3 --load list:2,0,1 --units tokens --method ade --invoke outside:1:1 --jobs 1
explore --strategy exhaustive --topology chain:3 --load list:2,0,1 --units tokens --method ade --invoke outside:1:1 --jobs 1 --format json
explore --strategy exhaustive --topology chain:3 --load list:2,0,1 --units tokens --method ade --invoke outside:1:1 --jobs 1 --turns 40 --record x3.ek
explore --strategy exhaustive --topology chain:2 --operations 1
explore --topology ring:4 --method adf --strategy nothing
replay x.ek
replay x.ek --format json --final
replay x.ek --format csv
replay x.ek --until 40
replay x.ek --until 40 --format json --every 10
replay x.ek --every 50 --format csv
replay x.ek --from 1 --to 30
replay x.ek --from 250 --show 1
replay x.ek --to 60 --show 1-2
replay x.ek --show 0-2
replay x.ek --show 9
replay x.ek --overlaps
replay x.ek --overlaps --format json
replay x.ek --overlaps --until 100 --format csv
replay x.ek --timeline t.json --quiet
replay x.ek --until 20 --then random:3 --turns 90 --record y.ek
replay y.ek --from 85
replay x.ek --until 20 --then random:3 --turns 90 --format json --record y2.ek
replay x.ek --then nothing:3
replay x.ek --until 9999
replay none.ek
run --topology mesh:3x2 --method ade --steps 6 --stop never --every 2 --trace --final --format json --carrier pool:1
run --topology mesh:3x2 --method ade --runs 2 --plot p.png --quiet --carrier pool:1
run --topology mesh:4x3 --method ode --load peak:120 --heat --carrier pool:1
run --topology ring:6 --method ade --heat --carrier pool:1
run --topology mesh:3x2 --method ade --out o --quiet --carrier pool:1
show o/run.json --plot q.svg
show o/run.json --heat
show o/run.json --heat --format csv
run --topology mesh:3x2 --carrier pool:1 --runs 3 --steps 3 --format csv
run --topology mesh:3x2 --carrier pool:1 --stop never --steps 3 --seed 7
run --topology mesh:3x2 --carrier pool:1 --frames 3 --links --every 5 --trace --format json
check ade --runs 3 --seed 4
check ade --runs 3 --seed 4 --format json
check ade,odf --runs 2 --quiet
check nobody
papers --list xu-01 dde-08
papers --list dde-08 --format json
papers --list dde-08 --format csv
papers --list nothing
papers dde-08 --store p.sqlite --jobs 1
papers dde-08 --store p.sqlite --jobs 1 --format csv
papers dde-08 --store p.sqlite --jobs 1 --format json
papers dde-08 --seed 1000000001 --store p.sqlite
papers dde-08 --seed 1000000000 --store p2.sqlite --jobs 1
torture --runs 0
contention --topology ring:4 --runs 0
contention --vary nothing
report o/run.json
report --out page.html
report none.json --out page.html
run --topology mesh:3x2 --carrier pool:1 --nothing
run --steps x
run --steps -1
run --steps
run extra
run --format xml
run --seed 18446744073709551616
show
run --for 5
run --frames 0
""".strip().splitlines()

# What is written besides. A gnuplot that copies its script stands for the real one.
FILES = ("s.svg", "r.pdf", "p.png", "q.svg", "t.json", "o/trace.csv", "o/final.csv")


def own_words(text):
    """Without this computer, and the sizes of what describes it."""
    text = re.sub(r'("(processor|cores|memory_bytes)": )("[^"]*"|[0-9]+)', r"\1TIME", text)
    text = re.sub(r'"bytes": \d+', '"bytes": COUNT', text)
    text = re.sub(r"^( +recording +)[0-9.]+ [KM]?iB, compressed", r"\1SIZE, compressed", text, flags=re.MULTILINE)
    return text.replace(FOLDER, "FOLDER").replace(f'"{VERSION}"', '"VERSION"').replace(f"evenkeel {VERSION}", "evenkeel VERSION")


def normal(text):
    text = re.sub(r'("(elapsed_s|expected_s)": )("[^"]*"|[-+0-9.e]+)', r"\1TIME", own_words(text))
    text = re.sub(r'"elapsed_s": \{[^}]*\}', '"elapsed_s": TIMES', text)
    text = re.sub(r" *(>= )?\b[0-9][0-9.,]*(e[-+]\d+)? (ns|us|ms|s|min)\b", " TIME", text)
    text = re.sub(r" +time$", "  time", text, flags=re.MULTILINE)
    return re.sub(r"[0-9.,]+( million)?\s+per\s+second", "RATE per second", text)


def without_times(text):
    """CSV without its columns of times, and without hardware's."""
    lines = [line.split(",") for line in text.splitlines()]
    if not lines or "elapsed_s" not in lines[0]:
        return text
    gone = {i for i, name in enumerate(lines[0]) if name in ("elapsed_s", "workers", "barrier")}
    return "".join(",".join(cell for i, cell in enumerate(line) if i not in gone) + "\n" for line in lines)


def run(words):
    done = subprocess.run([EVENKEEL, *words], cwd=FOLDER, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env={**os.environ, "PATH": f"{FOLDER}/bin:{os.environ['PATH']}"})
    print(f"\n$ evenkeel {shlex.join(words)}: status {done.returncode}")
    shown = own_words if words[0] == "replay" and "--then" not in words else normal  # the times of a replay are those of its recording
    print_new(shown(without_times(done.stdout)))
    print_new("".join(f"! {line}\n" for line in shown(done.stderr).splitlines()))


# What contention measures. Its numbers differ each time.
CONTENTION = ("--topology ring:4,chain:3 --vary barrier,ports", "--topology ring:4 --method ade --mailbox spsc:1,mutex --ports one",
              "--topology torus:4x4 --vary topology,mailbox,ports,unpinned,barrier", "--topology chain:4 --vary unpinned --seed 7")


def contention_points():
    for options in CONTENTION:
        words = ["contention", "--carrier", "pool:1", *options.split(), "--for", "1ms", "--runs", "1", "--format", "json"]
        done = subprocess.run([EVENKEEL, *words], capture_output=True, text=True, check=False)
        print(f"\n$ evenkeel {shlex.join(words)}: status {done.returncode}")
        for point in json.loads(done.stdout)["points"]:
            print(point["base"], point["axis"], point["value"], point["command"], point["refused"])


def add_gnuplot():
    os.mkdir(f"{FOLDER}/bin")
    with open(f"{FOLDER}/bin/gnuplot", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec cat\n")
    os.chmod(file.name, 0o755)


def main():
    add_gnuplot()
    for line in COMMANDS:
        if line.startswith("> "):
            _, name, text = line.split(" ", 2)
            with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
                file.write(text.replace("\\n", "\n"))
        else:
            run(shlex.split(line))
    contention_points()
    for name in FILES:
        print(f"\n# {name}")
        with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
            print_new(normal(file.read()))


main()
