// SPDX-License-Identifier: MIT
// The last sentence of `run`, for each way in which runs end, alone and together.
#include <criterion/criterion.h>

#include <math.h>

#include "cli/tables/run_verdict.h"
#include "threads/api/report.h"

enum { RUNS = 3 };

static struct ek_report runs[RUNS];
static struct lab_record record;

static void begin(void)
{
    for (size_t r = 0; r < RUNS; r++) {
        runs[r] = (struct ek_report){.ended = EK_ENDED_CRITERION,
                                     .converged = true,
                                     .steps = 40 + 4 * r,
                                     .operations = 10 + r,
                                     .error_initial = 2000.0,
                                     .error_final = 0.25 * (double)(r + 1),
                                     .spread_final = 0.125};
    }
    record = (struct lab_record){.runs = runs, .count = 1, .runs_asked = 1};
    record.method.spec = "dem";
    for (size_t i = 0; ek_axis_at(i); i++) {
        record.axis[i].value = "-";
    }
    record.axis[lab_axis_index("stop")].value = "variance:1";
}

static void set(const char *option, char *value)
{
    record.axis[lab_axis_index(option)].value = value;
    record.axis[lab_axis_index(option)].given = true;
}

static void expect(const char *sentence)
{
    struct cli_line line = {0};
    report_run_verdict(&line, &record);
    cr_expect_str_eq(line.of, sentence);
}

// Gives run `r` another end.
static void end(size_t r, enum ek_ended ended)
{
    runs[r].ended = ended;
    runs[r].converged = false;
}

#define FELL "; the distance from balance fell from 2000 to 0.25, with a spread of 0.125"

Test(run_verdict, a_run_that_balanced, .init = begin)
{
    expect("variance:1 was reached after 40 steps" FELL);
    runs[0].steps = 1;
    set("capacity", "semi"); // the loads are to differ
    expect("variance:1 was reached after 1 step; the distance from balance fell from 2000 to 0.25");
    set("stop", "its own end");
    record.method.direct = true;
    set("work", "normal:1:1:1");
    runs[0].ended = EK_ENDED_ITSELF;
    runs[0].error_initial = runs[0].error_final;
    expect("the balance that dem promises was reached after 1 step; the distance from balance is 0.25 as at the start; "
           "the workload goes on, so this is true of that moment only");
    runs[0].error_final = NAN;
    expect("the balance that dem promises was reached after 1 step; the workload goes on, so this is true of that "
           "moment only");
}

// random-neighbours ends when no processor invokes. Only direct methods promise balance.
Test(run_verdict, the_end_of_a_method_that_promises_nothing, .init = begin)
{
    record.method.spec = "random-neighbours:2";
    set("stop", "its own end");
    runs[0].ended = EK_ENDED_ITSELF;
    expect("the end of random-neighbours:2 was reached after 40 steps" FELL
           "; this method promises no balance: give --stop to learn whether it balances");
    record.count = record.runs_asked = RUNS;
    expect("3 of 3 runs reached the end of random-neighbours:2, after 40 to 48 steps; the largest distance from "
           "balance left is 0.75; this method promises no balance: give --stop to learn whether it balances");
}

Test(run_verdict, a_run_without_a_criterion, .init = begin)
{
    set("stop", "never");
    end(0, EK_ENDED_STEPS);
    expect("the run ended after 40 steps and had no criterion" FELL "; give --stop to learn when it balances");
    end(0, EK_ENDED_FROZEN);
    expect("the run ended after 40 steps and had no criterion" FELL "; give --stop to learn when it balances");
    set("work", "constant:1");
    expect("the run ended after 40 steps and had no criterion" FELL
           "; --window shows the bounds of the loads meanwhile");
    end(0, EK_ENDED_INTERRUPT);
    expect("the run was interrupted after 40 steps" FELL "; try the same command to its end");
}

