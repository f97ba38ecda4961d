#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the modules of the package that follow from the public headers: `_library.py` has the declarations for cffi,
and `_fields.py` has the fields of reports, with their types and meanings.

    generate.py INCLUDE FOLDER
"""
import pathlib
import re
import subprocess
import sys

import cffi

# Fields that are parts of others: the lengths of arrays, and structs whose fields are those of the run.
INNER = ("trace_count", "frame", "frame_load", "frame_flow", "frame_count", "flow_count", "quota_dimensions", "tasks",
         "objects", "file", "file_count", "timed")
NUMBERS = {"double": "float", "bool": "bool", "enum": "str", "char": "str"}


def strip(text):
    """Returns the C declarations in a header, without what cffi cannot read."""
    text = re.sub(r"^#\s*include.*$", "", text, flags=re.M)
    text = subprocess.run(["cc", "-E", "-P", "-D__attribute__(x)=", "-x", "c", "-"], input=text, check=True,
                          capture_output=True, text=True).stdout
    text = re.sub(r"static inline [^;{]*\{.*?\n\}", "", text, flags=re.S)
    return re.sub(r"extern\s+const struct ek_plugin evenkeel_plugin;", "", text)


def declarations(include):
    """Returns the declarations of evenkeel.h, and that of a block of processors."""
    header = (include / "evenkeel.h").read_text()
    block = re.search(r"^struct ek_block \{\n.*?^\};", (include / "evenkeel" / "block.h").read_text(), re.S | re.M)
    version = re.search(r"^#define EK_API_VERSION (\d+)u", header, re.M).group(1)
    opaque = "struct ek_link_model; struct ek_uniform_run; struct ek_vicinity; void *malloc(size_t);"
    return f"#define EK_API_VERSION {version}\n{strip(header)}\n{opaque}\n{strip(block.group(0))}"


def meaning_of(lines, at):
    """Returns the comment of the field in line `at`: that at its end, which may go on in the next lines, or that in the
    lines above."""
    def text(line):
        return line.split("//", 1)[1].strip()

    if "//" in lines[at]:
        end = at + 1
        while end < len(lines) and re.match(r" {8,}//", lines[end]):
            end += 1
        return " ".join(text(line) for line in lines[at:end])
    begin = at
    while begin > 0 and lines[begin - 1].startswith("    //"):
        begin -= 1
    return " ".join(text(line) for line in lines[begin:at])


def fields_of(header, struct):
    """Returns (name, type in Python, meaning) of each field of a struct."""
    body = re.search(rf"^struct {struct} \{{\n(.*?)^\}};", header, re.S | re.M).group(1)
    lines = body.split("\n")
    fields = []
    for at, line in enumerate(lines):
        match = re.match(r"    (\w+)[\w ]*? \**(\w+(?:, \**\w+)*)(?:\[\w+\])?;", line)
        if match:
            kind = "np.ndarray" if "*" in line.split(";")[0] else NUMBERS.get(match.group(1), "int")
            kind = "Fields" if match.group(1) == "struct" and kind == "int" else kind
            for name in re.split(r", \**", match.group(2)):
                fields.append((name, kind, meaning_of(lines, at)))
    return fields


def main(include, folder):
    include, folder = pathlib.Path(include), pathlib.Path(folder)
    builder = cffi.FFI()
    builder.cdef(declarations(include))
    builder.set_source("evenkeel._library", None)
    builder.emit_python_code(str(folder / "_library.py"))
    header = (include / "evenkeel.h").read_text()
    with open(folder / "_fields.py", "w") as out:
        out.write('"""The fields of a run, from the public header."""\nimport numpy as np\n\nfrom .fields import Fields\n'
                  "\n\nclass ReportFields:\n")
        for struct in ("ek_report", "ek_tasks_report", "ek_objects_report"):
            for name, kind, meaning in fields_of(header, struct):
                if not name.startswith("has_") and name not in INNER:
                    out.write(f"    @property\n    def {name}(self) -> {kind}:\n        {meaning!r}\n"
                              f"        return getattr(self._fields, {name!r}, None)\n\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
