# SPDX-License-Identifier: MIT
"""The machine that is being prepared: the functions of its method and of its program report to it what they raise."""

machine = None
