/* SPDX-License-Identifier: MIT */
/* A model of the operation protocol of free timing with snapshots and faults (threads/free/protocol.c, operation.c,
 * post.c, snapshot.c, control/audit.c), for spin. tests/models/test_models.sh runs it and has the bounds.
 *
 * Modelled: every order in which processors look, receive, send kept messages and begin operations. An operation moves
 * any amount that is possible. Tickets have any age at each begin. If a domain or a port is contested, any processor
 * may refuse even though it could take part. So the results hold for every method, invocation, pause and delay: a
 * message that is not due is like a message that has not been received yet.
 *
 * Checked: at most BOUND messages of one direction are under way; the assertions of the protocol hold; domains are
 * exclusive, a processor uses one port, and a link serves one of two operations, if these are required; a snapshot
 * finds all load, and a run that it declares ended has ended; when nothing happens any more, every processor has all
 * answers and no load is lost. The numbers of operations, snapshots and faults are bounded, so that every execution
 * ends. Not shown: that no processor is refused forever.
 *
 * LEFT_OUT names a check that is left out. A run without it must fail. */
#ifndef N
#define N 2 /* processors; each is linked with all others */
#endif
#ifndef OPERATIONS
#define OPERATIONS 1 /* that each processor may begin */
#endif
#ifndef SNAPSHOTS
#define SNAPSHOTS 0
#endif
#ifndef FAULTS
#define FAULTS 0 /* failures and repairs of the link between 0 and 1 */
#endif
#ifndef TOGETHER
#define TOGETHER 1 /* an invoker asks all neighbours at once, and settles with them once or twice */
#endif
#ifndef ONE_PORT
#define ONE_PORT 0
#endif
#ifndef EXCLUSIVE
#define EXCLUSIVE 0
#endif
#ifndef ONCE
#define ONCE 0
#endif
#ifndef BOUND
#define BOUND 7
#endif
#ifndef LEFT_OUT
#define LEFT_OUT NOTHING
#endif
#define CAPACITY 1
#define SHELF 8
#define LOAD 1 /* load of each processor at the start */

#define NOTHING 0
#define RECORD_BEFORE_MARKER 1
#define NOTE_OF_MESSAGES 2
#define AHEAD_OF_LOOK 3
#define ALL_PARTS 4
#define REFUSE_OVER_FAILED 5
#define RETURN_OVER_FAILED 6
#define WITHDRAW 7
#define PORT_IN_USE 8
#define LINK_IN_USE 9
#define SERVES_ONE 10
#define DOMAIN_IN_USE 11
#define checks(what) (LEFT_OUT != what)

mtype = { ASK, TELL, REFUSE, GIVE, ANSWER, PULL, RELEASE, RETURN, MARKER }; /* ANSWER: the GIVE that answers a PULL */

/* The state of a port in the own operation. */
#define NONE 0
#define ASKED 1
#define TOLD 2
#define PULLED 3
#define SETTLED 4
#define REFUSED 5

/* The state of the own operation. */
#define IDLE 0
#define ASKING 1
#define SETTLING 2

#define at(p, q) ((p) * N + (q))
#define contested (ONE_PORT || EXCLUSIVE)

chan mail[N * N] = [CAPACITY] of { mtype, byte };
chan kept[N * N] = [SHELF] of { mtype, byte };
byte under[N * N]; /* messages under way: in the mailbox, or kept */
byte part[N * N];
bit engaged_at[N * N], marked[N * N];
bit served[N * N]; /* for an assertion: the link has served the neighbour's operation since the own one began */

byte phase[N], waiting[N], engaged[N], held[N], age[N], left[N], cursor[N], epoch[N], missing[N];
bit withdrawn[N], told[N], second[N];
byte look_epoch[N];
bit look_up[N], look_draining[N];

/* The attendant's variables. */
bit up = 1, draining, claimed;
byte begun, complete, faults = FAULTS;
byte total, messages, busy, asking; /* found by the snapshot */

hidden byte i, j, q, a, b, r, goes_on;
hidden mtype k;

#define usable(p, q) ((p) + (q) != 1 || look_up[p])
#define older(a, p, than_a, than) ((a) != (than_a) -> (a) > (than_a) : (p) < (than))

inline post(p, q, kind, amount)
{
    under[at(p, q)]++;
    assert(under[at(p, q)] <= BOUND);
    if
    :: len(kept[at(p, q)]) > 0 || len(mail[at(p, q)]) == CAPACITY -> kept[at(p, q)] ! kind, amount
    :: else -> mail[at(p, q)] ! kind, amount
    fi
}

