# SPDX-License-Identifier: MIT
"""The page of the machine in a browser: opens it, works its form, and reads what it shows. Other folders of tests are on
the path after it was imported."""

import json
import os
import shlex
import struct
import subprocess
import sys
import time
from urllib.parse import quote

HERE = os.path.dirname(__file__)
sys.path.insert(0, os.path.join(HERE, "..", "command", "page"))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from expect import expect

PAGE, COMMAND = os.path.realpath(sys.argv[1]), sys.argv[2]
SAMPLE = """
const hex = (numbers) => [...new Uint8Array(new Float64Array(numbers).buffer)].map((b) => b.toString(16).padStart(2, "0")).join("");
const { report, loads, count } = player.result;
const frames = [0, 1, 2, 3, Math.floor(count / 2), count - 2, count - 1].filter((i) => i >= 0 && i < count);
return {
  steps: report.steps, messages: report.messages, ended: report.ended, final: hex(report.final),
  variance: hex(report.trace.map((row) => row.variance)), moments: hex(report.frames),
  frames: frames.map((i) => hex(loads(i))), which: frames,
};
"""


IDLE = "document.getElementById('stage').getAttribute('aria-busy') === 'false'"


def hexed(numbers):
    return struct.pack(f"<{len(numbers)}d", *numbers).hex()


def command_run(words, *more):
    """The record of the command's run of these options, with its first run."""
    all_words = [COMMAND, "run", *words, "--carrier", "pool:1", "--format", "json", "--quiet", *more]
    record = json.loads(subprocess.run(all_words, capture_output=True, text=True, check=False).stdout)
    return record, record["runs"][0]


def wait_for(browser, condition):
    for _ in range(1200):
        if browser.run(f"return Boolean({condition})"):
            return
        time.sleep(0.05)
    raise TimeoutError(condition)


def open_page(browser, line="", **how):
    browser.ask("POST", "/url", {"url": "about:blank"})  # else another fragment would not load the page again
    fragment = f"#{quote(line)}" if line else ""
    browser.open(PAGE + fragment, **how)
    wait_for(browser, "typeof player !== 'undefined' && player.result")


def begin(browser, line):
    """Sets up an experiment in the open page, and waits for its run."""
    browser.run("begin(arguments[0])", line)
    wait_for(browser, IDLE)
    expect(
        f"errors of {line}",
        "",
        browser.run("return [...document.querySelectorAll('.error')].map((at) => at.textContent).join('')"),
    )


def text(browser, selector):
    return browser.run("return document.querySelector(arguments[0]).textContent", selector)


def click(browser, selector):
    browser.run("document.querySelector(arguments[0]).click()", selector)


def numbers(browser):
    return dict(
        browser.run(
            "return [...document.querySelectorAll('#numbers div')].map((of) => [...of.children].map((e) => e.textContent))"
        )
    )


def spelled(browser, value):
    return browser.run("return number(arguments[0])", value)


def enter(browser, option, value):
    """Types a value into a field, as its reader does, and waits for what the page says to it."""
    browser.run(
        "const field = document.getElementById(`value-${arguments[0]}`);"
        "field.value = arguments[1]; field.dispatchEvent(new Event('change'))",
        option,
        value,
    )
    wait_for(browser, IDLE)


def check_command(browser, what):
    """The command that the page shows has the bits of the page's run."""
    command = browser.run("return session.command")
    words = shlex.split(command)
    expect(f"{what}: a command", ["evenkeel", "run"], words[:2])
    expect(f"{what}: it is shown", command, text(browser, "#command").strip())
    _, run = command_run(words[2:], "--final")
    expect(f"{what}: the command's bits", hexed(run["final"]), browser.run(SAMPLE)["final"])
