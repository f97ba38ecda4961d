// SPDX-License-Identifier: MIT
// The interface of a balancing method, which decides WHAT a processor does, and the registry of methods. Part of
// <evenkeel.h>.
//
// A method never blocks and knows no thread. There are two kinds:
//  * A *rule* is a pure function, the paper's equation. It computes how much load goes over one port, from the data
//    that one processor sees. The machine calls the rule for each port that takes part in a step, and moves the load.
//  * A *program* has two functions, called in each step for each processor: `announce` writes a number to each
//    neighbour; `act` reads the numbers and the load that arrived, and sends load.
// The machine enforces the ports: a processor with one port that uses two links in a step is an error.
#ifndef EK_METHOD_H
#define EK_METHOD_H

#include "base/common.h"

struct ek_topology; // topologies/topology.h

enum ek_units { EK_REAL = 1, EK_TOKENS = 2 };        // loads as amounts, or whole loads and whole transfers
enum ek_ports { EK_ALL_PORTS = 1, EK_ONE_PORT = 2 }; // how many links a processor may use in a step

// Which links take part in a step.
enum ek_links {
    EK_LINKS_ALL,      // diffusion: all links at once, from the loads at the operation's start
    EK_LINKS_COLOUR,   // dimension exchange: one colour after the other; each step uses the loads that the previous
                       // step left
    EK_LINKS_MATCHING, // a random maximal matching, or a single link, which the machine draws for each step from
                       // global knowledge
    EK_LINKS_CHOSEN,   // the links that the method's `takes_part` chooses
    EK_LINKS_SCHEDULED // the colours that the method's `next` names
};

// The linear map that an operation applies to the loads, if the theory has convergence factors for it (Xu, Monien,
// Lüling & Lau 1995). A method may name a map only if each of its operations is exactly this map. With a wrong map the
// theory would call a convergent method divergent.
enum ek_matrix {
    EK_MATRIX_UNKNOWN,  // none of these: the theory says nothing
    EK_MATRIX_EXCHANGE, // one colour after the other; each link moves lambda times the difference of its ends' loads;
                        // lambda is plan->parameter
    EK_MATRIX_DIFFUSION // I - alpha L, L the Laplacian; alpha is plan->parameter
};

// The values that the axis `order` permutes, and the method's own order if that axis is not given. A method by colours
// (EK_LINKS_COLOUR) always takes them in ascending order.
enum ek_order {
    EK_ORDER_NONE,       // the method has no sequence, or its sequence ignores setting->order
    EK_ORDER_COLOURS,    // the colours of the links
    EK_ORDER_ASCENDING,  // the dimensions of a product, the first one first
    EK_ORDER_DESCENDING, // the dimensions of a product, the last one first
};

// How the report counts a step.
enum ek_count {
    EK_COUNT_STEP,     // a step of the method
    EK_COUNT_SCAN,     // a step that carries information only: scan_steps
    EK_COUNT_EXCHANGE, // a step that carries load only: exchange_steps
    EK_COUNT_REDUCTION // a step that computes values that the paper takes as known: reduction_steps, not steps
};

// The counts that the report shows beside the steps.
enum ek_counts { EK_COUNTS_SCAN = 1, EK_COUNTS_REDUCTION = 2, EK_COUNTS_SHIFTS = 4 };

// A step: the links of the colours colour_from .. colour_end-1 take part. With one port the machine takes each of these
// colours in a step of its own. All these steps use the loads at the start of the first of them.
struct ek_step {
    uint32_t colour_from, colour_end;
    enum ek_count count;
    bool loads;     // all processors announce their loads, and `announce` is not called; turn->arrived is not valid. If
                    // processors sleep, only a step with `wakes` may set `loads`
    bool wakes;     // all processors have a turn, also those that sleep
    unsigned stage; // the method's own: the stage of the operation
    uint64_t index; // set by the machine: the number of earlier steps of this operation
    uint64_t number; // the method's own: the position in the stage
    double gain;     // the method's own: the coefficients of this step
    double memory;
};

