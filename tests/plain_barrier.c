// SPDX-License-Identifier: MIT
// Holds each kind of barrier to its law: nobody passes before all have arrived, the serial section runs once a round,
// and what any member or the section wrote is seen by all. The counters are no atomics, so ThreadSanitizer sees every
// gap.
#include <pthread.h>
#include <stdio.h>

#include "threads/barrier.h"

enum { MEMBERS_MAX = 16, ROUNDS = 600 };

struct meeting {
    struct ek_barrier *barrier;
    unsigned members;
    unsigned rounds;
    unsigned counter[MEMBERS_MAX]; // by member: rounds that it began
    unsigned total;                // written by the serial section
    unsigned sections;
};

struct member {
    struct meeting *meeting;
    unsigned index;
    unsigned wrong;
};

static void add_up(void *context)
{
    struct meeting *meeting = context;
    meeting->sections++;
    meeting->total = 0;
    for (unsigned m = 0; m < meeting->members; m++) {
        meeting->total += meeting->counter[m];
    }
}

static void *meet(void *argument)
{
    struct member *member = argument;
    struct meeting *meeting = member->meeting;
    for (unsigned round = 1; round <= meeting->rounds; round++) {
        meeting->counter[member->index]++;
        ek_barrier_wait(meeting->barrier, member->index, add_up, meeting);
        member->wrong += meeting->total != round * meeting->members || meeting->sections != round;
        member->wrong += meeting->counter[(member->index + round) % meeting->members] != round;
        ek_barrier_wait(meeting->barrier, member->index, NULL, NULL);
    }
    return NULL;
}

static bool hold(enum ek_barrier_kind kind, unsigned members, unsigned groups)
{
    struct meeting meeting = {
        .barrier = ek_barrier_create(kind, members, groups), .members = members, .rounds = ROUNDS / members};
    struct member member[MEMBERS_MAX];
    pthread_t thread[MEMBERS_MAX];
    if (!meeting.barrier) {
        return false;
    }
    for (unsigned m = 0; m < members; m++) {
        member[m] = (struct member){.meeting = &meeting, .index = m};
    }
    for (unsigned m = 1; m < members; m++) {
        if (pthread_create(&thread[m], NULL, meet, &member[m]) != 0) {
            return false;
        }
    }
    meet(&member[0]);
    unsigned wrong = member[0].wrong;
    for (unsigned m = 1; m < members; m++) {
        pthread_join(thread[m], NULL);
        wrong += member[m].wrong;
    }
    ek_barrier_destroy(meeting.barrier);
    return wrong == 0 && meeting.sections == meeting.rounds;
}

int main(void)
{
    static const unsigned sizes[] = {1, 2, 3, 5, 8, 16};
    unsigned passed = 0, failed = 0;
    for (unsigned kind = EK_BARRIER_AUTO; kind <= EK_BARRIER_PTHREAD; kind++) {
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (unsigned groups = 1; groups <= 3; groups++) {
                bool good = hold((enum ek_barrier_kind)kind, sizes[i], groups);
                passed += good;
                failed += !good;
                if (!good) {
                    printf("barrier %u with %u members in %u groups broke its law\n", kind, sizes[i], groups);
                }
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
