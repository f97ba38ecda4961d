#!/bin/sh
# SPDX-License-Identifier: MIT
# Tables to be pasted: the cells of Markdown and LaTeX are those of the table, also if they have special characters, and
# have the values of JSON.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
EVENKEEL=$(readlink -f "$EVENKEEL")
checks=$(readlink -f tests/command/studies/check_paste.py)
cd "$folder" || exit 1

odd='a_b|c&%$#~^\<[*`>"--.txt'
printf '0 1\n1 2\n2 3\n' >"$odd"
cp "$odd" '[x*].txt'
expect "a sweep" 0 "$(status sweep --topology "file:$odd,file:[x*].txt,ring:{4..16*2}" --method ade,fos --stop variance:1 \
    --seed 1..5 --store s.sqlite --quiet)"

# same NAME WORDS...: the three formats of a command agree.
same() {
    name=$1
    shift
    for format in table markdown latex json; do
        expect "$name as $format" 0 "$(status "$@" --format "$format")"
        cp out "$format"
    done
    expect "$name: the cells" "" "$(python3 "$checks" "$name" 2>&1)"
}
same list results --store s.sqlite --where 'seed=1' --columns topology,steps,ended,seed
same means results --store s.sqlite --group topology,method --columns steps
same theory theory --topology torus:4x4
same rank rank --topology ring:8 --method ade,ode,fos,none --by steps --stop variance:1 --runs 5
same papers papers --list xu-52 liquid
expect "a quiet table" 0 "$(status rank --topology ring:8 --method ade,ode --runs 5 --format latex --quiet)"
expect "is another output" 1 "$(grep -c '^.toprule' out)"
expect "run has no such format" 2 "$(status run --format latex)"
expect "it says so" "evenkeel: there is no value of --format called 'latex': choose one of table, json, csv" "$(head -n 1 err)"

# Verdicts, from a claim that takes little time.
for format in markdown latex json; do
    expect "a verdict as $format" 0 "$(status papers xu-44 --quick --store p.sqlite --format "$format")"
    cp out "$format"
done
expect "a verdict: the cells" "" "$(python3 "$checks" verdict 2>&1)"

if command -v pdflatex >/dev/null; then
    {
        printf '%s\n' '\documentclass{article}' '\usepackage[T1]{fontenc}' '\usepackage{booktabs}' '\begin{document}'
        "$EVENKEEL" results --store s.sqlite --group topology,method --columns steps --format latex
        printf '%s\n' '\end{document}'
    } >t.tex
    expect "LaTeX takes it" 0 "$(pdflatex -halt-on-error -interaction=batchmode t.tex >"$folder/out" 2>&1; echo $?)"
else
    echo "skipped: LaTeX: texlive-latex-base is not there"
fi
result
