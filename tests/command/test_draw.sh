#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel draw`: its circles, lines and colours are the topology's; its text; its files; what it refuses.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

drawn() { # drawn WORDS...: counts circles, squares, lines and groups of lines, and checks that the XML is well-formed
    "$EVENKEEL" draw "$@" --out "$folder/drawing.svg" >"$folder/out" 2>"$folder/err" && python3 -B -c '
import sys, xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
lines = [group for group in root.iter(SVG + "g") if group.get("class") == "links"][0]
cells = [group for group in root.iter(SVG + "g") if group.get("class") == "processor"][0]
wide, high = float(root.get("width")), float(root.get("height"))
for text in root.iter(SVG + "text"):
    assert 0 <= float(text.get("x")) <= wide and 0 <= float(text.get("y")) <= high
count = lambda host, name: len(host.findall(".//" + SVG + name))
print(count(root, "circle"), count(cells, "rect"), count(lines, "path"), count(lines, "g"))' "$folder/drawing.svg" 2>&1
}
text() { # text PATTERN: how many lines of the last drawing have it
    grep -c -- "$1" "$folder/drawing.svg"
}

while read -r spec counts; do
    expect "$spec" "$counts" "$(drawn "$spec")"
done <<'END'
chain:5 5 0 4 2
ring:7 7 0 7 3
mesh:4x3 12 0 17 4
torus:4x4 16 0 32 4
hypercube:4 16 0 32 4
kary:3^3 27 0 81 9
complete:6 6 0 15 5
star:6 6 0 5 5
otis(mesh:2x4) 64 0 108 4
random:20:3 20 0 30 4
dragonfly:4:2 36 0 90 6
slimfly:3 18 0 45 6
fattree:4 16 20 48 5
margulis:4 16 0 40 7
smallworld:20:4:0.1 20 0 40 6
geometric:50:0.25 50 0 180 12
powerlaw:50:2 50 0 96 16
torus:32x32 1024 0 2048 4
chain:1 1 0 0 0
END

# The whole of a small drawing, and the same bytes each time.
expect "mesh:3x2" same "$("$EVENKEEL" draw mesh:3x2 --out - | cmp - tests/data/drawings/mesh-3x2.svg && echo same)"
expect "with loads" same "$("$EVENKEEL" draw ring:5 --load modulo:7919:1001 --out - | cmp - tests/data/drawings/ring-5-load.svg && echo same)"
drawn random:60:3 >/dev/null && mv "$folder/drawing.svg" "$folder/one.svg" && drawn random:60:3 >/dev/null
expect "twice" same "$(cmp "$folder/one.svg" "$folder/drawing.svg" && echo same)"

# Text: a title and a description for readers of screens, a legend, and a second set of colours.
drawn torus:4x4 >/dev/null
expect title 1 "$(text '<title id="title">torus:4x4</title>')"
expect description 1 "$(text '<desc id="desc">16 processors, 32 links, 4 colours, diameter 4. Circles are processors')"
expect "a dark background" 1 "$(text 'prefers-color-scheme:dark')"
expect "a colour" 1 "$(text '<title>Colour 3: 8 links</title>')"
expect "a processor" 1 "$(text '<title>Processor 15</title>')"
expect "links between neighbours are straight" 1 "$(text '"M46 46L122 46"')"
expect "a link around the torus runs beside its row" 1 "$(text '"M46 46Q46 8 84 8L236 8Q274 8 274 46"')"
drawn fattree:4 >/dev/null
expect switches 1 "$(text '16 processors, 20 switches, 48 links, 5 colours, diameter 6</text>')"
expect "a switch" 1 "$(text '<title>Switch 35</title>')"
printf '0 1\n1 2\n' >"$folder/a&<b"
drawn "file:$folder/a&<b" >/dev/null
expect "a name with marks" 1 "$(text 'a&amp;&lt;b</title>')"
drawn star:64 >/dev/null
expect "many colours" 1 "$(text '>and so on to 62<')"

# Loads: those at the start, or with a method those at the end.
drawn ring:5 --load peak:100@3 >/dev/null
expect "the peak" 1 "$(text 'style="fill:#081c59"><title>Processor 3: 100</title>')"
expect "the others" 4 "$(text 'style="fill:#ffffd9"><title>Processor [0124]: 0</title>')"
expect "what they are" 1 "$(text '>load peak:100@3</text>')"
drawn chain:3 --load peak:90 --method adf --steps 1 --stop never >/dev/null
expect "loads at the end" 1 "$(text '<title>Processor 0: 60</title>')"
expect "and of what" 1 "$(text '>load after 1 step of adf, at first peak:90</text>')"

# Files.
expect "a name from the graph" "wrote otis-mesh-2x4.svg
next: evenkeel theory --topology 'otis(mesh:2x4)'" "$(evenkeel=$(realpath "$EVENKEEL") && cd "$folder" && "$evenkeel" draw 'otis(mesh:2x4)')"
expect "the file" 1 "$(grep -c '</svg>' "$folder/otis-mesh-2x4.svg")"
expect "no folder" 2 "$(status draw ring:4 --out "$folder/none/x.svg")"
printf '0 1\n' >"$folder/graph"
expect "a file that is read" 2 "$(status draw "file:$folder/graph" --out "$folder/graph")"
expect "its sentence" 1 "$(grep -c 'would overwrite a file that is read' "$folder/err")"

# What is refused, with its caret.
refused() { # refused PART WORDS...
    part=$1
    shift
    expect "status of $*" 2 "$(status draw "$@" --out "$folder/refused.svg")"
    expect "$* says: $part" 1 "$(grep -c -- "$part" "$folder/err")"
    expect "no file of $*" no "$([ -e "$folder/refused.svg" ] && echo yes || echo no)"
}
refused 'did you mean torus?' torsu:4x4
refused 'at most 2048 processors, and ring:4000 has 4000' ring:4000
refused 'at most 40000 links, and complete:300 has 44850' complete:300
refused 'steps is for a run whose final loads are drawn: add --method' ring:4 --steps 3
refused 'draw takes one GRAPH' ring:4 ring:5
refused "the peak's processor" ring:4 --load peak:1@4
expect "the caret" '  --topology torsu:4x4
             ^' "$(status draw torsu:4x4 >/dev/null; sed -n '2,3p' "$folder/err")"
result
