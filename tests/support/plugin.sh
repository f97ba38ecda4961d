# SPDX-License-Identifier: MIT
# Plugins that tests compile, for scripts that have read tests/support/expect.sh. The command's headers must be built.

compile() { # compile NAME OPTIONS... <SOURCE: a plugin in $folder/NAME.so
    name=$1
    shift
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -shared -fPIC -Ibuild/include "$@" -x c - -o "$folder/$name.so"
}

# plugin NAME FLOW [MACRO=VALUE...]: a plugin with one method NAME, which sends FLOW. tests/support/plugin/rule.c has the
# macros. A value is C code and may have several lines.
plugin() {
    method=$1
    flow=$2
    shift 2
    for macro; do
        shift
        set -- "$@" "-D$(printf '%s' "$macro" | tr '\n' ' ')"
    done
    compile "$method" "-DNAME=\"$method\"" "-DFLOW=$flow" "$@" <tests/support/plugin/rule.c
}

# program_plugin NAME [MACRO=VALUE...]: a plugin with a program `sums`. tests/support/plugin/program.c has the macros.
program_plugin() {
    subject=$1
    shift
    for macro; do
        shift
        set -- "$@" "-D$macro"
    done
    compile "$subject" "$@" <tests/support/plugin/program.c
}
