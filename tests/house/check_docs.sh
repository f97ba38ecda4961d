#!/bin/sh
# SPDX-License-Identifier: MIT
# The tutorial and the formats are run as they are written, against what `make install` installs: a fenced block of `sh`
# must succeed, one of `console` must print what it shows, but for times. The manual pages are what mandoc -T lint
# wants, and the library's names every function that it exports.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

make=${MAKE:-make}
$make --no-print-directory install DESTDIR="$folder" PREFIX=/usr >"$folder/log" 2>&1
expect "make install" 0 $?
pages=$folder/usr/share/man
PATH=$folder/usr/bin:$PATH
PKG_CONFIG_PATH=$folder/usr/lib/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$folder
LD_LIBRARY_PATH=$folder/usr/lib
export PATH PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH

# blocks FILE: each fenced block as a file of its own, NUMBER.KIND, in the current folder.
blocks() {
    awk '/^```/ { inside = !inside; name = inside ? sprintf("%03d.%s", ++count, substr($0, 4)) : ""; next }
        inside { print > name }' "$1"
}
steady() { # without times, nor the note that on a busy machine threads took long
    sed -E -e '/^evenkeel: note: [0-9,]+ threads took /d' -e 's/[0-9.]+ (us|ms|s)$/TIME/'
}
# What a console block's commands print, with the commands as they are shown.
replay() {
    grep '^\$ ' "$1" | cut -c 3- | while read -r command; do
        echo "\$ $command"
        sh -c "$command" 2>&1
    done
}
page() { # page DOCUMENT BLOCKS: runs its blocks, of which there must be so many
    root=$PWD
    mkdir "$folder/$1"
    cd "$folder/$1" || return
    blocks "$root/docs/$1.md"
    expect "the blocks of $1" "$2" "$(find . -name '*.sh' -o -name '*.console' | wc -l)"
    for block in *.sh *.console; do
        case $block in
        \*.*) ;;
        *.sh) expect "$1, $(head -n 1 "$block") ..." 0 "$(sh -e "$block" >"$folder/out" 2>"$folder/err" </dev/null; echo $?)" ;;
        *) expect "$1, $(head -n 1 "$block")" "$(steady <"$block")" "$(replay "$block" | steady)" ;;
        esac
    done
    cd "$root" || return
}
page tutorial 17
page formats 10
page virtual 1

# In no shell does a list lose its braces on the way.
expect "braces outside of quotes" "" "$(awk '/^```/ { inside = !inside; next } inside && /evenkeel / { print FILENAME ": " $0 }' \
    README.md docs/*.md | sed -e "s/'[^']*'//g" -e 's/  *#.*//' | grep '{')"

for number in 1 3 5 7; do
    file=$pages/man$number/evenkeel.$number
    expect "the page of section $number" yes "$([ -s "$file" ] && echo yes)"
    # mandoc looks for the other pages in the system, where they may not be.
    if command -v mandoc >/dev/null; then
        expect "lint of section $number" "" "$(mandoc -T lint "$file" | grep -v 'referenced manual not found: Xr evenkeel [1357]$')"
    fi
done
command -v mandoc >/dev/null || echo "skipped: the manual pages' lint, for want of mandoc"
expect "functions that evenkeel(3) does not name" "" "$(nm -D --defined-only "$folder/usr/lib/libevenkeel.so" |
    awk '{ print $3 }' | while read -r name; do
        grep -q "\`$name\`" docs/library.md || echo "$name"
    done)"
expect "functions that evenkeel(3) names and there are not" "" "$(grep -oE '\bek_[a-z_]+' docs/library.md | sort -u | while read -r name; do
    grep -qw "$name" "$folder/usr/include/evenkeel.h" || echo "$name"
done)"
# The code of evenkeel(3) as it stands there: a program, a plugin, and signatures, which a compiler holds to the header.
awk '/^```/ { inside = !inside; if (inside && $0 == "```c") { name = sprintf("%s/page%d.c", folder, ++count) } else name = ""; next }
    inside && name { print > name }' folder="$folder" docs/library.md
expect "the code of evenkeel(3)" 3 "$(find "$folder" -name 'page*.c' | wc -l)"
strict="cc -std=c11 -Wall -Wextra -Wpedantic -Werror"
expect "its program compiles" "" "$($strict "$folder/page1.c" $(pkg-config --cflags --libs evenkeel) -o "$folder/page1" 2>&1)"
expect "its program runs" "balanced after" "$("$folder/page1" | cut -c 1-14)"
expect "its plugin compiles" "" "$($strict -shared -fPIC "$folder/page2.c" $(pkg-config --cflags evenkeel) -o "$folder/page2.so" 2>&1)"
expect "its plugin keeps its promises" "check: third keeps all 8 promises that were tested" \
    "$(evenkeel check "$folder/page2.so" --runs 4 --quiet)"
expect "its signatures" "" "$({ echo '#include <evenkeel.h>'; cat "$folder/page3.c"; } | $strict $(pkg-config --cflags evenkeel) -fsyntax-only -x c - 2>&1)"
expect "names that evenkeel(3) has and the header has not" "" "$(grep -oE '\bEK_[A-Z_]+' docs/library.md | sort -u | while read -r name; do
    grep -qw "$name" "$folder/usr/include/evenkeel.h" || echo "$name"
done)"
# Every axis that reads a file has its section in evenkeel(5).
expect "files that evenkeel(5) does not describe" "" "$(evenkeel list | awk '/^--/ { option = $1 } /^  file:PATH/ { print option }' |
    while read -r option; do
        grep -q -- "\`$option file:PATH\`" docs/formats.md || echo "$option"
    done)"
# A version has one number and one date.
released=$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)
expect "the version in CHANGELOG.md" "$(cat VERSION)" "${released%, *}"
expect "the version in CITATION.cff" "$(cat VERSION)" "$(sed -n 's/^version: //p' CITATION.cff)"
expect "its date in CITATION.cff" "\"${released#*, }\"" "$(sed -n 's/^date-released: //p' CITATION.cff)"
expect "the version in debian/changelog" "$(cat VERSION)" "$(sed -n '1s/^evenkeel (\(.*\)) .*/\1/p' debian/changelog)"
result
