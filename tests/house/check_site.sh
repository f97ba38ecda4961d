#!/bin/sh
# SPDX-License-Identifier: MIT
# `make site`: the pages are there and every link leads somewhere. Planted links that lead nowhere must be noticed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

for tool in cmark-gfm mandoc; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: the site, since $tool is not installed"
        exit 0
    fi
done
# $MAKE may have options.
# shellcheck disable=SC2086
expect "make site" "build/site/index.html" "$(${MAKE:-make} --no-print-directory site STORE=none 2>&1 | tail -n 1 | cut -d : -f 1)"
# shellcheck disable=SC2086
expect "a tool that is missing" "site: no-tool is missing: install the Debian package no-tool" \
    "$(${MAKE:-make} --no-print-directory site STORE=none SITE_TOOLS=no-tool 2>&1 | grep '^site')"

# The project's pages, without a build of the machine's page and without a store.
find . -path ./build -prune -o -path ./.git -prune -o -name '*.md' -print | tar -cf - -T - docs VERSION | tar -xf - -C "$folder"
"$EVENKEEL" help --man >"$folder/evenkeel.1"
printf '\n## Twice\n\n## Twice\n' >>"$folder/docs/web.md"
# site OPTION...: builds it from the copy. Its errors go to $folder/err.
site() {
    (cd "$folder" && python3 -B docs/site/build.py --out site --manual evenkeel.1 --web web "$@" >out 2>err; echo $?)
}
pages=$(find . -path ./build -prune -o -name '*.md' -print | grep -vc '/lessons/')
expect "the site" 0 "$(site)"
expect "what it says" "site/index.html: $pages pages and $(find docs/lessons -name '*.md' | wc -l) lessons, every link leads somewhere" "$(cat "$folder/out")"
has() { # has PAGE TEXT: how many lines of the page contain the text
    grep -cF -- "$2" "$folder/site/$1"
}
expect "a heading with its anchor" 1 "$(has docs/model.html '<h2 id="the-machine">The machine<')"
expect "headings of the same name" "1 1" "$(has docs/web.html '<h2 id="twice">') $(has docs/web.html '<h2 id="twice-1">')"
expect "a link to a page" 1 "$(has docs/free.html '<a href="virtual.html">Virtual time</a> has the same')"
expect "a page's path in code" 1 "$(has index.html '<td><a href="docs/tutorial.html"><code>docs/tutorial.md</code></a></td>')"
expect "a table" 1 "$(has docs/options.html '<div class="wide"><table>')"
expect "a lesson's command" 1 "$(has docs/lessons/10-otis.html "evenkeel run <span class=\"option\">--topology &#x27;otis(hypercube:3)&#x27;</span> <span class=\"option\">--method ")"
expect "a lesson's checks" 0 "$(has docs/lessons/10-otis.html 'check:')"
expect "the manual page" 1 "$(has evenkeel.1.html '<h2 class="Sh" id="DESCRIPTION">')"
expect "the index" 1 "$(has contents.html '<li><code class="option">--link-limit</code> <a href="docs/model.html#')"
expect "no book" 1 "$(has book.html 'build/evenkeel papers --all --quick')"
expect "no machine" 0 "$(has index.html machine/index.html)"
expect "a link to another site" "docs/objects.html https://github.com/DARMA-tasking/vt" "$(cat "$folder/site/external-links.txt")"

# The machine's page and a book, if they exist.
mkdir "$folder/web"
echo '<!DOCTYPE html><script src="engine.js"></script><p id="watch">' >"$folder/web/index.html"
"$EVENKEEL" papers --quick --quiet --store "$folder/papers.sqlite" --report "$folder/made.html" xu-27 liquid-02 liquid-19
touch "$folder/web/engine.js" "$folder/web/other.js"
expect "the site with all parts" 0 "$(site --book made.html)"
expect "the machine" "engine.js index.html" "$(find "$folder/site/machine" -type f -printf '%f\n' | sort | xargs)"
expect "a link in the navigation" 1 "$(has index.html '<a href="machine/index.html">')"
expect "a link with the experiment" 1 "$(has docs/lessons/02-two-colours.html \
    '<a href="../../machine/index.html#--topology%20ring%3A32%20--method%20ode%20--load%20peak%3A3200">')"
expect "the book, and the way back" "1 1" "$(has book.html 'id="liquid-19"') $(has book.html '<a href="index.html">evenkeel</a>')"

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    looks() { # looks SITE: what looks wrong in a browser
        python3 -B tests/house/site_looks.py "$folder/$1" >"$folder/looks"
        sed -n 's/^FAILED \([^:]*: [a-z ]*[a-z]\).*/\1/p' "$folder/looks"
    }
    expect "looks" "" "$(looks site)"
    expect "how many looks" "$((8 * $(find "$folder/site" -name '*.html' | wc -l))) passed, 0 failed" "$(tail -n 1 "$folder/looks")"
    # A page that is pale, wide and noisy.
    mkdir "$folder/spoilt"
    sed -e 's|<main>|<main><img src="gone.png">|' "$folder/site/index.html" >"$folder/spoilt/index.html"
    { cat "$folder/site/site.css"; echo 'p { color: #8a8a8a } @media (prefers-color-scheme: dark) { p { width: 50rem; max-width: none } }'; } >"$folder/spoilt/site.css"
    expect "looks that are wrong" "index.html, light, 1400: contrast of
index.html, light, 1400: messages
index.html, dark, 400: nothing is wider than the window
index.html, dark, 400: messages" "$(looks spoilt)"
else
    echo "skipped: how the site looks in a browser, for want of chromium and chromium-driver"
fi

# Errors of many kinds: one build names them all, and leaves the site as it was.
: >"$folder/sentences"
broken() { # broken FILE LINE SENTENCE: the file with this line at its end breaks the site
    echo "$2" >>"$folder/$1"
    echo "site: $3" >>"$folder/sentences"
}
broken docs/model.md '[x](gone.md)' 'docs/model.md links to docs/gone.md, and there is no such page or file'
# shellcheck disable=SC2016 # quotes of Markdown
broken docs/model.md 'As `docs/lost.md` says.' 'docs/model.md links to docs/lost.md, and there is no such page or file'
broken docs/free.md '[x](model.md#gone)' 'docs/free.html links to model.html#gone, and docs/model.html has no place #gone'
broken docs/free.md '[x](#gone)' 'docs/free.html links to #gone, and docs/free.html has no place #gone'
broken docs/lessons/10-otis.md '[x](../../../gone)' 'docs/lessons/10-otis.md links to ../gone, and there is no such page or file'
broken web/index.html '<script src="gone.js"></script>' 'machine/index.html links to gone.js, and there is no file machine/gone.js'
broken web/index.html '<img src="https://example.org/x.png">' 'machine/index.html loads https://example.org/x.png, and a page of the site needs no network'
broken made.html '<a href="index.html#gone">x</a>' 'book.html links to index.html#gone, and index.html has no place #gone'
echo '# New' >"$folder/docs/new.md"
echo 'site: docs/site/contents has no line for docs/new.md' >>"$folder/sentences"
cp -r "$folder/site" "$folder/before"
expect "a broken site" 1 "$(site --book made.html)"
while read -r sentence; do
    expect "$sentence" 1 "$(grep -cxF -- "$sentence" "$folder/err")"
done <"$folder/sentences"
expect "nothing else is wrong" "$(wc -l <"$folder/sentences")" "$(wc -l <"$folder/err")"
expect "the site before" "" "$(diff -r "$folder/before" "$folder/site" 2>&1)"
result
