/* SPDX-License-Identifier: MIT */
/* A model of free timing with pushed announcements (threads/free/pushed.c), with snapshots and faults
 * (threads/free/control/audit.c, fault_injection.c), for spin: two processors give half of the difference from the last
 * announcement that they received, in whole tokens. tests/models/test_models.sh runs it and has the bounds.
 *
 * Checked: at most three messages are kept; no load is lost; if a snapshot finds that all announcements have been
 * received and there is nothing to give, this stays so; a run that drains has ended when nothing is under way. Not
 * modelled: other rules, and more links.
 *
 * LEFT_OUT names a check that is left out. A run without it must fail. */
#ifndef SNAPSHOTS
#define SNAPSHOTS 1
#endif
#ifndef FAULTS
#define FAULTS 0 /* failures and repairs of the link */
#endif
#ifndef LEFT_OUT
#define LEFT_OUT NOTHING
#endif
#define CAPACITY 1
#define KEPT 3
#define LOAD 3 /* load of processor 0 at the start */
#define UNKNOWN 255

#define NOTHING 0
#define OPEN 1
#define MENDING 2
#define MESSAGES 3
#define AHEAD_OF_LOOK 4
#define FULL_LINKS 5
#define checks(what) (LEFT_OUT != what)

mtype = { ANNOUNCE, GIVE, MARKER };

/* By processor: its messages, and its state. */
chan mail[2] = [CAPACITY] of { mtype, byte };
chan kept[2] = [KEPT] of { mtype, byte };
byte held[2], said[2], told[2], epoch[2], look_epoch[2];
bit missing[2], look_up[2], look_draining[2];

/* Variables of fault injection. `mends`: the link is down and will be repaired, or the next event is a repair. */
bit up = 1, mends = FAULTS > 1;
byte faults = FAULTS;

/* The attendant's variables. */
bit draining, claimed, mending;
byte begun, complete;
byte total, messages; /* found by the snapshot */
bit says, gives, held_back;

hidden byte a, level;
hidden mtype k;

#define other(p) (1 - (p))
#define is_open(p) (look_up[p] && (len(kept[p]) == 0 || !checks(OPEN)))
#define counts(p) (look_up[p] && (len(kept[p]) == 0 || checks(FULL_LINKS))) /* in a snapshot */
#define would_say(p) (said[p] != held[p])
#define would_give(p) (told[p] != UNKNOWN && held[p] > told[p] + 1)
#define amount(p) ((held[p] - told[p]) / 2)

inline post(p, kind, load)
{
    if
    :: len(kept[p]) > 0 || len(mail[p]) == CAPACITY ->
        assert(len(kept[p]) < KEPT);
        kept[p] ! kind, load
    :: else -> mail[p] ! kind, load
    fi
}

inline record(p)
{
    total = total + held[p];
    says = says || (!look_draining[p] && counts(p) && would_say(p));
    gives = gives || (counts(p) && would_give(p));
    held_back = held_back || (!look_up[p] && (would_say(p) || would_give(p)));
    epoch[p] = begun;
    missing[p] = 1;
    post(p, MARKER, 0)
}

inline note(p)
{
    if
    :: missing[p] && k != MARKER -> messages++; total = total + (k == GIVE -> a : 0)
    :: else
    fi
}

inline take(p)
{
    mail[other(p)] ? k, a;
    assert(!claimed || k == MARKER);
    note(p);
    if
    :: k == ANNOUNCE -> told[p] = a
    :: k == GIVE -> held[p] = held[p] + a
    :: k == MARKER ->
        if
        :: epoch[p] != begun -> record(p)
        :: else
        fi;
        missing[p] = 0;
        complete++
    fi
}

inline give(p)
{
    a = amount(p);
    held[p] = held[p] - a;
    post(p, GIVE, a)
}

inline announce(p)
{
    assert(!claimed);
    level = held[p];
    if
    :: would_say(p) ->
        said[p] = level;
        post(p, ANNOUNCE, level);
        if
        :: would_give(p) -> give(p)
        :: skip /* it does not invoke now */
        fi
    :: else -> give(p)
    fi
}

inline look(p)
{
    look_up[p] = up;
    look_draining[p] = draining;
    look_epoch[p] = begun;
    if
    :: epoch[p] != begun -> record(p)
    :: else
    fi
}

#define sees_all(p) (look_up[p] == up && look_draining[p] == draining && look_epoch[p] == begun && epoch[p] == begun)
#define may_act(p)                                                                                                     \
    (is_open(p) && !look_draining[p] && !(checks(AHEAD_OF_LOOK) && epoch[p] > look_epoch[p]) &&                        \
     (would_say(p) || would_give(p)))

proctype processor(byte me)
{
end:
    do
    :: atomic { !sees_all(me) -> look(me) }
    :: atomic { len(mail[other(me)]) > 0 -> take(me) }
    :: atomic { len(kept[me]) > 0 && len(mail[me]) < CAPACITY -> kept[me] ? k, a; mail[me] ! k, a }
    :: atomic { may_act(me) -> announce(me) }
    od
}

#define all_see_table (look_up[0] == up && look_up[1] == up)

inline check_snapshot()
{
    assert(total == LOAD);
    if
    :: !says && (messages == 0 || !checks(MESSAGES)) &&
           (draining || (!gives && !(held_back && mending && checks(MENDING)))) -> claimed = 1
    :: else
    fi
}

active proctype attendant()
{
    byte snapshots = SNAPSHOTS;
    do
    :: atomic { snapshots > 0 ->
           snapshots--; total = 0; messages = 0; says = 0; gives = 0; held_back = 0; complete = 0;
           mending = mends;
           begun++ };
        atomic { complete == 2 -> check_snapshot() }
    :: atomic { snapshots > 0 && !draining -> draining = 1 }
    :: atomic { snapshots == 0 -> break }
    od
}

active proctype helper()
{
    do
    :: atomic { faults > 0 -> faults--; up = 1 - up };
        atomic { all_see_table -> mends = (!up && faults > 0) || faults > 1 } /* a grace period */
    :: atomic { faults == 0 -> break }
    od
}

init {
    atomic {
        held[0] = LOAD;
        said[0] = UNKNOWN; said[1] = UNKNOWN;
        told[0] = UNKNOWN; told[1] = UNKNOWN;
        look_up[0] = 1; look_up[1] = 1;
        run processor(0);
        run processor(1)
    }
    atomic { timeout -> assert(held[0] + held[1] == LOAD && len(mail[0]) + len(mail[1]) == 0) }
}
