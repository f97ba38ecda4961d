#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/run.sh runs every test once in each build that it belongs to, adds up what they count, fails if one of them fails or
# prints nothing, and begins with those that took longest the last time. The tests are small ones in a folder of their own.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh

mkdir -p "$folder/tests"
cp tests/run.sh "$folder/tests"
write() { # write NAME SECONDS LINE: a test that takes so long and prints the line
    printf '#!/bin/sh\necho %s >>began\nsleep %s\necho "%s"\n' "$1" "$2" "$3" >"$folder/tests/$1.sh"
    chmod +x "$folder/tests/$1.sh"
}
run() { # run: its status, with the tests that began in `began`
    : >"$folder/began"
    (cd "$folder" && MAKE=true TESTS_PART=7 tests/run.sh) >"$folder/out" 2>"$folder/err"
    echo $?
}
began() {
    sort "$folder/began" | tr '\n' ' '
}

write test_a 0 "2 passed, 0 failed"
write test_b 3 "3 passed, 0 failed"
write test_c 3 "4 passed, 0 failed"
write test_graphs 1 "5 passed, 0 failed" # under ASan
write check_d 3 "1 passed, 0 failed"
expect "all pass" 0 "$(run)"
expect "each runs once" "check_d test_a test_b test_c test_graphs " "$(began)"
expect "what they count" "15 passed, 0 failed" "$(tail -n 1 "$folder/out")"
expect "the number of tests" 5 "$(grep -cE '^ *[1-5] of 5  ok ' "$folder/out")"
expect "by their names the first is not the last" "test_a" "$(head -n 3 "$folder/began" | grep -x test_a)"

expect "again" 0 "$(run)"
expect "each runs once more" "check_d test_a test_b test_c test_graphs " "$(began)"
expect "the shortest begins last" "test_a" "$(grep -v test_graphs "$folder/began" | tail -n 1)"

write test_b 0 "3 passed, 1 failed"
write test_c 0 "nothing"
expect "failures" 1 "$(run)"
expect "what they count" "11 passed, 2 failed" "$(tail -n 1 "$folder/out")"
expect "their names" "tests/test_b.sh tests/test_c.sh " "$(sed -n 's/^ *[0-9]* of 5  FAILED  \([^ ]*\).*/\1/p' "$folder/out" | sort -u | tr '\n' ' ')"
result
