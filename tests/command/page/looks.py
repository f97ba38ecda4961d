# SPDX-License-Identifier: MIT
"""What every page must be in a browser: readable, no wider than the window, and silent."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "support"))
from expect import expect

# The lowest contrast of any text that is seen with what is behind it (WCAG 2.1, 1.4.3), and where.
CONTRAST = """
const parse = (text) => {
  const [r, g, b, a] = text.match(/[0-9.]+/g).map(Number);
  return { rgb: [r, g, b], a: a ?? 1 };
};
const light = (rgb) => rgb.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (at) => {
  for (; at; at = at.parentElement) {
    const c = parse(getComputedStyle(at).backgroundColor);
    if (c.a === 1) return c.rgb;
  }
  return [255, 255, 255];
};
let worst = [99, ""], seen = 0;
for (const at of document.querySelectorAll("body *")) {
  const own = [...at.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) ||
    ["SELECT", "INPUT"].includes(at.tagName);
  if (!own || at.closest("noscript, script") || at.getClientRects().length === 0) continue;
  const [a, b] = [light(parse(getComputedStyle(at).color).rgb), light(behind(at))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  seen++;
  if (ratio < worst[0]) worst = [ratio, at.tagName + " " + at.textContent.slice(0, 40)];
}
return { worst, seen };
"""
WIDTH = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def check_quiet(browser, what, page):
    expect(f"{what}: console", [], [entry["message"] for entry in browser.log("browser")])
    asked = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    urls = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
    expect(f"{what}: what it asked for", [page], [url for url in urls if not url.startswith(("data:", "blob:"))])
