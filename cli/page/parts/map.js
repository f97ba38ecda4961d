// SPDX-License-Identifier: MIT
// Maps of numbers over the topology at successive moments, such as the loads, and the load that each link carried.
const CIRCLE = 256; // most processors on a circle
const PLAY = "▶ play";

// Returns how the processors are arranged: in columns and rows, or on a circle.
function layoutOf(topology, links) {
  const { sides, processors } = topology;
  if (sides.length >= 2) {
    const columns = sides.slice(0, Math.ceil(sides.length / 2)).reduce((product, side) => product * side, 1);
    return {
      columns,
      rows: processors / columns,
      text:
        sides.length === 2
          ? `Processor p is in column p mod ${columns}, the first at the top left.`
          : `The first ${Math.ceil(sides.length / 2)} of ${sides.length} dimensions across, the others down. ` +
            `Processor p is in column p mod ${columns}.`,
    };
  }
  const ring = sides.length === 1 && topology.links === processors;
  if (processors > 2 && processors <= CIRCLE && (ring || (sides.length === 0 && links.length > 0))) {
    return { circle: true, text: "The processors in the order of their numbers, clockwise from the top." };
  }
  const columns = sides.length === 1 ? Math.min(processors, 64) : Math.ceil(Math.sqrt(processors));
  return {
    columns,
    rows: Math.ceil(processors / columns),
    text: "The processors in the order of their numbers, line by line.",
  };
}

// Returns the centres of the processors and the size of a cell on a canvas of this width.
function placesOf(layout, processors, width) {
  if (layout.circle) {
    const radius = width * 0.44;
    const size = Math.min(0.8 * ((2 * Math.PI * radius) / processors), width * 0.09);
    const at = Array.from({ length: processors }, (_, p) => {
      const angle = (2 * Math.PI * p) / processors;
      return [width / 2 + radius * Math.sin(angle), width / 2 - radius * Math.cos(angle)];
    });
    return { at, size, height: width };
  }
  const size = Math.min(width / layout.columns, 90, Math.max(1, 900 / layout.rows));
  const at = Array.from({ length: processors }, (_, p) => [
    ((p % layout.columns) + 0.5) * size,
    (Math.floor(p / layout.columns) + 0.5) * size,
  ]);
  return { at, size, height: layout.rows * size };
}

// Returns the links of a run with the load that each carried. Free timing reports each direction of a link separately:
// the two are added here.
function linksOf(run) {
  if (run.links) return run.links;
  const both = new Map();
  for (const way of (run.free && run.free.links) || []) {
    const ends = [Math.min(way.from, way.to), Math.max(way.from, way.to)];
    const link = both.get(ends.join()) || { from: ends[0], to: ends[1], forth: 0, back: 0, messages: 0, stalls: 0 };
    link[way.from === ends[0] ? "forth" : "back"] += way.load;
    link.messages += way.messages;
    link.stalls += way.stalls;
    link.net = link.forth - link.back;
    both.set(ends.join(), link);
  }
  return [...both.values()];
}

// Returns the moments of a run for which the record has loads.
function momentsOf(experiment, run) {
  const of = experiment.clock === "virtual-time" ? " of virtual time" : "";
  const when = (frame) => (experiment.free ? `${number(frame.time)} s${of}` : `step ${number(frame.step)}`);
  const ends = [
    { when: "before", load: run.initial },
    { when: "after", load: run.final },
  ];
  const moments = run.frames ? run.frames.map((frame) => ({ when: when(frame), load: frame.load })) : ends;
  return moments.filter(({ load }) => load).map((moment) => ({ ...moment, ...statistics(moment.load) }));
}

function statistics(load) {
  const mean = load.reduce((sum, value) => sum + value, 0) / load.length;
  return {
    mean,
    low: load.reduce((a, b) => Math.min(a, b)),
    high: load.reduce((a, b) => Math.max(a, b)),
    lowPositive: load.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity),
    variance: load.reduce((sum, value) => sum + (value - mean) ** 2, 0),
  };
}

function arrow(pen, from, to, width) {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const middle = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2];
  const head = 3 + 1.6 * width;
  pen.lineWidth = width;
  pen.beginPath();
  pen.moveTo(...from);
  pen.lineTo(...to);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(middle[0] + head * Math.cos(angle), middle[1] + head * Math.sin(angle));
  for (const turn of [2.4, -2.4])
    pen.lineTo(middle[0] + head * Math.cos(angle + turn), middle[1] + head * Math.sin(angle + turn));
  pen.closePath();
  pen.fill();
}

