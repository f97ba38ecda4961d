# SPDX-License-Identifier: MIT
"""What the checks of recordings share: the command, replays of it, and the count of checks."""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
import expect

BINARY = os.environ.get("EVENKEEL", "build/evenkeel")
end = expect.end


def check(good, what):
    expect.check(what, good)


def run(*words):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=200)
    return done.returncode, done.stdout, done.stderr


def replayed(path, *words):
    status, out, err = run("replay", path, "--format", "json", *words)
    check(status == 0, f"replay {words}: status {status}, {err}")
    return json.loads(out)
