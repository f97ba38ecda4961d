// SPDX-License-Identifier: MIT
// What processors did in runs with tasks: a Gantt chart of their work, overhead and idleness over time, and a map of
// where tasks were executed.
//
// The chart has a row for each processor, or for successive ones if there are many, and a column for each interval. In
// a high row a cell is a bar, with the overhead above the work. In a low row it has the mixture of the colours.
const LINES = 240; // most rows
const GANTT = { left: 56, all: 56, gap: 10, rows: 580, row: 20, bar: 9, foot: 24 }; // lengths in pixels

function percent(share) {
  return `${number(Number((100 * share).toPrecision(3)))} %`;
}

// Returns a function that writes times of a run that took `end`: ticks, or seconds in the unit that fits them.
function timeWriter(experiment, end) {
  if (experiment.record.timing.startsWith("rounds") || experiment.record.timing.startsWith("turns"))
    return (time) => number(time);
  const [unit, size] = [
    ["s", 1],
    ["ms", 1e-3],
    ["µs", 1e-6],
    ["ns", 1e-9],
  ].find(([, of]) => end >= of) || ["ns", 1e-9];
  return (time) => `${number(Number((time / size).toPrecision(4)))} ${unit}`;
}

function inTicks(experiment) {
  return !experiment.free;
}

// Returns words for an interval: "ticks 0 to 128", "0 ms to 1.05 ms".
function spanWords(gantt, from, to) {
  return `${inTicks(gantt.experiment) ? "ticks " : ""}${gantt.time(from)} to ${gantt.time(to)}`;
}

function ganttSize(gantt) {
  const { profile, experiment } = gantt;
  return {
    processors: experiment.record.topology.processors,
    groups: profile.intervals.length > 0 ? profile.intervals[0].work.length : 0,
    end: profile.intervals.length > 0 ? profile.intervals[profile.intervals.length - 1].to : 0,
  };
}

// Returns the rows and columns of a chart that is `across` pixels wide: successive groups and intervals are added up, so
// that a cell is at least two pixels wide and high. A cell has the shares of the time of its processors.
function cellsOf(gantt, across) {
  const { processors, groups } = ganttSize(gantt);
  const { group, intervals } = gantt.profile;
  const joined = Math.ceil(groups / LINES);
  const wide = Math.ceil(intervals.length / Math.max(1, Math.floor(across / 2)));
  const rows = Array.from({ length: Math.ceil(groups / joined) }, (_, r) => ({
    first: r * joined * group,
    last: Math.min((r + 1) * joined * group, processors) - 1,
  }));
  const columns = Array.from({ length: Math.ceil(intervals.length / wide) }, (_, c) => {
    const of = intervals.slice(c * wide, (c + 1) * wide);
    const [from, to] = [of[0].from, of[of.length - 1].to];
    const sum = (what, begin, end) =>
      of.reduce((all, one) => all + one[what].slice(begin, end).reduce((a, b) => a + b, 0), 0);
    const shares = (begin, end, members) => ({
      work: sum("work", begin, end) / ((to - from) * members),
      overhead: sum("overhead", begin, end) / ((to - from) * members),
      idle: sum("idle", begin, end) / ((to - from) * members),
    });
    const cells = rows.map(({ first, last }, r) => shares(r * joined, (r + 1) * joined, last - first + 1));
    return { from, to, cells, all: shares(0, groups, processors) };
  });
  return { rows, columns };
}

// Returns which shares fill a cell, and the column of all processors. In free timing processors share cores, so their
// shares are small: the largest one fills a cell, and all cores fill the column.
function fullShares(gantt, { columns }) {
  const { record, free, clock } = gantt.experiment;
  if (!free || clock === "virtual-time") return { cell: 1, all: 1 };
  const busy = ({ work, overhead }) => work + overhead;
  const most = (shares) => shares.reduce((a, one) => Math.max(a, busy(one)), 0) || 1;
  const cores = Math.min(gantt.run.workers, record.host.cores) / record.topology.processors;
  return {
    cell: Math.min(most(columns.flatMap(({ cells }) => cells)), 1),
    all: Math.min(Math.max(cores, most(columns.map(({ all }) => all))), 1),
  };
}

