// SPDX-License-Identifier: MIT
// The page as a whole: it reads the experiment from the form or the address, lets the engine run it, and shows the run.
const system = window.matchMedia("(prefers-color-scheme: dark)");
const BUSY_MS = 400; // a run that takes longer is announced

const session = { number: 0, pairs: [], worker: null, busy: null, ready: null };

function startEngine() {
  const source = new Blob([document.getElementById("engine").textContent], { type: "text/javascript" });
  const address = URL.createObjectURL(source);
  session.worker = new Worker(address);
  session.worker.onmessage = ({ data }) => (data.choices ? session.ready(data.choices) : receive(data));
  session.worker.onerror = ({ message }) => showError(`The engine does not run in this browser (${message}).`, "");
}

// Lets the engine run an experiment. The answer to an earlier request is then ignored.
function compute(pairs) {
  session.number++;
  session.asked = pairs;
  document.getElementById("stage").setAttribute("aria-busy", "true");
  clearTimeout(session.busy);
  session.busy = setTimeout(() => (document.getElementById("busy").hidden = false), BUSY_MS);
  session.worker.postMessage({ number: session.number, options: pairs, frames: FRAMES });
}

function endWait() {
  clearTimeout(session.busy);
  document.getElementById("busy").hidden = true;
  document.getElementById("stage").setAttribute("aria-busy", "false");
}

// Ends the thread of the engine with the run that it makes, and starts another one.
function halt() {
  session.worker.terminate();
  session.number++;
  endWait();
  session.ready = () => {};
  startEngine();
  refuse("You stopped this run: choose a smaller graph, or a limit such as --steps 1000.", "more");
}

function receive(answer) {
  if (answer.number !== session.number) return;
  endWait();
  if (answer.error) {
    refuse(answer.error, answer.option);
    return;
  }
  showError("");
  document.body.classList.remove("stale");
  session.pairs = session.asked;
  document.body.classList.remove("empty");
  const result = resultOf(answer);
  setPicture(result);
  setChart(result);
  showLegend(document.getElementById("legend"), picture.scale, result.units);
  setPlayer(result);
  document.getElementById("ended").textContent = tellEnd(result);
  tellWords(result);
}

// Shows the experiment as a command and in the address.
function tellWords({ machine }) {
  const { axes } = form;
  session.command = `evenkeel run ${writeOptions(session.pairs, axes)}`;
  document.getElementById("command").replaceChildren(commandLine(session.command));
  const { title, equation, source } = machine.method;
  document.getElementById("method").textContent = `${machine.method.name}, ${title}: ${equation} (${source}).`;
  const fragment = writeFragment(session.pairs, axes);
  if (window.location.hash !== fragment) window.history.replaceState(null, "", fragment);
}

function refuse(error, option) {
  showError(error, option);
  document.body.classList.add("stale");
}

// Reads the form, and runs what is in it.
function change() {
  document.getElementById("moved").textContent = "";
  const { pairs, error, option } = readForm();
  if (error) refuse(error, option);
  else compute(pairs);
}

// Begins the experiment of a line of options.
function begin(line) {
  const { pairs, error } = readOptions(line, form.axes);
  if (error) {
    form.more.text.value = line;
    refuse(error, "more");
    return;
  }
  fillForm(pairs);
  change();
}

// Starts the machine again from these loads.
function restart(loads, sentence) {
  form.field.load.text.value = `list:${loads.join()}`;
  showChoice(form.field.load);
  change();
  document.getElementById("moved").textContent = sentence;
}

async function copy(text, what) {
  const said = document.getElementById("copied");
  try {
    await navigator.clipboard.writeText(text);
    said.textContent = `The ${what} is on the clipboard.`;
  } catch (error) {
    window.getSelection().selectAllChildren(document.getElementById("command"));
    said.textContent = `The browser does not let a page copy: the command is selected, and the address is above.`;
  }
}

// Takes the colours that the system asks for.
function paint() {
  dark = system.matches;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  if (!picture.result) return;
  showLegend(document.getElementById("legend"), picture.scale, picture.result.units);
  layPicture();
  setChart(chart.result);
  draw(player.at); // a player that runs goes on
}

function listen() {
  system.onchange = paint;
  document.getElementById("halt").onclick = halt;
  document.getElementById("copy").onclick = () => copy(session.command, "command");
  document.getElementById("share").onclick = () => copy(window.location.href, "link");
  window.onhashchange = () => begin(readFragment(window.location.hash));
  new ResizeObserver(() => {
    layPicture();
    if (player.result) draw(player.at);
  }).observe(document.getElementById("picture"));
}

function startPage() {
  paint();
  const controls = document.getElementById("player");
  makePlayer(controls);
  makeHand(controls, restart);
  placeChart(
    document.getElementById("curve"),
    goTo,
    (by) => goTo(Math.floor(player.at) + by),
    () => player.at,
  );
  document.getElementById("footer").textContent =
    `evenkeel ${page.version}. This page is one file: it loads nothing, sends nothing, and works without a network. ` +
    "Its runs have the same bits as those of the command; only eigenvalues can differ, in their last bits.";
  session.ready = (axes) => {
    makeForm(axes, change);
    makeLessons(document.getElementById("lesson"), begin);
    listen();
    begin(readFragment(window.location.hash) || page.lessons[0].experiment);
  };
  startEngine();
}

startPage();
