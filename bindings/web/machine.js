// SPDX-License-Identifier: MIT
// The engine (bindings/web/web.c), which emscripten has compiled, as an object. docs/web.md describes it.
function makeMachine(engine) {
  const text = (name, types = [], values = []) => engine.ccall(name, "string", types, values);
  const number = (name, types = [], values = []) => engine.ccall(name, "number", types, values);

  // Prepares and runs an experiment, and keeps the loads at `frames` moments at most. `options` are pairs of an option
  // and its value, `loads` is an array that replaces the option load, or null. Returns {machine, report, loads(frame),
  // flows(frame)}, or {error, option}.
  function run(options, loads, frames) {
    text("web_begin", ["number"], [frames]);
    for (const [option, value] of options) {
      const error = text("web_set", ["string", "string"], [option, value]);
      if (error) return { error, option };
    }
    if (loads) {
      const place = number("web_loads", ["number"], [loads.length]);
      if (!place) return { error: "memory is short: choose fewer processors" };
      engine.HEAPF64.set(loads, place / 8);
    }
    const refused = text("web_prepare");
    if (refused) return { error: refused, option: text("web_wrong") };
    const machine = JSON.parse(text("web_describe"));
    const failed = text("web_run");
    if (failed) return { error: failed, option: text("web_wrong") };
    const report = JSON.parse(text("web_report"));
    const { processors, links } = machine.topology;
    return { machine, report, loads: rows("web_frames", processors), flows: rows("web_flows", links) };
  }

  // Returns a function that gives a row of `width` numbers for each frame, or null if there are none.
  function rows(name, width) {
    const begin = number(name) / 8;
    if (!begin) return null;
    const all = engine.HEAPF64.slice(begin, begin + number("web_frame_count") * width);
    return (frame) => all.subarray(frame * width, (frame + 1) * width);
  }
  return { run, choices: () => JSON.parse(text("web_choices")) };
}
if (typeof module !== "undefined") module.exports = { makeMachine };
