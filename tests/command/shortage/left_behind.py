# SPDX-License-Identifier: MIT
"""What a command left behind, file by file, as a value that can be compared; ValueError where one is not whole."""
import ctypes
import json
import os
import sqlite3
import subprocess

EVENKEEL = os.path.abspath(os.environ.get("EVENKEEL", "build/evenkeel"))
TIMES = {"id", "started", "duration_s", "elapsed_s", "version", "checksum"}
BESIDE_STORES = ("-wal", "-shm", "-journal")  # SQLite's own, which it comes back to

zstd = ctypes.CDLL("libzstd.so.1")
zstd.ZSTD_decompress.restype = zstd.ZSTD_getFrameContentSize.restype = ctypes.c_size_t


def unpacked(packed):
    room = ctypes.create_string_buffer(zstd.ZSTD_getFrameContentSize(packed, ctypes.c_size_t(len(packed))))
    size = zstd.ZSTD_decompress(room, ctypes.c_size_t(len(room)), packed, ctypes.c_size_t(len(packed)))
    return json.loads(room.raw[:size])


def demand(good, what):
    if not good:
        raise ValueError(what)


def store(path):
    """Its runs, by key and seed, each with a record that is its own. A file without a table is to become one."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    try:
        demand(connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "it is damaged")
        if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            return {}
        records = dict(connection.execute("SELECT run, json FROM records"))
        runs = {}
        for row in connection.execute("SELECT * FROM runs"):
            of = unpacked(records.pop(row["id"]))["runs"]
            same = len(of) == 1 and all(of[0][name] == row[name] for name in ("seed", "steps", "moved", "variance_final"))
            demand(same and (row["key"], row["seed"]) not in runs, "a run is half there, or twice")
            runs[row["key"], row["seed"]] = [row[name] for name in row.keys() if name not in TIMES]
        demand(not records, "a record is of no run")
        return runs
    except (sqlite3.Error, KeyError) as error:
        raise ValueError(error) from error
    finally:
        connection.close()


def recording(path):
    """Whether it is whole, or cut and says so; None where the run had not begun."""
    done = subprocess.run([EVENKEEL, "replay", path, "--format", "json"], capture_output=True, text=True, timeout=60)
    if done.returncode == 2:
        demand("the run had not begun" in done.stderr or os.path.getsize(path) < 21, done.stderr)
        return None
    demand(done.returncode == 0, "replay ends with status %d: %s" % (done.returncode, done.stderr))
    look = json.loads(done.stdout)
    demand(look.get("replayed") or look.get("whole") is False, "it says neither that it is whole nor that it is cut")
    return look.get("replayed", False)


def text(path):
    """A .part is what a process was writing that ended at once. Of CSV perhaps fewer runs, of those before the one that failed; that is said then."""
    if path.endswith(".part"):
        return "part"
    with open(path) as file:
        has = file.read()
    if path.endswith(".json"):
        demand(json.loads(has), "it is empty")
    elif path.endswith(".csv"):
        demand(has.endswith("\n") and len({line.count(",") for line in has.splitlines()}) == 1, "its lines differ in length")
    else:
        ends = {".svg": "</svg>\n\n", ".html": "</html>\n"}.get(os.path.splitext(path)[1])
        demand(ends and has.endswith(ends), "it ends early")
    return "whole"


def files(folder):
    """By name, of all that are in there."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(BESIDE_STORES):
                continue
            read = {".sqlite": store, ".ek": recording}.get(os.path.splitext(name)[1], text)
            try:
                found[name] = read(os.path.join(place, name))
            except ValueError as error:
                raise ValueError("%s: %s" % (name, error)) from error
    return found
