#!/bin/sh
# SPDX-License-Identifier: MIT
# Replays recorded runs of random experiments (drawn_recordings.py). Set RECORDED=1000 SEED=7 to draw more, or others.
set -u
cd "$(dirname "$0")/../../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/command/recordings/drawn_recordings.py
