// SPDX-License-Identifier: MIT
// The hosts, a row each, with the source of every number. Where a source lacks a cost, the row says how it was derived.
//
// No source has the cost of a turn, because in LogP a turn is part of the computation. A turn of this program that
// finds nothing executes about 250 instructions on a ring (valgrind --tool=callgrind). The rows take one instruction a
// cycle for processors that are younger than the transputer.
#include "core/links/hosts.h"

#include <stdio.h>
#include <string.h>

#include "core/axes/spec.h"

// Two uses of each number: the default of an axis, and the list's text.
#define HOST(name, turn, overhead, gap, latency, byte_time, what)                                                      \
    {                                                                                                                  \
        .choice = {name, "turn " turn ", overhead " overhead ", gap " gap ", latency " latency ", byte " byte_time     \
                         ": " what},                                                                                   \
        .host = {                                                                                                      \
            .cost =                                                                                                    \
                {                                                                                                      \
                    [CORE_COST_TURN] = turn,                                                                           \
                    [CORE_COST_OVERHEAD] = overhead,                                                                   \
                    [CORE_COST_GAP] = gap,                                                                             \
                    [CORE_COST_LATENCY] = latency,                                                                     \
                    [CORE_COST_BYTE_TIME] = byte_time,                                                                 \
                },                                                                                                     \
        }                                                                                                              \
    }

static const struct {
    struct ek_choice choice;
    struct core_host host;
} hosts[] = {
    // Numbers of the size of a cluster's, easy to add up by hand. Nobody measured them.
    HOST("none", "100ns", "200ns", "50ns", "1us", "0", "round numbers, of no machine"),

    // De Sensi, De Matteis, Taranov, Di Girolamo, Rahn & Hoefler, Noise in the Clouds, Proc. ACM Meas. Anal. Comput.
    // Syst. 6(3), 2022. They measured LogGP parameters by Netgauge, and published them with their simulations: nodes of
    // Alps in the same rack. Turn: 250 cycles of its processors (EPYC 7742, 2.25 GHz).
    HOST("cluster", "110ns", "230ns", "0", "1.9us", "0.079ns", "Alps, a Cray EX with Slingshot (De Sensi et al. 2022)"),

    // The same paper: virtual machines of a cloud (Azure, instances without InfiniBand) by TCP. Turn: as for `cluster`,
    // since the instances' clock is not published.
    HOST("ethernet", "110ns", "5us", "180ns", "30us", "1.1ns",
         "TCP between virtual machines of a cloud (De Sensi et al. 2022)"),

    // INMOS, The Transputer Databook, 1989: IMS T805 at 30 MHz with links of 20 Mbit/s. A link carries 1.74 MB/s one
    // way. A message of 16 bytes (4 words) occupies its processor for 2*4 + 19 cycles, for input as for output.
    // Latency:
    // a byte of 11 bits and its acknowledgement of 2 bits. A link is busy for the bytes alone, so there is no gap.
    // Turn:
    // 250 instructions at 15 MIPS, half of the peak. Communication libraries cost more than these bare links.
    HOST("transputer", "17us", "900ns", "0", "650ns", "575ns", "a T805 with bare links (INMOS 1989)"),

    // Baumann et al., The Multikernel, SOSP 2009, Table 2: messages of a cache line between cores without a common
    // cache
    // (2x4-core Intel, 2.66 GHz) take 570 cycles, and one follows another after 1000/3.78 cycles. The cores themselves
    // move the lines, so the 99 ns of a line are the overhead at each end, and latency is the rest of the 214 ns. Byte:
    // 99 ns for 64 bytes. Turn: 250 cycles.
    HOST("sharedmemory", "94ns", "99ns", "0", "16ns", "1.55ns", "cores without a common cache (Baumann et al. 2009)"),
};

enum { HOSTS = sizeof hosts / sizeof *hosts };

static const struct ek_choice others[] = {
    {"measured", "this computer, as evenkeel contention --keep has measured it"},
    {"file:PATH", "lines such as `latency 5us`; a cost without a line has the default of none"},
};
enum { MEASURED = HOSTS, IN_FILE, KINDS };

const struct ek_choice *core_host_choice(size_t index)
{
    return index < HOSTS ? &hosts[index].choice : index < KINDS ? &others[index - HOSTS] : NULL;
}

static const char *name_at(size_t index)
{
    return index < HOSTS ? hosts[index].choice.form : index == MEASURED ? "measured" : index == IN_FILE ? "file" : NULL;
}

// ---- files ----

// The costs of a host, by their names in a file.
static const char *const names[CORE_COSTS] = {
    [CORE_COST_TURN] = "turn-cost",  [CORE_COST_OVERHEAD] = "overhead",   [CORE_COST_GAP] = "gap",
    [CORE_COST_LATENCY] = "latency", [CORE_COST_BYTE_TIME] = "byte-time",
};

static const char *cost_name(size_t index)
{
    return index < CORE_COST_BYTE_TIME ? names[index + 1] : NULL;
}

struct host_draft {
    struct core_host *host;
    bool given[CORE_COSTS];
};

static bool take_cost(void *context, struct base_cursor *line)
{
    struct host_draft *draft = context;
    size_t index;
    double value;
    if (line->text[0] == '#') {
        line->at = strlen(line->text);
        return true;
    }
    if (!base_cursor_known(line, "cost of a host", cost_name, &index) ||
        !core_spec_gap(line, "a line has a cost and its time, as in latency 5us")) {
        return false;
    }
    const enum core_cost cost = (enum core_cost)(index + 1);
    const char *text = line->text + line->at;
    if (!core_cost_take(line, cost, &value)) {
        return false;
    }
    if (draft->given[cost] || strlen(text) >= CORE_COST_TEXT) {
        return base_cursor_fail(
            line, 0, draft->given[cost] ? "%s is there already: leave one out" : "%s has too many digits: write fewer",
            names[cost]);
    }
    draft->given[cost] = true;
    snprintf(draft->host->cost[cost], CORE_COST_TEXT, "%s", text);
    return true;
}

bool core_host_read(struct core_host *host, const char *axis, const char *spec, struct ek_reader reader,
                    struct ek_error *error)
{
    struct base_cursor cursor = base_cursor_start(axis, spec, error);
    struct host_draft draft = {.host = host};
    size_t kind;
    *host = hosts[0].host;
    if (!core_spec_kind(&cursor, "host", name_at, core_host_choice, IN_FILE, &kind)) {
        return false;
    }
    if (kind == MEASURED) {
        return base_cursor_fail(&cursor, 0, "only the command knows where its measurements are: write host file:PATH");
    }
    if (kind == IN_FILE) {
        return core_spec_lines(&cursor, reader, take_cost, &draft);
    }
    *host = hosts[kind].host;
    return base_cursor_end(&cursor);
}
