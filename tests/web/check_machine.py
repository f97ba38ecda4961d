# SPDX-License-Identifier: MIT
"""check_machine.py PAGE COMMAND: the picture, the player, the curve and the numbers of the page of the machine, in a
browser, against the command. Prints what is wrong, and how much was right."""

import re
import shlex
import subprocess
import time

from opened import COMMAND, PAGE, begin, check_command, click, command_run, numbers, open_page, spelled, text, wait_for
from browser import Browser
from expect import check, end, expect, near
from looks import CONTRAST, WIDTH, check_quiet

# Returns the places of columns whose parts are wider than the column.
COLUMNS = """return [...document.querySelectorAll(".column")].flatMap((column, place) =>
  [...column.children].some((part) =>
    part.getBoundingClientRect().right > column.getBoundingClientRect().right + 0.5 && column.clientWidth > 0)
    ? [place] : [])"""


def check_looks(browser):
    for scheme, width in (("light", 1400), ("dark", 1400), ("light", 400), ("dark", 400)):
        what = f"{scheme}, {width}"
        browser.log("browser")
        browser.ask("POST", "/url", {"url": "about:blank"})
        browser.log("performance")
        browser.open(PAGE, width, scheme=scheme)
        wait_for(browser, "typeof player !== 'undefined' && player.result")
        check_quiet(browser, what, f"file://{PAGE}")
        expect(f"{what}: scheme", scheme, browser.run("return document.documentElement.dataset.theme"))
        expect(f"{what}: nothing is wider than the window", 0, browser.run(WIDTH))
        expect(f"{what}: columns that reach into the next", [], browser.run(COLUMNS))
        contrast = browser.run(CONTRAST)
        check(f"{what}: contrast", contrast["worst"][0] >= 4.5 and contrast["seen"] > 40, contrast["worst"])


def check_step(browser):
    open_page(browser, "--topology torus:8x8 --method ode --load peak:6400")
    _, run = command_run(
        shlex.split("--topology torus:8x8 --method ode --load peak:6400"), "--frames", "2000", "--trace"
    )
    click(browser, "#start")
    click(browser, "#step")
    wait_for(browser, "!player.running")
    expect("Step goes to step 1", 1, browser.run("return player.at"))
    loads = browser.run("return Array.from(player.result.loads(player.at))")
    expect("the loads of step 1", run["frames"][1]["load"], loads)
    shown = numbers(browser)
    expect("step", f"1 of {run['steps']}", shown["Step"])
    expect("variance", f"{spelled(browser, run['trace'][1]['variance'])} load²", shown["Variance"])
    expect("total", "6,400 units of load", shown["Total"])
    expect("under way", "0 units of load", shown["Under way on links"])
    expect("imbalance", f"{spelled(browser, 100 * (max(loads) / 100 - 1))} % above mean", shown["Imbalance"])
    click(browser, "#step")
    click(browser, "#step")
    wait_for(browser, "!player.running")
    expect("two steps more", f"3 of {run['steps']}", numbers(browser)["Step"])
    browser.run("goTo(player.result.count - 1)")
    expect("messages of the run", f"{run['messages']:,} so far", numbers(browser)["Messages"])
    expect("the sentence of the end", "The run ends because its criterion variance:1 held.", text(browser, "#ended"))
    ends = browser.run("return [...document.querySelectorAll('#legend .ends span')].map((at) => at.textContent)")
    expect("the legend", ["0", "mean 100", "800", "6,400"], ends)
    expect(
        "what colours mean",
        "The colour of a processor is its load, in units of load, logarithmic above the mean.",
        text(browser, "#legend .note"),
    )
    told = text(browser, "#method")
    check("the method", told.startswith("ode, optimal dimension exchange: w_i := w_i + lambda (w_j - w_i)"), told)
    click(browser, "#start")
    expect("Back to start", f"0 of {run['steps']}", numbers(browser)["Step"])