// The state of a run when the machine asks a method for the next step.
struct ek_moment {
    uint64_t operation;      // operations that are complete
    uint64_t index;          // steps begun in this operation
    bool busy;               // a processor set turn->busy in the last step
    bool workload;           // a workload generates and consumes load between steps
    bool workload_continues; // the workload has ticks to come
    struct ek_step last;     // the last step; zeros before the first
};

enum ek_next { EK_NEXT_STEP, EK_NEXT_OPERATION_ENDS, EK_NEXT_RUN_ENDS };

struct core_object_set;
struct ek_view;

// A rule computes how much load goes over one port. A positive amount leaves the processor. Other amounts are not sent.
// Without delays the other end computes the opposite amount from the same two loads.
typedef double ek_flow(const struct ek_view *view, unsigned port);

// The experiment, as a method's `prepare` sees it.
struct ek_setting {
    const struct ek_topology *topology;
    enum ek_units units;
    enum ek_ports ports;
    const double *capacity;  // [processors], or NULL if all are 1
    bool to_target;          // weighting target: the method balances each load minus its target
    struct ek_reader reader; // reads the file that a parameter names
    double stop_error;       // the limit of the stop criterion `error`; 0.01 for other criteria
    const uint32_t *order;   // [dimensions] the order in which the dimensions are taken, or NULL for the method's own
    bool free;               // free timing
    bool flows;              // the report shows the flow over each link and the quotas
    uint64_t hops;           // links over which a new task walks, for a method whose tasks walk
    const struct core_object_set *objects; // the library's own: those of which load consists, or NULL
};

// The values that `prepare` sets for a run. Before the call `parameter` is NaN and all other fields are 0.
struct ek_plan {
    double parameter;            // the paper's lambda or alpha; NaN if there is none
    uint64_t operations;         // a direct method ends after this number; 0: no end
    unsigned steps;              // EK_LINKS_CHOSEN: steps per operation
    unsigned port_doubles;       // doubles of memory per port: view->memory
    unsigned state_doubles;      // doubles of memory per processor: turn->state
    unsigned quotas;             // the number of a processor's quotas, one for each dimension. They are the last
                                 // doubles of its state: each is the quota plus 1, or 0 while the quota is unknown. The
                                 // report reads them
    bool ends_when_still;        // the run ends before an operation in which nothing would move
    bool sleeps;                 // the processors of a program have turns only when woken: see `act`
    bool tokens;                 // the method's own: loads are tokens
    struct ek_topology *overlay; // links that the method uses instead of the topology's, or NULL
    const void *data;            // the method's own, or NULL
    char stop[32];               // stop criterion if the user names none; "" for the usual one
    bool ends_at_rest;           // the run ends as soon as no processor would invoke any more
    char invoke[32];             // invocation if the user names none; "" for the usual one
    char domains[16];            // free timing: domains if the user names none; "" for the usual ones
    char warning[200];           // a sentence that the user should read before the run, or ""
    double spread_most;          // a direct method in tokens: it has converged only if final loads differ by at most
                                 // this; 0: no limit
    bool letters_far;            // letters go to processors that are not neighbours
    bool letters_direct;         // a letter crosses all links of its path in one step
    bool single_link;            // EK_LINKS_MATCHING: the machine draws a single link for each step
    bool rounds_itself; // with tokens the rule rounds its amounts itself, in the way that the machine writes to
                        // `rounding` after `prepare`: an enum core_rounding of core/cargo/rounding.h
    unsigned rounding;
    const char *inexact; // a direct method may end away from balance even if the experiment suits it: the
                         // reason and a remedy, as the end of a sentence after "because"; NULL: none
    ek_flow *flow;       // a program that is a rule: in every step all processors announce their loads, and `act` sends
                         // the amounts of this rule. It reads only the step's number and colours, and of the view the
                         // plan, `load`, `dimension`, `direction`, and `announced` of ports that take part. So a
                         // processor within two links can compute the amounts too. NULL: the program is none
};

