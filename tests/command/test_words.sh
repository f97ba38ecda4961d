#!/bin/sh
# SPDX-License-Identifier: MIT
# What words mean: `explain` and `help` of a method, an option or a value, `list` of one option, their JSON, the letters of
# options, and help that fits its terminal.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

said() { # said WANTED WORDS...: the command's first line begins so
    wanted=$1
    shift
    expect "$*: status" 0 "$(status "$@")"
    expect "$*" "$wanted" "$(head -n 1 "$folder/out" | cut -c "1-${#wanted}")"
}
said "ode: optimal dimension exchange" explain ode
said "ode: optimal dimension exchange" help ode
said "ded(SCHEME): " explain "ded(fos)"
said "evenkeel run: run one experiment" help run
said "--topology, -t SPEC: which processors are linked" help topology
said "--topology, -t SPEC: which processors are linked" explain topology
expect "with its values" 1 "$(grep -c '^  torus:KxKx…  ' "$folder/out")"
said "--runs, -r N: the number of runs" explain runs
expect "and its default" "Default: 1" "$(sed -n 2p "$folder/out")"
said "A value of --topology, which processors are linked:" explain torus
expect "how it is numbered" 1 "$(grep -c 'wrap around, numbered like a mesh$' "$folder/out")"
said "A value of --mailbox, " explain slot
said "A value of --load, " explain peak:6400@3
expect "only that value" 1 "$(grep -c '^  [a-z]' "$folder/out")"
said "A value of --load, " help uniform
expect "of whichever options" 4 "$(grep -c '^A value of --' "$folder/out")"

# Without a command: all commands in at most ten lines.
expect "no command" 0 "$(status)"
expect "in ten lines" yes "$([ "$(wc -l <"$folder/out")" -le 10 ] && echo yes)"
for command in $("$EVENKEEL" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    expect "with $command" 1 "$(grep -cE "^  (.*, )?$command(,|  |\$)" "$folder/out")"
done
expect "and how to begin" "evenkeel help describes all commands.
next: evenkeel run" "$(tail -n 2 "$folder/out")"

# Terms, in the singular and in the plural, before an option or a value of the same name.
said "sphere: Operations that are connected by overlaps" explain spheres
said "gamma: The convergence factor: " explain gamma
said "variance: The sum of the squared distances of the loads from their mean. It is not divided" explain variance
expect "and the value" 1 "$(grep -c '^A value of --stop, ' "$folder/out")"
said "operation: One invocation of the method." explain operations
expect "and the option" 1 "$(grep -c '^--operations N: ' "$folder/out")"
expect "a mistyped term" "2 evenkeel: nothing is called 'sphre'; the nearest is 'sphere'" "$(status explain sphre) $(cat "$folder/err")"
for word in $(sed -n 's/^    {"\([a-z-]*\)",.*/\1/p' cli/line/glossary.c); do
    said "$word: " explain "$word"
done

# With its dashes too, also where a command has its name.
said "--stop SPEC: when to end" explain --stop
said "--stop SPEC: when to end" help --stop
said "--topology, -t SPEC: which processors are linked" explain -t
said "--list: list the claims and run nothing" help --list
expect "and of which commands" 1 "$(grep -c '^Commands: papers$' "$folder/out")"
said "evenkeel list [OPTION]: list topologies" help list
said "evenkeel help [WORD]: show help" help help
said "evenkeel explain WORD: " help explain
expect "what is no option" "2 evenkeel: nothing is called '--stpo'; the nearest is 'stop'" "$(status help --stpo) $(cat "$folder/err")"

# What an option is for a command of its own.
for said in "report|--out, -o FILE +the page" "list|--links +print the links" "replay|--overlaps +show how operations" \
    "replay|--every K +add the measurements" "sweep|--carrier .*pool:1, in free timing threads" "papers|--seed, -s N +run all claims with other seeds"; do
    expect "help ${said%%|*}" 1 "$("$EVENKEEL" help "${said%%|*}" | grep -cE "^  ${said#*|}")"
done
expect "and of the man page" 1 "$("$EVENKEEL" help --man | sed -n '/^.Ss report/,/^.Ss/p' | grep -c '^.It Fl .*out Ar FILE')"
for command in explore rank contention 'torture --runs 1'; do
    # The words are to be split. Torture tries nothing if the time is over before its first run.
    # shellcheck disable=SC2086
    expect "mpi, which $command refuses" "2 0" "$(status $command --carrier mpi --for 10s 2>/dev/null) $("$EVENKEEL" help "${command%% *}" | grep -cw mpi)"
done

# Long help has its options in groups, and so has the manual page. run has none of its own.
"$EVENKEEL" help --man >"$folder/man"
for groups in "run 9" "sweep 10" "results 3" "rank 9" "theory 6" "explore 9" "torture 7" "contention 7"; do
    COLUMNS=100 "$EVENKEEL" help "${groups% *}" >"$folder/help"
    expect "groups of ${groups% *}" "${groups#* } groups" \
        "$(python3 -B tests/command/check_groups.py "$folder/help" "$folder/man" "${groups% *}")"
done
expect "short help has none" 0 "$("$EVENKEEL" help draw | grep -c ':$')"

# Everything that is listed can be explained.
"$EVENKEEL" list --format json >"$folder/json"
for word in $(python3 - "$folder/json" <<'END'
import json, re, sys
all = json.load(open(sys.argv[1]))
print(*(m["name"] for m in all["methods"]), *(o["option"] for o in all["options"]))
print(*(w for o in all["options"] for v in o["values"] if (w := re.split(r"[:(\[=]", v["form"])[0])[0].islower()))
END
); do
    expect "explain $word" 0 "$(status explain "$word")"
done

# What means nothing in free timing and in virtual time, explore does not offer.
"$EVENKEEL" help explore | sed -n 's/^  --\([a-z-]*\).*/\1/p' | sort >"$folder/offered"
expect "the options of explore" "" "$(python3 - "$folder/json" "$folder/offered" <<'END'
import json, sys
offered = open(sys.argv[2]).read().split()
print(*(o["option"] for o in json.load(open(sys.argv[1]))["options"]
        if bool({"free", "virtual"} & set(o["timings"])) != (o["option"] in offered)))
END
)"
expect "and refuses" "2 2 2" "$(status explore --steps 3) $(status explore --barrier spin) $(status explore --clock step)"

# One option's values, as in the whole list.
"$EVENKEEL" list >"$folder/list"
for word in topologies topology; do
    expect "list $word" 0 "$(status list $word)"
    expect "as in the list" "$(sed -n '/^--topology$/,/^$/p' "$folder/list" | sed '/^$/d')" "$(sed '$d' "$folder/out")"
done
expect "list methods" 0 "$(status list methods)"
expect "the table" "$(sed -n '/^--method/,/^$/p' "$folder/list" | sed '/^$/d')" "$(sed '$d' "$folder/out")"
expect "list seed" "0 fixes all random draws; run r of seed s is run 0 of s + r" "$(status list seed) $(sed '$d' "$folder/out")"
expect "list capacities" "0 --capacity" "$(status list capacities) $(head -n 1 "$folder/out")"

# The JSON says what the tables say.
expect "list as JSON" "evenkeel.list/1 rounds,turns,free,virtual none True False" "$(python3 - "$folder/json" "$folder/list" 2>&1 <<'END'
import json, sys
all = json.load(open(sys.argv[1]))
option = {o["option"]: o for o in all["options"]}
print(all["schema"], ",".join(option["topology"]["timings"]), option["delay"]["initial"], end=" ")
assert option["barrier"]["timings"] == ["rounds", "turns"] and option["seed"]["field"] is None and option["links"]["kind"] == "switch"
assert {"form": "star:N", "summary": "processor 0 linked to each of the N-1 others"} in option["topology"]["values"]
rows = open(sys.argv[2]).read().split("\n\n")
table = next(r for r in rows if r.startswith("--method")).split("\n")
names = [l.split()[0].split(":")[0].split("(")[0] for l in table[1:] if l.startswith("  ") and l[2] != " "]
assert names == [m["name"] for m in all["methods"]], names
flags = {l.split()[0].split(":")[0].split("(")[0]: l[22:].split()[:9] for l in table[1:] if l[2] != " "}
for m in all["methods"]:
    said = ["real" in m["units"], "tokens" in m["units"], "all" in m["ports"], "one" in m["ports"],
            m["capacities"], m["delays"], m["turns"], m["free"], m["invoke"]]
    assert flags[m["name"]] == ["yes" if s else "-" for s in said], m["name"]
ade = next(m for m in all["methods"] if m["name"] == "ade")
print(ade["free"], ade["turns"])
END
)"
expect "one option as JSON" "0 1 methods" "$(status list methods --format json) $(python3 -c "
import json, sys
all = json.load(open('$folder/out'))
print(len(all['options']), 'methods' if all['methods'][0]['name'] == 'ade' else 'none')")"
expect "another has no methods" "0 False" "$(status list loads --format json) $(python3 -c "
import json; print('methods' in json.load(open('$folder/out')))")"

# What the doctor says, twice.
expect "doctor" 0 "$(status doctor)"
cp "$folder/out" "$folder/table"
parts=$(sed -n 's/^\(mpi\|gnuplot\|charts\)  *\(found\|built in: \(mpirun\|the\)\).*/\1/p' "$folder/out" | tr '\n' ' ')
last() { "$@" | tail -n 2 | sed -n '1s/^  *//p'; } # before the next command
if [ "$parts" = "mpi gnuplot charts " ]; then
    expect "what works here" "evenkeel run works here, and so do --carrier mpi, --plot and the charts of report" \
        "$(last "$EVENKEEL" doctor)"
    expect "what is missing" "evenkeel run works here, but the lines above say what is missing for: --carrier mpi, --plot" \
        "$(last env PATH=/nowhere "$(readlink -f "$EVENKEEL")" doctor)"
fi
COLUMNS=60 "$EVENKEEL" doctor >"$folder/narrow"
expect "no line of it is wider than a terminal" "" "$(awk 'length > 60' "$folder/narrow")"
letters() { # without what the system has free, which is another number each time, and where lines end
    sed '/^memory/,/^threads/{ /^threads/!d; }' "$1" | tr -d '0-9, \n'
}
expect "and no word is lost" "$(letters "$folder/table")" "$(letters "$folder/narrow")"
expect "doctor as JSON" 0 "$(status doctor --format json)"
expect "fields that docs/report.md does not name" "" "$(python3 - "$folder/out" <<'END'
import json, re, sys
page = open("docs/report.md").read().split("`evenkeel doctor --format json`")[1].split("\n## ")[0]
found = json.load(open(sys.argv[1]))
names = {n for n, v in found.items() if not isinstance(v, dict)} | {m for v in found.values() if isinstance(v, dict) for m in v}
print(*sorted(names - set(re.findall(r"`(?:[a-z]*\.)?([a-z_]+)`", page))))
END
)"
same_doctor() { # same_doctor: the table in $folder/table and the JSON in $folder/out say the same
    expect "the same" "" "$(python3 - "$folder/table" "$folder/out" 2>&1 <<'END'
import json, os, re, sys
table = {line[:12].strip(): line[12:].strip() for line in open(sys.argv[1])}
found = json.load(open(sys.argv[2]))
assert found["schema"] == "evenkeel.doctor/1"
assert table["processor"] == (found["processor"] or "not known")
assert found["cores"]["usable"] == len(os.sched_getaffinity(0)) or found["cores"]["bound"]
assert table["cores"].startswith(f'{found["cores"]["usable"]} core') and f'of {found["cores"]["all"]} may' in table["cores"]
assert f'of {found["memory"]["all_bytes"] / 2**30:.1f} GiB may be used' in table["memory"]
assert found["memory"]["usable_bytes"] <= found["memory"]["all_bytes"]
assert found["threads"]["bound"] is None or f'bound by {found["threads"]["bound"]}' in table["threads"]
assert ("not found" in table["gnuplot"]) != found["gnuplot"]
assert found["counters"]["usable"] == (found["counters"]["why"] is None)
assert ("mappings" in table) == (found["maps_most"] is not None)
assert found["maps_most"] is None or table["mappings"].startswith(f'{found["maps_most"]:,} area')
# Other programs begin and end threads between the two outputs.
most = int(re.search("allows up to ([0-9,]+) processors", table["threads"])[1].replace(",", ""))
assert abs(most - found["threads"]["most"]) <= 0.02 * most
assert table["scheduler"].startswith("real-time scheduling is permitted") == found["real_time"]
assert table["libpng"].startswith("built in") == found["libpng"]
assert table["charts"].startswith("built in") == found["charts"]
assert table["mpi"].startswith("built in") == found["mpi"]["built"]
assert not found["mpi"]["built"] or ("there is no mpirun" in table["mpi"]) != found["mpi"]["mpirun"]
assert not found["mpi"]["mpirun"] or ("with METIS" in table["mpi"]) == found["mpi"]["metis"]
END
    )"
}
same_doctor
evenkeel=$(readlink -f "$EVENKEEL")
for format in table json; do
    PATH=/nowhere "$evenkeel" doctor --format $format >"$folder/$format"
