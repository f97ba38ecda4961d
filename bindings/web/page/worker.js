// SPDX-License-Identifier: MIT
// The engine in a thread of its own, so that the page answers during a long run. It gets {number, options, frames} and
// answers with {number, error, option}, or with the machine, the report, and all loads and flows as one array each.
const opened = openMachine().then(makeMachine);
opened.then((machine) => postMessage({ choices: machine.choices() }));

// The engine counts no flows if a method writes letters: they are 0 then.
function all(rows, frames, width) {
  const whole = new Float64Array(frames * width);
  if (!rows) return whole;
  for (let i = 0; i < frames; i++) whole.set(rows(i), i * width);
  return whole;
}

onmessage = async ({ data: { number, options, frames } }) => {
  const machine = await opened;
  const result = machine.run(options, null, frames);
  if (result.error) {
    postMessage({ number, error: result.error, option: result.option });
    return;
  }
  const count = result.report.frames.length;
  const { machine: made, report } = result;
  const loads = all(result.loads, count, made.topology.processors);
  const flows = all(result.flows, count, made.topology.links);
  postMessage({ number, machine: made, report, loads, flows, counted: Boolean(result.flows) }, [
    loads.buffer,
    flows.buffer,
  ]);
};