Test(run_verdict, a_run_that_was_cut, .init = begin)
{
#define CUT "the run was cut after 40 steps, before variance:1 was reached" FELL "; "
    end(0, EK_ENDED_STEPS);
    expect(CUT "try more --steps");
    end(0, EK_ENDED_OPERATIONS);
    expect(CUT "try more --operations");
    end(0, EK_ENDED_TIME);
    expect(CUT "try a longer --for");
    runs[0].hopeless = true;
    expect(CUT "more steps alone may not help: try another --method or parameter");
    runs[0].hopeless = false;
    record.theory.has_exact = true;
    record.theory.gamma_exact = 1.0;
    expect(CUT "more steps alone may not help: try another --method or parameter");
    record.theory.gamma_exact = 0.99;
    expect(CUT "try a longer --for");
    runs[0].error_initial = 0.125;
    expect("the run was cut after 40 steps, before variance:1 was reached; the distance from balance rose from 0.125 "
           "to 0.25, with a spread of 0.125; more steps alone may not help: try another --method or parameter");
    runs[0].error_initial = runs[0].error_final; // nothing has become better
    expect("the run was cut after 40 steps, before variance:1 was reached; the distance from balance is 0.25 as at the "
           "start, with a spread of 0.125; more steps alone may not help: try another --method or parameter");
    begin();
    end(0, EK_ENDED_STEPS);
    set("work", "constant:1");
    expect(CUT "the workload goes on, so more steps alone may not help: a weaker --stop may, and --window shows the "
               "bounds of the loads");
    end(0, EK_ENDED_INTERRUPT);
    expect("the run was interrupted after 40 steps, before variance:1 was reached" FELL
           "; try the same command to its end");
}

Test(run_verdict, a_run_without_a_criterion_that_diverged, .init = begin)
{
    set("stop", "never");
    end(0, EK_ENDED_DIVERGES);
    expect("the loads diverged within 40 steps, so the other numbers mean nothing; try a smaller parameter or another "
           "--method");
}

Test(run_verdict, a_run_that_cannot_balance, .init = begin)
{
    end(0, EK_ENDED_ITSELF);
    expect("variance:1 was not reached: the method ended by itself after 40 steps" FELL
           "; the message on standard error names the cause");
    static const enum ek_ended ends[] = {EK_ENDED_FROZEN, EK_ENDED_REPEATS};
    for (size_t i = 0; i < 2; i++) {
        end(0, ends[i]);
        expect("variance:1 is out of reach: the run came as far as it can within 40 steps" FELL
               "; try another --method or parameter, or a --stop that this state fulfils");
    }
    end(0, EK_ENDED_GIVEN_UP);
    expect("variance:1 was not reached within 40 steps" FELL
           "; this is no proof: give --steps, --operations or --for to go on");
    end(0, EK_ENDED_DIVERGES);
    expect("the loads diverged within 40 steps, so the other numbers mean nothing; try a smaller parameter or another "
           "--method");
}

Test(run_verdict, a_run_that_failed, .init = begin)
{
    static const enum ek_ended ends[] = {EK_ENDED_STUCK, EK_ENDED_VIOLATION};
    for (size_t i = 0; i < 2; i++) {
        end(0, ends[i]);
        runs[0].timed = i;
        set("stop", i ? "never" : "variance:1");
        expect(i ? "the run failed after 10 operations, so its numbers are no result; the message on standard error "
                   "names the cause"
                 : "the run failed after 40 steps, so its numbers are no result; the message on standard error names "
                   "the cause");
    }
}

#define REAL "; these loads and messages are real, but their order, number and times depend on this computer"

Test(run_verdict, free_timing, .init = begin)
{
    for (size_t r = 0; r < RUNS; r++) {
        runs[r].timed = true;
    }
    expect("variance:1 was reached within 10 operations" FELL REAL);
    end(0, EK_ENDED_DIVERGES);
    expect("the loads diverged within 10 operations, so the other numbers mean nothing; try a smaller parameter or "
           "another --method");
    record.count = record.runs_asked = RUNS;
    end(0, EK_ENDED_TIME);
    expect("2 of 3 runs reached variance:1, within 11 to 12 operations, 1 cut; the largest distance from balance left "
           "is 0.75; the means of operations and steps include cut runs, so they are too low; try a longer --for" REAL);
}

