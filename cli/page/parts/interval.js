// SPDX-License-Identifier: MIT
// The interval of a mean, 95 % by Student's t, which is the band of all charts as of all figures (docs/figures.md).
const LEVEL = 0.95;
const BAND = "Bands are the interval of the mean, 95 % by Student's t.";

// Returns the probability that Student's t with n degrees of freedom lies within t: Abramowitz & Stegun 26.7.3, 26.7.4.
function within(t, n) {
  const theta = Math.atan2(t, Math.sqrt(n));
  const cosine = Math.cos(theta);
  const odd = n % 2;
  let term = odd ? cosine : 1;
  let sum = n === 1 ? 0 : term;
  for (let k = odd ? 3 : 2; k < n - 1; k += 2) {
    term *= ((k - 1) / k) * cosine ** 2;
    sum += term;
  }
  return odd ? (2 / Math.PI) * (theta + Math.sin(theta) * sum) : Math.sin(theta) * sum;
}

const quantiles = new Map();

// Returns the t within which Student's t with n degrees of freedom lies with probability LEVEL.
function quantile(n) {
  if (!quantiles.has(n)) {
    let [low, high] = [0, 20];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (within(middle, n) < LEVEL) low = middle;
      else high = middle;
    }
    quantiles.set(n, (low + high) / 2);
  }
  return quantiles.get(n);
}

// Returns the mean of values and its bounds. The bounds of fewer than two values are null.
function interval(values) {
  const count = values.length;
  if (count === 0) return { mean: null, low: null, high: null };
  const average = values.reduce((sum, value) => sum + value, 0) / count;
  if (count === 1) return { mean: average, low: null, high: null };
  const squares = values.reduce((sum, value) => sum + (value - average) ** 2, 0);
  const half = quantile(count - 1) * Math.sqrt(squares / (count - 1) / count);
  return { mean: average, low: average - half, high: average + half };
}
