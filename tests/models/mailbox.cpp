// SPDX-License-Identifier: MIT
// A model of the mailbox `spsc` (threads/mail/mailbox_spsc.h): in a ring of two places, a producer puts as many
// messages as `room` permits, and a consumer takes as many as are waiting. Checked: messages arrive whole, once and in
// order, and no place is written while it is read. Not modelled: more places, and indices that wrap more than twice.
#include "relacy.h"

enum { CAPACITY = 2, MESSAGES = 5 };
enum { ROOM = 1, WAITING, PUT, TAKE, ROOM_OF_LAST }; // what a test can weaken

struct model : test_suite<model, 2> {
    atomic<int> stamp[CAPACITY];
    var<int> amount[CAPACITY];

    void before()
    {
        for (int i = 0; i < CAPACITY; i++) {
            stamp[i].store(0, mo_relaxed, $);
        }
    }

    int room(int next)
    {
        if (stamp[(next + CAPACITY - 1) % CAPACITY].load(order(ROOM_OF_LAST, order(ROOM, mo_acquire)), $) == 0) {
            return CAPACITY;
        }
        int room = 0;
        while (room < CAPACITY && stamp[next].load(order(ROOM, mo_acquire), $) == 0) {
            next = (next + 1) % CAPACITY;
            room++;
        }
        return room;
    }

    int waiting(int next)
    {
        int waiting = 0;
        while (waiting < CAPACITY && stamp[next].load(order(WAITING, mo_acquire), $) != 0) {
            next = (next + 1) % CAPACITY;
            waiting++;
        }
        return waiting;
    }

    void produce()
    {
        for (int message = 1, at = 0; message <= MESSAGES;) {
            int found = room(at);
            for (int i = 0; i < found && message <= MESSAGES; i++, message++) {
                RL_ASSERT(stamp[at].load(mo_relaxed, $) == 0);
                amount[at]($) = message;
                stamp[at].store(message, order(PUT, mo_release), $);
                at = (at + 1) % CAPACITY;
            }
            yield(1, $);
        }
    }

    void consume()
    {
        for (int message = 1, at = 0; message <= MESSAGES;) {
            int found = waiting(at);
            for (int i = 0; i < found; i++, message++) {
                RL_ASSERT(amount[at]($) == message && stamp[at].load(mo_relaxed, $) == message);
                stamp[at].store(0, order(TAKE, mo_release), $);
                at = (at + 1) % CAPACITY;
            }
            yield(1, $);
        }
    }

    void thread(unsigned index)
    {
        if (index == 0) {
            produce();
        } else {
            consume();
        }
    }
};

int main(int argc, char **argv)
{
    return explore<model>(argc, argv);
}
