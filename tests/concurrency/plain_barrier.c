// SPDX-License-Identifier: MIT
// Tests each kind of barrier: no member passes before all have arrived, the serial section runs once a round, and
// every member sees the writes of all members and of the section. With invited members: a member that is not invited
// does not pass, and only the invited ones are waited for. The counters are not atomic, so ThreadSanitizer sees any
// race. A member that is never released hangs, and the alarm ends the program.
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "threads/mail/barrier.h"
#include "base/random.h"

enum { MEMBERS_MAX = 16, ROUNDS = 600, PATIENCE_S = 120 };

struct meeting {
    struct mail_barrier barrier;
    unsigned members;
    unsigned rounds;
    unsigned counter[MEMBERS_MAX]; // by member: the rounds that it began
    unsigned total;                // written by the serial section
    unsigned sections;
    bool let[MEMBERS_MAX]; // by member: whether it is invited
    uint32_t called[MEMBERS_MAX];
    struct base_random random;
    unsigned wrong; // errors that the section found
    bool over;
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
        mail_barrier_wait(&meeting->barrier, member->index, add_up, meeting);
        member->wrong += meeting->total != round * meeting->members || meeting->sections != round;
        member->wrong += meeting->counter[(member->index + round) % meeting->members] != round;
        mail_barrier_wait(&meeting->barrier, member->index, NULL, NULL);
    }
    return NULL;
}

// Checks that each invited member came back once. Then invites some members, drawn at random, or all.
static void draw_some(void *context)
{
    struct meeting *meeting = context;
    for (unsigned m = 0; m < meeting->members; m++) {
        meeting->wrong += meeting->counter[m] != meeting->let[m];
        meeting->counter[m] = 0;
    }
    meeting->over = ++meeting->sections == meeting->rounds;
    bool all = meeting->over || base_random_below(&meeting->random, 4) == 0;
    uint64_t odds = 1 + base_random_below(&meeting->random, meeting->members);
    unsigned count = 0;
    for (unsigned m = 0; m < meeting->members; m++) {
        meeting->let[m] = all || base_random_below(&meeting->random, odds) == 0;
        if (meeting->let[m]) {
            meeting->called[count++] = m;
        }
    }
    if (count == 0) {
        meeting->called[count++] = 0;
        meeting->let[0] = true;
    }
    if (!all) {
        mail_barrier_call(&meeting->barrier, meeting->called, count);
    }
}

static void *come_when_called(void *argument)
{
    struct member *member = argument;
    struct meeting *meeting = member->meeting;
    do {
        meeting->counter[member->index]++;
        mail_barrier_wait(&meeting->barrier, member->index, draw_some, meeting);
        member->wrong += !meeting->let[member->index];
    } while (!meeting->over);
    return NULL;
}

static bool hold(enum mail_barrier_kind kind, unsigned members, unsigned groups, void *(*body)(void *))
{
    struct base_arena memory = {.count = 0};
    struct meeting meeting = {
        .members = members, .rounds = ROUNDS / members, .random = base_random_start(members, groups, BASE_STREAM_LOAD)};
    struct member member[MEMBERS_MAX];
    pthread_t thread[MEMBERS_MAX];
    mail_barrier_plan(&meeting.barrier, kind, members, groups, &memory);
    if (!base_arena_take(&memory) || !mail_barrier_begin(&meeting.barrier)) {
        return false;
    }
    for (unsigned m = 0; m < members; m++) {
        member[m] = (struct member){.meeting = &meeting, .index = m};
        meeting.let[m] = true;
    }
    for (unsigned m = 1; m < members; m++) {
        if (pthread_create(&thread[m], NULL, body, &member[m]) != 0) {
            return false;
        }
    }
    body(&member[0]);
    unsigned wrong = member[0].wrong;
    for (unsigned m = 1; m < members; m++) {
        pthread_join(thread[m], NULL);
        wrong += member[m].wrong;
    }
    wrong += meeting.wrong;
    mail_barrier_end(&meeting.barrier);
    base_arena_destroy(&memory);
    return wrong == 0 && meeting.sections == meeting.rounds;
}

int main(void)
{
    static const unsigned sizes[] = {1, 2, 3, 5, 8, 16};
    unsigned passed = 0, failed = 0;
    alarm(PATIENCE_S);
    for (unsigned kind = MAIL_BARRIER_AUTO; kind <= MAIL_BARRIER_PTHREAD; kind++) {
        for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            for (unsigned groups = 1; groups <= 3; groups++) {
                bool calls = kind == MAIL_BARRIER_YIELD || kind == MAIL_BARRIER_SLEEP;
                bool good = hold((enum mail_barrier_kind)kind, sizes[i], groups, meet) &&
                            (!calls || hold((enum mail_barrier_kind)kind, sizes[i], groups, come_when_called));
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
