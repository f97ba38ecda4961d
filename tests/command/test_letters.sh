#!/bin/sh
# SPDX-License-Identifier: MIT
# Methods whose processors write letters: the same as in another machine (tests/property/letters.py), for COUNT random
# runs of each method and SEED.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}" "${TESTS_PART:=1}" "${COUNT:=$((60 / TESTS_PART + 1))}"
export EVENKEEL COUNT
exec python3 -B tests/command/check_letters.py