// The data that one processor sees in a step. An array by port has `degree` entries, one for each of the processor's
// own ports.
struct ek_view {
    const struct ek_plan *plan;
    const struct ek_step *step;
    uint32_t processor;
    uint32_t degree;
    double load; // the load to compare with the neighbours' loads: the load at the step's start. If the experiment
                 // weights loads, it is divided by the capacity, or the target is subtracted
    double held; // the load that the processor holds
    double capacity;
    const double *announced;  // by port: the neighbour's `load`; valid for ports that take part
    const uint8_t *dimension; // by port
    const int8_t *direction;  // by port
    double *memory;           // [degree * port_doubles] zeros at first
    uint64_t seed;            // of the run
};

// A program's turn: a view, and what only programs have.
struct ek_turn {
    struct ek_view view;
    double *state;         // [state_doubles] zeros at first
    const double *arrived; // by port: load that arrived since the last step; valid if the method reads arrivals
    bool invokes;          // the processor invokes this operation; the program may clear it
    bool busy;             // set it to request another step of this stage
    bool waits;            // as `busy`, but it holds until the processor's next turn; for processors that sleep
    bool awake;            // set it to have a turn in the next step too; for processors that sleep
    double shift[2];       // largest amounts shifted down and up (nna)
    double swapped;        // load that the processor shifted to itself (liquid in a dimension of size 1)
};

// The counts of a run of rounds.
struct ek_counted {
    enum ek_units units;
    uint64_t operations;
    uint64_t steps, scan_steps, exchange_steps;
    double shifts;
};

struct ek_block;   // <evenkeel/block.h>
struct ek_outlook; // the library's own, as is struct ek_facts
struct ek_facts;

// The texts about a method. A text is plain UTF-8 without an end of line, or NULL if there is none.
struct ek_texts {
    const char *title;     // "generalised dimension exchange"; the only one that a plugin's method must have
    const char *parameter; // as help shows it: "L" for name:L, "(SCHEME)" for name(SCHEME)
    const char *example;   // an example of the value of `evenkeel run --method`
    const char *equation;  // the rule
    const char *steps;     // the steps of an operation; NULL: those that `links` implies
    const char *optimum;   // where a default or best parameter comes from, or what the parameter means
    const char *assumes;   // the data that a processor must know before the run
    const char *source;    // citation
    const char *findings;  // the results of recomputing the paper
    const char *other;     // a second value of `evenkeel run --method` that `evenkeel rank` tries, or NULL
};

// The experiments that a method supports.
struct ek_support {
    unsigned units;  // EK_REAL | EK_TOKENS
    unsigned ports;  // EK_ALL_PORTS | EK_ONE_PORT
    bool capacities; // it balances loads divided by capacities too
    bool delays;     // it works with old announcements and late parcels
    bool turns;      // its rule can be applied to one processor after another
    bool overdraws;  // a processor may send more than it holds: its load goes below zero
    bool objects;    // it balances load that consists of objects, and no other; the library's own
    bool own_rows;   // `prepare` reads no links, and a processor needs its own only
    bool quotas;     // in tokens it gives each processor a whole quota, so it cannot balance towards targets
};

struct ek_rule {
    ek_flow *flow;        // real loads, and tokens that the machine rounds; NULL if the method has tokens only
    ek_flow *flow_tokens; // whole amounts; NULL if it has real loads only
    bool mutual; // the rule reads only `load`, announced[port] and the plan, and both ends of a link use the same rule.
                 // So each end can compute the amount that the other end sends
};

// A method's part in rounds. All functions may be NULL except as noted.
struct ek_rounds_part {
    // EK_LINKS_SCHEDULED, required: describes the next step, or returns whether the operation or the run has ended. The
    // answer must depend only on values that every processor knows.
    enum ek_next (*next)(const struct ek_plan *plan, const struct ek_moment *moment, struct ek_step *step);

    // EK_LINKS_CHOSEN, required: returns whether this port takes part. Both ends of a link must give the same answer.
    bool (*takes_part)(const struct ek_view *view, unsigned port);

