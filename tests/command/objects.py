"""Files of objects for test_objects.sh: `objects.py files FOLDER` writes LB data files of vt, right ones and wrong ones;
`objects.py same A B` compares the objects of two folders, without their places; `objects.py compress FILE` writes
FILE.br; `objects.py value FILE NAME` prints a value of the first run of a report."""

import copy
import json
import os
import sys


def entity(number, home, migratable=True, name="id"):
    return {"type": "object", name: number, "home": home, "migratable": migratable, "collection_id": 1}


def task(number, rank, seconds, home=None, migratable=True, **more):
    home = rank if home is None else home
    return {"entity": entity(number, home, migratable), "node": rank, "resource": "cpu", "time": seconds, **more}


def sends(number, other, size, kind="SendRecv"):
    return {"type": kind, "from": entity(number, 0), "to": {"type": "object", "id": other}, "messages": 1, "bytes": size}


def right():
    """Three ranks: 0 has nearly all. Objects 1 to 6 can migrate, but rank 0 has an object that stays."""
    first = {"id": 4, "tasks": [task(1, 0, 0.3, user_defined={"task_serialized_bytes": 100.0, "shared_bytes": 7}),
                                task(2, 0, 0.2000000000000001, attributes={"bytes": 10}),
                                task(3, 0, 0.1, home=2), task(4, 0, 0.1),
                                task(9, 0, 0.05, migratable=False), task(8, 0, 0.0)],
             "communications": [sends(1, 5, 64.0), sends(2, 1, 8.0), sends(2, 0, 999.0, "CollectionToNode")]}
    second = {"id": 4, "tasks": [task(5, 1, 0.1), task(9, 1, 0.0125, migratable=False)], "communications": [sends(5, 6, 32.0)]}
    third = {"id": 4, "tasks": [task(6, 2, 0.1)]}
    other = {"id": 5, "tasks": [task(1, 0, 5.0)]}
    empty = {"id": 5, "tasks": []}
    return [{"metadata": {"type": "LBDatafile", "rank": rank}, "phases": [phase, later]}
            for rank, (phase, later) in enumerate([(first, other), (second, empty), (third, empty)])]


def wrong():
    """Changes of the files that make them wrong, by name."""
    def in_tasks(change):
        return lambda files: change(files[1]["phases"][0]["tasks"])

    def in_first(change):
        return lambda files: change(files[1]["phases"][0]["tasks"][0])

    return {
        "twice": in_tasks(lambda tasks: tasks.append(task(1, 1, 0.5))),
        "unknown": lambda files: files[1]["phases"][0]["communications"].append(sends(5, 77, 1.0)),
        "sender": lambda files: files[1]["phases"][0]["communications"].append(sends(78, 5, 1.0)),
        "negative": in_first(lambda one: one.update(time=-0.1)),
        "nan": in_first(lambda one: one.update(time="nan")),
        "untimed": in_first(lambda one: one.pop("time")),
        "size": in_first(lambda one: one.update(user_defined={"task_serialized_bytes": -1})),
        "bytes": lambda files: files[1]["phases"][0]["communications"][0].update(bytes=-1),
        "home": in_first(lambda one: one["entity"].update(home=3)),
        "node": in_first(lambda one: one.update(node=-1)),
        "nameless": in_first(lambda one: one["entity"].pop("id")),
        "typeless": in_first(lambda one: one["entity"].pop("type")),
        "rank": lambda files: files[1]["metadata"].update(rank=2),
        "type": lambda files: files[1]["metadata"].update(type="LBStatsfile"),
        "empty": lambda files: files[1].update(phases=[]),
        "phase": lambda files: files[1]["phases"].pop(0),
        "huge": in_tasks(lambda tasks: tasks[0].update(time=8.9e9) or tasks[1].update(time=1e-9)),
    }


def write(folder, files):
    os.makedirs(folder, exist_ok=True)
    for rank, file in enumerate(files):
        with open(f"{folder}/lb.{rank}.json", "w", encoding="utf-8") as out:
            json.dump(file, out)


def write_all(folder):
    write(f"{folder}/right", right())
    sequential = json.loads(json.dumps(right()).replace('"id": 9,', '"seq_id": 9,'))
    write(f"{folder}/sequential", sequential)
    for name, change in wrong().items():
        files = copy.deepcopy(right())
        change(files)
        write(f"{folder}/{name}", files)
    listed = right()
    for file in listed:
        file["metadata"]["phases"] = {"count": 7, "skipped": {"list": [9], "range": [[11, 12]]},
                                      "identical_to_previous": {"list": [6], "range": [[7, 8]]}}
    write(f"{folder}/identical", listed)
    write(f"{folder}/gap", right())
    os.remove(f"{folder}/gap/lb.1.json")
    write(f"{folder}/cut", right())
    with open(f"{folder}/cut/lb.2.json", "w", encoding="utf-8") as out:
        out.write('{"phases": [NaN')


def compress(path):
    """Brotli without compression (RFC 7932, section 9.2): meta-blocks of up to 65,536 bytes as they are."""
    with open(path, "rb") as file:
        text = file.read()
    out, window = b"", True
    bits = count = 0
    for at in range(0, len(text), 65536):
        piece = text[at:at + 65536]
        # After the window of 16 bits: not the last one, 4 nibbles of the length - 1, uncompressed.
        fields = [(0, 1)] * window + [(0, 1), (0, 2), (len(piece) - 1, 16), (1, 1)]
        bits = count = 0
        for value, width in fields:
            bits |= value << count
            count += width
        out += bits.to_bytes((count + 7) // 8, "little") + piece
        window = False
    with open(path + ".br", "wb") as file:
        file.write(out + b"\x03")


def objects_of(folder):
    """All tasks without their node, and all communications, in one order. With the number of files."""
    tasks, communications, files = [], [], 0
    while os.path.exists(f"{folder}/lb.{files}.json"):
        with open(f"{folder}/lb.{files}.json", encoding="utf-8") as file:
            root = json.load(file)
        assert root["metadata"]["rank"] == files and root["metadata"]["type"] == "LBDatafile"
        phase = root["phases"][0]
        for one in phase["tasks"]:
            assert one.pop("node") == files
            tasks.append(json.dumps(one, sort_keys=True))
        here = {one["entity"].get("id") for one in phase["tasks"]}
        for one in phase.get("communications", []):
            assert one["type"] != "SendRecv" or one["from"]["id"] in here, "a communication is with its sender"
        communications += [json.dumps(one, sort_keys=True) for one in phase.get("communications", [])]
        files += 1
    return sorted(tasks), sorted(communications), files


def main(words):
    if words[0] == "files":
        write_all(words[1])
    elif words[0] == "compress":
        compress(words[1])
    elif words[0] == "same":
        first, second = objects_of(words[1]), objects_of(words[2])
        print("same" if first[:2] == second[:2] else "different", second[2])
    else:
        with open(words[1], encoding="utf-8") as file:
            print(json.load(file)["runs"][0][words[2]])


main(sys.argv[1:])
