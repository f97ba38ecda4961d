#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's commands are run as written: each must succeed, and those with a transcript
# ("$ build/evenkeel ...") must print it, but for times and for the barrier, which depends on the number of cores.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C.UTF-8
export LC_ALL

passed=0
failed=0
expect() { # expect WHAT WANTED FOUND
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\nwanted:\n%s\nfound:\n%s\n' "$1" "$2" "$3"
    fi
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
ln -s "$PWD/build" "$PWD/examples" "$place"
try() { # try COMMAND: in a place of its own, since some commands write files
    (cd "$place" && sh -c "$1" 2>&1)
}
steady() { # without times, nor the note that on a busy machine threads took long
    sed -E -e '/^evenkeel: note: [0-9,]+ threads took /d' -e 's/[0-9.]+ (us|ms|s)$/TIME/' -e 's/barrier [a-z]+/barrier ANY/'
}
transcript() { # transcript COMMAND: what the README says that it prints
    awk -v command="\$ $1" '/^```/ { inside = 0 } inside { print } $0 == command { inside = 1 }' README.md
}

grep -E '^build/evenkeel ' README.md | sed 's/  *#.*//' >"$place/plain"
while read -r command; do
    try "$command" >/dev/null
    expect "$command" 0 $?
done <"$place/plain"

sed -n 's/^\$ \(build\/evenkeel .*\)/\1/p' README.md >"$place/shown"
while read -r command; do
    expect "$command" "$(transcript "$command" | steady)" "$(try "$command" | steady)"
done <"$place/shown"

# docs/options.md: every option of an experiment, and an order of the default topology's colours.
order=$(sed -n 's/^| `--order` .*`\([0-9,]*\)`.*/\1/p' docs/options.md)
try "build/evenkeel run --order $order --quiet"
expect "an order of the default topology's colours" 0 $?
expect "options that docs/options.md does not name" "" "$(build/evenkeel list --format json |
    sed -n 's/^ *"option": "\(.*\)",/--\1/p' | while read -r option; do
        grep -qF -- "\`$option\`" docs/options.md || echo "$option"
    done)"
expect "pages that it does not name" "" "$(for page in docs/*.md; do grep -qF "\`$page\`" README.md || echo "$page"; done)"
licences=$(sed -n '/^## Licence/,$p' README.md)
expect "libraries of which it does not say the licence" "" "$(readelf -d build/evenkeel build/*.so* 2>/dev/null |
    sed -n 's/.*(NEEDED).*\[lib\([a-z]*\).*/\1/p' | sort -u | grep -vxE 'c|m|evenkeel' | while read -r name; do
        echo "$licences" | grep -qi "${name%e}" || echo "$name" # lapacke is LAPACK's
    done)"
expect "lines that are too long" "" "$(awk '!/^\|/ && !/^(build|\.)\// && length > 130 { print FNR }' README.md)"

expect "commands found in the README" 24 "$(cat "$place/plain" "$place/shown" | wc -l)"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
