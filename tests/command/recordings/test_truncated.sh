#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording that another process truncates while it is read ends in a report or in a sentence, never in a signal. A
# function of zstd that is called between two reads truncates it here.
set -u
cd "$(dirname "$0")/../../.." || exit 1
. tests/support/expect.sh

cat >"$folder/truncate.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

size_t ZSTD_findFrameCompressedSize(const void *bytes, size_t size)
{
    size_t (*real)(const void *, size_t) = (size_t (*)(const void *, size_t))dlsym(RTLD_NEXT, __func__);
    return truncate(getenv("TRUNCATED"), 0) == 0 ? real(bytes, size) : 0;
}
EOF
cc -shared -fPIC "$folder/truncate.c" -o "$folder/truncate.so" -ldl || exit 1
expect "a recording" 0 "$(status run --timing free --topology torus:8x8 --method adf --stop never --operations 3000 --record "$folder/run.ek")"
expect "it is longer than a page" yes "$([ "$(wc -c <"$folder/run.ek")" -gt 8192 ] && echo yes)"
TRUNCATED="$folder/run.ek" LD_PRELOAD="$folder/truncate.so" "$EVENKEEL" replay "$folder/run.ek" >"$folder/out" 2>"$folder/err"
expect "truncated meanwhile" 0 $?
expect "it was truncated" 0 "$(wc -c <"$folder/run.ek")"
result
