// SPDX-License-Identifier: MIT
// Curves of measurements over steps or time, with the predictions of theory.
const CURVES = [
  ["variance", "variance (sum of squared distances)"],
  ["error", "distance from balance"],
  ["spread", "largest − smallest load"],
  ["deviation", "largest distance from the mean"],
  ["maximum", "largest load"],
  ["minimum", "smallest load"],
  ["in_flight", "load in flight"],
  ["moved", "load moved so far"],
  ["invokers", "processors that balance"],
  ["invocations", "invocations so far"],
  ["normalised_cost", "load moved / all load"],
  ["local_fraction", "share of tokens that never left"],
];

function traced(experiment) {
  return experiment.record.runs.filter((run) => run.trace && run.trace.length > 0);
}

function lastPlace(experiment, run) {
  return run.trace[run.trace.length - 1][experiment.place];
}

// Returns whether the loads of a run stay as they are after its end.
function stays(run) {
  return ["criterion", "itself", "frozen"].includes(run.ended) && run.generated === 0 && run.consumed === 0;
}

// Returns where the mean of an experiment ends: at the end of the first run whose loads were still to change.
function endOf(experiment) {
  return Math.min(...traced(experiment).filter((run) => !stays(run)).map((run) => lastPlace(experiment, run)));
}

// Returns the mean and its interval over the runs at each step or time that occurs in a trace, up to the mean's end.
// A run counts with its last row at or before that place.
function curve(experiment, field) {
  const runs = traced(experiment);
  const end = endOf(experiment);
  const places = runs.flatMap((run) => run.trace.map((row) => row[experiment.place])).filter((place) => place <= end);
  const x = [...new Set(places)].sort((a, b) => a - b);
  const at = runs.map(() => 0);
  const made = { x, y: [], low: [], high: [] };
  for (const place of x) {
    const values = runs
      .map((run, r) => {
        while (at[r] + 1 < run.trace.length && run.trace[at[r] + 1][experiment.place] <= place) at[r]++;
        return run.trace[at[r]][field];
      })
      .filter((value) => value !== null);
    const { mean: middle, low, high } = interval(values);
    made.y.push(middle);
    made.low.push(low);
    made.high.push(high);
  }
  return runs.length > 1 ? made : { x, y: made.y };
}

// Returns the lines of theory: the decrease by gamma in each operation, and the facts that are compared with this field.
function theoryOf(experiment, field) {
  const { theory, runs } = experiment.record;
  const made = [];
  const first = traced(experiment)[0];
  const last = Math.max(...traced(experiment).map((run) => run.trace[run.trace.length - 1][experiment.place]));
  const power = { variance: 2, error: 1 }[field];
  const steps = theory.steps > 0 ? theory.steps / theory.operations : runs[0].steps / runs[0].operations;
  if (power && !experiment.free && theory.gamma_exact > 0 && theory.gamma_exact < 1 && steps > 0) {
    const x = Array.from({ length: 101 }, (_, i) => (last * i) / 100);
    made.push({
      label: `theory: γ = ${number(theory.gamma_exact)} in ${plural(Number(steps.toFixed(3)), "step")}`,
      x,
      y: x.map((place) => first.trace[0][field] * theory.gamma_exact ** ((power * place) / steps)),
    });
  }
  const beside =
    {
      variance: ["variance_final", "variance_mean"],
      error: ["error_final"],
      spread: ["spread_final"],
      deviation: ["bound"],
      moved: ["moved"],
    }[field] || [];
  for (const fact of theory.facts.filter((one) => beside.includes(one.beside) && one.value !== null)) {
    made.push({ label: `theory: ${words(fact.name)}`, x: [0, last], y: [fact.value, fact.value] });
  }
  return made;
}

const CLOCKS = {
  step: { label: "step", whole: true },
  time: { label: "seconds" },
  "virtual-time": { label: "seconds of virtual time" },
};

