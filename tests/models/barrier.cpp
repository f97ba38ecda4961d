// SPDX-License-Identifier: MIT
// A model of the barrier (threads/mail/barrier.c), with calls and sleepers: three members in two groups, three rounds.
// The serial section releases all members, or calls any of them. Checked: the serial section sees what each member did
// before, only released members go on, and no member sleeps for ever. Not modelled: the clock, which bounds polling
// (the model draws no poll or one poll), and pthread's barrier.
#include "relacy.h"

enum { MEMBERS = 3, GROUPS = 2, ROUNDS = 3 };
enum { ARRIVE = 1, RELEASED, RELEASE_GROUP, SLEEPERS, RELEASE_MEMBER, CALLED, LIE_DOWN, RING, FIRST_FIRST }; // what a test can weaken

static int group_of(int member)
{
    return member * GROUPS / MEMBERS;
}

struct group {
    atomic<int> arrived, generation, calls, sleepers;
    var<int> expected;
    int begin, members;
};

struct member {
    atomic<int> called, lying;
};

struct visit {
    struct group *group;
    struct member *member;
    int generation, calls, called;
};

struct barrier {
    struct group group[GROUPS];
    struct member member[MEMBERS];
    atomic<int> groups_arrived;
    var<int> groups_expected, only_some, called_count, called[MEMBERS];

    void expect_all()
    {
        for (int g = 0; g < GROUPS; g++) {
            group[g].expected($) = group[g].members;
        }
        groups_expected($) = GROUPS;
        only_some($) = 0;
    }

    void begin()
    {
        for (int g = 0; g < GROUPS; g++) {
            group[g].arrived.store(0, mo_relaxed, $);
            group[g].generation.store(0, mo_relaxed, $);
            group[g].calls.store(0, mo_relaxed, $);
            group[g].sleepers.store(0, mo_relaxed, $);
            group[g].members = 0;
        }
        groups_arrived.store(0, mo_relaxed, $);
        for (int m = MEMBERS; m-- > 0;) {
            group[group_of(m)].members++;
            group[group_of(m)].begin = m;
            member[m].called.store(0, mo_relaxed, $);
            member[m].lying.store(0, mo_relaxed, $);
        }
        called_count($) = 0;
        expect_all();
    }

    void ring(struct member *whom)
    {
        if (whom->lying.exchange(0, order(RING, mo_acq_rel), $) != 0) {
            rl_futex(&whom->lying, RL_FUTEX_WAKE, 1, 0, 0, 0, $);
        }
    }

    bool some_called(const visit &visit)
    {
        return visit.group->calls.load(mo_acquire, $) != visit.calls;
    }

    bool released(const visit &visit)
    {
        return visit.group->generation.load(order(RELEASED, mo_seq_cst), $) != visit.generation ||
               (some_called(visit) && visit.member->called.load(order(CALLED, mo_acquire), $) != visit.called);
    }

    void lie_down(const visit &visit)
    {
        visit.member->lying.exchange(1, order(LIE_DOWN, mo_acq_rel), $);
    }

    void wait_sleeping(const visit &visit)
    {
        visit.group->sleepers.fetch_add(1, order(SLEEPERS, mo_seq_cst), $);
        lie_down(visit);
        while (!released(visit)) {
            rl_futex(&visit.member->lying, RL_FUTEX_WAIT, 1, 0, 0, 0, $);
            lie_down(visit);
        }
        visit.member->lying.exchange(0, mo_acq_rel, $);
        visit.group->sleepers.fetch_sub(1, mo_relaxed, $);
    }

    void release_group(struct group *those)
    {
        int next = those->generation.load(mo_relaxed, $) + 1;
        those->generation.exchange(next, order(RELEASE_GROUP, mo_seq_cst), $);
        if (those->sleepers.load(order(RELEASE_GROUP, mo_seq_cst), $) == 0) {
            return;
        }
        for (int m = those->begin; m < those->begin + those->members; m++) {
            ring(&member[m]);
        }
    }

