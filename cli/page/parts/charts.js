// SPDX-License-Identifier: MIT
// Charts, which uPlot draws. A figure is a plain value: { name, x: { label, names, whole, log }, y: { label, log },
// series: [{ label, x, y, low, high, index, dash, bar, dots, whiskers, quiet }] }; low and high are a band, or whiskers.

// Returns the figure's numbers as rows, ordered by x.
function rowsOf(figure) {
  const head = [figure.x.label];
  const rows = new Map();
  let width = 1;
  for (const series of figure.series) {
    const columns = series.low ? ["y", "low", "high"] : ["y"];
    columns.forEach((column) => head.push(column === "y" ? series.label : `${series.label}, ${column}`));
    series.x.forEach((x, i) => {
      const key = figure.x.names ? figure.x.names[Math.round(x)] : x;
      if (!rows.has(key)) rows.set(key, []);
      columns.forEach((column, c) => {
        rows.get(key)[width - 1 + c] = series[column][i];
      });
    });
    width += columns.length;
  }
  const keys = [...rows.keys()];
  if (!figure.x.names) keys.sort((a, b) => a - b);
  return [head, ...keys.map((key) => [key, ...Array.from({ length: width - 1 }, (_, i) => rows.get(key)[i])])];
}

function swatch(series) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const stroke = document.createElementNS("http://www.w3.org/2000/svg", "line");
  for (const [name, value] of Object.entries({ width: 34, height: 12, "aria-hidden": true })) {
    line.setAttribute(name, value);
  }
  // A bar, a round dot, or a line.
  const looks = {
    x1: 1,
    x2: 33,
    y1: 6,
    y2: 6,
    stroke: colour(series.index),
    "stroke-width": series.bar ? 11 : 3,
    "stroke-dasharray": (series.dash || []).join(" "),
    ...(series.dots === "alone" ? { x1: 17, x2: 17, "stroke-width": 9, "stroke-linecap": "round" } : {}),
  };
  for (const [name, value] of Object.entries(looks)) stroke.setAttribute(name, value);
  line.append(stroke);
  return line;
}

// Returns the horizontal axis. It is labelled with names, with whole numbers, or if logarithmic with the values of x.
const UPRIGHT = 78; // pixels: the width of the upright axis
const NAME_WIDTH = 56; // pixels: names on the axis are slanted if there is less room for each

function axisAcross(figure, width) {
  const { names, whole, log } = figure.x;
  const at = [...new Set(figure.series.flatMap((series) => series.x))];
  const text = (_, splits) => splits.map(number);
  const powers = [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8].flatMap((power) => [power, 2 * power, 5 * power]);
  return {
    ...axis(figure.x.label),
    ...(whole ? { incrs: powers } : {}),
    ...(log ? { splits: () => at, filter: (_, splits) => splits, values: text } : {}),
    ...(names
      ? {
          splits: () => names.map((_, i) => i),
          values: (_, splits) => splits.map((i) => names[i]),
          grid: { show: false },
          ...(width < NAME_WIDTH * names.length ? { rotate: -40, size: 56 } : {}),
        }
      : {}),
  };
}

function axis(label) {
  return {
    label: label || null,
    stroke: style("text"),
    labelSize: 22,
    font: "13px system-ui, DejaVu Sans, sans-serif",
    labelFont: "13px system-ui, DejaVu Sans, sans-serif",
    grid: { stroke: style("grid"), width: 1 },
    ticks: { stroke: style("line"), width: 1 },
  };
}

// The share of a place's width that its bars fill.
const BARS = 0.8;

// Returns a function that draws whiskers from low to high at each place.
function whiskersOf({ x, low, high }) {
  return (plot) => {
    const stroke = new Path2D();
    const end = 5 * devicePixelRatio;
    x.forEach((at, i) => {
      const across = plot.valToPos(at, "x", true);
      const [bottom, top] = [low[i], high[i]].map((value) => plot.valToPos(value, "y", true));
      stroke.moveTo(across, bottom);
      stroke.lineTo(across, top);
      for (const down of [bottom, top]) {
        stroke.moveTo(across - end, down);
        stroke.lineTo(across + end, down);
      }
    });
    return { stroke };
  };
}

function lines(figure) {
  const shown = [{}];
  const bands = [];
  const tables = [];
  const positive = (values) => (figure.y.log ? values.map((value) => (value > 0 ? value : null)) : values);
  // The lower end of a band that reaches down to 0 is that of the lowest value, on a logarithmic axis.
  const lowest = Math.min(...figure.series.flatMap(({ y }) => y.filter((value) => value > 0)));
  const bounded = (values) =>
    figure.y.log ? values.map((value) => (value === null || value > 0 ? value : lowest)) : values;
  const bars = figure.series.filter((series) => series.bar).length;
  for (const series of figure.series) {
    const stroke = colour(series.index);
    const table = [series.x, positive(series.y)];
    const line = {
      label: series.label,
      stroke,
      width: 2,
      dash: series.dash,
      spanGaps: true,
      points: { show: Boolean(series.dots), size: 7, fill: stroke },
    };
    if (series.bar) {
      Object.assign(line, {
        fill: stroke,
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars({ size: [BARS / bars, 60], align: 0 }),
      });
    }
    if (series.dots === "alone") line.paths = series.whiskers ? whiskersOf(series) : () => null;
    shown.push(line);
    if (series.low) {
      const edge = { stroke, width: 0, spanGaps: true, points: { show: false } };
      if (!series.whiskers) bands.push({ series: [shown.length, shown.length + 1], fill: stroke + "40" });
      shown.push({ ...edge, label: "high" }, { ...edge, label: "low" });
      table.push(positive(series.high), bounded(series.low));
    }
    tables.push(table);
  }
  return { shown, bands, data: uPlot.join(tables) };
}

