#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the site (`make site`, docs/site.md): pages of HTML that need no network. Broken links end it with status 1."""
import argparse
import html
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import quote

from lesson import Lesson
from links import Page, check_links
from markdown import Markdown

HERE = os.path.dirname(os.path.abspath(__file__))
# Pages that are made from something else than a file of Markdown, by their names in the file `contents`.
MADE = {"lessons": "docs/lessons/index.html", "machine": "machine/index.html", "book": "book.html", "manual": "evenkeel.1.html"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def address_in_site(path):
    return "index.html" if path == "README.md" else re.sub(r"\.md$", ".html", path)


class Site:
    def __init__(self, options):
        self.options, self.folder = options, options.out
        self.template, self.version = read(f"{HERE}/page.html"), read("VERSION").strip()
        self.lessons = [Lesson(f"docs/lessons/{name}") for name in sorted(os.listdir("docs/lessons")) if name.endswith(".md")]
        self.has_machine = os.path.exists(f"{options.web}/index.html")
        self.groups = self.read_contents()
        self.sources = [source for _, pages in self.groups for source, _ in pages if source not in MADE]
        self.sources += [lesson.path for lesson in self.lessons]
        self.faults, self.pages = [], {}

    def read_contents(self):
        """Groups of (source, name)."""
        groups = []
        for line in read(f"{HERE}/contents").splitlines():
            if line.startswith("["):
                groups.append((line.strip("[]"), []))
            elif line and not line.startswith("#"):
                source, name = line.split(None, 1)
                if source != "machine" or self.has_machine:
                    groups[-1][1].append((source, name))
        return groups

    def address_of(self, goal, source):
        """The address of a page or file of the project, seen from the page of a source. Other files are copied."""
        if goal not in self.sources:
            if os.path.isfile(goal) and not goal.startswith(".."):
                self.copy(goal, goal)
            else:
                self.faults.append(f"{source} links to {goal}, and there is no such page or file")
                return "#"
        return os.path.relpath(address_in_site(goal), os.path.dirname(address_in_site(source)) or ".")

    def copy(self, path, address):
        os.makedirs(os.path.dirname(f"{self.folder}/{address}") or ".", exist_ok=True)
        shutil.copy(path, f"{self.folder}/{address}")

    def navigation(self, address):
        lines = []
        for name, pages in self.groups:
            lines.append(f"<h2>{name}</h2>\n<ul>")
            for source, title in pages:
                goal = MADE.get(source, address_in_site(source))
                inside = source == "lessons" and address.startswith("docs/lessons/")
                current = ' aria-current="page"' if goal == address else ' aria-current="true"' if inside else ""
                relative = os.path.relpath(goal, os.path.dirname(address) or ".")
                lines.append(f'<li><a href="{relative}"{current}>{html.escape(title)}</a></li>')
            lines.append("</ul>")
        return "\n".join(lines)

    def write(self, address, title, body):
        os.makedirs(os.path.dirname(f"{self.folder}/{address}") or ".", exist_ok=True)
        root = os.path.relpath(".", os.path.dirname(address) or ".")
        values = {"ROOT": "" if root == "." else f"{root}/", "TITLE": html.escape(title if title == "evenkeel" else f"{title} - evenkeel"), "VERSION": html.escape(self.version),
                  "NAVIGATION": self.navigation(address), "BODY": body}
        with open(f"{self.folder}/{address}", "w", encoding="utf-8") as file:
            file.write(re.sub("@([A-Z]+)@", lambda match: values[match[1]], self.template))

    def write_pages(self):
        """The pages of Markdown, but for lessons."""
        for source in (source for source in self.sources if not source.startswith("docs/lessons/")):
            page = self.pages[source] = Markdown(read(source), self, source)
            places = [(anchor, markup) for level, anchor, markup in page.headings if level == 2]
            body = page.body
            if len(places) > 2:
                links = "".join(f'<li><a href="#{anchor}">{markup}</a></li>' for anchor, markup in places)
                body = body.replace("</h1>", f'</h1>\n<nav class="on-this-page" aria-label="On this page"><ul>{links}</ul></nav>', 1)
            self.write(address_in_site(source), page.title, body)

    def write_lessons(self):
        names = [os.path.basename(address_in_site(lesson.path)) for lesson in self.lessons]
        items = [f'<li><a href="{name}">{html.escape(lesson.title)}</a></li>' for name, lesson in zip(names, self.lessons)]
        self.write(MADE["lessons"], "Lessons", f"""<h1>Lessons</h1>
<p>Each lesson is an experiment to watch. It says why the run goes as it does, and proposes one thing to change.</p>
<ol>{"".join(items)}</ol>""")
        for i, lesson in enumerate(self.lessons):
            text = Markdown(lesson.text, self, lesson.path).body
            machine = f"../../{MADE['machine']}#{quote(lesson.experiment)}"
            where = f'<a href="{machine}">the machine in this browser</a>, or in a terminal' if self.has_machine else "a terminal"
            steps = [f'<a href="{names[i - 1]}">Before: {html.escape(self.lessons[i - 1].title)}</a>' if i else "<span></span>",
                     f'<a href="{names[i + 1]}">Next: {html.escape(self.lessons[i + 1].title)}</a>' if i + 1 < len(names) else ""]
            command = re.sub("--[a-z-]+ [^ -][^ ]*", r'<span class="option">\g<0></span>', self.shell(f"evenkeel run {lesson.experiment} --live"))
            self.write(address_in_site(lesson.path), lesson.title, f"""<h1>{html.escape(lesson.title)}</h1>
<p>Watch it in {where}:</p>
<pre class="command"><code>{command}</code></pre>
{text}
<p class="steps">{"".join(steps)}</p>""")

    @staticmethod
    def shell(options):
        """A command in HTML, with quotes around the words in which a shell would see more than letters."""
        return html.escape(" ".join(f"'{word}'" if re.search(r"[()*;]", word) else word for word in options.split()))

    def write_manual(self):
        command = ["mandoc", "-T", "html", "-O", "fragment", self.options.manual]
        made = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        made = re.sub(r"(</?h)([12])\b", lambda match: f"{match[1]}{int(match[2]) + 1}", made)
        commands = "".join(f"<li>{link}</li>" for link in re.findall(r'<h3 class="Ss"[^>]*>(.*?)</h3>', made, re.S))
        self.write(MADE["manual"], "Manual page", f'''<h1>evenkeel(1)</h1>
<nav class="on-this-page" aria-label="Commands"><ul>{commands}</ul></nav>
<div class="manual">
{made}</div>''')

    def write_book(self):
        if self.options.book:
            with open(f"{self.folder}/{MADE['book']}", "w", encoding="utf-8") as file:
                file.write(read(self.options.book).replace("<body>", '<body>\n<p><a href="index.html">evenkeel</a></p>', 1))
            return
        self.write(MADE["book"], "The book of claims", """<h1>The book of claims</h1>
<p>The book has a page for each claim of the papers: the claim, what was measured, and the verdict. It is not in this copy
of the site, because its runs take minutes. These commands make them and put the book here:</p>
<pre><code>build/evenkeel papers --all --quick --store papers.sqlite
make site</code></pre>
<p><a href="docs/papers.html">Claims and verdicts</a> says what is claimed and how it is tested.</p>""")

    def write_contents(self):
        """All pages with their headings, and where the options are named."""
        sections, options = [], {}
        lessons = [(address_in_site(lesson.path), html.escape(lesson.title)) for lesson in self.lessons]
        entries = [(MADE["lessons"], "Lessons", lessons)]
        for source, page in self.pages.items():
            address = address_in_site(source)
            places = [(f"{address}#{anchor}", markup) for level, anchor, markup in page.headings if level == 2]
            entries.append((address, page.title, places))
            for option, anchor in page.options.items() if source.startswith("docs/") else ():
                options.setdefault(option, []).append(f'<a href="{address}#{anchor}">{html.escape(self.name_of(source))}</a>')
        for address, title, places in entries:
            items = "".join(f'<li><a href="{place}">{name}</a></li>' for place, name in places)
            sections.append(f'<section><h3><a href="{address}">{html.escape(title)}</a></h3>{items and f"<ul>{items}</ul>"}</section>')
        named = [f'<li><code class="option">{option}</code> {", ".join(options[option])}</li>' for option in sorted(options)]
        self.write("contents.html", "Contents and index", f"""<h1>Contents and index</h1>
<p><a href="#options">Options, and the pages that name them</a></p>
<h2 id="pages">Pages</h2>
<div class="contents">{"".join(sections)}</div>
<h2 id="options">Options</h2>
<ul class="index plain">{"".join(named)}</ul>""")

    def name_of(self, source):
        return next(name for _, pages in self.groups for path, name in pages if path == source)

    def check_pages(self):
        """Every page of the documentation is in the navigation."""
        missing = {f"docs/{name}" for name in os.listdir("docs") if name.endswith(".md")} - set(self.sources)
        self.faults += [f"docs/site/contents has no line for {source}" for source in sorted(missing)]

    def build(self):
        self.check_pages()
        self.write_pages()
        self.write_lessons()
        self.write_manual()
        self.write_book()
        self.write_contents()
        self.copy(f"{HERE}/site.css", "site.css")
        if self.has_machine:
            self.copy_machine()
        broken, external = check_links(self.folder, MADE["machine"])
        self.copy_external(external)
        return self.faults + broken

    def copy_machine(self):
        """The machine's page, and the files that it loads."""
        page = f"{self.options.web}/index.html"
        self.copy(page, MADE["machine"])
        for name in Page(page).loads:
            if os.path.isfile(f"{self.options.web}/{name}"):
                self.copy(f"{self.options.web}/{name}", f"machine/{name}")

    def copy_external(self, external):
        """The links out of the site are listed, because nothing here opens them."""
        with open(f"{self.folder}/external-links.txt", "w", encoding="utf-8") as file:
            file.writelines(f"{page} {address}\n" for page, address in external)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="the folder of the site; what it contains is replaced")
    parser.add_argument("--manual", required=True, help="the manual page, evenkeel.1")
    parser.add_argument("--web", required=True, help="the folder with the page of the machine, if there is one")
    parser.add_argument("--book", help="the book of claims, a page of HTML, if there is one")
    options = parser.parse_args()
    target, options.out = options.out, f"{options.out}.new"
    shutil.rmtree(options.out, ignore_errors=True)
    os.makedirs(options.out)
    site = Site(options)
    faults = site.build()
    for fault in faults:
        print(f"site: {fault}", file=sys.stderr)
    if faults:
        return 1
    shutil.rmtree(target, ignore_errors=True)
    os.rename(options.out, target)
    print(f"{target}/index.html: {len(site.pages)} pages and {len(site.lessons)} lessons, every link leads somewhere")
    return 0


sys.exit(main())
