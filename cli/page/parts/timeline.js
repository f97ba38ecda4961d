// SPDX-License-Identifier: MIT
// Recorded runs on a time line. Each processor has a row with its own operations and its part in those of neighbours.
// Lines between rows are parcels. Two operations overlap if a processor takes part in both at once. A *sphere* is a set of
// operations that are connected by overlaps. As in a run's report (core/domains/overlaps.h), a sphere occupies a processor
// from its first part there to its last, and spheres that occupy a processor at the same time are joined.
const ROWS_AT_ONCE = 32;

// Returns operations as { processor, from, to, begun, ended, got, left, open, stays: [{ processor, from, to, begun,
// ended }], number, sphere: { operations } }. Abandoned operations are left out.
function operationsOf({ operations, stays, end }) {
  const part = (processor, from, to, begun, ended) => {
    return { processor, from, to: to ?? end, begun, ended: ended ?? Infinity };
  };
  const all = operations.map(([processor, from, to, begun, ended, got, left]) => {
    return { ...part(processor, from, to, begun, ended), got, left, open: to === null, stays: [] };
  });
  for (const [operation, ...stay] of stays) all[operation].stays.push(part(...stay));
  const taken = all.filter(({ left }) => !left);
  taken.forEach((operation, number) => Object.assign(operation, { number, sphere: { operations: [operation] } }));
  return taken;
}

function join(a, b) {
  if (a.sphere === b.sphere) return;
  const [more, less] =
    a.sphere.operations.length < b.sphere.operations.length ? [b.sphere, a.sphere] : [a.sphere, b.sphere];
  more.operations.push(...less.operations);
  less.operations.forEach((operation) => (operation.sphere = more));
}

// Returns for each processor its parts in operations, its own and its neighbours'.
function partsOf(operations) {
  const parts = new Map();
  for (const operation of operations) {
    for (const { processor, begun, ended } of [operation, ...operation.stays]) {
      if (!parts.has(processor)) parts.set(processor, []);
      parts.get(processor).push({ begun, ended, operation });
    }
  }
  return parts;
}

// Joins the spheres that occupy a processor at the same time. `parts` are the processor's, ordered by their begins.
// Returns whether any were joined.
function joinAt(parts) {
  const last = new Map(); // the index of each sphere's last part
  parts.forEach(({ operation }, i) => last.set(operation.sphere, i));
  let any = false;
  let until = 0;
  let open = parts[0].operation;
  parts.forEach(({ operation, begun, ended }, i) => {
    const end = last.get(open.sphere);
    if (operation.sphere !== open.sphere && (begun < until || i <= end)) {
      const later = Math.max(end, last.get(operation.sphere));
      join(open, operation);
      last.set(operation.sphere, later);
      any = true;
    }
    open = operation;
    until = Math.max(until, ended);
  });
  return any;
}

function joinSpheres(operations) {
  const all = [...partsOf(operations).values()];
  all.forEach((parts) => parts.sort((a, b) => a.begun - b.begun));
  while (all.map(joinAt).some((any) => any));
}

const SPHERES = ["alone", "in a sphere of two", "in a larger sphere"];

function sphereIndex(operation) {
  return Math.min(operation.sphere.operations.length, 3) - 1;
}

function milliseconds(seconds) {
  return `${number(Number((1e3 * seconds).toPrecision(6)))} ms`;
}

function operationRows(operations) {
  const spheres = [...new Set(operations.map(({ sphere }) => sphere))];
  return [
    ["operation", "processor", "from_s", "to_s", "got", "neighbours", "sphere", "sphere_operations"],
    ...operations.map(({ number: at, processor, from, to, got, open, stays, sphere }) => [
      at,
      processor,
      from,
      open ? null : to,
      got,
      stays.map((stay) => stay.processor).join(" "),
      spheres.indexOf(sphere),
      sphere.operations.length,
    ]),
  ];
}

function newLine({ timeline, record }) {
  const operations = operationsOf(timeline);
  joinSpheres(operations);
  return {
    operations,
    parcels: timeline.parcels.map(([from, to, sent, taken, load]) => ({ from, to, sent, taken, load })),
    processors: record.topology.processors,
    end: timeline.end,
    first: 0, // row
    rows: null, // the element that chooses the first row
    zoom: 1,
    arrows: true,
    chosen: 0, // operation
    canvas: element("canvas", { tabIndex: 0, role: "img" }),
    slider: element("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": "time" }),
    label: element("output", {}),
    picked: element("p", { role: "status" }),
  };
}

function windowOf(line) {
  const width = line.end / line.zoom;
  const from = ((line.end - width) * Number(line.slider.value)) / 1000;
  return { from, width };
}

