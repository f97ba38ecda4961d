#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs to a temporary place, builds a small program against what was installed, shared and static, runs it, and
# uninstalls: nothing may be left.
set -u
cd "$(dirname "$0")/.." || exit 1

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
static() {
    rm "$place"/opt/keel/lib/libevenkeel.so*
    compile "$place/small.c" small_static --static
}
own_method() {
    LD_LIBRARY_PATH="$place/opt/keel/lib" "$place/own_method" | grep -q '^poorest: variance .* of load moved$'
}
short() { # short FILE: under 60 lines
    [ "$(wc -l <"$1")" -lt 60 ]
}
says_800() {
    [ "$("$@")" = 800 ]
}
empty() {
    [ -z "$(find "$place/opt" -type f -o -type l)" ]
}

expect "make install" install install
expect "the version" [ "$(flags --modversion)" = "$(cat VERSION)" ]
expect "the installed command" "$place/opt/keel/bin/evenkeel" version >/dev/null
expect "the manual page" [ -s "$place/opt/keel/share/man/man1/evenkeel.1" ]
expect "a program against the shared library" compile "$place/small.c" small
expect "the program's answer" says_800 env LD_LIBRARY_PATH="$place/opt/keel/lib" "$place/small"
expect "a method of one's own against the shared library" compile examples/own_method.c own_method
expect "that method's run" own_method
expect "that method's length" short examples/own_method.c
expect "a program against the static library" static
expect "the static program's answer" says_800 "$place/small_static"
expect "make uninstall" install uninstall
expect "nothing left" empty
rm -f "$place.log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