/* ---- the own operation ---- */

#define can_ask(p, q) (usable(p, q) && !(ONCE && ((checks(LINK_IN_USE) && engaged_at[at(p, q)]) || part[at(p, q)] != NONE)))

inline ask(p, q)
{
    assert(!((ONE_PORT || EXCLUSIVE) && engaged[p] > 0) && !(ONE_PORT && waiting[p] > 0));
    phase[p] = ASKING;
    part[at(p, q)] = ASKED;
    waiting[p]++;
    post(p, q, ASK, age[p])
}

/* Sets r if there was a processor to settle with. */
inline ask_next(p)
{
    r = 0;
    do
    :: cursor[p] < N && !r ->
        b = cursor[p];
        cursor[p]++;
        if
        :: b != p && can_ask(p, b) -> ask(p, b); r = 1
        :: else
        fi
    :: else -> break
    od
}

inline ask_all(p)
{
    for (j : 0 .. N - 1) {
        if
        :: j != p && can_ask(p, j) -> ask(p, j)
        :: else
        fi
    }
    r = waiting[p] > 0
}

inline settle_amount(p, q)
{
    if
    :: part[at(p, q)] = PULLED; waiting[p]++; post(p, q, PULL, 1)
    :: held[p] > 0 -> part[at(p, q)] = SETTLED; held[p]--; post(p, q, GIVE, 1)
    :: part[at(p, q)] = SETTLED;
        if
        :: !EXCLUSIVE -> post(p, q, RELEASE, 0)
        :: else
        fi
    fi
}

inline settle_all(p)
{
    if
    :: TOGETHER && !second[p] -> second[p] = 1
    :: second[p] = 0
    fi;
    for (i : 0 .. N - 1) {
        if
        :: part[at(p, i)] == TOLD -> settle_amount(p, i)
        :: part[at(p, i)] == TOLD && second[p] -> skip
        :: part[at(p, i)] != TOLD -> skip
        fi
    }
}

/* Sets r if there was a processor to settle with. */
inline settle(p)
{
    if
    :: TOGETHER -> r = second[p] || (phase[p] == ASKING && told[p])
    :: else -> r = part[at(p, cursor[p] - 1)] == TOLD
    fi;
    phase[p] = SETTLING;
    if
    :: r -> settle_all(p) /* if neighbours are asked one by one, only the last one has told its load and not settled */
    :: else
    fi
}

inline leave(p)
{
    for (j : 0 .. N - 1) {
        if
        :: EXCLUSIVE && part[at(p, j)] == SETTLED -> post(p, j, RELEASE, 0)
        :: else
        fi;
        part[at(p, j)] = NONE
    }
    phase[p] = IDLE;
    withdrawn[p] = 0;
    told[p] = 0;
    second[p] = 0;
    cursor[p] = 0;
    age[p] = 0
}

inline proceed(p)
{
    do
    :: waiting[p] == 0 && phase[p] != IDLE && !(ONE_PORT && checks(PORT_IN_USE) && engaged[p] > 0) ->
        r = 0;
        if
        :: !withdrawn[p] ->
            settle(p);
            if
            :: !r && !TOGETHER -> ask_next(p)
            :: else
            fi
        :: else
        fi;
        if
        :: !r -> leave(p)
        :: else
        fi
    :: else -> break
    od
}

inline keeps_any(p)
{
    r = 0;
    for (j : 0 .. N - 1) {
        r = r || len(kept[at(p, j)]) > 0
    }
}

inline begin(p)
{
    assert(!claimed);
    left[p]--;
    phase[p] = ASKING;
    if
    :: contested || ONCE -> age[p] = 1
    :: skip
    fi;
    for (j : 0 .. N - 1) {
        served[at(p, j)] = ONCE && engaged_at[at(p, j)]
    }
    if
    :: TOGETHER -> ask_all(p)
    :: else -> ask_next(p)
    fi;
    if
    :: !r -> leave(p)
    :: else
    fi
}

/* ---- the effects of messages; goes_on: the own operation may go on after it ---- */

#define moved(p) (phase[p] != ASKING || (!TOGETHER && told[p]))
#define gives_way(p, q, a)                                                                                             \
    (older(a, q, age[p], p) && !(ONE_PORT && part[at(p, q)] != ASKED) && !(EXCLUSIVE && moved(p)))
