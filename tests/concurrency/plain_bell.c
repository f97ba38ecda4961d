// SPDX-License-Identifier: MIT
// Tests the doorbell: no ring is missed. A number goes round a circle of threads, and from many threads to one. A
// waiting thread sleeps without a limit, so it hangs if a ring is missed, and the alarm ends the program. The
// numbers are not atomic: ThreadSanitizer checks that each has arrived when it is read.
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "threads/mail/bell.h"

enum { MEMBERS_MAX = 8, ALARM_S = 220, HAND_OVERS = 6000, DUELS = 100000 };

struct box {
    atomic_bool full;
    uint64_t message;
};

struct member {
    _Alignas(64) struct mail_bell bell;
    struct box box[MEMBERS_MAX]; // by sender
    struct meeting *meeting;
    unsigned index;
    uint64_t lots, wrong, sleeps, rung;
};

// Messages 0, 1, 2, ... Each is handed over once.
struct meeting {
    struct member member[MEMBERS_MAX];
    unsigned members;
    unsigned spins; // the most looks before a member goes to sleep
    uint64_t messages;
};

static unsigned lot(struct member *member, unsigned below)
{
    member->lots = 6364136223846793005u * member->lots + 1442695040888963407u; // Knuth's
    return (unsigned)(member->lots >> 33) % below;
}

static bool is(const struct box *box, bool full)
{
    return atomic_load_explicit(&box->full, memory_order_acquire) == full; // pairs with the release of `set`
}

static void yield_sometimes(struct member *member)
{
    if (lot(member, 8) == 0) {
        sched_yield();
    }
}

// Fills or empties the box that a member waits for, and rings.
static void set(struct member *member, struct box *box, bool full, struct member *waiting)
{
    atomic_store_explicit(&box->full, full, memory_order_release);
    yield_sometimes(member);
    mail_bell_ring(&waiting->bell);
}

static void wait_until(struct member *member, const struct box *box, bool full)
{
    for (unsigned looks = lot(member, member->meeting->spins + 1); !is(box, full); looks -= looks > 0) {
        if (looks > 0) {
            continue;
        }
        yield_sometimes(member);
        mail_bell_lie_down(&member->bell);
        yield_sometimes(member);
        if (!is(box, full)) {
            yield_sometimes(member);
            member->sleeps++;
            mail_bell_sleep(&member->bell, UINT64_MAX);
        }
        member->rung += mail_bell_rise(&member->bell);
    }
}

// Each member adds one to the number and passes it on.
static void *pass_on(void *argument)
{
    struct member *member = argument;
    struct meeting *meeting = member->meeting;
    struct member *next = &meeting->member[(member->index + 1) % meeting->members];
    for (uint64_t number = member->index; number < meeting->messages; number += meeting->members) {
        wait_until(member, &member->box[0], true);
        member->wrong += member->box[0].message != number;
        atomic_store_explicit(&member->box[0].full, false,
                              memory_order_relaxed); // the member that fills it waits for what follows
        next->box[0].message = number + 1;
        set(member, &next->box[0], true, next);
    }
    return NULL;
}

// All other members send to member 0, each into its own box.
static void *send(void *argument)
{
    struct member *member = argument;
    struct meeting *meeting = member->meeting;
    struct member *receiver = &meeting->member[0];
    struct box *box = &receiver->box[member->index];
    for (uint64_t number = member->index - 1; number < meeting->messages; number += meeting->members - 1) {
        wait_until(member, box, false);
        box->message = number;
        set(member, box, true, receiver);
    }
    return NULL;
}

static void *receive(void *argument)
{
    struct member *member = argument;
    struct meeting *meeting = member->meeting;
    for (uint64_t number = 0; number < meeting->messages; number++) {
        unsigned sender = 1 + (unsigned)(number % (meeting->members - 1));
        wait_until(member, &member->box[sender], true);
        member->wrong += member->box[sender].message != number;
        set(member, &member->box[sender], false, &meeting->member[sender]);
    }
    return NULL;
}

