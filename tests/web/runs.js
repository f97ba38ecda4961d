// SPDX-License-Identifier: MIT
// Runs the experiments of a list in the page's engine. Arguments: the engine, the list. Prints what it refuses, then how
// many ran.
const path = require("node:path");
const { makeMachine } = require("../../bindings/web/machine.js");
const { readList } = require("./same_bits.js");

async function main([engine, list]) {
  const machine = makeMachine(await require(path.resolve(engine))());
  let ran = 0;
  for (const options of readList(list)) {
    const { error } = machine.run(options, null, 0);
    if (error) console.log(`${options.map((pair) => pair.join("=")).join(" ")}: ${error}`);
    else ran++;
  }
  console.log(`${ran} run`);
}

main(process.argv.slice(2));
