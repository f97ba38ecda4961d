// SPDX-License-Identifier: MIT
// Okabe and Ito's colours, which the colour-blind can distinguish; lighter on a dark background. In grey, dashes
// distinguish the lines.
const LIGHT = ["#0060ad", "#c04a00", "#007a5a", "#a8437f", "#8a6a00", "#3a7ca5"];
const DARK = ["#6db6ff", "#ff9a5c", "#3fd0a4", "#f093c8", "#f0c43c", "#a6dcf5"];
const DASHES = [[], [10, 4], [3, 3], [12, 4, 3, 4], [6, 2], [1, 4]];
// Viridis, which also in grey goes from dark to light.
const HEAT = ["440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725"].map(
  (hex) => [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16)),
);

let dark = false;

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function colour(index) {
  return (dark ? DARK : LIGHT)[index % LIGHT.length];
}

// Returns the dash of line `index`: a colour that is used again gets another dash, so 36 lines differ.
function dashOf(index) {
  return DASHES[(index + Math.floor(index / LIGHT.length)) % DASHES.length];
}

function heat(part) {
  const place = Math.min(Math.max(part, 0), 1) * (HEAT.length - 1);
  const below = Math.min(Math.floor(place), HEAT.length - 2);
  const mixed = HEAT[below].map((low, i) => Math.round(low + (HEAT[below + 1][i] - low) * (place - below)));
  return `rgb(${mixed.join()})`;
}