// Returns where rows and moments are on the canvas.
function scalesOf(line) {
  const { from, width } = windowOf(line);
  const rows = Math.min(ROWS_AT_ONCE, line.processors - line.first);
  const [left, top, row] = [44, 4, 18];
  const across = (line.canvas.clientWidth || 300) - left - 2;
  return {
    rows,
    row,
    height: top + rows * row + 20,
    left,
    across,
    x: (time) => left + ((time - from) / width) * across,
    y: (processor) => top + (processor - line.first) * row,
    seen: (processor) => processor >= line.first && processor < line.first + rows,
  };
}

function drawGround(pen, line, scales) {
  pen.font = "12px system-ui, DejaVu Sans, sans-serif";
  pen.textBaseline = "middle";
  for (let p = line.first; p < line.first + scales.rows; p++) {
    pen.fillStyle = style("text");
    pen.textAlign = "right";
    pen.fillText(String(p), scales.left - 6, scales.y(p) + scales.row / 2);
    pen.fillStyle = style("grid");
    pen.fillRect(scales.left, scales.y(p) + scales.row - 1, scales.across, 1);
  }
  const { from, width } = windowOf(line);
  pen.fillStyle = style("text");
  for (const [part, align] of [
    [0, "left"],
    [1, "right"],
  ]) {
    pen.textAlign = align;
    pen.fillText(milliseconds(from + part * width), scales.left + part * scales.across, scales.height - 8);
  }
}

// Draws an operation as high as its row, and the parts of neighbours in it half as high.
function drawOperations(pen, line, scales) {
  const bar = ({ processor, from, to }, high) => {
    if (!scales.seen(processor)) return;
    const [x, end] = [Math.max(scales.x(from), scales.left), Math.min(scales.x(to), scales.left + scales.across)];
    if (end < scales.left || x > scales.left + scales.across) return;
    const y = scales.y(processor) + (high ? 2 : scales.row / 2);
    pen.fillRect(x, y, Math.max(end - x, 1), high ? scales.row - 5 : scales.row / 2 - 4);
  };
  for (const operation of line.operations) {
    pen.fillStyle = colour(sphereIndex(operation)) + "90";
    operation.stays.forEach((stay) => bar(stay, false));
    pen.fillStyle = colour(sphereIndex(operation));
    bar(operation, true);
  }
}

