// SPDX-License-Identifier: MIT
// The explorer's checks, each on a run by hand (by_hand.h) whose state is broken here.
#include <criterion/criterion.h>

#include <string.h>

#include "tests/support/by_hand.h"
#include "threads/drivers/explore/checks.h"

// Begins a run that the checker observes.
static struct free_run *begin_checked(struct explore_checker *checker, struct ek_experiment experiment)
{
    struct free_run *run = begin(experiment);
    cr_assert(explore_check_begin(checker, control_of(run)));
    explore_check_restart(checker);
    free_add_witness(run, &checker->witness);
    return run;
}

// Ends the run, in which the checker must have found this.
static void expect_found(struct explore_checker *checker, const char *sentence)
{
    struct free_run *run = checker->run;
    const char *found = atomic_load(&run->shared.violated) ? run->shared.violation.sentence : "nothing";
    cr_expect(strstr(found, sentence), "%s, not %s", found, sentence);
    atomic_store(&run->shared.violated, false);
    explore_check_end(checker);
    end(run);
}

static uint32_t port_to(const struct free_run *run, uint32_t p, uint32_t q)
{
    uint32_t port = run->topology->first[p];
    while (run->topology->neighbour[port] != q) {
        port++;
    }
    return port;
}

// Processor 1 takes part in the operations of both neighbours, and counts them. The protocol's own test does not see
// this, since nothing is sent.
Test(explore_checks, one_port_serves_one_operation)
{
    static const char *const domains[] = {"overlap", "exclusive", "exclusive"};
    for (int k = 0; k < 3; k++) {
        struct explore_checker checker;
        struct free_run *run = begin_checked(&checker, (struct ek_experiment){.topology = "chain:3",
                                                                              .method = "ade",
                                                                              .ports = k == 0 ? "one" : "all",
                                                                              .domains = domains[k],
                                                                              .load = "constant:1",
                                                                              .invoke = "below:0"});
        run->port[port_to(run, 1, 0)].engaged = true;
        run->port[port_to(run, 1, 2)].engaged = k < 2;
        run->processor[1].engaged = k < 2 ? 2 : 1;
        run->processor[1].phase = k < 2 ? FREE_PHASE_IDLE : FREE_PHASE_SETTLING;
        checker.witness.turn(&checker.witness, 1);
        expect_found(&checker, "processor 1 is in two operations with its one port or exclusive domain");
    }
}

// A processor may be in one operation, and with all ports and overlapping domains in several.
Test(explore_checks, what_is_allowed)
{
    for (int k = 0; k < 3; k++) {
        struct explore_checker checker;
        struct free_run *run =
            begin_checked(&checker, (struct ek_experiment){.topology = "chain:3",
                                                           .method = "ade",
                                                           .domains = k == 0 ? "overlap" : "exclusive",
                                                           .load = "constant:1",
                                                           .invoke = "below:0"});
        run->port[port_to(run, 1, 0)].engaged = k < 2;
        run->port[port_to(run, 1, 2)].engaged = k == 0;
        run->processor[1].engaged = k == 0 ? 2 : k == 1 ? 1 : 0;
        run->processor[1].phase = k == 1 ? FREE_PHASE_IDLE : FREE_PHASE_SETTLING;
        checker.witness.turn(&checker.witness, 1);
        expect_found(&checker, "nothing");
    }
}

static struct mail_message message_of(enum free_kind kind, double amount)
{
    return (struct mail_message){.amount = amount, .stamp = (uint64_t)kind};
}

// A turn that ends without an answer to what it received is found, whichever message it is.
Test(explore_checks, every_answer_is_owed)
{
    static const uint8_t failed[4] = {0, 0, 0, 0};
    static const struct {
        enum free_kind taken, answer; // answer 0: none
        enum free_member member;
        bool engaged, fails;
        const char *sentence;
    } cases[] = {{FREE_ASK, 0, FREE_MEMBER_NONE, false, false, "processor 1 has not answered ASK over its link to 0"},
                 {FREE_ASK, FREE_GIVE, FREE_MEMBER_NONE, false, false, "has not answered ASK"},
                 {FREE_ASK, FREE_TELL, FREE_MEMBER_NONE, false, false, "nothing"},
                 {FREE_ASK, FREE_REFUSE, FREE_MEMBER_NONE, false, false, "nothing"},
                 {FREE_PULL, 0, FREE_MEMBER_NONE, true, false, "has not answered PULL"},
                 {FREE_PULL, FREE_TELL, FREE_MEMBER_NONE, true, false, "has not answered PULL"},
                 {FREE_PULL, FREE_GIVE, FREE_MEMBER_NONE, true, false, "nothing"},
                 {FREE_PULL, FREE_REFUSE, FREE_MEMBER_NONE, true, false, "nothing"},
                 {FREE_GIVE, 0, FREE_MEMBER_NONE, true, true, "has not returned load that came"},
                 {FREE_GIVE, FREE_REFUSE, FREE_MEMBER_NONE, true, true, "has not returned load that came"},
                 {FREE_GIVE, FREE_RETURN, FREE_MEMBER_NONE, true, true, "nothing"},
                 {FREE_GIVE, 0, FREE_MEMBER_NONE, true, false, "nothing"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct explore_checker checker;
        struct free_run *run = begin_checked(
            &checker,
            (struct ek_experiment){.topology = "chain:3", .method = "adf", .load = "constant:1", .invoke = "below:0"});
        uint32_t port = port_to(run, 1, 0);
        struct mail_message taken = message_of(cases[k].taken, 0.5), answer = message_of(cases[k].answer, 0.5);
        run->worker[1].look.usable = cases[k].fails ? failed : NULL;
        run->port[port].engaged = cases[k].engaged;
        run->processor[1].engaged = cases[k].engaged;
        checker.witness.message(&checker.witness, EK_EVENT_SENDS, run->topology->twin[port], &taken);
        checker.witness.message(&checker.witness, EK_EVENT_TAKES, port, &taken);
        if (cases[k].answer) {
            checker.witness.message(&checker.witness, EK_EVENT_SENDS, port, &answer);
        }
        bool carries = cases[k].taken == FREE_GIVE || cases[k].answer == FREE_GIVE;
        run->processor[1].held -= carries && cases[k].answer ? 0.5 : 0.0; // the ledger agrees
        run->processor[0].held -= cases[k].taken == FREE_GIVE ? 0.5 : 0.0;
        run->processor[1].held += cases[k].taken == FREE_GIVE ? 0.5 : 0.0;
        checker.witness.turn(&checker.witness, 1);
        expect_found(&checker, cases[k].sentence);
    }
}

// With pushed announcements every neighbour knows the last load of a run that ended by itself.
Test(explore_checks, every_load_is_announced)
{
    for (int k = 0; k < 3; k++) {
        struct explore_checker checker;
        struct free_run *run = begin_checked(&checker, (struct ek_experiment){.topology = "chain:2",
                                                                              .method = "sender:0.5",
                                                                              .announce = "pushed",
                                                                              .load = "constant:1",
                                                                              .invoke = "below:0"});
        for (uint32_t port = 0; port < 2; port++) {
            run->port[port].announced = run->port[port].neighbour_level = 1.0;
        }
        run->port[0].announced = k == 1 ? 2.0 : 1.0;
        run->port[1].neighbour_level = k == 2 ? 2.0 : 1.0;
        control_of(run)->attendant.ended = EK_ENDED_ITSELF;
        explore_check_end_of_run(&checker);
        expect_found(&checker, k == 0 ? "nothing" : "processor 0 has not announced its load over its link to 1");
    }
}
