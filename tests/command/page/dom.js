// SPDX-License-Identifier: MIT
// As much of a browser's document as the page of `evenkeel report` uses, for Node.js. Nothing is laid out or painted:
// canvases and charts keep what they are told to draw.
"use strict";

// Properties that elements have besides their attributes.
const PROPERTIES = {
  className: "",
  type: "",
  placeholder: "",
  href: "",
  download: "",
  scope: "",
  checked: false,
  tabIndex: -1,
  min: "",
  max: "",
  width: 0,
  height: 0,
};

class Element {
  constructor(document, tag) {
    Object.assign(this, PROPERTIES, { document, tag, children: [], attributes: new Map(), parentElement: null });
    this.dataset = {};
    this.style = {};
    this.clientWidth = 600;
  }
  get role() {
    return this.attributes.get("role") ?? null;
  }
  set role(value) {
    this.attributes.set("role", value);
  }
  setAttribute(name, value) {
    this.attributes.set(name, String(value));
  }
  append(...children) {
    for (const child of children) {
      if (child instanceof Element) child.parentElement = this;
      this.children.push(child instanceof Element ? child : String(child));
    }
  }
  replaceChildren(...children) {
    this.children = [];
    this.append(...children);
  }
  get firstChild() {
    return this.children[0];
  }
  get textContent() {
    return this.children.map((child) => child.textContent ?? child).join("");
  }
  set textContent(text) {
    this.replaceChildren(...(text === "" ? [] : [text]));
  }
  // Returns the elements in this one, in the order of the document.
  all() {
    return this.children.flatMap((child) => (child instanceof Element ? [child, ...child.all()] : []));
  }
  querySelector(tag) {
    return this.all().find((one) => one.tag === tag) ?? null;
  }
  focus() {
    const before = this.document.activeElement;
    this.document.activeElement = this;
    if (before && before.onblur) before.onblur();
    if (this.onfocus) this.onfocus();
  }
  click() {
    if (this.onclick) this.onclick({});
  }
}

class Option extends Element {
  set value(value) {
    this.chosen = String(value);
  }
  get value() {
    return this.chosen;
  }
}

class Select extends Element {
  get value() {
    return this.chosen ?? this.children[0].value;
  }
  set value(value) {
    this.chosen = this.children.map((option) => option.value).find((one) => one === String(value)) ?? "";
  }
}

// The value of a range is a number between its bounds.
class Input extends Element {
  get value() {
    if (this.type !== "range") return this.typed ?? "";
    const [low, high] = [Number(this.min || 0), Number(this.max === "" ? 100 : this.max)];
    return String(Math.max(low, Math.min(high, Number(this.typed ?? (low + high) / 2))));
  }
  set value(value) {
    this.typed = String(value);
  }
}

// A pen keeps its calls, and the properties that they are made with, until the canvas gets a new width.
class Canvas extends Element {
  set width(value) {
    this.across = value;
    this.calls = [];
  }
  get width() {
    return this.across;
  }
  getContext() {
    const { canvas, looks } = this.pen ?? { canvas: this, looks: new Map() };
    this.pen = { canvas, looks };
    return new Proxy(
      {},
      {
        get: (_, name) => looks.get(name) ?? ((...words) => canvas.calls.push([name, ...words])),
        set: (_, name, value) => {
          if (looks.get(name) !== value) canvas.calls.push([name, "=", value]);
          looks.set(name, value);
          return true;
        },
      },
    );
  }
}

const CLASSES = { select: Select, option: Option, input: Input, canvas: Canvas };

class Document {
  constructor() {
    this.activeElement = null;
    this.documentElement = this.createElement("html");
    this.byId = new Map();
  }
  createElement(tag) {
    return new (CLASSES[tag] ?? Element)(this, tag);
  }
  createElementNS(_, tag) {
    return this.createElement(tag);
  }
  getElementById(id) {
    if (!this.byId.has(id)) {
      const made = this.createElement(id === "main" ? "main" : "div");
      made.setAttribute("id", id);
      this.byId.set(id, made);
    }
    return this.byId.get(id);
  }
}

class Path2D {
  constructor() {
    this.calls = [];
  }
  moveTo(...at) {
    this.calls.push(["moveTo", ...at]);
  }
  lineTo(...at) {
    this.calls.push(["lineTo", ...at]);
  }
}

// uPlot as far as charts call it. Positions are the values themselves.
class Plot {
  constructor(options, data, place) {
    Object.assign(this, { options, data, width: options.width, height: options.height, cursor: { idx: null } });
    this.bbox = { height: 100 };
    place.plot = this;
  }
  static join(tables) {
    const x = [...new Set(tables.flatMap(([at]) => at))].sort((a, b) => a - b);
    const columns = tables.flatMap(([at, ...rows]) => rows.map((row) => x.map((value) => row[at.indexOf(value)] ?? null)));
    return [x, ...columns];
  }
  static rangeNum(...words) {
    return ["rangeNum", ...words];
  }
  static rangeLog(...words) {
    return ["rangeLog", ...words];
  }
  valToPos(value) {
    return value;
  }
  setCursor({ left }) {
    this.cursor.idx = this.data[0].indexOf(left);
    this.options.hooks.setCursor.forEach((hook) => hook(this));
  }
  setSize({ width, height }) {
    Object.assign(this, { width, height });
  }
  destroy() {}
}
Plot.paths = { bars: (how) => ({ bars: how }) };

// Returns the global object of a page with these data. `scheme` is that of the system.
function windowOf(data, { scheme = "light", charts = true } = {}) {
  const document = new Document();
  const timers = new Map();
  document.getElementById("data").textContent = JSON.stringify(data);
  const window = {
    document,
    timers,
    devicePixelRatio: 1,
    saved: null,
    matchMedia: () => ({ matches: scheme === "dark" }),
    getComputedStyle: () => ({ getPropertyValue: (name) => ` (${name.slice(2)})` }),
    setInterval: (act, every_ms) => {
      timers.set(timers.size + 1, { act, every_ms });
      return timers.size;
    },
    clearInterval: (timer) => timers.delete(timer),
    ResizeObserver: class {
      observe() {}
    },
    Blob: class {
      constructor(parts) {
        window.saved = parts.join("");
      }
    },
    URL: { createObjectURL: () => "blob:", revokeObjectURL: () => {} },
    Path2D,
    ...(charts ? { uPlot: Plot } : {}),
  };
  window.window = window;
  return window;
}

module.exports = { Canvas, Element, Path2D, windowOf };
