/* SPDX-License-Identifier: MIT */
/* A model of the recorder of free timing (threads/drivers/recorder/recorder.c), for spin: workers fill chunks and pass
 * them, under a lock, to a thread that writes them and gives them back empty. tests/models/test_models.sh runs it and
 * has the bounds.
 *
 * Checked: each worker's chunks are written under its name, whole and in order; when the run has ended all chunks have
 * been written, up to the last one, which was not full; no thread waits forever, even if writing fails. Not modelled:
 * the contents of a chunk other than its worker and its number; signals that wake more than one thread.
 *
 * LEFT_OUT names a check that is left out. A run without it must fail. */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef SPARE
#define SPARE 1 /* chunks in addition to those that the workers fill */
#endif
#ifndef ROUNDS
#define ROUNDS 2 /* full chunks of each worker; one more is not full when it ends */
#endif
#ifndef FAILS
#define FAILS 0 /* writing may fail */
#endif
#ifndef LEFT_OUT
#define LEFT_OUT NOTHING
#endif
#define CHUNKS (WORKERS + SPARE)

#define NOTHING 0
#define OWN_NAME 1    /* after waiting, a worker takes its name from the chunk that it passed on, which may have changed */
#define LOOK_AGAIN 2  /* a woken thread does not test whether there is a chunk */
#define SAY_FREED 3   /* a thread that gives a chunk back wakes no thread */
#define SAY_FILLED 4  /* a thread that passes a chunk on wakes no thread */
#define LAST_CHUNKS 5 /* chunks that are not full are not passed on at the end */
#define ALL_OF_THEM 6 /* the writing thread ends as soon as it knows that no more chunks will come */
#define FREE_FAILED 7 /* a chunk that could not be written is not given back */
#define checks(what) (LEFT_OUT != what)

bit locked, ends, failed;
byte waits_freed, woken_freed, waits_filled, woken_filled; /* at each condition: waiting, and released */

byte free[CHUNKS], frees;             /* the stack of empty chunks */
chan queue = [CHUNKS] of { byte };     /* the queue of full chunks */
byte own[WORKERS];                    /* the chunk that the worker fills */
byte name[CHUNKS];                    /* the worker whose name it has */
byte filler[CHUNKS], number[CHUNKS];  /* the worker that has filled it, and its number among that worker's chunks */
byte written[WORKERS];                /* chunks of the worker that were written */
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

/* hand_on: no other thread has the chunk meanwhile. */
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
    lock(); /* recorder_end */
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