    void release_member(struct member *whom)
    {
        whom->called.fetch_add(1, order(RELEASE_MEMBER, mo_release), $);
    }

    void call()
    {
        struct member *first = &member[called[0]($)];
        for (int g = 0; g < GROUPS; g++) {
            group[g].expected($) = 0;
        }
        groups_expected($) = 0;
        only_some($) = 1;
        for (int i = 0; i < called_count($); i++) {
            struct group *those = &group[group_of(called[i]($))];
            int expected = those->expected($);
            groups_expected($) += expected == 0;
            those->expected($) = expected + 1;
        }
        if (weakened == FIRST_FIRST) {
            release_member(first);
        }
        int count = called_count($);
        for (int i = 1; i < count; i++) {
            release_member(&member[called[i]($)]);
        }
        for (int g = 0; g < GROUPS; g++) {
            group[g].calls.fetch_add(1, mo_release, $);
        }
        for (int i = 1; i < count; i++) {
            ring(&member[called[i]($)]);
        }
        if (weakened != FIRST_FIRST) {
            release_member(first);
        }
        ring(first);
    }

    bool arrive(struct group *those)
    {
        int expected = those->expected($);
        int expected_groups = groups_expected($);
        if (those->arrived.fetch_add(1, order(ARRIVE, mo_acq_rel), $) + 1 < expected) {
            return false;
        }
        those->arrived.store(0, mo_relaxed, $);
        if (groups_arrived.fetch_add(1, order(ARRIVE, mo_acq_rel), $) + 1 < expected_groups) {
            return false;
        }
        groups_arrived.store(0, mo_relaxed, $);
        return true;
    }

    template <typename section> bool finish(section serial)
    {
        called_count($) = 0;
        serial();
        if (called_count($) > 0) {
            call();
            return false;
        }
        if (only_some($)) {
            expect_all();
        }
        for (int g = 0; g < GROUPS; g++) {
            release_group(&group[g]);
        }
        return true;
    }

    template <typename section> void wait(int self, section serial)
    {
        visit visit = {&group[group_of(self)], &member[self], 0, 0, 0};
        visit.generation = visit.group->generation.load(mo_relaxed, $);
        visit.calls = visit.group->calls.load(mo_relaxed, $);
        visit.called = visit.member->called.load(mo_relaxed, $);
        if (arrive(visit.group) && finish(serial)) {
            return;
        }
        bool polls = rl::rand(2);
        if (!polls || !released(visit)) {
            wait_sleeping(visit);
        }
    }
};

struct model : test_suite<model, MEMBERS> {
    struct barrier barrier;
    var<int> done[MEMBERS], let[MEMBERS], round, over;

    void before()
    {
        barrier.begin();
        for (int m = 0; m < MEMBERS; m++) {
            done[m]($) = 0;
            let[m]($) = 1;
        }
        round($) = over($) = 0;
    }

    void serial()
    {
        for (int m = 0; m < MEMBERS; m++) {
            RL_ASSERT(done[m]($) == let[m]($));
            done[m]($) = 0;
        }
        round($) += 1;
        over($) = round($) == ROUNDS;
        unsigned chosen = over($) ? 0 : rl::rand(1 << MEMBERS); // a bit for each member; none: all go on
        for (int m = 0; m < MEMBERS; m++) {
            let[m]($) = chosen == 0 || (chosen >> m & 1);
            if (chosen >> m & 1) {
                int count = barrier.called_count($);
                barrier.called[count]($) = m;
                barrier.called_count($) = count + 1;
            }
        }
    }

    void thread(unsigned index)
    {
        do {
            done[index]($) += 1;
            barrier.wait((int)index, [this] { serial(); });
            RL_ASSERT(let[index]($));
        } while (!over($));
    }
};

int main(int argc, char **argv)
{
    return explore<model>(argc, argv);
}
