#!/bin/sh
# SPDX-License-Identifier: MIT
# The families dragonfly, slimfly, fattree, margulis, smallworld, geometric and powerlaw at twenty sizes each: their links
# are those of another program (tests/property/graphs.py); their degrees, diameters and eigenvalues are those that
# networkx and LAPACK find.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}"
export EVENKEEL
# Debian's modules belong to Debian's Python, which need not be the first one in the path.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import networkx, numpy, scipy' 2>/dev/null; then
        exec "$python" -B tests/command/families_drawn.py
    fi
done
echo "skipped: python3-networkx, python3-numpy or python3-scipy is not installed"
