// SPDX-License-Identifier: MIT
// Runs the experiments of a list in the page's engine and by the command, and compares every field of the report, the
// trace and all loads, without rounding. Arguments: the engine, the command, the list. Prints what differs, then how many
// were the same.
const { execFileSync } = require("node:child_process");
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { makeMachine } = require("../../bindings/web/machine.js");

// What depends on the computer.
const OF_HOST = new Set(["elapsed_s", "workers", "switches_voluntary", "switches_forced", "migrations"]);
const FRAMES = 20;

function readList(file) {
  const lines = readFileSync(file, "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
  return lines.map((line) => line.split(" ").map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]));
}

function runCommand(command, options) {
  const words = options.flatMap(([option, value]) => [`--${option}`, value]);
  const all = ["run", ...words, "--carrier", "pool:1", "--format", "json", "--final", "--trace", "--frames", String(FRAMES), "--quiet"];
  // Virtual time has links by direction, and no link counts letters.
  if (!words.some((word) => /virtual|^steal/.test(word))) all.push("--links");
  try {
    return JSON.parse(execFileSync(command, all, { encoding: "utf8", maxBuffer: 1 << 28 }));
  } catch (error) {
    if (error.status === 3) return JSON.parse(error.stdout); // the criterion was not reached
    return { refused: `the command refused it: ${error.stderr}` };
  }
}

// Adds the places at which two values differ.
function compare(place, expected, actual, differences) {
  if (expected !== null && typeof expected === "object" && actual !== null && typeof actual === "object") {
    if (Array.isArray(expected) && expected.length !== actual.length)
      differences.push(`${place}: ${expected.length} elements, in the page ${actual.length}`);
    for (const key of Object.keys(expected)) {
      if (!OF_HOST.has(key)) compare(`${place}.${key}`, expected[key], actual[key], differences);
    }
  } else if (!Object.is(expected, actual)) {
    differences.push(`${place}: ${expected}, in the page ${actual}`);
  }
}

function differencesOf(record, result) {
  const differences = [];
  if (record.refused) return [record.refused];
  if (result.error) return [`the page refused it: ${result.error}`];
  const { frames, links, quotas, profile, ...run } = record.runs[0];
  const { frames: moments, ...report } = result.report;
  compare("run", run, report, differences);
  compare("frames", frames.map((frame) => frame.load), frames.map((_, i) => [...result.loads(i)]), differences);
  compare("moments", frames.map((frame) => frame.step ?? frame.time), moments, differences);
  if (links) compare("flows", links.map((link) => link.net), [...result.flows(frames.length - 1)], differences);
  const { colours, diameter, links: count, processors } = record.topology;
  compare("topology", { colours, diameter, links: count, processors }, result.machine.topology, differences);
  compare("parameter", record.method.parameter, result.machine.method.parameter, differences);
  return differences;
}

async function main([engine, command, list]) {
  const machine = makeMachine(await require(path.resolve(engine))());
  let same = 0, different = 0;
  for (const options of readList(list)) {
    const differences = differencesOf(runCommand(command, options), machine.run(options, null, FRAMES));
    if (differences.length === 0) same++;
    else {
      different++;
      console.log(`${options.map((pair) => pair.join("=")).join(" ")}\n  ${differences.slice(0, 4).join("\n  ")} (${differences.length})`);
    }
  }
  console.log(`${same} experiments have the same bits, ${different} differ`);
  process.exit(different > 0 ? 1 : 0);
}

if (require.main === module) main(process.argv.slice(2));
module.exports = { readList, runCommand, differencesOf, FRAMES };
