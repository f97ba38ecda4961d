# SPDX-License-Identifier: MIT
"""A headless Chromium, driven over WebDriver by chromedriver: as much of it as the tests of pages need."""

import base64
import json
import re
import subprocess
import tempfile
import urllib.request

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars"
)

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
# How much wider than the window a page is.
WIDTH = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Browser:
    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory()
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                self.base = f"http://127.0.0.1:{found[1]}"
                break
        arguments = FLAGS.split() + [f"--user-data-dir={self.profile.name}"]
        wanted = {
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{session['sessionId']}"
        self.ask("POST", "/url", {"url": "about:blank"})  # its own first page asks for much
        self.log("performance")
        return self

    def __exit__(self, *_):
        self.ask("DELETE", "", None)
        self.driver.terminate()
        self.driver.wait()
        self.profile.cleanup()

    def ask(self, verb, path, body):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=verb)
        # No proxy stands between us and our own machine.
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def devtools(self, command, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, path, width=1280, height=900, scheme="light"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("POST", "/url", {"url": f"file://{path}"})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            code = {"Tab": 9, "ArrowRight": 39, "ArrowLeft": 37}[key]
            self.devtools("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, file):
        whole = self.devtools("Page.captureScreenshot", captureBeyondViewport=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(whole["data"]))

    def paper(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"]))
