// SPDX-License-Identifier: MIT
// The parts of virtual time, by hand: when messages arrive and wait for their wires, what a window is and what ends it,
// and the quick test of a criterion against the exact one.
#include <math.h>
#include <string.h>

#include "tests/support/text_file.h"
#include "tests/support/virtual_by_hand.h"
#include "threads/drivers/virtual/criterion.h"

// ---- wires ----

// A machine whose first turn has not been made, for sending messages by hand. Its costs: T 100, o 20, g 50, L 1000.
static struct ek_machine *prepare(struct ek_experiment more)
{
    more.timing = "virtual";
    more.carrier = "pool:1";
    more.unpinned = true;
    more.topology = more.topology ? more.topology : "chain:3";
    more.method = more.method ? more.method : "ade";
    more.load = more.load ? more.load : "list:100,0,0";
    more.turn_cost = "100ns";
    more.overhead = more.overhead ? more.overhead : "20ns";
    more.gap = more.gap ? more.gap : "50ns";
    more.stop = more.stop ? more.stop : "never";
    more.seconds_max = more.seconds_max > 0.0 ? more.seconds_max : 1.0;
    more.keep_loads = true;
    return must_prepare(more);
}

static const struct mail_message ask = {.amount = 1.0};

static bool put(struct virtual_machine *machine, uint32_t port)
{
    return virtual_wires.put(machine->worker[0].worker, port, ask);
}

// Lets what was put depart from processor p, the n-th message at `from` + n * `each`.
static void depart(struct virtual_machine *machine, uint32_t p, uint64_t from, uint64_t each, uint64_t ends)
{
    virtual_wires_depart(&machine->worker[0], p, from, each, ends);
}

// Returns when the n-th message on the way to a port arrives, VIRTUAL_NEVER if there are fewer.
static uint64_t arrival(const struct virtual_machine *machine, uint32_t port, unsigned n)
{
    const struct free_arrival *first = &machine->arrival[port];
    uint32_t index = first->second;
    if (n == 0) {
        return first->at;
    }
    for (; n > 1 && index > 0; n--) {
        index = machine->worker[0].message[index].next;
    }
    return index > 0 ? machine->worker[0].message[index].arrives : VIRTUAL_NEVER;
}

static uint64_t next_turn_of(const struct virtual_machine *machine, uint32_t p)
{
    return machine->worker[0].agenda.leaf[p].next;
}

static void sleep_all(struct virtual_machine *machine)
{
    for (uint32_t p = 0; p < machine->run->topology->processors; p++) {
        machine->worker[0].agenda.leaf[p].next = VIRTUAL_NEVER;
    }
}

static void destroy(struct virtual_machine *machine, struct ek_machine *prepared)
{
    virtual_engine.destroy(machine);
    ek_machine_destroy(prepared);
}

Test(wires, a_message_waits_until_the_one_before_it_has_left)
{
    struct ek_machine *prepared = prepare((struct ek_experiment){.mailbox = "spsc:4"});
    struct virtual_machine *machine = virtual_create(prepared);
    uint32_t there = machine->run->topology->twin[0]; // at processor 1
    sleep_all(machine);
    cr_assert(put(machine, 0) && put(machine, 0) && put(machine, 0));
    depart(machine, 0, 100, 20, 160);
    cr_expect_eq(arrival(machine, there, 0), 120 + 50 + 1000);
    cr_expect_eq(arrival(machine, there, 1), 170 + 50 + 1000); // departs at 140, the wire is free at 170
    cr_expect_eq(arrival(machine, there, 2), 220 + 50 + 1000);
    cr_expect_eq(arrival(machine, there, 3), VIRTUAL_NEVER);
    cr_expect_eq(next_turn_of(machine, 1), 1170, "the receiver wakes for the first one");
    cr_expect_eq(next_turn_of(machine, 2), VIRTUAL_NEVER);
    cr_expect_eq(machine->worker[0].departed, 3);
    virtual_wires.take(machine->worker[0].worker, there);
    cr_expect_eq(arrival(machine, there, 0), 1220);
    virtual_wires.take(machine->worker[0].worker, there);
    virtual_wires.take(machine->worker[0].worker, there);
    cr_expect_eq(arrival(machine, there, 0), VIRTUAL_NEVER);
    destroy(machine, prepared);
}

Test(wires, a_message_departs_at_once_if_the_overhead_is_not_below_the_gap)
{
    struct ek_machine *prepared = prepare((struct ek_experiment){.overhead = "50ns"});
    struct virtual_machine *machine = virtual_create(prepared);
    uint32_t there = machine->run->topology->twin[0];
    cr_expect_not(machine->wires_wait);
    cr_assert(put(machine, 0) && put(machine, 0));
    depart(machine, 0, 100, 50, 200);
    cr_expect_eq(arrival(machine, there, 0), 150 + 50 + 1000);
    cr_expect_eq(arrival(machine, there, 1), 200 + 50 + 1000);
    destroy(machine, prepared);
}

