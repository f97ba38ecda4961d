#!/bin/sh
# SPDX-License-Identifier: MIT
# A method that is not the paper's any more changes what evenkeel says of the paper: each patch in
# tests/planted/verdicts/ breaks the sources in one place, and names after "Changes:" claims of which at least one must
# then get another verdict than it has in tests/data/verdicts.txt. The trials of its claims take some seconds of processor
# time: `make test-all` does them all, and TESTS_PART=1; else only the first, and under sanitizers none.
#
#   tests/planted/test_planted_verdicts.sh [NAME]...    these patches only
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
. tests/planted/plant.sh
: "${TESTS_PART:=1}"

# Of these claims those whose verdict is not the known one; a claim that is not written yet is left out.
changed() { # changed COMMAND CLAIMS...
    command=$1
    shift
    for claim; do
        shift
        "$command" papers --list "$claim" >/dev/null 2>&1 && set -- "$@" "$claim"
    done
    "$command" papers --quick --quiet --format json --store "$folder/planted.sqlite" "$@" >"$folder/out" 2>"$folder/err"
    rm -f "$folder"/planted.sqlite*
    python3 - "$folder/out" <<'END'
import json, sys
known = dict(line.split()[:2] for line in open("tests/data/verdicts.txt") if not line.startswith("#"))
claims = json.load(open(sys.argv[1]))["claims"]
print(sum(claim["verdict"] != known[claim["id"]] for claim in claims) > 0)
END
}

try() { # try PATCH
    name=$(basename "$1" .patch)
    # Words on purpose.
    # shellcheck disable=SC2046
    set -- "$1" $(sed -n 's/^Changes: //p' "$1")
    patch=$1
    shift
    expect "$name: as it is" False "$(changed "$EVENKEEL" "$@")"
    if plant_sources "$patch" "$folder/$name" >"$folder/err" 2>&1 &&
        plant_programs release "$folder" "$name/evenkeel" >"$folder/err" 2>&1; then
        expect "$name: a verdict changes" True "$(changed "$folder/$name/evenkeel" "$@")"
    else
        expect "$name" "a command with the bug" "none could be built"
    fi
    rm -rf "${folder:?}/$name"
}

case $EVENKEEL in
*/asan/* | */tsan/* | *debug*) set -- none ;;
esac
if [ $# -eq 0 ]; then
    set -- tests/planted/verdicts/*.patch
    [ "$TESTS_PART" -eq 1 ] || set -- "$1"
fi
for one; do
    [ "$one" = none ] || try "tests/planted/verdicts/$(basename "$one" .patch).patch"
done
result
