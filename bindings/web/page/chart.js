// SPDX-License-Identifier: MIT
// The curve of the variance or the imbalance over steps or virtual time, on a logarithmic axis, beside the rate that
// theory predicts. A click, or the arrow keys, go to that moment.
const MEASURES = [
  ["variance", "Variance"],
  ["imbalance", "Imbalance"],
];

const chart = {
  canvas: element("canvas", { tabIndex: 0, role: "img" }),
  key: element("ul", { className: "legend" }),
  told: element("p", { className: "note" }),
  measure: "variance",
};

function measureOf(measure, row) {
  if (measure === "variance") return row.variance;
  return row.mean > 0 ? row.maximum / row.mean - 1 : NaN;
}

// Returns [place, value] for each row of the trace, and the line of the theory in the same form.
function curvesOf(result, measure) {
  const { trace } = result.report;
  const measured = trace.map((row) => [row[result.place], measureOf(measure, row)]);
  const factor = predictedFactor(result);
  const each = stepsEach(result);
  const first = measured[0][1];
  if (!factor || !each || !(factor.gamma > 0) || !(first > 0)) return { measured, predicted: [], factor };
  // An operation shrinks the distance from balance by gamma, and the variance, which is a square, by its square.
  const by = measure === "variance" ? factor.gamma ** 2 : factor.gamma;
  const last = measured[measured.length - 1][0];
  return {
    measured,
    predicted: [
      [0, first],
      [last, first * by ** (last / each)],
    ],
    factor,
  };
}

// Returns steps of 1, 2 or 5 times a power of ten, at most `count` of them up to `most`.
function ticksOf(most, count) {
  const raw = most / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((times) => times * power).find((size) => size >= raw);
  const ticks = [];
  for (let tick = 0; tick <= most * (1 + 1e-9); tick += step) ticks.push(tick);
  return ticks;
}

function powerText(power) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  if (power >= -1 && power <= 3) return String(power < 0 ? 10 ** power : Math.round(10 ** power));
  return `10${power < 0 ? "⁻" : ""}${[...String(Math.abs(power))].map((digit) => digits[digit]).join("")}`;
}

// Returns the frame of the chart: how places and values become pixels.
function frameOf(result, curves, width, height) {
  const box = { left: 46, right: width - 10, top: 12, bottom: height - 40 };
  const values = curves.measured.map(([, value]) => value).filter((value) => value > 0);
  const most = Math.max(...values, Number.MIN_VALUE);
  const least = Math.max(Math.min(...values, most), most * 1e-14);
  let [high, low] = [Math.ceil(Math.log10(most)), Math.floor(Math.log10(least))];
  if (high === low) high++;
  const last = curves.measured[curves.measured.length - 1][0] || 1;
  return {
    ...box,
    high,
    low,
    last,
    x: (place) => box.left + ((box.right - box.left) * place) / last,
    y: (value) => box.bottom - ((box.bottom - box.top) * (Math.log10(value) - low)) / (high - low),
  };
}

function drawAxes(pen, result, frame) {
  pen.font = `12px system-ui, "DejaVu Sans", sans-serif`;
  pen.fillStyle = style("faint");
  pen.strokeStyle = style("grid");
  pen.lineWidth = 1;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  const every = Math.max(1, Math.ceil((frame.high - frame.low) / 7));
  for (let power = frame.low; power <= frame.high; power += every) {
    const y = Math.round(frame.y(10 ** power)) + 0.5;
    pen.fillText(powerText(power), frame.left - 6, y);
    segment(pen, frame.left, y, frame.right, y);
  }
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const [scale, unit] = result.timed ? timeUnit(frame.last) : [1, ""];
  for (const tick of ticksOf(frame.last * scale, Math.max(2, (frame.right - frame.left) / 70))) {
    const x = Math.round(frame.x(tick / scale)) + 0.5;
    segment(pen, x, frame.bottom, x, frame.bottom + 4);
    pen.fillText(number(Number(tick.toPrecision(6))), x, frame.bottom + 7);
  }
  pen.fillText(result.timed ? `virtual time in ${unit}` : "step", (frame.left + frame.right) / 2, frame.bottom + 23);
}

function segment(pen, ...[fromX, fromY, toX, toY]) {
  pen.beginPath();
  pen.moveTo(fromX, fromY);
  pen.lineTo(toX, toY);
  pen.stroke();
}

