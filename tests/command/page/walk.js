// SPDX-License-Identifier: MIT
// node walk.js DATA.json: builds the page of `evenkeel report` from these data, prints all that it shows, and then what
// changes with each control: every choice, box, button, slider and key. Canvases and charts print what they are told to
// draw. tests/command/page/test_page_script.sh compares the output with tests/data/page/.
"use strict";

const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const vm = require("vm");
const { Canvas, Element, Path2D, windowOf } = require("./dom.js");

const PARTS = path.join(__dirname, "../../../cli/page/parts");

// The scripts of the page, in the order of the Makefile.
function scripts() {
  const makefile = fs.readFileSync(path.join(__dirname, "../../../Makefile"), "utf8");
  const names = /page_scripts := \$\(addprefix cli\/page\/parts\/,(.*)\)/.exec(makefile)[1].split(" ");
  return names.map((name) => fs.readFileSync(path.join(PARTS, name), "utf8")).join("");
}

function sum(text) {
  return crypto.createHash("sha256").update(text).digest("hex").slice(0, 12);
}

// The beginning of a long text, and the checksum of all of it.
function cut(text, most) {
  return text.length <= most ? text : `${text.slice(0, most)} ... ${sum(text)}`;
}

function short(value) {
  if (typeof value === "number") return String(Number(value.toPrecision(6)));
  if (value instanceof Path2D) return value.calls.map(words).join("; ");
  if (Array.isArray(value)) return `[${value.map(short).join(" ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.entries(value)
      .map(([name, of]) => `${name}: ${short(of)}`)
      .join(", ")}}`;
  }
  return typeof value === "function" ? "function" : String(value);
}

function words([name, ...of]) {
  return [name, ...of.map(short)].join(" ");
}

function linesOfPlot(plot) {
  const { options, data } = plot;
  const all = data.slice(1).flat().filter((value) => value !== null);
  const [low, high] = all.length > 0 ? [Math.min(...all), Math.max(...all)] : [null, null];
  const [x, y] = options.axes;
  const ends = [data[0][0], data[0][data[0].length - 1]];
  const splits = x.splits ? x.splits(plot, 0, ...ends) : ends;
  const ticks = y.splits ? y.splits(plot, 0, 0.02, 30000) : [0, 12.5, 1e6];
  const series = options.series.slice(1).map((of, i) => {
    const { paths, ...looks } = of;
    const path_ = typeof paths === "function" ? paths(plot) : paths;
    return `  series ${short(looks)}${path_ ? ` paths ${short(path_)}` : ""}: ${short(data[i + 1])}`;
  });
  return [
    `  x ${short(options.scales.x)} ${options.scales.x.range ? short(options.scales.x.range(plot, ...ends)) : ""}: ${short(data[0])}`,
    `  across ${short(x)}: ${short(x.values ? x.values(plot, splits) : splits)} ${x.filter ? short(x.filter(plot, splits)) : ""}`,
    `  y ${short(options.scales.y)} ${short(options.scales.y.range(plot, low, high))}, empty ${short(options.scales.y.range(plot, null, null))}, ` +
      `one value ${short(options.scales.y.range(plot, 5, 5))}`,
    `  up ${short(y)}: ${short(y.values(plot, ticks))}, near 1: ${short(y.splits ? y.splits(plot, 0, 0.9, 8) : [])}`,
    `  ${short({ width: options.width, height: options.height, bands: options.bands, cursor: options.cursor, legend: options.legend })}`,
    ...series,
  ];
}

function linesOfPen(calls, brief) {
  const lines = calls.map((call) => `  ${words(call)}`);
  return brief ? [`  ${lines.length} calls ${sum(lines.join("\n"))}`] : lines;
}