    // A program, instead of the rule. `announce` writes the number that the processor announces on each port that takes
    // part; NaN announces nothing. Without `announce` the processor announces its load. `act` writes the load that the
    // processor sends on each port; amounts are 0 at first.
    //
    // Every processor has a turn in every step, even if none of its ports takes part. If plan->sleeps is set, a
    // processor has turns only
    // (1) in the steps that wake all processors,
    // (2) when a neighbour announced something to it,
    // (3) when load arrived,
    // (4) in the step after one in which it set turn->awake.
    // The processor announces only in turns of the kinds 1, 3 and 4. The machine may also give a processor a turn
    // without any of these causes. Such a turn must change nothing and leave turn->waits as it was. Programs that sleep
    // support neither delays nor invocation.
    void (*announce)(const struct ek_turn *turn, double *values);
    void (*act)(struct ek_turn *turn, double *amounts);
    bool reads_arrivals; // the program reads turn->arrived
    bool reads_invokes;  // the program reads turn->invokes: not every processor needs to invoke

    // The loop over a block of processors with the rule or the program inlined (<evenkeel/block.h>): for real loads,
    // for tokens, and for real loads of a mutual rule on regular topologies (<evenkeel/wide.h>). NULL: the machine
    // calls the rule or the program through its pointer.
    void (*block)(struct ek_block *block);
    void (*block_tokens)(struct ek_block *block);
    void (*block_wide)(struct ek_block *block);

    // The library's own: the same for real loads of a mutual rule over computed links: over those of one colour, and
    // over all links of a grid of any number of dimensions.
    void (*block_paired)(struct ek_block *block);
    void (*block_bundled)(struct ek_block *block);
    bool block_checks; // the loops check all amounts themselves, so the machine takes no samples

    unsigned counts; // EK_COUNTS_SCAN | EK_COUNTS_REDUCTION | EK_COUNTS_SHIFTS

    // A method that computes the mean load instead of balancing: returns a processor's estimate at the end of a run,
    // from its state and the load that it holds. NULL: the method balances loads.
    double (*estimate)(const double *state, double held);

    // Counts a run's steps as the method's paper does. Returns a sentence that says what the paper counts, or NULL if
    // the paper counts as the machine does.
    const char *(*paper_steps)(const struct ek_plan *plan, const struct ek_counted *counted, uint64_t *steps);
};

// A method's part in free timing, where each processor invokes operations of its own. announced[port] is the last load
// received from the neighbour, or NaN. view.step->number counts the processor's operations.
struct ek_free_part {
    // Returns whether the operation includes the neighbour at this port; NULL: it includes all. An operation that
    // includes no neighbour does not take place. A draw may decide which neighbours it includes, but not whether it
    // includes one. In rounds only the measurement of overlaps calls this function, and only if the method is a
    // program.
    bool (*includes)(const struct ek_turn *turn, unsigned port);

    // Writes the amounts to move, after the neighbours have answered; announced[port] is NaN if the neighbour takes no
    // part. amounts[port] is 0 at first; a positive amount leaves, a negative amount is requested from the neighbour.
    // NULL: each link moves the amount of the rule, computed at the end at which the amount is positive.
    void (*operate)(struct ek_turn *turn, double *amounts);
};

// The kinds of letters. A letter follows a shortest path. In rounds it crosses one link a step: requests and notices
// cross links in the announce phases of steps, the others in their migrate phases.
enum ek_letter_kind {
    EK_LETTER_REQUEST, // asks for tasks, or for leave to send some
    EK_LETTER_NOTICE,  // tells something
    EK_LETTER_ANSWER,  // brings tasks, or leave
    EK_LETTER_REFUSAL, // answers a request with no
    EK_LETTER_PASSING, // brings tasks that its receiver may pass on before it executes them
};

// A message from one processor to another, which need not be neighbours.
struct ek_letter {
    enum ek_letter_kind kind;
    uint32_t from, to;
    uint32_t number; // the method's own
    uint64_t tasks;  // that it carries
    bool newest;     // it takes the newest tasks of its sender, not those that --give names
};

