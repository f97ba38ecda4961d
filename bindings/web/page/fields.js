// SPDX-License-Identifier: MIT
// The form: a field for each of five options with examples to choose from, and a line for all other options. An error is
// a sentence below the field that it is about.
const FIELDS = [
  {
    option: "topology",
    label: "Topology",
    examples: [
      "ring:15",
      "ring:16",
      "chain:12",
      "mesh:8x6",
      "torus:8x8",
      "torus:16x16",
      "torus:32x32",
      "hypercube:6",
      "complete:8",
      "star:9",
      "tree:2:5",
      "ccc:4",
      "butterfly:3",
      "debruijn:2:6",
      "hex:6x8",
      "dragonfly:4:2",
      "random:40:4",
      "smallworld:60:4:0.1",
      "fattree:4",
    ],
  },
  { option: "method", label: "Method", examples: null }, // the engine's methods
  {
    option: "load",
    label: "Load at the start",
    examples: ["", "peak:6400", "uniform:0:1000", "exponential:500", "normal:500:100", "modulo:7919:1001", "even:6400"],
  },
  {
    option: "delay",
    label: "Delays of messages",
    examples: ["", "none", "fixed:2", "uniform:0:3", "exponential:2", "fixed:20us", "uniform:1us:50us"],
  },
  { option: "timing", label: "Timing", examples: ["", "rounds", "turns", "turns:random", "virtual"] },
];
const OTHER = "other";
const TITLES = {
  "": "the default",
  "fixed:20us": "fixed:20us (virtual time)",
  "uniform:1us:50us": "uniform:1us:50us (virtual time)",
  rounds: "rounds: all act at once",
  turns: "turns: one after another",
  "turns:random": "turns:random: in a fresh order each step",
  virtual: "virtual: a computed clock",
};

const form = { host: document.getElementById("experiment"), field: {}, axes: {} };

// Makes a field: a list of examples, the value as text, and room for an error.
function makeField({ option, label, examples }, change) {
  const axis = form.axes[option];
  const known = (examples || axis.choices.map(([example]) => example)).map((value) => {
    const [, title] = (!examples && axis.choices.find(([example]) => example === value)) || [];
    return [value, title ? `${value}: ${title}` : TITLES[value] || value];
  });
  const list = element("select", { id: `choose-${option}` });
  known.forEach(([value, textContent]) => list.append(element("option", { value, textContent })));
  list.append(element("option", { value: OTHER, textContent: "another value" }));
  const text = makeText(option, `${label}, as text`);
  list.setAttribute("aria-describedby", `error-${option}`);
  const field = { list, text, error: makeError(option), initial: examples && examples[0] === "" ? "" : axis.initial };
  list.onchange = () => {
    if (list.value === OTHER) text.focus();
    else {
      text.value = list.value;
      change();
    }
  };
  text.onchange = () => {
    showChoice(field);
    change();
  };
  const forms = element("details", {}, element("summary", { textContent: "all forms" }), formsOf(axis));
  form.field[option] = field;
  const name = element("label", { htmlFor: list.id, textContent: label });
  return element(
    "div",
    { className: "field" },
    element("div", { className: "name" }, name, forms),
    list,
    text,
    field.error,
  );
}

function makeText(option, label) {
  const text = element("input", { type: "text", id: `value-${option}`, spellcheck: false });
  text.setAttribute("aria-label", label);
  text.setAttribute("autocapitalize", "off");
  text.setAttribute("aria-describedby", `error-${option}`);
  return text;
}

function makeError(option) {
  return element("p", { className: "error", id: `error-${option}`, role: "alert", hidden: true });
}

function formsOf(axis) {
  return element(
    "dl",
    {},
    ...axis.choices.flatMap(([value, meaning]) => [
      element("dt", {}, element("code", { textContent: value })),
      element("dd", { textContent: meaning }),
    ]),
  );
}

// Shows in the list which example the text is.
function showChoice({ list, text }) {
  list.value = text.value;
  if (list.selectedIndex < 0) list.value = OTHER;
}

function makeForm(axes, change) {
  form.axes = axes;
  const text = makeText("more", "More options");
  text.placeholder = "--units tokens --seed 7 --stop never --steps 300";
  text.onchange = change;
  form.more = { text, error: makeError("more") };
  const label = element("label", { htmlFor: text.id, textContent: "More options, as on the command line" });
  form.host.append(
    ...FIELDS.map((field) => makeField(field, change)),
    element("div", { className: "field" }, label, text, form.more.error),
  );
  form.host.onsubmit = (event) => event.preventDefault();
}

// Returns {pairs}, or {error, option}. An empty field has its default.
function readForm() {
  const more = readOptions(form.more.text.value, form.axes);
  if (more.error) return { error: more.error, option: "more" };
  const pairs = FIELDS.map(({ option }) => [option, form.field[option].text.value.trim()]).filter(([, value]) => value);
  return { pairs: [...pairs, ...more.pairs] };
}

function fillForm(pairs) {
  const given = new Map(pairs);
  for (const { option } of FIELDS) {
    const field = form.field[option];
    field.text.value = given.has(option) ? given.get(option) : field.initial;
    showChoice(field);
  }
  const others = pairs.filter(([option]) => !form.field[option]);
  form.more.text.value = writeOptions(others, form.axes);
}

// Shows an error at the field of this option, or takes all errors away if there is none.
function showError(sentence, option) {
  const wrong = sentence ? form.field[option] || form.more : null;
  for (const field of [...Object.values(form.field), form.more]) {
    field.error.hidden = field !== wrong;
    field.error.textContent = field === wrong ? asSentence(sentence, option) : "";
    if (field === wrong) field.text.setAttribute("aria-invalid", "true");
    else field.text.removeAttribute("aria-invalid");
  }
}

// The library's errors begin with a small letter and have no full stop, since the command puts its name before them.
function asSentence(text, option) {
  const known = form.field[option] || option === "more" || !option || text.includes(`--${option}`);
  const whole = known ? text : `--${option}: ${text}`;
  const first = known && !text.startsWith("-") ? whole.charAt(0).toUpperCase() : whole.charAt(0);
  return `${first}${whole.slice(1)}${/[.!?]$/.test(whole) ? "" : "."}`;
}
