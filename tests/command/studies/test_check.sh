#!/bin/sh
# SPDX-License-Identifier: MIT
# `evenkeel check`: plugins that break one promise each are found by that promise's name, and a good one keeps them all.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh

checked() { # checked NAME TIMEOUT: tests its promises
    "$EVENKEEL" check "$folder/$1.so" --runs 12 --timeout "$2" --format json >"$folder/$1.json" 2>"$folder/$1.err"
    echo $? >"$folder/$1.status"
}
broken() { # broken NAME: the promises that it breaks, in JSON
    [ -e "$folder/$1.status" ] || checked "$1" 60s
    cp "$folder/$1.json" "$folder/out"
    cp "$folder/$1.err" "$folder/err"
    cp "$folder/$1.status" "$folder/status"
    python3 - "$folder/out" <<'P'
import json, sys
report = json.load(open(sys.argv[1]))
assert report["schema"] == "evenkeel.check/1" and len(report["methods"]) == 1 and report["seed"] == 1
method = report["methods"][0]
broken = [promise for promise in method["promises"] if promise["verdict"] == "broken"]
assert method["broken"] == len(broken) and len(method["promises"]) == 9 and method["refused"] == 0
assert all(promise["command"] and promise["why"] and 1 <= promise["seed"] <= 12 for promise in broken)
assert all(bool(promise["beside"]) == (promise["name"] == "carriers") for promise in broken)
assert all(promise["runs"] > 0 for promise in method["promises"] if promise["verdict"] == "holds")
print(" ".join(promise["name"] for promise in broken))
P
}

# Only runs that never end wait for the timeout, asleep, and the other tests go on meanwhile.
plugin termination '({ while (view->load > 3) { usleep(1000); } share; })'
checked termination 4s &
endless=$!

plugin good share MUTUAL=true
expect "a good plugin" "" "$(broken good)"
expect "its status" 0 "$(cat "$folder/status")"
expect "its verdict" "check: good keeps all 8 promises that were tested" \
    "$(status check "$folder/good.so" --runs 12 --quiet >/dev/null; cat "$folder/out")"

bad() { # bad NAME FLOW [MACRO=VALUE...]: a plugin that breaks the promise of its name, and no other
    plugin "$@"
    breaks_its_own "$1"
}
breaks_its_own() { # breaks_its_own NAME
    expect "a plugin that breaks $1" "$1" "$(broken "$1")"
    expect "its status" 1 "$(cat "$folder/status")"
}
bad mutual 'view->processor % 2 ? share / 2 : share' MUTUAL=true
bad bounds '3 * share * view->degree'
bad tokens share UNITS=EK_TOKENS
bad crash 'view->load > 3 ? (abort(), 0) : share'
bad conservation share ROUNDS='.block = block' \
    FUNCTIONS='static void block(struct ek_block *block) { ek_block_flows(block, flow); block->held[0] += block->begin == 0; }'
bad carriers share ROUNDS='.block = block' FUNCTIONS='
static void block(struct ek_block *block)
{
    uint32_t last = block->end - 1;
    ek_block_flows(block, flow);
    double half = last > block->begin ? block->held[last] / 2 : 0.0;
    block->held[last] -= half;
    block->held[block->begin] += half;
}'
bad ports share LINKS=EK_LINKS_CHOSEN ROUNDS='.takes_part = half' \
    FUNCTIONS='static bool half(const struct ek_view *view, unsigned port) { return view->processor % 2 == port % 2; }'
plugin draws 'share / (1 + ++calls % 3)' FUNCTIONS='static volatile unsigned calls;'
expect "a plugin that computes something else each time" "determinism carriers" "$(broken draws)"
plugin nan 'share == 0 ? share / share : share'
expect "a plugin that returns NaN" bounds "$(broken nan)"

wait $endless
breaks_its_own termination

# Of the experiments that break a promise, the first is reported.
first() {
    status check "$folder/mutual.so" --runs "$1" --format json >/dev/null
    python3 -c 'import json, sys; print(*[(p["seed"], p["command"], p["why"]) for p in json.load(open(sys.argv[1]))["methods"][0]["promises"] if p["command"]])' "$folder/out"
}
expect "the first of twelve" "$(first 1)" "$(first 12)"
expect "is there" yes "$([ -n "$(first 1)" ] && echo yes)"

# Ctrl-C in an endless run breaks no promise.
has_child() {
    [ -n "$(cat "/proc/$1/task/$1/children" 2>/dev/null)" ]
}
for format in table json; do
    "$EVENKEEL" check "$folder/termination.so" --runs 12 --timeout 300s --format $format >"$folder/out" 2>"$folder/err" &
    checking=$!
    soon has_child $checking
    kill -TERM $checking
    wait $checking
    expect "Ctrl-C" 3 $?
    expect "its sentence" "evenkeel: interrupted: no promise was found broken before" "$(cat "$folder/err")"
    [ $format = json ] || expect "its verdict" "check: no promise of termination was tested" "$(tail -n 1 "$folder/out")"
