#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs to a temporary place, builds programs in C and C++ against what was installed, shared and static, runs them,
# and uninstalls: nothing may be left. The public header's table of who may call what when must name every function.
set -u
cd "$(dirname "$0")/../.." || exit 1

passed=0
failed=0
expect() { # expect WHAT COMMAND...
    what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "failed: $what"
    fi
}

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
install() {
    ${MAKE:-make} --no-print-directory "$1" DESTDIR="$place" PREFIX=/opt/keel >"$place.log" 2>&1 ||
        { cat "$place.log"; false; }
}

cat >"$place/small.c" <<'C'
#include <evenkeel.h>
#include <stdio.h>

int main(void)
{
    struct ek_error error;
    struct ek_experiment experiment = {.topology = "ring:8", .method = "ade", .load = "peak:800"};
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    struct ek_report report;
    if (!machine || ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK) {
        fprintf(stderr, "%s\n", error.sentence);
        return 1;
    }
    printf("%.0f\n", report.total_final);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    return 0;
}
C

# The same in C++, with a method's loop.
cat >"$place/small.cpp" <<'C'
#include <evenkeel/wide.h>
#include <cstdio>
#include <cstring>

static double poorer_flow(const struct ek_view *view, unsigned port)
{
    return 0.25 * (view->load - view->announced[port]);
}

static void poorer_block(struct ek_block *block)
{
    ek_block_flows(block, poorer_flow);
}

static EK_WIDE void poorer_block_wide(struct ek_block *block)
{
    ek_block_wide(block, poorer_flow);
}

static bool poorer_prepare(struct ek_plan *, const char *, int, const struct ek_setting *, struct ek_error *)
{
    return true;
}

int main()
{
    struct ek_texts texts = ek_texts();
    texts.title = "a quarter of the difference";
    struct ek_rule rule = ek_rule();
    rule.flow = poorer_flow;
    rule.mutual = true;
    struct ek_rounds_part rounds = ek_rounds_part();
    rounds.block = poorer_block;
    rounds.block_wide = poorer_block_wide;
    struct ek_method poorer = ek_method();
    poorer.name = "poorer";
    poorer.texts = &texts;
    poorer.supports.units = EK_REAL;
    poorer.supports.ports = EK_ALL_PORTS;
    poorer.links = EK_LINKS_ALL;
    poorer.prepare = poorer_prepare;
    poorer.rule = &rule;
    poorer.rounds = &rounds;
    struct ek_experiment experiment = ek_experiment();
    experiment.topology = "ring:32";
    experiment.carrier = "pool:1";
    experiment.method = "poorer";
    experiment.load = "peak:800";
    struct ek_error error;
    struct ek_machine *machine = ek_method_register(&poorer, &error) ? ek_prepare(&experiment, &error) : NULL;
    struct ek_report report;
    if (!machine || ek_run(machine, 0, &report, NULL, NULL, &error) != EK_OK) {
        std::fprintf(stderr, "%s\n", error.sentence);
        return 1;
    }
    std::printf("%.0f\n", report.total_final);
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    return 0;
}
C

# The example's method as it is and with the machine calling its rule: the same loads to the last bit. It says nothing
# of a matrix, so the theory says nothing of it.
cp examples/own_method.c "$place/"
cat >"$place/both_loops.c" <<'C'
#define main example_main
#include "own_method.c"
#undef main
#include <stdlib.h>
#include <string.h>

enum { PROCESSORS = 64 };

static unsigned loops;

static void counted_block(struct ek_block *block)
{
    loops++;
    poorest_block(block);
}

static void require(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "both_loops: %s\n", what);
        exit(1);
    }
}

static void require_no_theory(const struct ek_machine *machine)
{
    struct ek_theory theory;
    struct ek_fact facts[EK_FACTS_MAX];
    ek_theory_find(machine, &theory);
    require(!theory.has_exact && !theory.has_closed && !theory.note[0], "the theory claims a gamma");
    for (size_t i = ek_facts_find(machine, facts, EK_FACTS_MAX); i-- > 0;) {
        require(strcmp(facts[i].name, "gamma") != 0, "the facts claim a gamma");
    }
}

