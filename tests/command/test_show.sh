#!/bin/sh
# SPDX-License-Identifier: MIT
# A record is whole: `show` prints from run.json what `run` printed, to the byte, in every format, and pictures too; and
# what is damaged, cut off or something else is refused with a sentence.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

same() { # same WHAT FILE FILE
    expect "$1" "" "$(cmp "$2" "$3" 2>&1)"
}

# What was run, with and without a picture of the loads; it is not run again, for times would differ.
while read -r heat words; do
    [ "$heat" = heat ] && heat=--heat || heat=
    # Words on purpose.
    # shellcheck disable=SC2086
    for format in table csv; do
        [ "$format" = csv ] && heat=
        rm -rf "$folder/o"
        eval "$EVENKEEL run $words $heat --format $format --out $folder/o" >"$folder/run" 2>"$folder/err"
        expect "run $words" yes "$([ $? -eq 0 ] || [ $? -eq 3 ] || [ -s "$folder/o/run.json" ] && echo yes)"
        "$EVENKEEL" show "$folder/o/run.json" $heat --format "$format" >"$folder/shown" 2>&1
        same "show as $format, of $words" "$folder/run" "$folder/shown"
        "$EVENKEEL" show "$folder/o/run.json" --format json >"$folder/again.json"
        same "show as json, of $words" "$folder/o/run.json" "$folder/again.json"
        tr ',{' '\n\n' <"$folder/again.json" | sed -n 's/^ *"\([a-z_0-9]*\)":.*/\1/p' >>"$folder/names"
        [ "$format" = csv ] && head -n 1 "$folder/shown" | tr ',.' '\n\n' | grep -v '^[0-9]*$' >>"$folder/names"
    done
