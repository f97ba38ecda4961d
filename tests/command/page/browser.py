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

    def open(self, path, width=1280, height=900, scheme="light", motion="no-preference"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.devtools("Emulation.setEmulatedMedia", features=features)
        self.ask("POST", "/url", {"url": f"file://{path}"})

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}[key]
            self.devtools("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def mouse(self, kind, x, y):
        held = 0 if kind == "mouseReleased" else 1
        self.devtools("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=held, clickCount=1)

    def picture(self, file):
        whole = self.devtools("Page.captureScreenshot", captureBeyondViewport=True)
        with open(file, "wb") as out:
            out.write(base64.b64decode(whole["data"]))

    def paper(self, file):
        with open(file, "wb") as out:
            out.write(base64.b64decode(self.devtools("Page.printToPDF", printBackground=True)["data"]))
