# SPDX-License-Identifier: MIT
# Recorded runs of random experiments: every method that supports free timing, on threads and pools of 64 to 1024
# processors, with both kinds of ports, all domains, delays, faults, slow processors and workloads. Each is replayed bit
# by bit: the whole report, all final loads, and the trace. RECORDED is their number (200 by default, fewer in the
# everyday run and with sanitizers), SEED selects them.
import json
import os
import random
import tempfile

import check_replay

EXAMPLES = {"gde:L": "gde:0.6", "diffusion:A": "diffusion:0.1", "liquid:C": "liquid:c2", "nna:portion|net": "nna:net",
            "splitting:A": "splitting:1/3", "random-neighbours:M": "random-neighbours:2", "sender:C": "sender:1/(deg+1)"}
BY_LETTERS = {"steal": ("steal:random", "steal:neighbour", "steal:lifeline"), "place": ("place:random", "place:random --hops 3"),
              "central": ("central",), "gradient": ("gradient", "gradient:2:4"), "cwn": ("cwn", "cwn:4:2"),
              "initiated": ("initiated:receiver", "initiated:sender")}
ON_RINGS = ("liquid", "nna", "splitting")
PUSHED = ("adf", "odf", "diffusion", "fos", "sender")
SIDES = {64: "8x8", 256: "16x16", 1024: "32x32"}


def topology(lots, name, processors):
    if name in ON_RINGS:
        return f"ring:{processors}"
    side = SIDES[processors]
    return lots.choice([f"torus:{side}", f"mesh:{side}", f"ring:{processors}",
                        f"hypercube:{processors.bit_length() - 1}", "random:64:4"])


# Threads are expensive: with one for each processor mostly 64, and 1024 in one run of fifty.
def carried(lots, number):
    if number % 5:
        return lots.choice(list(SIDES)), f"pool:{lots.randint(1, 6)}"
    return (1024 if number % 50 == 20 else 256 if number % 15 == 10 else 64), "threads"


def draw_letters(lots, number, name):
    """A method whose processors write letters moves tasks."""
    on = f"star:{lots.choice([9, 64])}" if name == "central" else lots.choice(["torus:8x8", "ring:64", "hypercube:6", "complete:16"])
    carrier = "threads" if number % 5 == 0 else f"pool:{lots.randint(1, 6)}"
    words = ["--method", *lots.choice(BY_LETTERS[name]).split(), "--topology", on, "--carrier", carrier, "--seed",
             str(1000 + number), "--tasks", lots.choice(["queens:7", "tsp:8:3", "uts:geo:linear:6:4:2"]), "--grain",
             str(lots.choice([1, 8])), "--mailbox", lots.choice(["spsc:1", "spsc:4", "wfcq:2", "mutex:8"])]
    for chance, option, value in [(0.3, "--delay", lots.choice(["fixed:20us", "uniform:0us:60us"])),
                                  (0.3, "--detect", lots.choice(["safra", "mattern"])), (0.2, "--perturb", "0.01"),
                                  (0.2, "--slow", f"{lots.randrange(9)}:{lots.choice([2, 8])}")]:
        if lots.random() < chance:
            words += [option, value]
    if "--detect" not in words and lots.random() < 0.4:
        words += ["--faults", "link:2000,processor:100,repair:300us"]
    return words


def draw(lots, number, method):
    name = method["name"]
    if name in BY_LETTERS:
        return draw_letters(lots, number, name)
    processors, carrier = carried(lots, number)
    units = lots.choice(method["units"])
    ports = lots.choice(method["ports"])
    words = ["--method", EXAMPLES.get(method["form"], method["form"]), "--topology", topology(lots, name, processors),
             "--carrier", carrier, "--units", units, "--ports", ports, "--seed", str(1000 + number), "--stop", "never",
             "--for", f"{lots.randint(30, 150)}ms", "--operations", str(lots.choice([300, 2000, 10000])),
             "--load", lots.choice(["uniform:0:1000", f"peak:{300 * processors}"]),
             "--mailbox", lots.choice(["spsc:1", "spsc:4", "wfcq:2", "mutex:8"])]
    if method["invoke"]:
        words += ["--invoke", lots.choice(["always", "outside:300:700", "probability:0.2"])]
    if name in PUSHED and ports == "all" and lots.random() < 0.3:
        words += ["--announce", "pushed"]
    else:
        words += ["--domains", lots.choice(["overlap", "once", "exclusive"])]
    for chance, option, value in [
        (0.3, "--delay", lots.choice(["fixed:20us", "uniform:0us:60us", "exponential:15us"])),
        (0.25, "--faults", "link:2000,processor:100,repair:300us"),
        (0.3, "--slow", f"{lots.randrange(64)}:{lots.choice([2, 8, 64])}"),
        (0.2, "--perturb", "0.01"),
        (0.2, "--work", "normal:10:30:10"),
    ]:
        if lots.random() < chance:
            words += [option, value] + (["--tick", "500us"] if option == "--work" else [])
    return words


def count_of_runs():
    if "RECORDED" in os.environ:
        return int(os.environ["RECORDED"])
    everyday = int(os.environ.get("TESTS_PART", "1")) > 1
    return 6 if everyday else 25 if "asan" in check_replay.BINARY else 200


def main():
    lots = random.Random(int(os.environ.get("SEED", "1")))
    listed = json.loads(check_replay.run("list", "methods", "--format", "json")[1])["methods"]
    methods = [method for method in listed if method["free"]]
    for method in methods:
        check_replay.check(":" not in method["form"] or method["form"] in EXAMPLES or method["name"] in BY_LETTERS, f"{method['form']} has an example here")
    lots.shuffle(methods)
    turns = messages = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count_of_runs()):
            words = draw(lots, number, methods[number % len(methods)])
            then = check_replay.whole(os.path.join(folder, "run.ek"), *words)["runs"][0]
            turns += then["free"]["turns"]
            messages += then["messages"]
    print(f"{turns:,} turns and {messages:,} messages were made again")
    check_replay.end()


main()
