#!/bin/sh
# SPDX-License-Identifier: MIT
# The methods partners and tempered on random objects, recomputed by another program (object_methods.py).
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}"
# Byte code beside the sources would be in nobody's way but git's.
PYTHONDONTWRITEBYTECODE=1
export EVENKEEL PYTHONDONTWRITEBYTECODE
exec python3 tests/property/object_methods.py
