// SPDX-License-Identifier: MIT
// Defines the names by which gcc says that a sanitizer is on, for clang versions that say so by __has_feature only.
#ifndef BASE_SANITIZERS_H
#define BASE_SANITIZERS_H

#ifdef __has_feature
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#endif
