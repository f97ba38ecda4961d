// SPDX-License-Identifier: MIT
// Compares experiments: draws the means of their runs over one axis in which they differ, with a chart for each topology
// and a line for each combination of the other axes.

const FACETS_MAX = 12; // charts beside each other

// The units of axes and fields whose names do not say them.
const UNITS = { steps: "communication steps", moved: "load moved", elapsed_s: "seconds of this computer" };

function axisName(name) {
  if (/^variance/.test(name)) return `${words(name)} (sum of squared distances)`;
  return UNITS[name] || words(name).replace(/ s$/, " in seconds");
}

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

function valuesOf(places, name) {
  return [...new Set(places.map((of) => of[name]))];
}

// Returns the names of the values in which the experiments differ. The first is the one that answers the question of a
// sweep: the number with the most values, or without numbers the axis other than the method with the most values.
// Numbers, which are drawn as lines, precede others, which are drawn as bars.
function differingPlaces() {
  const places = experiments.map(placesIn);
  const names = Object.keys(places[0])
    .filter((name) => places.some((of) => of[name] !== places[0][name]))
    .filter((name) => name !== "parameter" || haveOneMethod());
  const count = (name) => (name === "method" ? 0 : valuesOf(places, name).length);
  const numbers = names.filter((name) => places.every((of) => typeof of[name] === "number"));
  const rest = names.filter((name) => !numbers.includes(name));
  return { places, names: [numbers, rest].flatMap((part) => [...part].sort((a, b) => count(b) - count(a))), numbers };
}

function familyOf(place) {
  return place.topology.split(/[:(]/)[0];
}

// Returns the charts into which the experiments are divided: one for each topology, or for each family of topologies
// over the processors. Over the topology itself there is one chart.
function facetsOf(over, { places, names }) {
  if (over === "topology" || !names.includes("topology")) return [null];
  const facets = [...new Set(places.map((of) => (over === "processors" ? familyOf(of) : of.topology)))];
  return facets.length <= FACETS_MAX ? facets : [null];
}

// Groups the experiments of a chart by the axes in which they differ, except `over` and the axis or number that belongs
// to it. The method is always among these axes, so no line joins two methods. Each method has a colour of its own.
function groupsBeside(over, facet, { places, names }) {
  const own = { processors: "topology", parameter: "method", topology: "processors", method: "parameter" };
  const beside = names.filter(
    (name) => name !== over && name !== own[over] && !["processors", "parameter"].includes(name),
  );
  const named = (place, name) => (isNamed(name) ? place[name] : `${words(name)} ${place[name]}`);
  const methods = beside.includes("method") ? valuesOf(places, "method") : [];
  const groups = new Map();
  experiments.forEach(({ record }, i) => {
    const place = places[i];
    const family = over === "processors" && facet === null ? [familyOf(place)] : [];
    if (facet !== null && facet !== (over === "processors" ? familyOf(place) : place.topology)) return;
    const told = beside.filter((name) => name !== "topology" || facet === null);
    const key = [...family, ...told.map((name) => named(place, name))].join(", ") || "measured";
    const group = groups.get(key) || { index: methods.length > 0 ? methods.indexOf(place.method) : groups.size, members: [] };
    group.members.push({ place: place[over], record });
    groups.set(key, group);
  });
  return groups;
}

function meansOf(over, field, log, differing, facet) {
  const lines = differing.numbers.includes(over);
  const names = lines ? null : [...new Set(differing.places.map((of) => String(of[over])))];
  const positive = differing.places.every((of) => of[over] > 0);
  const groups = [...groupsBeside(over, facet, differing)];
  const series = groups.map(([label, { index, members }], i) => {
    const aside = (i - (groups.length - 1) / 2) * (BARS / groups.length);
    const measured = members
      .map(({ place, record }) => ({
        at: lines ? place : names.indexOf(String(place)) + aside,
        of: interval(record.runs.map((run) => run[field]).filter(Number.isFinite)),
        mean: record.summary[field] ? record.summary[field].mean : null,
      }))
      .filter(({ mean: middle }) => middle !== null)
      .sort((a, b) => a.at - b.at);
    const part = (name) => measured.map(({ of }) => of[name]);
    const looks = lines ? { low: part("low"), high: part("high"), dots: true, dash: dashOf(i) } : { bar: true };
    return { label, index, x: measured.map(({ at }) => at), y: measured.map(({ mean: middle }) => middle), ...looks };
  });
  return {
    name: "means",
    x: { label: axisName(over), names, log: log && lines && positive },
    y: { label: axisName(field), log },
    series,
  };
}

function showMeans() {
  const differing = differingPlaces();
  if (differing.names.length === 0) return;
  const note = `Means over the runs of each experiment. ${BAND}`;
  const host = section("Means", note);
  const fields = Object.keys(experiments[0].record.summary).filter((name) => name !== "effects");
  let over = differing.names[0];
  let field = experiments.some(({ free }) => free) ? "operations" : "steps";
  const sizes = experiments.map(({ record }) => record.summary[field].mean).filter((mean) => mean > 0);
  let log = sizes.length > 0 && Math.max(...sizes) > 30 * Math.min(...sizes);
  const most = Math.max(...differing.names.map((name) => facetsOf(name, differing).length));
  const figures = Array.from({ length: most }, () => element("figure", {}, element("h3", {})));
  const draws = [];
  // Shows a chart for each facet, and hides those that are not needed.
  const draw = () => {
    const facets = facetsOf(over, differing);
    figures.forEach((figure, k) => {
      figure.hidden = k >= facets.length;
      figure.firstChild.textContent = facets[k] || "";
      figure.firstChild.hidden = !facets[k];
      if (figure.hidden) return;
      if (draws[k]) draws[k]();
      else draws[k] = chart(figure, () => meansOf(over, field, log, differing, facetsOf(over, differing)[k] ?? null));
    });
  };
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
      download("means", () => rowsOf(meansOf(over, field, log, differing, null))),
    ),
    element("div", { className: most > 1 ? "charts" : "" }, ...figures),
  );
  draw();
}
