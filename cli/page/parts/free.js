// SPDX-License-Identifier: MIT
// Waits, mailboxes and times of free timing, and the variance of domains.

// Returns a figure with a bar for each experiment at each name. `value` returns an experiment's value at a name's index.
function barsOf(name, names, label, log, shown, value) {
  return {
    name,
    x: { label: "", names },
    y: { label, log },
    height: 260,
    series: shown.map((experiment, i) => ({
      label: experiment.name,
      index: experiment.index,
      bar: true,
      x: names.map((_, k) => k + (i - (shown.length - 1) / 2) * (BARS / shown.length)),
      y: names.map((_, k) => value(experiment, k)),
    })),
  };
}

function mean(values) {
  return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
}

function freeRuns(experiment) {
  return experiment.record.runs.filter((run) => run.free);
}

const DEPTHS = ["1", "2", "3–4", "5–8", "9–16", "17–32", "33–64", "more"];
const TIMES = [
  "latency",
  "operation_time",
  "stale_age",
  "announced_age",
  "sphere_time",
  "delay_asked",
  "delay_realised",
];

function showFree() {
  const shown = experiments.filter((experiment) => freeRuns(experiment).length > 0);
  if (shown.length === 0) return;
  const host = section("Messages, waits and mailboxes", "Means over the runs of free timing. Times are accurate to 1 %.");
  const grid = element("div", { className: "charts" });
  host.append(grid);
  const add = (title, figure) => {
    const place = element(
      "figure",
      {},
      element(
        "div",
        { className: "controls" },
        element("h3", { textContent: title }),
        download(figure.name, () => rowsOf(figure)),
      ),
    );
    grid.append(place);
    chart(place, () => figure);
  };
  const causes = Object.keys(freeRuns(shown[0])[0].free.waited);
  add(
    "Waits by cause",
    barsOf("waits", causes, "processor-seconds", false, shown, (e, k) =>
      mean(freeRuns(e).map((run) => run.free.waited[causes[k]])),
    ),
  );
  add(
    "Messages in a mailbox that was emptied",
    barsOf("depths", DEPTHS, "times emptied", true, shown, (e, k) => mean(freeRuns(e).map((run) => run.free.depth[k]))),
  );
  const times = TIMES.filter((name) =>
    shown.some((e) => freeRuns(e).some((run) => run.free[name] && run.free[name].count > 0)),
  );
  const of = (experiment, name, part) =>
    mean(
      freeRuns(experiment)
        .map((run) => run.free[name])
        .filter((q) => q && q.count > 0)
        .map((q) => q[part]),
    );
  for (const experiment of shown) {
    add(`Times${shown.length > 1 ? `, ${experiment.name}` : ""}`, {
      name: `times-${experiment.index}`,
      x: { label: "", names: times.map(words) },
      y: { label: "seconds", log: true },
      height: 260,
      series: ["median", "p90", "p99", "maximum"].map((part, i) => ({
        label: { p90: "90 %", p99: "99 %" }[part] || part,
        index: i,
        dots: "alone",
        x: times.map((_, k) => k),
        y: times.map((name) => of(experiment, name, part)),
      })),
    });
  }
}

// Shows what share of the variance of their domains operations left.
function showEffects() {
  const rows = experiments.flatMap(({ name, record }) =>
    Object.entries(record.summary.effects || {})
      .filter(([, of]) => of !== null && typeof of === "object" && of.count > 0)
      .map(([kind, of]) => [name, words(kind), of.count, of.before, of.after, of.left, of.left_error]),
  );
  if (rows.length === 0) return;
  table(
    section("Domains", "The variance of the domains of operations before and after, by how domains overlap, over all runs."),
    "domains",
    ["experiment", "domains", "count", "before", "after", "left", "standard error"],
    rows,
  );
}
