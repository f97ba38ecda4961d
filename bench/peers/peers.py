# SPDX-License-Identifier: MIT
"""The programs that are compared, how each is built and started, and one run of one of them."""
import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "..", "build", "peers")
EVENKEEL = os.environ.get("EVENKEEL", "build/evenkeel")
CORES = len(os.sched_getaffinity(0))
C = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O3", "-ffp-contract=off", "-pthread"]
# As root, with more ranks than cores, on whatever cores there are.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_hwloc_base_binding_policy": "none"}


class Failed(Exception):
    """It did not run, took too long or found no memory; the text says which."""


@dataclass
class Task:
    timing: str  # "rounds", "free" or "virtual"
    rows: int
    cols: int
    amount: int  # of rounds, milliseconds in free timing, nanoseconds in virtual time
    loads: bool = False  # of evenkeel's the final loads are wanted

    @property
    def processors(self):
        return self.rows * self.cols


@dataclass
class Outcome:
    seconds: float
    rounds: int  # or operations
    messages: int
    total: float
    squares: float = 0.0
    bits: str = ""  # the same only where every load is, to the last bit
    turns: int = 0
    loads: list = field(default_factory=list)
    processors: int = 0
    bytes: int = 0  # at most in memory, of all its processes
    workers: int = 0  # of evenkeel: threads, and with ranks processes, that it ran on


@dataclass(frozen=True, eq=False)
class Peer:
    """A program in this folder; it prints a line."""

    name: str
    title: str
    needs: str  # a command without which there is none
    build: tuple
    timings: tuple
    start: object  # words before those of the task, by the number of processors
    processes: object = staticmethod(lambda processors: 1)
    environment: dict = field(default_factory=dict)

    @property
    def stamp(self):
        """A file that is written when the program is built."""
        return f"{BUILD}/{self.name}.built"

    def is_built(self):
        """Whether no file in this folder has changed since the program was built."""
        newest = max(entry.stat().st_mtime_ns for entry in os.scandir(HERE) if entry.is_file())
        return os.path.exists(self.stamp) and os.stat(self.stamp).st_mtime_ns > newest

    def words(self, task):
        return [*self.start(task.processors), task.timing, *map(str, (task.rows, task.cols, task.amount))]

    def read(self, text, task):
        words = text.split()
        said = dict(zip(words[::2], words[1::2]))
        return Outcome(float(said["seconds"]), int(said["rounds"]), int(said["messages"]), float(said["total"]),
                       float(said["squares"]), said["bits"])


@dataclass(frozen=True, eq=False)
class Ours:
    """The command itself, on one of its carriers; what it measures is the rounds alone, too."""

    name: str
    title: str
    carrier: str
    timings: tuple
    ranks: int = 0
    environment: dict = field(default_factory=lambda: {**MPI, "HWLOC_COMPONENTS": "-x86"})

    def processes(self, processors):
        return self.ranks or 1

    def words(self, task):
        start = ["mpirun", "-n", str(self.ranks)] if self.ranks else []
        limits = ["--timing", "free", "--invoke", "outside:500:500", "--for", f"{task.amount}ms"]
        if task.timing == "rounds":
            limits = ["--steps", str(task.amount)]
        elif task.timing == "virtual":
            limits = ["--timing", "virtual", "--invoke", "outside:500:500", "--for", f"{task.amount}ns"]
        return [*start, EVENKEEL, "run", "--topology", f"torus:{task.cols}x{task.rows}", "--method", "diffusion:0.2",
                "--load", "modulo:7919:1001", "--carrier", self.carrier, "--stop", "never", *limits, "--no-flows",
                "--format", "json", "--quiet", *(["--final"] if task.loads else [])]

    def read(self, text, task):
        run = json.loads(text)["runs"][0]
        rounds = run["steps"] if task.timing == "rounds" else run["operations"]
        loads = run.get("final", [])
        return Outcome(run["elapsed_s"], rounds, run["messages"], run["total_final"], sum(w * w for w in loads), "",
                       run.get("free", {}).get("turns", 0), loads, workers=run["workers"])


def compiled(compiler, name, *words):
    return (compiler, *C, *words, f"{name}.c", "-o", f"{BUILD}/{name}")


def erlang(processors):
    # A number of its own for each process, and some for Erlang's.
    most = str(max(262144, 2 * processors))
    return ["erl", "+P", most, "-noshell", "-noinput", "-pa", BUILD, "-eval",
            "processes:main(init:get_plain_arguments()).", "-extra"]


ROUNDS, BOTH, VIRTUAL = ("rounds",), ("rounds", "free"), ("virtual",)

