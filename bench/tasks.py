#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast the machine executes tasks: the tree T1 of the unbalanced tree search on two workers, beside the same tree in
C without a machine (peers/uts.c). All programs take turns, and each ratio is the median over the turns.

usage: bench/tasks.py [SAMPLES]; EVENKEEL is the command (build/evenkeel)
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
SAMPLES = int(sys.argv[1]) if len(sys.argv) > 1 else 5
NODES = 4130071
STEALING = ["--timing", "free", "--carrier", "pool:2", "--grain", "64"]
FREE = [*STEALING, "--invoke", "below:2"]
MACHINES = [
    ("free timing, chain:2, ade", [*FREE, "--topology", "chain:2", "--method", "ade"]),
    ("free timing, torus:8x8, ade", [*FREE, "--topology", "torus:8x8", "--method", "ade"]),
    ("free timing, torus:8x8, adf", [*FREE, "--topology", "torus:8x8", "--method", "adf"]),
    ("free timing, chain:2, steal:neighbour", [*STEALING, "--topology", "chain:2", "--method", "steal:neighbour"]),
    ("free timing, torus:8x8, steal:neighbour", [*STEALING, "--topology", "torus:8x8", "--method", "steal:neighbour"]),
    ("free timing, torus:8x8, steal:lifeline", [*STEALING, "--topology", "torus:8x8", "--method", "steal:lifeline"]),
    ("free timing, complete:64, steal:random", [*STEALING, "--topology", "complete:64", "--method", "steal:random"]),
    ("rounds, torus:16x16, liquid:c4", ["--carrier", "pool:2", "--topology", "torus:16x16", "--method", "liquid:c4"]),
    ("rounds, torus:128x128, ade", ["--carrier", "pool:2", "--topology", "torus:128x128", "--method", "ade"]),
]


def peer(program, threads):
    out = subprocess.run([program, str(threads)], stdout=subprocess.PIPE, check=True).stdout.decode()
    said = dict(word.split("=") for word in out.split())
    assert int(said["nodes"]) == NODES, out
    return float(said["seconds"])


def machine(words):
    out = subprocess.run([EVENKEEL, "run", "--tasks", "uts:t1", "--format", "json", *words], stdout=subprocess.PIPE,
                         check=True).stdout
    run = json.loads(out)["runs"][0]
    assert run["executed"] == NODES and run["ended"] == "done", out
    return run.get("done_s") or run["elapsed_s"], run["efficiency"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "uts")
        subprocess.run(["cc", "-O2", "-o", program, os.path.join(HERE, "peers", "uts.c"), "-lnettle", "-lm", "-pthread"],
                       check=True)
        serial, two, ours = [], [], {name: [] for name, _ in MACHINES}
        for _ in range(SAMPLES):
            serial.append(peer(program, 1))
            two.append(peer(program, 2))
            for name, words in MACHINES:
                ours[name].append(machine(words))
    print("| machine | speed / serial C | speed / two stealing threads | efficiency |")
    print("|---|---|---|---|")
    print("| C, one thread | 1 | | |")
    print("| C, two threads that steal | %.2f | 1 | |" % statistics.median(s / t for s, t in zip(serial, two)))
    for name, _ in MACHINES:
        times = [seconds for seconds, _ in ours[name]]
        print("| %s | %.2f | %.2f | %.3f |" % (name, statistics.median(s / t for s, t in zip(serial, times)),
                                             statistics.median(s / t for s, t in zip(two, times)),
                                             statistics.median(e for _, e in ours[name])))


if __name__ == "__main__":
    main()
