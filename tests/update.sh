#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes all expected outputs in tests/data anew. `git diff tests/data` shows what has changed; read it before you commit it.
set -eu
cd "$(dirname "$0")/.."
programs=$(grep -l -e golden_end -e 'getenv("UPDATE")' tests/unit/*/*.c tests/concurrency/*.c | sed 's|\(.*\)\.c$|build/\1|')
# The programs are several words.
# shellcheck disable=SC2086
make all $programs
for program in $programs; do
    UPDATE=1 $program
done
for script in $(grep -l '= update \]' -r tests/command --include='test_*.sh'); do
    "$script" update
done
