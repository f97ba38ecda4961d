#!/bin/sh
# SPDX-License-Identifier: MIT
# The families of graphs against networkx and the LAPACK of scipy (families.py). Without these Python packages nothing is
# tested. Debian's packages belong to /usr/bin/python3, which need not be the first python3.
set -u
cd "$(dirname "$0")/../.." || exit 1
: "${EVENKEEL:=build/evenkeel}"
# Byte code beside the sources would be in nobody's way but git's. With one thread LAPACK shares the machine.
PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
export EVENKEEL PYTHONDONTWRITEBYTECODE OPENBLAS_NUM_THREADS

for python in python3 /usr/bin/python3; do
    if $python -c 'import networkx, numpy, scipy' 2>/dev/null; then
        exec $python tests/property/families.py
    fi
done
echo "skipped: python3-networkx, python3-numpy or python3-scipy is not installed"
echo "0 passed, 0 failed"
