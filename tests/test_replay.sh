#!/bin/sh
# SPDX-License-Identifier: MIT
# Recordings, by the command (tests/recordings/). MUTILATED=1000 tests/test_replay.sh mutilates more of them.
set -u
cd "$(dirname "$0")/.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/recordings/check.py