// Returns where rows and moments are on the canvas.
function ganttScales(gantt) {
  const across = (gantt.canvas.clientWidth || 300) - GANTT.left - 2;
  if (gantt.across !== across) {
    gantt.across = across;
    gantt.cells = cellsOf(gantt, across);
    gantt.full = fullShares(gantt, gantt.cells);
  }
  const count = gantt.cells.rows.length;
  const row = Math.min(Math.max(Math.floor(GANTT.rows / count), 2), GANTT.row);
  const top = GANTT.all + GANTT.gap;
  const { end } = ganttSize(gantt);
  return {
    across,
    row,
    top,
    bottom: top + row * count,
    x: (time) => GANTT.left + (time / end) * across,
    y: (r) => top + r * row,
  };
}

// Draws a cell as a bar: the work at its foot, the overhead above it.
function drawShares(pen, { work, overhead }, full, x, y, width, height) {
  const high = (share) => Math.min(share / full, 1) * height;
  pen.fillStyle = style("grid");
  pen.fillRect(x, y, width, height);
  pen.fillStyle = style("overhead");
  pen.fillRect(x, y + height - high(work + overhead), width, high(work + overhead));
  pen.fillStyle = style("work");
  pen.fillRect(x, y + height - high(work), width, high(work));
}

// Draws a cell in the mixture of the colours. What is drawn first shows through what is drawn over it.
function drawMixture(pen, { work, overhead }, full, x, y, width, height) {
  const over = Math.min(overhead / full, 1);
  const under = over < 1 ? Math.min(work / full / (1 - over), 1) : 0;
  for (const [what, alpha] of [
    ["grid", 1],
    ["work", under],
    ["overhead", over],
  ]) {
    pen.globalAlpha = alpha;
    pen.fillStyle = style(what);
    pen.fillRect(x, y, width, height);
  }
  pen.globalAlpha = 1;
}

// Returns the round numbers from 0 to `end`, about one for each 90 pixels.
function ticksOf(end, across) {
  const least = (end * 90) / across;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((by) => by * power).find((by) => by >= least);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => i * step);
}

function drawGanttAxes(pen, gantt, scales) {
  const { rows } = gantt.cells;
  const { end } = ganttSize(gantt);
  const every = Math.ceil(14 / scales.row);
  pen.font = "12px system-ui, DejaVu Sans, sans-serif";
  pen.textBaseline = "middle";
  pen.fillStyle = style("text");
  pen.textAlign = "right";
  pen.fillText("all", GANTT.left - 6, GANTT.all / 2);
  rows.forEach(({ first }, r) => {
    if (r % every === 0) pen.fillText(String(first), GANTT.left - 6, scales.y(r) + scales.row / 2);
  });
  for (const time of ticksOf(end, scales.across)) {
    const x = scales.x(time);
    pen.textAlign = time === 0 ? "left" : x > GANTT.left + scales.across - 24 ? "right" : "center";
    pen.fillText(gantt.time(time), x, scales.bottom + 14);
    pen.fillRect(x, scales.bottom, 1, 4);
  }
}

// Draws a line where the last task was executed, if the run went on.
function drawDone(pen, gantt, scales) {
  if (!isLong(gantt)) return;
  const x = scales.x(gantt.run.done_s);
  pen.strokeStyle = style("text");
  pen.lineWidth = 1;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  pen.moveTo(x, 0);
  pen.lineTo(x, scales.bottom);
  pen.stroke();
  pen.setLineDash([]);
}

// Returns whether the run went on after its last task.
function isLong(gantt) {
  const done = gantt.run.done_s;
  return typeof done === "number" && done < 0.99 * ganttSize(gantt).end;
}

// Returns whether the rows are high enough for bars.
function isHigh(scales) {
  return scales.row >= GANTT.bar;
}

function tellGantt(gantt) {
  const { rows, columns } = gantt.cells;
  const { from, to, cells, all } = columns[gantt.column];
  const { first, last } = rows[Math.max(gantt.row, 0)];
  const shares = gantt.row < 0 ? all : cells[gantt.row];
  const who =
    gantt.row < 0 ? "All processors" : first === last ? `Processor ${first}` : `Processors ${first} to ${last}`;
  const parts = ["work", "overhead", "idle"].map((what) => `${what} ${percent(shares[what])}`);
  gantt.picked.textContent = `${who}, ${spanWords(gantt, from, to)}: ${parts.join(", ")}.`;
}

