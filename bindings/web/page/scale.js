// SPDX-License-Identifier: MIT
// The colours of loads: blue below the mean, orange above it, which the colour-blind can distinguish; a load at the mean
// is nearly as bright as the ground. Above the mean the scale is logarithmic, since one processor may begin with all load.
const SHADES = 48; // on each side of the mean
const STOPS = {
  light: ["003e8a", "78aade", "eef0f2", "f0a05a", "9e3a00"],
  dark: ["3a80e2", "2a548a", "2c353f", "a85818", "ffb060"],
};

function mix(a, b, part) {
  return a.map((from, i) => Math.round(from + (b[i] - from) * part));
}

// Returns the colours from the lowest load to the highest; the mean is in the middle.
function shades() {
  const stops = STOPS[dark ? "dark" : "light"].map((hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)));
  return Array.from({ length: 2 * SHADES + 1 }, (_, i) => {
    const place = (i / (2 * SHADES)) * (stops.length - 1);
    const below = Math.min(Math.floor(place), stops.length - 2);
    return mix(stops[below], stops[below + 1], place - below);
  });
}

// Returns the scale of these loads: `shade` maps a load to the index of its colour.
function scaleOf(least, mean, most) {
  const logarithmic = mean > 0 && most > 1.5 * mean;
  const up = logarithmic ? Math.log(most / mean) : most - mean;
  const down = mean - least;
  const shade = (load) => {
    if (load >= mean) {
      const part = up > 0 ? (logarithmic ? Math.log(load / mean) : load - mean) / up : 0;
      return SHADES + Math.round(Math.min(part, 1) * SHADES);
    }
    return SHADES - Math.round(Math.min((mean - load) / (down > 0 ? down : 1), 1) * SHADES);
  };
  // The load at a part of the way from the lowest colour to the highest.
  const load = (part) => {
    if (part < 0.5) return least + down * 2 * part;
    return logarithmic ? mean * Math.exp(up * (2 * part - 1)) : mean + up * (2 * part - 1);
  };
  return { least, mean, most, shade, load, logarithmic };
}

// Returns the scale of some frames.
function scaleOfFrames(result, frames) {
  let [least, most] = [Infinity, -Infinity];
  for (const frame of frames) {
    for (const load of result.loads(frame)) {
      if (load < least) least = load;
      if (load > most) most = load;
    }
  }
  return scaleOf(least, meanOf(result.loads(frames[frames.length - 1])), most);
}

function showLegend(host, scale, units) {
  const colours = shades();
  const bar = element("div", { className: "scale" });
  bar.style.background = `linear-gradient(to right, ${colours.map((rgb) => `rgb(${rgb.join()})`).join()})`;
  const ends = [0, 0.5, 0.75, 1].map((part) => {
    const end = element("span", { textContent: number(Number(scale.load(part).toPrecision(3))) });
    end.style.left = `${100 * part}%`;
    return end;
  });
  ends[1].textContent = `mean ${ends[1].textContent}`;
  const above = scale.logarithmic ? ", logarithmic above the mean" : "";
  const told = element("p", {
    className: "note",
    textContent: `The colour of a processor is its load, in ${units}${above}.`,
  });
  host.replaceChildren(bar, element("div", { className: "ends" }, ...ends), told);
}
