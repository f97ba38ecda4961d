#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the models of concurrent code in tests/models/. spin explores every order of events in *.pml, within the bounds
# of each run. Relacy runs *.cpp in random executions of C11's memory model. Each model must hold as it is, and must fail
# if a check is left out or a memory order is weakened. Without spin or Relacy its models are skipped, with a message.
# All models together take about a minute of processor time, most of it the compiler's, and a model changes seldom: the
# everyday run (tests/run.sh) takes one in twice TESTS_PART of each kind, from the first on.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
EXECUTIONS=${EXECUTIONS:-20000}

in_part() { # returns whether the next model of its kind is run
    nth=$((nth + 1))
    [ $(((nth - 1) % (${TESTS_PART:-1} > 1 ? 2 * ${TESTS_PART:-1} : 1))) -eq 0 ]
}

# spins MODEL WORDS...: prints whether the model holds with these definitions, or why it does not run.
spins() {
    model=$1
    shift
    (
        cd "$folder" && cp "$OLDPWD/tests/models/$model" . && spin -a "$@" "$model" &&
            gcc -O0 -w -DSAFETY -o pan pan.c && ./pan -m100000 -n
    ) >"$folder/err" 2>&1
    if grep -q 'max search depth too small\|out of memory' "$folder/err"; then
        echo "is cut short"
    elif grep -q 'errors: 0$' "$folder/err"; then
        echo holds
    elif grep -q 'assertion violated\|invalid end state (' "$folder/err"; then
        echo fails
    else
        echo "does not run"
    fi
}

# pml WANTED MODEL WORDS...
pml() {
    in_part || return 0
    wanted=$1
    shift
    expect "$*" "$wanted" "$(spins "$@")"
}

check_protocol() {
    nth=0
    pml holds protocol.pml -DOPERATIONS=2 -DFAULTS=2
    pml holds protocol.pml -DOPERATIONS=2 -DTOGETHER=0
    pml holds protocol.pml -DOPERATIONS=2 -DFAULTS=2 -DEXCLUSIVE=1
    pml holds protocol.pml -DOPERATIONS=2 -DTOGETHER=0 -DONE_PORT=1
    pml holds protocol.pml -DOPERATIONS=2 -DONCE=1
    pml holds protocol.pml -DN=3 -DTOGETHER=0 -DONE_PORT=1
    pml holds protocol.pml -DSNAPSHOTS=1 -DFAULTS=1
    pml fails protocol.pml -DSNAPSHOTS=1 -DLEFT_OUT=RECORD_BEFORE_MARKER
    pml fails protocol.pml -DSNAPSHOTS=1 -DLEFT_OUT=NOTE_OF_MESSAGES
    pml fails protocol.pml -DSNAPSHOTS=1 -DLEFT_OUT=AHEAD_OF_LOOK
    pml fails protocol.pml -DSNAPSHOTS=2 -DLEFT_OUT=ALL_PARTS
    pml fails protocol.pml -DFAULTS=1 -DLEFT_OUT=REFUSE_OVER_FAILED
    pml fails protocol.pml -DFAULTS=1 -DLEFT_OUT=RETURN_OVER_FAILED
    pml fails protocol.pml -DEXCLUSIVE=1 -DLEFT_OUT=WITHDRAW
    pml fails protocol.pml -DN=3 -DEXCLUSIVE=1 -DLEFT_OUT=DOMAIN_IN_USE
    pml fails protocol.pml -DN=3 -DTOGETHER=0 -DONE_PORT=1 -DLEFT_OUT=PORT_IN_USE
    pml fails protocol.pml -DONCE=1 -DLEFT_OUT=LINK_IN_USE
    pml fails protocol.pml -DONCE=1 -DLEFT_OUT=SERVES_ONE
    pml fails protocol.pml -DBOUND=1 # more messages come
}

check_announce() {
    nth=0
    pml holds announce.pml -DSNAPSHOTS=2 -DFAULTS=2
    pml fails announce.pml -DLEFT_OUT=OPEN
    pml fails announce.pml -DLEFT_OUT=MESSAGES
    pml fails announce.pml -DLEFT_OUT=AHEAD_OF_LOOK
    pml fails announce.pml -DSNAPSHOTS=2 -DLEFT_OUT=FULL_LINKS
    pml fails announce.pml -DFAULTS=2 -DLEFT_OUT=MENDING
}

check_recorder() {
    nth=0
    pml holds recorder.pml -DFAILS=1
    pml holds recorder.pml -DWORKERS=3 -DROUNDS=1 -DSPARE=0
    pml fails recorder.pml -DLEFT_OUT=OWN_NAME
    pml fails recorder.pml -DLEFT_OUT=LOOK_AGAIN
    pml fails recorder.pml -DLEFT_OUT=SAY_FREED
    pml fails recorder.pml -DLEFT_OUT=SAY_FILLED
    pml fails recorder.pml -DLEFT_OUT=LAST_CHUNKS
    pml fails recorder.pml -DLEFT_OUT=ALL_OF_THEM
    pml fails recorder.pml -DFAILS=1 -DLEFT_OUT=FREE_FAILED
}

# explored MODEL WEAKENED: prints Relacy's verdict.
explored() {
    "$folder/$1" "$EXECUTIONS" "$2" >"$folder/err" 2>&1
    sed -n 's/^\(holds\|fails\): .*/\1/p' "$folder/err"
}

# cpp MODEL MOST: runs the model as it is, and with each of its MOST orders weakened.
cpp() {
    in_part || return 0
    g++ -std=c++11 -O0 -w -o "$folder/$1" "tests/models/$1.cpp" >"$folder/err" 2>&1
    expect "$1.cpp" holds "$(explored "$1" 0)"
    for weakened in $(seq "$2"); do
        expect "$1.cpp, weakened $weakened" fails "$(explored "$1" "$weakened")"
    done
}

if command -v spin >/dev/null; then
    check_protocol
    check_announce
    check_recorder
else
    echo "skipped: tests/models/*.pml, because spin is not installed (Debian: spin)"
fi
if [ -e /usr/include/relacy/relacy.hpp ]; then
    nth=0
    cpp bell 4
    cpp mailbox 5
    cpp snapshot 8
    cpp barrier 9
else
    echo "skipped: tests/models/*.cpp, because Relacy is not installed (Debian: relacy-dev)"
fi
result
