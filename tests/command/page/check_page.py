# SPDX-License-Identifier: MIT
"""check.py FOLDER: opens the pages that tests/command/page/test_page.sh made there in a browser, and holds what they show, and how
they answer, against their records. Prints what is wrong, and how much was right."""

import csv
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from browser import Browser
from expect import end, expect
from looks import CONTRAST, WIDTH, check_quiet
from spheres import operations_of, spheres

FOLDER = sys.argv[1]


def record(name):
    with open(f"{FOLDER}/{name}/run.json", encoding="utf-8") as file:
        return json.load(file)


def check_looks(browser, name):
    for scheme, width in (("light", 1280), ("dark", 360)):
        what = f"{name}, {scheme}, {width}"
        browser.log("performance")
        browser.open(f"{FOLDER}/{name}.html", width, scheme=scheme)
        check_quiet(browser, what, f"file://{FOLDER}/{name}.html")
        expect(f"{what}: scheme", scheme, browser.run("return document.documentElement.dataset.theme"))
        expect(f"{what}: nothing is wider than the window", 0, browser.run(WIDTH))
        contrast = browser.run(CONTRAST)
        expect(f"{what}: contrast of {contrast['worst']}", True, contrast["worst"][0] >= 4.5 and contrast["seen"] > 50)


def rows_of(browser, label):
    """What the button hands over whose label has this in it, through the file that it makes."""
    return browser.run(
        "const button = [...document.querySelectorAll('button')].find((b) => (b.ariaLabel || '').includes(arguments[0]));"
        "let blob; const make = URL.createObjectURL; URL.createObjectURL = (made) => make.call(URL, blob = made);"
        "HTMLAnchorElement.prototype.click = () => {}; button.click(); URL.createObjectURL = make; return blob.text();",
        label,
    )


def cells(text):
    return [[float(cell) if cell else None for cell in line.split(",")] for line in text.splitlines()[1:]]


def near(a, b):
    return abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def near_part(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1.0)


# Student's t of 2, 3 and 4 degrees of freedom, within which 95 % lie (Abramowitz & Stegun, table 26.10).
STUDENT = {2: 4.302652730, 3: 3.182446305, 4: 2.776445105}


def interval(values):
    count = len(values)
    mean = sum(values) / count
    deviation = (sum((value - mean) ** 2 for value in values) / (count - 1)) ** 0.5
    half = STUDENT[count - 1] * deviation / count**0.5
    return [mean, mean - half, mean + half]


def check_curves(browser):
    """The mean of three runs and its interval."""
    browser.open(f"{FOLDER}/runs.html")
    told = record("runs")
    traces = [[row["variance"] for row in run["trace"]] for run in told["runs"]]
    found = [row for row in cells(rows_of(browser, "curves-by-step")) if row[1] is not None]
    expect("curves: as many rows as steps", max(len(trace) for trace in traces), len(found))
    for step, mean, low, high, *_ in found:
        now = [trace[min(int(step), len(trace) - 1)] for trace in traces]
        right = all(map(near_part, interval(now), (mean, low, high)))
        expect(f"curves: step {step:g}", True, right)
    browser.run("document.querySelector('.chart').focus()")
    browser.press("ArrowRight")
    shown = browser.run("return document.querySelectorAll('.legend output')[1].textContent")
    place = browser.run("return document.querySelector('.legend output').textContent")
    expect("the place is named", "step 0", place)
    expect("the chart is read by keys", f"{sum(t[0] for t in traces) / 3:,.0f}", shown.split(".")[0])
    drawn = browser.run(
        "const c = document.querySelector('.uplot canvas');"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "return d.some((v, i) => i % 4 === 3 && v > 0)")
    expect("a chart is drawn", True, drawn)


def check_cut_curve(browser):
    """The mean ends with the run that was cut, and the note counts it."""
    browser.open(f"{FOLDER}/limited.html")
    runs = record("limited")["runs"]
    steps = [row[0] for row in cells(rows_of(browser, "curves-by-step")) if row[1] is not None]
    expect("cut runs: the end of the mean", min(run["steps"] for run in runs), max(steps))
    note = browser.run("return [...document.querySelectorAll('.note')].map((note) => note.textContent).join(' ')")
    expect("cut runs: the note", True, " 1 of 5 runs did not reach variance:1." in note)


def check_theory(browser):
    """Of a run of exchange, whose operation has a step a colour: gamma squared an operation."""
    browser.open(f"{FOLDER}/map.html")
    told = record("map")
    trace, gamma, colours = told["runs"][0]["trace"], told["theory"]["gamma_exact"], told["topology"]["colours"]
    rows = {row[0]: row[1:] for row in cells(rows_of(browser, "curves-by-step"))}
    for row in trace:
        expect(f"measured: step {row['step']}", row["variance"], rows[row["step"]][0])
    last = trace[-1]["step"]
    expect("theory: its beginning", trace[0]["variance"], rows[0][1])
    wanted = trace[0]["variance"] * gamma ** (2 * last / colours)
    expect("theory: its end", True, colours > 1 and near(rows[last][1], wanted))


