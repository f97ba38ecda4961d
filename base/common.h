// SPDX-License-Identifier: MIT
// Types that all parts of the library share: statuses, errors, files that a spec names, lists of values, and facts.
// First part of <evenkeel.h> (threads/api/evenkeel.h).
#ifndef EK_COMMON_H
#define EK_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EK_API __attribute__((visibility("default")))

// How a call ended. The command's exit statuses are the same numbers.
enum ek_status {
    EK_OK = 0,
    EK_VIOLATION = 1, // an invariant of the machine was violated
    EK_BAD_INPUT = 2, // a spec, a file or a limit is wrong; nothing was run
    EK_UNREACHED = 3, // the run ended before it reached its stop criterion
    EK_STUCK = 4      // the watchdog ended the run
};

// Why a call failed. Only a call that fails writes it.
struct ek_error {
    enum ek_status status;
    char axis[16];      // the axis whose value is wrong, as in "topology", or ""
    int at;             // offset of the wrong character in that value, in bytes, or -1
    char sentence[600]; // what is wrong, and what the user can do
    char excerpt[120];  // the part of the value around the wrong character; "..." stands for what is cut off, "" for
                        // no excerpt
    int excerpt_at;     // offset of the wrong character in the excerpt
};

// Finds the known name that is nearest to `word`, or returns NULL if none is near. known(index) is NULL past the last
// name.
EK_API const char *ek_nearest(const char *word, const char *(*known)(size_t index));

// How the library reads a file that a spec names (`file:PATH`): the caller opens the file, the library reads its text.
// `read` returns the file's text, allocated with malloc and followed by a 0 after its `*length` bytes. If it cannot
// read the file, it returns NULL with `error` filled. A reader whose `read` is NULL refuses every file.
struct ek_reader {
    char *(*read)(void *context, const char *path, size_t *length, struct ek_error *error);
    void *context;
};

// Reads a part of a file: at most *count bytes from byte `from` on. Sets *count to the number of bytes read, 0 at the
// end. Returns false with `error` filled if the file cannot be read. Returns false with error->status EK_OK if it can
// only be read as a whole, as a pipe: the library then calls `read`.
typedef bool ek_read_part(void *context, const char *path, uint64_t from, char *bytes, size_t *count,
                          struct ek_error *error);

// A value that an axis of experiments can have, as a list shows it.
struct ek_choice {
    const char *form;    // how it is written, as in "torus:KxKx…"
    const char *summary; // one line
};

// A number that the theory knows about a run, with a sentence that says what it is and where it comes from.
struct ek_fact {
    char name[32];   // its name in the report
    double value;    // NaN: there is only the sentence
    char beside[32]; // the field of the report to compare it with, or ""
    bool at_end;     // compare only if the run met its criterion, or a direct method ended
    char text[400];
};

#endif