function drawLine(pen, frame, line, index) {
  pen.strokeStyle = colour(index);
  pen.lineWidth = 2;
  pen.setLineDash(index > 0 ? [7, 5] : []);
  pen.beginPath();
  // A logarithm has no 0: the curve falls to the axis.
  for (const [place, value] of line) pen.lineTo(frame.x(place), value > 0 ? frame.y(value) : frame.bottom + 4);
  pen.stroke();
  pen.setLineDash([]);
}

function setChart(result) {
  chart.result = result;
  chart.curves = curvesOf(result, chart.measure);
  const { factor, predicted } = chart.curves;
  const entry = (index, text) => {
    const line = shape(
      "svg",
      { width: 34, height: 8, "aria-hidden": "true" },
      shape("line", {
        x1: 0,
        y1: 4,
        x2: 34,
        y2: 4,
        stroke: colour(index),
        "stroke-width": 2,
        "stroke-dasharray": index > 0 ? "7 5" : "",
      }),
    );
    return element("li", {}, line, text);
  };
  const power = chart.measure === "variance" ? "²" : "";
  chart.key.replaceChildren(
    entry(0, "this run"),
    ...(predicted.length ? [entry(1, `theory: × ${number(factor.gamma)}${power} with each operation`)] : []),
  );
  chart.told.textContent = tellTheory(result, chart.curves);
  drawBack();
}

// Says where the line of the theory comes from, or why there is none.
function tellTheory(result, { predicted, factor }) {
  const { note } = result.machine.theory;
  const added = note ? ` ${note}` : "";
  if (predicted.length) return `The rate is from ${factor.from}.${added}`;
  if (factor && factor.gamma === 0) return `By theory one operation balances these loads, up to rounding.${added}`;
  if (result.timed)
    return "Theory counts operations of all processors at once, which virtual time does not have: there is no line.";
  return `Theory predicts no rate for this experiment.${added}`;
}

// Draws all but the mark of the moment, and keeps it.
function drawBack() {
  const { canvas, curves, result } = chart;
  const fine = Math.min(window.devicePixelRatio || 1, 2);
  const [width, height] = [canvas.clientWidth || 300, 240];
  canvas.width = width * fine;
  canvas.height = height * fine;
  const pen = canvas.getContext("2d");
  pen.scale(fine, fine);
  const frame = frameOf(result, curves, width, height);
  drawAxes(pen, result, frame);
  pen.save();
  pen.beginPath();
  pen.rect(frame.left, frame.top - 2, frame.right - frame.left + 2, frame.bottom - frame.top + 4);
  pen.clip();
  drawLine(pen, frame, curves.predicted, 1);
  drawLine(pen, frame, curves.measured, 0);
  pen.restore();
  chart.frame = frame;
  const [from, to] = [curves.measured[0], curves.measured[curves.measured.length - 1]];
  const name = MEASURES.find(([value]) => value === chart.measure)[1];
  canvas.setAttribute(
    "aria-label",
    `${name} from ${number(from[1])} to ${number(to[1])}; arrow keys go through the moments`,
  );
}

// Moves the mark to a frame, which may lie between two.
function markChart(at) {
  const { result, frame } = chart;
  const i = Math.min(Math.floor(at), result.count - 1);
  const next = result.moments[Math.min(i + 1, result.count - 1)];
  const place = result.moments[i] + (next - result.moments[i]) * (at - i);
  chart.line.style.transform = `translateX(${frame.x(place)}px)`;
}

// Returns the frame nearest to a place on the chart.
function frameAtX(x) {
  const { result, frame } = chart;
  const place = ((x - frame.left) / (frame.right - frame.left)) * frame.last;
  let best = 0;
  result.moments.forEach((moment, i) => {
    if (Math.abs(moment - place) < Math.abs(result.moments[best] - place)) best = i;
  });
  return best;
}

// `go` receives the frame that a click chose, `move` how many frames an arrow key goes, and `at` returns the frame that
// is shown.
function placeChart(host, go, move, at) {
  const measure = choice(
    "Curve of the",
    MEASURES.map(([value, name]) => [value, name.toLowerCase()]),
    (value) => {
      chart.measure = value;
      setChart(chart.result);
      markChart(at());
    },
  );
  chart.line = element("div", { className: "now" });
  host.append(
    element("h2", { textContent: "How balance comes" }),
    element("div", { className: "controls" }, measure),
    element("div", { className: "over" }, chart.canvas, chart.line),
    chart.key,
    chart.told,
  );
  chart.canvas.onclick = ({ offsetX }) => go(frameAtX(offsetX));
  chart.canvas.onkeydown = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    move(by);
  };
  new ResizeObserver(() => {
    if (!chart.result) return;
    drawBack();
    markChart(at());
  }).observe(host);
}