static unsigned long long run(const struct ek_method *method, unsigned steps_max, double *final)
{
    struct ek_experiment experiment = {.topology = "torus:8x8",
                                       .method = method->name,
                                       .load = "peak:6400",
                                       .carrier = "pool:1",
                                       .steps_max = steps_max,
                                       .keep_loads = true};
    struct ek_error error;
    struct ek_report report;
    require(ek_method_find(method->name) || ek_method_register(method, &error), "not registered");
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    require(machine != NULL, "not prepared");
    require_no_theory(machine);
    require(ek_run(machine, 0, &report, NULL, NULL, &error) == (steps_max ? EK_UNREACHED : EK_OK), "another end");
    require(strcmp(report.why, steps_max ? "the limit on steps ended the run" : "") == 0, report.why);
    memcpy(final, report.final, PROCESSORS * sizeof *final);
    unsigned long long steps = report.steps;
    ek_report_destroy(&report);
    ek_machine_destroy(machine);
    return steps;
}

int main(void)
{
    struct ek_method inlined = poorest, called = poorest;
    double final[2][PROCESSORS];
    inlined.name = "inlined";
    inlined.rounds = &(const struct ek_rounds_part){.block = counted_block};
    called.name = "called";
    called.rounds = &(const struct ek_rounds_part){0};
    for (unsigned steps_max = 0; steps_max < 8; steps_max += 7) {
        require(run(&inlined, steps_max, final[0]) == run(&called, steps_max, final[1]), "the steps differ");
        require(memcmp(final[0], final[1], sizeof final[0]) == 0, "the loads differ");
    }
    require(loops > 0, "the inlined loop was not used");
    puts(ek_version());
    return 0;
}
C

flags() { # flags OPTIONS: what pkg-config says of the copy in its temporary place
    PKG_CONFIG_PATH="$place/opt/keel/lib/pkgconfig" pkg-config --define-prefix "$@" evenkeel
}
compile() { # compile SOURCE OUTPUT OPTIONS...
    source=$1
    output=$2
    shift 2
    # shellcheck disable=SC2046
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror "$source" -o "$place/$output" $(flags --cflags --libs "$@")
}
compile_cpp() { # compile_cpp STANDARD
    # shellcheck disable=SC2046
    g++ -std="$1" -Wall -Wextra -Wpedantic -Werror "$place/small.cpp" -o "$place/small_$1" $(flags --cflags --libs)
}
# The table is the comment before the header's first line of code. It says that ek_NAME_sized and ek_NAME_for follow the rules of
# ek_NAME, which it must have.
table_complete() {
    sed -n '/^#/q;p' "$place/opt/keel/include/evenkeel.h" >"$place/table"
    nm -D --defined-only "$place/opt/keel/lib/libevenkeel.so" | awk '{ print $3 }' | while read -r name; do
        grep -qw "$(echo "$name" | sed 's/_\(sized\|for\)$//')" "$place/table" || { echo "$name is not in the table"; exit 1; }
    done
}
static() {
    rm "$place"/opt/keel/lib/libevenkeel.so*
    compile "$place/small.c" small_static --static
}
installed() { # installed PROGRAM: runs it with the installed shared library
    LD_LIBRARY_PATH="$place/opt/keel/lib" "$place/$1"
}
own_method() {
    installed own_method | grep -q '^poorest: variance .* of load moved$'
}
# Each example prints what it did when it was written: rounds are the same everywhere.
own_topology() {
    says "1 joint : diameter 9, balanced after 128 steps
2 joints: diameter 5, balanced after 45 steps" installed own_topology
}
host() {
    says "step  0   1 processors have load  variance 100.0 %
step  1   3 processors have load  variance  42.4 %
step 23  36 processors have load  variance   0.9 %
seen enough after 23 steps and 3870 messages" installed_host
}
installed_host() {
    installed host | sed -n -e 1,2p -e '/^step 23/,$p'
}
compile_compare() {
    # shellcheck disable=SC2046
    g++ -std=c++11 -Wall -Wextra -Wpedantic -Werror examples/compare.cpp -o "$place/compare" $(flags --cflags --libs)
}
compare() {
    says "ade    5 steps
sos   10 steps
dde   15 steps
adf   18 steps
odf   18 steps" installed compare
}
# A plugin is not linked with the library, and the installed command loads it.
compile_plugin() {
    # shellcheck disable=SC2046
    gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -shared -fPIC examples/plugins/plugin.c -o "$place/plugin.so" \
        $(flags --cflags)
}
plugin() {
    "$place/opt/keel/bin/evenkeel" run --plugin "$place/plugin.so" --topology petersen:7:2 --method share:4 --carrier pool --quiet
}
# MPI's object is found from where it was installed, if it was built.
ranks() {
    "$place/opt/keel/bin/evenkeel" doctor | grep '^mpi'
}
short() { # short FILE: under 60 lines
    [ "$(wc -l <"$1")" -lt 60 ]
}
# A Python with what the package needs and what builds it, or nothing. pip gets no network, and a copy, where it leaves files.
python=$(for one in python3 /usr/bin/python3; do
    "$one" -c 'import setuptools, cffi, numpy, pip, wheel' 2>/dev/null && command -v "$one" && break
done)
pip() {
    cp -r bindings/python "$place/source"
    EVENKEEL_INCLUDE="$place/opt/keel/include" EVENKEEL_VERSION="$(flags --modversion)" "$python" -m pip install --quiet \
        --no-index --no-build-isolation --no-deps --root-user-action=ignore --target "$place/python" "$place/source"
}
python_run() {
    EVENKEEL_LIBRARY="$place/opt/keel/lib/libevenkeel.so.0" EVENKEEL="$place/opt/keel/bin/evenkeel" PYTHONPATH="$place/python" \
        "$python" -B -c 'import importlib.metadata, evenkeel as ek
print(importlib.metadata.version("evenkeel"), ek.run(topology="ring:8", method="ade", load="peak:800").final.sum().round(6))'
}
says() { # says WHAT COMMAND...
    what_it_says=$1
    shift
    [ "$("$@")" = "$what_it_says" ]
}
empty() {
    [ -z "$(find "$place/opt" -type f -o -type l)" ] && [ ! -e "$place/opt/keel/include/evenkeel" ]
}

