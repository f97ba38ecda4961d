// SPDX-License-Identifier: MIT
// WHAT a processor does: the interface of a balancing method, and the registry. Second part of <evenkeel.h>.
//
// A method never blocks and knows no thread. Most are a rule: a pure function, the paper's equation and little else, of
// what one processor sees; the machine asks it how much goes over each port that takes part in a step, and moves the
// load. The others are a program: in each step a processor says a number on some ports (`say`), reads what was said to
// it and what load came in, and sends load (`act`). The machine, not the method, enforces the ports.
#ifndef EK_METHOD_H
#define EK_METHOD_H

#include "topologies/topology.h"

enum ek_units { EK_REAL = 1, EK_TOKENS = 2 };        // loads as amounts, or whole loads and whole transfers
enum ek_ports { EK_ALL_PORTS = 1, EK_ONE_PORT = 2 }; // how many links a processor may use in a step

// Which links take part in a step.
enum ek_links {
    EK_LINKS_ALL,      // diffusion: every link at once, from the loads at the operation's start
    EK_LINKS_COLOUR,   // dimension exchange: the colours one after the other, each step from the result of the last
    EK_LINKS_MATCHING, // a random maximal matching, drawn by the machine once a step: global knowledge
    EK_LINKS_CHOSEN,   // whatever `takes_part` answers
    EK_LINKS_SCHEDULED // whatever `next` says
};

// What an operation does to the loads, as a linear map that the theory has convergence factors for (Xu, Monien, Lüling
// & Lau 1995). Only a method whose every operation is exactly this map claims one: from a wrong claim the theory would
// call a method divergent that converges.
enum ek_matrix {
    EK_MATRIX_UNKNOWN,  // none of these: the theory says nothing
    EK_MATRIX_EXCHANGE, // colour after colour both ends of each link move by lambda towards each other; lambda is
                        // plan->parameter
    EK_MATRIX_DIFFUSION // I - alpha L, L the Laplacian; alpha is plan->parameter
};

// In which order a method takes the dimensions of a product, one after the other, where setting->order has no other.
enum ek_order { EK_ORDER_NONE, EK_ORDER_ASCENDING, EK_ORDER_DESCENDING };

// What a step counts as in the report.
enum ek_count {
    EK_COUNT_STEP,     // a step of the method
    EK_COUNT_SCAN,     // information only: scan_steps
    EK_COUNT_EXCHANGE, // tasks only: exchange_steps
    EK_COUNT_APART     // what the paper takes for granted, done with messages: reduction_steps, not in steps
};

// What a report shows beside the steps, by method.
enum ek_counts { EK_COUNTS_SCAN = 1, EK_COUNTS_APART = 2, EK_COUNTS_SHIFTS = 4 };

// A step: the links of the colours colour_from .. colour_end-1 take part. With one port the machine goes through them
// colour by colour, each a step of its own, all from the loads at the start of the first.
struct ek_step {
    uint32_t colour_from, colour_end;
    enum ek_count count;
    bool loads;      // everybody says its load, as where there is no `say`; turn->arrived is not told then. Where
                     // processors sleep, only in steps that wake everybody
    bool wakes;      // everybody has a turn, where a method's processors may sleep
    unsigned stage;  // the method's own: where in the operation it is
    uint64_t index;  // the machine's: steps before it in this operation
    uint64_t number; // the method's own: how far in the stage
    double gain;     // the method's own: coefficients of this step
    double memory;
};

// Where a run is when the machine asks a method's schedule for the next step.
struct ek_moment {
    uint64_t operation;  // complete ones
    uint64_t index;      // steps begun in this operation
    bool busy;           // a processor said in the last step that it is not done
    bool works;          // a workload makes and consumes load between steps
    bool work_comes;     // and goes on to
    struct ek_step last; // the step before; zeros at the run's start
};

enum ek_next { EK_NEXT_STEP, EK_NEXT_OPERATION_ENDS, EK_NEXT_RUN_ENDS };

// The experiment as a method's `prepare` sees it.
struct ek_setting {
    const struct ek_topology *topology;
    enum ek_units units;
    enum ek_ports ports;
    const double *capacity;  // by processor, or NULL: all 1
    bool to_target;          // --weighting target: the method balances w - target
    struct ek_reader reader; // for a parameter that names a file
    double stop_error;       // the limit of --stop error, or 0.01
    const uint32_t *order;   // the dimensions, each once, as they come one after the other; NULL: in the method's order
    bool free;               // free timing
    bool links;              // the report shows what went over each link, and the quotas that it came of
};