def check_ends(browser):
    """What is true of the end stands beside the run that came to it, and beside one that was cut, or that ended by itself
    before, nothing."""
    browser.open(f"{FOLDER}/ends.html")
    rows = csv.reader(rows_of(browser, "theory").splitlines())
    measured = [row[3] for row in rows if row[1] == "operations all"]
    expect("theory: of the end", ["", "2", ""], measured)


def check_missed(browser):
    """If a run missed its criterion, the page says why, also if others reached it."""
    browser.open(f"{FOLDER}/mixed.html")
    runs = record("mixed")["runs"]
    missed = [run["why"] for run in runs if not run["converged"]]
    expect("missed: some did", True, 0 < len(missed) < len(runs))
    first = browser.run("return [...document.querySelectorAll('.card')].map((card) => card.textContent)[0]")
    expect("missed: how many reached it", f"{len(runs) - len(missed)} of {len(runs)}runs reached variance:1", first)
    notes = browser.run("return [...document.querySelectorAll('p.note')].map((note) => note.textContent)")
    expect("missed: why", True, missed[0] in notes)


def check_map(browser):
    """The slider's moments are the record's, in numbers and in colours."""
    browser.open(f"{FOLDER}/map.html")
    frames = record("map")["runs"][0]["frames"]
    browser.run("document.querySelector('input[type=range]').focus()")
    for index in (0, 1, 2):
        load = frames[index]["load"]
        said = browser.run("return document.querySelector('.slide output').textContent")
        expect("the moment", f"step {frames[index]['step']} ({index + 1} of {len(frames)})", said)
        shown = browser.run(
            "return [...document.querySelectorAll('.map dd')].map((dd) => Number(dd.textContent.replace(/,/g, '')))")
        wanted = (min(load), sum(load) / 24, max(load))
        expect("its numbers", True, all(abs(a - b) <= 1e-4 * abs(b) for a, b in zip(shown, wanted)))
        browser.run(
            "const scale = [...document.querySelectorAll('select')].find((s) => ['one', 'own'].includes(s.value));"
            "scale.value = 'own'; scale.onchange();")
        for p, colour in ((load.index(min(load)), [68, 1, 84]), (load.index(max(load)), [253, 231, 37])):
            # 6 x 4 processors; a corner of the cell, for arrows begin in its middle.
            pixel = browser.run(
                "const c = document.querySelector('.map canvas'), size = c.width / 6, [p] = arguments;"
                "const x = (p % 6 + 0.2) * size, y = (Math.floor(p / 6) + 0.2) * size;"
                "return [...c.getContext('2d').getImageData(x, y, 1, 1).data].slice(0, 3)", p)
            expect(f"moment {index}: the colour of processor {p}", colour, pixel)
        browser.press("ArrowRight")
    browser.run("document.querySelector('.slide button').click()")
    for _ in range(100):
        if browser.run("return document.querySelector('.slide button').textContent.includes('play')"):
            break
        time.sleep(0.1)
    value = browser.run("return document.querySelector('input[type=range]').value")
    expect("play goes to the end", str(len(frames) - 1), value)
    browser.run("document.querySelector('.map canvas').focus()")
    browser.press("ArrowRight")
    said = browser.run("return document.querySelector('.map [role=status]').textContent")
    expect("a processor is chosen by keys", "Processor 1", said.split(":")[0])
    loads = cells(rows_of(browser, "loads"))
    expect("the loads as CSV", [frame["load"] for frame in frames], [list(column) for column in zip(*loads)][1:])
    links = record("map")["runs"][0]["links"]
    text = rows_of(browser, "links").splitlines()
    found = [[float(cell) for cell in line.split(",")[1:]] for line in text[1:]]
    expect("the links as CSV", [list(map(float, link.values())) for link in links], found)


def check_second_run(browser):
    """Another run that is chosen is the one that is shown: its numbers, its CSV, its colours."""
    browser.open(f"{FOLDER}/several.html")
    runs = record("several")["runs"]
    numbers = "return [...document.querySelectorAll('.map dd')].map((dd) => Number(dd.textContent.replace(/,/g, '')))"
    pixels = ("const c = document.querySelector('.map canvas');"
              "return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.join()")
    pictures = []
    for index in (0, 3, 0):  # a page has the loads of the first four runs
        choose(browser, "run", str(index))
        frames = runs[index]["frames"]
        loads = cells(rows_of(browser, "loads"))
        expect(f"run {index}: the loads", [frame["load"] for frame in frames], [list(column) for column in zip(*loads)][1:])
        browser.run("const range = document.querySelector('input[type=range]'); range.value = 1; range.oninput();")
        load = frames[1]["load"]
        wanted = (min(load), sum(load) / len(load), max(load))
        expect(f"run {index}: its numbers", True, all(abs(a - b) <= 1e-4 * abs(b) for a, b in zip(browser.run(numbers), wanted)))
        pictures.append(browser.run(pixels))
    expect("run 3: its colours", True, pictures[0] != pictures[1])
    expect("run 0: its colours again", True, pictures[0] == pictures[2])


