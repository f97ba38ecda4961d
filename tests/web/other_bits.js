// SPDX-License-Identifier: MIT
// The comparison of same_bits.js notices differences, experiments that cannot be run are refused, and loads can be given.
// Arguments: the engine, the command. Prints one line.
const path = require("node:path");
const { makeMachine } = require("../../bindings/web/machine.js");
const { runCommand, differencesOf, FRAMES } = require("./same_bits.js");

const DRAWN = [["topology", "ring:9"], ["method", "ade"], ["load", "uniform:0:1000"]];
const REFUSED = [
  [[["timing", "free"]], /^free timing lets threads race/],
  [[["carrier", "threads"]], /^a page has no threads/],
  [[["colour", "red"]], /^there is no such option/],
  [[["topology", "ring:x"]], /side|number|processors/],
  [[["topology", "random:24:3"], ["method", "odf"]], /eigenvalues .* were not found: use a method with a parameter/],
  [[["tasks", "uts:T1"], ["topology", "ring:8"], ["method", "ade"]], /SHA-1/],
];

// Changes the last bit of a number.
function nudge(value) {
  const bits = new BigUint64Array(new Float64Array([value]).buffer);
  bits[0] ^= 1n;
  return new Float64Array(bits.buffer)[0];
}

async function main([engine, command]) {
  const machine = makeMachine(await require(path.resolve(engine))());
  const said = [];
  const record = runCommand(command, DRAWN);
  if (differencesOf(record, machine.run([...DRAWN, ["seed", "2"]], null, FRAMES)).length > 0) said.push("seed noticed");
  const result = machine.run(DRAWN, null, FRAMES);
  result.report.final[4] = nudge(result.report.final[4]);
  if (differencesOf(record, result).length === 1) said.push("bit noticed");
  const wrong = REFUSED.filter(([options, sentence]) => !sentence.test(machine.run(options, null, 3).error));
  said.push(wrong.length === 0 ? "refusals as expected" : `not as expected: ${wrong.map(([o]) => `${o}: ${machine.run(o, null, 3).error}`)}`);
  const example = machine.run([["topology", "torus:8x8"], ["method", "ode"], ["load", "peak:6400"]], null, 50);
  said.push(`example ${example.report.steps} ${example.machine.theory.operations} ${example.loads(3).length}`);
  const letters = machine.run([["topology", "ring:8"], ["method", "steal:random"], ["tasks", "queens:6"]], null, FRAMES);
  if (letters.flows === null) said.push("letters uncounted");
  const large = machine.run([["topology", "torus:100x100"], ["method", "fos"], ["stop", "never"], ["steps", "400"]], null, 2000);
  said.push(`${large.report.frames.length} frames`); // 279 fit into 64 MiB, so each second step is kept
  // Loads in an array give the same run as the spec that they come from.
  const peak = new Float64Array(64);
  peak[0] = 6400;
  const given = machine.run([["topology", "torus:8x8"], ["method", "ode"]], peak, 50);
  const same = given.report.final.every((load, p) => Object.is(load, example.report.final[p]));
  said.push(same ? "given" : "loads in an array give another run");
  console.log(said.join(", "));
}

main(process.argv.slice(2));