// What `prepare` settles once for a run.
struct ek_plan {
    double parameter;            // the paper's lambda or alpha; NaN at first
    uint64_t operations;         // a direct method ends by itself after so many; 0: it does not
    unsigned steps;              // EK_LINKS_CHOSEN: steps per operation
    unsigned port_words;         // doubles that a processor keeps for each port
    unsigned state_words;        // doubles that a processor keeps
    unsigned quotas;             // so many of these, the last ones, are for its quotas by dimension where the report
                                 // shows them: each and 1 more, 0 before it is known
    bool ends_when_still;        // the run ends before an operation in which nothing would move
    bool sleeps;                 // a program's processors have a turn only when they are woken: see `act`
    bool whole;                  // the method's own: it moves tokens
    struct ek_topology *overlay; // links that the method uses instead of the topology's, or NULL
    const void *data;            // the method's own, or NULL
    char stop[32];               // the criterion that it is made for, where the user names none; "": the usual one
    bool ends_at_rest;           // the run ends where nobody would invoke any more, and that is what it is made for
    char invoke[32];             // who invokes, where the user does not say; "": the usual one
    char domains[16];            // free timing: the same of --domains
    char warning[200];           // what is to be known before it runs, as a sentence; "" where there is nothing
};

// What one processor sees in a step. Arrays "by port" here have an entry for each of its own ports, 0 .. degree-1.
struct ek_view {
    const struct ek_plan *plan;
    const struct ek_step *at;
    uint32_t processor;
    uint32_t degree;
    double load; // what it compares with its neighbours: its load at the step's start, weighted if capacities say so
    double held; // its load
    double capacity;
    const double *announced;  // by port: the same of the neighbour; only valid for ports that take part
    const uint8_t *dimension; // by port
    const int8_t *direction;  // by port
    double *memory;           // by port: port_words each, 0 at first
    uint64_t seed;            // of the run
};

// A program's turn: a view, and what a program has beyond a rule.
struct ek_turn {
    struct ek_view view;
    double *state;         // state_words, 0 at first
    const double *arrived; // by port: the load that came in since the last step; for methods with `arrivals`
    bool invokes;          // it invokes this operation; a program clears it where it does not after all
    bool busy;             // set it to ask for another step of this stage
    bool waits;            // the same until its next turn, which says it anew, where processors may sleep
    bool awake;            // set it to have a turn in the next step too, where processors may sleep
    double shift[2];       // largest amount shifted down and up (nna)
    double swapped;        // load shifted from the processor to itself (liquid in a dimension of size 1)
};

// A number of the theory to show beside a run, with a sentence that says what it is and where it is from.
struct ek_fact {
    char name[32];   // as the report has it
    double value;    // NaN: there is only the sentence
    char beside[32]; // the field of the report that it is to be held against, or ""
    bool at_end;     // but only of a run that came to its end: its criterion held, or a direct method was through
    char text[400];
};

// What the machine counted in a run of rounds.
struct ek_counted {
    enum ek_units units;
    uint64_t operations;
    uint64_t steps, scan_steps, exchange_steps;
    double shifts;
};

struct ek_block;   // <evenkeel/block.h>
struct ek_outlook; // this and the next are the library's own
struct ek_facts;

struct ek_method {
    const char *name;      // "gde"
    const char *parameter; // what follows the colon ("L"), or NULL
    const char *example;   // what follows `evenkeel run --method` to try it, or NULL
    const char *title;     // "generalised dimension exchange"
    const char *equation;  // the rule, in plain text
    const char *steps;     // the steps of an operation, or NULL: those that `links` says
    const char *optimum;   // where a default or best parameter comes from, or what the parameter means
    const char *assumes;   // what a processor is assumed to know beforehand
    const char *source;    // citation
    const char *findings;  // what recomputing the paper showed, or NULL
    unsigned units;        // EK_REAL | EK_TOKENS
    unsigned ports;        // EK_ALL_PORTS | EK_ONE_PORT
    enum ek_links links;
    enum ek_matrix matrix; // of an operation on real loads of equal capacities, unless plan->parameter is NaN
    enum ek_order order;   // NONE: it does not take dimension after dimension, or not as setting->order has it
    bool printed;          // Table 1 of Xu, Monien, Lüling & Lau 1995 has its factor

