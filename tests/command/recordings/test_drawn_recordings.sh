#!/bin/sh
# SPDX-License-Identifier: MIT
# Recorded runs, drawn, by the command (tests/command/recordings/drawn_recordings.py). RECORDED=1000 SEED=7 tests/command/recordings/test_drawn_recordings.sh draws more.
set -u
cd "$(dirname "$0")/../../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/command/recordings/drawn_recordings.py