// Draws the net flows as arrows of proportional width. A link that wraps around the grid is drawn outwards at both ends.
function drawFlows(pen, layout, places, links) {
  const most = links.reduce((a, link) => Math.max(a, Math.abs(link.net)), 0);
  const far = (a, b) => Math.abs(a) > 1.5 * places.size && Math.abs(b) < 0.5 * places.size;
  for (const link of links.filter(({ net }) => Math.abs(net) > 1e-3 * most)) {
    const [from, to] = (link.net > 0 ? [link.from, link.to] : [link.to, link.from]).map((p) => places.at[p]);
    const width = 0.6 + 0.08 * Math.min(places.size, 40) * (Math.abs(link.net) / most);
    const step = [to[0] - from[0], to[1] - from[1]];
    if (!layout.circle && (far(step[0], step[1]) || far(step[1], step[0]))) {
      const out = step.map((along) => -Math.sign(along) * places.size * (Math.abs(along) > 1 ? 0.5 : 0));
      arrow(pen, from, [from[0] + out[0], from[1] + out[1]], width);
      arrow(pen, [to[0] - out[0], to[1] - out[1]], to, width);
    } else {
      arrow(pen, from, to, width);
    }
  }
}

// Returns the scale of colours, of all moments or of this one. `part` maps a load to a number from 0 to 1. A moment can
// have a scale of its own, from 0 to `most`.
function scaleOf(kind, moments, now) {
  if (now.most !== undefined) return { low: 0, high: now.most, part: (load) => (now.most > 0 ? load / now.most : 0) };
  const over = kind === "own" ? [now] : moments;
  const high = Math.max(...over.map((moment) => moment.high));
  const low = Math.min(...over.map((moment) => moment.low));
  if (kind !== "log") return { low, high, part: (load) => (high > low ? (load - low) / (high - low) : 0.5) };
  const least = Math.max(Math.min(...over.map((moment) => moment.lowPositive)), high * 1e-6);
  const decades = Math.log(high / least);
  return { low: least, high, part: (load) => (decades > 0 ? Math.log(Math.max(load, least) / least) / decades : 0.5) };
}

// Draws a histogram of the loads over the scale of colours.
function drawBars(canvas, load, scale, fine) {
  const counts = new Array(30).fill(0);
  load.forEach((one) => {
    counts[Math.min(Math.max(Math.floor(scale.part(one) * counts.length), 0), counts.length - 1)]++;
  });
  const most = Math.max(...counts);
  canvas.width = canvas.clientWidth * fine;
  canvas.height = canvas.clientHeight * fine;
  const pen = canvas.getContext("2d");
  const width = canvas.width / counts.length;
  counts.forEach((count, i) => {
    const height = count > 0 ? Math.max((canvas.height * count) / most, 2 * fine) : 0;
    pen.fillStyle = heat((i + 0.5) / counts.length);
    pen.fillRect(i * width + fine / 2, canvas.height - height, width - fine, height);
  });
}

// Returns the state of a map of `what`: its elements, and how it shows a run. `value` writes a number of the map.
function newMap(what, value = number) {
  const map = {
    what,
    value,
    canvas: element("canvas", { tabIndex: 0, role: "img" }),
    bars: element("canvas", { className: "bars", role: "img", "aria-label": `Histogram of the ${what}` }),
    bar: element("div", { className: "scale" }),
    ends: element("div", { className: "ends" }),
    facts: element("dl", {}),
    slider: element("input", { type: "range", min: 0, step: 1, "aria-label": "moment" }),
    play: element("button", { type: "button", textContent: PLAY }),
    label: element("output", {}),
    hint: element("figcaption", {}),
    picked: element("p", { role: "status" }),
    kind: "one",
    flows: true,
    processor: 0,
    pointed: false,
    timer: null,
  };
  map.slide = element("div", { className: "slide" }, map.play, map.slider, map.label);
  const left = element("div", {}, map.canvas, map.slide);
  const right = element("div", {}, map.bars, map.bar, map.ends, map.facts, map.picked, map.hint);
  map.root = element("div", { className: "map" }, left, right);
  return map;
}

function shownMoment(map) {
  return map.moments[Number(map.slider.value)];
}