    unsigned counts; // EK_COUNTS_SCAN | EK_COUNTS_APART | EK_COUNTS_SHIFTS
    bool arrivals;   // it looks at what arrived on each port
    bool direct;     // it ends by itself
    bool capacities; // it balances w_i/c_i too
    bool delays;     // it works with old announcements and late parcels
    bool turns;      // it can act one processor after another
    bool free;       // processors can run free
    bool invoked;    // a program that looks at turn->invokes: not everybody needs to invoke
    bool lots;       // it draws random numbers, so a state that returns need not go on as before
    bool mutual;     // a rule that looks at nothing but `load`, announced[port] and the plan, the same at both ends of
                     // a link: so each end knows without delay what the other sends

    // The method that does the work for this parameter (with its colon or parentheses, or ""), where that takes other
    // functions than these: adi(opt) is a rule and adi(ops) a program. NULL: this one, always.
    const struct ek_method *(*variant)(const char *parameter);

    // Settles the plan. `parameter` is the text behind the colon or in the parentheses, or NULL; `at` its offset in the
    // method's spec, for errors.
    bool (*prepare)(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error);
    void (*destroy)(struct ek_plan *plan); // frees plan->data; NULL when there is none

    // EK_LINKS_SCHEDULED: describes the next step, or says what has ended. Only what every processor knows may go into
    // it.
    enum ek_next (*next)(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step);

    // EK_LINKS_CHOSEN: whether this port takes part. Both ends of a link must answer alike.
    bool (*takes_part)(const struct ek_view *view, unsigned port);

    // A rule: how much goes over this port; positive leaves. What is not positive is not sent: without delay the other
    // end computes the opposite amount. In tokens the answer is whole.
    double (*flow)(const struct ek_view *view, unsigned port);
    double (*flow_tokens)(const struct ek_view *view, unsigned port);

    // A program: what it says on each port that takes part (NAN: nothing; NULL: its load), and what load it sends on
    // each. Every processor has a turn in every step, also where none of its ports takes part; unless plan->sleeps:
    // then a processor acts in the steps that wake everybody, when something was said to it, when load came in, and in
    // the step after one in which it set turn->awake; in all but the second case it may speak too. There can be turns
    // without a cause, and which ones depends on the carrier: they must change nothing, and leave `waits` as it was.
    // Sleepers hear nothing late: they go with neither delays nor invocations.
    void (*say)(const struct ek_turn *turn, double *words);
    void (*act)(struct ek_turn *turn, double *amounts);

    // Free timing: one invoker's operation, heard and settled by itself. `asks`: whether its operation is with the
    // neighbour at this port (NULL: with all; where it asks nobody there is no operation); announced[port] is the
    // neighbour's load as last heard, NAN if never. `operate`: what moves once it has been answered; announced[port]
    // is NAN where the neighbour takes no part. amounts[port], 0 at first: positive leaves, negative is asked for.
    // NULL: by `flow`, from whichever end it is positive at. view.at->number counts the processor's operations.
    bool (*asks)(const struct ek_turn *turn, unsigned port);
    void (*operate)(struct ek_turn *turn, double *amounts);

    // The loops over a block of processors with the rule or program inlined (<evenkeel/block.h>), for real loads and
    // for tokens; NULL: the machine calls it.
    void (*block)(struct ek_block *block);
    void (*block_tokens)(struct ek_block *block);

    // The same for real loads of a mutual rule, for processors whose neighbours lie alike (<evenkeel/wide.h>); NULL:
    // none.
    void (*block_wide)(struct ek_block *block);

    // Counts a run's steps as the method's paper does: a sentence that says what the paper counts, or NULL where it is
    // what the machine counts. NULL: always so.
    const char *(*paper_steps)(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps);

    // Adds what is known of a run before it begins; NULL, as for every method from outside: nothing of its own.
    void (*facts)(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts);
};

// The method called `name`, or NULL. Built in, or registered.
EK_API const struct ek_method *ek_method_find(const char *name);

// Method `index` of the registry, or NULL past the last: the built-in ones, then the registered.
EK_API const struct ek_method *ek_method_at(size_t index);

// Adds a method from outside; the struct must stay alive. To be called before anything is prepared, from one thread.
// False when the name is taken, a needed function is missing or the registry (64 places) is full.
EK_API bool ek_method_register(const struct ek_method *method, struct ek_error *error);

#endif
