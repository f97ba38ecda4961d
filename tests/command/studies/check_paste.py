# SPDX-License-Identifier: MIT
"""Reads the tables `markdown` and `latex` back, and compares them with `table` and `json`: prints what differs."""
import json
import re
import sys


def markdown_rows(text):
    """The cells by the rules of GitHub Flavored Markdown: a backslash before punctuation makes it plain."""
    lines = [line for line in text.split("~~~")[0].splitlines() if line.startswith("|")]
    rows = []
    for line in lines[:1] + lines[2:]:
        cells, cell, escaped = [], "", False
        for c in line:
            if escaped or c not in "\\|":
                cell, escaped = cell + c, False
            elif c == "\\":
                escaped = True
            else:
                cells.append(cell.strip())
                cell = ""
            if not escaped and c in "*_`<~[]$#&" and not re.search(r"\\" + re.escape(c), line):
                print("not escaped:", c, "in", line)
        rows.append(cells[1:])
    if not re.fullmatch(r"(\| (---|---:) )+\|", lines[1]):
        print("no line of a table below its head:", lines[1])
    return rows


LATEX = {r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", "$<$": "<", "$>$": ">",
         "$|$": "|", r"\textquotedbl{}": '"', "{}": "", r"\{": "{", r"\}": "}", r"\$": "$", r"\&": "&", r"\#": "#",
         r"\%": "%", r"\_": "_"}


def latex_rows(text):
    """The cells between the rules of booktabs."""
    found = re.search(r"\\begin\{tabular\}\{(.*)\}\n\\toprule\n(.*)\n\\midrule\n(.*)\\bottomrule\n\\end\{tabular\}", text, re.S)
    if not found:
        return print("no tabular:", text)
    kinds, head, body = found.groups()
    columns = len(re.sub(r"p\{[^}]*\}+", "p", kinds))
    rows = []
    for line in [head] + body.splitlines():
        if not line.endswith(r" \\") or line.startswith(("[", "*")):
            print("no line of LaTeX:", line)
        cells = [""]
        tokens = re.findall(r"\\text\w+\{\}|\$[<>|]\$|\{\}|\\[{}$&#%_]| & |.", line[: -len(r" \\")])
        for token in tokens:
            if token == " & ":
                cells.append("")
            elif token in LATEX:
                cells[-1] += LATEX[token]
            elif token in '\\~^<>|"{}$&#%_':
                print("not escaped:", token, "in", line)
            else:
                cells[-1] += token
        if len(cells) != columns:
            print("the line has", len(cells), "cells, and", columns, "columns:", line)
        rows.append([cell.strip() for cell in cells])
    return rows


def notes(text, kind):
    lines = text.split("~~~text\n")[1].split("~~~\n")[0].splitlines() if kind == "markdown" else [
        line[2:] for line in text.split("\\end{tabular}\n")[1].splitlines()]
    return [" ".join(line.split()) for line in lines]


def same_value(cell, value):
    """A cell shows a number of JSON with six digits, and thousands with a comma; its first number is a mean."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return cell == ("-" if value is None else str(value))
    shown = float(cell.split(" ")[0].replace(",", ""))
    return abs(shown - value) <= 1e-5 * abs(value)


def check_store(head, lines, values):
    """Results: lists and means."""
    table = open("table").read()
    for row, value in zip(lines, values):
        for name, cell in zip(head, row):
            of = value[name]
            if not same_value(cell, of["mean"] if isinstance(of, dict) else of):
                print(name, "is", cell, "and in JSON", of)
            if cell not in table:
                print("the table has no", cell)
        for name in [name for name in head if isinstance(value[name], dict)]:
            low, high = re.search(r"\[(.*); (.*)\]", row[head.index(name)]).groups()
            if not (same_value(low, value[name]["low"]) and same_value(high, value[name]["high"])):
                print("the interval is", low, high, "and in JSON", value[name])


def main():
    case = sys.argv[1]
    pasted = {kind: open(kind).read() for kind in ("markdown", "latex")}
    rows = markdown_rows(pasted["markdown"])
    other = latex_rows(pasted["latex"])
    if case == "rank":  # the last column is the time that this run took
        rows, other = [row[:-1] for row in rows], [row[:-1] for row in other]
    if rows != other:
        print("Markdown has\n", rows, "\nLaTeX has\n", other)
    values = [json.loads(line) for line in open("json")] if case in ("list", "means") else json.load(open("json"))
    head, lines = rows[0], rows[1:]
    if case in ("list", "means"):
        wanted = values
        check_store(head, lines, wanted)
    elif case in ("theory", "rank"):
        wanted = values["methods"]
        keys = ({"method": "name", "parameter": "parameter", "best": "parameter_best", "exact factor": "gamma_exact",
                 "closed form": "gamma_closed", "operations": "operations", "steps": "steps"} if case == "theory" else
                {"method": "method", "steps": "mean", "theory": "theory"})
        for row, value in zip(lines, wanted):
            for name, key in keys.items():
                of = value[key]
                if not same_value(row[head.index(name)], of):
                    print(name, "is", row[head.index(name)], "and in JSON", of)
    else:
        wanted = values["claims"]
        for row, value in zip(lines, wanted):
            for name, key in {"claim": "id", "place": "place", "what is claimed": "claim", "kind": "kind", "why": "why"}.items():
                if name in head and row[head.index(name)] != " ".join(str(value[key]).split()):
                    print(name, "is", row[head.index(name)], "and in JSON", value[key])
    if len(lines) != len(wanted) or not lines:
        print(len(lines), "lines for", len(wanted), "values")
    if case in ("list", "means", "theory", "rank"):
        table = " ".join(open("table").read().split())
        for kind in pasted:
            for line in notes(pasted[kind], kind):
                if line not in table and ": reached in " not in line:  # in the table this is below the name
                    print("the table does not say", line)
        if notes(pasted["markdown"], "markdown") != notes(pasted["latex"], "latex"):
            print("the notes differ")


main()