Test(run_verdict, several_runs, .init = begin)
{
    record.count = record.runs_asked = RUNS;
    expect("3 of 3 runs reached variance:1, after 40 to 48 steps; the largest distance from balance left is 0.75");
    runs[0].steps = runs[1].steps = runs[2].steps = 7;
    expect("3 of 3 runs reached variance:1, each after 7 steps; the largest distance from balance left is 0.75");
    end(0, EK_ENDED_STEPS);
    end(1, EK_ENDED_STEPS);
    expect("1 of 3 runs reached variance:1, after 7 steps, 2 cut; the largest distance from balance left is 0.75; the "
           "means of operations and steps include cut runs, so they are too low; try more --steps");
    end(1, EK_ENDED_TIME); // the advice is that of the first run with the gravest end
    expect("1 of 3 runs reached variance:1, after 7 steps, 2 cut; the largest distance from balance left is 0.75; the "
           "means of operations and steps include cut runs, so they are too low; try more --steps");
    end(0, EK_ENDED_GIVEN_UP);
    end(1, EK_ENDED_GIVEN_UP);
    expect("1 of 3 runs reached variance:1, after 7 steps, 2 given up; the largest distance from balance left is 0.75; "
           "the means of operations and steps include cut runs, so they are too low; this is no proof: give --steps, "
           "--operations or --for to go on");
    end(0, EK_ENDED_STEPS);
    end(1, EK_ENDED_DIVERGES);
    end(2, EK_ENDED_GIVEN_UP);
    expect("0 of 3 runs reached variance:1, 1 cut, 1 given up, 1 diverged; the largest distance from balance left is "
           "0.75; the means of operations and steps include cut runs, so they are too low; try a smaller parameter or "
           "another --method");
    end(0, EK_ENDED_VIOLATION);
    end(2, EK_ENDED_DIVERGES);
    expect("0 of 3 runs reached variance:1, 2 diverged, 1 failed; the message on standard error names the cause");
    end(0, EK_ENDED_FROZEN);
    end(1, EK_ENDED_REPEATS);
    end(2, EK_ENDED_ITSELF);
    expect("0 of 3 runs reached variance:1, 3 at rest or in a cycle before; the largest distance from balance left is "
           "0.75; try another --method or parameter, or a --stop that this state fulfils");
    set("stop", "never");
    expect("3 runs ended and had no criterion; the largest distance from balance left is 0.75; give --stop to learn "
           "when it balances");
}

// Nothing is balanced by a run that begins balanced; other runs of the record may have balanced something.
Test(run_verdict, loads_that_are_balanced_at_the_start, .init = begin)
{
    runs[0].steps = 0;
    expect("variance:1 was reached after 0 steps" FELL
           "; the loads fulfilled it at the start: choose another --load, or a stronger --stop");
    record.count = record.runs_asked = 2;
    expect("2 of 2 runs reached variance:1, after 0 to 44 steps; the largest distance from balance left is 0.5");
    runs[1].steps = 0;
    expect(
        "2 of 2 runs reached variance:1, each after 0 steps; the largest distance from balance left is 0.5; the loads "
        "fulfilled it at the start: choose another --load, or a stronger --stop");
}

Test(run_verdict, runs_that_did_not_begin, .init = begin)
{
    record.runs_asked = 9;
    expect("1 of 9 runs began: 1 of 1 run reached variance:1, after 40 steps; the largest distance from balance left "
           "is 0.25");
    record.count = 2;
    end(1, EK_ENDED_INTERRUPT);
    expect("2 of 9 runs began: 1 of 2 runs reached variance:1, after 40 steps, 1 cut; the largest distance from "
           "balance left is 0.5; the means of operations and steps include cut runs, so they are too low; try the same "
           "command to its end");
}