expect "make install" install install
expect "the version" [ "$(flags --modversion)" = "$(cat VERSION)" ]
expect "the installed command" "$place/opt/keel/bin/evenkeel" version >/dev/null
expect "the manual page" [ -s "$place/opt/keel/share/man/man1/evenkeel.1" ]
expect "a program against the shared library" compile "$place/small.c" small
expect "the program's answer" says 800 installed small
for standard in c++11 c++17; do
    expect "a program in $standard" compile_cpp $standard
    expect "that program's answer" says 800 installed "small_$standard"
done
expect "who may call what when" table_complete
expect "a method of one's own against the shared library" compile examples/own_method.c own_method
expect "that method's run" own_method
expect "that method's length" short examples/own_method.c
expect "a topology of one's own" compile examples/own_topology.c own_topology
expect "that topology's runs" own_topology
expect "a host program" compile examples/host.c host
expect "what the host sees" host
expect "a program in C++" compile_compare
expect "what that program compares" compare
expect "a plugin" compile_plugin
expect "that plugin's run" plugin
expect "MPI's object" says "$(build/evenkeel doctor | grep '^mpi')" ranks
expect "a method's loop, inlined and called" compile "$place/both_loops.c" both_loops
expect "the same result, no theory, the version" says "$(cat VERSION)" installed both_loops
if [ "$python" ]; then
    expect "pip installs the Python package" pip
    expect "what it runs" says "$(cat VERSION) 800.0" python_run
else
    echo "skipped: no Python here has cffi, numpy, pip, setuptools and wheel: install python3-pip and python3-numpy"
fi
expect "a program against the static library" static
expect "the static program's answer" says 800 "$place/small_static"
expect "make uninstall" install uninstall
expect "nothing left" empty
rm -f "$place.log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