#define serves(p, q, a)                                                                                                \
    (part[at(p, q)] == NONE || part[at(p, q)] == REFUSED || (part[at(p, q)] == ASKED && older(a, q, age[p], p)))
#define accepts(p, q, a)                                                                                               \
    (usable(p, q) && (!(ONCE && checks(SERVES_ONE)) || serves(p, q, a)) &&                                             \
     (!contested || ((engaged[p] == 0 || !checks(DOMAIN_IN_USE)) && (phase[p] == IDLE || gives_way(p, q, a)))))

inline withdraw(p)
{
    withdrawn[p] = 1;
    for (j : 0 .. N - 1) {
        if
        :: part[at(p, j)] == TOLD -> part[at(p, j)] = REFUSED; post(p, j, RELEASE, 0)
        :: else
        fi
    }
}

inline check_exclusion(p, q)
{
    assert(!ONE_PORT || (engaged[p] == 0 && (phase[p] == IDLE || part[at(p, q)] == ASKED)));
    assert(!EXCLUSIVE || (engaged[p] == 0 && (phase[p] == IDLE || withdrawn[p])));
    assert(!ONCE || part[at(p, q)] == NONE || part[at(p, q)] == ASKED || part[at(p, q)] == REFUSED)
}

inline receive_ask(p, q)
{
    assert(!engaged_at[at(p, q)]);
    if
    :: accepts(p, q, a) ->
        if
        :: EXCLUSIVE && phase[p] != IDLE && checks(WITHDRAW) -> withdraw(p)
        :: else
        fi;
        check_exclusion(p, q);
        if
        :: ONCE && phase[p] != IDLE ->
            served[at(p, q)] = 1;
            part[at(p, q)] = (part[at(p, q)] == NONE -> REFUSED : part[at(p, q)])
        :: else
        fi;
        engaged_at[at(p, q)] = 1;
        engaged[p]++;
        post(p, q, TELL, 0)
    :: !accepts(p, q, a) || contested -> post(p, q, REFUSE, 0)
    fi
}

inline receive_tell(p, q)
{
    assert(part[at(p, q)] == ASKED && !served[at(p, q)]);
    waiting[p]--;
    if
    :: withdrawn[p] || !usable(p, q) -> part[at(p, q)] = REFUSED; post(p, q, RELEASE, 0)
    :: else -> part[at(p, q)] = TOLD; told[p] = 1
    fi;
    goes_on = 1
}

inline receive_refuse(p, q)
{
    assert(part[at(p, q)] == ASKED || part[at(p, q)] == PULLED);
    part[at(p, q)] = (part[at(p, q)] == ASKED -> REFUSED : SETTLED);
    waiting[p]--;
    goes_on = 1
}

inline disengage(p, q)
{
    assert(engaged_at[at(p, q)]);
    engaged_at[at(p, q)] = 0;
    engaged[p]--;
    goes_on = 1
}

inline release_when_settled(p, q)
{
    if
    :: !EXCLUSIVE -> disengage(p, q)
    :: else
    fi
}

inline receive_load(p, q)
{
    if
    :: !usable(p, q) && a > 0 ->
        if
        :: checks(RETURN_OVER_FAILED) -> post(p, q, RETURN, a)
        :: else
        fi
    :: else -> held[p] = held[p] + a
    fi
}

inline receive_answer(p, q)
{
    assert(part[at(p, q)] == PULLED);
    receive_load(p, q);
    waiting[p]--;
    part[at(p, q)] = SETTLED;
    goes_on = 1
}

inline receive_pull(p, q)
{
    if
    :: usable(p, q) ->
        b = (a < held[p] -> a : held[p]);
        held[p] = held[p] - b;
        post(p, q, ANSWER, b)
    :: !usable(p, q) && checks(REFUSE_OVER_FAILED) -> post(p, q, REFUSE, 0)
    :: else
    fi;
    release_when_settled(p, q)
}

/* ---- snapshots ---- */

inline record(p)
{
    total = total + held[p];
    busy = busy + (phase[p] != IDLE || engaged[p] > 0);
    asking = asking + (phase[p] != IDLE || left[p] > 0);
    epoch[p] = begun;
    missing[p] = N - 1;
    for (j : 0 .. N - 1) {
        if
        :: j != p -> marked[at(p, j)] = 0; post(p, j, MARKER, 0)
        :: else
        fi
    }
}

