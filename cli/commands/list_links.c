// SPDX-License-Identifier: MIT
// evenkeel list --topology SPEC --links: the links of a topology, with their dimensions and colours.
#include <inttypes.h>
#include <stdio.h>

#include "cli/line/commands.h"
#include "cli/line/complain.h"
#include "cli/terminal/files.h"

// How a link is written in each format; the first of all has nothing before it.
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
        if (from < to) { // ports in order tell the links in order
            fputs(format == CLI_JSON && link > 0 ? ",\n" : "", stdout);
            printf(rows[format], link++, from, to, topology->dimension[port], topology->colour[port]);
        }
    }
    fputs(format == CLI_JSON ? "\n]}\n" : "", stdout);
}

enum ek_status cli_links(const struct cli_options *options, const char *typed)
{
    (void)typed;
    struct ek_error error = {.at = -1};
    const char *spec = cli_options_text(options, "topology");
    struct ek_topology *topology = ek_topology_create(spec, options->experiment.seed, cli_files_reader(), &error);
    if (!topology) {
        return cli_complain(&error);
    }
    print_links(topology, options->format);
    ek_topology_destroy(topology);
    return EK_OK;
}
