# SPDX-License-Identifier: MIT
# Shared by the scripts that run the command: a folder for files, counts of checks, and functions. A script reads it from
# the project's folder by `. tests/support/expect.sh`; its last line is `result`.
: "${EVENKEEL:=build/evenkeel}"
LC_ALL=C.UTF-8
export LC_ALL

# Half of the start of an interpreter is the search for installed packages, and no script needs one.
if command -v python3 >/dev/null; then
    alias python3='python3 -S'
fi

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

status() { # status WORDS...: the exit status of the command; its output goes to $folder/out and $folder/err
    "$EVENKEEL" "$@" >"$folder/out" 2>"$folder/err"
    echo $?
}

conclusion() { # the last line of a report, before the next command
    sed '/^next: /d' "$folder/out" | tail -n 1
}

soon() { # soon COMMAND...: waits until the command succeeds, for up to a minute, because the machine may be busy
    for _ in $(seq 600); do
        "$@" && return
        sleep 0.1
    done
}

started() { # started PID: whether the process has its threads; from then on it handles signals
    [ "$(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" -ge 2 ]
}

signalled() { # signalled SIGNAL WORDS...: the exit status of a run that receives the signal once it is under way
    signal=$1
    shift
    # Without this a command in the background ignores SIGINT.
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
