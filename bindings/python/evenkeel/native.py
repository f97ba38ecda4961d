# SPDX-License-Identifier: MIT
"""The library libevenkeel, and its errors."""
import os
import pathlib

from ._library import ffi

SONAME = "libevenkeel.so.0"


def _load():
    beside = pathlib.Path(__file__).resolve().parent.parent.parent / SONAME  # in the build folder
    given = os.environ.get("EVENKEEL_LIBRARY")
    try:
        return ffi.dlopen(given or (str(beside) if beside.exists() else SONAME))
    except OSError as error:
        raise ImportError(f"{error}: install libevenkeel, or set EVENKEEL_LIBRARY to the path of {SONAME}") from None


lib = _load()
STATUSES = {lib.EK_OK: "ok", lib.EK_VIOLATION: "violation", lib.EK_BAD_INPUT: "bad input",
            lib.EK_UNREACHED: "unreached", lib.EK_STUCK: "stuck"}


def text(pointer):
    """Returns a C string as text; None for NULL."""
    return None if pointer == ffi.NULL else ffi.string(pointer).decode()


class Error(Exception):
    """Why an experiment cannot run, or how a run went wrong: one sentence that says what to do.

    status: "bad input", "violation", "stuck" or "unreached".
    axis, at: the value that is wrong, and the offset of the wrong character in it; "" and -1 if there is none.
    """

    def __init__(self, sentence, status="bad input", axis="", at=-1, excerpt="", excerpt_at=0):
        caret = f"\n  {excerpt}\n  {' ' * excerpt_at}^" if excerpt else ""
        super().__init__(sentence + caret)
        self.sentence, self.status, self.axis, self.at = sentence, status, axis, at


def new_error():
    error = ffi.new("struct ek_error *")
    error.at = -1
    return error


def failure(error):
    """Returns the exception for a struct ek_error."""
    return Error(text(error.sentence), STATUSES.get(error.status, "bad input"), text(error.axis), error.at,
                 text(error.excerpt), error.excerpt_at)
