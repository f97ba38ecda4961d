# SPDX-License-Identifier: MIT
"""The Python package: its runs are those of the command, and what users write in Python is checked as C is."""
import json
import math
import os
import re
import signal
import subprocess
import threading

import networkx
import numpy as np
import pytest
import scipy.sparse

import evenkeel as ek

PEAK = {"topology": "torus:4x4", "load": "peak:160"}


def command(*words):
    done = subprocess.run([ek.studies.command(), *words], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def reported(words):
    """Returns the first run in the command's JSON."""
    return json.loads(command("run", *words.split(), "--format", "json", "--final", "--trace"))["runs"][0]


RUNS = ["--topology torus:4x4 --method ade --load peak:160",
        "--topology ring:9 --method odf --units tokens --load uniform:0:50",
        "--topology torus:4x4 --method dde --load peak:160",
        "--topology ring:6 --method liquid:c5 --load peak:60 --stop spread:1",
        "--topology torus:4x4 --method adf --timing turns --steps 20 --stop never",
        "--topology torus:4x4 --method ade --work normal:10:3:10 --steps 40 --stop never --window 10:40",
        "--topology torus:4x4 --method adf --timing virtual --domains once --for 200us --stop never --carrier pool:1",
        "--topology torus:4x4 --tasks queens:6 --method liquid:c4",
        "--topology torus:4x4 --tasks queens:6 --method steal:neighbour",
        "--topology ring:4 --tasks flowshop:6x3:5 --method adf",
        "--topology ring:8 --method push-sum:40",
        "--topology ring:4 --method adf --stop discrepancy:3",
        "--topology torus:4x4 --objects weights:uniform:1:9 --load peak:64 --method odf"]
# The time of this computer, and how records name nested parts.
MEASURED = {"elapsed_s", "workers", "theory", "facts", "final", "trace", "free", "effects", "faults", "topology",
            "ended", "links"}


@pytest.mark.parametrize("words", RUNS)
def test_fields_are_those_of_the_command(words):
    wanted = reported(words)
    values = words.split()
    run = ek.run(**{name[2:].replace("-", "_"): value for name, value in zip(values[::2], values[1::2])})
    compared = 0
    for name, value in wanted.items():
        if name in MEASURED or isinstance(value, (dict, list)):
            continue
        found = getattr(run, name, None)
        if value is None:
            assert found is None or math.isnan(found), name
        elif isinstance(value, float):
            assert found == pytest.approx(value, rel=1e-12), name
        else:
            assert found == value, name
        compared += 1
    assert compared > 20
    assert run.ended == wanted["ended"]
    np.testing.assert_array_equal(run.final, wanted["final"])
    assert [row["variance"] for row in wanted["trace"]] == pytest.approx(run.trace["variance"].tolist(), rel=1e-12)


def test_arrays_in_and_out():
    loads = np.arange(16.0)
    run = ek.run(topology="torus:4x4", method="ade", load=loads)
    np.testing.assert_array_equal(run.initial, loads)
    assert run.final.sum() == pytest.approx(120)
    frame = run.to_frame()
    assert list(frame["step"]) == list(range(run.steps + 1))
    assert frame["variance"].iloc[-1] == run.variance_final
    frames = ek.run(frames=4, **PEAK)
    assert frames.frames.shape == (len(frames.frame_steps), 16)
    np.testing.assert_array_equal(frames.frames[0], frames.initial)
    np.testing.assert_array_equal(frames.frames[-1], frames.final)
    assert ek.run(**PEAK).frames is None


def test_arrays_outlive_their_run():
    """Arrays are views of the report. Its memory is not given to later runs as long as an array is kept."""
    experiment = {"topology": "torus:64x64", "method": "adf", "load": "uniform:0:1000", "steps": 4, "stop": "never"}
    initial = ek.run(**experiment).initial
    kept = initial.copy()
    for seed in range(2, 12):
        ek.run(**experiment, seed=seed)
    np.testing.assert_array_equal(initial, kept)


def test_parts_that_are_asked_for():
    run = ek.run(tasks="queens:6", topology="ring:4", method="adf", profile=8, links=True)
    count = len(run.profile.interval)
    assert run.profile.time.shape == (count, 3, 4) and run.profile.processor.shape == (5, 4)
    assert run.profile.processor[3].sum() == run.executed
    assert run.profile.interval["to"][-1] == run.ticks
    np.testing.assert_allclose(run.profile.time.sum(axis=(1, 2)), 4 * (run.profile.interval["to"] - run.profile.interval["from"]))
    assert run.flow.shape == (4,) and run.flow["forth"].sum() + run.flow["back"].sum() == run.moved
    plain = ek.run(**PEAK)
    assert plain.profile is None and plain.flow is None and plain.nodes_serial is None and plain.estimate_mean is None


def test_seeds_and_switches():
    several = ek.run(topology="ring:8", runs=3, seed=5)
    assert [run.seed for run in several] == [5, 6, 7]
    assert len({run.variance_initial for run in several}) == 3
    assert ek.run(no_flows=True, **PEAK).flow_l2 != ek.run(no_flows=True, **PEAK).flow_l2  # NaN
    assert ek.run(no_flows=False, **PEAK).flow_l2 > 0


def test_errors_have_a_caret():
    with pytest.raises(ek.Error) as error:
        ek.run(topology="mesh:4xx4")
    assert str(error.value).split("\n")[1:] == ["  mesh:4xx4", "         ^"]
    assert (error.value.axis, error.value.at, error.value.status) == ("topology", 7, "bad input")
    with pytest.raises(ek.Error, match="the nearest is 'topology'"):
        ek.run(topolgy="ring:8")
    with pytest.raises(ek.Error, match="no_flows is True or False"):
        ek.run(no_flows="maybe")
    with pytest.raises(ek.Error, match="nothing.there cannot be opened"):
        ek.run(topology="file:nothing.there")


def test_graphs():
    graph = networkx.petersen_graph()
    for given in (graph, networkx.to_scipy_sparse_array(graph), ek.Graph.from_networkx(graph)):
        run = ek.run(topology=given, method="ade", load=np.arange(10.0))
        assert (run.graph.processors, run.graph.links, run.graph.degree_max) == (10, 15, 3)
    torus = ek.Graph("torus:4x5")
    assert (torus.processors, torus.links, torus.colours, torus.diameter) == (20, 40, 5, 4)
    back = torus.to_networkx()
    assert networkx.is_isomorphic(back, networkx.grid_2d_graph(4, 5, periodic=True))
    for _, edges in networkx.Graph.adjacency(back):
        colours = [edge["colour"] for edge in edges.values()]
        assert len(set(colours)) == len(colours)
    np.testing.assert_array_equal(torus.twin[torus.twin], np.arange(80))
    assert ek.Graph.from_links([(0, 1), (1, 2)]).processors == 3
    with pytest.raises(ek.Error, match="a topology is a spec"):
        ek.run(topology=7)


def test_metis(tmp_path):
    path = tmp_path / "triangle.graph"
    path.write_text("3 3\n2 3\n1 3\n1 2\n")
    assert ek.Graph.from_metis(path).links == 3


def test_theory():
    theory = ek.theory(topology="torus:8x8", method="ode", load="peak:6400")
    assert theory.gamma_exact == pytest.approx(theory.gamma_closed)
    assert theory.operations == 5
    value, sentence = theory.facts["flow_l2_least"]
    assert value == pytest.approx(3941.56, abs=0.01) and "Diekmann" in sentence


@ek.method("share", parameter=0.2)
def share(step):
    """a share of each difference"""
    return step.parameter * step.difference


@pytest.mark.parametrize("more", [{}, {"units": "tokens"}, {"timing": "turns"}, {"invoke": "probability:0.5"},
                                  {"link_limit": 3}, {"ports": "one"}, {"carrier": "pool:3"},
                                  {"timing": "virtual", "carrier": "pool:1", "for": "50us", "domains": "once"}])
def test_a_method_is_bit_for_bit_the_built_in_one(more):
    own, built_in = (ek.run(method=method, steps=None if "for" in more else 30, stop="never", **PEAK, **more)
                     for method in (share(0.125), "diffusion:0.125"))
    np.testing.assert_array_equal(own.final, built_in.final)
    for name in ("steps", "operations", "messages", "parcels", "flow_l2", "local_fraction"):
        assert getattr(own, name) == getattr(built_in, name) or getattr(own, name) != getattr(own, name), name


def test_exchange_in_python():
    @ek.method("halves", links="colour", memory=1)
    def halves(step):
        step.memory[:, 0] += 1
        return step.difference / 2

    own, built_in = (ek.run(method=method, topology="hypercube:4", load="peak:160") for method in (halves, "ade"))
    np.testing.assert_array_equal(own.final, built_in.final)
    assert own.steps == built_in.steps == 4


def test_one_processor_at_a_time():
    @ek.method("poorest")
    def poorest(step):
        amounts = np.zeros(len(step.announced))
        for processor in range(len(step.load)):
            ports = np.flatnonzero(step.processor == processor)
            poor = ports[np.argmin(step.announced[ports])]
            amounts[poor] = (step.load[processor] - step.announced[poor]) / 2
        return amounts

    run = ek.run(method=poorest, steps=40, stop="never", **PEAK)
    assert run.variance_final < 0.01 * run.variance_initial and run.final.sum() == pytest.approx(160)


def test_wrong_methods():
    @ek.method("wrong")
    def wrong(step):
        return wrong_amounts(step)

    def wrong_amounts(step):
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        ek.run(method=wrong, **PEAK)
    wrong_amounts = lambda step: step.load[:1]  # noqa: E731
    with pytest.raises(ek.Error, match=re.escape("an array of shape (1,); it must be (64,)")):
        ek.run(method=wrong, **PEAK)
    wrong_amounts = lambda step: np.full(len(step.announced), np.nan)  # noqa: E731
    with pytest.raises(ek.Error, match="wrong returned an amount that is no finite number"):
        ek.run(method=wrong, **PEAK)
    wrong_amounts = lambda step: 2 * step.own  # noqa: E731
    with pytest.raises(ek.Error) as error:
        ek.run(method=wrong, **PEAK)
    assert error.value.status == "violation" and error.value.axis == "bounds"
    with pytest.raises(ek.Error, match="with other properties"):
        ek.method("wrong", memory=3)(wrong_amounts)
    with pytest.raises(ek.Error, match="the parameter of share is a number"):
        ek.run(method="share:x", **PEAK)
    ek.method("wrong")(lambda step: step.difference / 8)  # a cell that is run again
    assert ek.run(method="wrong", carrier="pool:1", **PEAK).converged


@ek.program("calls", task="q", children=2, first=lambda text: [(int(text),)])
def calls(n):
    """the leaves of the tree of Fibonacci's calls"""
    return ek.Executed(result=1) if n < 2 else [(n - 1,), (n - 2,)]


@pytest.mark.parametrize("timing", ["rounds", "turns", "virtual", "free"])
def test_programs(timing):
    run = ek.run(tasks="calls:12", topology="ring:4", method="adf", timing=timing)
    assert (run.result, run.executed, run.ended) == (233, 465, "done")


def test_programs_that_search():
    @ek.program("least", task="qq", children=3, first=lambda text: [(0, 0)], least=True)
    def least(depth, value, best):
        if value >= best:
            return ek.Executed(dropped=True)
        if depth == 4:
            return ek.Executed(best=value)
        return [(depth + 1, value + step) for step in (5, 1, 3)]

    run = ek.run(tasks="least", topology="ring:4", method="adf")
    assert run.result == 4 and run.nodes < run.executed

    @ek.program("broken", task="q", children=1, first=lambda text: [(1,)])
    def broken(n):
        raise LookupError("no such task")

    with pytest.raises(LookupError, match="no such task"):
        ek.run(tasks="broken", topology="ring:4", method="adf")
    with pytest.raises(ek.Error, match="program calls: invalid literal"):
        ek.run(tasks="calls:x", topology="ring:4")


def test_observers():
    seen = []
    run = ek.run(observer=lambda row, loads: seen.append((row.step, loads.sum(), row.variance)), **PEAK)
    assert [step for step, _, _ in seen] == list(range(run.steps + 1))
    assert all(total == pytest.approx(160) for _, total, _ in seen)
    assert [variance for _, _, variance in seen] == run.trace["variance"].tolist()
    with pytest.raises(ZeroDivisionError):
        ek.run(observer=lambda row, loads: 1 // 0, **PEAK)


LONG = {"topology": "torus:16x16", "method": "diffusion:0.01", "stop": "never", "steps": 10**12, "carrier": "pool:1",
        "trace_rows": 100}


def test_ctrl_c_returns_what_exists():
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    run = ek.run(**{name: value for name, value in LONG.items() if name != "trace_rows"})
    timer.join()
    assert run.ended == "interrupt" and run.steps > 0 and run.final.sum() == pytest.approx(run.total_initial)


def test_other_threads_go_on():
    counted = [0]
    ended = threading.Event()

    def count():
        while not ended.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    steps = []
    ek.run(topology="torus:16x16", method="diffusion:0.01", stop="never", carrier="pool:1", **{"for": "500ms"},
           progress=lambda steps_, operations, variance, seconds: steps.append(steps_))
    ended.set()
    thread.join()
    assert counted[0] > before + 1000 and len(steps) >= 1 and steps == sorted(steps)


def test_sweep_and_rank(tmp_path):
    store = tmp_path / "runs.sqlite"
    values = {"topology": ["ring:8", "ring:16"], "method": ["ade", "adf"], "seed": "1..3", "store": store}
    frame = ek.sweep(**values)
    assert len(frame) == 12 and set(frame["method"]) == {"ade", "adf"}
    steps = frame[(frame.topology == "ring:8") & (frame.method == "ade") & (frame.seed == 2)]["steps"].item()
    assert steps == ek.run(topology="ring:8", method="ade", seed=2).steps
    assert ek.sweep(**values)["id"].tolist() == frame["id"].tolist()  # nothing was repeated
    ek.sweep(topology="ring:4", store=store)
    assert len(ek.read(store)) == 13
    ranked = ek.rank(topology="ring:8", runs=5, method="ade,ode,adf")
    assert list(ranked["method"])[0] == "ode" and list(ranked["rank"]) == sorted(ranked["rank"])
    with pytest.raises(ek.Error, match="topology has no value 'rng': did you mean ring"):
        ek.sweep(topology="rng:8")


def test_read(tmp_path):
    folder = tmp_path / "run"
    command("run", "--topology", "ring:8", "--out", str(folder), "--quiet")
    record = ek.read(folder)
    assert record["runs"][0]["steps"] == ek.run(topology="ring:8").steps
    command("run", "--topology", "ring:4", "--timing", "virtual", "--operations", "20", "--stop", "never", "--record",
            str(tmp_path / "tape.ek"), "--quiet")
    assert ek.read(tmp_path / "tape.ek")["runs"][0]["operations"] >= 20


def test_notebooks():
    run = ek.run(frames=5, **PEAK)
    shown = run._repr_html_()
    assert f"<td>{run.steps}</td>" in shown and f"<td>{run.variance_final:.6g}</td>" in shown and "<polyline" in shown
    animation = run.animate()._repr_html_()
    assert f"const steps = {[int(step) for step in run.frame_steps]}".replace("const steps = ", "steps = ") in animation
    with pytest.raises(ValueError, match="frames=100"):
        ek.run(**PEAK).animate()


def test_documented():
    assert ek.Run.factor.__doc__.startswith("mean factor by which an operation")
    assert ek.Run.steps.fget.__annotations__ == {"return": int}
    names = [row["name"] for row in ek.axes()]
    assert "link_limit" in names and all(row["help"] for row in ek.axes())
    assert ek.__version__ == open("VERSION").read().strip()


def test_the_notebook_of_the_documentation():
    cells = json.load(open("docs/notebook.ipynb"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    figure = [cell for cell in code if "Fig. 4" in cell]
    assert len(figure) == 1 and figure[0].count("\n") < 12
    scope = {}
    for cell in code:
        if "matplotlib" in cell:
            try:
                import matplotlib
            except ImportError:
                continue
            matplotlib.use("Agg")
        exec(cell, scope)
    assert scope["run"].converged and scope["half"].name == "half"


def test_the_examples_of_the_documentation(tmp_path, monkeypatch):
    text = open("docs/python.md").read()
    monkeypatch.chdir(tmp_path)
    scope = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.S):
        exec(block if "matplotlib" not in block else drawable(block), scope)
    assert scope["run"].steps == 24 and len(ek.read("runs.sqlite")) == 80
    steps = scope["steps"]
    assert f"takes {100 * (1 - steps.ode[64] / steps.ade[64]):.1f} % fewer steps than `ade`" in text
    assert f"by a factor of {steps.ode[128] / steps.ode[64]:.1f}, those of `ade` by {steps.ade[128] / steps.ade[64]:.1f}." in text
    if "plt" in scope:
        assert all(f"<!-- {size} -->" in open("figure4.svg").read() for size in scope["sizes"])


def drawable(block):
    """The block, or its lines before the figure where there is no matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return block.replace("import matplotlib.pyplot as plt\n", "").partition("steps.plot")[0]
    matplotlib.use("Agg")
    return block