// Describes the map in words and numbers.
function tellMap(map, scale) {
  const now = shownMoment(map);
  const { low, high } = now;
  const { value } = map;
  map.facts.replaceChildren(
    ...Object.entries(map.told(now)).flatMap(([name, of]) => [
      element("dt", { textContent: name }),
      element("dd", { textContent: value(of) }),
    ]),
  );
  map.ends.replaceChildren(...[scale.low, scale.high].map((end) => element("span", { textContent: value(end) })));
  map.label.textContent = `${now.when} (${Number(map.slider.value) + 1} of ${map.moments.length})`;
  map.slider.setAttribute("aria-valuetext", now.when);
  map.picked.textContent = `Processor ${map.processor}: ${map.tell(map.processor, now)}`;
  const what = map.what.charAt(0).toUpperCase() + map.what.slice(1);
  const said = `${what} ${map.at} ${now.when}, ${value(low)} to ${value(high)}; arrow keys choose a processor`;
  map.canvas.setAttribute("aria-label", said);
}

function drawProcessors(pen, map, places, part) {
  const side = places.size > 8 ? places.size - 1 : places.size;
  pen.strokeStyle = style("faint");
  shownMoment(map).load.forEach((load, p) => {
    const [x, y] = places.at[p];
    pen.fillStyle = heat(part(load));
    if (map.layout.circle) {
      pen.beginPath();
      pen.arc(x, y, places.size / 2, 0, 2 * Math.PI);
      pen.fill();
      pen.stroke();
    } else {
      pen.fillRect(x - side / 2, y - side / 2, side, side);
    }
  });
}

function drawMap(map) {
  const fine = window.devicePixelRatio || 1;
  const width = map.canvas.clientWidth || 300;
  const places = placesOf(map.layout, shownMoment(map).load.length, width);
  const scale = scaleOf(map.kind, map.moments, shownMoment(map));
  const pen = map.canvas.getContext("2d");
  map.places = places;
  map.canvas.width = width * fine;
  map.canvas.height = places.height * fine;
  map.canvas.style.height = `${places.height}px`;
  pen.scale(fine, fine);
  drawProcessors(pen, map, places, scale.part);
  if (map.flows) {
    pen.strokeStyle = pen.fillStyle = map.layout.circle ? style("text") : "#ffffff";
    pen.shadowColor = map.layout.circle ? style("ground") : "#000000";
    pen.shadowBlur = 3;
    drawFlows(pen, map.layout, places, map.links);
    pen.shadowBlur = 0;
  }
  if (map.pointed || document.activeElement === map.canvas) {
    const [x, y] = places.at[map.processor];
    pen.strokeStyle = style("accent");
    pen.lineWidth = 3;
    pen.strokeRect(x - places.size / 2, y - places.size / 2, places.size, places.size);
  }
  drawBars(map.bars, shownMoment(map).load, scale, fine);
  map.bar.style.background = `linear-gradient(to right, ${Array.from({ length: 11 }, (_, i) => heat(i / 10)).join()})`;
  tellMap(map, scale);
}

function stopMap(map) {
  clearInterval(map.timer);
  map.timer = null;
  map.play.textContent = PLAY;
}

// Plays the moments in about six seconds, from the current one, or from the first if the current one is the last.
function playMap(map) {
  const last = map.moments.length - 1;
  if (Number(map.slider.value) === last) map.slider.value = 0;
  map.play.textContent = "❚❚ pause";
  drawMap(map);
  const each_ms = Math.max(40, Math.min(400, 6000 / map.moments.length));
  map.timer = setInterval(() => {
    map.slider.value = Number(map.slider.value) + 1;
    drawMap(map);
    if (Number(map.slider.value) === last) stopMap(map);
  }, each_ms);
}

// Handles keys and pointers.
function listenMap(map) {
  map.play.onclick = () => (map.timer ? stopMap(map) : playMap(map));
  map.slider.oninput = () => {
    stopMap(map);
    drawMap(map);
  };
  map.canvas.onkeydown = (event) => {
    const columns = map.layout.circle ? 1 : map.layout.columns;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!by) return;
    event.preventDefault();
    map.processor = Math.min(Math.max(map.processor + by, 0), shownMoment(map).load.length - 1);
    drawMap(map);
  };
  map.canvas.onpointermove = (event) => {
    const away = ([x, y]) => (x - event.offsetX) ** 2 + (y - event.offsetY) ** 2;
    const { at } = map.places;
    map.processor = at.reduce((best, place, p) => (away(place) < away(at[best]) ? p : best), 0);
    map.pointed = true;
    drawMap(map);
  };
  map.canvas.onpointerleave = () => {
    map.pointed = false;
    drawMap(map);
  };
  map.canvas.onfocus = map.canvas.onblur = () => drawMap(map);
}

