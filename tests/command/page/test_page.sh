#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel report`: the data in a page is the records', value by value; no text in it can break out; what cannot be read
# or written is refused. With chromium and chromium-driver also what a browser shows of it (tests/command/page/check_page.py).
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

record() { # record NAME WORDS...: runs into $folder/NAME
    name=$1
    shift
    "$EVENKEEL" run "$@" --out "$folder/$name" --quiet 2>"$folder/err"
}
page() { # page NAME RECORDS...: makes $folder/NAME.html of them, and holds it against them
    name=$1
    shift
    for one in "$@"; do
        set -- "$@" "$folder/$one/run.json"
        shift
    done
    expect "report of $name" 0 "$(status report "$@" --out "$folder/$name.html")"
    expect "data of $name" right "$(python3 -B tests/command/page/check_page_data.py "$folder/$name.html" "$@" 2>&1)"
}

record runs --topology torus:4x4 --method adf --carrier pool:1 --runs 3
record map --topology torus:6x4 --method ade --carrier pool:1 --load uniform:0:1000 --frames 8 --links
record free --topology ring:12 --timing free --method adf --load peak:1200 --stop variance:1e4 --frames 9 --links
record long --topology ring:16 --carrier pool:1 --method fos --load peak:1600 --stop never --steps 777 --frames 5 --runs 6
record several --topology ring:16 --carrier pool:1 --method fos --runs 5 --frames 5 --load uniform:0:1000 --links
record cut --topology star:6 --carrier pool:1 --method ops --load peak:6400 --steps 1
record mixed --carrier pool:1 --steps 40 --runs 3
record end --topology star:6 --carrier pool:1 --method ops --load peak:6400
record many --topology ring:4 --carrier pool:1 --runs 70
record tasks --topology torus:4x4 --timing virtual --method ade --tasks queens:7 --invoke below:2 --carrier pool:1 --runs 6 --profile 30
record groups --topology torus:64x40 --method ade --tasks queens:8 --carrier pool:1 --profile 9
record cores --topology ring:6 --timing free --method adf --tasks queens:8 --invoke below:2 --carrier pool:2 --profile 12
# A spec that would end the script and begin an element, as a folder's name and a file's.
mkdir "$folder/<"
printf '0 1\n1 2\n2 0\n' >"$folder/</script><img src=x onerror=broken=1>"
record hostile --topology "file:$folder/</script><img src=x onerror=broken=1>" --method ade --carrier pool:1
cp "$folder/</script><img src=x onerror=broken=1>" "$folder/a "\""quoted"\"" name"
record quoted --topology "file:$folder/a "\""quoted"\"" name" --method ade --carrier pool:1
# The record of a run that ended by itself before it balanced: its method is not direct.
mkdir "$folder/itself"
sed 's/"direct": true/"direct": false/' "$folder/end/run.json" >"$folder/itself/run.json"
# The same runs, of which the shortest was cut.
mkdir "$folder/limited"
python3 -c '
import json, sys
record = json.load(open(sys.argv[1]))
shortest = min(record["runs"], key=lambda run: run["steps"])
shortest.update(ended="steps", converged=False)
json.dump(record, open(sys.argv[2], "w"))' "$folder/several/run.json" "$folder/limited/run.json"
page runs runs
page limited limited
page map map
page free free
page both runs map free
page tasks tasks
page groups groups
page cores cores
page long long
page several several
page many many
page mixed mixed
page ends cut end itself
page hostile hostile
page quoted quoted
# A store's runs come together by experiment.
"$EVENKEEL" sweep --topology 'ring:{8,16,32}' --method ade,adf --carrier pool:1 --seed 1..3 --store "$folder/runs.sqlite" --quiet 2>"$folder/err"
expect "report of a store" 0 "$(status report "$folder/runs.sqlite" --out "$folder/store.html")"
expect "data of a store" right "$(python3 -B tests/command/page/check_page_data.py --store "$folder/store.html" "$folder/runs.sqlite" 2>&1)"
expect "a store and a record" 0 "$(status report "$folder/runs.sqlite" "$folder/runs/run.json" --out "$folder/page.html")"
expect "all of both" 7 "$(grep -c '"file":' "$folder/page.html")"
python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1]).executescript("DELETE FROM records; DELETE FROM runs")' "$folder/runs.sqlite"
expect "an empty store" 2 "$(status report "$folder/runs.sqlite" --out "$folder/page.html")"
expect "it says so" yes "$(grep -q 'the store has no runs yet' "$folder/err" && echo yes)"

# What contention measured, alone and beside a record; the page's numbers are the file's.
"$EVENKEEL" contention --topology ring:16 --mailbox spsc:4,mutex:4 --ports all,one --for 10ms --runs 5 --format json \
    >"$folder/contention.json" 2>"$folder/err"
expect "report of contention" 0 "$(status report "$folder/contention.json" --out "$folder/contention.html")"
expect "data of contention" right "$(python3 -B tests/command/page/check_page_data.py "$folder/contention.html" "$folder/contention.json" 2>&1)"
expect "and a record" 0 "$(status report "$folder/contention.json" "$folder/map/run.json" --out "$folder/page.html")"
expect "data of both" right "$(python3 -B tests/command/page/check_page_data.py "$folder/page.html" "$folder/map/run.json" "$folder/contention.json" 2>&1)"