// Returns the lines that show an element and those in it. A line is an element with its text, or a row of a table.
function linesOf(one, brief) {
  if (!(one instanceof Element)) return [`"${one}"`];
  const attributes = [...one.attributes].map(([name, value]) => ` ${name}="${value}"`).join("");
  const looks = Object.entries(one.style).map(([name, value]) => ` ${name}:${value}`);
  const properties = ["type", "placeholder", "min", "max", "download", "scope"].filter((name) => one[name] !== "");
  const own = properties.map((name) => ` ${name}=${one[name]}`).join("");
  const state = one.tag === "input" || one.tag === "select" ? ` = ${one.type === "checkbox" ? one.checked : one.value}` : "";
  const name = `${one.tag}${one.className ? `.${one.className}` : ""}${one.tabIndex >= 0 ? " tab" : ""}${own}${attributes}${looks}${state}`;
  if (one.plot) return [name, ...linesOfPlot(one.plot)];
  if (one instanceof Canvas) return [name, ...linesOfPen(one.calls || [], brief)];
  if (one.tag === "tr") return [`tr ${one.children.map((cell) => `${cell.className}:${cell.attributes.get("aria-sort") ?? ""}:${cell.textContent}`).join(" | ")}`];
  if (one.children.every((child) => !(child instanceof Element) || child.tag === "span" || child.tag === "option")) {
    const parts = one.tag === "select" ? one.children.map((option) => `${option.value}:${option.textContent}`).join(", ") : one.textContent;
    return [`${name} "${parts}"`];
  }
  return [name, ...one.children.flatMap((child) => linesOf(child, brief))];
}

function linesOfPage(window, brief) {
  const { document } = window;
  return [
    `title "${document.title ?? ""}" theme ${document.documentElement.dataset.theme}`,
    ...["title", "subtitle", "theme", "main", "footer"].flatMap((id) => linesOf(document.getElementById(id), brief)),
    ...[...window.timers.values()].map(({ every_ms }) => `timer every ${short(every_ms)} ms`),
  ];
}

// Does something, and prints the lines that the page has from then on. What is drawn on a canvas is a line here.
function tell(window, what, act) {
  const before = new Map();
  for (const line of window.seen ?? linesOfPage(window, true)) before.set(line, (before.get(line) || 0) + 1);
  window.saved = null;
  act();
  window.seen = linesOfPage(window, true);
  console.log(`\n== ${what}`);
  if (window.saved !== null) console.log(cut(window.saved.trimEnd(), 500));
  for (const line of window.seen) {
    const count = before.get(line) || 0;
    if (count === 0) console.log(`+ ${cut(line, 90)}`);
    before.set(line, count - 1);
  }
  const gone = [...before].flatMap(([line, count]) => Array(Math.max(count, 0)).fill(line));
  if (gone.length > 0) console.log(`- ${gone.length} lines ${sum(gone.join("\n"))}`);
}

function nameOf(control) {
  const label = control.parentElement && control.parentElement.tag === "label" ? control.parentElement.textContent : "";
  return `${control.tag} "${control.attributes.get("aria-label") || (control.tag === "select" ? control.parentElement.firstChild : label || control.textContent)}"`;
}

const KEYS = ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "Tab"];

function press(window, one) {
  for (const key of KEYS) {
    let prevented = false;
    tell(window, `${nameOf(one)} ${key}`, () => {
      one.onkeydown({ key, preventDefault: () => (prevented = true) });
    });
    console.log(prevented ? "prevented" : "passed on");
  }
}

function useSelect(window, select) {
  const first = select.value;
  for (const { value } of [...select.children.filter((option) => option.value !== first), { value: first }]) {
    tell(window, `${nameOf(select)} ${value}`, () => {
      select.value = value;
      select.onchange();
    });
  }
}

function useBox(window, box) {
  for (const checked of [!box.checked, box.checked]) {
    tell(window, `${nameOf(box)} ${checked}`, () => {
      box.checked = checked;
      box.onchange();
    });
  }
}

