// SPDX-License-Identifier: MIT
// The results wait for their sum in a ring buffer: schedule n has slot n % slots. A thread takes number n only when the
// slot's previous result is summed. So a long schedule blocks the other threads only when they are a whole ring ahead.
#include "lab/studies/parallel_schedules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/sweep/worker_pool.h"

enum { SLOTS = 16 }; // for each thread

struct schedules;

// A thread.
struct maker {
    struct schedules *of;
    pthread_t thread;
    struct lab_schedule_maker maker;
    struct ek_error error; // of its last schedule
};

struct slot {
    struct lab_made_schedule made; // if full
    const struct maker *by;
    bool full;
};

struct schedules {
    const struct lab_explore_request *request;
    bool (*enough)(void *context);
    void *context;
    struct maker *maker; // [makers]
    unsigned makers;
    struct slot *slot; // [slots]
    uint64_t slots;

    pthread_mutex_t lock; // protects the fields below, and the slots' `full`
    pthread_cond_t added;
    struct lab_schedule_sum sum;
    uint64_t next;        // the next number to run
    uint64_t first;       // the next number to add to the sum
    bool over;            // the sum is complete
    enum ek_explored how; // if over: how the last schedule ended, with `error`
    struct ek_error error;
};

static unsigned makers_of(const struct lab_explore_request *request)
{
    uint64_t jobs = request->jobs > 0 ? request->jobs : lab_host_this()->cores;
    jobs = jobs < request->schedules ? jobs : request->schedules;
    return (unsigned)(jobs < 1 ? 1 : jobs < LAB_JOBS_MAX ? jobs : LAB_JOBS_MAX);
}

static void end_by(struct schedules *schedules, enum ek_explored how, const struct ek_error *error)
{
    schedules->over = true;
    schedules->how = how;
    schedules->error = *error;
}

static void add(struct schedules *schedules, const struct slot *slot)
{
    enum ek_explored how = slot->made.how;
    if (how != EK_EXPLORED_REFUSED && !lab_schedule_sum_add(&schedules->sum, &slot->made)) {
        struct ek_error error;
        base_refuse(&error, "there is no memory for so many schedules: ask for fewer");
        end_by(schedules, EK_EXPLORED_REFUSED, &error);
    } else if (how == EK_EXPLORED_REFUSED || how == EK_EXPLORED_FAILS) {
        end_by(schedules, how, &slot->by->error);
    }
}

// Adds the full slots to the sum, up to the first one that is not full. The caller holds the lock.
static void add_up(struct schedules *schedules)
{
    struct slot *slot = &schedules->slot[schedules->first % schedules->slots];
    for (; !schedules->over && slot->full; slot = &schedules->slot[schedules->first % schedules->slots]) {
        add(schedules, slot);
        slot->full = false;
        schedules->first++;
    }
    pthread_cond_broadcast(&schedules->added);
}

// Takes the next number when its slot is free. Returns false if no more schedules are to run. The caller holds the
// lock.
static bool take(struct schedules *schedules, uint64_t *number)
{
    while (!schedules->over && schedules->next - schedules->first == schedules->slots) {
        pthread_cond_wait(&schedules->added, &schedules->lock);
    }
    if (schedules->over || schedules->next == schedules->request->schedules || schedules->enough(schedules->context)) {
        return false;
    }
    *number = schedules->next++;
    return true;
}

static void *make(void *context)
{
    struct maker *maker = context;
    struct schedules *schedules = maker->of;
    uint64_t number;
    bool goes_on = true;
    pthread_mutex_lock(&schedules->lock);
    while (goes_on && take(schedules, &number)) {
        struct slot *slot = &schedules->slot[number % schedules->slots];
        pthread_mutex_unlock(&schedules->lock);
        lab_schedule_make(&maker->maker, number, &slot->made, &maker->error);
        goes_on = slot->made.how == EK_EXPLORED_ENDS || slot->made.how == EK_EXPLORED_CUT;
        pthread_mutex_lock(&schedules->lock);
        slot->by = maker;
        slot->full = true;
        add_up(schedules);
    }
    pthread_mutex_unlock(&schedules->lock);
    return NULL;
}

// Runs the makers; the first is the caller's thread. If the system does not start all threads, all of them end.
static void make_all(struct schedules *schedules)
{
    unsigned started = 1;
    int wrong = 0;
    while (started < schedules->makers && wrong == 0) {
        struct maker *maker = &schedules->maker[started];
        wrong = pthread_create(&maker->thread, NULL, make, maker);
        started += wrong == 0;
    }
    if (wrong != 0) {
        struct ek_error error;
        base_refuse(&error, "the system starts no more threads (%s): ask for fewer --jobs", strerror(wrong));
        pthread_mutex_lock(&schedules->lock);
        end_by(schedules, EK_EXPLORED_REFUSED, &error);
        pthread_mutex_unlock(&schedules->lock);
    }
    make(&schedules->maker[0]);
    for (unsigned i = 1; i < started; i++) {
        pthread_join(schedules->maker[i].thread, NULL);
    }
}

// Prepares the machines one after the other, as preparing need not be thread-safe.
static bool begin(struct schedules *schedules, struct ek_error *error)
{
    const struct lab_explore_request *request = schedules->request;
    schedules->maker = calloc(schedules->makers, sizeof *schedules->maker);
    schedules->slot = calloc(schedules->slots, sizeof *schedules->slot);
    if (!schedules->maker || !schedules->slot) {
        return base_refuse(error, "there is no memory to explore with %u threads: ask for fewer --jobs",
                           schedules->makers);
    }
    for (unsigned i = 0; i < schedules->makers; i++) {
        struct maker *maker = &schedules->maker[i];
        maker->of = schedules;
        if (!lab_schedule_maker_begin(&maker->maker, &request->experiment, request->strategy, request->turns_most,
                                      error)) {
            return false;
        }
    }
    return true;
}

static void end(struct schedules *schedules)
{
    for (unsigned i = 0; schedules->maker && i < schedules->makers; i++) {
        lab_schedule_maker_end(&schedules->maker[i].maker);
    }
    free(schedules->maker);
    free(schedules->slot);
}

enum ek_explored lab_schedules_make_parallel(const struct lab_explore_request *request, bool (*enough)(void *context),
                                             void *context, struct lab_exploration *exploration, struct ek_error *error)
{
    struct schedules schedules = {
        .request = request, .enough = enough, .context = context, .makers = makers_of(request)};
    schedules.slots = (uint64_t)SLOTS * schedules.makers;
    if (!begin(&schedules, error)) {
        end(&schedules);
        return EK_EXPLORED_REFUSED;
    }
    pthread_mutex_init(&schedules.lock, NULL);
    pthread_cond_init(&schedules.added, NULL);
    lab_schedule_sum_begin(&schedules.sum, exploration, &schedules.maker[0].maker);
    make_all(&schedules);
    lab_schedule_sum_end(&schedules.sum);
    pthread_cond_destroy(&schedules.added);
    pthread_mutex_destroy(&schedules.lock);
    end(&schedules);
    if (schedules.over) {
        *error = schedules.error;
    }
    return schedules.over ? schedules.how : EK_EXPLORED_ENDS;
}