function drawGantt(gantt) {
  const fine = window.devicePixelRatio || 1;
  const { canvas } = gantt;
  const scales = ganttScales(gantt);
  gantt.scales = scales;
  canvas.width = (canvas.clientWidth || 300) * fine;
  canvas.height = (scales.bottom + GANTT.foot) * fine;
  canvas.style.height = `${scales.bottom + GANTT.foot}px`;
  const pen = canvas.getContext("2d");
  pen.scale(fine, fine);
  const [drawCell, gap] = isHigh(scales) ? [drawShares, 2] : [drawMixture, 0];
  for (const { from, to, cells, all } of gantt.cells.columns) {
    const x = Math.round(scales.x(from));
    const width = Math.round(scales.x(to)) - x;
    drawShares(pen, all, gantt.full.all, x, 0, width, GANTT.all);
    cells.forEach((shares, r) => {
      drawCell(pen, shares, gantt.full.cell, x, scales.y(r), width, scales.row - gap);
    });
  }
  drawGanttAxes(pen, gantt, scales);
  drawDone(pen, gantt, scales);
  if (gantt.pointed || document.activeElement === canvas) {
    const { from, to } = gantt.cells.columns[gantt.column];
    const [y, height] = gantt.row < 0 ? [1, GANTT.all - 2] : [scales.y(gantt.row) - 1, scales.row];
    pen.strokeStyle = style("text");
    pen.lineWidth = 2;
    pen.strokeRect(scales.x(from), y, scales.x(to) - scales.x(from), height);
  }
  tellGantt(gantt);
}

// Chooses a cell. Row -1 is that of all processors.
function pickCell(gantt, row, column) {
  gantt.row = Math.min(Math.max(row, -1), gantt.cells.rows.length - 1);
  gantt.column = Math.min(Math.max(column, 0), gantt.cells.columns.length - 1);
  drawGantt(gantt);
}

function listenGantt(gantt) {
  const { canvas } = gantt;
  canvas.onkeydown = (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    pickCell(gantt, gantt.row + by[0], gantt.column + by[1]);
  };
  canvas.onpointermove = ({ offsetX, offsetY }) => {
    const { x, row, top } = gantt.scales;
    gantt.pointed = true;
    const column = gantt.cells.columns.findIndex(({ to }) => offsetX < x(to));
    pickCell(gantt, Math.floor((offsetY - top) / row), column < 0 ? Infinity : column);
  };
  canvas.onpointerleave = () => {
    gantt.pointed = false;
    drawGantt(gantt);
  };
  canvas.onfocus = canvas.onblur = () => drawGantt(gantt);
}

// Returns sentences about the whole run, for those who do not see the chart.
function profileWords({ profile, time, experiment, title }) {
  const { work, overhead, idle } = profile.processors;
  const sum = (of) => of.reduce((a, b) => a + b, 0);
  const all = sum(work) + sum(overhead) + sum(idle);
  const most = work.indexOf(Math.max(...work));
  const least = work.indexOf(Math.min(...work));
  const unit = inTicks(experiment) ? " ticks" : "";
  const shares = [`${percent(sum(work) / all)} was work`, `${percent(sum(overhead) / all)} overhead`];
  const ends =
    work.length > 1
      ? ` Processor ${most} worked most, ${time(work[most])}${unit}; processor ${least} least, ${time(work[least])}.`
      : "";
  return `${title}Of the processors' time, ${shares.join(", ")} and ${percent(sum(idle) / all)} idleness.${ends}`;
}

function ganttNote(gantt) {
  const { cell, all } = gantt.full;
  const mixed = isHigh(gantt.scales) ? "" : " A cell below them has the mixture of the colours.";
  const shared =
    ` A full cell is ${percent(cell)} of a processor's time, and a full column ${percent(all)} of the time of all: ` +
    "processors share cores, and one that waits for a core is idle.";
  return `The columns at the top are those of all processors.${mixed}${cell < 1 ? shared : ""}`;
}

function ganttLegend(gantt) {
  const item = (what, text) =>
    element("li", {}, element("span", { className: "doing", "data-doing": what }), text);
  return [
    element(
      "ul",
      { className: "legend" },
      item("work", "work"),
      item("overhead", "overhead"),
      item("idle", "idle"),
      isLong(gantt) ? element("li", { textContent: "dashed line: the last task was executed" }) : null,
    ),
    element("p", { className: "note", textContent: ganttNote(gantt) }),
  ];
}

function profileRows({ profile, experiment }) {
  const { processors } = experiment.record.topology;
  return [
    ["from", "to", "processor", "processors", "work", "overhead", "idle"],
    ...profile.intervals.flatMap(({ from, to, work, overhead, idle }) =>
      work.map((_, g) => {
        const first = g * profile.group;
        return [from, to, first, Math.min(profile.group, processors - first), work[g], overhead[g], idle[g]];
      }),
    ),
  ];
}