// A turn of a processor that writes letters. In `read` of a passing letter, `pass` sends this letter on to a neighbour;
// otherwise the processor holds its tasks from then on.
struct ek_letter_turn {
    struct ek_view view;       // view.held: its tasks; view.announced: valid in `give`, if
                               // rounds->announce is NULL: processors announce their loads
    const uint32_t *neighbour; // by port
    uint32_t processors;
    uint64_t held;    // its tasks
    uint64_t created; // tasks that it created in the last tick and still holds: its newest
    bool works;       // it still works on a task that it has begun
    uint64_t moment;  // in rounds the number of the step, for random numbers; else 0
    uint64_t draws;   // random numbers drawn in this turn; without rounds, so far
    double *state;    // [state_doubles] zeros at first
    void (*post)(struct ek_letter_turn *turn, struct ek_letter letter); // sets letter.from
    void (*pass)(struct ek_letter_turn *turn, uint32_t to, enum ek_letter_kind kind, uint32_t number);
    bool awake; // set it in `ask` to be called again without a letter; without rounds
};

// The part of a method for tasks whose processors decide by letters. `ask` and `give` are called in each step for each
// processor; requests and notices must be posted in `ask`. `read` is called for each letter that has arrived: before
// `ask` for answers and refusals, before `give` for the others. The tasks of an answer are already held then. Without
// rounds `read` is called when a letter arrives, and `ask` and `give` at the end of each turn, after its work. NULL: it
// does nothing.
struct ek_letters_part {
    bool walks; // tasks walk over as many links as the experiment's `hops` says
    void (*ask)(struct ek_letter_turn *turn);
    void (*read)(struct ek_letter_turn *turn, const struct ek_letter *letter);
    void (*give)(struct ek_letter_turn *turn);
};

// The part of a method that says where each object goes at the end, instead of amounts; the library's own. The objects
// and what is decided of them are not data of one processor, so the machine calls it once, when the steps are over.
struct ek_placement_part {
    // Returns the bytes of memory for `place`.
    size_t (*bytes)(const struct core_object_set *objects, uint32_t processors);

    // Writes the processor of each object, by index, as the first `steps` steps decide it. Returns the number of
    // messages in these steps.
    uint64_t (*place)(const struct ek_plan *plan, const struct core_object_set *objects, uint32_t processors,
                      uint64_t seed, uint64_t steps, void *memory, uint32_t *place);
};

struct ek_method {
    const char *name;             // "gde": letters, digits and '-'
    const struct ek_texts *texts; // required
    struct ek_support supports;

    enum ek_links links;
    enum ek_matrix matrix; // the map of an operation on real loads with equal capacities; valid if plan->parameter is
                           // not NaN
    enum ek_order order;
    bool direct;     // the run ends when the method has done its operations
    bool draws;      // the method draws random numbers: after a state that occurs again the run may go on differently
    bool in_table_1; // Table 1 of Xu, Monien, Lüling & Lau 1995 has its factor

    // Returns the method that implements this parameter: for example, adi(opt) is a rule and adi(ops) a program.
    // `parameter` includes its colon or parentheses, or is "". NULL: this method implements all its parameters.
    const struct ek_method *(*variant)(const char *parameter);

    // Fills the plan; required. `parameter` is the text after the colon or in the parentheses, or NULL; `at` is its
    // offset in the method's spec, for errors. Returns false with `error` filled if the experiment cannot run.
    bool (*prepare)(struct ek_plan *plan, const char *parameter, int at, const struct ek_setting *setting,
                    struct ek_error *error);
    void (*destroy)(struct ek_plan *plan); // frees plan->data; NULL if there is none

    // Adds what the theory knows about a run before it begins; NULL: it adds nothing. A registered method must have
    // NULL.
    void (*facts)(const struct ek_plan *plan, const struct ek_outlook *outlook, struct ek_facts *facts);

    const struct ek_rule *rule;                // NULL if the method has only a program
    const struct ek_rounds_part *rounds;       // required
    const struct ek_free_part *free;           // NULL if processors cannot run free with it, except by letters
    const struct ek_letters_part *letters;     // NULL if it moves amounts over links; else it needs tasks
    const struct ek_placement_part *placement; // NULL if amounts move. A registered method must have NULL
};

// Returns the built-in or registered method called `name`, or NULL if there is none.
EK_API const struct ek_method *ek_method_find(const char *name);

// Returns method `index` of the registry, or NULL past the last. Built-in methods come first, then registered ones.
EK_API const struct ek_method *ek_method_at(size_t index);

#endif
