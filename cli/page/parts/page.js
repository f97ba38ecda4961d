// SPDX-License-Identifier: MIT
// The page from top to bottom.

// `free`: messages instead of rounds, in free timing and in virtual time. `clock`: the axis of the experiment's curves.
// `place`: the field of a row, or of a frame, that says its moment.
const experiments = page.items.map((item, index) => {
  const { record } = item;
  const clock = { free: "time", virtual: "virtual-time" }[record.timing] || "step";
  return { ...item, index, free: clock !== "step", clock, place: clock === "step" ? "step" : "time" };
});

// Returns the axes of a record, by which experiments are named.
function axesOf(record) {
  const known = ["schema", "command", "version", "host", "given", "runs_asked", "replayed", "runs", "summary", "theory"];
  const ofReports = ["link_report", "overlaps", "no_flows", "frames", "profile", "every"]; // these select what is reported
  return Object.fromEntries(
    Object.entries(record)
      .filter(([name]) => !known.includes(name) && !ofReports.includes(name))
      .map(([name, value]) => [name, value !== null && typeof value === "object" ? value.spec : value]),
  );
}

// Returns whether the values of an axis are understood without its name.
function isNamed(axis) {
  return ["topology", "method", "load"].includes(axis);
}

function nameExperiments() {
  const axes = experiments.map(({ record }) => axesOf(record));
  const differing = Object.keys(axes[0]).filter((name) => axes.some((of) => of[name] !== axes[0][name]));
  experiments.forEach((experiment, i) => {
    const parts = differing.map((name) => (isNamed(name) ? axes[i][name] : `${words(name)} ${axes[i][name]}`));
    experiment.name = experiments.length === 1 ? "measured" : parts.join(", ") || experiment.file;
  });
  const times = new Map();
  experiments.forEach(({ name }) => times.set(name, (times.get(name) || 0) + 1));
  for (const experiment of experiments.filter(({ name }) => times.get(name) > 1)) {
    experiment.name = `${experiment.name} (${experiment.file})`;
  }
  return differing;
}

function timingWord(experiment) {
  return experiment.free ? "operations" : "steps";
}

function showHead(differing) {
  const { record } = experiments[0];
  const { topology, method } = record;
  const one = experiments.length === 1;
  const title = one ? `${method.spec} on ${topology.spec}` : `${experiments.length} experiments`;
  const what = [method.title, plural(topology.processors, "processor"), `load ${record.load}`, `${record.ports} ports`];
  const differ = differing.map(words).join(", ") || "their files only";
  document.title = title;
  document.getElementById("title").textContent = title;
  document.getElementById("subtitle").textContent = one
    ? `${what.join(", ")}, timing ${record.timing}`
    : `The experiments differ in ${differ}.`;
}

function showFoot() {
  const measured = [...experiments.map(({ record }) => record), ...page.contentions.map(({ measured: of }) => of)];
  const hosts = measured.map(({ version, host }) => {
    return `evenkeel ${version} on ${host.processor || "an unknown processor"}, ${plural(host.cores, "core")}`;
  });
  const uplot = "Charts are drawn by uPlot; its licence (MIT) is in this page's source.";
  document
    .getElementById("footer")
    .append(
      element("p", { textContent: `Page by evenkeel ${page.version}; runs by ${[...new Set(hosts)].join("; ")}.` }),
      element("p", { textContent: typeof uPlot === "undefined" ? "" : uplot }),
    );
}

function card(value, what, more) {
  return element(
    "div",
    { className: "card" },
    element("b", { textContent: value }),
    element("span", { textContent: what }),
    more ? element("small", { textContent: more }) : null,
  );
}

// Returns the deviation of the runs and their range.
function spread(of) {
  return of.sd > 0 ? `± ${number(of.sd)} (sd), ${number(of.min)} to ${number(of.max)}` : "";
}

// Returns cards about the tasks of runs: speedup and efficiency beside the bound of any schedule.
function taskCards({ runs, summary }) {
  if (!summary.speedup) return [];
  const [length, bound, unit] = summary.ticks
    ? [summary.ticks, summary.bound_ticks, "ticks"]
    : [summary.done_s, summary.bound_s, "seconds until the last task"];
  const least = bound && runs.every((run) => run.ended === "done") ? `no schedule takes less than ${number(bound.mean)}` : "";
  return [
    card(number(summary.speedup.mean), "speedup", `efficiency ${number(summary.efficiency.mean)}`),
    card(number(length.mean), unit, least),
  ];
}

function showCards() {
  const host = section("At a glance");
  const { record, free, clock } = experiments[0];
  const { runs, summary } = record;
  const reached = runs.filter((run) => run.converged).length;
  const what = timingWord(experiments[0]);
  const predicted = record.theory[what];
  host.append(
    element(
      "div",
      { className: "cards" },
      card(`${number(reached)} of ${number(runs.length)}`, `runs reached ${record.stop}`),
      ...taskCards(record),
      card(
        number(summary[what].mean),
        what,
        spread(summary[what]) || (!free && predicted !== null ? `theory: ${number(predicted)}` : ""),
      ),
      card(number(summary.variance_final.mean), "variance at the end (sum of squares)", `from ${number(summary.variance_initial.mean)}`),
      card(number(summary.moved.mean), "load moved", `${number(summary.normalised_cost.mean)} of all load`),
      card(number(summary.messages.mean), "messages", `${number(summary.parcels.mean)} of them parcels`),
      clock === "virtual-time"
        ? card(number(summary.virtual_s.mean), "seconds of virtual time", spread(summary.virtual_s))
        : card(number(summary.elapsed_s.mean), "seconds", plural(runs[0].workers, "thread")),
    ),
  );
  if (reached < runs.length) {
    const why = runs.find((run) => !run.converged && run.why);
    if (why) host.append(element("p", { className: "note", textContent: why.why }));
  }
  host.append(element("p", { className: "note" }, "Run it again: ", commandLine(record.command)));
}