# The pixels of the map's arrows: those in the colour of text that have another colour without arrows.
ARROWS = """
const c = document.querySelector('.map canvas');
const box = [...document.querySelectorAll('label')].find((l) => l.textContent === 'flows').querySelector('input');
const look = () => c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
const show = (on) => { box.checked = on; box.onchange(); return look(); };
const off = show(false), on = show(true), found = [];
const [r, g, b] = getComputedStyle(document.body).color.match(/[0-9]+/g).map(Number);
const alike = (d, i) => d[i] === r && d[i + 1] === g && d[i + 2] === b;
for (let i = 0; i < on.length; i += 4) if (alike(on, i) && !alike(off, i)) found.push(i / 4);
return found.join();
"""


def check_flows_of_runs(browser):
    """The arrows are those of the run that is chosen."""
    browser.open(f"{FOLDER}/several.html")
    arrows = []
    for index in (0, 3, 0):
        choose(browser, "run", str(index))
        arrows.append(browser.run(ARROWS))
    expect("run 0: there are arrows", True, arrows[0] != "")
    expect("run 3: its arrows", True, arrows[0] != arrows[1])
    expect("run 0: its arrows again", True, arrows[0] == arrows[2])


def check_other_experiment(browser):
    """A run of another experiment begins at its first moment and processor, and has its own moments and arrangement."""
    browser.open(f"{FOLDER}/both.html")
    said = ("return ['.slide output', '.map [role=status]', '.map figcaption'].map((at) => "
            "document.querySelector(at).textContent).concat(document.querySelector('.map input[type=range]').max)")
    # The page of runs (three, of 4 x 4 processors, with the loads before and after), map (6 x 4) and free (a ring).
    runs = [("runs", run) for run in record("runs")["runs"]] + [("map", record("map")["runs"][0])]
    for index, across in ((3, 6), (1, 4), (3, 6)):
        choose(browser, "run", str(index))
        run = runs[index][1]
        moments = len(run["frames"]) if "frames" in run else 2
        first = run["frames"][0]["load"] if "frames" in run else run["initial"]
        moment, processor, hint, most = browser.run(said)
        expect(f"experiment {index}: its moment", f"(1 of {moments})", moment[moment.index("("):])
        expect(f"experiment {index}: its processor", "Processor 0", processor.split(":")[0])
        shown = float(processor.split(": ")[1].replace(",", ""))
        expect(f"experiment {index}: its load", True, abs(shown - first[0]) <= 1e-4 * abs(first[0]))
        expect(f"experiment {index}: its columns", True, f"column p mod {across}," in hint or f"column p mod {across}." in hint)
        expect(f"experiment {index}: its moments", str(moments - 1), most)
        browser.run("document.querySelector('.map canvas').focus()")
        browser.press("ArrowRight")
        browser.run("const range = document.querySelector('.map input[type=range]'); range.value = range.max; range.oninput();")


def check_quotes(browser):
    """Text with quotation marks is quoted in CSV, and each of them is doubled."""
    browser.open(f"{FOLDER}/quoted.html")
    rows = [row for row in rows_of(browser, "configuration").splitlines() if row.startswith("topology,")]
    expect("a quoted name", [f'topology,"file:{FOLDER}/a ""quoted"" name"'], [row.rpartition(",")[0] for row in rows])


def check_table(browser):
    """Sorting, filtering and choosing columns."""
    browser.open(f"{FOLDER}/runs.html")
    runs = record("runs")["runs"]
    column = (
        "const region = document.querySelector('[aria-label=runs]'); const heads = [...region.querySelectorAll('th')];"
        "const at = heads.findIndex((th) => th.textContent === 'moved');"
    )
    moved = sorted(run["moved"] for run in runs)
    for direction, wanted in (("ascending", moved), ("descending", moved[::-1])):
        browser.run(column + "heads[at].firstChild.click()")
        found = browser.run(
            column + "const cells = [...region.querySelectorAll('tbody tr')].map((tr) => tr.children[at].textContent);"
            "return [heads[at].ariaSort, ...cells]")
        expect("sorted", [direction] + [f"{value:,.1f}" for value in wanted], found)
    filtered = browser.run(
        "const box = document.querySelector('[aria-label=\"Filter configuration\"]'); box.value = 'TORUS'; box.oninput();"
        "return [...document.querySelectorAll('[aria-label=configuration] tbody td')].map((td) => td.textContent)")
    expect("filtered", ["topology", "torus:4x4", "given"], filtered)
    # Another column begins with its least value, whatever the order of the one before; what is missing comes last.
    browser.open(f"{FOLDER}/ends.html")
    sort = (
        "const region = document.querySelector('[aria-label=theory]'); const heads = [...region.querySelectorAll('th')];"
        "const at = heads.findIndex((th) => th.textContent === arguments[0]); heads[at].firstChild.click();"
        "return [[...region.querySelectorAll('th')][at].ariaSort,"
        " ...[...region.querySelectorAll('tbody tr')].map((tr) => tr.children[at].textContent)]"
    )
    for direction in ("ascending", "descending"):
        expect("sorted by theory", direction, browser.run(sort, "theory")[0])
    direction, *measured = browser.run(sort, "measured")
    known = [text for text in measured if text != "–"]
    expect("sorted by another column", "ascending", direction)
    expect("missing values come last", True, 0 < len(known) < len(measured) and measured[: len(known)] == known)
    browser.open(f"{FOLDER}/runs.html")
    scalars = [key for key, value in runs[0].items() if not isinstance(value, (dict, list))]
    browser.run(
        "const all = [...document.querySelectorAll('label')].find((l) => l.textContent === 'all columns');"
        "all.querySelector('input').click()")
    shown = browser.run("return [...document.querySelectorAll('[aria-label=runs] th')].map((th) => th.textContent)")
    expect("all columns", [name.replace("_", " ") for name in scalars], shown)


