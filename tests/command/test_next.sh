#!/bin/sh
# SPDX-License-Identifier: MIT
# The last line of a report names a command that is worth trying next: tests/command/check_next.py runs it.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/support/expect.sh
. tests/support/plugin.sh
compile plugin -Iexamples/plugins <examples/plugins/plugin.c || exit 1
python3 -B tests/command/check_next.py "$EVENKEEL" "$folder"