function drawParcels(pen, line, scales) {
  pen.strokeStyle = style("text");
  pen.globalAlpha = 0.5;
  pen.lineWidth = 1;
  for (const { from, to, sent, taken } of line.parcels) {
    if (!scales.seen(from) || !scales.seen(to)) continue;
    pen.beginPath();
    pen.moveTo(scales.x(sent), scales.y(from) + scales.row / 2);
    pen.lineTo(scales.x(taken ?? line.end), scales.y(to) + scales.row / 2);
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

function tellLine(line) {
  const operation = line.operations[line.chosen];
  const { from, width } = windowOf(line);
  line.label.textContent = `${milliseconds(from)} to ${milliseconds(from + width)}`;
  line.canvas.setAttribute("aria-label", "Operations by processor over time; arrow keys go through the operations");
  if (!operation) return;
  const { processor, stays, got, open, sphere } = operation;
  const neighbours = stays.map((stay) => stay.processor).join(", ") || "no neighbour";
  const came = open ? "" : `, which moved ${number(got)} to this processor`;
  line.picked.textContent =
    `Processor ${processor}, ${milliseconds(operation.from)} to ${open ? "the end" : milliseconds(operation.to)}: ` +
    `an operation with ${neighbours}${came}, ${SPHERES[sphereIndex(operation)]}` +
    `${sphere.operations.length > 2 ? ` of ${number(sphere.operations.length)} operations` : ""}.`;
}

function drawLine(line) {
  const fine = window.devicePixelRatio || 1;
  const scales = scalesOf(line);
  const { canvas } = line;
  line.scales = scales;
  canvas.width = (canvas.clientWidth || 300) * fine;
  canvas.height = scales.height * fine;
  canvas.style.height = `${scales.height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(fine, fine);
  drawGround(pen, line, scales);
  pen.beginPath();
  pen.rect(scales.left, 0, scales.across, scales.height - 18);
  pen.clip();
  drawOperations(pen, line, scales);
  if (line.arrows) drawParcels(pen, line, scales);
  const operation = line.operations[line.chosen];
  if (operation && scales.seen(operation.processor)) {
    const x = scales.x(operation.from);
    pen.strokeStyle = style("accent");
    pen.lineWidth = 3;
    const width = Math.max(scales.x(operation.to) - x, 1) + 4;
    pen.strokeRect(x - 2, scales.y(operation.processor), width, scales.row - 1);
  }
  tellLine(line);
}

// Chooses an operation and moves the window and the rows to it.
function choose(line, index) {
  line.chosen = Math.min(Math.max(index, 0), line.operations.length - 1);
  const { from, to, processor } = line.operations[line.chosen];
  const seen = windowOf(line);
  if (from < seen.from || to > seen.from + seen.width) {
    const room = line.end - seen.width;
    line.slider.value = room > 0 ? Math.round((1000 * (from - 0.1 * seen.width)) / room) : 0;
  }
  if (!line.scales.seen(processor)) {
    line.first = processor - (processor % ROWS_AT_ONCE);
    line.rows.value = line.first;
  }
  drawLine(line);
}

// Returns the operation that is nearest in time on the row at the pointer.
function nearest(line, x, y) {
  const { scales } = line;
  const away = ({ processor, from, to }) =>
    y >= scales.y(processor) && y < scales.y(processor) + scales.row && scales.seen(processor)
      ? Math.max(scales.x(from) - x, x - scales.x(to), 0)
      : Infinity;
  const best = line.operations.reduce((near, one, i) => (away(one) < away(line.operations[near]) ? i : near), 0);
  return away(line.operations[best]) < Infinity ? best : line.chosen;
}

function listenLine(line) {
  line.slider.oninput = () => drawLine(line);
  line.canvas.onkeydown = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || line.operations.length === 0) return;
    event.preventDefault();
    choose(line, line.chosen + by);
  };
  line.canvas.onclick = (event) => {
    if (line.operations.length > 0) choose(line, nearest(line, event.offsetX, event.offsetY));
  };
}

function sphereLegend() {
  return element(
    "ul",
    { className: "legend" },
    ...SPHERES.map((text, index) => element("li", {}, swatch({ index, bar: true }), text)),
    element("li", { textContent: "high bars: operations; low bars: the parts of neighbours in them; lines: parcels" }),
  );
}

function lineNote({ operations }, { cut }) {
  const spheres = new Set(operations.map(({ sphere }) => sphere));
  const sizes = [...spheres].map((sphere) => sphere.operations.length).filter((size) => size > 1);
  const overlap = operations.filter(({ sphere }) => sphere.operations.length > 1).length;
  const largest = sizes.length > 0 ? `, the largest of ${number(Math.max(...sizes))} operations` : "";
  return (
    `${cut ? "The beginning of the run: " : ""}${plural(operations.length, "operation")}, of which ` +
    `${number(overlap)} overlap with others, in ${plural(sizes.length, "sphere")} of two or more${largest}.`
  );
}

function named(button, textContent) {
  return Object.assign(button, { textContent });
}

function showTimeline(experiment) {
  const line = newLine(experiment);
  const title = experiments.length > 1 ? `Operations over time: ${experiment.name}` : "Operations over time";
  const host = section(title, lineNote(line, experiment.timeline));
  const ranges = Array.from({ length: Math.ceil(line.processors / ROWS_AT_ONCE) }, (_, i) => i * ROWS_AT_ONCE);
  const last = (first) => Math.min(first + ROWS_AT_ONCE, line.processors) - 1;
  const set = (change) => drawLine(Object.assign(line, change));
  const rows = choice(
    "processors",
    ranges.map((first) => [first, `${first} to ${last(first)}`]),
    (first) => set({ first: Number(first) }),
  );
  line.rows = rows.querySelector("select");
  const zooms = [1, 4, 16, 64, 256, 1024].map((zoom) => [zoom, zoom === 1 ? "all" : `1/${zoom}`]);
  host.append(
    element(
      "div",
      { className: "controls" },
      choice("time shown", zooms, (zoom) => set({ zoom: Number(zoom) })),
      ranges.length > 1 ? rows : null,
      check("parcels", true, (arrows) => set({ arrows })),
      named(download("operations", () => operationRows(line.operations)), "CSV of operations"),
      named(
        download("parcels", () => [
          ["from", "to", "sent_s", "taken_s", "load"],
          ...line.parcels.map(({ from, to, sent, taken, load }) => [from, to, sent, taken, load]),
        ]),
        "CSV of parcels",
      ),
    ),
    element(
      "figure",
      { className: "timeline" },
      line.canvas,
      element("div", { className: "slide" }, line.slider, line.label),
      line.picked,
    ),
    sphereLegend(),
  );
  listenLine(line);
  drawLine(line);
  redraws.push(() => drawLine(line));
  new ResizeObserver(() => drawLine(line)).observe(line.canvas.parentElement);
}

function showTimelines() {
  experiments.filter(({ timeline }) => timeline).forEach(showTimeline);
}
