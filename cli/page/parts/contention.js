// SPDX-License-Identifier: MIT
// Measurements of `evenkeel contention` (docs/contention.md): each cost of the base and of the experiments that differ
// from it, with every run and the interval of the mean.
const COSTS = [
  "messages_per_s",
  "operations_per_s",
  "latency_median_s",
  "latency_p99_s",
  "stalls_per_message",
  "empty_turns_share",
  "sleeps_per_s",
  "switches_per_message",
];

// Returns a cost's name in words: "messages per second".
function costWords(cost) {
  return words(cost).replace(/ per s$/, " per second").replace(/ s$/, ", seconds");
}

function pointName({ axis, value }) {
  return axis ? value : "base";
}

// Returns the experiments that differ on an axis, after those that they are compared with.
function pointsOn({ points }, axis) {
  const own = points.filter((point) => point.axis === axis);
  return [...new Set([...own.map((point) => points[point.base]), ...own])];
}

function contentionFigure(name, points, cost) {
  const measured = points.filter((point) => point[cost].mean.value !== null);
  const names = measured.map(pointName);
  const means = measured.map((point) => point[cost].mean);
  const runs = Math.max(0, ...measured.map((point) => point[cost].samples.length));
  const mean = {
    label: means.some(({ low }) => low !== null) ? "mean with its interval" : "mean",
    index: 0,
    dots: "alone",
    whiskers: true,
    x: names.map((_, i) => i),
    y: means.map(({ value }) => value),
    low: means.map(({ value, low }) => low ?? value),
    high: means.map(({ value, high }) => high ?? value),
  };
  const each = Array.from({ length: runs }, (_, run) => ({
    label: "one run",
    quiet: run > 0, // the legend shows one series for all runs
    index: 1,
    dots: "alone",
    x: names.map((_, i) => i + 0.2),
    y: measured.map((point) => point[cost].samples[run] ?? null),
  }));
  return { name, x: { label: "", names }, y: { label: costWords(cost) }, height: 300, series: [mean, ...each] };
}

function contentionRows(points) {
  return points.flatMap((point) =>
    COSTS.filter((cost) => point[cost].mean.value !== null).map((cost) => {
      const { mean, to_base: ratio } = point[cost];
      return [
        point.axis || "base",
        point.value,
        cost,
        point.runs,
        mean.value,
        mean.low,
        mean.high,
        ...(ratio ? [ratio.value, ratio.low, ratio.high, ratio.difference] : [null, null, null, ""]),
        point.command,
      ];
    }),
  );
}

function sampleRows(points) {
  return [
    ["axis", "value", "run", ...COSTS],
    ...points.flatMap((point) =>
      Array.from({ length: point.runs }, (_, run) => [
        point.axis || "base",
        point.value,
        run,
        ...COSTS.map((cost) => point[cost].samples[run]),
      ]),
    ),
  ];
}

function showComputer(host, id, computer) {
  table(
    host,
    `computer${id}`,
    ["limit", "mean", "low", "high"],
    Object.entries(computer).map(([name, { mean }]) => [costWords(name), mean.value, mean.low, mean.high]),
  );
}

function contentionNote({ runs_asked, confidence, others_share, points }) {
  const few = points[0].messages_per_s.mean.low === null;
  const others =
    others_share > 0.05
      ? ` Other programs used ${Math.round(100 * others_share)} % of the computer meanwhile, which affects these numbers.`
      : "";
  return `${plural(runs_asked, "run")} of each experiment, in turn; ${few ? "too few for intervals" : `intervals: ${confidence}`}.${others}`;
}

function showContention({ file, measured }, index) {
  const id = page.contentions.length > 1 ? `-${index}` : "";
  const host = section(id ? `Contention: ${file}` : "Contention", contentionNote(measured));
  const axes = [...new Set(measured.points.map(({ axis }) => axis).filter((axis) => axis))];
  let [axis] = axes;
  let [cost] = COSTS;
  const shown = () => (axis ? pointsOn(measured, axis) : measured.points);
  const figure = element("figure", {});
  let draw = () => {};
  host.append(
    element("p", { className: "note" }, "Measure it again: ", commandLine(measured.command)),
    element(
      "div",
      { className: "controls" },
      choice(
        "show",
        COSTS.map((name) => [name, costWords(name)]),
        (value) => draw((cost = value)),
      ),
      axes.length > 1
        ? choice(
            "by",
            axes.map((name) => [name, name]),
            (value) => draw((axis = value)),
          )
        : null,
      download(`samples${id}`, () => sampleRows(measured.points)),
    ),
    figure,
  );
  draw = chart(figure, () => contentionFigure(`contention${id}`, shown(), cost));
  const refused = measured.points.filter((point) => point.refused);
  for (const point of refused) {
    host.append(element("p", { className: "note", textContent: `${point.axis} ${point.value}: ${point.refused}` }));
  }
  table(
    host,
    `costs${id}`,
    ["axis", "value", "cost", "runs", "mean", "low", "high", "ratio", "ratio low", "ratio high", "difference", "command"],
    contentionRows(measured.points),
    ["axis", "value", "cost", "mean", "low", "high", "ratio", "difference"],
  );
  host.append(element("h3", { textContent: "The computer's own limits" }));
  showComputer(host, id, measured.computer);
}
