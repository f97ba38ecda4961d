#!/bin/sh
# SPDX-License-Identifier: MIT
# `make run`: a real load (examples/mandelbrot.c measures it) on 256 processors, a thread each. The four methods under
# both port models, theory beside measurement; then the report of the one with the fewest steps, the load before and
# after, and what to try next.
set -eu
cd "$(dirname "$0")/.."
: "${EVENKEEL:=build/evenkeel}" "${MANDELBROT:=build/examples/mandelbrot}"
topology=torus:16x16
load=examples/mandelbrot.load

# compare METHOD PORTS: one line of the table, what theory says beside what a run measures.
compare() {
    set -- --topology "$topology" --load "file:$load" --method "$1" --ports "$2"
    theory=$("$EVENKEEL" theory "$@" --format json)
    run=$("$EVENKEEL" run "$@" --format csv --quiet)
    printf '%s\n' "$theory" "$run" | awk '
        /^ *"/ { gsub(/[ ,"]/, ""); split($0, pair, ":"); value[pair[1]] = pair[2] }
        /^topology,/ { columns = split($0, name, ",") }
        columns && !/^topology,/ { split($0, field, ","); for (i = 1; i <= columns; i++) run[name[i]] = field[i] }
        END {
            printf "  %-6s  %-5s %11.5f%11.5f%12.0f%11d%13.0f%11d%8.1f ms\n", run["method"], run["ports"],
                   value["gamma_exact"], run["factor"], value["steps"], run["steps"], run["moved"], run["messages"],
                   1e3 * run["elapsed_s"]
        }'
}

echo "A Mandelbrot picture, computed on the cores of this machine in equal strips of tiles:"
"$MANDELBROT" 2>&1 >/dev/null | sed 's/^/  /'
echo
echo "The cost of its 16x16 tiles ($load) is the load of $topology, balanced by a thread for each processor:"
echo "                   factor per operation       steps to balance"
echo "  method  ports      theory   measured      theory   measured   load moved   messages       time"

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
for ports in all one; do
    for method in ade ode adf odf; do
        compare "$method" "$ports" >>"$rows"
        tail -n 1 "$rows"
    done
done

best=$(sort -n -k 6 "$rows" | awk 'NR == 1 { print "--method", $1, "--ports", $2 }')
# Words on purpose.
# shellcheck disable=SC2086
set -- run --topology "$topology" --load "file:$load" $best
echo
echo "The one with the fewest steps: evenkeel $* --heat"
echo
"$EVENKEEL" "$@" --heat

# The imbalance is the largest load over the mean load: that of the slowest processor over that of an average one.
after=$("$EVENKEEL" "$@" --quiet --carrier pool --format csv)
printf '%s\n' "$after" | awk -F, -v load="$load" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    NR == 2 {
        while ((getline line < load) > 0)
            if (line !~ /^#/) { sum += line; count++; most = line + 0 > most ? line + 0 : most }
        printf "\nBefore, the busiest processor had %.2f times the mean load; after %d steps of %s it has %.4f times.\n",
               most * count / sum, $column["steps"], $column["method"], $column["maximum"] / $column["mean_final"]
    }'
echo "Next: $EVENKEEL rank --topology $topology --load file:$load    # more methods on the same load"