// Adds a map that has been set to the page.
function placeMap(host, map) {
  host.append(element("figure", {}, map.root));
  listenMap(map);
  redraws.push(() => drawMap(map));
  new ResizeObserver(() => drawMap(map)).observe(map.canvas.parentElement);
}

// Shows the first of these moments. A moment has a name and a number for each processor. `told` returns the named
// numbers of a moment, `tell` what to say of a processor in a moment, and `at` is the word between them.
function setMap(map, topology, { moments, links, at, told, tell, hint }) {
  stopMap(map);
  Object.assign(map, { moments, links, at, told, tell, processor: 0, layout: layoutOf(topology, links) });
  map.slider.max = map.moments.length - 1;
  map.slider.value = 0;
  map.slide.hidden = map.moments.length === 1;
  map.hint.textContent = map.layout.text + hint;
  drawMap(map);
}

function setLoads(map, experiment, run) {
  const links = linksOf(run);
  const flows = links.length > 0 ? " Arrows are the net flows of the whole run, as wide as the load is large." : "";
  const { turns, frame_every: every } = experiment.timeline ?? {};
  const replayed = turns ? ` Of ${plural(turns, "recorded turn")} it shows the loads ${afterTurns(every)}.` : null;
  const more = replayed ?? (run.frames ? "" : " The record has no loads in between: run with --frames 100 to see how they change.");
  setMap(map, experiment.record.topology, {
    moments: momentsOf(experiment, run),
    links,
    at: "at",
    told: ({ low, mean, high, variance }) => ({ smallest: low, mean, largest: high, variance }),
    tell: (p, now) => number(now.load[p]),
    hint: flows + more,
  });
}

// Returns the loads at all moments, with a row for each processor.
function loadRows(experiment, run) {
  const moments = momentsOf(experiment, run);
  const rows = moments[0].load.map((_, p) => [p, ...moments.map((moment) => moment.load[p])]);
  return [["processor", ...moments.map((moment) => moment.when)], ...rows];
}

function nameOfRun({ experiment, run }) {
  return `${experiments.length > 1 ? `${experiment.name}, ` : ""}seed ${run.seed}`;
}

const SCALES = [
  ["one", "one scale for all moments"],
  ["log", "one logarithmic scale"],
  ["own", "each moment its own scale"],
];

function showLoads() {
  const runs = experiments
    .flatMap((experiment) => experiment.record.runs.map((run) => ({ experiment, run })))
    .filter(({ experiment, run }) => momentsOf(experiment, run).length > 0);
  if (runs.length === 0) {
    section("Loads", "These records have no loads: run with --out DIR, or with --final.");
    return;
  }
  const host = section("The loads, over the topology");
  const map = newMap("loads");
  let chosen = runs[0];
  const choose = (i) => {
    chosen = runs[i];
    setLoads(map, chosen.experiment, chosen.run);
  };
  const set = (change) => drawMap(Object.assign(map, change));
  // A peak that spreads is visible on a logarithmic scale only. Many arrows would hide the loads.
  const peak = momentsOf(chosen.experiment, chosen.run).some(({ mean, high }) => mean > 0 && high > 20 * mean);
  map.kind = peak ? "log" : "one";
  map.flows = experiments.every(({ record }) => record.topology.processors <= 100);
  const scales = choice("colours", SCALES, (kind) => set({ kind }));
  scales.querySelector("select").value = map.kind;
  const linked = runs.some(({ run }) => linksOf(run).length > 0);
  const controls = element(
    "div",
    { className: "controls" },
    runs.length > 1
      ? choice(
          "run",
          runs.map((run, i) => [i, nameOfRun(run)]),
          choose,
        )
      : null,
    scales,
    linked ? check("flows", map.flows, (flows) => set({ flows })) : null,
    download("loads", () => loadRows(chosen.experiment, chosen.run)),
  );
  host.append(controls);
  placeMap(host, map);
  choose(0);
}

function showLinks() {
  const rows = experiments.flatMap((experiment) =>
    experiment.record.runs.flatMap((run) => linksOf(run).map((link) => ({ experiment, run, link }))),
  );
  if (rows.length === 0) return;
  const columns = [...new Set(rows.flatMap(({ link }) => Object.keys(link)))];
  const host = section("What the links carried", "The load sent both ways over each link, and the difference.");
  host.className = "further"; // not printed, since it can be long
  table(
    host,
    "links",
    ["experiment", "seed", ...columns],
    rows.map(({ experiment, run, link }) => [experiment.name, run.seed, ...columns.map((column) => link[column])]),
  );
}
