// SPDX-License-Identifier: MIT
// Moving load by hand: with the pointer from one processor onto another, or with the keyboard: arrow keys choose a
// processor, Enter takes up its load, and puts it down on another one. The machine then starts again from these loads.
const SHARES = [
  [1, "all"],
  [0.5, "half"],
  [0.1, "a tenth"],
];

const hand = { share: 0.5, moved: null };

function tellPicked() {
  const { result, chosen, held } = picture;
  if (!result.machine.drawing) {
    document.getElementById("picked").textContent = asSentence(result.machine.drawing_refused);
    return;
  }
  const load = result.loads(Math.floor(player.at))[chosen];
  const kind = chosen < result.machine.topology.hosts ? "Processor" : "Switch";
  const what = `${kind} ${number(chosen)}: ${number(load)} ${result.units}.`;
  const how =
    held === null
      ? "Drag it onto another to move load, or press Enter."
      : "Choose a processor, and let go or press Enter.";
  document.getElementById("picked").textContent = `${what} ${how}`;
  const last = result.moments[result.count - 1];
  const span = result.timed ? timeText(last) : `${number(last)} steps`;
  const { topology } = result.machine;
  picture.front.setAttribute(
    "aria-label",
    `${topology.spec}: ${plural(topology.processors, "processor")}, ${plural(topology.links, "link")}, a run of ${span}. Arrow keys choose a processor.`,
  );
}

// Returns the processor at a place of the canvas, or -1. A finger need not hit it exactly.
function processorAt(x, y, reach) {
  const { size, left, radius, result } = picture;
  const { at } = result.machine.drawing || { at: [] };
  let [best, least] = [-1, (radius + reach) ** 2];
  for (let p = 0; 2 * p < at.length; p++) {
    const away = (at[2 * p] * size + left - x) ** 2 + (at[2 * p + 1] * size - y) ** 2;
    if (away < least) [best, least] = [p, away];
  }
  return best;
}

// Returns the nearest processor in the direction of an arrow key, or the same one if there is none.
function neighbourTowards(from, dx, dy) {
  const { at } = picture.result.machine.drawing;
  let [best, least] = [from, Infinity];
  for (let p = 0; 2 * p < at.length; p++) {
    const [x, y] = [at[2 * p] - at[2 * from], at[2 * p + 1] - at[2 * from + 1]];
    const along = x * dx + y * dy;
    const away = along + 2.5 * Math.abs(x * dy - y * dx);
    if (p !== from && along > 1e-6 && away < least) [best, least] = [p, away];
  }
  return best;
}

// Moves a share of the load of one processor to another in the loads that are shown. Returns {loads, amount}, or {error}.
function moveLoad(result, frame, from, to, share) {
  const { units } = result.machine.axes;
  if (units === "tasks" || units === "objects")
    return { error: `Load that consists of ${units} cannot be moved by hand.` };
  const loads = Array.from(result.loads(frame));
  const least = loads.reduce((a, b) => Math.min(a, b));
  if (least < 0)
    return { error: "A load is below 0 now, and a machine cannot start from that: choose another moment." };
  const amount = units === "tokens" ? Math.floor(loads[from] * share) : loads[from] * share;
  if (!(amount > 0)) return { error: `Processor ${from} has no load that could be moved.` };
  loads[from] -= amount;
  loads[to] += amount;
  return { loads, amount };
}

function letGo(to) {
  const { held, result } = picture;
  picture.held = null;
  const said = document.getElementById("moved");
  if (held !== null && to >= 0 && to !== held) {
    const frame = Math.floor(player.at);
    const { loads, amount, error } = moveLoad(result, frame, held, to, hand.share);
    said.textContent = error || "";
    if (loads) {
      const flying = result.row(frame).in_flight;
      const lost =
        flying > 0 ? ` What was under way on links, ${number(round(flying))} ${result.units}, is left out.` : "";
      const moment = result.timed
        ? `after ${timeText(result.moments[frame])}`
        : `after step ${number(result.moments[frame])}`;
      hand.moved(
        loads,
        `You moved ${number(round(amount))} ${result.units} from processor ${number(held)} to processor ${number(to)} ${moment}. ` +
          `The machine starts again from these loads.${lost}`,
      );
      return;
    }
  }
  draw(player.at);
  tellPicked();
}

function takeUp(p) {
  if (player.running) pause();
  picture.held = p;
  picture.chosen = p;
  draw(player.at);
  tellPicked();
}

function listenToPointer(canvas) {
  const under = (event) => processorAt(event.offsetX, event.offsetY, event.pointerType === "touch" ? 14 : 4);
  canvas.onpointerdown = (event) => {
    const p = under(event);
    if (p < 0) return;
    canvas.setPointerCapture(event.pointerId);
    takeUp(p);
  };
  canvas.onpointermove = (event) => {
    const p = under(event);
    picture.pointed = p >= 0;
    if (p < 0 || (p === picture.chosen && !player.running)) return;
    picture.chosen = p;
    if (!player.running) draw(player.at);
    tellPicked();
  };
  canvas.onpointerup = (event) => letGo(under(event));
  canvas.onpointercancel = () => letGo(-1);
  canvas.onpointerleave = () => {
    picture.pointed = false;
    if (!player.running) draw(player.at);
  };
  // A finger on a processor moves load, elsewhere it scrolls the page.
  canvas.addEventListener("touchstart", (event) => picture.held !== null && event.preventDefault(), { passive: false });
}

function listenToKeys(canvas) {
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  canvas.onkeydown = (event) => {
    if (!picture.result.machine.drawing) return;
    if (event.key in ways) {
      picture.chosen = neighbourTowards(picture.chosen, ...ways[event.key]);
      draw(player.at);
      tellPicked();
    } else if (event.key === "Enter" || event.key === " ") {
      if (picture.held === null) takeUp(picture.chosen);
      else letGo(picture.chosen);
    } else if (event.key === "Escape") letGo(-1);
    else return;
    event.preventDefault();
  };
  canvas.onfocus = canvas.onblur = () => player.result && !player.running && draw(player.at);
}

// `moved` receives the new loads, and the sentence about them.
function makeHand(host, moved) {
  hand.moved = moved;
  const share = choice("Moving by hand takes", SHARES, (value) => (hand.share = Number(value)));
  share.querySelector("select").value = hand.share;
  host.append(share);
  listenToPointer(picture.front);
  listenToKeys(picture.front);
}