// A slow processor, and one with a wide gap: the wire of one port is that of all.
Test(wires, one_port_is_one_wire)
{
    struct ek_machine *prepared = prepare((struct ek_experiment){.ports = "one"});
    struct virtual_machine *machine = virtual_create(prepared);
    const struct ek_topology *topology = machine->run->topology;
    uint32_t first = topology->first[1];
    cr_assert(put(machine, first) && put(machine, first + 1));
    depart(machine, 1, 100, 20, 140);
    cr_expect_eq(arrival(machine, topology->twin[first], 0), 120 + 50 + 1000);
    cr_expect_eq(arrival(machine, topology->twin[first + 1], 0), 170 + 50 + 1000);
    destroy(machine, prepared);
}

Test(wires, hold_as_many_messages_as_the_mailbox)
{
    struct ek_machine *prepared = prepare((struct ek_experiment){.mailbox = "spsc:2"});
    struct virtual_machine *machine = virtual_create(prepared);
    machine->worker[0].worker->look.now = 0;
    cr_expect(put(machine, 0) && put(machine, 0));
    cr_expect_not(put(machine, 0), "two messages of this turn wait");
    depart(machine, 0, 0, 0, 0); // the first starts at 0, the second at 50: it waits when the turn ends
    cr_expect(put(machine, 0));
    cr_expect_not(put(machine, 0), "one waits on the wire, one is of this turn");
    depart(machine, 0, 0, 0, 0); // starts at 100
    machine->worker[0].worker->look.now = 49;
    cr_expect_not(put(machine, 0));
    machine->run->port[0].kept.count = 1;
    cr_expect_eq(virtual_wires_room_at(&machine->worker[0], 0), 50, "when the first of them starts");
    machine->worker[0].worker->look.now = 50;
    cr_expect(put(machine, 0));
    cr_expect_not(put(machine, 0));
    depart(machine, 0, 50, 0, 50);
    machine->run->port[0].kept.count = 0;
    destroy(machine, prepared);
}

Test(wires, messages_of_a_wire_stay_in_order)
{
    struct ek_machine *prepared =
        prepare((struct ek_experiment){.delay = "uniform:0ns:9us", .mailbox = "spsc:64", .gap = "30ns"});
    struct virtual_machine *machine = virtual_create(prepared);
    uint32_t there = machine->run->topology->twin[0];
    bool held_up = false;
    for (unsigned n = 0; n < 64; n++) {
        cr_assert(put(machine, 0));
    }
    depart(machine, 0, 100, 20, 2000);
    for (unsigned n = 1; n < 64; n++) {
        uint64_t leaves = 120 + 30 * (n + 1);
        cr_expect_geq(arrival(machine, there, n), arrival(machine, there, n - 1));
        uint64_t alone = leaves + core_delay_at(&prepared->plan.links.delay, machine->run->seed, 0, n);
        cr_expect_geq(arrival(machine, there, n), alone);
        held_up = held_up || arrival(machine, there, n) > alone;
    }
    cr_expect(held_up);
    destroy(machine, prepared);
}

// ---- windows ----

Test(windows, are_as_long_as_the_least_latency_and_the_gap)
{
    static const struct {
        const char *delay, *delay_load;
        uint64_t wanted;
    } rows[] = {{NULL, NULL, 1050},
                {"fixed:300ns", NULL, 350},
                {"uniform:200ns:9us", NULL, 250},
                {"exponential:1us", NULL, 50},
                {"fixed:300ns", "fixed:100ns", 150},
                {"fixed:300ns", "fixed:900ns", 350}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ek_machine *prepared =
            prepare((struct ek_experiment){.delay = rows[i].delay, .delay_load = rows[i].delay_load});
        struct virtual_machine *machine = virtual_create(prepared);
        cr_expect_eq(machine->lookahead_ns, rows[i].wanted);
        cr_expect_eq(machine->window.until, rows[i].wanted);
        cr_expect(machine->window.whole);
        destroy(machine, prepared);
    }
}

// Ends the window, with the next turn of all processors but processor 0 never.
static void end_with_next(struct virtual_machine *machine, uint64_t next)
{
    struct virtual_agenda *agenda = &machine->worker[0].agenda;
    sleep_all(machine);
    agenda->leaf[0].next = agenda->time[1][0] = next;
    free_count(&machine->worker[0].worker->turns, 1); // the window had a turn
    virtual_window_end(machine);
}

