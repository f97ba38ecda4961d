// SPDX-License-Identifier: MIT
// A model of the bell (threads/mail/bell.c): each of two ringers puts a message and rings; one sleeper lies down, looks
// and sleeps. Checked: no ring is missed, which would be a deadlock, and the sleeper reads whole messages. Not
// modelled: time limits of a sleep, which could hide a missed ring. The futex is Relacy's, not the kernel's.
#include "relacy.h"

enum { RINGERS = 2 };
enum { RING = 1, LIE_DOWN, RING_BY_LOAD, LIE_BY_STORE }; // what a test can weaken

struct bell {
    atomic<int> lying;

    void ring()
    {
        if (weakened == RING_BY_LOAD && lying.load(mo_seq_cst, $) == 0) {
            return;
        }
        if (lying.exchange(0, order(RING, mo_acq_rel), $) != 0) {
            rl_futex(&lying, RL_FUTEX_WAKE, 1, 0, 0, 0, $);
        }
    }

    void lie_down()
    {
        if (weakened == LIE_BY_STORE) {
            lying.store(1, mo_release, $);
        } else {
            lying.exchange(1, order(LIE_DOWN, mo_acq_rel), $);
        }
    }

    void sleep()
    {
        rl_futex(&lying, RL_FUTEX_WAIT, 1, 0, 0, 0, $);
    }

    void rise()
    {
        lying.exchange(0, mo_acq_rel, $);
    }
};

struct model : test_suite<model, RINGERS + 1> {
    bell door;
    atomic<int> put[RINGERS];
    var<int> message[RINGERS];

    void before()
    {
        door.lying.store(0, mo_relaxed, $);
        for (int i = 0; i < RINGERS; i++) {
            put[i].store(0, mo_relaxed, $);
        }
    }

    int sweep()
    {
        int found = 0;
        for (int i = 0; i < RINGERS; i++) {
            if (put[i].load(mo_acquire, $)) {
                RL_ASSERT(message[i]($) == i);
                found++;
            }
        }
        return found;
    }

    void thread(unsigned index)
    {
        if (index < RINGERS) {
            message[index]($) = (int)index;
            put[index].store(1, mo_release, $);
            door.ring();
            return;
        }
        for (int found = 0; found < RINGERS;) {
            door.lie_down();
            int before = found;
            found = sweep();
            if (found == before) {
                door.sleep();
            }
            door.rise();
        }
    }
};

int main(int argc, char **argv)
{
    return explore<model>(argc, argv);
}
