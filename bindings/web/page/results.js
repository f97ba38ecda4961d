// SPDX-License-Identifier: MIT
// The results of a run, as the page asks for them: frames with their loads, flows and rows of the trace.
const FRAMES = 2000; // more of them are thinned

function resultOf({ machine, report, loads, flows, counted }) {
  const { processors, links } = machine.topology;
  const timed = report.unit !== "step";
  const place = timed ? "time" : "step";
  const result = { machine, report, counted, timed, place, moments: report.frames, count: report.frames.length };
  result.loads = (frame) => loads.subarray(frame * processors, (frame + 1) * processors);
  // The load that crossed each link between the frame before and this one; negative towards the lower number.
  const between = new Float64Array(links);
  result.flows = (frame) => {
    for (let i = 0; i < links; i++) {
      between[i] = frame > 0 ? flows[frame * links + i] - flows[(frame - 1) * links + i] : 0;
    }
    return between;
  };
  result.mostFlow = mostOf(flows, links);
  result.row = rowsOf(result);
  result.units = unitsOf(machine.axes.units);
  return result;
}

function mostOf(flows, links) {
  let most = 0;
  for (let i = links; i < flows.length; i++) most = Math.max(most, Math.abs(flows[i] - flows[i - links]));
  return most;
}

// Returns a function from a frame to the last row of the trace that is not after it.
function rowsOf({ report, place, moments }) {
  const { trace } = report;
  const rows = [];
  let i = 0;
  for (const moment of moments) {
    while (i + 1 < trace.length && trace[i + 1][place] <= moment) i++;
    rows.push(trace[i]);
  }
  return (frame) => rows[frame];
}

function unitsOf(units) {
  return { real: "units of load", tokens: "tokens", tasks: "tasks", objects: "units of load" }[units] || units;
}

function meanOf(loads) {
  return loads.reduce((sum, load) => sum + load, 0) / loads.length;
}

// Returns the steps that an operation has in this run, by which the theory counts.
function stepsEach({ report }) {
  return report.steps > 0 && report.operations > 0 ? report.steps / report.operations : null;
}

// Returns the factor by which theory lets an operation shrink the distance from balance, and where it comes from, or null.
function predictedFactor({ machine, timed }) {
  const { gamma_exact: exact, gamma_closed: closed } = machine.theory;
  if (timed) return null;
  if (exact !== null) return { gamma: exact, from: "the spectrum of the graph" };
  return closed !== null ? { gamma: closed, from: "the paper's closed form" } : null;
}

function timeText(seconds) {
  const [scale, unit] = timeUnit(seconds);
  return `${number(seconds * scale)} ${unit}`;
}

function timeUnit(seconds) {
  if (seconds < 1e-3) return [1e6, "µs"];
  return seconds < 1 ? [1e3, "ms"] : [1, "s"];
}
