# SPDX-License-Identifier: MIT
"""live.py EVENKEEL FOLDER: `evenkeel run --live` in terminals of several kinds. What a picture shows of a step is held
against the report of a run that ends there, and what is left on the terminal against a run without --live."""

import json
import math
import os
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from expect import end, expect
from screen import Terminal

EVENKEEL, FOLDER = sys.argv[1:]
RAMP = ".:-=+*x#%@"
COLOURS = [17, 18, 54, 90, 126, 161, 197, 208, 220, 229]


def run(*words):
    """A run that is shown, at full speed unless `words` name another."""
    return [EVENKEEL, "run", "--carrier", "pool:1", "--live", *(() if "--speed" in words else ("--speed", "max")), *words]


def plain(*words):
    """The same run, not shown."""
    return [EVENKEEL, "run", "--carrier", "pool:1", *words]


def report(words, steps):
    """Of the same run, ended after so many steps: the first and the last of them."""
    line = [*plain(*words), "--steps", str(steps), "--final", "--trace", "--every", str(steps), "--format", "json"]
    return json.loads(subprocess.run(line, capture_output=True, check=False).stdout)


def number(text):
    return float(text.replace(",", ""))


def labelled(text):
    """The lines with labels, as {label: rest}."""
    return dict(line.split(None, 1) for line in text if re.match(r"(run|clock|variance|theory|messages|loads|busy)  ", line))


def whole(screen):
    """A picture that is all there, of some step, with a curve."""
    text = "\n".join(screen.text())
    return re.search(r"step [1-9].*\n(.*\n)*.*\+-+\n +step 0 +step [1-9][0-9,]*\nspeed .*$", text)


def shade(load, low, high):
    equal = not high - low > 1e-6 * max(abs(low), abs(high))
    return min(int(10 * (0.5 if equal else (load - low) / (high - low))), 9)


def close(wanted, found):
    """To the six digits that are shown."""
    return math.isclose(wanted, found, rel_tol=6e-6)


def check_numbers(name, shown, told):
    run_told = told["runs"][0]
    row = run_told["trace"][-1]
    expect(f"{name}: variance", True, close(row["variance"], number(shown["variance"])))
    messages, pace = shown["messages"].removesuffix("/s").split(", ")
    expect(f"{name}: messages", run_told["messages"], number(messages))
    low, high = map(number, shown["loads"].split(" to "))
    expect(f"{name}: loads", True, close(row["minimum"], low) and close(row["maximum"], high))
    seconds = number(shown["run"].split(", ")[-1].removesuffix(" s"))
    # Since the last picture, when a busy machine may have had more or less for it: but it is messages, and it is seconds.
    expect(f"{name}: a pace", True, 0.02 < number(pace) * (seconds + 0.1) / number(messages) < 50)


def check_theory(name, shown, told, colours):
    row = told["runs"][0]["trace"]
    gamma = told["theory"]["gamma_exact"]
    wanted = row[0]["variance"] * gamma ** (2 * row[-1]["step"] / colours)
    expect(f"{name}: theory", True, math.isclose(wanted, number(shown["theory"]), rel_tol=1e-4))


def map_of(lines, across, down):
    return [line[2 : 2 + 2 * across] for line in lines[:down]]


