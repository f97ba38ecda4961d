#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks recordings of runs in virtual time through the command (check_virtual_replay.py).
set -u
cd "$(dirname "$0")/../../.." || exit 1
PYTHONDONTWRITEBYTECODE=1 exec python3 tests/command/recordings/check_virtual_replay.py