PEERS = [
    Peer("pthreads", "pthreads, a thread a processor", "gcc", compiled("gcc", "pthreads"), BOTH,
         lambda n: [f"{BUILD}/pthreads"]),
    Peer("mpi ranks", "Open MPI, a rank a processor", "mpicc", compiled("mpicc", "mpi_ranks"), BOTH,
         lambda n: ["mpirun", "-n", str(n), f"{BUILD}/mpi_ranks"], lambda n: n,
         {**MPI, "OMPI_MCA_mpi_yield_when_idle": "1"}),
    Peer("simgrid", "SimGrid S4U, an actor a processor", "smpicxx",
         ("g++", "-O3", "-ffp-contract=off", "simgrid.cpp", "-lsimgrid", "-o", f"{BUILD}/simgrid"), BOTH,
         lambda n: [f"{BUILD}/simgrid"]),
    Peer("erlang", "Erlang, a process a processor", "erlc", ("erlc", "-o", BUILD, "processes.erl"), BOTH, erlang),
    Peer("go", "Go, a goroutine a processor", "go", ("go", "build", "-o", f"{BUILD}/goroutines", "goroutines.go"), BOTH,
         lambda n: [f"{BUILD}/goroutines"]),
    Peer("mpi blocks", f"Open MPI, {CORES} ranks, a block each", "mpicc", compiled("mpicc", "mpi_blocks"), ROUNDS,
         lambda n: ["mpirun", "-n", str(CORES), f"{BUILD}/mpi_blocks"], lambda n: CORES, MPI),
    Peer("openmp", f"OpenMP over CSR, {CORES} threads", "gcc", compiled("gcc", "openmp", "-fopenmp"), ROUNDS,
         lambda n: [f"{BUILD}/openmp"], environment={"OMP_NUM_THREADS": str(CORES)}),
    Peer("loggops", "a loop over one heap of events", "gcc", compiled("gcc", "loggops"), VIRTUAL,
         lambda n: [f"{BUILD}/loggops"]),
]

# It has as many workers as it takes by itself.
POOL = Ours("pool", "evenkeel, pool", "pool", BOTH)
THREADS = Ours("threads", "evenkeel, threads", "threads", BOTH)
RANKS = Ours("mpi", f"evenkeel, mpi on {CORES} ranks", "mpi", ROUNDS, ranks=CORES)
VIRTUAL_ONE = Ours("virtual 1", "evenkeel, virtual time, pool:1", "pool:1", VIRTUAL)
VIRTUAL_TWO = Ours("virtual 2", "evenkeel, virtual time, pool:2", "pool:2", VIRTUAL)
VIRTUAL_RANKS = Ours("virtual mpi", "evenkeel, virtual time, mpi on 2 ranks", "mpi", VIRTUAL, ranks=2)


def build(these):
    """Builds all of these side by side."""
    processes = [subprocess.Popen(peer.build, cwd=HERE, env={**os.environ, "GOCACHE": f"{BUILD}/cache"})
                 for peer in these]
    for peer, process in zip(these, processes):
        if process.wait() == 0:
            open(peer.stamp, "w").close()
    for peer, process in zip(these, processes):
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, peer.build)


def built(names=()):
    """Those of all peers, or of these names, that could be built; and the names of those that lack what they need."""
    os.makedirs(BUILD, exist_ok=True)
    wanted = [peer for peer in PEERS if not names or peer.name in names]
    there = [peer for peer in wanted if shutil.which(peer.needs)]
    build([peer for peer in there if not peer.is_built()])
    return there, [peer.name for peer in wanted if peer not in there]


def ours():
    ranks = shutil.which("mpirun") and os.path.exists(os.path.join(os.path.dirname(EVENKEEL), "evenkeel-mpi.so"))
    return [THREADS, POOL, VIRTUAL_ONE, VIRTUAL_TWO, *([RANKS, VIRTUAL_RANKS] if ranks else [])]


def end(process):
    """Ends it and all that it began: mpirun ends its ranks when it is told to end, but not when it is killed."""
    for way in (signal.SIGTERM, signal.SIGKILL):
        until = time.monotonic() + 10
        try:
            os.killpg(process.pid, way)
            while time.monotonic() < until:
                process.poll()
                os.killpg(process.pid, 0)
                time.sleep(0.05)
        except ProcessLookupError:
            return


def finished(words, out, err, limit_s=None, limit_bytes=0, environment=None):
    """Its status, and the most memory that a process of it took, where time(1) is there to say so: here Python would be
    counted with it, of which a process is a copy before it is another program."""
    def bound():
        if limit_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (limit_bytes, limit_bytes))
    with tempfile.NamedTemporaryFile("r") as most:
        weighed = ["time", "-o", most.name, "-f", "%M"] if shutil.which("time") else []
        process = subprocess.Popen([*weighed, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=err, text=True,
                                   env={**os.environ, **(environment or {})}, start_new_session=True, preexec_fn=bound)
        try:
            status = process.wait(limit_s)
        except BaseException as why:
            end(process)
            if isinstance(why, subprocess.TimeoutExpired):
                raise Failed(f"longer than {limit_s:.0f} s") from None
            raise
        return status, 1024 * int(most.read().split()[-1]) if weighed else 0


def run(program, task, limit_s=60.0, limit_bytes=0):
    """Runs it once. A limit of memory is one of each process's address space."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        status, most = finished(program.words(task), out, err, limit_s, limit_bytes, program.environment)
        out.seek(0)
        err.seek(0)
        text, said = out.read(), err.read()
    if status != 0:
        raise Failed((said.strip() or text.strip() or f"status {status}").splitlines()[0])
    outcome = program.read(text, task)
    outcome.processors = task.processors
    outcome.bytes = most * program.processes(task.processors)
    return outcome


def bits(loads):
    """What a peer says of its loads."""
    words = (struct.unpack("<Q", struct.pack("<d", load))[0] * (2 * p + 1) for p, load in enumerate(loads))
    return f"{sum(words) % 2**64:016x}"


def near(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))