function setGantt(gantt, { experiment, run, title }) {
  Object.assign(gantt, { experiment, run, title, profile: run.profile, across: null, row: -1, column: 0 });
  gantt.time = timeWriter(experiment, ganttSize(gantt).end);
  gantt.said.textContent = profileWords(gantt);
  gantt.canvas.setAttribute(
    "aria-label",
    `Work, overhead and idleness by processor over time. ${gantt.said.textContent} Arrow keys choose a cell.`,
  );
  drawGantt(gantt);
  gantt.legend.replaceChildren(...ganttLegend(gantt));
}

const EXECUTION = [
  ["work", "share of time at work"],
  ["overhead", "share of time with overhead"],
  ["idle", "share of idle time"],
  ["executed", "tasks executed"],
  ["created", "tasks created"],
];

// Returns the moments of a map: the whole run, and for shares of time each interval if it has a number for each
// processor. The colours of the run begin at 0, and those of all intervals too.
function executionMoments(gantt, what) {
  const { profile } = gantt;
  const { end } = ganttSize(gantt);
  const whole = profile.processors[what];
  const isShare = ["work", "overhead", "idle"].includes(what);
  const moment = (when, load) => ({ when, load, ...statistics(load) });
  const most = (moments) => Math.max(...moments.map(({ high }) => high));
  const run = moment("the whole run", isShare ? whole.map((time) => time / end) : whole);
  const spans = isShare && profile.group === 1 ? profile.intervals : [];
  const parts = spans.map(({ from, to, ...of }) =>
    moment(spanWords(gantt, from, to), of[what].map((time) => time / (to - from))),
  );
  return [{ ...run, most: run.high }, ...parts.map((part) => ({ ...part, most: most(parts) }))];
}

function setExecution(map, gantt, what) {
  const { processors } = gantt.profile;
  const isCount = ["executed", "created"].includes(what);
  map.what = EXECUTION.find(([name]) => name === what)[1];
  map.value = isCount ? number : percent;
  map.bars.setAttribute("aria-label", `Histogram: ${map.what}`);
  setMap(map, gantt.experiment.record.topology, {
    moments: executionMoments(gantt, what),
    links: [],
    at: "in",
    told: ({ low, mean: middle, high }) => ({ smallest: low, mean: middle, largest: high }),
    tell: (p, now) =>
      `${map.value(now.load[p])}${isCount ? "" : ` ${what}`}; in the whole run ${number(processors.executed[p])} tasks ` +
      `executed, ${number(processors.created[p])} created here`,
    hint: ` The colours show the ${map.what}.`,
  });
}

function showExecution(gantt, choices) {
  const host = section("Where tasks were executed", "The processors, placed as the topology is.");
  const map = newMap("work");
  map.flows = false;
  let what = "work";
  const set = () => setExecution(map, gantt, what);
  host.append(
    element(
      "div",
      { className: "controls" },
      choice("show", EXECUTION, (value) => {
        what = value;
        set();
      }),
      download("processors", () => {
        const { processors } = gantt.profile;
        const names = EXECUTION.map(([name]) => name);
        return [["processor", ...names], ...processors.work.map((_, p) => [p, ...names.map((name) => processors[name][p])])];
      }),
    ),
  );
  placeMap(host, map);
  set();
  choices.push(set);
}

function showProfiles() {
  const runs = experiments.flatMap((experiment) =>
    experiment.record.runs
      .filter(({ profile }) => profile && profile.intervals.length > 0)
      .map((run) => ({ experiment, run, title: "" })),
  );
  if (runs.length === 0) return;
  if (runs.length > 1) runs.forEach((one) => (one.title = `${nameOfRun(one)}. `));
  const host = section("What processors did");
  const gantt = {
    canvas: element("canvas", { tabIndex: 0, role: "img" }),
    said: element("p", {}),
    picked: element("p", { role: "status" }),
    legend: element("div", {}),
    pointed: false,
  };
  const choices = []; // what follows another run
  const chooser = choice(
    "run",
    runs.map((run, i) => [i, nameOfRun(run)]),
    (i) => {
      setGantt(gantt, runs[i]);
      choices.forEach((set) => set());
    },
  );
  host.append(
    gantt.said,
    element(
      "div",
      { className: "controls" },
      runs.length > 1 ? chooser : null,
      download("profile", () => profileRows(gantt)),
    ),
    element("figure", { className: "timeline" }, gantt.canvas, gantt.picked),
    gantt.legend,
  );
  listenGantt(gantt);
  setGantt(gantt, runs[0]);
  redraws.push(() => drawGantt(gantt));
  new ResizeObserver(() => drawGantt(gantt)).observe(gantt.canvas.parentElement);
  showExecution(gantt, choices);
}