def check_rounds(name, words, columns, rows, grid, theory, colour):
    """The picture of some step."""
    variables = {"LC_ALL": "C"} if colour else {"LC_ALL": "C", "NO_COLOR": "1"}
    terminal = Terminal(run(*words), columns, rows, **variables)
    expect(f"{name}: it is drawn", True, terminal.until(whole))
    terminal.cut()
    screen = terminal.screen
    text = screen.text()
    shown = labelled(text)
    step = int(number(shown["run"].split(", ")[1].split()[1]))
    told = report(words, step)
    check_numbers(name, shown, told)
    expect(f"{name}: tasks are none of it", False, "busy" in shown)
    if theory:
        check_theory(name, shown, told, theory)
    else:
        expect(f"{name}: no theory", False, "theory" in shown or "theory" in "\n".join(text))
    final = told["runs"][0]["final"]
    low, high = min(final), max(final)
    first = next(i for i, line in enumerate(text) if line.startswith("loads")) + 1
    for y, processors in enumerate(grid):
        for x, members in enumerate(processors):
            wanted = shade(sum(final[p] for p in members) / len(members), low, high)
            character, style = screen.lines[first + y][2 + 2 * x]
            found = COLOURS.index(int(style.split(";")[2])) if colour else RAMP.index(character)
            expect(f"{name}: the cell {x}, {y} of step {step}", wanted, found)
    said = "  dark = low load" if colour else "  . = low, @ = high"
    square = round(math.sqrt(max(len(members) for members in grid[0])))
    expect(f"{name}: what a cell is", said + (f", {square}x{square} per cell" if square > 1 else ""), text[first + len(grid)])
    expect(f"{name}: the curve ends there", f"step {step:,}", text[-2].split("   ")[-1].strip())
    expect(f"{name}: the curve is as wide as the terminal", columns - 1, len(text[-3]))
    expect(f"{name}: no line is too long", 0, screen.wrapped)
    expect(f"{name}: nor are there too many", True, len(text) < rows)
    expect(f"{name}: the cursor is below it", (0, len(text)), (screen.x, screen.y))
    expect(f"{name}: nothing strange is written", [], screen.strange)


def squares(across, down, size):
    """The processors of each cell, of so many across it."""
    return [
        [
            [y * across + x for y in range(top, min(top + size, down)) for x in range(left, min(left + size, across))]
            for left in range(0, across, size)
        ]
        for top in range(0, down, size)
    ]


def lines_of(processors, across):
    return [[[p] for p in range(row, min(row + across, processors))] for row in range(0, processors, across)]


ENDLESS = ("--stop", "never", "--for", "60s")  # a busy machine may let the first picture wait for seconds
LONG = ("--method", "ade", "--load", "uniform:0:1000", *ENDLESS)
WORKING = ("--load", "uniform:0:1000", "--work", "normal:5:5:5", "--stop", "never")
SLOW = ("--topology", "chain:200", *LONG)


def check_end(name, words, status, act=None, stopped=False, **variables):
    """What is left is what a run without --live leaves, but for its times."""
    terminal = Terminal(run(*words), 80, 24, f"{FOLDER}/err", LC_ALL="C", **variables)
    expect(f"{name}: it is drawn", True, terminal.until(whole))
    if act:
        act(terminal)
    found = terminal.wait()
    expect(f"{name}: status", status, found)
    text = terminal.screen.text()
    expect(f"{name}: the report comes first", True, text[:1] and text[0].startswith("  topology   "))
    expect(f"{name}: it is whole", 1, sum(line.startswith("  stop       ") for line in text))
    expect(f"{name}: nothing is left of a picture", {}, labelled(text))
    expect(f"{name}: nor of its colours", "", terminal.screen.style)
    expect(f"{name}: nothing strange is written", [], terminal.screen.strange)
    return text


def check_stop_and_go():
    """Stopped, and fg: the next picture stands below what was written meanwhile."""
    terminal = Terminal(run(*SLOW), 80, 24, LC_ALL="C")
    expect("before it is stopped", True, terminal.until(whole))
    terminal.stop(whole)
    before = terminal.screen.text()
    terminal.screen.feed("[1]+  Stopped\r\n")
    terminal.kill(signal.SIGCONT)
    again = lambda screen: whole(screen) and len(screen.text()) > len(before) + 2
    expect("it goes on", True, terminal.until(again))
    text = terminal.screen.text()
    expect("what stood there stands", [*before, "[1]+  Stopped"], text[: len(before) + 1])
    pictures = lambda lines: sum(line.startswith("run  ") for line in lines)
    expect("one new picture is below", pictures(before) + 1, pictures(text))
    terminal.cut()


