// SPDX-License-Identifier: MIT
// Random123 knows some architectures by name, and WebAssembly is not among them. Threefry is plain C that computes the
// same numbers on all of them.
#ifndef WEB_RANDOM123_THREEFRY_H
#define WEB_RANDOM123_THREEFRY_H

#define __aarch64__ 1
#include WEB_THREEFRY
#undef __aarch64__

#endif