// Returns about eight powers of ten. If at most one lies in the range, it also returns 2 and 5 times powers.
function logTicks(_plot, _axis, low, high) {
  const [first, last] = [Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9)];
  if (last - first < 1)
    return [1, 2, 5, 10, 20, 50].map((part) => part * 10 ** (first - 1)).filter((at) => at >= low && at <= high);
  const apart = Math.ceil((last - first) / 8);
  return Array.from({ length: Math.floor((last - first) / apart) + 1 }, (_, i) => 10 ** (first + i * apart));
}

function logLabel(value) {
  const power = Math.round(Math.log10(value));
  return power >= -3 && power < 6
    ? number(Number(value.toPrecision(1)))
    : `10${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] || "⁻").join("")}`;
}

// Draws `figure()` into `host`, and again whenever the returned function is called.
function chart(host, figure) {
  const place = element("div", { className: "chart", tabIndex: 0, role: "img" });
  const legend = element("ul", { className: "legend" });
  host.append(place, legend);
  let drawn = null;
  const readings = [];
  const at = element("output", {}); // the place that is read, as in "step 12"
  const read = (plot) => {
    let column = 1;
    const { x } = plot.figure;
    const here = plot.cursor.idx === null || plot.cursor.idx === undefined ? null : plot.data[0][plot.cursor.idx];
    at.textContent =
      here === null || here === undefined ? "" : x.names ? x.names[Math.round(here)] : `${x.label} ${number(here)}`;
    plot.figure.series.forEach((series, i) => {
      const value =
        plot.cursor.idx === null || plot.cursor.idx === undefined ? null : plot.data[column][plot.cursor.idx];
      readings[i].textContent = value === null || value === undefined ? "" : number(value);
      column += series.low ? 3 : 1;
    });
  };
  const draw = () => {
    const now = figure();
    legend.replaceChildren(
      element("li", {}, at),
      ...now.series.map((series, i) => {
        readings[i] = element("output", {});
        return series.quiet ? "" : element("li", {}, swatch(series), series.label, readings[i]);
      }),
    );
    if (typeof uPlot === "undefined") {
      place.textContent = "No chart: this evenkeel was built without uPlot. The CSV button downloads the numbers.";
      return;
    }
    if (drawn) drawn.destroy();
    const { shown, bands, data } = lines(now);
    const names = { range: () => [-0.6, now.x.names.length - 0.4] };
    const powers = { distr: 3, range: (_, low, high) => [low / 1.2, high * 1.2] };
    const across = now.x.names ? names : now.x.log ? powers : {};
    // On a logarithmic axis bars begin at 1/2, so that a bar for 1 has some height.
    const foot = now.series.some((series) => series.bar) ? 0.5 : Infinity;
    const padded = (_, low, high) =>
      low === null ? [1, 10] : uPlot.rangeLog(Math.min(low, foot), low === high ? 2 * high : high, 10, false);
    drawn = new uPlot(
      {
        width: place.clientWidth,
        height: now.height || 340,
        series: shown,
        bands,
        legend: { show: false },
        scales: {
          x: { time: false, ...across },
          y: now.y.log
            ? { distr: 3, range: padded }
            : { range: (_, low, high) => uPlot.rangeNum(Math.min(low, 0), high || 1, 0.05, true) },
        },
        axes: [
          axisAcross(now, place.clientWidth - UPRIGHT),
          {
            ...axis(now.y.label),
            size: UPRIGHT,
            values: (_, at) => at.map(now.y.log ? logLabel : number),
            ...(now.y.log ? { splits: logTicks, filter: (_, at) => at } : {}),
          },
        ],
        cursor: { drag: { x: !now.x.names, y: false } },
        hooks: { setCursor: [read] },
      },
      data,
      place,
    );
    drawn.figure = now;
    place.setAttribute("aria-label", `${now.y.label} over ${now.x.label || "the named values"}; arrow keys read the values`);
  };
  place.onkeydown = (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by || !drawn) return;
    event.preventDefault();
    const [x] = drawn.data;
    const now = drawn.cursor.idx ?? (by > 0 ? -1 : x.length);
    const next = Math.min(Math.max(now + by, 0), x.length - 1);
    drawn.setCursor({ left: drawn.valToPos(x[next], "x"), top: drawn.bbox.height / (2 * devicePixelRatio) });
  };
  draw();
  redraws.push(draw);
  new ResizeObserver(
    () =>
      drawn && drawn.width !== place.clientWidth && drawn.setSize({ width: place.clientWidth, height: drawn.height }),
  ).observe(place);
  return draw;
}