done
expect "nothing is broken" 0 "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["methods"][0]["broken"])' "$folder/out")"
: >"$folder/err"

# The command that shows it, pasted.
status check "$folder/mutual.so" --runs 3 --format json >/dev/null
line=$(python3 -c 'import json, sys; print([p["command"] for p in json.load(open(sys.argv[1]))["methods"][0]["promises"] if p["command"]][0])' "$folder/out")
expect "the pasted command" 1 "$(sh -c "$EVENKEEL ${line#evenkeel }" >/dev/null 2>"$folder/err"; echo $?)"
expect "its sentence" 1 "$(grep -c '^evenkeel: mutual is not mutual: in step 0 it returned .* at the other end of the link$' "$folder/err")"
: >"$folder/err"

# The built-in methods keep their promises; the same seed says the same.
for method in ade odf gde:0.8 dde twa dem matching liquid:c5 nna splitting:1/3 local-average random-neighbours:2 'sender:1/(deg+1)' \
    fos sos opt ops 'adi(opt)' 'mdi(fos)' 'de(opt)' 'de-adi(ops)' 'ded(opt)' partners:3 tempered; do
    expect "$method" 0 "$(status check "$method" --runs 6 --quiet)"
done
expect "an experiment of a seed" "$(status check nna --seed 5 --runs 2 >/dev/null; cat "$folder/out")" \
    "$(status check nna --seed 5 --runs 2 >/dev/null; cat "$folder/out")"

refused() { # refused SENTENCE WORDS...
    sentence=$1
    shift
    expect "$* is refused" 2 "$(status check "$@")"
    expect "the sentence of $*" "evenkeel: $sentence" "$(head -n 1 "$folder/err")"
    : >"$folder/err"
}
refused "there is no method called 'adee': did you mean ade?" adee
refused "a plugin cannot be opened: ./none.so: cannot open shared object file: No such file or directory" none.so
refused "adi needs a scheme in parentheses, as in adi(opt)" adi
# Programs of tasks: a good one, and one that breaks each promise.
breaks() { # breaks NAME [MACRO=VALUE...]: the promises of a program that it breaks, in JSON
    program_plugin "$@"
    "$EVENKEEL" check sums --plugin "$folder/$1.so" --runs 40 --timeout "$([ "$1" = termination ] && echo 2s || echo 60s)" --format json \
        >"$folder/out" 2>"$folder/err"
    echo $? >"$folder/status"
    python3 - "$folder/out" <<'P'
import json, sys
(program,) = json.load(open(sys.argv[1]))["methods"]
broken = [promise for promise in program["promises"] if promise["verdict"] == "broken"]
assert program["program"] == "sums" and program["broken"] == len(broken) and len(program["promises"]) == 7
assert all(promise["command"].startswith("evenkeel run") and promise["why"] for promise in broken)
assert all(promise["runs"] > 0 for promise in program["promises"] if promise["verdict"] == "holds")
print(" ".join(promise["name"] for promise in broken))
P
}
expect "a good program" "" "$(breaks good_sums)"
expect "its status" 0 "$(cat "$folder/status")"
expect "all promises were tested" 7 "$(grep -o '"verdict": "holds"' "$folder/out" | wc -l)"
expect "an impure program" pure "$(breaks pure 'COST=1+calls%2' | cut -d ' ' -f 1)"
expect "its status" 1 "$(cat "$folder/status")"
expect "a cost of 0" limits "$(breaks limits COST=0)"
expect "a task that is too long" sizes "$(breaks sizes 'WRITES=room[8]=1;')"
expect "a task that changes" sizes "$(breaks changes 'BEFORE=((char*)task)[0]^=1;')"
expect "a bound above a leaf" "bounds" "$(breaks bounds 'BOUND=node.sum+(node.level==3&&node.sum<7)*9' | cut -d ' ' -f 1)"
expect "a result that depends on the order" result "$(breaks order 'BEFORE=if(node.level==1&&execution->best!=EK_NO_VALUE)return;')"
expect "an endless task" termination "$(breaks termination 'BEFORE=while(node.sum>3)usleep(1000);')"
expect "a crash" crash "$(breaks crash 'BEFORE=if(node.sum>3)abort();')"
expect "a known program" "0 check: tsp:7:1 keeps all 7 promises that were tested" \
    "$(status check tsp:7:1 --runs 10 --quiet) $(cat "$folder/out")"
expect "independent tasks" 0 "$(status check bag:uniform:1:9 --runs 10 --quiet)"
expect "a problem that is too large" 2 "$(status check uts:t1 --runs 10)"
expect "its sentence" "evenkeel: this problem has more than 100,000 tasks: choose a smaller one for a check" "$(cat "$folder/err")"
expect "a problem that is none" 2 "$(status check queens:0)"
: >"$folder/err"
result