def check_schemes(browser):
    browser.open(f"{FOLDER}/runs.html", scheme="dark")
    state = "return [document.documentElement.dataset.theme, document.getElementById('theme').textContent]"
    click = "document.getElementById('theme').click();" + state
    expect("as the system", ["dark", "Colours: as the system"], browser.run(state))
    expect("light", ["light", "Colours: light"], browser.run(click))
    expect("dark", ["dark", "Colours: dark"], browser.run(click))
    paper = browser.run(
        "const at = document.documentElement.dataset; window.onbeforeprint(); const paper = at.theme;"
        "window.onafterprint(); return [paper, at.theme]")
    expect("paper is light", ["light", "dark"], paper)
    browser.open(f"{FOLDER}/runs.html")
    browser.press("Tab")
    focus = browser.run(
        "const at = document.activeElement, looks = getComputedStyle(at);"
        "return [at.id, looks.outlineStyle, looks.outlineWidth]")
    expect("what has the focus is seen", ["theme", "solid", "3px"], focus)


# The parts of a page in the layout of paper that would print as a hole or be cut off: how much wider than the paper it is,
# drawings that are stretched, headings of tables without words, and pairs of charts that are not side by side.
PAPER = """
window.onbeforeprint();
const seen = (at) => at.getClientRects().length > 0;
const canvases = [...document.querySelectorAll("canvas")].filter(seen);
const stretched = canvases.filter((c) => Math.abs((c.clientWidth * c.height) / (c.clientHeight * c.width) - 1) > 0.03);
const headings = [...document.querySelectorAll("th")].filter(seen);
const bare = headings.filter((th) => th.querySelector("button") && getComputedStyle(th, "::before").content !== `"${th.textContent}"`);
const apart = [...document.querySelectorAll(".charts")]
  .map((at) => [...at.querySelectorAll("figure")].filter(seen))
  .filter(([one, other]) => other && one.offsetTop !== other.offsetTop);
const at = document.documentElement;
const found = [at.scrollWidth - at.clientWidth, stretched.length, bare.length, apart.length];
const counts = [canvases.length, headings.length];
window.onafterprint();
return [found, counts, at.dataset.paper ?? ""];
"""


def check_paper(browser, name):
    browser.open(f"{FOLDER}/{name}.html", 718)
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    found, counts, left = browser.run(PAPER)
    expect(f"{name} on paper: no holes", [0, 0, 0, 0], found)
    expect(f"{name} on paper: there are drawings and tables", [True, True], [count > 0 for count in counts])
    expect(f"{name}: on the screen again", "", left)
    browser.devtools("Emulation.setEmulatedMedia", media="")


def check_recorded(browser):
    """The curve and the map of a recording have its turns, and say which."""
    browser.open(f"{FOLDER}/recordings.html")
    text = browser.run("return document.body.textContent")
    item = data_of("recordings")["items"][0]
    line = item["timeline"]
    after = lambda every: "after each" if every == 1 else f"after every {every:,} turns, and after the last"
    expect("recording: which turns its curve has", True,
           f"is a recording of {line['turns']:,} turns: it has a value {after(line['trace_every'])}." in text)
    expect("recording: which turns its map has", True,
           f"Of {line['turns']:,} recorded turns it shows the loads {after(line['frame_every'])}." in text)
    expect("recording: its map goes through them", len(item["record"]["runs"][0]["frames"]) - 1,
           int(browser.run("return document.querySelector('.map .slide input').max")))


def check_hostile(browser):
    """A spec is text, whatever it says."""
    browser.open(f"{FOLDER}/hostile.html")
    check = browser.run(
        "return [document.getElementById('title').textContent, document.querySelectorAll('img').length,"
        "window.broken ?? null]")
    expect("a hostile spec", [f"ade on file:{FOLDER}/</script><img src=x onerror=broken=1>", 0, None], check)


def check_free(browser):
    browser.open(f"{FOLDER}/free.html")
    free = record("free")["runs"][0]["free"]
    waits = dict(line.split(",") for line in rows_of(browser, "waits").splitlines()[1:])
    expect("waits", free["waited"], {name: float(value) for name, value in waits.items()})
    depths = [float(line.split(",")[1]) for line in rows_of(browser, "depths").splitlines()[1:]]
    expect("depths", free["depth"], depths)
    latency = [line for line in rows_of(browser, "times-0").splitlines() if line.startswith("latency,")]
    wanted = [free["latency"][part] for part in ("median", "p90", "p99", "maximum")]
    expect("latency", wanted, [float(cell) for cell in latency[0].split(",")[1:]])
    both = {}
    for way in free["links"]:
        ends = min(way["from"], way["to"]), max(way["from"], way["to"])
        both.setdefault(ends, [0.0, 0.0])[way["from"] > way["to"]] += way["load"]
    head, *links = [line.split(",") for line in rows_of(browser, "links").splitlines()]
    at = {name: i for i, name in enumerate(head)}
    told = [[float(link[at[name]]) for name in ("from", "to", "forth", "back")] for link in links]
    found = {(start, end): [forth, back] for start, end, forth, back in told}
    expect("links of free timing", both, found)


