#!/bin/sh
# SPDX-License-Identifier: MIT
# --plugin: the examples' methods, topologies and programs are listed, explained and run, and beside built-in ones that say
# the same they do the same; what is no plugin, or of another version, is refused with a sentence.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh

compile plugin -Wpedantic <examples/plugins/plugin.c
plugin=$folder/plugin.so

# run WORDS...: a run with the plugin; its final loads.
final() {
    status run --carrier pool:1 --final --format json "$@" >/dev/null
    python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
print(report["runs"][0]["final"], report["topology"]["links"])' "$folder/out"
}

expect "list" "petersen:N:K share:D" \
    "$("$EVENKEEL" list --plugin "$plugin" | awk '$1 ~ /^(petersen|share):/ { print $1 }' | xargs)"
expect "list without it" "" "$("$EVENKEEL" list | grep -E 'petersen|share:D')"
expect "explain" "share:D: a D-th of the difference" "$("$EVENKEEL" explain share --plugin "$plugin" | head -n 1)"
expect "theory" 0.5 "$("$EVENKEEL" theory --plugin "$plugin" --topology petersen --method share --format json |
    sed -n 's/.*"gamma_exact": \([0-9.]*\).*/\1/p' | cut -c 1-8 | sed 's/0*$//')"
expect "a run of both" 0 "$(status run --carrier pool:1 --plugin "$plugin" --topology petersen:7:2 --method share:4)"
expect "its topology" 1 "$(grep -c 'petersen:7:2: 14 processors, 21 links, 4 colours, diameter 3' "$folder/out")"
expect "its method beside one that is built in" "$(final --topology ring:8 --method diffusion:0.25)" \
    "$(final --plugin "$plugin" --topology ring:8 --method share:4)"

printf '%s\n' "0 1" "1 2" "2 3" "3 4" "0 4" "0 5" "1 6" "2 7" "3 8" "4 9" "5 7" "6 8" "7 9" "5 8" "6 9" >"$folder/petersen"
expect "its topology beside the same from a file" "$(final --topology "file:$folder/petersen")" \
    "$(final --plugin "$plugin" --topology petersen:5:2)"
expect "its topology in another" 0 "$(status run --carrier pool:1 --plugin "$plugin" --topology 'otis(petersen:3:1)')"
"$EVENKEEL" run --carrier pool:1 --plugin "$plugin" --topology petersen --format json >"$folder/run.json"
expect "the command in the record" 1 "$(grep -c "\"command\": \"evenkeel run .*--plugin $plugin" "$folder/run.json")"
expect "the record without the plugin" 0 "$(status show "$folder/run.json")"

refused() { # refused WHAT SENTENCE WORDS...
    what=$1
    sentence=$2
    shift 2
    expect "$what" 2 "$(status run --carrier pool:1 "$@")"
    expect "the sentence of $what" "evenkeel: $sentence" "$(head -n 1 "$folder/err")"
}
refused "a parameter that a family refuses" "petersen needs N:K with N from 3 to 100000 and 0 < 2 K < N" \
    --plugin "$plugin" --topology petersen:4:2
refused "a parameter that a method refuses" "share needs a D of 5 at least, the degree and 1 more" \
    --plugin "$plugin" --method share:4.5
refused "a plugin twice" "plugin $plugin: a method needs a name that no other method has" --plugin "$plugin,$plugin"
echo 'int nothing;' | compile other
refused "another object" "$folder/other.so is no plugin: it exports no struct ek_plugin called evenkeel_plugin" \
    --plugin "$folder/other.so"
compile old -DEK_VERSION='"0.0.0"' <examples/plugins/plugin.c
refused "another version" "plugin $folder/old.so: it was built for evenkeel 0.0.0, and this is $(cat VERSION): compile \
it again with this one's header" --plugin "$folder/old.so"
refused "no file" "a plugin cannot be opened: ./none.so: cannot open shared object file: No such file or directory" \
    --plugin none.so

# A sweep hands it to its processes, and to the line of each run.
expect "a sweep" 0 "$(status sweep --plugin "$plugin" --method share,ade --topology ring:6 --seed 1..3 --store "$folder/s.sqlite" \
    --format json)"
