// SPDX-License-Identifier: MIT
// A system that gives no more locks: one lock after the other is refused, wherever a run creates one. The run is
// refused with a sentence, and the other locks are destroyed.
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "threads/api/evenkeel.h"

// These functions replace the C library's in the whole program. Only one thread calls them.
static bool counts;    // from here on
static int given, now; // locks that were not destroyed; locks created so far
static int refused;    // the lock that is refused

static bool gives(void)
{
    bool good = !counts || now++ != refused;
    given += counts && good;
    return good;
}

#define LOCK(type)                                                                                                     \
    int type##_init(type##_t *restrict lock, const type##attr_t *restrict attributes)                                  \
    {                                                                                                                  \
        int (*init)(type##_t *, const type##attr_t *);                                                                 \
        *(void **)&init = dlsym(RTLD_NEXT, #type "_init");                                                             \
        return gives() ? init(lock, attributes) : EAGAIN;                                                              \
    }                                                                                                                  \
    int type##_destroy(type##_t *lock)                                                                                 \
    {                                                                                                                  \
        int (*destroy)(type##_t *);                                                                                    \
        *(void **)&destroy = dlsym(RTLD_NEXT, #type "_destroy");                                                       \
        given -= counts;                                                                                               \
        return destroy(lock);                                                                                          \
    }

LOCK(pthread_mutex)
LOCK(pthread_cond)
LOCK(pthread_rwlock)

static bool forget(void *context, unsigned worker, const uint8_t *bytes, size_t count)
{
    (void)context, (void)worker, (void)bytes, (void)count;
    return true;
}

Test(locks, are_given_back_where_there_are_no_more)
{
    static const struct ek_recorder recorder = {.write = forget};
    const struct ek_experiment experiment = {.topology = "ring:4",
                                             .method = "adf",
                                             .timing = "free",
                                             .carrier = "pool:2",
                                             .mailbox = "mutex",
                                             .recorder = &recorder};
    struct ek_error error;
    struct ek_machine *machine = ek_prepare(&experiment, &error);
    cr_assert(machine, "%s", error.sentence);
    bool was_refused = true;
    for (refused = 0; was_refused; refused++) {
        struct ek_report report = {0};
        now = given = 0;
        counts = true;
        enum ek_status status = ek_run(machine, 0, &report, NULL, NULL, &error);
        counts = false;
        was_refused = now > refused;
        cr_expect_eq(status, was_refused ? EK_BAD_INPUT : EK_OK, "lock %d: %s", refused, error.sentence);
        cr_expect_eq(given, 0, "lock %d: %d were not destroyed", refused, given);
        ek_report_destroy(&report);
    }
    cr_expect_eq(refused - 1, 8 + 3 + 3, "of the mailboxes, the recorder and the workers");
    ek_machine_destroy(machine);
}
