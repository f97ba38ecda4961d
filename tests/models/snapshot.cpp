// SPDX-License-Identifier: MIT
// A model of the begin and the end of a snapshot (threads/free/control/audit.c, look.c, snapshot.c). The attendant
// makes the run drain, resets the count and raises the epoch. Two workers record themselves, when they look at the
// epoch or when the other's marker arrives before that, and count their parts. The attendant then reads the parts.
// Checked: a worker that has recorded and looks again sees that the run drains, and the parts are whole. Not modelled:
// messages other than the marker, faults, and more than one snapshot; protocol.pml models what is recorded.
#include "relacy.h"

enum { WORKERS = 2 };
enum { BEGIN = 1, LOOK, COUNT, READ, MARK, TAKE_MARK, DRAIN_LATE, COUNT_LATE }; // what a test can weaken

struct model : test_suite<model, WORKERS + 1> {
    atomic<int> epoch, draining, complete, marker[WORKERS];
    var<int> part[WORKERS];

    void before()
    {
        epoch.store(0, mo_relaxed, $);
        draining.store(0, mo_relaxed, $);
        complete.store(WORKERS, mo_relaxed, $); // of an earlier snapshot
        for (int i = 0; i < WORKERS; i++) {
            marker[i].store(0, mo_relaxed, $);
        }
    }

    void attend()
    {
        if (weakened != DRAIN_LATE) {
            draining.store(1, mo_relaxed, $);
        }
        if (weakened != COUNT_LATE) {
            complete.store(0, mo_relaxed, $);
        }
        epoch.fetch_add(1, order(BEGIN, mo_release), $);
        if (weakened == DRAIN_LATE) {
            draining.store(1, mo_relaxed, $);
        }
        if (weakened == COUNT_LATE) {
            complete.store(0, mo_relaxed, $);
        }
        while (complete.load(order(READ, mo_acquire), $) < WORKERS) {
            yield(1, $);
        }
        for (int i = 0; i < WORKERS; i++) {
            RL_ASSERT(part[i]($) == i + 1);
        }
    }

    bool record(int self)
    {
        part[self]($) = self + 1;
        marker[1 - self].store(1, order(MARK, mo_release), $);
        return true;
    }

    void work(int self)
    {
        bool recorded = false;
        for (bool marked = false; !marked;) {
            int seen = epoch.load(order(LOOK, mo_acquire), $);
            int drains = draining.load(mo_relaxed, $);
            recorded = recorded || (seen == 1 && record(self));
            RL_ASSERT(seen == 0 || drains == 1);
            if (marker[self].load(order(TAKE_MARK, mo_acquire), $)) {
                RL_ASSERT(epoch.load(mo_relaxed, $) == 1); // the marker carries it
                recorded = recorded || record(self);
                marked = true;
            }
            yield(1, $);
        }
        complete.fetch_add(1, order(COUNT, mo_release), $);
    }

    void thread(unsigned index)
    {
        if (index < WORKERS) {
            work((int)index);
        } else {
            attend();
        }
    }
};

int main(int argc, char **argv)
{
    return explore<model>(argc, argv);
}