inline note(p, q)
{
    if
    :: missing[p] > 0 && !marked[at(p, q)] && k != MARKER && checks(NOTE_OF_MESSAGES) ->
        messages++;
        total = total + (k == GIVE || k == ANSWER || k == RETURN -> a : 0)
    :: else
    fi
}

inline take_marker(p, q)
{
    if
    :: epoch[p] != begun && checks(RECORD_BEFORE_MARKER) -> record(p)
    :: else
    fi;
    marked[at(p, q)] = 1;
    missing[p]--;
    complete = complete + (missing[p] == 0)
}

/* ---- a processor ---- */

inline take(p, q)
{
    mail[at(q, p)] ? k, a;
    under[at(q, p)]--;
    assert(!claimed || k == MARKER);
    note(p, q);
    goes_on = 0;
    if
    :: k == ASK -> receive_ask(p, q)
    :: k == TELL -> receive_tell(p, q)
    :: k == REFUSE -> receive_refuse(p, q)
    :: k == GIVE -> receive_load(p, q); release_when_settled(p, q)
    :: k == ANSWER -> receive_answer(p, q)
    :: k == PULL -> receive_pull(p, q)
    :: k == RELEASE -> disengage(p, q)
    :: k == RETURN -> held[p] = held[p] + a
    :: k == MARKER -> take_marker(p, q)
    fi;
    if
    :: goes_on -> proceed(p)
    :: else
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
#define may_begin(p)                                                                                                   \
    (left[p] > 0 && phase[p] == IDLE && !look_draining[p] && !(checks(AHEAD_OF_LOOK) && epoch[p] > look_epoch[p]) &&   \
     !(contested && engaged[p] > 0))

#define comes_from(q) len(mail[at(q, me)]) > 0
#define goes_to(q) len(kept[at(me, q)]) > 0 && len(mail[at(me, q)]) < CAPACITY

proctype processor(byte me)
{
end:
    do
    :: atomic { !sees_all(me) -> look(me) }
    :: atomic {
           if
           :: comes_from(0) -> q = 0
           :: comes_from(1) -> q = 1
#if N > 2
           :: comes_from(2) -> q = 2
#endif
           fi;
           take(me, q) }
    :: atomic {
           if
           :: goes_to(0) -> q = 0
           :: goes_to(1) -> q = 1
#if N > 2
           :: goes_to(2) -> q = 2
#endif
           fi;
           kept[at(me, q)] ? k, a;
           mail[at(me, q)] ! k, a }
    :: atomic { may_begin(me) ->
           keeps_any(me);
           if
           :: !r -> begin(me)
           :: r && !claimed -> left[me]-- /* it does not invoke any more */
           fi }
    :: atomic { left[me] > 0 && phase[me] == IDLE && !claimed -> left[me] = 0 } /* nor does it here */
    od
}

/* ---- the attendant ---- */

inline check_snapshot()
{
    assert(total == N * LOAD);
    if
    :: busy == 0 && messages == 0 && (asking == 0 || draining) -> claimed = 1
    :: else
    fi
}

active proctype attendant()
{
    byte snapshots = SNAPSHOTS;
    do
    :: atomic { snapshots > 0 -> snapshots--; total = 0; messages = 0; busy = 0; asking = 0; complete = 0; begun++ };
        atomic { complete == N || !checks(ALL_PARTS) -> check_snapshot() }
    :: atomic { snapshots > 0 && !draining -> draining = 1 }
    :: atomic { snapshots == 0 -> break }
    od
}

active proctype failing()
{
    do
    :: atomic { faults > 0 && look_up[0] == up && look_up[1] == up -> faults--; up = 1 - up } /* a grace period */
    :: atomic { faults == 0 -> break }
    od
}

inline check_end()
{
    total = 0;
    for (i : 0 .. N - 1) {
        assert(phase[i] == IDLE && engaged[i] == 0 && waiting[i] == 0);
        total = total + held[i];
        for (j : 0 .. N - 1) {
            assert(under[at(i, j)] == 0)
        }
    }
    assert(total == N * LOAD && complete == (SNAPSHOTS > 0 -> N : 0))
}

init {
    atomic {
        for (i : 0 .. N - 1) {
            held[i] = LOAD;
            left[i] = OPERATIONS;
            look_up[i] = 1;
            run processor(i)
        }
    }
    atomic { timeout -> check_end() }
}
