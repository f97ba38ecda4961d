# SPDX-License-Identifier: MIT
# What the scripts that run the command share, read by `. tests/support/expect.sh` in the project's folder: a folder for files
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

started() { # started PID: its threads are there, and so is what it does upon signals
    [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge 2 ]
}

signalled() { # signalled SIGNAL WORDS...: the exit status of a run that gets it when it is under way
    signal=$1
    shift
    # What a shell starts behind it ignores SIGINT otherwise.
    env --default-signal=INT "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err" &
    pid=$!
    soon started "$pid"
    kill -s "$signal" "$pid"
    wait "$pid"
    echo $?
}

result() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
