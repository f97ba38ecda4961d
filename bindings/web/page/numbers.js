// SPDX-License-Identifier: MIT
// The numbers of a moment, each with its unit, and the sentence about the end.
const ENDS_OF_RUNS = {
  criterion: (axes) => `its criterion ${axes.stop} held`,
  itself: () => "the method was done",
  steps: (axes) => `it reached its limit of ${axes.steps} steps`,
  operations: (axes) => `it reached its limit of ${axes.operations} operations`,
  time: (axes) => `it reached its limit of ${timeText(Number(axes.for))}`,
  frozen: () => "no load can move any more",
  repeats: () => "a state occurred again",
  done: () => "no task is left",
};

// Returns the numbers of a frame as [name, text] pairs.
function numbersOf(result, frame) {
  const { report, timed, moments, units, count } = result;
  const row = result.row(frame);
  const loads = result.loads(frame);
  const held = loads.reduce((sum, load) => sum + load, 0);
  const most = loads.reduce((a, b) => Math.max(a, b));
  const mean = held / loads.length;
  const imbalance = mean > 0 ? `${number(round(100 * (most / mean - 1)))} % above mean` : "–";
  const [scale, unit] = timeUnit(moments[count - 1]);
  const when = timed
    ? ["Virtual time", `${number(moments[frame] * scale)} of ${number(moments[count - 1] * scale)} ${unit}`]
    : ["Step", `${number(moments[frame])} of ${number(report.steps)}`];
  return [
    when,
    ["Messages", `${number(row.messages)} so far`],
    ["Imbalance", imbalance],
    ["Variance", `${number(row.variance)} load²`],
    ["Total", `${number(round(held + row.in_flight))} ${units}`],
    ["Under way on links", `${number(round(row.in_flight))} ${units}`],
  ];
}

// Returns a value without the last digits, in which sums differ from what was added.
function round(value) {
  return Number(value.toPrecision(9));
}

function showNumbers(host, result, frame) {
  host.replaceChildren(
    ...numbersOf(result, frame).map(([name, text]) =>
      element("div", {}, element("dt", { textContent: name }), element("dd", { textContent: text })),
    ),
  );
}

// A run that has not converged says why itself.
function tellEnd({ machine, report, counted, count, moments, timed }) {
  const how = report.why ? asSentence(report.why) : `The run ends because ${ENDS_OF_RUNS[report.ended](machine.axes)}.`;
  const kept = !timed && count > 1 && moments[1] > 1 ? ` The picture has one step in ${number(moments[1])}.` : "";
  const warning = machine.warning ? ` ${machine.warning}` : "";
  const unseen = counted
    ? ""
    : " This method writes letters, which no link counts: the picture has no load on its way.";
  return `${how}${kept}${unseen}${warning}`;
}
