#!/bin/sh
# SPDX-License-Identifier: MIT
# Recorded runs, drawn, by the command (tests/recordings/drawn.py). RECORDED=1000 SEED=7 tests/test_recorded.sh draws more.
set -u
cd "$(dirname "$0")/.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/recordings/drawn.py
