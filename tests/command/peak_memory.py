#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command, and prints the most memory that it ever had in place, in KiB, as the last line of standard error."""
import os
import resource
import subprocess
import sys

status = subprocess.call(sys.argv[1:])
# The number and its end in one write: several ranks of mpirun write to one pipe, and print() would write them apart.
os.write(2, b"%d\n" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
