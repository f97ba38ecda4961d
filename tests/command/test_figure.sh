#!/bin/sh
# SPDX-License-Identifier: MIT
# Pictures as files: what --plot-script keeps draws the same picture again and holds what the runs' own JSON says; a disk
# that is full, a gnuplot that fails and a place that cannot be written leave what was there and say so.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
EVENKEEL=$(readlink -f "$EVENKEEL")
checks=$(readlink -f tests/command/check_figure.py)
cd "$folder" || exit 1

one="run --carrier pool:1 --topology torus:6x6 --method odf"
run="$one --runs 7"
# shellcheck disable=SC2086
{
    if command -v gnuplot >/dev/null; then
        for ending in svg png pdf; do
            expect "$ending" 0 "$(status $run --plot "a.$ending" --plot-script a.gp --quiet)"
            expect "nothing is said" "" "$(cat "$folder/out" "$folder/err")"
            mv "a.$ending" first
            expect "gnuplot draws $ending again" 0 "$(gnuplot a.gp >"$folder/out" 2>"$folder/err"; echo $?)"
            expect "gnuplot says nothing" "" "$(cat "$folder/out" "$folder/err")"
            # The date of a PDF is when it was drawn.
            expect "the same $ending" "$(grep -av CreationDate first | cksum)" "$(grep -av CreationDate "a.$ending" | cksum)"
        done
        expect "a picture is whole" 1 "$(status $run --plot b.svg --quiet >/dev/null; grep -c '^</svg>' b.svg)"
        # Theory that leaves the axis ends at its lower edge: in whole loads the variance stays above what it says.
        expect "theory below all that was measured" 0 "$(status run --carrier pool:1 --topology torus:6x6 --method odf \
            --units tokens --stop never --steps 200 --plot e.svg --quiet)"
        expect "its last points go down" yes "$(awk "/stroke-dasharray/ { inside = 1 } inside" e.svg | tr -d '\n' | sed "s|/>.*||" |
            grep -oE '[0-9.]+,[0-9.]+ *.?$' | awk -F, '{ print ($1 + 0 < 400 ? "yes" : "no: at " $1) }')"
        expect "all runs are counted" 1 "$(grep -c '>mean of 7 runs</text>' b.svg)"
        printf 'before' >b.png
        expect "a full disk" 2 "$( (trap '' XFSZ; ulimit -f 16; status $run --plot b.png --quiet) )"
        expect "it says so" "evenkeel: b.png could not be written (File too large): nothing of it is left" "$(cat "$folder/err")"
        expect "what was there is there" before "$(cat b.png)"
        expect "nothing beside it" "" "$(find . -name '*.part')"
    fi

    # A signal between the runs: gnuplot draws what was measured, if anything was, and says nothing of what was not.
    if command -v gnuplot >/dev/null; then
        "$EVENKEEL" contention --topology ring:4 --for 5ms --runs 100 --plot i.svg >"$folder/out" 2>"$folder/err" &
        pid=$!
        until grep -q 'SigCgt:.*[4567cdef][0-9a-f]\{3\}$' "/proc/$pid/status"; do # SIGTERM is caught
            sleep 0.05
        done
        sleep 0.5
        kill -TERM "$pid"
        wait "$pid"
        expect "an interrupted contention" 3 $?
        expect "it says so" 1 "$(grep -c '^evenkeel: interrupted in turn [0-9]* of 100: not all runs were carried out$' "$folder/err")"
        expect "and nothing else but a warning" 0 \
            "$(grep -v '^evenkeel: interrupted' "$folder/err" | grep -vc '^evenkeel: warning: other programs')"
        expect "no half of a picture" "$(find . -name 'i.svg' | wc -l)" "$(grep -c '^</svg>' i.svg 2>/dev/null || echo 0)"
    fi

    mkdir bin
    printf '#!/bin/sh\necho "line 0: bad luck" >&2\nprintf "<svg>"\nexit 1\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$folder/bin:$PATH
    expect "a gnuplot that fails" 2 "$(status $run --plot c.svg --quiet)"
    expect "its own words are not shown" "evenkeel: gnuplot did not draw the picture: keep its script with --plot-script and run gnuplot on it to see why" \
        "$(cat "$folder/err")"
    expect "no picture" "" "$(find . -name 'c.svg*')"
    printf '#!/bin/sh\nkill -KILL $$\n' >bin/gnuplot
    expect "one that is killed" 2 "$(status $run --plot c.svg --plot-script c.gp --quiet)"
    expect "the script is kept" 1 "$(grep -c "^set output 'c.svg'" c.gp)"
    expect "no such directory" 2 "$(status $run --plot none/c.svg --quiet)"
    expect "said before the runs" "evenkeel: none/c.svg cannot be written (No such file or directory): choose another place" \
        "$(cat "$folder/err")"
    expect "no place for the script" 2 "$(status $run --plot c.svg --plot-script none/c.gp --quiet)"

    # The numbers, from those of the runs: mean, quantiles, and theory in steps.
    printf '#!/bin/sh\nexec cat\n' >bin/gnuplot
    for words in "$run" "$run --ports one" "$one" "$run --units tokens --stop neighbours:4" \
        "run --timing free --method adf --carrier pool:2 --invoke outside:300:700 --stop spread:400 --runs 4"; do
        rm -rf o
        expect "$words" 0 "$(status $words --out o --plot d.svg --plot-script d.gp --quiet)"
        expect "its values" "" "$(python3 "$checks" o/run.json d.gp 2>&1)"
    done
}
result
