# SPDX-License-Identifier: MIT
"""Markdown as HTML by cmark-gfm, with what GitHub adds: the anchors of headings. Links between pages become links of the
site, and the name of a page in code becomes a link."""
import html
import os
import re
import subprocess


def slug(text, taken):
    """The anchor of a heading, as GitHub makes it."""
    name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
    taken[name] = taken.get(name, -1) + 1
    return f"{name}-{taken[name]}" if taken[name] else name


def plain(markup):
    return html.unescape(re.sub("<[^>]*>", "", markup)).strip()


class Markdown:
    """body is the HTML, headings a list of (level, anchor, markup), title the text of the first heading, options the
    options that the page names, each with the anchor of the heading above."""

    def __init__(self, text, site, source):
        self.site, self.source = site, source
        self.headings, self.options = [], {}
        made = subprocess.run(["cmark-gfm", "-e", "table", "-e", "autolink"], input=text, capture_output=True, text=True, check=True).stdout
        taken = {}
        made = re.sub("<(h[1-6])>(.*?)</h[1-6]>", lambda match: self.heading(match[1], match[2], taken), made, flags=re.S)
        made = re.sub(r'<a href="([^"]*)">', lambda match: f'<a href="{self.link(html.unescape(match[1]))}">', made)
        made = re.sub("(<pre>.*?</pre>|<a .*?</a>)|<code>([^<]*)</code>", lambda match: match[1] or self.code(match[2]), made, flags=re.S)
        self.body = made.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
        self.title = plain(self.headings[0][2]) if self.headings else source
        self.find_options()

    def heading(self, tag, markup, taken):
        anchor = slug(plain(markup), taken)
        self.headings.append((int(tag[1]), anchor, markup))
        here = f'<a class="here" href="#{anchor}" aria-label="Link to this heading">#</a>' if tag in ("h2", "h3") else ""
        return f'<{tag} id="{anchor}">{markup}{here}</{tag}>'

    def link(self, address):
        """A link to a page goes to the page's file in the site, one to another file to a copy of it."""
        if re.match(r"[a-z]+:|#|$", address):
            return html.escape(address)
        path, hash_sign, anchor = address.partition("#")
        goal = os.path.normpath(os.path.join(os.path.dirname(self.source), path))
        return html.escape(self.site.address_of(goal, self.source) + hash_sign + anchor)

    def code(self, markup):
        """A page's path in code, as in `docs/model.md`, becomes a link."""
        path = html.unescape(markup)
        if re.fullmatch(r"[\w/-]+\.md", path) and "NAME" not in path:
            return f'<a href="{self.link(os.path.relpath(path, os.path.dirname(self.source) or "."))}"><code>{markup}</code></a>'
        option = ' class="option"' if re.fullmatch("--[a-z-]+", markup) else ""
        return f"<code{option}>{markup}</code>"

    def find_options(self):
        anchor = ""
        for match in re.finditer(r'<h[1-6] id="([^"]*)"|<code[^>]*>(--[a-z][a-z-]*)', self.body):
            if match[1]:
                anchor = match[1]
            else:
                self.options.setdefault(match[2], anchor)
