// SPDX-License-Identifier: MIT
// The objects of a run: what each processor holds, and what each parcel carries. Engines and methods see loads; only
// this room knows the objects themselves.
//
//   call              caller                              concurrent with
//   send, say         the worker of the processor         calls for other processors
//   receive           the worker of the receiver          nothing on the same parcel: a barrier lies between
//   cross             the only processor that has a turn  nothing
//   all others        the owner of the run                nothing
//
// Without rounds, parcels travel as in objects_under_way.h.
#ifndef THREADS_CARGO_OBJECTS_H
#define THREADS_CARGO_OBJECTS_H

#include <stdatomic.h>

#include "base/arena.h"
#include "core/objects/object_choice.h"
#include "threads/machine/plan.h"
#include "threads/mail/way.h"

struct ek_objects_report;

// Objects, or those of them that can move: how many they are, and the sum of their prints, which does not depend on
// their order.
struct cargo_objects_sum {
    uint64_t count, print;
};

struct cargo_objects {
    const struct core_object_set *set; // NULL: the load does not consist of objects
    const struct cargo_vt *vt;         // the files that they came from; NULL: other sources
    const struct ek_topology *topology;
    enum core_choose choose;
    bool carries; // the rest of an amount is kept for the next one
    const struct machine_plan *machine;
    bool *here; // by processor: it belongs to this process, which holds its objects; NULL: all do

    // By processor.
    struct core_object_list *held;
    uint64_t *fixed;      // the weight of the objects that stay
    uint64_t *said;       // the load at the start of the step, in units
    uint64_t *bytes_sent; // so far
    uint64_t *moved;      // weight sent so far

    // By the sender's port.
    struct core_object_list *parcel;
    double *rest; // of earlier amounts, in units

    // By object, written by the worker of the processor that holds it.
    uint32_t *next;    // in its list
    uint32_t *place;   // the processor that holds it
    uint32_t *moves;   // links that it crossed
    uint64_t *crossed; // turns: 1 + the step in which it crossed its last link; 0: none
    uint32_t *recent;  // [recents] turns: those that crossed a link since other processes were told; NULL: nobody is
    uint32_t recents;
    double *score; // see struct core_object_request
    char *placing; // memory of a method that places objects

    // Without rounds (objects_under_way.c).
    struct mail_way *way;             // by the sender's port: parcels under way
    struct cargo_bundle *bundle;      // by object: the parcel of which it is the first one
    struct cargo_departures *waiting; // by the sender's port: parcels that have not departed; NULL if nobody asks
    _Atomic uint32_t *holder;         // by object: the processor that holds it
    uint32_t *known;                  // by partner: the processor that holds it, as the object's holder knows it

    struct cargo_objects_sum all, movable; // at the start
    struct cargo_objects_sum landed;       // at the end: those that were still under way,
    struct core_object_list landed_list;   //   and these of this process
};

// Plan the memory; place the objects at the start of a run.
void cargo_objects_plan(struct cargo_objects *objects, const struct machine_plan *machine,
                        const struct ek_topology *topology, struct base_arena *memory);
void cargo_objects_begin(struct cargo_objects *objects);

// Returns the load of a processor, rounded once.
double cargo_objects_load(const struct cargo_objects *objects, uint32_t processor);

// Lets a processor remember its load at the start of a step.
void cargo_objects_say(struct cargo_objects *objects, uint32_t processor);

// In turns: gives a processor of another process, which holds no objects here, the load that it has said.
void cargo_objects_see(struct cargo_objects *objects, uint32_t processor);

// Moves objects of a processor to the parcel of one of its ports: those that the axis `choose` selects for this amount,
// which is 0 if nothing should go. Returns their load.
double cargo_objects_send(struct cargo_objects *objects, uint32_t processor, uint32_t port, double amount);

// Gives the parcel that was sent from `port` to its receiver.
void cargo_objects_receive(struct cargo_objects *objects, uint32_t processor, uint32_t port);