done <<'END'
heat --method ode --load peak:6400
heat --topology torus:6x9 --units tokens --method adf --stop neighbours:4 --ports one --runs 3 --carrier pool
- --topology 'otis(mesh:2x3)' --method 'ded(fos)' --load peak:600
- --topology ring:12 --method liquid:c2 --stop spread:0 --steps 40
- --topology ring:8 --method sender:1/deg --timing turns --delay fixed:2 --steps 30
- --topology ring:8 --invoke outside:200:800 --work normal:90:30:90 --stop never --steps 9
- --topology mesh:4x4 --method sos --capacity semi --load peak:1600 --carrier pool:2
- --topology torus:3x3 --method dde --load modulo:7919:101 --no-flows --every 2
- --topology mesh:3x3 --method adf --load peak:90 --stop variance:1 --links
- --timing free --method adf --invoke probability:0.01 --stop variance:1e5 --links
- --timing free --method ade --delay fixed:20us --faults link:200,repair:1ms --tick 1ms --work constant:0=1 --for 200ms --stop never
- --topology complete:8 --method diffusion:0.9 --load peak:800 --stop never --steps 3000 --carrier pool:1
- --topology torus:4x4 --method adf --faults link:0.5,repair:3 --delay fixed:2 --seed 4
- --topology torus:3x4 --method dde:doubling --load modulo:7919:101 --links
- --topology chain:1
- --topology ring:8 --load peak:640 --frames 5
- --topology ring:8 --tasks queens:6 --method ade --profile 5
- --topology ring:8 --timing virtual --tasks queens:6 --method ade --profile 5
- --topology ring:8 --timing free --method adf --load peak:640 --stop variance:1e5 --frames 4
END
# Every name of a record and of its page of CSV is in the documentation, where some have their object before them.
sort -u "$folder/names" -o "$folder/names"
while read -r name; do
    expect "$name in docs/report.md" yes "$(grep -qE "\`([a-z]*)?\.?$name\`" docs/report.md && echo yes)"
done <"$folder/names"
expect "names that were looked for" yes "$([ "$(wc -l <"$folder/names")" -gt 120 ] && echo yes)"
# The tables of axes and of a run's fields have the columns of CSV, in their order; a group is one row.
"$EVENKEEL" run --topology ring:8 --timing free --method adf --operations 9 --stop never --format csv >"$folder/free.csv"
expect "the columns, as docs/report.md has them" "" "$(python3 - "$folder/free.csv" <<'END'
import re, sys
page = open("docs/report.md").read()
def names(after):
    rows = page.split(after, 1)[1].split("|---|", 1)[1].split("\n\n")[0].splitlines()[1:]
    return [name for row in rows for name in re.findall("`([a-z_0-9]+)`", row.split("|")[1])]
columns = list(dict.fromkeys(name.split(".")[0] for name in open(sys.argv[1]).readline().strip().split(",")))
said = ["topology", "method", "parameter"] + names("| field | option | kind |") + names("## A run")
said = [name for name in said if name in columns] # others are in JSON alone
print(*[f"{a} is not {b}" for a, b in zip(said, columns) if a != b][:1], *columns[len(said):])
END
)"
# Every fact that the papers know is there, by its name or by how it begins.
expect "facts that docs/report.md does not name" "" "$(python3 - <<'END'
import glob, re
page = open("docs/report.md").read()
said = set(re.findall("`([a-z_0-9]+[*]?)`", page))
calls = [call for file in glob.glob("core/**/*.c", recursive=True) for call in re.findall(r"core_facts_add\((.*?)\);", open(file).read(), re.S)]
facts = {name for call in calls for name in re.findall('"([a-z_0-9]+)"', call)}
print(*sorted(f for f in facts if f not in said and not any(s[-1] == "*" and f.startswith(s[:-1]) for s in said)))
print(*["none found"] * (len(facts) < 30))
END
)"
rm -rf "$folder/o"
"$EVENKEEL" run --method nobody --out "$folder/o" 2>"$folder/err"
expect "an experiment that is refused leaves nothing" no "$([ -e "$folder/o" ] && echo yes || echo no)"

# Without --out the loads and the trace are there as asked for.
"$EVENKEEL" run --format json --load peak:640 --trace >"$folder/traced.json"
"$EVENKEEL" run --format json --load peak:640 >"$folder/plain.json"
expect "--heat without loads" 2 "$("$EVENKEEL" show "$folder/plain.json" --heat >"$folder/out" 2>"$folder/err"; echo $?)"
expect "what to do" 1 "$(grep -c 'run with --out' "$folder/err")"
if command -v gnuplot >/dev/null; then
    expect "--plot without a trace" 2 "$("$EVENKEEL" show "$folder/plain.json" --plot "$folder/a.svg" 2>"$folder/err"; echo $?)"
    "$EVENKEEL" run --load peak:640 --trace --out "$folder/p" --plot "$folder/run.svg" --quiet
    "$EVENKEEL" show "$folder/p/run.json" --plot "$folder/shown.svg" --quiet
    same "the picture" "$folder/run.svg" "$folder/shown.svg"
fi

refused() { # refused WHAT FILE PART
    expect "$1" 2 "$("$EVENKEEL" show "$2" >"$folder/out" 2>"$folder/err"; echo $?)"
    expect "$1 prints nothing" "" "$(cat "$folder/out")"
    expect "$1: $3" yes "$(grep -q "$3" "$folder/err" && echo yes || cat "$folder/err")"
}
refused "no file" "$folder/none.json" "cannot be opened"
: >"$folder/empty.json"
refused "an empty file" "$folder/empty.json" "not JSON"
echo '{"schema": "evenkeel.run/2"}' >"$folder/newer.json"
refused "another schema" "$folder/newer.json" "schema is not"
echo '[1, 2]' >"$folder/list.json"
refused "something else" "$folder/list.json" "not a record"
length=$(wc -c <"$folder/traced.json")
for part in 1 2 3 4 5 6 7 8 9; do
    head -c $((length * part / 10)) "$folder/traced.json" >"$folder/cut.json"
    refused "cut off at $part tenths" "$folder/cut.json" "not JSON"
done
for field in operations converged ended processors spec given theory facts runs_asked variance workers; do
    sed "s/\"$field\":/\"other\":/g" "$folder/traced.json" >"$folder/lacking.json"
    refused "without $field" "$folder/lacking.json" "this record is incomplete"
done
sed 's/"ended": "criterion"/"ended": "elsewhere"/' "$folder/traced.json" >"$folder/wrong.json"
refused "an end that is none" "$folder/wrong.json" "this record is incomplete"
sed 's/"processors": 64/"processors": 63/' "$folder/p/run.json" >"$folder/wrong.json" 2>/dev/null
[ -s "$folder/wrong.json" ] && refused "loads that are not the processors'" "$folder/wrong.json" "this record is incomplete"

# A file of another kind is named, with the command that reads it.
"$EVENKEEL" run --topology ring:4 --timing free --record "$folder/r.ek" --quiet >/dev/null
"$EVENKEEL" sweep --topology ring:4 --store "$folder/s.sqlite" --quiet
for other in "r.ek:a recording:replay:show,results --store" "s.sqlite:a store:results --store:show,replay" \
    "plain.json:a record:show:replay,results --store"; do
    IFS=: read -r name kind reader others <<F
$other
F
    for command in $(echo "$others" | sed 's/ /_/g; s/,/ /g'); do
        # Words on purpose.
        # shellcheck disable=SC2046
        expect "$command $name" 2 "$("$EVENKEEL" $(echo "$command" | tr _ ' ') "$folder/$name" >"$folder/out" 2>"$folder/err"
            echo $?)"
        expect "which is" "evenkeel: $folder/$name is $kind, which evenkeel $reader $folder/$name reads" \
            "$(cat "$folder/out" "$folder/err")"
        expect "$command of a folder" "evenkeel: $folder is a directory: give a file" \
            "$("$EVENKEEL" $(echo "$command" | tr _ ' ') "$folder" 2>&1)"
    done
done
# Nothing is read from a pipe to find that out.
mkfifo "$folder/pipe"
for command in "show" "report --out $folder/page.html"; do
    cat "$folder/plain.json" >"$folder/pipe" &
    # shellcheck disable=SC2086
    expect "$command from a pipe" 0 "$(timeout 300 "$EVENKEEL" $command "$folder/pipe" >"$folder/out" 2>"$folder/err"; echo $?)"
done
expect "show without a file" 2 "$("$EVENKEEL" show 2>"$folder/err"; echo $?)"

result
