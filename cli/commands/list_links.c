// SPDX-License-Identifier: MIT
#include "cli/commands/list_links.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/terminal/read_file.h"
#include "topologies/topology.h"

struct ek_topology;

// A link in each format.
static const char *const rows[] = {
    [CLI_TABLE] = "%6" PRIu32 " %9" PRIu32 " %9" PRIu32 " %9u %9" PRIu32 "\n",
    [CLI_CSV] = "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%u,%" PRIu32 "\n",
    [CLI_JSON] = "  {\"link\": %" PRIu32 ", \"from\": %" PRIu32 ", \"to\": %" PRIu32
                 ", \"dimension\": %u, \"colour\": %" PRIu32 "}",
};

static void print_head(const struct ek_topology *topology, enum cli_format format)
{
    if (format == CLI_JSON) {
        printf("{\"schema\": \"evenkeel.links/1\", \"processors\": %" PRIu32 ", \"colours\": %" PRIu32
               ", \"links\": [\n",
               topology->processors, topology->colours);
    } else {
        puts(format == CLI_CSV ? "link,from,to,dimension,colour" : "  link      from        to dimension    colour");
    }
}

static void print_links(const struct ek_topology *topology, enum cli_format format)
{
    uint32_t link = 0;
    print_head(topology, format);
    for (uint32_t port = 0; port < topology->ports; port++) {
        uint32_t from = topology->neighbour[topology->twin[port]];
        uint32_t to = topology->neighbour[port];
        if (from < to) { // each link once, in the order of the ports
            fputs(format == CLI_JSON && link > 0 ? ",\n" : "", stdout);
            printf(rows[format], link++, from, to, topology->dimension[port], topology->colour[port]);
        }
    }
    fputs(format == CLI_JSON ? "\n]}\n" : "", stdout);
}

bool cli_list_links(const char *spec, uint64_t seed, enum cli_format format, struct ek_error *error)
{
    struct ek_topology *topology = ek_topology_create(spec, seed, cli_reader(), error);
    if (!topology) {
        return false;
    }
    print_links(topology, format);
    ek_topology_destroy(topology);
    return true;
}
