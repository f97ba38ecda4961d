# SPDX-License-Identifier: MIT
"""site_looks.py FOLDER: opens every page of a site in a browser, in a wide light window and in a narrow dark one. Prints what is
wrong: text of little contrast, pages that are wider than the window, messages, and what was loaded from elsewhere."""
import glob
import json
import os
import sys

for folder in ("../support", "../command/page"):
    sys.path.insert(0, os.path.join(os.path.dirname(__file__), folder))
from browser import Browser  # noqa: E402
from expect import end, expect  # noqa: E402
from looks import CONTRAST, WIDTH  # noqa: E402

FOLDER = os.path.abspath(sys.argv[1])

with Browser() as browser:
    for page in sorted(glob.glob(f"{FOLDER}/**/*.html", recursive=True)):
        for scheme, width in (("light", 1400), ("dark", 400)):
            what = f"{os.path.relpath(page, FOLDER)}, {scheme}, {width}"
            browser.open(page, width, scheme=scheme)
            contrast = browser.run(CONTRAST)
            expect(f"{what}: contrast of {contrast['worst']}", True, contrast["worst"][0] >= 4.5)
            expect(f"{what}: nothing is wider than the window", 0, browser.run(WIDTH))
            expect(f"{what}: messages", [], [entry["message"] for entry in browser.log("browser")])
            asked = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
            urls = [one["params"]["request"]["url"] for one in asked if one["method"] == "Network.requestWillBeSent"]
            expect(f"{what}: loaded from elsewhere", [], [url for url in urls if not url.startswith((f"file://{FOLDER}/", "data:", "blob:"))])
end()
