// SPDX-License-Identifier: MIT
// The links: how much of an amount a link carries, and when a message arrives. No other part of the library decides
// this. Engines, block kernels, the test for rest and the theory submit each amount to core_links_carry and each
// message to core_link_arrives. A *link rule* bounds amounts. It is a file of this folder, and a row of
// threads/experiment/axes.c names it as the rule of an axis.
//
// Links that carry everything cost nothing: a run asks core_links_carry_all once, and then leaves the rules out.
#ifndef CORE_LINKS_LINK_H
#define CORE_LINKS_LINK_H

#include "base/cursor.h"
#include "core/links/costs.h"
#include "core/links/delay.h"

struct core_link_rule {
    // Reads the value of the rule's axis, which is not "none", to its end. In tokens a rule must keep amounts whole.
    bool (*read)(struct base_cursor *cursor, enum ek_units units, double *value);

    // Reduces the amounts, none of them negative, that are put on ports port .. port+count-1 to what their links carry.
    // The rest stays with the sender. INFINITY becomes the most that a link carries.
    void (*carry)(double value, uint32_t port, unsigned count, double *amounts);
};

extern const struct core_link_rule core_link_limit;

// The rules and delays of a machine's links. If all fields are 0 the links carry any amount without delay.
struct ek_link_model {
    struct core_link_use {
        const struct core_link_rule *rule;
        const char *axis; // the axis that set the rule; its value "none" sets none
        double value;
    } use[4]; // the rules in force, in the order in which they apply
    unsigned rules;
    struct core_delay delay;
    struct core_delay delay_load; // of messages that carry load; `delay` if none is given
    bool load_apart;              // `delay_load` is given
    struct core_costs costs;      // virtual time, and the virtual time of rounds
};

// Reads the value of an axis that sets a rule. "none" sets none. The axis' name must stay alive as long as the links.
bool core_link_read(struct ek_link_model *links, const struct core_link_rule *rule, const char *axis, const char *spec,
                    enum ek_units units, struct ek_error *error);

// Applies the rules in force to amounts put on ports, as struct core_link_rule describes. An amount is what goes over a
// link in one step, or in free timing in one message.
void core_links_carry(const struct ek_link_model *links, uint32_t port, unsigned count, double *amounts);

// Returns the least limit of the links at the ports 0 .. ports-1, or INFINITY if they carry any amount.
double core_links_narrowest(const struct ek_link_model *links, uint32_t ports);

// Returns whether the links carry any amount.
static inline bool core_links_carry_all(const struct ek_link_model *links)
{
    return links->rules == 0;
}

// Returns how much of one amount, which is not negative, the link at the sender's port carries.
static inline double core_link_passes(const struct ek_link_model *links, uint32_t port, double amount)
{
    if (!core_links_carry_all(links)) {
        core_links_carry(links, port, 1, &amount);
    }
    return amount;
}

// Returns the delays of messages that carry load, or of those that do not.
static inline const struct core_delay *core_links_delay_of(const struct ek_link_model *links, bool carries)
{
    return carries && links->load_apart ? &links->delay_load : &links->delay;
}

// Returns whether messages can arrive later than in the step, or at the time, at which they are sent.
static inline bool core_links_delay(const struct ek_link_model *links)
{
    return links->delay.kind != CORE_DELAY_NONE || core_links_delay_of(links, true)->kind != CORE_DELAY_NONE;
}

// Returns the values of axes with which no message is late, for the sentences of refusals.
const char *core_links_undelayed(const struct ek_link_model *links);

// Returns when a message becomes visible at the other end: the step, or in free timing the time in nanoseconds.
// `carries` says whether it carries load. Draws of the run with this seed depend on the port and on `number` alone. In
// rounds and turns `port` is the receiver's and `number` the step `sent`. In free timing `port` is the sender's, and
// `number` counts the messages over it from 0.
static inline uint64_t core_link_arrives(const struct ek_link_model *links, bool carries, uint64_t seed, uint32_t port,
                                         uint64_t number, uint64_t sent)
{
    return sent + core_delay_at(core_links_delay_of(links, carries), seed, port, number);
}

// Returns the most by which a message can be late: steps, or in free timing nanoseconds.
static inline uint64_t core_links_delay_most(const struct ek_link_model *links)
{
    uint64_t load = core_links_delay_of(links, true)->high;
    return load > links->delay.high ? load : links->delay.high;
}

#endif