function showExperiments() {
  const host = section("The experiments");
  const columns = [
    "experiment",
    "runs",
    "reached",
    "operations",
    "steps",
    "gamma",
    "factor",
    "theory_steps",
    "moved",
    "messages",
    "elapsed_s",
  ];
  table(
    host,
    "experiments",
    [...columns, "command"],
    experiments.map(({ name, record }) => [
      name,
      record.runs.length,
      record.runs.filter((run) => run.converged).length,
      record.summary.operations.mean,
      record.summary.steps.mean,
      record.theory.gamma_exact,
      record.summary.factor.mean,
      record.theory.steps,
      record.summary.moved.mean,
      record.summary.messages.mean,
      record.summary.elapsed_s.mean,
      record.command,
    ]),
    columns,
  );
}

function showTheory() {
  const rows = experiments.flatMap(({ name, record }) => {
    const { facts, note, ...numbers } = record.theory;
    const beside = { operations: "operations", steps: "steps", gamma_exact: "factor", gamma_closed: "factor" };
    const measured = (field) => (record.summary[field] ? record.summary[field].mean : null);
    const ends = record.runs.filter(({ ended, converged }) =>
      ended === "criterion" ? converged : ended === "itself" && record.method.direct,
    );
    const atEnd = (field) => mean(ends.map((run) => run[field]).filter(Number.isFinite));
    return [
      ...Object.entries(numbers)
        .filter(([, value]) => value !== null)
        .map(([key, value]) => [name, words(key), value, measured(beside[key]), ""]),
      ...facts.map((fact) => [name, words(fact.name), fact.value, (fact.at_end ? atEnd : measured)(fact.beside), fact.text]),
      ...(note ? [[name, "note", null, null, note]] : []),
      ...(record.topology.drawn && record.runs.length > 1
        ? [[name, "topology", null, null, "Each run has its own graph. The theory is about the graph of the first run."]]
        : []),
    ];
  });
  if (rows.length === 0) return;
  table(
    section(
      "Theory beside measurement",
      "Predictions known before a run, and the means that the runs measured. Predictions about the end of a run are " +
        "compared with the runs that reached their criterion.",
    ),
    "theory",
    ["experiment", "what", "theory", "measured", "meaning"],
    rows,
  );
}

function showRuns() {
  const plain = (value) => value === null || typeof value !== "object";
  const runs = experiments.flatMap((experiment) => experiment.record.runs.map((run) => ({ experiment, run })));
  const columns = [...new Set(runs.flatMap(({ run }) => Object.keys(run).filter((name) => plain(run[name]))))];
  table(
    section("All runs"),
    "runs",
    ["experiment", ...columns],
    runs.map(({ experiment, run }) => [experiment.name, ...columns.map((name) => run[name])]),
    [
      "experiment",
      "seed",
      "ended",
      "operations",
      "steps",
      "variance_final",
      "spread_final",
      "moved",
      "messages",
      "elapsed_s",
    ],
  );
}

// Shows the axes that all experiments have in common. The names of the experiments contain the other axes.
function showAxes() {
  const axes = experiments.map(({ record }) => axesOf(record));
  const common = Object.keys(axes[0]).filter((name) => axes.every((of) => of[name] === axes[0][name]));
  const given = (name) => experiments.some(({ record }) => record.given.includes(name.replace(/_/g, "-")));
  const said = (value) => (typeof value === "boolean" ? String(value) : value);
  table(
    section("Configuration", experiments.length > 1 ? "Settings that all experiments have in common." : ""),
    "configuration",
    ["axis", "value", "given"],
    common.map((name) => [words(name), said(axes[0][name]), given(name) ? "given" : ""]),
  );
}

const THEMES = { auto: "as the system", light: "light", dark: "dark" };
const system = window.matchMedia("(prefers-color-scheme: dark)");
let theme = "auto";

function paint(chosen) {
  dark = chosen === "dark" || (chosen === "auto" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.getElementById("theme").textContent = `Colours: ${THEMES[theme]}`;
  redraws.forEach((draw) => draw());
}

document.getElementById("theme").onclick = () => {
  const names = Object.keys(THEMES);
  theme = names[(names.indexOf(theme) + 1) % names.length];
  paint(theme);
};
system.onchange = () => paint(theme);
// Printed pages have a light background, and drawings are made as wide as paper is: a drawing for the screen would be
// stretched, and would leave room below it.
window.onbeforeprint = () => {
  document.documentElement.dataset.paper = "";
  paint("light");
};
window.onafterprint = () => {
  delete document.documentElement.dataset.paper;
  paint(theme);
};

function showRecords() {
  showHead(nameExperiments());
  if (experiments.length > 1) {
    showMeans();
    showExperiments();
  } else showCards();
  showProfiles();
  showCurves();
  showTopologies();
  showLoads();
  showLinks();
  showTimelines();
  showFree();
  showEffects();
  showTheory();
  showRuns();
  showAxes();
}

function titleContention() {
  document.title = "Contention";
  document.getElementById("title").textContent = "What contention costs";
}

paint(theme);
if (experiments.length > 0) showRecords();
else titleContention();
page.contentions.forEach(showContention);
showFoot();
