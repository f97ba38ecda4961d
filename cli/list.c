// SPDX-License-Identifier: MIT
// `evenkeel list`: the values of every axis, from the library's registries, and what supports what.
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/complain.h"
#include "cli/text.h"

enum { INDENT = 24, TITLE = 78, WIDTH = 118 };

static void print_entry(const char *form, const char *summary)
{
    printf("  %s", form);
    cli_text_after(stdout, 2 + (int)cli_text_width(form), summary, INDENT, 96);
}

static const char *mark(bool supported)
{
    return supported ? "yes" : "-";
}

// The first column: the form, or where that is too wide the name and an ellipsis, which counts as one character.
// Its width.
static int print_method_name(const struct ek_method *method)
{
    enum { ROOM = 20 };
    struct cli_text form = cli_method_form(method);
    if (cli_text_width(form.of) >= ROOM) {
        snprintf(form.of, sizeof form.of, "%.*s:…", ROOM - 3, method->name);
    }
    printf("  %s%*s", form.of, ROOM - (int)cli_text_width(form.of), "");
    return 2 + ROOM;
}

// Rules are invoked by some processors or by all; in a program's operation everybody takes part.
static void print_methods(void)
{
    static const char ROW[] = "%-4s %-6s %-3s %-3s %-10s %-6s %-5s %-4s %s";
    int column = printf("%-22s", "--method");
    column += printf(ROW, "real", "tokens", "all", "one", "capacities", "delays", "turns", "free", "invoke");
    cli_text_after(stdout, column, "in full", TITLE, WIDTH);
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        column = print_method_name(method);
        column += printf(ROW, mark(method->units & EK_REAL), mark(method->units & EK_TOKENS),
                         mark(method->ports & EK_ALL_PORTS), mark(method->ports & EK_ONE_PORT),
                         mark(method->capacities), mark(method->delays), mark(method->turns), mark(method->async),
                         mark(!method->act || method->invoked));
        cli_text_after(stdout, column, method->title, TITLE, WIDTH);
    }
}

static void print_axis(const struct ek_axis *axis)
{
    printf("--%s\n", axis->option);
    for (size_t i = 0; ek_axis_choice(axis, i); i++) {
        print_entry(ek_axis_choice(axis, i)->form, ek_axis_choice(axis, i)->summary);
    }
}

// The options of these timings only, each followed by a comma and a space, but the last.
static void add_only(struct cli_line *line, unsigned timings)
{
    const char *between = "";
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (ek_axis_at(i)->timings == timings) {
            cli_line_add(line, "%s--%s", between, ek_axis_at(i)->option);
            between = ", ";
        }
    }
}

// What goes with what, in words.
static void print_support(void)
{
    struct cli_line line = {0};
    cli_line_add(
        &line,
        "Any value goes with any other, but for the methods' columns above: the units and ports, capacities "
        "weighed by the method itself, delays in rounds, turns, free timing, and in rounds invocations other "
        "than always. Every method for real loads takes capacities with --weighting target. Turns go with "
        "--ports all, --invoke always and --capacity homo. Where links fail in rounds and turns, methods go on that "
        "compare two loads and keep nothing. dde, twa and ded settle their transfers "
        "beforehand: no --link-limit, and no --work by --clock step. Tokens are implied where real is not. "
        "For free timing alone: ");
    add_only(&line, EK_IN_FREE);
    cli_line_add(&line, "; for the others alone: ");
    add_only(&line, EK_IN_ROUNDS | EK_IN_TURNS);
    cli_line_add(&line, ".");
    cli_text_wrap(stdout, line.of, 0, WIDTH);
}

enum ek_status cli_list(const struct cli_options *options, const char *typed)
{
    if (options->experiment.keep_links) {
        return cli_links(options, typed);
    }
    if (cli_options_differ(options, "topology") || cli_options_differ(options, "format")) {
        struct ek_error error;
        cli_refuse(&error, "", -1, "list prints what there is as a table; the links of a topology with --links");
        return cli_complain(&error, NULL);
    }
    for (size_t i = 0; ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        if (strcmp(axis->option, "method") == 0) {
            print_methods();
        } else if (ek_axis_choice(axis, 0)) {
            print_axis(axis);
        } else {
            continue;
        }
        putchar('\n');
    }
    print_support();
    puts("evenkeel explain METHOD says more about a method.");
    return EK_OK;
}
