# SPDX-License-Identifier: MIT
"""Curves of evenkeel, measured by itself: a sweep into a store (plots.ini), and of each question to it a picture, the
numbers as CSV and a table. Memory, which no report has, is taken from the system, for the same sizes."""
import argparse
import csv
import glob
import io
import os
import shlex
import subprocess
import sys

import page

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))
import peers  # noqa: E402

EVENKEEL = peers.EVENKEEL
NS = "1000000000*elapsed_s/steps/processors"  # a processor-round
SIZES = "timing=rounds and topology~torus and (workers<=2 or carrier=threads)"
FIGURES = [  # name, which runs, x, y, logarithmic axes, a line for each of these
    ("size", SIZES, "processors", NS, "xy", "carrier"),
    ("workers", "timing=rounds and topology='torus:256x256' and carrier~pool", "workers", NS, "xy", "topology"),
    ("degree", "topology~random", "degree_max", NS, "xy", "carrier"),
    ("link", "topology~random", "degree_max", f"{NS}/degree_max", "xy", "carrier"),
    ("delay", "timing=free", "free.delay_asked.mean", "messages/elapsed_s", "xy", "carrier"),
]


def evenkeel(*words):
    return subprocess.run([EVENKEEL, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def figure(folder, store, name, where, x, y, log, group):
    """Draws a picture and writes a page of CSV; returns the table with the command that asks for it."""
    words = ["results", "--store", store, "--where", where, "--x", x, "--y", y, "--group", group]
    plot = ["--log", log, "--plot", f"{folder}/{name}.png", "--plot-script", f"{folder}/{name}.gp"]
    with open(f"{folder}/{name}.csv", "w", encoding="utf-8") as file:
        file.write(evenkeel(*words, "--format", "csv"))
    return fenced(name, "$ evenkeel " + " ".join(map(shlex.quote, words)), evenkeel(*words, *plot))


def fenced(name, *lines):
    return "\n".join([f"### {name}", "", "```", *(line.rstrip() for line in lines), "```"])


def sizes(store):
    """The topologies and carriers of the figure of sizes."""
    text = evenkeel("results", "--store", store, "--where", SIZES, "--group", "processors,topology,carrier",
                    "--columns", "workers", "--format", "csv")
    return [(int(float(line["processors"])), line["topology"], line["carrier"])
            for line in csv.DictReader(io.StringIO(text))]


def memory_of(topology, carrier):
    """Bytes at most of a run of a few rounds."""
    words = [EVENKEEL, "run", "--topology", topology, "--carrier", carrier, "--method", "adf", "--stop", "never",
             "--steps", "3", "--no-flows", "--quiet"]
    status, most = peers.finished(words, subprocess.DEVNULL, None)
    if status != 0:
        sys.exit(f"no memory measured: {' '.join(words)} ended with status {status}")
    return most


def memory(folder, store):
    rows = [(carrier, processors, memory_of(topology, carrier)) for processors, topology, carrier in sizes(store)]
    carriers = sorted({carrier for carrier, _, _ in rows})
    with open(f"{folder}/memory.csv", "w", encoding="utf-8") as file:
        print("carrier,processors,bytes", file=file)
        for row in rows:
            print(*row, sep=",", file=file)
    data = "\n\n\n".join(f'"{carrier}"\n' + "\n".join(f"{n} {most}" for own, n, most in rows if own == carrier)
                         for carrier in carriers)
    script = f"""set terminal pngcairo size 1000,600
set output "{folder}/memory.png"
set logscale xy
set key left top
set xlabel "processors"
set ylabel "bytes at most, of the whole command"
$sizes << EOD
{data}
EOD
plot for [block=0:{len(carriers) - 1}] $sizes index block using 1:2 with linespoints title columnheader(1)
"""
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    return fenced("memory", *(f"  {carrier:10} {n:>12,} {most:>16,} bytes" for carrier, n, most in sorted(rows)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sheet", default="bench/plots.ini", help="what is measured [bench/plots.ini]")
    parser.add_argument("--folder", default="build/plots", help="where all goes that is made [build/plots]")
    parser.add_argument("--into", default="", help="a page whose tables these replace: bench/RESULTS.md")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    store = f"{options.folder}/plots.sqlite"
    for old in glob.glob(f"{store}*"):  # other runs, or those of an older version, would be taken for what is asked for
        os.remove(old)
    subprocess.run([EVENKEEL, "sweep", "--file", options.sheet, "--store", store, "--jobs", "1"], check=True)
    made = page.machine("make bench-plots")
    text = "\n\n".join([made, *(figure(options.folder, store, *each) for each in FIGURES),
                        memory(options.folder, store)])
    print(text)
    if options.into:
        page.put(options.into, "bench-plots", text)


if __name__ == "__main__":
    main()
