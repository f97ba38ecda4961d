# SPDX-License-Identifier: MIT
"""check_form.py PAGE COMMAND EXPERIMENTS: experiments that come from the form, the address or a lesson of the page of the
machine have the bits of the command, in a browser; errors stand at their fields. Prints what is wrong, and how much was
right."""

import json
import re
import shlex
import subprocess
import sys

from opened import (
    COMMAND,
    PAGE,
    SAMPLE,
    begin,
    check_command,
    click,
    command_run,
    enter,
    hexed,
    open_page,
    text,
    wait_for,
)
from browser import Browser
from expect import check, end, expect


def check_words(browser):
    """Words of a command line are read as a shell reads them."""
    open_page(browser)
    line = (
        """evenkeel run --topology='hsn(2,ring:4)' --overlaps --load "peak:5" --seed 3\\4 --method sender:1/(deg+1)"""
    )
    wanted = [
        ["topology", "hsn(2,ring:4)"],
        ["overlaps", "true"],
        ["load", "peak:5"],
        ["seed", "34"],
        ["method", "sender:1/(deg+1)"],
    ]
    expect("the words of a command", wanted, browser.run("return readOptions(arguments[0], form.axes).pairs", line))
    written = "--topology 'hsn(2,ring:4)' --overlaps --load peak:5 --seed 34 --method 'sender:1/(deg+1)'"
    expect("written again", written, browser.run("return writeOptions(arguments[0], form.axes)", wanted))
    expect("a quote", "--load 'a'\\''b'", browser.run("return writeOptions([['load', \"a'b\"]], form.axes)"))


def check_fragment(browser):
    line = (
        "--topology 'product(ring:4,complete:3)' --method ade --load uniform:0:100 --units tokens --seed 3 --overlaps"
    )
    open_page(browser, line)
    expect("the command", f"evenkeel run {line}", browser.run("return session.command"))
    check_command(browser, "from the address")
    final = browser.run(SAMPLE)["final"]
    address = browser.run("return window.location.href")
    browser.ask("POST", "/url", {"url": "about:blank"})
    browser.ask("POST", "/url", {"url": address})
    wait_for(browser, "typeof player !== 'undefined' && player.result")
    expect(
        "the same experiment from its address",
        (final, f"evenkeel run {line}"),
        (browser.run(SAMPLE)["final"], browser.run("return session.command")),
    )
    browser.run(
        "window.before = player.result; window.location.hash = '#--topology ring:9 --method adf --load peak:90'"
    )
    wait_for(browser, "player.result !== window.before")
    expect(
        "another address in the open page",
        ["ring:9", "adf", "peak:90", "", "", ""],
        browser.run(
            "return ['topology', 'method', 'load', 'delay', 'timing', 'more'].map((of) => document.getElementById(`value-${of}`).value)"
        ),
    )
    browser.run("window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text) }")
    click(browser, "#copy")
    click(browser, "#share")
    wait_for(browser, "document.getElementById('copied').textContent.includes('link')")
    expect(
        "copied",
        ["evenkeel run --topology ring:9 --method adf --load peak:90", browser.run("return window.location.href")],
        browser.run("return window.copied"),
    )


def check_lists(browser):
    """The lists of the form have what `evenkeel list` has."""
    listed = json.loads(
        subprocess.run([COMMAND, "list", "--format", "json"], capture_output=True, text=True, check=True).stdout
    )
    shown = browser.run("return [...document.querySelectorAll('#choose-method option')].map((at) => at.value)")
    expect("methods", len(listed["methods"]), len(shown) - 1)
    expect("a method's title", "ade: average dimension exchange", text(browser, "#choose-method option[value=ade]"))
    forms = browser.run(
        "return [...document.querySelectorAll('.field:first-child details dt')].map((at) => at.textContent)"
    )
    topology = next(axis for axis in listed["options"] if axis["option"] == "topology")
    expect("forms of topologies", [value["form"] for value in topology["values"]], forms)


def check_errors(browser):
    open_page(browser, "--topology ring:9 --method adf --load peak:90")
    wrong = [
        ("topology", "ring:x", "ring:9", "The number of processors must be a whole number from 1 to 1073741824."),
        ("method", "adff", "adf", None),
        ("load", "peak:-1", "peak:90", None),
        ("delay", "fixed:x", "none", "The delay must be a whole number from 0 to 4096."),
        (
            "timing",
            "free",
            "rounds",
            "Free timing lets threads race, and a page has none: choose rounds, turns or virtual.",
        ),
        ("more", "--colour red", "", "There is no option --colour here: evenkeel list names them all."),
        ("more", "--seed", "", "--seed needs a value."),
        ("more", "seed 3", "", "Options begin with two dashes, as in --seed 7."),
        ("more", "--units pounds", "", None),
        (
            "more",
            "--carrier threads",
            "",
            "--carrier: a page has no threads, so this option means nothing here: leave it out.",
        ),
    ]
    for option, value, right, sentence in wrong:
        what = f"{option} {value}"
        enter(browser, option, value)
        shown = browser.run(
            "return [...document.querySelectorAll('.error:not([hidden])')].map((at) => [at.id, at.textContent])"
        )
        expect(f"{what}: one error, at its field", [f"error-{option}"], [of[0] for of in shown])
        said = shown[0][1] if shown else ""
        check(f"{what}: a sentence", said == sentence if sentence else re.fullmatch(r"[A-Z-].{20,}[.?]", said), said)
        expect(
            f"{what}: the field",
            "true",
            browser.run("return document.getElementById(`value-${arguments[0]}`).getAttribute('aria-invalid')", option),
        )
        check(f"{what}: the picture is pale", browser.run("return document.body.classList.contains('stale')"))
        enter(browser, option, right)
        expect(
            f"{what}: no error after it was put right",
            0,
            browser.run("return document.querySelectorAll('.error:not([hidden]), [aria-invalid]').length"),
        )
    browser.run(
        "const list = document.getElementById('choose-topology'); list.value = 'ring:16'; list.dispatchEvent(new Event('change'))"
    )
    wait_for(browser, "player.result.machine.topology.processors === 16")
    expect(
        "an example chosen from the list",
        "ring:16",
        browser.run("return document.getElementById('value-topology').value"),
    )
    expect("a wrong address", ["error-topology"], errors_of_address(browser))


