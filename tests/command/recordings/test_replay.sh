#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks recordings through the command (check_replay.py). Set MUTILATED=1000 to damage more of them.
set -u
cd "$(dirname "$0")/../../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/command/recordings/check_replay.py
