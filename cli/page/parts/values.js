// SPDX-License-Identifier: MIT
// The page of `evenkeel report` shows the records in it (docs/report.md) as charts, maps and tables. Texts of records are
// inserted as textContent only, so they cannot contain markup. All numbers can be downloaded as CSV. This part makes
// elements, numbers and CSV.
"use strict";

const page = JSON.parse(document.getElementById("data").textContent);
const redraws = []; // functions that draw again in the colours of another scheme

function element(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name in made) made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function shape(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size >= 1e9 || size < 1e-3) return value.toExponential(3);
  return value.toLocaleString("en", { maximumSignificantDigits: size >= 1e4 ? 7 : 5 });
}

function plural(count, what) {
  return `${number(count)} ${what}${count === 1 ? "" : "s"}`;
}

// Says after which turns a recording has a value.
function afterTurns(every) {
  return every === 1 ? "after each" : `after every ${number(every)} turns, and after the last`;
}

function words(name) {
  return name.replace(/_/g, " ");
}

function csv(rows) {
  const quoted = (cell) => {
    const text = cell === null || cell === undefined ? "" : String(cell);
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(quoted).join(",") + "\n").join("");
}

// Returns a button that downloads the rows that `rows` returns.
function download(name, rows) {
  const button = element("button", { type: "button", textContent: "CSV" });
  button.setAttribute("aria-label", `Download ${name} as CSV`);
  button.onclick = () => {
    const link = element("a", { download: `${name}.csv` });
    link.href = URL.createObjectURL(new Blob([csv(rows())], { type: "text/csv" }));
    link.click();
    URL.revokeObjectURL(link.href);
  };
  button.rows = rows;
  return button;
}

function choice(label, options, change) {
  const select = element("select", {});
  options.forEach(([value, text]) => select.append(element("option", { value, textContent: text })));
  select.onchange = () => change(select.value);
  return element("label", {}, label, select);
}

function check(label, on, change) {
  const box = element("input", { type: "checkbox", checked: on });
  box.onchange = () => change(box.checked);
  return element("label", {}, box, label);
}

// Returns a command line to be copied. It breaks only between words.
function commandLine(line) {
  const words = line.split(" ").map((word) => element("span", { textContent: word }));
  return element("code", {}, ...words.flatMap((word, i) => (i > 0 ? [" ", word] : [word])));
}

function section(title, note) {
  const made = element("section", {}, element("h2", { textContent: title }));
  if (note) made.append(element("p", { className: "note", textContent: note }));
  document.getElementById("main").append(made);
  return made;
}
