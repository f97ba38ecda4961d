#!/bin/sh
# SPDX-License-Identifier: MIT
# The picture in ARCHITECTURE.md shows the rooms and includes of the code. Pages and comments name files that exist.
# Planted differences must be found.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

expect "the picture of the rooms; tests/house/rooms.py --write mends it" "" "$(tests/house/rooms.py 2>&1)"

# A house of two rooms, with its picture.
mkdir -p "$folder/base" "$folder/core/axes"
echo '#include "base/a.h"' >"$folder/core/axes/b.c"
touch "$folder/base/a.h"
# picture LINE...: writes a page with these lines.
picture() {
    { echo '<!-- rooms -->'; echo '```'; printf '%s\n' "$@"; echo '```'; } >"$folder/ARCHITECTURE.md"
}
rooms() { # rooms [--write]: the status
    (cd "$folder" && "$OLDPWD/tests/house/rooms.py" "$@" >out; echo $?)
}
picture 'core/axes  axes' '' 'base  errors'
expect "a page without arrows" 1 "$(rooms)"
expect "writing it" 0 "$(rooms --write)"
expect "the page that was written" 0 "$(rooms)"
expect "its arrow, and its text" 1 "$(grep -c '^core/axes  *axes  *-> base$' "$folder/ARCHITECTURE.md")"
echo '#include "core/axes/b.h"' >"$folder/base/c.c"
expect "a new include" 1 "$(rooms)"
rm "$folder/base/c.c"
mkdir "$folder/core/links"
touch "$folder/core/links/d.c"
expect "a new room" 1 "$(rooms)"
expect "writing a new room" 0 "$(rooms --write)"
expect "a room without a text" 1 "$(rooms)"

# missing: the paths in the text on standard input of which no file or folder exists.
missing() {
    grep -v NAME | sort -u | while read -r path; do [ -e "$path" ] || echo "$path"; done
}
floors='(base|topologies|core|threads|lab|cli|tests|bench|docs|examples)'
in_pages() { # in_pages FILE...: paths in backquotes
    grep -ohE "\`$floors/[a-zA-Z0-9_./-]*\`" "$@" | tr -d '`' | missing
}
in_comments() { # in_comments FOLDER...: paths of sources
    grep -rohE --include='*.[ch]' --include='*.cpp' --include='*.pml' "\b$floors/[a-zA-Z0-9_/]*\.(c|h|md|sh|py)\b" "$@" | missing
}
expect "files that the pages name and that do not exist" "" \
    "$(in_pages ARCHITECTURE.md CONTRIBUTING.md README.md docs/*.md bench/*.md tests/README.md tests/planted/README.md)"
expect "files that comments name and that do not exist" "" \
    "$(in_comments base topologies core threads lab cli tests bench examples)"
echo '`core/axes/nothing.c` `core/axes/NAME.c` `core/axes/stop.c`' >"$folder/page.md"
expect "a planted file in a page" "core/axes/nothing.c" "$(in_pages "$folder/page.md")"
echo '// core/axes/nothing.c, core/axes/stop.c' >"$folder/page.c"
expect "a planted file in a comment" "core/axes/nothing.c" "$(in_comments "$folder/page.c")"
result
