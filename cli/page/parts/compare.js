// SPDX-License-Identifier: MIT
// Compares experiments: draws the means of their runs over one axis in which they differ, with a line for each
// combination of the other axes.

// Returns the values by which an experiment can be placed on the horizontal axis: its axes as they are written, and two
// numbers that belong to the topology and the method.
function placesIn(experiment) {
  const { record } = experiment;
  return { ...axesOf(record), processors: record.topology.processors, parameter: record.method.parameter };
}

// Returns whether all experiments have one method, perhaps with several parameters. The parameters of different methods
// are different quantities, which have no common axis.
function haveOneMethod() {
  const families = experiments.map(({ record }) => record.method.spec.split(/[:(]/)[0]);
  return families.every((family) => family === families[0]);
}

// Returns the names of the values in which the experiments differ. Numbers, which are drawn as lines, precede others,
// which are drawn as bars.
function differingPlaces() {
  const places = experiments.map(placesIn);
  const names = Object.keys(places[0])
    .filter((name) => places.some((of) => of[name] !== places[0][name]))
    .filter((name) => name !== "parameter" || haveOneMethod());
  const numbers = names.filter((name) => places.every((of) => typeof of[name] === "number"));
  return { places, names: [...numbers, ...names.filter((name) => !numbers.includes(name))], numbers };
}

// Groups the experiments by the axes in which they differ, except `over` and the axis or number that belongs to it.
function groupsBeside(over, { places, names }) {
  const own = { processors: "topology", parameter: "method", topology: "processors", method: "parameter" };
  const beside = names.filter(
    (name) => name !== over && name !== own[over] && !["processors", "parameter"].includes(name),
  );
  const groups = new Map();
  experiments.forEach((experiment, i) => {
    const family = over === "processors" ? [experiment.record.topology.spec.split(":")[0]] : [];
    const label = [
      ...family,
      ...beside.map((name) => (isNamed(name) ? places[i][name] : `${words(name)} ${places[i][name]}`)),
    ];
    const key = label.join(", ") || "measured";
    groups.set(key, [...(groups.get(key) || []), { place: places[i][over], summary: experiment.record.summary }]);
  });
  return groups;
}

function meansOf(over, field, log, differing) {
  const lines = differing.numbers.includes(over);
  const names = lines ? null : [...new Set(differing.places.map((of) => String(of[over])))];
  const positive = differing.places.every((of) => of[over] > 0);
  const groups = [...groupsBeside(over, differing)];
  const series = groups.map(([label, members], i) => {
    const measured = members.filter(({ summary }) => summary[field] && summary[field].mean !== null);
    const aside = (i - (groups.length - 1) / 2) * (BARS / groups.length);
    const at = ({ place }) => (lines ? place : names.indexOf(String(place)) + aside);
    const sorted = [...measured].sort((a, b) => at(a) - at(b));
    const part = (name) => sorted.map(({ summary }) => summary[field][name]);
    const spread = lines
      ? { low: part("min"), high: part("max"), dots: true, dash: DASHES[i % DASHES.length] }
      : { bar: true };
    return { label, index: i, x: sorted.map(at), y: part("mean"), ...spread };
  });
  return {
    name: "means",
    x: { label: words(over), names, log: log && lines && positive },
    y: { label: words(field), log },
    series,
  };
}

function showMeans() {
  const differing = differingPlaces();
  if (differing.names.length === 0) return;
  const note = "Means over the runs of each experiment. Bands go from the least to the greatest value.";
  const host = section("Means", note);
  const fields = Object.keys(experiments[0].record.summary).filter((name) => name !== "effects");
  let over = differing.names[0];
  let field = experiments.some(({ free }) => free) ? "operations" : "steps";
  const sizes = experiments.map(({ record }) => record.summary[field].mean).filter((mean) => mean > 0);
  let log = sizes.length > 0 && Math.max(...sizes) > 30 * Math.min(...sizes);
  const figure = element("figure", {});
  const now = () => meansOf(over, field, log, differing);
  let draw = () => {};
  const shown = choice(
    "show",
    fields.map((name) => [name, words(name)]),
    (value) => draw((field = value)),
  );
  shown.querySelector("select").value = field;
  host.append(
    element(
      "div",
      { className: "controls" },
      shown,
      choice(
        "over",
        differing.names.map((name) => [name, words(name)]),
        (value) => draw((over = value)),
      ),
      check("logarithmic", log, (on) => draw((log = on))),
      download("means", () => rowsOf(now())),
    ),
    figure,
  );
  draw = chart(figure, now);
}
