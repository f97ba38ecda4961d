# SPDX-License-Identifier: MIT
"""How the library reads the files that specs name: it asks this reader for their text."""
import errno
import os

from .native import ffi, lib

_libc = ffi.dlopen(None)


def _fail(error, sentence):
    error.status = lib.EK_BAD_INPUT
    error.sentence = sentence.encode()[:599]
    return ffi.NULL


@ffi.callback("char *(void *, const char *, size_t *, struct ek_error *)")
def _read(context, path, length, error):
    name = os.fsdecode(ffi.string(path))
    try:
        with open(name, "rb") as file:
            content = file.read()
    except OSError as problem:
        ffi.errno = problem.errno or errno.EIO
        return _fail(error, f"{name} cannot be opened ({problem.strerror}): check the path")
    memory = _libc.malloc(len(content) + 1)
    if memory == ffi.NULL:
        return _fail(error, f"{name} does not fit into memory")
    ffi.memmove(memory, content + b"\0", len(content) + 1)
    length[0] = len(content)
    return ffi.cast("char *", memory)


def reader():
    """Returns the reader of files, as a struct ek_reader."""
    return {"read": _read, "context": ffi.NULL}
