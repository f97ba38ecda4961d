# SPDX-License-Identifier: MIT
"""Lessons: files docs/lessons/NN-name.md with an experiment, a text, and what a test checks of both (docs/site.md)."""
import re
import shlex


class Check:
    """A line `check: [OPTIONS:] EXPRESSION = VALUE`; the operator can also be < or >."""

    def __init__(self, line):
        self.line = line
        parts = re.fullmatch(r"(?:(--.*): )?(.+) (=|<|>) (\S+)", line)
        if not parts:
            raise ValueError(f"a check has the form `[OPTIONS:] EXPRESSION = VALUE`, not `{line}`")
        self.changes, self.expression, self.operator, self.value = parts[1] or "", parts[2], parts[3], parts[4]


class Lesson:
    def __init__(self, path):
        self.path = str(path)
        parts = re.fullmatch("---\n(.*?)\n---\n(.*)", open(path, encoding="utf-8").read(), re.S)
        lines = [line.partition(": ")[::2] for line in parts[1].splitlines()] if parts else []
        values = dict(reversed(lines))
        unknown = [name for name in values if name not in ("title", "experiment", "check")]
        if unknown or not values.get("title") or not values.get("experiment"):
            raise ValueError(f"{path}: a lesson begins with ---, lines of title, experiment and check, and ---" +
                             (f"; it has the line `{unknown[0]}`" if unknown else ""))
        self.text = parts[2]
        self.title, self.experiment = values["title"], values["experiment"]
        self.checks = [Check(value) for name, value in lines if name == "check"]

    def options(self, changes=""):
        """The options of the experiment as pairs, some of them changed."""
        pairs = {}
        for text in (self.experiment, changes):
            words = shlex.split(text)
            pairs.update(zip(words[::2], words[1::2]))
        return pairs

    def commands(self):
        """The commands in the text."""
        return re.findall(r"`(evenkeel [^`]*)`", self.text)