# Recordings: some operations overlap, others do not.
for method in adf ade nna; do
    "$EVENKEEL" run --timing free --topology torus:6x6 --method $method --invoke probability:0.003 --stop never --operations 120 \
        --carrier pool:2 --record "$folder/$method.ek" --quiet 2>"$folder/err"
    "$EVENKEEL" replay "$folder/$method.ek" --timeline "$folder/line.json" --quiet 2>"$folder/err"
    expect "report of a recording" 0 "$(status report "$folder/$method.ek" --out "$folder/recording.html")"
    expect "data of a recording of $method" right \
        "$(python3 -B tests/command/page/check_page_data.py --recording "$folder/recording.html" "$folder/line.json" "$folder/$method.ek" 2>&1)"
done
expect "two recordings" 0 "$(status report "$folder/adf.ek" "$folder/ade.ek" --out "$folder/recordings.html")"
"$EVENKEEL" run --timing free --topology ring:8 --method ade --stop never --operations 7000 --carrier pool:1 \
    --record "$folder/long.ek" --quiet 2>"$folder/err"
expect "a long recording" 0 "$(status report "$folder/long.ek" --out "$folder/page.html")"
expect "its beginning" "1 yes" "$(grep -c '"cut": true' "$folder/page.html") \
$([ "$(wc -c <"$folder/page.html")" -lt 3000000 ] && echo yes)"
echo before >"$folder/page.html"
head -c "$(($(wc -c <"$folder/long.ek") / 2))" "$folder/long.ek" >"$folder/cut.ek"
expect "a recording that is cut off" 2 "$(status report "$folder/cut.ek" --out "$folder/page.html")"
expect "it says so" yes "$(grep -q 'cut.ek was cut off and has no record of its run: evenkeel replay shows how far it goes' "$folder/err" && echo yes)"
expect "the page before" before "$(cat "$folder/page.html")"

expect "pages with their charts" "$(grep -c 'github.com/leeoniya/uPlot' "$folder/runs.html")" \
    "$("$EVENKEEL" doctor | grep -c '^charts  *built in')"
expect "their licence" "$(grep -c 'github.com/leeoniya/uPlot' "$folder/runs.html")" \
    "$(grep -c 'Permission is hereby granted' "$folder/runs.html")"

# What is refused leaves what was there.
echo before >"$folder/page.html"
head -c 900 "$folder/runs/run.json" >"$folder/cut.json"
expect "a cut record" 2 "$(status report "$folder/runs/run.json" "$folder/cut.json" --out "$folder/page.html")"
expect "it is named" yes "$(grep -q "^evenkeel: $folder/cut.json: this is not JSON" "$folder/err" && echo yes)"
expect "no directory" 2 "$(status report "$folder/runs/run.json" --out "$folder/nosuch/page.html")"
expect "it says so" yes "$(grep -q 'nosuch/page.html cannot be written (No such file or directory): choose another place' "$folder/err" && echo yes)"
expect "no room" 2 "$(trap '' XFSZ; ulimit -f 64; status report "$folder/long/run.json" --out "$folder/page.html")"
expect "it says that too" yes "$(grep -q 'could not be written (File too large): nothing of it is left' "$folder/err" && echo yes)"
expect "the page before" before "$(cat "$folder/page.html")"
expect "nothing half done is left" "" "$(ls "$folder" | grep part)"

# Where uPlot cannot be had, the build goes on without charts and says so.
mkdir "$folder/bin"
for tool in mkdir cat tar rm sha512sum; do
    ln -s "$(command -v $tool)" "$folder/bin/$tool"
done
uplot() { PATH=$folder/bin /bin/sh cli/page/parts/uplot.sh "$folder/uplot" 2>&1; }
without="evenkeel report is built without charts (make charts tries again)"
expect "without npm" "  charts  npm is not installed, which fetches uPlot: $without" "$(uplot)"
printf '#!/bin/sh\nexit 1\n' >"$folder/bin/npm"
chmod +x "$folder/bin/npm"
expect "without a network" "  charts  npm could not fetch uplot-1.6.32: $without" "$(uplot)"
printf '#!/bin/sh\n: >uplot-1.6.32.tgz\n' >"$folder/bin/npm"
expect "another file" "  charts  uplot-1.6.32 is not the one that is known here: $without" "$(uplot)"
expect "no charts" "0 0" "$(wc -c <"$folder/uplot/uplot.js") $(wc -c <"$folder/uplot/uplot.css")"

case $EVENKEEL in
*/asan/*) result; exit ;; # a page is the same, whoever made it: the browser has seen it in release
esac
if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    charts=$("$EVENKEEL" doctor | grep '^charts  *built in')
    # The same page as it is built without.
    awk '/^<script>$/ && !done { print; done = skip = 1 } /^<\/script>$/ { skip = 0 } !skip' "$folder/map.html" >"$folder/without.html"
    python3 -B tests/command/page/check_page.py "$folder" ${charts:+charts} >"$folder/seen" 2>&1
    sed '$d' "$folder/seen"
    counts=$(tail -n 1 "$folder/seen" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    expect "the browser's checks" yes "$([ -n "$counts" ] && echo yes || tail -n 1 "$folder/seen")"
    passed=$((passed + ${counts% *}))
    failed=$((failed + ${counts#* }))
else
    echo "skipped: what a browser shows of a page, for want of chromium and chromium-driver"
fi
result