// Does both at once, in turns. Objects that crossed a link in this step stay. If the receiver belongs to another
// process, only its weight changes here, and the parcel waits until it has `arrived` there.
double cargo_objects_cross(struct cargo_objects *objects, uint32_t processor, uint32_t port, double amount,
                           uint64_t step);
void cargo_objects_arrive(struct cargo_objects *objects, uint32_t port, uint64_t step);

// Adds the objects of a list to a sum.
void cargo_objects_add(const struct cargo_objects *objects, const struct core_object_list *list,
                       struct cargo_objects_sum *sum);

// Returns the bytes of the objects of a list.
uint64_t cargo_objects_bytes(const struct cargo_objects *objects, const struct core_object_list *list);

// Returns how many operations may pass without the loads coming nearer to balance, before it is clear that objects go
// to and fro.
uint64_t cargo_objects_patience(const struct machine_plan *machine, int64_t diameter);

// Returns the load of a processor in units.
static inline uint64_t cargo_objects_units(const struct cargo_objects *objects, uint32_t processor)
{
    return objects->held[processor].weight + objects->fixed[processor];
}

// Returns the units of a load that is known as a number, UINT64_MAX if it is NAN.
uint64_t cargo_objects_units_of(const struct cargo_objects *objects, double load);

// Serves a port: moves the objects that the axis `choose` selects for an amount to the parcel of the port. `own` and
// `other` are the loads at the two ends of the link, in units. Returns the load of the parcel.
double cargo_objects_serve(struct cargo_objects *objects, struct core_object_request *request, uint32_t port,
                           double amount, uint64_t own, uint64_t other);

// Returns whether an object of this weight fits into an amount of which no rest is carried.
bool cargo_objects_fits(const struct cargo_objects *objects, uint64_t weight, double amount, uint64_t own);

// Gives the objects of a list to a processor.
void cargo_objects_hold(struct cargo_objects *objects, uint32_t processor, struct core_object_list *list);

// Returns whether no object of this process can go anywhere: none is lighter than a difference of loads over a link of
// its processor. `load` has the loads of all processors.
bool cargo_objects_rest(const struct cargo_objects *objects, const double *load);

// Returns whether an object of this weight, in units, is lighter than the difference of two loads.
bool cargo_objects_may_go(const struct cargo_objects *objects, uint64_t weight, double own, double other);

// Returns the weight, in units, of the lightest object of a processor that can move, UINT64_MAX if it has none.
uint64_t cargo_objects_lightest(const struct cargo_objects *objects, uint32_t processor);

// Returns whether a part of an amount is kept for the next amount over its link.
bool cargo_objects_keep(const struct cargo_objects *objects);

// Moves objects so that the net load over each link is that of `sent`, by port, as nearly as objects allow. Each object
// then goes straight to its last processor (axis migrate, value end).
void cargo_objects_settle(struct cargo_objects *objects, const double *sent);

// Lets the method place the objects, as the first `steps` steps decide it. Returns the number of messages in these.
uint64_t cargo_objects_place(struct cargo_objects *objects, uint64_t seed, uint64_t steps);

// Returns whether the processors hold exactly the objects of the start, but for those that have landed. Otherwise
// `error` says so.
bool cargo_objects_good(const struct cargo_objects *objects, struct ek_error *error);

// Refuses a sum of all objects that can move.
bool cargo_objects_refuse(struct ek_error *error);

// Returns the number of objects that never left their first processor.
uint64_t cargo_objects_stayed(const struct cargo_objects *objects);

// Writes the report; with `files`, also the files of the new placement. Returns false with `error` filled if there is
// no memory for them.
bool cargo_objects_report(const struct cargo_objects *objects, bool files, struct ek_objects_report *report,
                          struct ek_error *error);

// Corrects the lowest load that the report says, if objects moved at the end only: it is that of the start or of the
// end, and not that of the numbers.
void cargo_objects_lowest(const struct machine_plan *machine, uint32_t processors, struct ek_report *report);

// Frees the files of a report.
void cargo_objects_release(struct ek_objects_report *report);

#endif