def check_store(browser):
    """A store's experiments: their means over the processors, a line for each method."""
    browser.open(f"{FOLDER}/store.html")
    with open(f"{FOLDER}/store.html", encoding="utf-8") as page:
        text = page.read()
    data = json.loads(text.split('type="application/json">', 1)[1].split("</script", 1)[0])
    records = [item["record"] for item in data["items"]]
    wanted = {}
    for record_of in records:
        steps = [run["steps"] for run in record_of["runs"]]
        row = wanted.setdefault(float(record_of["topology"]["processors"]), {})
        row[record_of["method"]["name"]] = interval(steps)
    head, *lines = [line.split(",") for line in rows_of(browser, "means").replace('"', "").splitlines()]
    expect("means: what is over what", ["processors", "ring", "ade"], [part.strip() for part in head[:3]])
    for line in lines:
        numbers = [float(cell) for cell in line]
        right = wanted[numbers[0]]["ade"] + wanted[numbers[0]]["adf"]
        expect(f"means at {line[0]}", True, all(near_part(a, b) for a, b in zip(right, numbers[1:])))
    expect("as many as there are", len(wanted), len(lines))
    expect("parameters of two methods have no common axis", 0, browser.run(
        "return [...document.querySelectorAll('option')].filter((o) => o.value === 'parameter').length"))
    browser.run(
        "const over = [...document.querySelectorAll('select')].find((s) =>"
        "  [...s.options].some((o) => o.value === 'method'));"
        "over.value = 'method'; over.onchange();")
    head, *lines = rows_of(browser, "means").splitlines()
    expect("means over methods", ["ade", "adf"], [line.split(",")[0] for line in lines])


def data_of(name):
    with open(f"{FOLDER}/{name}.html", encoding="utf-8") as page:
        return json.loads(page.read().split('type="application/json">', 1)[1].split("</script", 1)[0])


def choose(browser, label, value):
    browser.run(
        "const of = [...document.querySelectorAll('label')].find((l) => l.firstChild.textContent === arguments[0]);"
        "const select = of.querySelector('select'); select.value = arguments[1]; select.onchange();", label, value)


def check_contention(browser):
    """Its table has every cost; the chart follows what is chosen."""
    browser.open(f"{FOLDER}/contention.html")
    measured = data_of("contention")["contentions"][0]["measured"]
    costs = [name for name, of in measured["points"][0].items() if isinstance(of, dict)]
    found = [line.split(",") for line in rows_of(browser, "costs").splitlines()[1:]]
    told = [(point, cost) for point in measured["points"] for cost in costs if point[cost]["mean"]["value"] is not None]
    for row, (point, cost) in zip(found, told):
        mean, ratio = point[cost]["mean"], point[cost]["to_base"] or {}
        wanted = [mean["value"], mean["low"], mean["high"], *(ratio.get(part) for part in ("value", "low", "high"))]
        expect("contention: a row", [point["axis"] or "base", point["value"], cost], row[:3])
        expect("contention: its numbers", wanted, [float(cell) if cell else None for cell in row[4:10]])
        expect("contention: its difference", ratio.get("difference") or "", row[10])
    expect("contention: rows", len(told), len(found))
    samples = rows_of(browser, "samples").splitlines()
    expect("contention: all runs", 1 + sum(point["runs"] for point in measured["points"]), len(samples))
    limit = [float(cell) for cell in rows_of(browser, "computer").splitlines()[1].split(",")[1:]]
    expect("contention: the computer", list(measured["computer"]["yields_per_s"]["mean"].values()), limit)
    said = browser.run("return document.querySelector('section .note').textContent")
    share = measured["others_share"]
    warned = f"Other programs used {int(100 * share + 0.5)} % of the computer" if share > 0.05 else "Student's t."
    expect("contention: who else worked", True, said.startswith("5 runs of each") and warned in said)
    choose(browser, "show", "operations_per_s")
    choose(browser, "by", "ports")
    shown = browser.run("return document.querySelector('.chart').ariaLabel")
    expect("contention: what is chosen", "operations per second over the named values; arrow keys read the values", shown)
    browser.run("document.querySelector('.chart').focus()")
    browser.press("ArrowRight")
    shown = browser.run("return document.querySelectorAll('.legend output')[1].textContent")
    mean = measured["points"][0]["operations_per_s"]["mean"]["value"]
    expect("contention: its mean", True, abs(float(shown.replace(",", "")) - mean) <= 1e-4 * mean)


