/* SPDX-License-Identifier: MIT */
/* The recorder of free timing (threads/drivers/recorder/recorder.c), for spin: workers fill chunks and hand them, under a lock, to a
 * thread that writes them down and gives them back empty. tests/models/test_models.sh runs it and says for which bounds.
 *
 * Held to: each worker's chunks are written down under its name, whole and in their order; when it has ended all are, up
 * to the last that was not full; and nobody waits for ever, also where what is written down fails. Not modelled: what is
 * in a chunk beside whose it is and the how manieth, and that a signal may wake more than one.
 *
 * LEFT_OUT names a check that is left out; then a run must fail. */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef SPARE
#define SPARE 1 /* chunks beside those that the workers fill */
#endif
#ifndef ROUNDS
#define ROUNDS 2 /* chunks that each worker fills; one more is not full when it ends */
#endif
#ifndef FAILS
#define FAILS 0 /* writing may */
#endif
#ifndef LEFT_OUT
#define LEFT_OUT NOTHING
#endif
#define CHUNKS (WORKERS + SPARE)

#define NOTHING 0
#define OWN_NAME 1    /* who has waited takes its name from the chunk that it gave away: as it once was */
#define LOOK_AGAIN 2  /* it does not look whether a chunk is there when it is woken */
#define SAY_FREED 3   /* who gives a chunk back wakes nobody */
#define SAY_FILLED 4  /* who hands one over wakes nobody */
#define LAST_CHUNKS 5 /* those that are not full are not handed over at the end */
#define ALL_OF_THEM 6 /* the writing thread ends as soon as it hears that no more will come */
#define FREE_FAILED 7 /* what could not be written is not given back */
#define checks(what) (LEFT_OUT != what)

bit locked, ends, failed;
byte waits_freed, woken_freed, waits_filled, woken_filled; /* at each condition: who waits, and how many may go on */

byte free[CHUNKS], frees;             /* the stack of the empty ones */
chan queue = [CHUNKS] of { byte };     /* the queue of the full ones */
byte own[WORKERS];                    /* the one that each fills */
byte name[CHUNKS];                    /* whose it is said to be */
byte filler[CHUNKS], number[CHUNKS];  /* who has filled it, and the how manieth of its */
byte written[WORKERS];                /* how many were */
byte done;                            /* workers that have ended */

inline lock() {
    atomic { !locked -> locked = 1 }
}

inline unlock() {
    locked = 0
}

inline wait(waits, woken) {
    atomic { waits++; locked = 0 };
    atomic { woken > 0 -> woken--; waits-- };
    lock()
}

inline signal(waits, woken) {
    if
    :: woken < waits -> woken++
    :: else
    fi
}

inline append(chunk) {
    queue!chunk;
    if
    :: checks(SAY_FILLED) -> signal(waits_filled, woken_filled)
    :: else
    fi
}

/* turn_over */
inline hand_over(w) {
    lock();
    append(own[w]);
    if
    :: frees == 0 && checks(LOOK_AGAIN) ->
        do
        :: frees == 0 -> wait(waits_freed, woken_freed)
        :: else -> break
        od
    :: frees == 0 && !checks(LOOK_AGAIN) -> wait(waits_freed, woken_freed)
    :: else
    fi;
    atomic {
        assert(frees > 0);
        frees--;
        next = free[frees];
        name[next] = (checks(OWN_NAME) -> w : name[own[w]]);
        own[w] = next;
        next = 0
    };
    unlock()
}

proctype worker(byte w) {
    byte n, next;
    do
    :: n < ROUNDS ->
        atomic { filler[own[w]] = w; number[own[w]] = n; n++ };
        hand_over(w)
    :: else -> break
    od;
    atomic { filler[own[w]] = w; number[own[w]] = n; done++ }
}

/* hand_on: nobody else has the chunk meanwhile. */
inline write_down(chunk) {
    if
    :: FAILS && !failed -> failed = 1
    :: !failed ->
        atomic {
            assert(name[chunk] == filler[chunk]);
            assert(number[chunk] == written[filler[chunk]]);
            written[filler[chunk]]++
        }
    :: failed
    fi
}

proctype writer() {
    byte chunk;
    lock();
    do
    :: len(queue) > 0 && (checks(ALL_OF_THEM) || !ends) ->
        queue?chunk;
        unlock();
        write_down(chunk);
        lock();
        if
        :: checks(FREE_FAILED) || !failed ->
            atomic { free[frees] = chunk; frees++ };
            if
            :: checks(SAY_FREED) -> signal(waits_freed, woken_freed)
            :: else
            fi
        :: else
        fi
    :: len(queue) == 0 && !ends -> wait(waits_filled, woken_filled)
    :: ends && (len(queue) == 0 || !checks(ALL_OF_THEM)) -> break
    od;
    unlock();
    done++
}

init {
    byte w;
    atomic {
        do
        :: w < WORKERS -> own[w] = w; name[w] = w; run worker(w); w++
        :: else -> break
        od;
        do
        :: w < CHUNKS -> free[frees] = w; frees++; w++
        :: else -> w = 0; break
        od;
        run writer()
    };
    done == WORKERS;
    lock(); /* free_record_end */
    do
    :: w < WORKERS && checks(LAST_CHUNKS) -> append(own[w]); w++
    :: else -> break
    od;
    ends = 1;
    signal(waits_filled, woken_filled);
    unlock();
    done == WORKERS + 1;
    w = 0;
    do
    :: w < WORKERS -> assert(failed || written[w] == ROUNDS + 1); w++
    :: else -> break
    od
}
