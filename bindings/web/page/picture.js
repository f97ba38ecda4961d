// SPDX-License-Identifier: MIT
// The picture of the machine: links on one canvas, which is drawn when the size or the experiment changes, and above it
// processors and moving load, which are drawn for each picture. The places come from the engine, as `evenkeel draw` has
// them. Processors and dots are copied from small images that were drawn once (stamps.js).
const POINTS = 24; // on a link that is not straight
const DOTS = 6; // sizes of dots
const LABELS = 256; // most processors that have their load written on them
const WRITTEN = 11; // and their smallest radius

const picture = {
  back: document.getElementById("links"),
  front: document.getElementById("processors"),
  result: null,
  chosen: 0, // the processor that the keyboard or the pointer is on
  held: null, // the processor whose load is being moved
};

// Returns the points along a link, [x, y, x, y, ...], evenly spaced.
function pointsOf(path) {
  const straight = /^M([\d.-]+) ([\d.-]+)L([\d.-]+) ([\d.-]+)$/.exec(path);
  if (straight) return straight.slice(1).map(Number);
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  const length = line.getTotalLength();
  return Array.from({ length: POINTS }, (_, i) => line.getPointAtLength((length * i) / (POINTS - 1))).flatMap(
    ({ x, y }) => [x, y],
  );
}

// Returns the point at a part of the way along a link, from 0 to 1.
function pointAt(points, part) {
  const place = part * (points.length / 2 - 1);
  const i = 2 * Math.min(Math.floor(place), points.length / 2 - 2);
  const rest = place - i / 2;
  return [points[i] + (points[i + 2] - points[i]) * rest, points[i + 1] + (points[i + 3] - points[i + 1]) * rest];
}

function setPicture(result) {
  const { drawing } = result.machine;
  picture.result = result;
  picture.chosen = Math.min(picture.chosen, result.machine.topology.processors - 1);
  picture.held = null;
  picture.points = drawing ? drawing.lines.map(([, , , path]) => pointsOf(path)) : [];
  picture.scale = scaleOfFrames(
    result,
    Array.from({ length: result.count }, (_, i) => i),
  );
  layPicture();
}

// Fits the drawing into the width of the page and most of its height, and draws all that does not move.
function layPicture() {
  const { back, front, result } = picture;
  if (!result) return;
  if (!result.machine.drawing) {
    back.width = front.width = 0; // which empties them
    return;
  }
  const { width, height, radius } = result.machine.drawing;
  const room = back.parentElement.clientWidth;
  const scale = Math.min(room / width, Math.max(0.72 * window.innerHeight, 260) / height, 1.6);
  const fine = Math.min(window.devicePixelRatio || 1, 2);
  picture.fine = fine;
  picture.size = scale;
  picture.left = (room - width * scale) / 2;
  picture.radius = Math.max(radius * scale, 2);
  back.parentElement.style.height = `${height * scale}px`;
  for (const canvas of [back, front]) {
    canvas.width = Math.round(room * fine);
    canvas.height = Math.round(height * scale * fine);
  }
  drawLinks();
  makeStamps();
  picture.sheet = sheetFor(front);
}

// Sets the pen to the coordinates of the drawing.
function toDrawing(pen) {
  const { fine, size, left } = picture;
  pen.setTransform(fine * size, 0, 0, fine * size, fine * left, 0);
}

function drawLinks() {
  const pen = picture.back.getContext("2d");
  toDrawing(pen);
  pen.strokeStyle = style("link");
  pen.lineWidth = Math.min(1.4, 0.5 + picture.radius / 12) / picture.size;
  const all = new Path2D();
  for (const [, , , path] of picture.result.machine.drawing.lines) all.addPath(new Path2D(path));
  pen.stroke(all);
}

// Draws one processor of each colour, and a dot of each size, to be copied. A row of round ones and a row of square
// ones, for switches.
function makeStamps() {
  const { fine, radius } = picture;
  const colours = shades();
  const cell = Math.ceil(2 * (radius + 1.5) * fine);
  const sheet = element("canvas", { width: cell * colours.length, height: 2 * cell });
  const pen = sheet.getContext("2d");
  pen.strokeStyle = style("rim");
  pen.lineWidth = Math.min(1, radius / 4) * fine;
  colours.forEach((rgb, i) => {
    pen.fillStyle = `rgb(${rgb.join()})`;
    const [x, y, r] = [(i + 0.5) * cell, cell / 2, radius * fine];
    pen.beginPath();
    pen.arc(x, y, r, 0, 2 * Math.PI);
    pen.rect(x - r, y + cell - r, 2 * r, 2 * r);
    pen.fill();
    pen.stroke();
  });
  picture.looks = stampsOf(sheet, cell);
  makeDots(fine, radius);
}

function makeDots(fine, radius) {
  const most = Math.min(Math.max(0.42 * radius, 1.6), 7);
  const dotCell = Math.ceil(2 * (most + 1) * fine);
  const dots = element("canvas", { width: dotCell * DOTS, height: dotCell });
  const pen = dots.getContext("2d");
  pen.fillStyle = style("dot");
  pen.strokeStyle = style("ground");
  for (let i = 0; i < DOTS; i++) {
    pen.beginPath();
    pen.arc((i + 0.5) * dotCell, dotCell / 2, (0.9 + ((most - 0.9) * i) / (DOTS - 1)) * fine, 0, 2 * Math.PI);
    pen.fill();
    pen.stroke();
  }
  picture.dots = stampsOf(dots, dotCell);
  picture.dotMost = most;
}

