// SPDX-License-Identifier: MIT
// The topologies, as `evenkeel draw` draws them. The data have the places of the processors and the paths of the links.
function drawProcessor(drawing, p) {
  const { radius } = drawing;
  const [x, y] = drawing.at[p];
  const host = p < drawing.hosts;
  const title = shape("title", {}, `${host ? "Processor" : "Switch"} ${p}`);
  return host
    ? shape("circle", { cx: x, cy: y, r: radius }, title)
    : shape("rect", { x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius }, title);
}

function drawTopology(drawing, label) {
  const { width, height } = drawing;
  const lines = drawing.lines.map(([path, c]) =>
    shape("path", { d: path }, shape("title", {}, `Colour ${c}`)),
  );
  const picture = shape(
    "svg",
    { class: "topology", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label },
    shape("g", { fill: "none", "stroke-width": Math.min(0.4 + 0.1 * drawing.radius, 2) }, ...lines),
    shape("g", { class: "processors" }, ...drawing.at.map((_, p) => drawProcessor(drawing, p))),
  );
  const paintLines = () => {
    const colours = dark ? drawing.dark : drawing.light;
    lines.forEach((line, i) => line.setAttribute("stroke", colours[drawing.lines[i][1]]));
  };
  paintLines();
  redraws.push(paintLines);
  return picture;
}

function showTopologies() {
  for (const { record, drawing } of experiments.filter((experiment) => experiment.drawing)) {
    const { spec, processors, links, colours } = record.topology;
    const what = `${plural(processors, "processor")}, ${plural(links, "link")}, ${plural(colours, "colour")}`;
    const drawn = record.topology.drawn && record.runs.length > 1 ? " Each run has its own graph; this is the first run's." : "";
    const host = section(
      `The topology ${spec}`,
      `${what}. Links have the colours of dimension exchange; no two of one colour meet.${drawn}`,
    );
    host.append(element("figure", {}, drawTopology(drawing, `Drawing of ${spec}: ${what}`)));
  }
}
