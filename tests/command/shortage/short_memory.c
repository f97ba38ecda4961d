// SPDX-License-Identifier: MIT
// To be preloaded: the allocation of number $SHORT_MEMORY_AT, from 1, gives nothing. How many there were is written to
// $SHORT_MEMORY_COUNT at the end, where that is set. Processes that are forked count on together; programs that are
// started, as gnuplot, are left alone. So are those of hwloc and of the loader, which brings it its plugins: these die
// of one that fails, and the machine makes sure beforehand that there is room for them.
// tests/command/shortage/test_short_memory.sh runs the command with this.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// glibc's own, which allocate without being looked at.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong of_loading; // those before `begin`, which are not ours
static atomic_ulong *allocations = &of_loading;
static unsigned long fails_at;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("SHORT_MEMORY_AT");
    void *shared = mmap(NULL, sizeof *allocations, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        abort();
    }
    fails_at = at ? strtoul(at, NULL, 10) : 0;
    allocations = shared; // 0 of them
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SHORT_MEMORY_COUNT");
    unsigned long count = atomic_load(allocations);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "%lu\n", count);
        fclose(file);
    }
}

// Whether the caller is in a library of this name.
static int is_in(const void *caller, const char *library)
{
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname && strstr(info.dli_fname, library);
}

static int fails(const void *caller)
{
    if (is_in(caller, "libhwloc") || is_in(caller, "ld-linux")) {
        return 0;
    }
    int now = atomic_fetch_add(allocations, 1) + 1 == fails_at;
    errno = now ? ENOMEM : errno;
    return now;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    void *taken = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
    *place = taken ? taken : *place;
    return taken ? 0 : ENOMEM;
}
