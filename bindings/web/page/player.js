// SPDX-License-Identifier: MIT
// The player goes through the frames of a run: Play, Pause, Step, Back to start, the speed, and a slider over all
// moments. Between two frames load is on its way; if less motion is wanted (prefers-reduced-motion), there is nothing
// between frames.
const STEP_S = 0.45; // how long Step shows the load on its way
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]; // frames a second
const TELL_MS = 100; // numbers that change faster cannot be read
const PLAY = "▶ Play";
const PAUSE = "❚❚ Pause";
const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

const player = { at: 0, goal: null, speed: 4, last: 0, running: false, told: -1, toldAt: 0 };

function makePlayer(host) {
  const button = (id, textContent, act) => {
    player[id] = element("button", { type: "button", id, textContent });
    player[id].onclick = act;
    return player[id];
  };
  player.slider = element("input", { type: "range", id: "moment", min: 0, step: 1 });
  player.slider.setAttribute("aria-label", "Moment");
  player.slider.oninput = () => goTo(Number(player.slider.value));
  player.pace = element("input", { type: "range", id: "speed", min: 0, max: SPEEDS.length - 1, step: 1 });
  player.pace.oninput = () => setSpeed(Number(player.pace.value));
  player.paceText = element("output", {});
  host.append(
    button("play", PLAY, () => (isPlaying() ? pause() : play())),
    button("step", "Step", stepOnce),
    button("start", "Back to start", () => goTo(0)),
    element("label", {}, "Speed", player.pace, player.paceText),
    player.slider,
  );
}

function isPlaying() {
  return player.running && player.goal === null;
}

function setSpeed(index) {
  player.pace.value = index;
  player.speed = SPEEDS[index];
  player.paceText.textContent = `${player.speed} a second`;
  player.pace.setAttribute("aria-valuetext", `${player.speed} moments a second`);
}

// Begins with a new run: at its start, and at a speed at which it takes about twenty seconds.
function setPlayer(result) {
  pause();
  player.result = result;
  player.slider.max = result.count - 1;
  player.told = -1;
  const wanted = result.count / 20;
  const index = SPEEDS.findIndex((speed) => speed >= wanted);
  setSpeed(Math.max(2, index < 0 ? SPEEDS.length - 1 : index));
  goTo(0);
}

function play() {
  if (player.at >= player.result.count - 1) player.at = 0;
  player.goal = null;
  run();
  player.play.textContent = PAUSE;
}

function pause() {
  player.running = false;
  player.goal = null;
  player.play.textContent = PLAY;
  if (player.result) show(Math.floor(player.at));
}

function goTo(frame) {
  pause();
  show(Math.min(Math.max(frame, 0), player.result.count - 1));
}

function stepOnce() {
  const from = player.goal === null ? Math.floor(player.at) : player.goal;
  const goal = Math.min(from + 1, player.result.count - 1);
  if (stillness.matches) {
    goTo(goal);
    return;
  }
  player.play.textContent = PLAY;
  if (player.goal !== null) player.at = from; // a second step does not wait for the first
  player.goal = goal;
  tell(goal);
  run();
}

function run() {
  if (!player.running) {
    player.running = true;
    player.last = performance.now();
    requestAnimationFrame(tick);
  }
}

// Draws the next picture.
function tick(now) {
  if (!player.running) return;
  const passed = Math.max(now - player.last, 0) / 1000;
  player.last = now;
  const end = player.goal === null ? player.result.count - 1 : player.goal;
  player.at = Math.min(player.at + passed * (player.goal === null ? player.speed : 1 / STEP_S), end);
  if (player.at >= end) {
    goTo(end);
    return;
  }
  draw(stillness.matches ? Math.floor(player.at) : player.at);
  if (player.goal === null && now - player.toldAt > TELL_MS) {
    player.toldAt = now;
    tell(Math.floor(player.at));
  }
  requestAnimationFrame(tick);
}

function show(at) {
  player.at = at;
  draw(at);
  tell(at);
}

function draw(at) {
  drawPicture(at);
  markChart(at);
}

// Shows the numbers of a frame, unless they are shown already.
function tell(frame) {
  if (frame === player.told) return;
  player.told = frame;
  const { result } = player;
  player.slider.value = frame;
  const moment = result.moments[frame];
  player.slider.setAttribute("aria-valuetext", result.timed ? timeText(moment) : `step ${number(moment)}`);
  showNumbers(document.getElementById("numbers"), result, frame);
  tellPicked();
}