def check_timeline(browser):
    """Operations by number, with their spheres; keys go through them, and what is shown of one is its own."""
    browser.open(f"{FOLDER}/recordings.html")
    for index, item in enumerate(data_of("recordings")["items"]):
        operations = operations_of(item["timeline"])
        sphere = spheres(operations)
        rows = browser.run(
            "return [...document.querySelectorAll('button')].filter((b) => b.ariaLabel?.includes('operations as CSV'))"
            "[arguments[0]].rows()", index)
        expect("timeline: operations", len(operations), len(rows) - 1)
        by_name = {}
        for row, operation, own in zip(rows[1:], operations, sphere):
            told = [operation["processor"], operation["from"], operation["to"], operation["got"]]
            expect("timeline: an operation", told, row[1:5])
            expect("timeline: who is in it", [part[0] for part in operation["parts"][1:]], [int(q) for q in row[5].split()])
            expect("timeline: its sphere", [by_name.setdefault(row[6], own), len(own)], [own, row[7]])
        sizes = [len(own) for own in {id(own): own for own in sphere}.values() if len(own) > 1]
        note = browser.run("return document.querySelectorAll('.timeline')[arguments[0]].parentElement.querySelector('.note').textContent", index)
        largest = f", the largest of {max(sizes)} operations" if sizes else ""
        plural = "" if len(sizes) == 1 else "s"
        expect("timeline: in words", f"{len(operations)} operations, of which {sum(sizes)} overlap with others, in "
               f"{len(sizes)} sphere{plural} of two or more{largest}.", note)
    operations = operations_of(data_of("recordings")["items"][0]["timeline"])
    browser.run("document.querySelector('.timeline canvas').focus()")
    choose(browser, "time shown", "16")
    end = data_of("recordings")["items"][0]["timeline"]["end"]
    label = "return document.querySelector('.timeline output').textContent"
    expect("timeline: a sixteenth", True, abs(float(browser.run(label).split()[3].replace(",", "")) - 1e3 * end / 16) < 1e-2)
    for chosen in (1, 2, 3):
        browser.press("ArrowRight")
        said = browser.run("return document.querySelector('.timeline [role=status]').textContent")
        expect("timeline: the chosen one", f"Processor {operations[chosen]['processor']}", said.split(",")[0])
        start = float(said.split(", ")[1].split()[0].replace(",", ""))
        expect("timeline: its start", True, abs(start - 1e3 * operations[chosen]["from"]) <= 1e-4 * start + 1e-6)
    # An operation on the last 4 of 36 rows, of which 32 are shown at once, after one on other rows.
    far = next((i for i, operation in enumerate(operations) if i > 3 and operation["processor"] > 32 >
                operations[i - 1]["processor"]), None)
    if far is not None:
        browser.run(
            "const c = document.querySelector('.timeline canvas');"
            "for (let i = 3; i < arguments[0]; i++) c.onkeydown(new KeyboardEvent('keydown', { key: 'ArrowRight' }));", far)
        state = browser.run(
            "const root = document.querySelector('.timeline').parentElement;"
            "const rows = [...root.querySelectorAll('label')].find((l) => l.firstChild.textContent === 'processors');"
            "return [root.querySelector('[role=status]:not(.note)').textContent.split(',')[0],"
            " rows.querySelector('select').value, root.querySelector('canvas').style.height]")
        expect("timeline: its rows", [f"Processor {operations[far]['processor']}", "32", "96px"], state)
        choose(browser, "processors", "0")
        height = browser.run("return document.querySelector('.timeline canvas').style.height")
        expect("timeline: the first rows again", "600px", height)
    drawn = browser.run(
        "const c = document.querySelector('.timeline canvas');"
        "const d = c.getContext('2d').getImageData(60, 0, c.width - 60, c.height - 20).data;"
        "return d.filter((v, i) => i % 4 === 3 && v > 0).length")
    expect("timeline: it is drawn", True, drawn > 1000)


TIMES = ("work", "overhead", "idle")
COLOURS = {"grid": [227, 232, 237], "work": [0, 96, 173], "overhead": [201, 123, 0]}  # on a light ground
# Points at a place of the Gantt chart, as the pointer does, and returns what the page says then.
POINT = """
const canvas = document.querySelector('.timeline canvas');
if (arguments[0] === null) canvas.onpointerleave(); else canvas.onpointermove({ offsetX: arguments[0], offsetY: arguments[1] });
return document.querySelector('.timeline [role=status]').textContent;
"""
PIXELS = """
const pen = document.querySelector('.timeline canvas').getContext('2d');
return arguments[1].map((y) => [...pen.getImageData(arguments[0], y, 1, 1).data].slice(0, 3));
"""
LEFT, ALL, GAP = 56, 56, 10  # pixels beside and above the rows of the chart


def shares_of(said):
    """The shares that a sentence about a cell has, from 0 to 1."""
    return [float(part.split()[1].replace(",", "")) / 100 for part in said.rstrip(".").split(": ")[-1].split(", ")]


def check_cell(browser, what, at, who, shares):
    said = browser.run(POINT, *at)
    expect(f"{what}: who", who, said.split(",")[0])
    right = all(abs(a - b) <= 6e-3 * max(b, 0.01) for a, b in zip(shares_of(said), shares))
    expect(f"{what}: {said} are {shares}", True, right and len(shares) == 3)


