// SPDX-License-Identifier: MIT
// WHAT a processor does: the interface of a balancing method, and the registry. Second part of <evenkeel.h>.
//
// A method is a rule: a pure function, the paper's equation and little else, of what one processor sees.
// It never blocks and knows no thread. The machine asks it how much goes over each port that takes part in a step, and
// moves the load; it, not the method, enforces the ports.
#ifndef EK_METHOD_H
#define EK_METHOD_H

#include "topologies/topology.h"

enum ek_units { EK_REAL = 1, EK_TOKENS = 2 };            // loads as amounts, or whole loads and whole transfers
enum ek_ports { EK_ALL_PORTS = 1, EK_ONE_PORT = 2 };     // how many links a processor may use in a step

// Which links take part in a step.
enum ek_links {
    EK_LINKS_ALL,      // diffusion: every link at once, from the loads at the operation's start; with one port the
                       // machine goes colour by colour through the operation
    EK_LINKS_COLOUR,   // dimension exchange: the colours one after the other, each step from the result of the last
    EK_LINKS_MATCHING, // a random maximal matching, drawn by the machine once a step: global knowledge
    EK_LINKS_CHOSEN    // whatever `takes_part` answers
};

// The experiment as a method's `prepare` sees it.
struct ek_setting {
    const struct ek_topology *topology;
    enum ek_units units;
    enum ek_ports ports;
};

// What `prepare` settles once for a run.
struct ek_plan {
    double parameter;  // the paper's lambda or alpha
    unsigned steps;    // per operation; for EK_LINKS_CHOSEN only, the other kinds have theirs
    void *data;        // the method's own, or NULL
};

// What one processor sees in a step. Arrays "by port" here have an entry for each of its own ports, 0 .. degree-1.
struct ek_view {
    const struct ek_plan *plan;
    uint32_t processor;
    uint32_t degree;
    double load;             // held now (exchange), or at the operation's start (diffusion)
    const double *announced; // by port: the neighbour's load; only valid for ports that take part
    unsigned step;           // within the operation, from 0
};

struct ek_block; // core/block.h

struct ek_method {
    const char *name;        // "gde"
    const char *parameter;   // what follows the colon ("L"), or NULL
    const char *title;       // "generalised dimension exchange"
    const char *equation;    // the rule, in plain text
    const char *optimum;     // where a default or best parameter comes from, or what the parameter means
    const char *assumes;     // what a processor is assumed to know beforehand
    const char *source;      // citation
    const char *findings;    // what recomputing the paper showed, or NULL
    unsigned units;          // EK_REAL | EK_TOKENS
    unsigned ports;          // EK_ALL_PORTS | EK_ONE_PORT
    enum ek_links links;

    // Settles the plan. `parameter` is the text behind the colon or NULL; `at` its offset in the method's spec, for errors.
    bool (*prepare)(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error);
    void (*release)(struct ek_plan *plan); // frees plan->data; NULL when there is none

    // EK_LINKS_CHOSEN: whether this port takes part. Both ends of a link must answer alike.
    bool (*takes_part)(const struct ek_view *view, unsigned port);

    // How much goes over this port: positive leaves. What is not positive is not sent: without delay
    // the other end computes the opposite amount. In tokens the answer is whole.
    double (*flow)(const struct ek_view *view, unsigned port);
    double (*flow_tokens)(const struct ek_view *view, unsigned port);

    // The loops over a block of processors with the rule inlined (core/block.h); NULL: the machine calls `flow`.
    void (*block)(struct ek_block *block);
    void (*block_tokens)(struct ek_block *block);
};

// The method called `name`, or NULL. Built in, or registered.
EK_API const struct ek_method *ek_method_find(const char *name);

// Method `index` of the registry, or NULL past the last: the built-in ones, then the registered.
EK_API const struct ek_method *ek_method_at(size_t index);

// Adds a method from outside. The struct must stay alive. Call before any run, from one thread. False when the name is taken,
// a needed function is missing or the registry (64 places) is full.
EK_API bool ek_method_register(const struct ek_method *method, struct ek_error *error);

#endif