static bool meet(struct meeting *meeting, bool circle)
{
    pthread_t thread[MEMBERS_MAX];
    uint64_t wrong = 0;
    uint64_t sleeps = 0;
    for (unsigned m = 0; m < meeting->members; m++) {
        meeting->member[m].meeting = meeting;
        meeting->member[m].index = m;
        meeting->member[m].lots = m;
    }
    atomic_store(&meeting->member[0].box[0].full, circle);
    for (unsigned m = 0; m < meeting->members; m++) {
        void *(*body)(void *) = circle ? pass_on : m == 0 ? receive : send;
        if (pthread_create(&thread[m], NULL, body, &meeting->member[m]) != 0) {
            printf("no thread %u\n", m);
            exit(1);
        }
    }
    for (unsigned m = 0; m < meeting->members; m++) {
        pthread_join(thread[m], NULL);
        wrong += meeting->member[m].wrong;
        sleeps += meeting->member[m].sleeps;
    }
    return wrong == 0 && sleeps > 0;
}

// The law itself, many times: one thread puts and rings while the other goes to sleep and looks. It must not happen
// that the first sees no sleeper and the second no message.
struct duel {
    struct mail_bell bell[DUELS];
    atomic_bool put[DUELS];
    bool rang[DUELS], saw[DUELS];
    atomic_uint at[2]; // how far each thread is
};

static void meet_at(struct duel *duel, int side, unsigned round)
{
    atomic_store_explicit(&duel->at[side], round + 1, memory_order_relaxed);
    for (unsigned looks = 1; atomic_load_explicit(&duel->at[!side], memory_order_relaxed) <= round; looks++) {
        if (looks % 256 == 0) {
            sched_yield();
        }
    }
}

static void *put_and_ring(void *argument)
{
    struct duel *duel = argument;
    for (unsigned round = 0; round < DUELS; round++) {
        meet_at(duel, 0, round);
        atomic_store_explicit(&duel->put[round], true, memory_order_relaxed);
        duel->rang[round] = mail_bell_ring(&duel->bell[round]);
    }
    return NULL;
}

static bool fight(void)
{
    static struct duel duel;
    pthread_t thread;
    if (pthread_create(&thread, NULL, put_and_ring, &duel) != 0) {
        return false;
    }
    for (unsigned round = 0; round < DUELS; round++) {
        meet_at(&duel, 1, round);
        mail_bell_lie_down(&duel.bell[round]);
        duel.saw[round] = atomic_load_explicit(&duel.put[round], memory_order_relaxed);
    }
    pthread_join(thread, NULL);
    bool good = true;
    for (unsigned round = 0; round < DUELS; round++) {
        good = good && (duel.rang[round] || duel.saw[round]);
    }
    return good;
}

// One thread alone: what a ring returns, and a sleep that ends at once.
static bool alone(void)
{
    struct mail_bell bell = {0};
    bool good = !mail_bell_ring(&bell) && !atomic_load(&bell.lying); // no thread sleeps
    mail_bell_lie_down(&bell);
    mail_bell_sleep(&bell, 1000);
    good = good && !mail_bell_rise(&bell); // no thread has rung
    mail_bell_lie_down(&bell);
    good = good && mail_bell_ring(&bell) && !mail_bell_ring(&bell); // once
    mail_bell_sleep(&bell, UINT64_MAX);                             // returns at once
    return good && mail_bell_rise(&bell) && !mail_bell_ring(&bell);
}

// The argument is the number of messages in each meeting.
int main(int count, char **words)
{
    uint64_t messages = count > 1 ? strtoull(words[1], NULL, 10) : HAND_OVERS;
    alarm(ALARM_S);
    unsigned passed = (unsigned)alone() + fight();
    unsigned failed = 2 - passed;
    for (int circle = 0; circle < 2; circle++) {
        for (unsigned members = 2; members <= MEMBERS_MAX; members += members == 2 ? 1 : 5) {
            for (unsigned spins = 0; spins <= 330; spins = 10 * spins + 30) {
                struct meeting meeting = {.members = members, .spins = spins, .messages = messages};
                bool good = meet(&meeting, circle);
                passed += good;
                failed += !good;
                if (!good) {
                    printf("%u threads %s: a message was wrong, or nobody slept\n", members,
                           circle ? "in a circle" : "to one");
                }
            }
        }
    }
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
