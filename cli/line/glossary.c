// SPDX-License-Identifier: MIT
#include "cli/line/glossary.h"

#include <string.h>

static const struct cli_term terms[] = {
    {"announcement", "A message that reports the sender's load. It carries no load.", "run --topology ring:8"},
    {"cargo", "What load consists of: real amounts, tokens, tasks that run, or objects with weights.", "list objects"},
    {"colour",
     "Links of one colour never share a processor, so they can all be used at once. A dimension exchange "
     "operation uses one colour after another.",
     "list --links --topology torus:4x4"},
    {"discrepancy",
     "The largest load minus the smallest, each divided by its processor's capacity. Papers on tokens use this "
     "word for the spread.",
     "run --units tokens --load peak:640"},
    {"distance", "The square root of the variance: how far the loads are from balance, in the 2-norm.",
     "run --topology ring:8"},
    {"domain", "A processor that starts an operation, with the neighbours that take part in it.",
     "run --timing free --method adf --invoke probability:0.1"},
    {"efficiency", "The speedup divided by the sum of the processors' capacities; 1 if no processor ever waits.",
     "run --tasks queens:8 --method steal:random"},
    {"flow", "The load that crossed a link one way, minus the load that crossed it the other way.",
     "run --topology ring:8 --links"},
    {"gamma",
     "The convergence factor: the share of the distance from balance that an operation leaves in the long run. "
     "It is the second largest absolute value of the eigenvalues of an operation's matrix. Of the variance an "
     "operation leaves gamma squared.",
     "theory"},
    {"imbalance", "The largest load divided by the mean load, minus 1; 0 in balance.",
     "run --objects mesh:16x16 --load peak:256"},
    {"in-flight", "Load is in flight from the moment when it is sent until its receiver takes it.",
     "run --timing turns --method adf --delay fixed:2"},
    {"invoker", "A processor that starts an operation. --invoke says when processors do.", "explain invoke"},
    {"ledger",
     "The account of all load. The load at the start plus the generated load equals the load that is held, in "
     "flight and consumed; otherwise the run ends as a violation.",
     "run --timing free --method adf --invoke probability:0.1"},
    {"lookahead",
     "In virtual time, the least latency of a link plus the gap. Nothing that is sent arrives sooner, so "
     "workers can advance all processors by this time without waiting for one another.",
     "run --timing virtual --method adf --invoke probability:0.1"},
    {"mended",
     "A claim of a paper is mended if it fails as the paper has it, and holds after a correction. evenkeel "
     "papers shows the correction.",
     "papers --list"},
    {"message", "An announcement or a parcel that crosses a link. Each link that it crosses counts.",
     "run --topology ring:8"},
    {"operation",
     "One invocation of the method. It takes one step, or several: a dimension exchange takes a step for "
     "each colour. In rounds all invokers act together.",
     "theory"},
    {"overlap", "Two operations overlap if a processor takes part in both at the same time.",
     "run --timing free --method adf --invoke probability:0.1"},
    {"parcel", "A message that carries load.", "run --topology ring:8"},
    {"port", "A processor's end of a link. --ports says whether a processor uses one port in a step, or all.",
     "explain ports"},
    {"processor", "A simulated processor. It holds a load, and has a capacity and a port for each of its links.",
     "explain topology"},
    {"rank",
     "A process of an MPI program. With --carrier mpi each rank carries a block of the processors. The command "
     "evenkeel rank is something else: it orders methods by their cost.",
     "help rank"},
    {"snapshot",
     "In free timing, the loads of all processors and links as they could have been at one moment (Chandy & "
     "Lamport 1985). Stop criteria are tested at snapshots.",
     "run --timing free --method adf --invoke probability:0.1"},
    {"speedup", "The time that one processor would need for all work, divided by the time of the run.",
     "run --tasks queens:8 --method steal:random"},
    {"sphere", "Operations that are connected by overlaps, with all processors of their domains.",
     "run --timing free --method adf --invoke probability:0.1"},
    {"spread", "The largest load minus the smallest.", "run --topology ring:8 --stop spread:1"},
    {"step", "One communication step: what the ports allow at the same time. With one port a processor uses one link.",
     "theory --ports one"},
    {"token", "An indivisible unit of load. With --units tokens all loads are whole numbers.",
     "run --units tokens --load peak:640"},
    {"turn", "What a processor does at one time without rounds: it takes messages, acts and sends.",
     "run --timing turns --method adf"},
    {"variance",
     "The sum of the squared distances of the loads from their mean. It is not divided by the number of "
     "processors (Xu, Monien, Lüling & Lau 1995).",
     "run --topology ring:8"},
    {"violation",
     "A proof that a run went wrong: load was lost or created, or a rule of the machine was broken. The "
     "run ends with status 1.",
     "torture --runs 3"},
};
enum { TERMS = sizeof terms / sizeof *terms };

const struct cli_term *cli_term_at(size_t index)
{
    return index < TERMS ? &terms[index] : NULL;
}

const struct cli_term *cli_term_find(const char *word)
{
    for (size_t i = 0; i < TERMS; i++) {
        const size_t length = strlen(terms[i].word);
        if (strncmp(word, terms[i].word, length) == 0 && (!word[length] || strcmp(word + length, "s") == 0)) {
            return &terms[i];
        }
    }
    return NULL;
}