def check_play(browser):
    click(browser, "#play")
    wait_for(browser, "player.at > 0.3")
    expect("the button while it plays", "❚❚ Pause", text(browser, "#play"))
    click(browser, "#play")
    at = browser.run("return player.at")
    time.sleep(0.3)
    expect("Pause", (at, "▶ Play"), (browser.run("return player.at"), text(browser, "#play")))
    check("a pause shows a whole moment", at == int(at), at)
    browser.run("setSpeed(SPEEDS.length - 1); document.getElementById('play').click()")
    wait_for(browser, "!player.running")
    expect("Play goes to the end", True, browser.run("return player.at === player.result.count - 1"))
    browser.run("setSpeed(0)")
    click(browser, "#play")
    wait_for(browser, "player.running && player.at > 0")
    check("Play begins again after the end", browser.run("return player.at < player.result.count - 1"))
    click(browser, "#play")
    browser.run("setSpeed(0); play()")
    for width in (900, 1400):
        browser.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False
        )
        time.sleep(0.5)
    expect("a resized window plays on", True, browser.run("return player.running"))
    browser.run("const s = document.getElementById('moment'); s.value = 4; s.dispatchEvent(new Event('input'))")
    expect("the slider", 4, browser.run("return player.at"))
    browser.run("const s = document.getElementById('speed'); s.value = 3; s.dispatchEvent(new Event('input'))")
    expect("the speed", "2 a second", text(browser, "#player output"))


PIXEL = """
const [x, y] = arguments[0];
const { fine, size, left } = picture;
const place = [fine * (size * x + left), fine * size * y].map(Math.round);
return [...picture.front.getContext("2d").getImageData(place[0], place[1], 1, 1).data];
"""


