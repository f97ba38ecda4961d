# SPDX-License-Identifier: MIT
"""check_live_keys.py EVENKEEL FOLDER: the speed of `evenkeel run --live`, and its keys: what they do to the run, and how
they leave the terminal."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from expect import end, expect
from screen import Terminal

EVENKEEL, FOLDER = sys.argv[1:]
CHAIN = ("--topology", "chain:40", "--load", "peak:4000", "--stop", "never", "--steps", "60")
VIRTUAL = ("--timing", "virtual", "--topology", "torus:4x4", "--method", "ade", "--load", "peak:1600")
ENDLESS = ("--topology", "chain:40", "--method", "ade", "--load", "peak:4000", "--stop", "never", "--steps", "1000000000")
RIGHT = "\x1b[C"


def plain(*words):
    return [EVENKEEL, "run", "--carrier", "pool:1", *words]


def begin(*words, rows=24):
    terminal = Terminal(plain("--live", *words), 100, rows, f"{FOLDER}/err", LC_ALL="C", NO_COLOR="1")
    return terminal


def step_of(screen):
    found = re.search(r"^run  .*, step ([0-9,]+), ", "\n".join(screen.text()), re.M)
    return int(found[1].replace(",", "")) if found else -1


def clock_of(screen):
    found = re.search(r"^clock +(.*?) of virtual time", "\n".join(screen.text()), re.M)
    return found[1] if found else None


def speed_of(screen):
    """The line about the speed, only where the picture is whole."""
    text = screen.text()
    return text[-1] if text and text[-1].startswith("speed  ") else ""


def paused(screen):
    return ", paused; space go on" in speed_of(screen)


def pause(terminal, name):
    """Presses the space bar after the first step, and returns the step at which the run is paused."""
    expect(f"{name}: it begins", True, terminal.until(lambda screen: speed_of(screen) != "" and step_of(screen) > 0))
    expect(f"{name}: a key needs no Enter and is not shown", False, terminal.is_cooked())
    terminal.press(" ")
    expect(f"{name}: it is paused", True, terminal.until(paused))
    return step_of(terminal.screen)


def steps_drawn(terminal):
    return [int(step.replace(",", "")) for step in re.findall(r"run +1 of 1, step ([0-9,]+), ", terminal.written)]


def ends(terminal, name, status):
    """It ends so, and the terminal has its settings back."""
    found = terminal.wait()
    expect(f"{name}: status", status, found)
    expect(f"{name}: the terminal's settings", True, terminal.cooked)


def results(folder):
    """What a run computed, without its times of this computer."""
    with open(f"{folder}/run.json", encoding="utf-8") as file:
        record = json.load(file)
    del record["command"]
    for run in record["runs"]:
        del run["elapsed_s"]
    for name in [name for name in record["summary"] if name == "elapsed_s"]:
        del record["summary"][name]
    return record


def check_same(name, words, keys, until):
    """A run that was paused and stepped gives what one gives that is not shown."""
    subprocess.run([*plain(*words), "--out", f"{FOLDER}/{name} plain"], capture_output=True, check=False)
    terminal = begin(*words, "--out", f"{FOLDER}/{name} shown")
    expect(f"{name}: it begins", True, terminal.until(lambda screen: speed_of(screen) != ""))
    for key in keys:
        terminal.press(key)
        expect(f"{name}: after {key!r}", True, terminal.until(until[key]))
    terminal.press("++++++++++++++++ ")
    ends(terminal, name, 0)
    expect(f"{name}: the same results", results(f"{FOLDER}/{name} plain"), results(f"{FOLDER}/{name} shown"))


def check_same_results():
    until = {" ": paused, "n": paused}
    check_same("rounds", CHAIN, (" ", "n", "n"), until)
    check_same("turns", ("--timing", "turns", *CHAIN, "--method", "adf"), (" ", "n", "n"), until)
    check_same("virtual", VIRTUAL, (" ", "n", "n"), until)


def check_keys():
    """Each key. A paused run that steps draws each of its states once."""
    terminal = begin(*CHAIN, "--speed", "4steps/s")
    step = pause(terminal, "keys")
    for key in ("n", ".", RIGHT, "n"):
        terminal.press(key)
        step += 1
        expect(f"key {key!r}: one step", True, terminal.until(lambda screen: paused(screen) and step_of(screen) == step))
    terminal.press("nn")
    expect("two steps", True, terminal.until(lambda screen: paused(screen) and step_of(screen) == step + 2))
    terminal.press("xyz\x1b[A\x1b[3~")
    for key, speed in (("+", "8 steps/s"), ("=", "16 steps/s"), ("-", "8 steps/s"), ("-", "4 steps/s"), ("_", "2 steps/s")):
        terminal.press(key)
        shown = f"speed      {speed}, paused; space go on, n step, + faster, - slower, q quit"
        expect(f"key {key}: {speed}", True, terminal.until(lambda screen: speed_of(screen) == shown))
    expect("other keys change nothing", step + 2, step_of(terminal.screen))
    terminal.press(" ")
    expect("it goes on", True, terminal.until(lambda screen: not paused(screen) and step_of(screen) > step + 2))
    terminal.press("n")
    expect("a step of a run that goes on pauses it", True, terminal.until(paused))
    drawn = steps_drawn(terminal)
    expect("no step is left out", [], [b for a, b in zip(drawn, drawn[1:]) if b not in (a, a + 1)])
    terminal.press("q")
    ends(terminal, "keys", 3)


def check_end(name, act, status, report=True):
    """A paused run ends at once, at the step that is shown."""
    terminal = begin(*ENDLESS)
    step = pause(terminal, name)
    act(terminal)
    ends(terminal, name, status)
    text = terminal.screen.text()
    if report:
        expect(f"{name}: the report comes first", True, text[0].startswith("  topology   "))
        expect(f"{name}: it ended at the step that was shown", True, any(f", {step} steps, " in line for line in text))
        expect(f"{name}: why", 1, text.count("  why        interrupted"))


def check_ends():
    check_end("q", lambda terminal: terminal.press("q"), 3)
    check_end("Ctrl-C", lambda terminal: terminal.press("\x03"), 3)
    check_end("SIGTERM", lambda terminal: terminal.kill(signal.SIGTERM), 3)
    check_end("Ctrl-\\", lambda terminal: terminal.press("\x1c"), -signal.SIGQUIT, False)
    check_end("a crash", lambda terminal: terminal.kill(signal.SIGSEGV), -signal.SIGSEGV, False)


def check_second_interrupt():
    """Ctrl-S keeps the program from writing its report, so the second Ctrl-C ends it."""
    terminal = begin(*ENDLESS)
    pause(terminal, "twice Ctrl-C")
    terminal.press("\x13")
    terminal.kill(signal.SIGINT)
    time.sleep(0.5)  # a second signal that comes sooner counts as the first
    terminal.kill(signal.SIGINT)
    ends(terminal, "twice Ctrl-C", -signal.SIGINT)


def check_limit():
    """--for ends a paused run."""
    terminal = begin(*ENDLESS, "--for", "8s")
    step = pause(terminal, "--for")
    ends(terminal, "--for", 0)
    expect("--for: the step that was shown", True, any(f", {step} steps, " in line for line in terminal.screen.text()))


def waited(terminal):
    """The line about a slow run, and how many seconds it says."""
    told = [line for line in terminal.screen.text() if line.startswith("live: ")]
    found = re.fullmatch(r"live: the run waited ([0-9.]+ m?s) to be watched; --live --speed max shows it at full speed", "".join(told))
    seconds = found and float(found[1].split()[0]) / (1000 if found[1].endswith("ms") else 1)
    return len(told), seconds


def check_waited():
    """A run that waited says so below its report, before the next command; pauses do not count."""
    began = time.monotonic()
    terminal = begin(*CHAIN[:-1], "6", "--speed", "4steps/s")
    pause(terminal, "waited")
    time.sleep(3)
    terminal.press(" ")
    ends(terminal, "waited", 0)
    lines, seconds = waited(terminal)
    expect("waited: one line", (1, True), (lines, bool(seconds)))
    expect("waited: without the pause", True, 0 < (seconds or 0) < time.monotonic() - began - 3)
    expect("waited: where", ["live", "next"], [line.split(":")[0] for line in terminal.screen.text()[-2:]])
    for words in (("--speed", "max"), ("--speed", "max", "--runs", "2")):
        terminal = begin(*CHAIN[:-1], "6", *words)
        ends(terminal, "not slowed", 0)
        expect(f"{words}: nothing was slowed", (0, None), waited(terminal))
    terminal = begin(*CHAIN[:-1], "6", "--speed", "20steps/s", "--format", "csv")
    ends(terminal, "slow, CSV", 0)
    expect("CSV has no such line", (0, None), waited(terminal))


def check_default():
    """Without --speed every state of a short run is drawn; the speed doubles after 15 steps."""
    words = ("--topology", "torus:8x8", "--method", "ode", "--load", "peak:6400")
    terminal = begin(*words)
    expect("default: slow at first", True, terminal.until(lambda screen: "5 steps/s;" in speed_of(screen)))
    expect("default: step 14 at the latest", True, step_of(terminal.screen) < 15)
    ends(terminal, "default", 0)
    drawn = steps_drawn(terminal)
    expect("default: each step", list(range(25)), sorted(set(drawn)))
    speeds = re.findall(r"step ([0-9]+), (?:.*\n)*?speed +([0-9]+) steps/s", terminal.written.replace("\r", ""))
    wanted = {step: 5 if step < 15 else 10 for step in range(25)}
    expect("default: the speed of each step", wanted, {int(step): int(speed) for step, speed in speeds})


def check_slow():
    """A run is never faster than its speed; 20 ms are lost to rounding of the time that is shown."""
    terminal = begin(*CHAIN, "--speed", "40steps/s")
    ends(terminal, "40 steps/s", 0)
    told = re.findall(r"step ([0-9]+), ([0-9.]+) s", terminal.written)
    expect("40 steps/s: many pictures", True, len(told) > 20)
    expect("40 steps/s: none is early", [], [(a, b) for a, b in told if int(a) > 40 * (float(b) + 0.05 + 0.05)])


def check_virtual_pace():
    terminal = begin(*VIRTUAL, "--speed", "20us/s")
    expect("virtual: the speed", True, terminal.until(lambda screen: speed_of(screen).startswith("speed      20 us/s; space pause")))
    ends(terminal, "virtual", 0)
    told = re.findall(r"operations [0-9,]+, ([0-9.]+) s\nclock +([0-9.]+) us of", terminal.written.replace("\r", ""))
    expect("virtual: some pictures", True, len(told) > 5)
    first = float(told[0][1])
    early = [(a, b) for a, b in told if float(b) - first > 20 * (float(a) + 0.05 + 0.05) + 0.1]
    expect("virtual: none is early", [], early)


def check_virtual_steps():
    """A step goes to the next row of the trace."""
    line = [*plain(*VIRTUAL), "--trace", "--format", "json"]
    rows = json.loads(subprocess.run(line, capture_output=True, check=False).stdout)["runs"][0]["trace"]
    times = [f"{1e6 * row['time']:.3g} us" for row in rows]
    terminal = begin(*VIRTUAL, "--speed", "2us/s", rows=40)
    expect("virtual step: it begins", True, terminal.until(lambda screen: speed_of(screen) != ""))
    terminal.press(" ")
    expect("virtual step: paused", True, terminal.until(paused))
    expect("virtual step: it says so twice", True, "of virtual time, paused" in "\n".join(terminal.screen.text()))
    at = times.index(clock_of(terminal.screen))
    for row in range(at + 1, at + 6):
        terminal.press("n")
        expect("virtual step: the next row", True, terminal.until(lambda screen: clock_of(screen) == times[row]))
    terminal.press("q")
    ends(terminal, "virtual step", 3)


def check_last_step():
    """A run that is stepped to its end shows its last state until the next key."""
    terminal = begin(*CHAIN[:-1], "6", "--speed", "2steps/s")
    step = pause(terminal, "last step")
    terminal.press("n" * (6 - step))
    expect("last step: it is shown", True, terminal.until(lambda screen: paused(screen) and step_of(screen) == 6))
    terminal.press("n")
    ends(terminal, "last step", 0)
    for _ in range(20):  # a busy machine may let the moment pass in which the last picture of a run stays
        terminal = begin(*CHAIN[:-1], "2", "--speed", "1steps/s")
        terminal.until(lambda screen: step_of(screen) == 2)
        terminal.press(" ")
        if terminal.until(paused):
            break
        terminal.wait()
    expect("last step: the space bar keeps it", True, paused(terminal.screen))
    terminal.press(" ")
    ends(terminal, "last step", 0)


def check_stop():
    """Ctrl-Z gives the terminal back, fg takes it again. The shell, which starts jobs, changes no settings."""
    script = f"{' '.join(plain('--live', *ENDLESS))} --speed 4steps/s; stty -a; fg; echo status $?; stty -a"
    terminal = Terminal(["/bin/sh", "-mc", script], 100, 24, f"{FOLDER}/err", LC_ALL="C", NO_COLOR="1")
    pause(terminal, "Ctrl-Z")
    terminal.press("\x1a")
    shown = lambda count, word: lambda screen: sum(re.search(rf"(^| ){word}( |$)", line) is not None for line in screen.text()) == count
    expect("Ctrl-Z: the settings of the stopped job", True, terminal.until(shown(1, "icanon")))
    expect("Ctrl-Z: all of them", True, terminal.until(shown(1, "echo")))
    expect("fg: the picture is drawn again", True, terminal.until(paused))
    terminal.press("q")
    expect("fg: keys again", True, terminal.until(shown(1, "status 3")))
    terminal.wait()
    expect("fg: the settings at the end", True, shown(2, "icanon")(terminal.screen) and shown(2, "echo")(terminal.screen))


def check_no_keys():
    """Standard input is no terminal."""
    script = f"{' '.join(plain('--live', *CHAIN))} </dev/null"
    terminal = Terminal(["/bin/sh", "-c", script], 100, 24, f"{FOLDER}/err", LC_ALL="C", NO_COLOR="1")
    expect("no keys: slow all the same", True, terminal.until(lambda screen: speed_of(screen) == "speed      5 steps/s"))
    expect("no keys: the settings stay", True, terminal.is_cooked())
    expect("no keys: status", 0, terminal.wait())


def check_free():
    words = ("--timing", "free", "--topology", "torus:4x4", "--method", "adf", "--stop", "never", "--for", "1h")
    terminal = Terminal([EVENKEEL, "run", "--live", *words], 100, 24, f"{FOLDER}/err", LC_ALL="C", NO_COLOR="1")
    expect("free: the key", True, terminal.until(lambda screen: screen.text()[-1:] == ["keys       q quit"]))
    terminal.press(" n-q")
    ends(terminal, "free", 3)


CHECKS = (
    check_virtual_pace, check_limit, check_no_keys, check_waited, check_default, check_last_step, check_ends, check_slow,
    check_keys, check_virtual_steps, check_second_interrupt, check_stop, check_same_results, check_free,
)


def main():
    """All at a time, the longest first, because a run that is watched waits for most of the time."""
    with ThreadPoolExecutor(len(CHECKS)) as threads:
        begun = [threads.submit(check) for check in CHECKS]
    for one in begun:
        one.result()
    end()


main()
