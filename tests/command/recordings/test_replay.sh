#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings, by the command (tests/command/recordings/). MUTILATED=1000 tests/command/recordings/test_replay.sh mutilates more of them.
set -u
cd "$(dirname "$0")/../../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/command/recordings/check_replay.py
