# SPDX-License-Identifier: MIT
"""What notebooks show: a table and a curve for a run, and its frames as an animation."""
import html
import json
import math

import numpy as np

_ROWS = ("ended", "operations", "steps", "variance_initial", "variance_final", "spread_final", "moved", "messages",
         "ticks", "speedup", "efficiency", "virtual_s", "elapsed_s")


def _number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:.6g}" if isinstance(value, float) else str(value)


def curve(values, width=320, height=80):
    """Returns an SVG of values on a logarithmic axis; values of 0 are left out."""
    points = [(index, math.log10(value)) for index, value in enumerate(values) if value > 0]
    if len(points) < 2:
        return ""
    xs, ys = zip(*points)
    low, high = min(ys), max(max(ys), min(ys) + 1e-9)
    path = " ".join(f"{2 + (width - 4) * (x - xs[0]) / max(xs[-1] - xs[0], 1):.1f},"
                    f"{height - 2 - (height - 4) * (y - low) / (high - low):.1f}" for x, y in points)
    return (f'<svg width="{width}" height="{height}" role="img" aria-label="variance by step, logarithmic">'
            f'<polyline points="{path}" fill="none" stroke="currentColor" stroke-width="1.5"/></svg>')


def run_html(run):
    """Returns a run as a table beside the curve of its variance."""
    rows = "".join(f"<tr><th style='text-align:left'>{name}</th><td>{html.escape(_number(value))}</td></tr>"
                   for name in _ROWS if (value := getattr(run, name)) is not None and value == value)
    axes = html.escape(", ".join(f"{name}={value}" for name, value in run.axes.items()))
    variance = run.trace["variance"] if run.trace is not None else []
    shown = variance[:: max(1, len(variance) // 400)]
    return f"<div><p>{axes}</p><table style='display:inline-block'>{rows}</table> {curve(shown)}</div>"


class _Html:
    def __init__(self, text):
        self.text = text

    def _repr_html_(self):
        return self.text


def animation(run, width):
    """Returns the frames of a run as squares whose shade is the load, with a slider and a button."""
    if run.frames is None or len(run.frames) == 0:
        raise ValueError("the run has no frames: give frames=100 to run")
    columns = math.ceil(math.sqrt(run.frames.shape[1]))
    side = max(1, width // columns)
    most = float(run.frames.max()) or 1.0
    shades = np.rint(255 * np.clip(run.frames / most, 0, 1)).astype(int).tolist()
    steps = [int(step) for step in run.frame_steps]
    height = side * math.ceil(run.frames.shape[1] / columns)
    return _Html(f"""<div><canvas width="{columns * side}" height="{height}" role="img"
aria-label="loads of the processors; dark is 0, bright is {most:.6g}"></canvas><br>
<button>play</button> <input type="range" min="0" max="{len(steps) - 1}" value="0"> <span></span>
<script>(function (box) {{
const shades = {json.dumps(shades)}, steps = {json.dumps(steps)}, side = {side}, columns = {columns};
const canvas = box.querySelector("canvas").getContext("2d"), slider = box.querySelector("input");
const button = box.querySelector("button"), label = box.querySelector("span");
let timer = null;
function draw() {{
  shades[slider.value].forEach(function (shade, p) {{
    canvas.fillStyle = "rgb(" + shade + "," + shade + "," + Math.round(64 + shade / 2) + ")";
    canvas.fillRect(side * (p % columns), side * Math.floor(p / columns), side, side);
  }});
  label.textContent = "step " + steps[slider.value];
}}
slider.oninput = draw;
button.onclick = function () {{
  if (timer) {{ clearInterval(timer); timer = null; button.textContent = "play"; return; }}
  button.textContent = "pause";
  timer = setInterval(function () {{ slider.value = (+slider.value + 1) % steps.length; draw(); }}, 100);
}};
draw();
}})(document.currentScript.parentElement);</script></div>""")
