// SPDX-License-Identifier: MIT
// When the pace of a shown run says that the run stays at the state that is drawn. One thread calls what three threads
// call in a run: tests/concurrency/plain_live.c has these.
#include <criterion/criterion.h>

#include "cli/figures/pace.h"

static struct report_pace pace;

static void begin(void)
{
    const struct report_speed speed = {.kind = REPORT_SPEED_FIXED, .per_s = 1e6};
    report_pace_begin(&pace, &speed, 10.0); // a run that misses a key goes on then, and the test fails
}

static void end(void)
{
    report_pace_end(&pace);
}

static bool stays(void)
{
    struct cli_text speed;
    return report_pace_state(&pace, &speed);
}

// The run comes to a state and hands it over.
static void come_to(double position)
{
    cr_assert(report_pace_arrive(&pace, position, true));
    report_pace_hand(&pace);
}

TestSuite(pace, .init = begin, .fini = end);

// The run may hand over a state between a key and the picture that shows what the key did.
Test(pace, a_paused_run_stays_at_the_state_that_was_taken)
{
    come_to(1.0);
    report_pace_taken(&pace);
    cr_assert(!stays());
    report_pace_stay(&pace);
    report_pace_key(&pace, CLI_KEY_PAUSE);
    cr_assert(!stays());
    come_to(2.0);
    cr_assert(!stays(), "state 1 is drawn, which the run has left");
    report_pace_taken(&pace);
    cr_assert(stays());
    report_pace_key(&pace, CLI_KEY_STEP);
    report_pace_stay(&pace);
    cr_assert(!stays());
    come_to(3.0);
    cr_assert(!stays(), "state 2 is drawn, which the run has left");
    report_pace_taken(&pace);
    cr_assert(stays());
}

// Several steps that were asked for are made without a stay at the states between.
Test(pace, two_steps)
{
    report_pace_key(&pace, CLI_KEY_STEP);
    report_pace_key(&pace, CLI_KEY_STEP);
    for (int state = 1; state <= 2; state++) {
        come_to(state);
        report_pace_taken(&pace);
        cr_assert_eq(stays(), state == 2, "state %d", state);
        if (state < 2) {
            report_pace_stay(&pace);
        }
    }
}