def errors_of_address(browser):
    browser.ask("POST", "/url", {"url": "about:blank"})
    browser.open(f"{PAGE}#--topology%20ring:x")
    wait_for(browser, "document.querySelector('.error:not([hidden])')")
    expect(
        "a page without a run shows no buttons",
        "none",
        browser.run("return getComputedStyle(document.getElementById('stage')).display"),
    )
    return browser.run("return [...document.querySelectorAll('.error:not([hidden])')].map((at) => at.id)")


def check_long_run(browser):
    open_page(browser, "--topology ring:9 --method adf --load peak:90")
    browser.run("begin('--topology ring:2000 --method fos --load peak:2000000 --stop never --steps 30000000')")
    wait_for(browser, "!document.getElementById('busy').hidden")
    click(browser, "#halt")
    said = "You stopped this run: choose a smaller graph, or a limit such as --steps 1000."
    expect(
        "a run that is stopped",
        (said, True),
        (text(browser, "#error-more"), browser.run("return document.getElementById('busy').hidden")),
    )
    begin(browser, "--topology ring:10 --method adf --load peak:90")
    expect("the next run", 10, browser.run("return player.result.machine.topology.processors"))


def check_lessons(browser):
    open_page(browser)
    lessons = browser.run("return page.lessons")
    check("there are lessons", len(lessons) >= 1)
    for i, lesson in enumerate(lessons):
        browser.run(
            "window.before = player.result; const list = document.getElementById('choose-lesson'); list.value = arguments[0];"
            "list.dispatchEvent(new Event('change'))",
            i,
        )
        wait_for(browser, "player.result !== window.before || document.querySelector('.error:not([hidden])')")
        expect(
            f"{lesson['title']}: no error",
            0,
            browser.run("return document.querySelectorAll('.error:not([hidden])').length"),
        )
        first = re.sub(r"\W", "", lesson["text"])[:30]
        expect(f"{lesson['title']}: its text", first, re.sub(r"\W", "", text(browser, "#lesson .text"))[:30])
        check_command(browser, lesson["title"])
    expect(
        "the last has no next one",
        [False, True],
        browser.run("return ['lesson-before', 'lesson-after'].map((id) => document.getElementById(id).disabled)")
        if len(lessons) > 1
        else [False, True],
    )
    made = browser.run(
        "return blocks('# A\\n\\nOne `two` *three*\\n**four**\\n\\n* five\\n  six\\n* [seven](eight)').map((at) => at.outerHTML).join('')"
    )
    expect(
        "the marks of a text",
        "<h3>A</h3><p>One <code><span>two</span></code> <em>three</em> <strong>four</strong></p>"
        '<ul><li>five six</li><li><a href="eight">seven</a></li></ul>',
        made,
    )


def check_bits(browser):
    """Every experiment of the list, set up by the page's form, has the command's bits."""
    with open(sys.argv[3], encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    same = 0
    for line in lines:
        words = [part for pair in line.split(" ") for part in ("--" + pair.split("=", 1)[0], pair.split("=", 1)[1])]
        begin(browser, shlex.join(words))
        shown = browser.run(SAMPLE)
        _, run = command_run(words, "--final", "--trace", "--frames", "2000")
        frames = run["frames"]
        wanted = {
            "steps": run["steps"],
            "messages": run["messages"],
            "ended": run["ended"],
            "final": hexed(run["final"]),
            "variance": hexed([row["variance"] for row in run["trace"]]),
            "moments": hexed([frame.get("step", frame.get("time")) for frame in frames]),
            "frames": [hexed(frames[i]["load"]) for i in shown["which"]],
            "which": shown["which"],
        }
        differing = [name for name in wanted if wanted[name] != shown[name]]
        same += not differing
        if differing:
            print(f"{line}: {differing}")
    expect("experiments with the command's bits", len(lines), same)
    check("at least fifty", same >= 50, same)


with Browser() as driven:
    for one in (check_words, check_fragment, check_lists, check_errors, check_long_run, check_lessons, check_bits):
        one(driven)
end()