def check_picture(browser):
    """Processors are where `evenkeel draw` has them, and have the colour of their load; load moves along the links."""
    open_page(browser, "--topology ring:40 --method ode --load peak:4000")
    drawn = subprocess.run(
        [COMMAND, "draw", "ring:40", "--out", "-"], capture_output=True, text=True, check=True
    ).stdout
    circles = [float(n) for found in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn) for n in found]
    at = browser.run("return picture.result.machine.drawing.at")
    expect("the places of draw", circles, at)
    near_edge = [at[2 * 7] + browser.run("return 0.7 * picture.radius / picture.size"), at[2 * 7 + 1]]
    shades = browser.run("return shades()")
    expect("a processor without load", shades[0], browser.run(PIXEL, near_edge)[:3])
    browser.run("goTo(player.result.count - 1)")
    expect("a processor at the mean", shades[len(shades) // 2], browser.run(PIXEL, near_edge)[:3])
    # Between the start and step 1 half of the peak crosses a link, and is drawn in its middle half the time.
    browser.run("goTo(0); drawPicture(0.5)")
    line = browser.run(
        "const i = picture.result.flows(1).findIndex((flow) => flow !== 0); return pointAt(picture.points[i], 0.5)"
    )
    expect("load on its way", [27, 33, 40, 255], browser.run(PIXEL, line))
    browser.run("drawPicture(0)")
    expect("no load on its way at the start", 0, browser.run(PIXEL, line)[3])
    browser.run("goTo(1)")
    expect("an arrow where load has crossed", [27, 33, 40, 255], browser.run(PIXEL, line))
    # The loads change in a step by the load that crosses the links.
    before, after, flows, ends = browser.run(
        "const { result } = picture; return [result.loads(4), result.loads(5), result.flows(5)].map((of) => Array.from(of))"
        ".concat([result.machine.drawing.lines.map(([from, to]) => [from, to])])"
    )
    for flow, (source, target) in zip(flows, ends):
        before[source] -= flow
        before[target] += flow
    check("the flows of step 5", any(flows) and all(near(a, b) for a, b in zip(before, after)), flows)
    label = browser.run("return document.getElementById('processors').getAttribute('aria-label')")
    check("the picture in words", label.startswith("ring:40: 40 processors, 40 links, a run of "), label)
    begin(browser, "--topology complete:300 --method odf --load peak:300")
    expect(
        "a graph that is not drawn",
        "A drawing has at most 40000 links, and complete:300 has 44850: draw a smaller one of its family.",
        text(browser, "#picked"),
    )


def middle(browser, p):
    """The centre of a processor in the window."""
    return browser.run(
        "const { at } = picture.result.machine.drawing; const box = picture.front.getBoundingClientRect(); const p = arguments[0];"
        "return [box.left + at[2 * p] * picture.size + picture.left, box.top + at[2 * p + 1] * picture.size]",
        p,
    )


def check_drag(browser):
    open_page(browser, "--topology torus:8x8 --method ade --load peak:6400")
    browser.run("goTo(2)")
    loads = browser.run("return Array.from(player.result.loads(2))")
    browser.run(
        "window.before = player.result; document.getElementById('processors').scrollIntoView({ block: 'center' })"
    )
    for kind, p in (("mousePressed", 0), ("mouseMoved", 20), ("mouseMoved", 36), ("mouseReleased", 36)):
        browser.mouse(kind, *middle(browser, p))
    wait_for(browser, "player.result !== window.before")
    wanted = list(loads)
    wanted[36] += loads[0] / 2
    wanted[0] /= 2
    expect("the loads after the drag", wanted, browser.run("return player.result.report.initial"))
    expect(
        "the sentence of the drag",
        f"You moved {spelled(browser, loads[0] / 2)} units of load from processor 0 to processor 36 after step 2. "
        "The machine starts again from these loads.",
        text(browser, "#moved"),
    )
    expect("it starts again", 0, browser.run("return player.at"))
    check_command(browser, "after the drag")
    begin(browser, "--topology ring:8 --method adf --load peak:800 --delay fixed:3")
    flying = browser.run("goTo(2); window.before = player.result; return player.result.row(2).in_flight")
    browser.run("takeUp(0); letGo(4)")
    wait_for(browser, "player.result !== window.before")
    said = text(browser, "#moved")
    check(
        "load under way",
        flying > 0 and f"What was under way on links, {spelled(browser, flying)} units of load, is left out." in said,
        said,
    )
    # Tokens stay whole; there is a share of all.
    begin(browser, "--topology ring:5 --method ade --load list:7,3,3,3,3 --units tokens")
    expect(
        "half of 7 tokens",
        [[4, 6, 3, 3, 3], 3],
        browser.run("const { loads, amount } = moveLoad(player.result, 0, 0, 1, 0.5); return [loads, amount]"),
    )
    expect(
        "none to move",
        "Processor 1 has no load that could be moved.",
        browser.run("return moveLoad({ ...player.result, loads: () => [7, 0] }, 0, 1, 0, 1).error"),
    )
    begin(browser, "--topology ring:8 --method ade --tasks queens:6")
    expect(
        "tasks",
        "Load that consists of tasks cannot be moved by hand.",
        browser.run("return moveLoad(player.result, 0, 0, 1, 1).error"),
    )


def check_keys(browser):
    open_page(browser, "--topology mesh:4x4 --method ade --load peak:1600")
    browser.run("window.before = player.result; document.getElementById('processors').focus()")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"):
        browser.press(key)
    expect("arrow keys choose", 5, browser.run("return picture.chosen"))
    check("and say it", text(browser, "#picked").startswith("Processor 5: 0 units of load."), text(browser, "#picked"))
    for key in ("ArrowUp", "ArrowLeft", "Enter", "ArrowDown", "Escape"):
        browser.press(key)
    expect("Escape lets go", None, browser.run("return picture.held"))
    for key in ("ArrowUp", "Enter", "ArrowDown", "ArrowDown", "Enter"):
        browser.press(key)
    wait_for(browser, "player.result !== window.before")
    expect(
        "moved by keys",
        [800, 800],
        browser.run("const { initial } = player.result.report; return [initial[0], initial[8]]"),
    )
    # Every control can be reached and has a name.
    unnamed = browser.run(
        "return [...document.querySelectorAll('button, input, select, canvas[tabindex]')].filter((at) => at.tabIndex < 0 ||"
        "!(at.textContent.trim() || at.getAttribute('aria-label') || at.labels && at.labels.length)).map((at) => at.outerHTML)"
    )
    expect("controls without a name", [], unnamed)


def check_theory(browser):
    open_page(browser, "--topology torus:8x8 --method ade --load peak:6400")
    record, run = command_run(shlex.split("--topology torus:8x8 --method ade --load peak:6400"))
    gamma = record["theory"]["gamma_exact"]
    for measure, power, first in (("variance", 2, run["variance_initial"]), ("imbalance", 1, 63.0)):
        begins, ends = browser.run("return curvesOf(player.result, arguments[0]).predicted", measure)
        expect(f"theory of the {measure}: its places", [0, run["steps"]], [begins[0], ends[0]])
        check(f"theory of the {measure}: its beginning", near(begins[1], first), begins)
        check(
            f"theory of the {measure}: its end",
            near(ends[1] / first, gamma ** (power * run["operations"]), 1e-12),
            ends,
        )
    expect("where theory is from", "The rate is from the spectrum of the graph.", text(browser, "#curve .note"))
    key = text(browser, "#curve .legend")
    expect("the key", f"this runtheory: × {spelled(browser, gamma)}² with each operation", key)
    middle_of = browser.run("const { frame } = chart; return (frame.left + frame.right) / 2")
    steps = browser.run("return player.result.moments[frameAtX(arguments[0])]", middle_of)
    check("a click on the chart goes to its moment", abs(steps - run["steps"] / 2) <= 1, steps)
    begin(browser, "--topology hypercube:4 --method ade --load peak:1600")
    expect(
        "a factor of 0", "By theory one operation balances these loads, up to rounding.", text(browser, "#curve .note")
    )
    begin(browser, "--topology ring:16 --method adf --timing virtual --load peak:1600")
    check(
        "virtual time",
        text(browser, "#curve .note").startswith("Theory counts operations of all processors at once"),
        text(browser, "#curve .note"),
    )
    begin(browser, "--topology ring:16 --method ops --load peak:1600")
    check(
        "a method without a rate",
        text(browser, "#curve .note").startswith("Theory predicts no rate for this experiment."),
        text(browser, "#curve .note"),
    )
    expect("the end of a direct method", True, "The run ends because the method was done." in text(browser, "#ended"))


def check_ends(browser):
    for line, sentence in (
        ("--topology ring:16 --method fos --load peak:1600 --steps 7", "The limit on steps ended the run."),
        (
            "--topology ring:16 --method ade --timing virtual --load peak:1600 --stop never --for 50us",
            "The limit on time ended the run.",
        ),
        ("--topology ring:8 --method ade --tasks queens:6", "The run ends because no task is left."),
        (
            "--topology ring:8 --method steal:random --tasks queens:6",
            "The run ends because no task is left. This method writes "
            "letters, which no link counts: the picture has no load on its way.",
        ),
    ):
        begin(browser, line)
        expect(f"the end of {line}", sentence, text(browser, "#ended"))
    expect("tasks are counted", "tasks", numbers(browser)["Total"].split(" ")[-1])
    begin(browser, "--topology ring:64 --method fos --load peak:64 --stop never --steps 5000")
    expect(
        "frames that are thinned",
        "The limit on steps ended the run. The picture has one step in 4.",
        text(browser, "#ended"),
    )


def check_virtual(browser):
    open_page(browser, "--topology ring:16 --method adf --timing virtual --load peak:1600")
    _, run = command_run(
        shlex.split("--topology ring:16 --method adf --timing virtual --load peak:1600"), "--frames", "2000", "--trace"
    )
    frame = run["frames"][10]
    row = next(row for row in run["trace"] if row["time"] == frame["time"])
    browser.run("goTo(10)")
    expect("the loads of moment 10", frame["load"], browser.run("return Array.from(player.result.loads(10))"))
    shown = numbers(browser)
    expect(
        "virtual time",
        f"{spelled(browser, 1e6 * frame['time'])} of {spelled(browser, 1e6 * run['frames'][-1]['time'])} µs",
        shown["Virtual time"],
    )
    expect("variance", f"{spelled(browser, row['variance'])} load²", shown["Variance"])
    expect(
        "under way",
        f"{spelled(browser, browser.run('return round(arguments[0])', row['in_flight']))} units of load",
        shown["Under way on links"],
    )


def check_stillness(browser):
    open_page(browser, "--topology ring:16 --method ade --load peak:1600", motion="reduce")
    browser.run(
        "window.drawn = []; const real = drawPicture; drawPicture = (at) => { window.drawn.push(at); real(at); }"
    )
    click(browser, "#step")
    expect("Step without motion", [1, False], browser.run("return [player.at, player.running]"))
    browser.run("setSpeed(6); play()")
    wait_for(browser, "player.at > 4")
    browser.run("pause()")
    drawn = browser.run("return window.drawn")
    check("no load on its way", len(drawn) > 3 and all(at == int(at) for at in drawn), drawn[:9])


with Browser() as driven:
    for one in (
        check_looks,
        check_step,
        check_play,
        check_picture,
        check_drag,
        check_keys,
        check_theory,
        check_ends,
        check_virtual,
        check_stillness,
    ):
        one(driven)
end()
