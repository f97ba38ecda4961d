#!/bin/sh
# SPDX-License-Identifier: MIT
# Stores with changed bytes, and truncated stores: each query ends with the answer of the undamaged store, or with a
# sentence and status 2, but never by a signal. DAMAGES=1000 tests/command/studies/test_damaged_store.sh damages more stores.
set -u
cd "$(dirname "$0")/../../.." || exit 1
: "${EVENKEEL:=build/evenkeel}" "${DAMAGES:=$((60 / ${TESTS_PART:-1}))}"
export EVENKEEL DAMAGES
PYTHONDONTWRITEBYTECODE=1 exec python3 - <<'PYTHON'
import os, random, subprocess, tempfile

evenkeel = os.environ["EVENKEEL"]
passed = failed = refused = 0


def run(*words):
    return subprocess.run([evenkeel, *words], capture_output=True, timeout=100)


def judge(good, what):
    global passed, failed
    passed, failed = passed + good, failed + (not good)
    if not good:
        print("FAILED", what)


with tempfile.TemporaryDirectory() as folder:
    os.symlink("/proc/self/fd/1", os.path.join(folder, "page"))
    store, bad = (os.path.join(folder, name) for name in ("store.sqlite", "bad.sqlite"))
    made = run("sweep", "--method", "ade,ode", "--topology", "ring:{4..8*2}", "--seed", "1..4", "--trace", "--store", store,
               "--quiet")
    judge(made.returncode == 0, made.stderr.decode())
    judged = ("papers", "otis-29", "--quick", "--format", "json", "--store")
    extracts = os.path.join(folder, "extracts.sqlite")
    judge(run(*judged, extracts).returncode == 0, "the store of claims")
    whole = {name: open(name, "rb").read() for name in (store, extracts)}
    questions = {("results", "--store", bad, "--format", "json"): store,
                 ("results", "--store", bad, "--trace-of", "variance", "--format", "json"): store,
                 ("report", bad, "--out", os.path.join(folder, "page")): store,
                 (*judged, bad): extracts}
    answers = {}
    for question, name in questions.items():
        with open(bad, "wb") as file:
            file.write(whole[name])
        done = run(*question)
        judge(done.returncode == 0, f"{question}, unhurt")
        answers[question] = done.stdout
    lots = random.Random(7)
    for number in range(int(os.environ["DAMAGES"])):
        damaged = {name: bytearray(of) for name, of in whole.items()}
        for of in damaged.values():
            for _ in range(lots.choice((1, 8, 64))):
                of[lots.randrange(len(of))] = lots.randrange(256)
            if number % 5 == 0:
                del of[lots.randrange(len(of)):]
        for question, name in questions.items():
            for end in "", "-wal", "-shm":
                if os.path.exists(bad + end):
                    os.remove(bad + end)
            with open(bad, "wb") as file:
                file.write(damaged[name])
            done = run(*question)
            refused += done.returncode == 2
            good = done.returncode in (0, 2)
            if done.returncode == 2:
                good = done.stderr.startswith(b"evenkeel: ") and done.stderr.count(b"\n") >= 1
            else:
                good = good and done.stdout == answers[question]
            judge(good, f"damage {number}, {question[0]} {question[3:4]}: {done.returncode} {done.stderr[:200]}")
judge(refused > 0, "no damage was seen")
print(f"{passed} passed, {failed} failed")
raise SystemExit(failed > 0)
PYTHON
