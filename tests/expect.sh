# SPDX-License-Identifier: MIT
# What the scripts that run the command share, read by `. tests/expect.sh` in the project's folder: a folder for files
# that goes at the end, counts, and some functions. The last line of a script is for `result`.
: "${EVENKEEL:=build/evenkeel}"
LC_ALL=C.UTF-8
export LC_ALL

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0
failed=0

expect() { # expect WHAT WANTED FOUND
    if [ "$2" = "$3" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf '%s:\n  wanted: %s\n  found:  %s\n' "$1" "$2" "$3"
        if [ -s "$folder/err" ]; then
            sed 's/^/    /' "$folder/err" | head -n 40
        fi
    fi
}

status() { # status WORDS...: the exit status; what is printed goes to $folder/out and $folder/err
    "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}

soon() { # soon COMMAND...: waits until it succeeds, for a minute at most, since a busy machine lets everything wait
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
}

result() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