expect "its runs" 6 "$(sed -n 's/.*"ran": \([0-9]*\).*/\1/p' "$folder/out")"
line=$("$EVENKEEL" results --store "$folder/s.sqlite" --where method=share --columns command --format csv | sed -n '2s/^"\(.*\)"$/\1/p')
[ -n "$line" ] || line=$("$EVENKEEL" results --store "$folder/s.sqlite" --where method=share --columns command --format csv | sed -n 2p)
expect "a line runs" 0 "$(sh -c "$EVENKEEL ${line#evenkeel } --quiet" 2>"$folder/err"; echo $?)"
expect "the plugin is in it" 1 "$(echo "$line" | grep -c -- "--plugin $plugin ")"

# A run that is made counts, whatever errno it leaves behind: the report of a run asks for the steps of the paper last.
plugin stale share ROUNDS='.paper_steps = paper_steps' FUNCTIONS='
static const char *paper_steps(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps)
{
    (void)plan, (void)counted, (void)steps;
    errno = ENOMEM;
    return NULL;
}'
expect "an old errno" 0 "$(status sweep --plugin "$folder/stale.so" --method stale --topology ring:6 --seed 1..3 \
    --store "$folder/e.sqlite" --format json)"
expect "loses no run" 3 "$(sed -n 's/.*"ran": \([0-9]*\).*/\1/p' "$folder/out")"

# A plugin that calls the library finds it in the command: where it is this one, the method is already there.
compile caller <<'C'
#include <evenkeel.h>

static struct ek_link *make(const char *parameter, uint64_t seed, uint32_t *processors, size_t *links,
                            struct ek_error *error)
{
    (void)parameter, (void)seed, (void)error;
    struct ek_topology *ring = ek_topology_create("share", 1, (struct ek_reader){0}, error);
    ek_topology_destroy(ring);
    *processors = *links = ek_method_find("share") ? 7 : 0;
    return 0;
}

static const struct ek_family family = {.name = "caller", .choice = {"caller", "calls"}, .make = make};
static const struct ek_family *const families[] = {&family, 0};
const struct ek_plugin evenkeel_plugin = {.version = EK_VERSION, .families = families};
C
refused "a plugin that calls the library, beside another" \
    "there is no topology called 'share': did you mean star?" --plugin "$plugin,$folder/caller.so" --topology caller

# What a plugin's method does wrong ends the run with a sentence, in each timing and on each carrier.
violates() { # violates NAME SENTENCE WORDS...
    name=$1
    sentence=$2
    shift 2
    expect "$name $*" 1 "$(status run --plugin "$folder/$name.so" --method "$name" --topology ring:8 --load peak:800 --seed 3 \
        --steps 50 "$@")"
    expect "the sentence of $name $*" 1 "$(head -n 1 "$folder/err" | grep -cE "^evenkeel: $name $sentence\$")"
    : >"$folder/err"
}
plugin mutual 'view->processor % 2 ? share / 2 : share' MUTUAL=true
for carrier in threads pool:1 pool:3; do
    violates mutual 'is not mutual: in step 0 it returned 266.6666666666666[0-9]* for port 0 of processor 0, and 133.3333333333333[0-9]* at the other end of the link' \
        --carrier $carrier
done
plugin nan 'view->processor == 3 && port == 1 ? (double)NAN : share'
violates nan 'returned nan for port 1 of processor 3 in step 0: an amount must be a finite number' --carrier pool:2
violates nan 'returned nan for port 1 of processor 3 in step 0: an amount must be a finite number' --carrier pool:2 --timing turns
plugin over '4 * share'
violates over 'sends more than a processor holds: by step 1 a load was -[0-9.]*; a method that may do so sets supports.overdraws' \
    --carrier pool:1
plugin whole share UNITS=EK_TOKENS
violates whole 'returned 266.667 for port 0 of processor 0 in step 0: an amount must be whole in tokens' --carrier pool:1
for name in nan over whole; do
    expect "$name in free timing" 1 "$(status run --plugin "$folder/$name.so" --method $name --topology ring:8 --timing free \
        --carrier pool:2 --for 2s)"
    expect "its sentence" 1 "$(head -n 1 "$folder/err" | grep -c "^evenkeel: $name .* in operation [0-9]*")"
    : >"$folder/err"
done
# In virtual time the sentence does not depend on the workers either, though many processors violate in one window.
for workers in 1 2 5; do
    expect "in virtual time on $workers workers" 1 "$(status run --plugin "$folder/whole.so" --method whole \
        --topology torus:16x16 --load uniform:0:100 --seed 3 --timing virtual --latency 1us --carrier pool:$workers)"
    head -n 1 "$folder/err" >>"$folder/sentences"
done
expect "sentences in virtual time" 1 "$(sort -u "$folder/sentences" | grep -c "^evenkeel: whole .* in operation 0")"
expect "they are equal" 1 "$(sort -u "$folder/sentences" | wc -l)"
: >"$folder/err"
# With a loop of its own amounts are checked in samples: step 3 is none, but nothing moves in it, so it is checked again.
plugin rests 'view->processor > 0 || port > 0 ? 0.0 * share : view->load > 1 ? 1.0 : (double)NAN' UNITS=EK_TOKENS \
    ROUNDS='.block_tokens = block' FUNCTIONS='static void block(struct ek_block *block) { ek_block_flows(block, flow); }'
expect "no number in an unsampled step" 1 "$(status run --plugin "$folder/rests.so" --method rests --topology ring:8 \
    --units tokens --load list:4,0,0,0,0,0,0,0 --stop neighbours:1 --carrier pool:1)"
expect "its sentence" "evenkeel: rests returned nan for port 0 of processor 0 in step 4: an amount must be a finite number" \
    "$(head -n 1 "$folder/err")"
: >"$folder/err"
plugin unitless share UNITS=0
refused "a method without units" "plugin $folder/unitless.so: the method unitless supports no units or no ports: set supports.units and \
supports.ports" --plugin "$folder/unitless.so" --method unitless

# Methods and a program that do not return. The commands run at the same time, since each needs some seconds to give up.
begin() { # begin NAME WORDS...: starts the command; what it prints and its status go to files in $folder/NAME
    began=$1
    shift
    mkdir -p "$folder/$began"
    "$EVENKEEL" "$@" >"$folder/$began/out" 2>"$folder/$began/err" &
    eval "$began=$!"
}
ended() { # ended NAME: waits for the command, which has $ended as its status
    eval "wait \$$1"
    ended=$?
    cp "$folder/$1/out" "$folder/$1/err" "$folder"
}
# program NAME CODE: the example's program with CODE at the beginning of `execute`.
program() {
    sed -e "s/squares/$1/g" -e "s/^    (void)problem;\$/    (void)problem; $2/" examples/plugins/squares.c | compile "$1"
}
plugin endless 'endless(view) ? 0 : share' FUNCTIONS='
static bool endless(const struct ek_view *view)
{
    volatile bool still = view->seed == 2;
    while (still) {
    }
    return false;
}'
program loops 'for (volatile int i = 0; i < 1; i = 0) {}'
# Another method makes the file $BEGUN before it loops.
mkdir "$folder/begins"
(
    folder=$folder/begins
    plugin endless 'endless(view) ? 0 : share' FUNCTIONS='
static bool endless(const struct ek_view *view)
{
    volatile bool still = view->degree > 0;
    fclose(fopen(getenv("BEGUN"), "w"));
    while (still) {
    }
    return false;
}'
)
expect "a recording" 0 "$(status run --plugin "$folder/endless.so" --method endless --topology ring:8 --timing free --seed 1 \
    --stop never --operations 9 --record "$folder/e.ek")"

begin runs run --plugin "$folder/endless.so" --method endless --topology ring:8 --runs 3 --for 1s --carrier pool:1 --format csv
begin tasks run --carrier pool:1 --plugin "$folder/loops.so" --tasks loops:9 --method adf --for 1s
begin sweep sweep --plugin "$folder/endless.so" --method endless --topology ring:8 --seed 1..3 --for 1s \
    --store "$folder/endless.sqlite" --format json
signalled="run explore rank replay"
for words in "run --topology ring:8 --method endless" "explore --topology ring:8 --method endless" \
    "rank --topology ring:8 --method endless,ade" "replay $folder/e.ek"; do
    # Words on purpose.
    # shellcheck disable=SC2086
    BEGUN=$folder/begun.${words%% *} begin ${words%% *} $words --plugin "$folder/begins/endless.so"
done
for name in $signalled; do
    soon test -e "$folder/begun.$name"
    eval "kill -TERM \$$name"
done
for name in $signalled; do
    ended "$name"
    expect "$name after one signal" 4 "$ended"
    expect "its sentence" "evenkeel: $name does not end, perhaps because the plugin $folder/begins/endless.so does not \
return: evenkeel check $folder/begins/endless.so tests its methods" "$(sed 's/^\(evenkeel: run\) 1 /\1 /' "$folder/err")"
done
# The runs before such a run are reported, and a sweep goes on.
ended runs
expect "a method that does not return" 4 "$ended"
expect "its sentence" "evenkeel: run 2 does not end, perhaps because the plugin $folder/endless.so does not return: \
evenkeel check $folder/endless.so tests its methods" "$(head -n 1 "$folder/err")"
expect "the run before it" 2 "$(wc -l <"$folder/out")"
ended tasks
expect "a program that does not return" 4 "$ended"
expect "its sentence" "evenkeel: run 1 does not end, perhaps because the plugin $folder/loops.so does not return: evenkeel check \
$folder/loops.so tests its methods" "$(head -n 1 "$folder/err")"
ended sweep
expect "a sweep over it" 3 "$ended"
expect "what it says" 1 "$(grep -c '"why": "it went on 5 s after its time limit: its method or its program does not return"' "$folder/out")"
expect "its other runs" 2 "$(sed -n 's/.*"ran": \([0-9]*\).*/\1/p' "$folder/out")"
: >"$folder/err"

plugin crash 'view->load > 0 ? *(double *volatile){NULL} : share'
expect "a crash" 139 "$(sh -c '"$@" >/dev/null 2>"$0"; exit $?' "$folder/err" "$EVENKEEL" run --plugin "$folder/crash.so" \
    --method crash --topology ring:8; echo $?)"
expect "its sentence" 1 "$(grep -cx "evenkeel: the command crashed, perhaps in the plugin $folder/crash.so: evenkeel check \
$folder/crash.so tests its methods" "$folder/err")"
: >"$folder/err"

# A program of tasks: the example counts what a serial count finds. (N, ways): (7, 1), (12, 5), (20, 430).
compile squares -Wpedantic <examples/plugins/squares.c
squares=$folder/squares.so
expect "the example is shorter than 60 lines" yes "$([ "$(wc -l <examples/plugins/squares.c)" -lt 60 ] && echo yes)"
for case in 7:1 12:5 20:430; do
    expect "squares:${case%:*}" 0 "$(status run --carrier pool:2 --plugin "$squares" --tasks "squares:${case%:*}" --method adf \
        --format json)"
    expect "its ways" "${case#*:}" "$(sed -n 's/.*"result": \([0-9]*\), "ticks".*/\1/p' "$folder/out")"
done
expect "programs in the list" "squares:N" "$("$EVENKEEL" list tasks --plugin "$squares" | awk '$1 ~ /^squares/ { print $1 }')"
expect "explain a program" 1 "$("$EVENKEEL" explain squares --plugin "$squares" | grep -c '^  squares:N  *the ways to form')"
refused "a parameter that a program refuses" "squares needs N, from 1 to 60" --plugin "$squares" --tasks squares:61
refused "a program twice" "plugin $squares: a program needs a name that no other program has, of at most 31 letters, digits \
and '-'" --plugin "$squares,$squares"
expect "a check of a program" 2 "$(status check "$squares")"
expect "its sentence" "evenkeel: $squares has no methods to check; to check its programs, name a problem: evenkeel check \
PROGRAM:PROBLEM --plugin $squares" "$(head -n 1 "$folder/err")"
expect "which works" 0 "$(status check squares:9 --plugin "$squares" --runs 5)"
: >"$folder/err"

program forgetful 'static int count; execution->cost = 1 + count++ % 2;'
refused "a program that answers differently" "the program forgetful answers differently when it is asked again: a task has \
another cost when it is executed once more; execute may depend on the problem, the task and the best value only" \
    --plugin "$folder/forgetful.so" --tasks forgetful:9 --method adf
program dead 'abort();'
expect "a program that crashes" 134 "$(sh -c '"$@" >/dev/null 2>"$0"; exit $?' "$folder/err" "$EVENKEEL" run --carrier pool:1 \
    --plugin "$folder/dead.so" --tasks dead:9 --method adf; echo $?)"
expect "its sentence" 1 "$(grep -cx "evenkeel: the command crashed, perhaps in the plugin $folder/dead.so: evenkeel check \
$folder/dead.so tests its methods" "$folder/err")"
: >"$folder/err"
result