// Returns the size of a dot for this amount, from 0: sizes are spread over four powers of ten.
function dotSize(amount) {
  const part = 1 + Math.log10(amount / picture.result.mostFlow) / 4;
  return Math.max(0, Math.min(DOTS - 1, Math.round(part * (DOTS - 1))));
}

// Draws the machine at a moment: `at` is a frame, or lies between two, while the load is on its way.
function drawPicture(at) {
  const { front, result, sheet } = picture;
  const pen = front.getContext("2d");
  if (!result.machine.drawing) return;
  const frame = Math.floor(at);
  const part = at - frame;
  sheet.pixels.fill(0);
  stampLoads(frame, part);
  if (part > 0) stampMoving(frame + 1, part);
  pen.putImageData(sheet.image, 0, 0);
  pen.setTransform(1, 0, 0, 1, 0, 0);
  if (picture.radius >= WRITTEN && result.machine.topology.processors <= LABELS) writeLoads(pen, frame, part);
  if (part === 0) drawArrows(pen, frame);
  drawMarks(pen);
}

// Returns a point of the drawing in pixels of the canvas.
function pixelOf(x, y) {
  const { fine, size, left } = picture;
  return [fine * (size * x + left), fine * size * y];
}

// Calls `each` with the processor, its load at a moment between two frames, and its place in pixels.
function eachLoad(frame, part, each) {
  const { result } = picture;
  const { at } = result.machine.drawing;
  const now = result.loads(frame);
  const next = part > 0 ? result.loads(frame + 1) : now;
  for (let p = 0; p < now.length; p++) {
    const [x, y] = pixelOf(at[2 * p], at[2 * p + 1]);
    each(p, now[p] + (next[p] - now[p]) * part, x, y);
  }
}

function stampLoads(frame, part) {
  const { sheet, looks, scale, result } = picture;
  const { hosts } = result.machine.topology;
  eachLoad(frame, part, (p, load, x, y) => putStamp(sheet, looks, scale.shade(load), p < hosts ? 0 : 1, x, y));
}

function writeLoads(pen, frame, part) {
  pen.font = `${Math.round(0.7 * picture.radius * picture.fine)}px system-ui, "DejaVu Sans", sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  eachLoad(frame, part, (p, load, x, y) => {
    pen.fillStyle = inkOn(picture.scale.shade(load));
    pen.fillText(shortNumber(load), x, y);
  });
}

// Returns the colour of text on a shade.
function inkOn(shade) {
  const away = Math.abs(shade - SHADES) / SHADES;
  if (dark) return shade > SHADES && away > 0.6 ? "#10151a" : "#ffffff";
  return away < 0.6 ? "#10151a" : "#ffffff";
}

// Returns a number in at most four characters, for a processor.
function shortNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(size < 1e7 ? 1 : 0)}M`;
  if (size >= 1e4) return `${(value / 1e3).toFixed(0)}k`;
  return size >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(size < 10 ? 2 : 1);
}

function stampMoving(frame, part) {
  const { result, points, sheet, dots } = picture;
  const flows = result.flows(frame);
  for (let i = 0; i < flows.length; i++) {
    if (flows[i] === 0) continue;
    const [x, y] = pixelOf(...pointAt(points[i], flows[i] > 0 ? part : 1 - part));
    putStamp(sheet, dots, dotSize(Math.abs(flows[i])), 0, x, y);
  }
}

// Draws an arrow on each link that load has crossed on the way to this frame.
function drawArrows(pen, frame) {
  const { result, points, fine, dotMost } = picture;
  const flows = result.flows(frame);
  pen.fillStyle = style("dot");
  pen.beginPath();
  for (let i = 0; i < flows.length; i++) {
    if (flows[i] === 0) continue;
    const [before, after] = [pointAt(points[i], 0.45), pointAt(points[i], 0.55)];
    const turn = flows[i] > 0 ? 0 : Math.PI;
    const angle = Math.atan2(after[1] - before[1], after[0] - before[0]) + turn;
    const [x, y] = pixelOf(...pointAt(points[i], 0.5));
    const long = fine * dotMost * (0.5 + dotSize(Math.abs(flows[i])) / DOTS);
    [0, 2.5, -2.5].forEach((corner, k) => {
      const to = [x + long * Math.cos(angle + corner), y + long * Math.sin(angle + corner)];
      if (k === 0) pen.moveTo(...to);
      else pen.lineTo(...to);
    });
    pen.closePath();
  }
  pen.fill();
}

// Marks the chosen processor, and the one whose load is being moved with a line to where it would go.
function drawMarks(pen) {
  const { at } = picture.result.machine.drawing;
  const centre = (p) => [at[2 * p], at[2 * p + 1]];
  toDrawing(pen);
  pen.lineWidth = 2.5 / picture.size;
  pen.strokeStyle = style("accent");
  const ring = (p) => {
    pen.beginPath();
    pen.arc(...centre(p), (picture.radius + 3) / picture.size, 0, 2 * Math.PI);
    pen.stroke();
  };
  if (picture.pointed || document.activeElement === picture.front) ring(picture.chosen);
  if (picture.held === null) return;
  ring(picture.held);
  pen.setLineDash([6 / picture.size, 4 / picture.size]);
  pen.beginPath();
  pen.moveTo(...centre(picture.held));
  pen.lineTo(...centre(picture.chosen));
  pen.stroke();
  pen.setLineDash([]);
}