done
mv "$folder/json" "$folder/out"
same_doctor

# A letter does what its option does.
expect "letters" 0 "$(status run -t ring:8 -m ode -l peak:80 -r 2 -s 7 -f csv -q)"
cp "$folder/out" "$folder/short"
expect "options" 0 "$(status run --topology ring:8 --method ode --load peak:80 --runs 2 --seed 7 --format csv --quiet)"
cut -d , -f 1-40 "$folder/out" >"$folder/long"
expect "the same" "$(cat "$folder/long")" "$(cut -d , -f 1-40 "$folder/short")"
expect "both seeds" 3 "$(wc -l <"$folder/long")"
expect "-o" "0 run.json" "$(status run -t ring:4 -q -o "$folder/o") $(cd "$folder/o" && ls run.json)"
expect "-h" 0 "$(status run -h)"
for letter in t:topology m:method l:load r:runs s:seed f:format o:out q:quiet h:help; do
    expect "-${letter%:*} in the help" 1 "$(grep -c "^  --${letter#*:}, -${letter%:*} " "$folder/out")"
    expect "-${letter%:*} in the man page, wherever the option is" "" \
        "$("$EVENKEEL" help --man | grep -E "^\.(It|Op) .*Fl .?-${letter#*:}( |$)" | grep -vE "^\.(It|Op) Fl ${letter%:*} , Fl .?-${letter#*:}( |$)")"
done

# Words are not broken, and no line is too wide, but for those of the examples.
for columns in 40 60 80; do
    for command in run torture list ""; do
        COLUMNS=$columns "$EVENKEEL" help $command | grep -vE '^(  |next: )evenkeel ' >"$folder/narrow"
        expect "help $command at $columns" "" "$(awk -v most="$columns" 'length > most' "$folder/narrow")"
        expect "all its words" "$("$EVENKEEL" help $command | grep -vE '^(  |next: )evenkeel ' | xargs -d '\n' | tr -s ' ' | cksum)" \
            "$(xargs -d '\n' <"$folder/narrow" | tr -s ' ' | cksum)"
    done
done

# Over links that carry nothing no parcel goes, whatever the degree.
for topology in ring:8 complete:4 torus:4x4 torus:4x4x4 hypercube:7 mesh:4x4; do
    expect "parcels on $topology without room" 0 "$("$EVENKEEL" run --topology $topology --method adf --load peak:160 \
        --link-limit 0 --steps 3 --carrier pool:1 --format csv 2>"$folder/err" | python3 -c '
import csv, sys
print(*(row["parcels"] for row in csv.DictReader(sys.stdin)))')"
done
result