Test(windows, without_turns_are_passed_over)
{
    struct ek_machine *prepared = prepare((struct ek_experiment){.seconds_max = 1.0});
    struct virtual_machine *machine = virtual_create(prepared);
    end_with_next(machine, 10 * 1050 - 1);
    cr_expect_eq(machine->now_ns, 1050);
    cr_expect_eq(machine->window.until, 10 * 1050);
    end_with_next(machine, 10 * 1050);
    cr_expect_eq(machine->now_ns, 10 * 1050);
    cr_expect_eq(machine->window.until, 11 * 1050);
    cr_expect_eq(machine->windows, 2);
    virtual_window_end(machine);
    cr_expect_eq(machine->windows, 2, "this one had no turn");
    cr_expect_eq(machine->now_ns, 10 * 1050);
    destroy(machine, prepared);
}

Test(windows, are_cut_at_the_end_of_the_run)
{
    struct ek_machine *prepared = prepare((struct ek_experiment){.seconds_max = 2500e-9});
    struct virtual_machine *machine = virtual_create(prepared);
    end_with_next(machine, 2500);
    cr_expect_eq(machine->window.until, 2501, "a turn that begins at the end still happens");
    cr_expect_not(machine->window.whole);
    cr_expect_not(virtual_is_over(machine));
    end_with_next(machine, 2501);
    cr_expect(virtual_is_over(machine));
    cr_expect_eq(machine->now_ns, 2500);
    cr_expect(machine->control->attendant.cut);
    destroy(machine, prepared);

    prepared = prepare((struct ek_experiment){.seconds_max = 2100e-9}); // the end of a window
    machine = virtual_create(prepared);
    end_with_next(machine, 1050);
    cr_expect_eq(machine->window.until, 2100);
    cr_expect(machine->window.whole);
    end_with_next(machine, 2100);
    cr_expect_eq(machine->window.until, 2101);
    destroy(machine, prepared);
}

Test(windows, are_cut_at_a_fault_which_wakes_both_ends_of_the_link)
{
    static struct tests_memory file = {.text = "1500ns fail link 1 2\n", .length = 21};
    struct ek_machine *prepared =
        prepare((struct ek_experiment){.faults = "file:any", .reader = tests_memory_reader(&file)});
    struct virtual_machine *machine = virtual_create(prepared);
    end_with_next(machine, 1100);
    cr_expect_eq(machine->window.until, 1500);
    cr_expect_not(machine->window.whole);
    end_with_next(machine, 9000);
    cr_expect_eq(machine->now_ns, 1500);
    cr_expect_eq(next_turn_of(machine, 0), 9000);
    cr_expect_eq(next_turn_of(machine, 1), 1500);
    cr_expect_eq(next_turn_of(machine, 2), 1500);
    cr_expect_eq(machine->window.until, 2100);
    cr_expect(machine->window.whole);
    destroy(machine, prepared);
}

// ---- the quick test of a criterion ----

// Returns whether the criterion holds for random loads, and checks what the quick test says of them.
static bool holds(const char *stop, uint64_t number)
{
    enum { PROCESSORS = 12 };
    struct ek_machine *prepared = prepare((struct ek_experiment){.topology = "mesh:3x4",
                                                                 .load = "modulo:7919:5",
                                                                 .method = "adf",
                                                                 .capacity = number % 2 ? "uniform:1:3" : NULL,
                                                                 .stop = stop});
    struct virtual_machine *machine = virtual_create(prepared);
    struct base_random random = base_random_start(3, number, BASE_STREAM_LOAD);
    bool by_capacity = prepared->plan.capacity && prepared->plan.stop.kind == CORE_STOP_ERROR;
    double loads[PROCESSORS];
    struct core_measure measure;
    machine->control->run.start.total = 0.0;
    for (uint32_t p = 0; p < PROCESSORS; p++) {
        double change = (double)base_random_below(&random, 1 + number / 4) - (double)number / 8.0;
        loads[p] = 4.5 * (by_capacity ? prepared->plan.capacity[p] : 1.0) + change / 4.0;
        machine->run->processor[p].held = loads[p];
        machine->control->run.start.total += loads[p];
    }
    machine->witness = (uint32_t)base_random_below(&random, PROCESSORS);
    core_measure_loads(loads, prepared->plan.capacity, PROCESSORS, 0.0, &measure);
    bool good = core_stop_reached(&prepared->plan.stop, machine->run->topology, loads, &measure);
    cr_expect(virtual_criterion_fails(machine) != good, "%s, %lu: it %s", stop, number,
              good ? "holds" : "does not hold");
    destroy(machine, prepared);
    return good;
}

Test(criterion, the_quick_test_is_right)
{
    enum { DRAWS = 200 };
    static const char *const stops[] = {"variance:40", "spread:6", "error:6", "neighbours:4", "shared"};
    for (size_t s = 0; s < sizeof stops / sizeof *stops; s++) {
        unsigned good = 0;
        for (uint64_t number = 0; number < DRAWS; number++) {
            good += holds(stops[s], number);
        }
        cr_expect(good > DRAWS / 10 && good < DRAWS * 9 / 10, "%s: %u of %u hold", stops[s], good, DRAWS);
    }
}
