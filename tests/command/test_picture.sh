#!/bin/sh
# SPDX-License-Identifier: MIT
# --picture: the map in the terminal and picture.png show the points that the tasks computed; a serial program computes the
# same ones. What does not go together is refused before the run.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

picture() { # picture WORDS...: the status of a run on four processors that computes a picture of 48x32 points
    status run --topology torus:2x2 --tasks mandelbrot:48x32:5 --grain 500 --picture "$@"
}

# Computes the picture again, and compares it with a file or with the map in the terminal.
cat >"$folder/check.py" <<'END'
import math, struct, sys, zlib

WIDTH, HEIGHT, MOST = 48, 32, 1000

def iterations(x, y):
    bottom = -1.1 + 2.5 * (1.0 - HEIGHT / WIDTH) / 2.0
    c_re, c_im = -2.1 + 2.5 * (x + 0.5) / WIDTH, bottom + 2.5 * (y + 0.5) / WIDTH
    re = im = 0.0
    count = 0
    while count < MOST and re * re + im * im <= 4.0:
        re, im, count = re * re - im * im + c_re, 2.0 * re * im + c_im, count + 1
    return count

def read_png(name):
    """Returns the colours and the rows of a PNG file with a palette, from the top."""
    data, at, parts = open(name, "rb").read(), 8, {}
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        assert zlib.crc32(data[at + 4:at + 8 + length]) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        parts[kind] = parts.get(kind, b"") + data[at + 8:at + 8 + length]
        at += 12 + length
    width, height, depth, colour = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (width, height, depth, colour) == (WIDTH, HEIGHT, 8, 3), (width, height, depth, colour)
    raw, rows = zlib.decompress(parts[b"IDAT"]), []
    for y in range(height):
        row = bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
        above = rows[-1] if rows else bytearray(width)
        for x in range(width):
            left, corner = (row[x - 1], above[x - 1]) if x else (0, 0)
            guess = left + above[x] - corner
            paeth = min((left, above[x], corner), key=lambda near: abs(guess - near))
            row[x] = (row[x] + (0, left, above[x], (left + above[x]) // 2, paeth)[raw[y * (width + 1)]]) % 256
        rows.append(row)
    return parts[b"PLTE"], rows

value = [[iterations(x, y) for x in range(WIDTH)] for y in range(HEIGHT - 1, -1, -1)] # from the top
if sys.argv[1] == "png":
    palette, rows = read_png(sys.argv[2])
    shades = [[1 + int(254 * math.log(v) / math.log(MOST)) for v in row] for row in value]
    assert [list(row) for row in rows] == shades, "another picture"
    assert palette[:6] == bytes([128, 128, 128, 0, 0, 95]) and palette[-3:] == bytes([255, 255, 175])
else: # cells of 2x2 points, two characters each
    shown = [line[2:] for line in open(sys.argv[2]) if len(line) == 2 + WIDTH + 1 and set(line.strip()) <= set(".:-=+*x#%@")]
    assert len(shown) == HEIGHT // 2, len(shown)
    for row, line in enumerate(shown):
        for column in range(WIDTH // 2):
            mean = sum(math.log1p(value[2 * row + i][2 * column + j]) for i in (0, 1) for j in (0, 1)) / 4
            shade = ".:-=+*x#%@"[min(int(10 * mean / math.log1p(MOST)), 9)]
            assert line[2 * column:2 * column + 2] == 2 * shade, (row, column, line, shade)
END

has_png=$("$EVENKEEL" doctor --format json | sed -n 's/^ *"libpng": \(.*\),$/\1/p')
for method in none adf liquid:c4; do
    expect "the map with $method" 0 "$(COLUMNS=50 picture --method $method --carrier pool:2)"
    expect "its shades" "" "$(python3 "$folder/check.py" map "$folder/out" 2>&1)"
    if [ "$has_png" = true ]; then
        expect "the file with $method" 0 "$(picture --method $method --out "$folder/$method" --quiet)"
        expect "its pixels" "" "$(python3 "$folder/check.py" png "$folder/$method/picture.png" 2>&1)"
    fi
done

refused() { # refused WHAT SENTENCE WORDS...
    what=$1
    sentence=$2
    shift 2
    expect "$what" 2 "$(picture --carrier pool:1 "$@")"
    expect "the sentence of $what" "evenkeel: $sentence" "$(head -n 1 "$folder/err")"
    : >"$folder/err"
}
refused "several runs" "--picture keeps the picture of one run: leave out --runs" --runs 2
refused "a picture in CSV" "--picture is shown below the table, or written to a file: add --out DIR" --format csv
refused "a picture that is not shown" "--picture is shown below the table, or written to a file: add --out DIR" --quiet
expect "tasks without a picture" 2 "$(status run --topology torus:2x2 --tasks queens:6 --picture)"
expect "their sentence" "evenkeel: these tasks compute no picture: use tasks mandelbrot:600x400:8, or leave picture out" \
    "$(head -n 1 "$folder/err")"
: >"$folder/err"
if [ "$has_png" = true ]; then
    expect "a run without --picture" 0 "$(status run --topology torus:2x2 --tasks mandelbrot:48x32:5 --grain 500 \
        --out "$folder/plain" --quiet --carrier pool:1)"
    expect "its files" "final.csv run.json trace.csv" "$(find "$folder/plain" -type f -exec basename {} \; | sort | xargs)"
    rm "$folder/adf/run.json" "$folder/adf/trace.csv" "$folder/adf/final.csv"
    refused "a picture that exists" "$folder/adf/picture.png exists already: remove it, or choose another --out" --out "$folder/adf"
else
    echo "skipped: picture.png, since evenkeel was built without libpng"
    refused "a file without libpng" "this evenkeel was built without libpng, which writes picture.png: leave out --picture or --out, or \
install libpng-dev and build it again" --out "$folder/x"
fi
result