def check_resize():
    terminal = Terminal(run(*SLOW), 100, 40, LC_ALL="C")
    expect("a wide one", True, terminal.until(whole))
    terminal.resize(40, 24)
    narrow = lambda screen: whole(screen) and max(map(len, screen.text())) < 40
    expect("a narrow one", True, terminal.until(narrow))
    expect("alone", 1, sum(line.startswith("run  ") for line in terminal.screen.text()))
    terminal.cut()


def check_free():
    words = ["--topology", "torus:4x4", "--timing", "free", "--method", "adf", *ENDLESS]
    terminal = Terminal(run(*words), 80, 40, LC_ALL="C", NO_COLOR="1")
    drawn = lambda screen: re.search(r"messages +[1-9][0-9,]*, [1-9].*\n(.*\n)+ +[0-9.]+ [um]s +[0-9.]+ m?s\n(speed|keys) .*$", "\n".join(screen.text()))
    expect("free: it is drawn", True, terminal.until(drawn))
    shown = labelled(terminal.screen.text())
    low, high = map(number, shown["loads"].split(" to "))
    operations = number(re.search(r"operations ([0-9,]+)", shown["run"])[1])
    messages = number(shown["messages"].split(", ")[0])
    variance = number(shown["variance"])
    # The variance of 16 loads between these, and messages of operations with four neighbours.
    expect("free: a variance that there can be", True, (high - low) ** 2 / 2 - 1e-6 <= variance <= 4 * (high - low) ** 2 + 1e-6)
    expect("free: as many messages as operations need", True, operations <= messages <= 40 * operations + 400)
    expect("free: no theory", False, "theory" in shown)
    terminal.kill(signal.SIGINT)
    expect("free: status", 3, terminal.wait())


def check_virtual():
    """The picture of some moment, against the row of the trace of a run that ends then."""
    words = ["--topology", "torus:4x4", "--timing", "virtual", "--host", "transputer", "--method", "ade", *WORKING]
    terminal = Terminal(run(*words, "--for", "1h"), 80, 40, LC_ALL="C", NO_COLOR="1")
    drawn = lambda screen: re.search(r"run .* ([2-9]|[1-9][0-9]+)\.[0-9] s\nclock .*[1-9].*of virtual time, [1-9].*\n(.*\n)+ +[0-9.]+ [um]?s +[0-9.]+ m?s\n(speed|keys) .*$", "\n".join(screen.text()))
    expect("virtual: it is drawn", True, terminal.until(drawn))
    terminal.cut()
    text = terminal.screen.text()
    shown = labelled(text)
    clock, rate = shown["clock"].split(" of virtual time, ")
    expect("virtual: the curve ends at that time", clock, text[-2].split("   ")[-1].strip())
    seconds = lambda told: number(told.split()[0]) * {"s": 1, "ms": 1e-3, "us": 1e-6}[told.split()[1]]
    # Over the last half second, when a busy machine may have had more or less time for it: but these are seconds.
    passed = number(shown["run"].split(", ")[-1].removesuffix(" s"))
    expect("virtual: seconds per second", True, 0.02 < seconds(rate.removesuffix("/s")) * passed / seconds(clock) < 50)
    expect("virtual: operations", True, shown["run"].startswith("1 of 1, operations "))
    expect("virtual: no theory", False, "theory" in shown)
    line = [*plain(*words, "--for", f"{1.01 * seconds(clock):.9f}s"), "--trace", "--format", "json"]
    rows = json.loads(subprocess.run(line, capture_output=True, check=False).stdout)["runs"][0]["trace"]
    low, high = map(number, shown["loads"].split(" to "))
    alike = [row for row in rows if close(row["variance"], number(shown["variance"])) and close(row["minimum"], low) and close(row["maximum"], high)]
    expect("virtual: it is the state of that time", True, any(math.isclose(row["time"], seconds(clock), rel_tol=6e-3) for row in alike))


