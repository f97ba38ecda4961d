// SPDX-License-Identifier: MIT
// Defines gcc's macros for sanitizers also for clang, of which some versions have only __has_feature.
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
