// SPDX-License-Identifier: MIT
// A ring of places for what was made: number n has place n % places, and is taken only when the schedule that had it
// before is added up. So a schedule that takes long holds nobody up until the others are a ring ahead.
#include "lab/studies/parallel_schedules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/sweep/worker_pool.h"

enum { PLACES = 16 }; // for each thread

struct schedules;

// A thread.
struct maker {
    struct schedules *of;
    pthread_t thread;
    struct lab_schedule_maker maker;
    struct ek_error error; // of the schedule that was its last
};

// What was made, of its number; read when it is there.
struct place {
    struct lab_made_schedule made;
    const struct maker *by;
    bool there;
};

struct schedules {
    const struct lab_explore_request *request;
    bool (*enough)(void *context);
    void *context;
    struct maker *maker; // [makers]
    unsigned makers;
    struct place *place; // [places]
    uint64_t places;
    struct lab_schedule_sum sum;

    pthread_mutex_t lock; // of what follows, and of the sum
    pthread_cond_t added;
    uint64_t next;        // number that nobody has taken
    uint64_t first;       // number that is not added up
    bool over;            // no more are added up
    enum ek_explored how; // the last one was
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

static void add(struct schedules *schedules, const struct place *place)
{
    enum ek_explored how = place->made.how;
    if (how == EK_EXPLORED_REFUSED) {
        end_by(schedules, how, &place->by->error);
    } else if (!lab_schedule_sum_add(&schedules->sum, &place->made)) {
        struct ek_error error;
        base_refuse(&error, "there is no memory for so many schedules: ask for fewer");
        end_by(schedules, EK_EXPLORED_REFUSED, &error);
    } else if (how == EK_EXPLORED_FAILS) {
        end_by(schedules, how, &place->by->error);
    }
}

// As far as they are there without a gap. Under the lock.
static void add_up(struct schedules *schedules)
{
    struct place *place = &schedules->place[schedules->first % schedules->places];
    for (; !schedules->over && place->there; place = &schedules->place[schedules->first % schedules->places]) {
        add(schedules, place);
        place->there = false;
        schedules->first++;
    }
    pthread_cond_broadcast(&schedules->added);
}

// The next number, when it has a place; false where no more are to be begun. Under the lock.
static bool take(struct schedules *schedules, uint64_t *number)
{
    while (!schedules->over && schedules->next - schedules->first == schedules->places) {
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
        struct place *place = &schedules->place[number % schedules->places];
        pthread_mutex_unlock(&schedules->lock);
        lab_schedule_make(&maker->maker, number, &place->made, &maker->error);
        goes_on = place->made.how == EK_EXPLORED_ENDS || place->made.how == EK_EXPLORED_CUT;
        pthread_mutex_lock(&schedules->lock);
        place->by = maker;
        place->there = true;
        add_up(schedules);
    }
    pthread_mutex_unlock(&schedules->lock);
    return NULL;
}

// The first maker is the caller's thread. Where there are no threads for all of them, those that are there end.
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
        base_refuse(&error, "the system gives no thread more (%s): ask for fewer --jobs", strerror(wrong));
        pthread_mutex_lock(&schedules->lock);
        end_by(schedules, EK_EXPLORED_REFUSED, &error);
        pthread_mutex_unlock(&schedules->lock);
    }
    make(&schedules->maker[0]);
    for (unsigned i = 1; i < started; i++) {
        pthread_join(schedules->maker[i].thread, NULL);
    }
}

// Their machines, one after the other: what is prepared is not asked to be safe with others that are.
static bool begin(struct schedules *schedules, struct ek_error *error)
{
    const struct lab_explore_request *request = schedules->request;
    schedules->maker = calloc(schedules->makers, sizeof *schedules->maker);
    schedules->place = calloc(schedules->places, sizeof *schedules->place);
    if (!schedules->maker || !schedules->place) {
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
    free(schedules->place);
}

enum ek_explored lab_schedules_make_parallel(const struct lab_explore_request *request, bool (*enough)(void *context),
                                             void *context, struct lab_exploration *exploration, struct ek_error *error)
{
    struct schedules schedules = {
        .request = request, .enough = enough, .context = context, .makers = makers_of(request)};
    schedules.places = (uint64_t)PLACES * schedules.makers;
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