def busy_of(text):
    """The number of busy processors, of how many, and which, as far as they are listed."""
    count, processors, listed = re.fullmatch(r"([0-9,]+) of ([0-9,]+)(?:: (.*))?", text).groups()
    which = []
    for part in (listed or "").split(", "):
        first, _, last = part.partition("-")
        which.extend(range(int(first), int(last or first) + 1) if part not in ("", "...") else [])
    return int(number(count)), int(number(processors)), which, (listed or "").endswith(", ...")


def ranges(processors):
    """Numbers as 0-3, 5."""
    texts = []
    for p in processors:
        if texts and texts[-1][-1] == p - 1:
            texts[-1].append(p)
        else:
            texts.append([p])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in texts)


def check_tasks():
    """In rounds: the tasks that are held after some step, against the report of a run that ends there."""
    words = ["--topology", "torus:12x8", "--tasks", "uts:t1", "--method", "adf"]
    for columns, speed in ((100, "max"), (40, "20steps/s")):
        terminal = Terminal(run(*words, "--speed", speed), columns, 40, LC_ALL="C", NO_COLOR="1")
        expect(f"tasks, {columns}: it is drawn", True, terminal.until(whole))
        terminal.cut()
        text = terminal.screen.text()
        shown = labelled(text)
        step = int(number(shown["run"].split(", ")[1].split()[1]))
        tasks = report(words, step)["runs"][0]["final"]
        wanted = [p for p, count in enumerate(tasks) if count > 0]
        count, processors, which, cut = busy_of(shown["busy"])
        expect(f"tasks, {columns}: how many are busy", (len(wanted), 96), (count, processors))
        expect(f"tasks, {columns}: which are", wanted[: len(which)] if cut else wanted, which)
        line = next(line for line in text if line.startswith("busy "))
        full = f"busy       {len(wanted)} of 96: {ranges(wanted)}"
        expect(f"tasks, {columns}: as many as fit", True, line == full or (cut and len(line) > columns - 18 and len(full) > columns - 7))
        first = text.index(line) + 1
        for p, have in enumerate(tasks):
            character = (text[first + p // 12] + " " * columns)[2 + 2 * (p % 12)]
            expect(f"tasks, {columns}: processor {p} with {have}", RAMP[shade(have, 0, max(tasks))] if have else " ", character)
        expect(f"tasks, {columns}: what a cell is", "  blank = idle, . = low, @ = high", text[first + 8])
        expect(f"tasks, {columns}: no line is too long", 0, terminal.screen.wrapped)


def check_tasks_over_time():
    """Without rounds: the line and the map say the same of a state; how it follows from the run is in tests/runs/."""
    for timing, more in (("virtual", ("--speed", "5ms/s")), ("free", ())):
        words = ["--topology", "torus:6x4", "--timing", timing, "--tasks", "mandelbrot:600x400:8", "--method", "ade", "--invoke", "below:2"]
        terminal = Terminal(run(*words, *more), 100, 40, LC_ALL="C", NO_COLOR="1")
        drawn = lambda screen: re.search(r"busy +([2-9]|[1-9][0-9]) of 24: .*\n(.*\n)+.* [um]?s\n(speed|keys) .*$", "\n".join(screen.text()))
        expect(f"tasks, {timing}: it is drawn", True, terminal.until(drawn))
        terminal.cut()
        text = terminal.screen.text()
        line = next(line for line in text if line.startswith("busy "))
        count, _, which, cut = busy_of(line.split(None, 1)[1])
        rows = text[text.index(line) + 1 :][:4]
        marked = [6 * y + x for y, row in enumerate(rows) for x in range(6) if (row + " " * 100)[2 + 2 * x] != " "]
        expect(f"tasks, {timing}: the map and the line", (marked, len(marked), False), (which, count, cut))
        expect(f"tasks, {timing}: what a cell is", "  blank = idle, . = low, @ = high", text[text.index(line) + 5])


def check_runs():
    """The runs after the first are drawn, too, and CSV is written between their pictures."""
    words = ["--topology", "chain:60", "--method", "ade", "--stop", "never", "--for", "400ms", "--runs", "100"]
    terminal = Terminal(run(*words, "--format", "csv"), 2000, 24, f"{FOLDER}/err", LC_ALL="C")
    # A busy machine may let a run go by undrawn: then it is the next one.
    head = lambda screen: next((line for line in screen.text() if re.match("run +[1-9][0-9]* of 100, ", line)), "run 1")
    later = lambda screen: whole(screen) and int(head(screen).split()[1]) > 1
    expect("a run after the first", True, terminal.until(later))
    # A run's time begins with it; six runs of 400 ms before it would show.
    seventh = lambda screen: whole(screen) and int(head(screen).split()[1]) > 6
    expect("the seventh run or a later one", True, terminal.until(seventh))
    seconds = number(head(terminal.screen).split(", ")[-1].removesuffix(" s"))
    expect("its own time", True, seconds < 6 * 0.4)
    drawn = int(head(terminal.screen).split()[1])
    expect("below the lines of those before", drawn, terminal.screen.text().index(head(terminal.screen)))
    terminal.kill(signal.SIGINT)
    expect("several runs: status", 3, terminal.wait())
    table = [line.split(",") for line in terminal.screen.text()]
    seeds = [line[table[0].index("seed")] for line in table]
    expect("lines of CSV alone", ["seed", *map(str, range(1, len(seeds)))], seeds)
    expect("of all of them", True, len(seeds) > drawn)


def check_refused(name, sentence, words, **variables):
    terminal = Terminal(run(*words), 200, 24, **variables)
    expect(f"{name}: status", 2, terminal.wait())
    expect(f"{name}: why", [f"evenkeel: {sentence}"], terminal.screen.text())


def main():
    ring = ("--topology", "ring:200", *LONG)
    torus = ("--topology", "torus:12x8", "--method", "diffusion:0.002", *ENDLESS)
    check_rounds("ring, 80", ring, 80, 24, lines_of(200, 39), 2, False)
    check_rounds("ring, colour, 40", ring, 40, 40, lines_of(200, 19), 2, True)
    check_rounds("torus", torus, 100, 30, squares(12, 8, 1), 1, False)
    cube = ("--topology", "hypercube:5", "--method", "diffusion:0.0001", "--ports", "one", *ENDLESS)
    check_rounds("one port, hypercube", cube, 60, 24, squares(8, 4, 1), 5, False)
    large = ("--topology", "torus:60x40", "--method", "adf", *ENDLESS)
    check_rounds("more processors than cells", large, 60, 24, squares(60, 40, 5), 1, True)
    some = ("--topology", "ring:64", "--method", "ade", "--invoke", "probability:0.01", *ENDLESS)
    check_rounds("nothing known beforehand", some, 80, 30, lines_of(64, 39), 0, False)
    check_end("its own end", ("--topology", "chain:300", "--method", "ade", "--stop", "variance:1e-12"), 0)
    text = check_end("Ctrl-C", SLOW, 3, lambda terminal: terminal.kill(signal.SIGINT))
    expect("Ctrl-C: it says so", True, any(line == "  why        interrupted" for line in text))
    check_stop_and_go()
    check_resize()
    check_free()
    check_virtual()
    check_tasks()
    check_tasks_over_time()
    check_runs()
    dumb = "--live needs a terminal that can erase, which TERM=dumb cannot: leave out --live"
    check_refused("a dumb terminal", dumb, (), TERM="dumb")
    quiet = "--live shows the run and --quiet nothing: leave out one"
    check_refused("quiet", quiet, ("--quiet",))
    end()


main()
