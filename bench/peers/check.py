# SPDX-License-Identifier: MIT
"""Do the peers that are here, or those that are named, compute the same as evenkeel? Ends with "N passed, N failed"."""
import sys

import peers

SIZES = [(3, 3), (4, 5)]
ROUNDS = 20
NANOSECONDS = 200000
MILLISECONDS = (20, 200, 2000)  # the next where a busy machine let nobody begin

passed, failed = 0, 0


def expect(what, true):
    global passed, failed
    passed, failed = passed + bool(true), failed + (not true)
    if not true:
        print(f"{what}: no")


def loads_after(rows, cols, rounds):
    """The rounds once more, one processor after the other."""
    loads = [float(p * 7919 % 1001) for p in range(rows * cols)]
    for _ in range(rounds):
        before = loads
        loads = []
        for p, own in enumerate(before):
            row, col = divmod(p, cols)
            around = [before[(row - 1) % rows * cols + col], before[(row + 1) % rows * cols + col],
                      before[row * cols + (col - 1) % cols], before[row * cols + (col + 1) % cols]]
            flow = 0.0
            for load in around:
                flow += load - own
            loads.append(own + 0.2 * flow)
    return loads


def check_rounds(program, rows, cols, wanted):
    task = peers.Task("rounds", rows, cols, ROUNDS, loads=True)
    outcome = peers.run(program, task)
    what = f"{program.name}, {rows}x{cols}"
    expect(f"{what}: {ROUNDS} rounds", outcome.rounds == ROUNDS)
    expect(f"{what}: total and squares", peers.near(outcome.total, sum(wanted)) and
           peers.near(outcome.squares, sum(w * w for w in wanted)))
    if isinstance(program, peers.Ours):
        expect(f"{what}: every load", len(outcome.loads) == len(wanted) and all(map(peers.near, outcome.loads, wanted)))
    else:
        expect(f"{what}: the same bits", outcome.bits == peers.bits(wanted))


def check_free(program, rows, cols, wanted):
    for milliseconds in MILLISECONDS:
        outcome = peers.run(program, peers.Task("free", rows, cols, milliseconds))
        if outcome.rounds > 0:
            break
    what = f"{program.name}, free, {rows}x{cols}"
    expect(f"{what}: operations", outcome.rounds > 0)
    expect(f"{what}: nothing lost", peers.near(outcome.total, sum(wanted)))
    if isinstance(program, peers.Peer):
        # Of each operation four ask, four tell, four settle, at most four grant; at the end all say that they are done.
        messages = outcome.messages - 4 * rows * cols
        expect(f"{what}: messages", 12 * outcome.rounds <= messages <= 16 * outcome.rounds)


def check_virtual(program):
    """It has about as many operations and messages as evenkeel in the same virtual time under the same costs."""
    task = peers.Task("virtual", 8, 8, NANOSECONDS)
    outcome, own = peers.run(program, task), peers.run(peers.VIRTUAL_ONE, task)
    for what, theirs, ours in (("messages", outcome.messages, own.messages), ("operations", outcome.rounds, own.rounds)):
        expect(f"{program.name}, virtual, 8x8: {what}", 0.7 <= theirs / ours <= 1.3)
    # Of each operation fourteen, and those of the operations that are not over.
    expect(f"{program.name}, virtual, 8x8: messages of an operation",
           0 <= outcome.messages - 14 * outcome.rounds <= 14 * task.processors)


def main():
    there, missing = peers.built(sys.argv[1:])
    for name in missing:
        print(f"skipped: {name}, which is not installed (make bench-peers installs it)")
    for rows, cols in SIZES:
        wanted = loads_after(rows, cols, ROUNDS)
        for program in [*(peer for peer in there if "rounds" in peer.timings), peers.POOL]:
            check_rounds(program, rows, cols, wanted)
            if "free" in program.timings and (rows, cols) == SIZES[0]:
                check_free(program, rows, cols, wanted)
    for program in there:
        if "virtual" in program.timings:
            check_virtual(program)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
