# SPDX-License-Identifier: MIT
"""Checks the links of pages of HTML: every page, file and place that they link to must be there."""
import os
from html.parser import HTMLParser
from urllib.parse import unquote


class Page(HTMLParser):
    """The places of a page (id, name), where its links go, and what it loads by itself (href, src)."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links, self.loads = {"", "top"}, [], []
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.places.update(given[name] for name in ("id", "name") if given.get(name))
        goals = self.links if tag == "a" else self.loads
        goals += [given[name] for name in ("href", "src") if given.get(name)]


def check_links(folder, machine):
    """Two lists: a sentence for each broken link, and (page, address) for each link out of the site. The machine's page
    reads experiments, as in index.html#--topology%20ring:8, which are no places."""
    paths = [os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names]
    pages = {path: Page(os.path.join(folder, path)) for path in sorted(paths) if path.endswith(".html")}
    files = set(paths)
    broken, external = [], []
    for path, page in pages.items():
        for link in page.links + page.loads:
            if link.startswith(("http:", "https:", "mailto:", "//")):
                if link in page.loads:
                    broken.append(f"{path} loads {link}, and a page of the site needs no network")
                external.append((path, link))
            elif not link.startswith("data:"):
                address, _, place = link.partition("#")
                goal = os.path.normpath(os.path.join(os.path.dirname(path), unquote(address))) if address else path
                if goal not in files:
                    broken.append(f"{path} links to {link}, and there is no file {goal}")
                elif goal == machine and place.startswith("--"):
                    continue
                elif goal in pages and unquote(place) not in pages[goal].places:
                    broken.append(f"{path} links to {link}, and {goal} has no place #{place}")
    return broken, external