def check_bar(browser, what, x, bottom, height, shares, full=1.0):
    """The colours of a bar: the work at its foot, the overhead above it, and nothing above that."""
    work, both = min(shares[0] / full, 1) * height, min((shares[0] + shares[1]) / full, 1) * height
    inner = [y for y in range(1, height) if min(abs(y - work), abs(y - both), abs(y - height)) > 1]
    wanted = [COLOURS["work" if y < work else "overhead" if y < both else "grid"] for y in inner]
    expect(f"{what}: its colours from the foot", wanted, browser.run(PIXELS, x, [bottom - y for y in inner]))


def check_profile(browser):
    """A row for each processor: what is said and painted of it in each interval, and the machine above."""
    browser.open(f"{FOLDER}/tasks.html")
    runs = record("tasks")["runs"]
    for index in (0, 3):
        choose(browser, "run", str(index))
        profile = runs[index]["profile"]
        end = profile["intervals"][-1]["to"]
        across = browser.run("return document.querySelector('.timeline canvas').clientWidth") - LEFT - 2
        height = 20 if len(profile["intervals"]) > 1 else 0
        for i in (0, len(profile["intervals"]) // 2, len(profile["intervals"]) - 1):
            one = profile["intervals"][i]
            length = one["to"] - one["from"]
            x = LEFT + across * (one["from"] + one["to"]) / 2 / end
            for p in (0, 7, 15):
                shares = [one[name][p] / length for name in TIMES]
                top = ALL + GAP + height * p
                check_cell(browser, f"run {index}, interval {i}", (x, top + 5), f"Processor {p}", shares)
                browser.run(POINT, None)
                check_bar(browser, f"run {index}, interval {i}, processor {p}", x, top + height - 2, height - 2, shares)
            shares = [sum(one[name]) / length / 16 for name in TIMES]
            check_cell(browser, f"run {index}, interval {i}", (x, 20), "All processors", shares)
        said = browser.run("return document.querySelector('section p:not(.note)').textContent")
        sums = {name: sum(profile["processors"][name]) for name in TIMES}
        whole = [float(part) / 100 for part in re.findall(r"([0-9.]+) % ", said)]
        expect(f"run {index}: {said}", True, all(abs(a - sums[name] / sum(sums.values())) < 6e-3 for a, name in zip(whole, TIMES)))
        work = profile["processors"]["work"]
        most, least = (int(word) for word in re.findall(r"[Pp]rocessor (\d+)", said))
        expect(f"run {index}: who worked most and least", (max(work), min(work)), (work[most], work[least]))
        expect(f"run {index}: its seed", f"seed {runs[index]['seed']}", said.split(". ")[0])
        label = browser.run("return document.querySelector('.timeline canvas').getAttribute('aria-label')")
        expect(f"run {index}: said without a picture", True, said in label)
        rows = cells(rows_of(browser, "profile"))
        wanted = [[one["from"], one["to"], p, 1, *(one[name][p] for name in TIMES)] for one in profile["intervals"] for p in range(16)]
        expect(f"run {index}: the profile as CSV", True, all(near(a, b) for row, other in zip(rows, wanted) for a, b in zip(row, other)))
        expect(f"run {index}: all of it", len(wanted), len(rows))
    # Keys go through the cells, from all processors in the first interval.
    browser.run("document.querySelector('.timeline canvas').focus()")
    choose(browser, "run", "0")
    first = runs[0]["profile"]["intervals"]
    for _ in range(2):
        browser.press("ArrowRight")
    said = browser.run("return document.querySelector('.timeline [role=status]').textContent")
    shares = [sum(first[2][name]) / (first[2]["to"] - first[2]["from"]) / 16 for name in TIMES]
    expect("by keys: the third interval", True, all(abs(a - b) <= 6e-3 * max(b, 0.01) for a, b in zip(shares_of(said), shares)))


def check_execution(browser):
    """The map of execution: its colours and numbers, of the whole run and of an interval."""
    browser.open(f"{FOLDER}/tasks.html")
    profile = record("tasks")["runs"][0]["profile"]
    end = profile["intervals"][-1]["to"]
    of_map = ("const map = [...document.querySelectorAll('section')].find((s) => s.textContent.startsWith('Where tasks'));"
              "const canvas = map.querySelector('.map canvas');")
    whole = {name: [time / end for time in profile["processors"][name]] for name in TIMES}
    whole.update({name: profile["processors"][name] for name in ("executed", "created")})
    for name, values in whole.items():
        choose(browser, "show", name)
        shown = browser.run(of_map + "return [...map.querySelectorAll('dd')].map((dd) => dd.textContent)")
        found = [float(text.replace(",", "").rstrip(" %")) / (100 if text.endswith("%") else 1) for text in shown]
        wanted = (min(values), sum(values) / 16, max(values))
        expect(f"map of {name}: {found}", True, all(abs(a - b) <= 6e-3 * abs(b) for a, b in zip(found, wanted)) and len(found) == 3)
        brightest = browser.run(
            of_map + "const size = canvas.height / 4, p = arguments[0];"
            "return [...canvas.getContext('2d').getImageData((p % 4 + 0.5) * size, (Math.floor(p / 4) + 0.5) * size, 1, 1).data].slice(0, 3)",
            values.index(max(values)))
        expect(f"map of {name}: the largest is the brightest", [253, 231, 37] if max(values) > 0 else [68, 1, 84], brightest)
    choose(browser, "show", "work")
    state = browser.run(
        of_map + "const range = map.querySelector('input[type=range]'); range.value = 2; range.oninput(); canvas.focus();"
        "return [range.max, map.querySelector('output').textContent, map.querySelector('[role=status]').textContent]")
    one = profile["intervals"][1]
    share = float(re.search(r"([0-9.]+) % work", state[2])[1]) / 100
    expect("map: as many moments as intervals, and the run", str(len(profile["intervals"])), state[0])
    expect(f"map: {state[2]}", True, abs(share - one["work"][0] / (one["to"] - one["from"])) < 6e-3)
    counts = [profile["processors"][name][0] for name in ("executed", "created")]
    expect("map: the tasks of processor 0", counts, [float(of) for of in re.findall(r"(\d+) (?:tasks )?(?:executed|created)", state[2])])


def check_many_rows(browser):
    """2,560 processors: groups of three in the record, and rows of twelve in the chart."""
    browser.open(f"{FOLDER}/groups.html")
    profile = record("groups")["runs"][0]["profile"]
    end = profile["intervals"][-1]["to"]
    across = browser.run("return document.querySelector('.timeline canvas').clientWidth") - LEFT - 2
    for i in (1, len(profile["intervals"]) - 1):
        one = profile["intervals"][i]
        x = LEFT + across * (one["from"] + one["to"]) / 2 / end
        for row in (0, 3, 100, 213):
            first, last = 12 * row, min(12 * row + 11, 2559)
            times = [sum(one[name][4 * row : 4 * row + 4]) for name in TIMES]
            shares = [time / (one["to"] - one["from"]) / (last - first + 1) for time in times]
            y = ALL + GAP + 2 * row
            check_cell(browser, f"row {row} of interval {i}", (x, y + 0.5), f"Processors {first} to {last}", shares)
            browser.run(POINT, None)
            work, grid = COLOURS["work"], COLOURS["grid"]
            mixed = [g + (w - g) * shares[0] for w, g in zip(work, grid)]
            (found,) = browser.run(PIXELS, x, [y])
            expect(f"row {row} of interval {i}: {found} is {mixed}", True, all(abs(a - b) <= 2 for a, b in zip(found, mixed)))
    expect("many: how the cells are coloured", True, "A cell below them has the mixture of the colours." in browser.run("return document.body.textContent"))


def check_shared_cores(browser):
    """In free timing the largest share fills a cell, and the page says which that is. A processor that had a core for a
    whole interval fills the cell anyway, and the page says nothing."""
    browser.open(f"{FOLDER}/cores.html")
    profile = record("cores")["runs"][0]["profile"]
    shares = [(one["work"][p] + one["overhead"][p]) / (one["to"] - one["from"]) for one in profile["intervals"] for p in range(6)]
    note = browser.run("return [...document.querySelectorAll('.note')].map((note) => note.textContent).find((of) => of.includes('full cell'))")
    most = min(max(shares), 1.0)
    expect("cores: a note", most < 1.0, note is not None)
    if note:
        full = float(re.search(r"A full cell is ([0-9.]+) %", note)[1]) / 100
        expect(f"cores: {note}", True, abs(full - most) <= 6e-3 * full)
    at = shares.index(max(shares))
    one, p = profile["intervals"][at // 6], at % 6
    across = browser.run("return document.querySelector('.timeline canvas').clientWidth") - LEFT - 2
    x = LEFT + across * (one["from"] + one["to"]) / 2 / profile["intervals"][-1]["to"]
    length = one["to"] - one["from"]
    browser.run(POINT, None)
    check_bar(browser, "cores: the fullest cell", x, ALL + GAP + 20 * p + 18, 18, [one[name][p] / length for name in TIMES], most)


def check_without(browser):
    """A page without uPlot has everything but charts, and says so."""
    browser.log("browser")
    browser.open(f"{FOLDER}/without.html")
    said = browser.run("return document.querySelector('.chart').textContent")
    expect("without charts", "No chart: this evenkeel was built without uPlot.", said.split(" The")[0])
    expect("without charts, its map", True, browser.run("return document.querySelector('.map canvas').width > 100"))
    expect("without charts, console", [], [entry["message"] for entry in browser.log("browser")])


with Browser() as driven:
    for page_name in ("runs", "map", "free", "both", "tasks", "groups", "cores", "store", "contention", "recordings"):
        check_looks(driven, page_name)
    if len(sys.argv) > 2:
        check_curves(driven)
        check_cut_curve(driven)
    check_theory(driven)
    check_ends(driven)
    check_missed(driven)
    check_map(driven)
    check_second_run(driven)
    check_flows_of_runs(driven)
    check_other_experiment(driven)
    check_quotes(driven)
    check_table(driven)
    check_schemes(driven)
    check_hostile(driven)
    check_free(driven)
    check_store(driven)
    if len(sys.argv) > 2:
        check_contention(driven)
    check_timeline(driven)
    check_recorded(driven)
    for page_name in ("runs", "map", "free", "both", "tasks", "recordings"):
        check_paper(driven, page_name)
    check_profile(driven)
    check_execution(driven)
    check_many_rows(driven)
    check_shared_cores(driven)
    check_without(driven)
end()
