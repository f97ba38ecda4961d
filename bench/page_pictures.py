# SPDX-License-Identifier: MIT
"""Counts the pictures a second of the machine in a page (docs/web.md) while it plays 1,024 processors, in a headless
Chromium without a graphics card. Needs `make web`, chromium and chromium-driver."""

import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/command/page"))

from browser import Browser  # noqa: E402

SECONDS = 8
EXPERIMENT = "#--topology%20torus:32x32%20--method%20odf%20--load%20peak:102400"
# The time between two pictures, and the time that the page's own code takes for one.
COUNT = """
    goTo(0);
    window.between = [];
    window.drawing = [];
    const real = drawPicture;
    drawPicture = (at) => { const t = performance.now(); real(at); window.drawing.push(performance.now() - t); };
    let last = performance.now();
    const next = (now) => { window.between.push(now - last); last = now; if (player.running) requestAnimationFrame(next); };
    play();
    requestAnimationFrame(next);
"""


def quantile(values, part):
    return sorted(values)[int(part * (len(values) - 1))]


def busy_s(browser):
    """The processor time of the page's thread, so far."""
    metrics = browser.devtools("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def main():
    with Browser() as browser:
        browser.open(f"{ROOT}/build/web/index.html{EXPERIMENT}", 1400, 1000)
        while not browser.run("return Boolean(typeof player !== 'undefined' && player.result)"):
            time.sleep(0.1)
        browser.devtools("Performance.enable", timeDomain="threadTicks")
        busy = busy_s(browser)
        browser.run(COUNT)
        time.sleep(SECONDS)
        busy = busy_s(browser) - busy
        between, drawing = browser.run("return [window.between, window.drawing]")
        print(
            f"{len(between)} pictures in {sum(between) / 1000:.1f} s: {1000 * len(between) / sum(between):.1f} a second"
        )
        print(
            f"between two pictures: median {quantile(between, 0.5):.1f} ms, 99 % within {quantile(between, 0.99):.1f} ms"
        )
        print(f"processor time of the page's thread: {1000 * busy / len(between):.1f} ms a picture")
        print(
            f"the page's code for one: median {quantile(drawing, 0.5):.1f} ms, 99 % within {quantile(drawing, 0.99):.1f} ms"
        )


main()
