// SPDX-License-Identifier: MIT
// Decompression by Brotli, if the library was built with it.
#ifndef THREADS_CARGO_BROTLI_H
#define THREADS_CARGO_BROTLI_H

#include <stddef.h>

// Returns the text that `compressed` contains, and its length. The caller frees it. Returns NULL if there is none, with
// a sentence without its subject in *why, as in "is not compressed by Brotli".
char *cargo_brotli_expand(const char *compressed, size_t size, size_t *length, const char **why);

#endif