function curvesOf(clock, field, log, theory) {
  const shown = experiments.filter((experiment) => experiment.clock === clock && traced(experiment).length > 0);
  const series = shown.map((experiment, i) => ({
    ...curve(experiment, field),
    index: experiment.index,
    dots: experiment.free,
    dash: shown.length > 1 ? dashOf(i) : [],
    label:
      traced(experiment).length > 1
        ? `${experiment.name}, mean of ${plural(traced(experiment).length, "run")}`
        : experiment.name,
  }));
  const predicted = !theory
    ? []
    : shown.flatMap((experiment) =>
        theoryOf(experiment, field).map((one) => ({
          ...one,
          index: shown.length > 1 ? experiment.index : 1,
          dash: [2, 5],
          label: shown.length > 1 ? `${experiment.name}, ${one.label}` : one.label,
        })),
      );
  return {
    name: `${field}-by-${clock}`,
    x: CLOCKS[clock],
    y: { label: CURVES.find(([name]) => name === field)[1], log },
    series: [...series, ...predicted],
  };
}

function curveNote() {
  const notes = [];
  if (experiments.some((experiment) => traced(experiment).length > 1)) {
    notes.push(
      `Lines are means over the runs. ${BAND} ` +
        "A run whose loads no longer change counts with its last value; the mean ends where another run ends.",
    );
  }
  for (const { name, record } of experiments.filter((one) => one.record.stop !== "never")) {
    const cut = record.runs.filter((run) => !run.converged).length;
    const of = experiments.length > 1 ? ` of ${name}` : "";
    if (cut > 0) notes.push(`${cut} of ${plural(record.runs.length, "run")}${of} did not reach ${record.stop}.`);
  }
  if (experiments.some((experiment) => traced(experiment).length > 0)) {
    notes.push("The variance is the sum of the squared distances of all loads from their mean, undivided.");
  }
  const drawn = experiments.filter((experiment) => traced(experiment).length > 0);
  const had = experiments.filter((experiment) => experiment.rows > 0);
  if (drawn.length < had.length)
    notes.push(`Only the first ${drawn.length} of ${had.length} experiments are drawn.`);
  const few = drawn.find((experiment) => traced(experiment).length < experiment.record.runs.length);
  const part = few && `${traced(few).length} of ${few.record.runs.length}`;
  if (few) notes.push(`Not all runs are drawn: of ${few.name}, for example, ${part}.`);
  const longest = (experiment) => Math.max(...traced(experiment).map((run) => run.trace.length));
  const thin = drawn.find((experiment) => longest(experiment) < experiment.rows);
  const replayed = drawn.find(({ timeline }) => timeline);
  if (replayed) {
    const { turns, trace_every: every } = replayed.timeline;
    notes.push(`${replayed.name} is a recording of ${plural(turns, "turn")}: it has a value ${afterTurns(every)}.`);
  }
  if (thin) notes.push(`Traces of up to ${number(thin.rows)} rows are reduced to ${longest(thin)} rows, evenly spread.`);
  return notes.join(" ");
}

function showCurves() {
  const clocks = Object.keys(CLOCKS).filter((clock) => experiments.some((e) => e.clock === clock && traced(e).length > 0));
  if (clocks.length === 0) {
    section("Curves", "These records have no trace: run with --out DIR, or with --trace.");
    return;
  }
  const host = section("Towards balance", curveNote());
  const has = CURVES.filter(([name]) =>
    experiments.some((e) =>
      traced(e).some((run) => run.trace.some((row) => row[name] !== null && row[name] !== undefined)),
    ),
  );
  let field = "variance";
  let log = true;
  let theory = true;
  const draws = [];
  const again = () => draws.forEach((draw) => draw());
  host.append(
    element(
      "div",
      { className: "controls" },
      choice("show", has, (value) => {
        field = value;
        again();
      }),
      check("logarithmic", log, (on) => {
        log = on;
        again();
      }),
      check("theory", theory, (on) => {
        theory = on;
        again();
      }),
      ...clocks.map((clock) => download(`curves-by-${clock}`, () => rowsOf(curvesOf(clock, field, log, theory)))),
    ),
  );
  for (const clock of clocks) {
    const figure = element("figure", {});
    host.append(figure);
    draws.push(chart(figure, () => curvesOf(clock, field, log, theory)));
  }
}
