#!/bin/bash
# SPDX-License-Identifier: MIT
# What is made from the tables: completions for bash, zsh and fish, and the manual page. Nothing that a help page names
# may be missing in them, and bash's function must answer as it does at a prompt.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

for shell in bash zsh fish; do
    expect "the completion for $shell" 0 "$(status help --completion $shell)"
    cp "$folder/out" "$folder/$shell"
    if command -v $shell >/dev/null; then
        expect "its syntax" "" "$($shell -n "$folder/$shell" 2>&1)"
    fi
done
expect "another shell" 2 "$(status help --completion csh)"
expect "its sentence" "evenkeel: there is no value of --completion called 'csh': did you mean zsh?" "$(head -n 1 "$folder/err")"
: >"$folder/err"

# Each command's options: in its help, in the section of the manual page, and in the three completions.
"$EVENKEEL" help --man >"$folder/man"
commands=$("$EVENKEEL" help | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
in_help() {
    "$EVENKEEL" help "$1" | sed -n 's/^  --\([a-z-]*\)[, ].*/\1/p' | sort
}
in_man() {
    sed -n "/^\\.Ss $1\$/,/^\\.S[sh] /{ s/^\\.\\(Op\\|It\\) \\(Fl . , \\)\\{0,1\\}Fl \\\\-\\([^ ]*\\).*/\\3/p; }" "$folder/man" | sed -n 's/\\//g; p' | sort
}
in_bash() {
    sed -n "/^    $1)\$/,/;;/s/^ *options='\\(.*\\)'/\\1/p" "$folder/bash" | tr ' ' '\n' | sed -n 's/^--//p' | sort
}
in_zsh() {
    sed -n "/^    $1)\$/,/;;/s/^ *'--\\([a-z-]*\\).*/\\1/p" "$folder/zsh" | sort
}
in_fish() {
    sed -n "s/^complete .*__fish_seen_subcommand_from .*\\b$1\\b.*' -l \\([a-z-]*\\) .*/\\1/p" "$folder/fish" | sort
}
for command in $commands; do
    options=$(in_help "$command")
    expect "options in the help of $command" yes "$([ -n "$options" ] && echo yes)"
    for place in man bash zsh fish; do
        expect "$command's options in $place" "$options" "$(in_$place "$command")"
    done
done
# Each option is explained where its command is, or only named there and explained in OPTIONS.
in_options() {
    sed -n '/^\.Sh OPTIONS/,/^\.Sh ENV/{ s/^\.It \(Fl . , \)\{0,1\}Fl \\-\([^ ]*\).*/\2/p; }' "$folder/man" | sort
}
only_named() {
    sed -n 's/^\.Op \(Fl . , \)\{0,1\}Fl \\-\([^ ]*\).*/\2/p' "$folder/man" | sort -u
}
expect "options that are explained twice" "" "$(in_options | uniq -d)"
expect "options that are named and nowhere explained" "" "$(only_named | comm -13 <(in_options) -)"
expect "the exit statuses" "0 1 2 3 4" "$(sed -n '/^\.Sh EXIT STATUS/,/^\.Sh EX/s/^\.It //p' "$folder/man" | xargs)"

# Bash, as at its prompt.
. "$folder/bash"
expect "its function" "complete -F _evenkeel evenkeel" "$(complete -p evenkeel)"
complete_line() { # complete_line LINE: what is offered at its end
    COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
    _evenkeel
    echo "${COMPREPLY[*]}"
}
offers() { # offers LINE WORDS
    expect "after '$1'" "$2" "$(complete_line "$1")"
}
offers "evenkeel the" "theory"
offers "evenkeel " "$(echo "$commands" | xargs)"
offers "evenkeel run --top" "--topology"
offers "evenkeel run --li" "--link-limit --links --live"
offers "evenkeel explain --s" ""
offers "evenkeel run --topology t" "torus: tree:"
offers "evenkeel run --topology o" "otis("
offers "evenkeel run --topology=h" "hypercube: hsn( hex:"
offers "evenkeel run --format=" "table json csv"
offers "evenkeel run --heat --method od" "ode odf"
offers "evenkeel run --method=gd" "gde gde:"
offers "evenkeel run --timing turns:" "random"
offers "evenkeel run --steps " ""
offers "evenkeel explain liq" "liquid"
offers "evenkeel help cont" "contention"
offers "evenkeel list topo" "topology"
offers "evenkeel results me" "merge"
offers "evenkeel help --completion " "bash zsh fish"
offers "evenkeel show READ" "README.md"
offers "evenkeel run --load file:examples/main_j" "examples/main_job.sh"
offers "evenkeel run --plugin=examples/pl" "examples/plugins"

# Every value that a list begins with is offered, and every method.
for option in $("$EVENKEEL" list | sed -n 's/^--\([a-z-]*\)$/\1/p'); do
    for value in $("$EVENKEEL" list | awk -v option="--$option" '$0 == option { on = 1; next } /^$/ { on = 0 }
        on && /^  [a-z]/ { print $1 }' | sed 's/[^a-z0-9:(-].*//' | sort -u); do
        expect "--$option $value" "$value" "$(complete_line "evenkeel run --$option $value" | tr ' ' '\n' |
            sed "s/^/${value%"${value##*:}"}/" | grep -xF "$value" || complete_line "evenkeel run --$option ${value%:}")"
    done
done
methods=$("$EVENKEEL" list | awk '/^--method/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { sub("[:(].*", "", $1); print $1 }' | sort)
terms=$(sed -n 's/^    {"\([a-z-]*\)",.*/\1/p' cli/line/glossary.c)
expect "every method and every term" "$(printf '%s\n%s\n' "$methods" "$terms" | sort)" \
    "$(complete_line "evenkeel explain " | tr ' ' '\n' | sort)"
expect "which are many" yes "$([ "$(echo "$terms" | wc -l)" -ge 30 ] && echo yes)"

if command -v fish >/dev/null; then
    fish_offers() {
        HOME=$folder fish -c "source $folder/fish; complete -C '$1'" 2>&1 | cut -f 1 | xargs
    }
    expect "fish, a value" "otis(" "$(fish_offers "evenkeel run --topology ot")"
    expect "fish, a method" "ode odf" "$(fish_offers "evenkeel explain od")"
    expect "fish, a command" "theory" "$(fish_offers "evenkeel the")"
fi
result