function useText(window, box) {
  for (const text of ["A", "no such text", ""]) {
    tell(window, `${nameOf(box)} "${text}"`, () => {
      box.value = text;
      box.oninput();
    });
  }
}

function useRange(window, range) {
  for (const value of [range.max, Math.floor(Number(range.max) / 2)]) {
    tell(window, `${nameOf(range)} ${value}`, () => {
      range.value = value;
      range.oninput();
    });
  }
}

function useCanvas(window, canvas) {
  tell(window, `${nameOf(canvas)} focus`, () => canvas.focus());
  press(window, canvas);
  for (const [offsetX, offsetY] of [[70, 30], [300, 60], [590, 25]]) {
    if (canvas.onpointermove) tell(window, `${nameOf(canvas)} at ${offsetX},${offsetY}`, () => canvas.onpointermove({ offsetX, offsetY }));
    if (canvas.onclick) tell(window, `${nameOf(canvas)} click ${offsetX},${offsetY}`, () => canvas.onclick({ offsetX, offsetY }));
  }
  if (canvas.onpointerleave) tell(window, `${nameOf(canvas)} leave`, () => canvas.onpointerleave());
}

function useButton(window, button) {
  tell(window, nameOf(button), () => button.click());
  for (let i = 0; i < 20 && window.timers.size > 0; i++) {
    tell(window, "the timer", () => [...window.timers.values()].forEach(({ act }) => act()));
  }
}

function use(window, one) {
  if (one.tag === "select") useSelect(window, one);
  else if (one.type === "checkbox") useBox(window, one);
  else if (one.type === "search") useText(window, one);
  else if (one.type === "range") useRange(window, one);
  else if (one.tag === "canvas" && one.onkeydown) useCanvas(window, one);
  else if (one.plot) press(window, one);
  else if (one.tag === "button") useButton(window, one);
}

// Sorts each table by each of its columns, twice.
function sortTables(window) {
  for (const row of window.document.getElementById("main").all().filter(({ tag }) => tag === "thead").map((head) => head.firstChild)) {
    const region = row.parentElement.parentElement.parentElement.attributes.get("aria-label");
    for (const i of row.children.keys()) {
      for (const order of ["", " again"]) {
        row.children[i].firstChild.click();
        const body = row.parentElement.parentElement.children[1];
        const head = row.children.map((cell) => cell.attributes.get("aria-sort")[0]).join("");
        console.log(`${region} by ${row.children[i].textContent}${order} (${head}): ${body.children.map((line) => line.children[i].textContent).join(" | ")}`);
      }
    }
  }
}

function walk(data) {
  const window = windowOf(data);
  vm.runInContext(scripts(), vm.createContext(window));
  console.log(linesOfPage(window).map((line) => cut(line, 400)).join("\n"));
  const main = window.document.getElementById("main");
  const controls = main.all().filter((one) => !(one.tag === "button" && one.parentElement.tag === "th"));
  controls.forEach((one) => use(window, one));
  sortTables(window);
  const theme = window.document.getElementById("theme");
  const looks = () => `${theme.textContent}, ${window.document.documentElement.dataset.theme}`;
  for (const name of ["light", "dark", "auto"]) {
    theme.click();
    console.log(`theme ${name}: ${looks()}`);
  }
}

// A system with dark colours, without uPlot, that prints.
function walkDark(data) {
  const window = windowOf(data, { scheme: "dark", charts: false });
  vm.runInContext(scripts(), vm.createContext(window));
  const look = () => window.document.documentElement.dataset.theme;
  const before = look();
  window.onbeforeprint();
  const printed = look();
  window.onafterprint();
  console.log(`\n== dark, without charts: ${before}, printed ${printed}, then ${look()}`);
  const colours = linesOfPage(window).filter((line) => /stroke=|No chart|uPlot|fillStyle/.test(line));
  console.log([...new Set(colours)].join("\n"));
}

const data = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
walk(data);
walkDark(data);
