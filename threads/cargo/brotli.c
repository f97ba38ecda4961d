// SPDX-License-Identifier: MIT
#include "threads/cargo/brotli.h"

#ifdef CARGO_WITH_BROTLI

#include <brotli/decode.h>
#include <stdbool.h>
#include <stdlib.h>

// A text that grows while it is decompressed.
struct expanded {
    char *text;
    size_t length, room;
};

// Doubles the room, up to 1 GiB, the limit of files that are not compressed.
static bool grow(struct expanded *expanded)
{
    static const size_t FIRST = 65536, MOST = (size_t)1 << 30;
    size_t room = expanded->room == 0 ? FIRST : 2 * expanded->room;
    char *grown = room <= MOST ? realloc(expanded->text, room) : NULL;
    if (grown) {
        expanded->text = grown;
        expanded->room = room;
    }
    return grown != NULL;
}

char *cargo_brotli_expand(const char *compressed, size_t size, size_t *length, const char **why)
{
    struct expanded expanded = {0};
    const uint8_t *next = (const uint8_t *)compressed;
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    BrotliDecoderResult result = BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
    while (state && result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT && grow(&expanded)) {
        size_t left = expanded.room - expanded.length;
        uint8_t *out = (uint8_t *)expanded.text + expanded.length;
        result = BrotliDecoderDecompressStream(state, &size, &next, &left, &out, NULL);
        expanded.length = expanded.room - left;
    }
    BrotliDecoderDestroyInstance(state);
    if (result == BROTLI_DECODER_RESULT_SUCCESS && size == 0) {
        *length = expanded.length;
        return expanded.text;
    }
    *why = result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT ? "does not fit into the memory, or has more than 1 GiB"
                                                             : "is not compressed by Brotli, or is cut short";
    free(expanded.text);
    return NULL;
}

#else

char *cargo_brotli_expand(const char *compressed, size_t size, size_t *length, const char **why)
{
    (void)compressed, (void)size, (void)length;
    *why = "is compressed, and this evenkeel was built without Brotli: decompress it, as with brotli -d";
    return NULL;
}

#endif
