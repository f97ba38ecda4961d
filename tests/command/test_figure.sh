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
        # The size: pixels of 1/96 inch, whole points of a PDF, and 300 dots an inch of a PNG.
        for ending in svg pdf png; do
            expect "a size, $ending" 0 "$(status $run --plot "s.$ending" --size 84mmx60mm --legend inside --quiet)"
        done
        expect "an SVG of 84 by 60 mm" 1 "$(grep -c '^ width="317" height="227"' s.svg)"
        expect "a PDF of 84 by 60 mm" 1 "$(grep -ac '/MediaBox \[ 0 0 238 170 \]' s.pdf)"
        expect "a PNG of 84 by 60 mm" "992x709" "$(od -An -j16 -N8 -t u1 s.png | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')"
        expect "a PNG in pixels" 0 "$(status $run --plot s.png --size 1200pxx700px --quiet)"
        expect "has as many" "1200x700" "$(od -An -j16 -N8 -t u1 s.png | awk '{ print $3 * 256 + $4 "x" $7 * 256 + $8 }')"
        expect "a sized picture has no title" 0 "$(grep -c 'odf on torus:6x6' s.svg)"
        expect "its band is explained" 1 "$(grep -c '<text>band: interval of the mean,</text>' s.svg)"
        expect "a title" 0 "$(status $run --plot s.svg --size 84mmx60mm --title "a <b> & 'c'" --legend none --quiet)"
        expect "it is shown" 1 "$(grep -c ">a &lt;b> &amp; 'c'</text>" s.svg)"
        expect "no legend" 0 "$(grep -c 'mean of 7 runs' s.svg)"
        expect "dark" 0 "$(status $run --plot s.svg --style dark --x-ticks 3,7.5,60 --quiet)"
        expect "its background" 1 "$(grep -c '<rect .*fill="#14171c"' s.svg)"
        expect "the marks" "3 7.5 60" "$(grep -oE '<text>.*</text>' s.svg | sed 's/<[^>]*>//g' | grep -xE '3|7.5|60' | xargs)"
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
        until grep -q 'SigCgt:.*[4567cdef][0-9a-f]\{3\}$' "/proc/$pid/status" || ! kill -0 "$pid"; do # SIGTERM is caught
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

    # Bad values of options are refused before anything runs.
    while IFS='|' read -r options sentence; do
        expect "$options" 2 "$(status $one --plot z.svg $options)"
        expect "$options: the sentence" "evenkeel: $sentence" "$(head -n 1 "$folder/err")"
        expect "$options: nothing is drawn" "" "$(find . -name z.svg)"
    done <<'END'
--size 84mm|write 'x' after the width, as in 84mmx60mm
--size 84x60mm|the width needs a unit after the number: mm, cm, in or px
--size 84mmx60|the height needs a unit after the number: mm, cm, in or px
--size 25mmx60mm|the width must be from 25.4mm to 508mm, which is 1in to 20in or 96px to 1920px
--size 2inx21in|the height must be from 25.4mm to 508mm, which is 1in to 20in or 96px to 1920px
--size 2inx2inx2in|'x' cannot follow '2inx2in': expected the end
--x-ticks swept|--x-ticks swept is for pictures of --x; the x of this picture is no swept value: give numbers, as in 0,50,100
--x-ticks 1,,2|a mark of --x-ticks must be a decimal number, as in 0.5
--legend up|there is no value of --legend called 'up': choose one of below, inside, right, none
--style loud|there is no value of --style called 'loud': choose one of paper, slides, dark
END
    expect "a title without room" 2 "$(status $one --plot z.svg --size 1inx1in --title 'A title that needs more lines than so small a picture has')"
    expect "it says so" "evenkeel: --title leaves too little room for the drawing: shorten it, or give a larger --size" "$(cat "$folder/err")"
    expect "a mark that cannot be" 2 "$(status contention --plot z.svg --x-ticks 0,5)"
    expect "it says which" "evenkeel: --x-ticks has 0, for which a logarithmic axis has no place: leave it out" "$(cat "$folder/err")"
    for option in "--size 2inx2in" "--title t" "--x-ticks 1" "--legend none" "--style dark"; do
        expect "$option without a picture" 2 "$(status $one $option)"
        expect "$option: the sentence" "evenkeel: ${option%% *} is about a picture: add --plot FILE" "$(cat "$folder/err")"
    done
    expect "a look without a book" 2 "$(status papers xu-52 --style dark)"
    expect "it says so" "evenkeel: --style is about the pictures of a book: add --report FILE" "$(cat "$folder/err")"

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

    # The numbers, from those of the runs: mean, interval, and theory in steps.
    printf '#!/bin/sh\nexec cat\n' >bin/gnuplot
    for words in "$run" "$run --ports one" "$one" "$run --units tokens --stop neighbours:4" \
        "run --timing free --method adf --carrier pool:2 --invoke outside:300:700 --stop spread:400 --runs 4"; do
        rm -rf o
        expect "$words" 0 "$(status $words --out o --plot d.svg --plot-script d.gp --quiet)"
        expect "its values" "" "$(python3 "$checks" o/run.json d.gp 2>&1)"
    done
}
result
