// SPDX-License-Identifier: MIT
// Prints a method's page from its row in the registry.
#include <stdio.h>

#include "cli/line/lookup.h"
#include "core/method.h"

enum { INDENT = 14 };

struct cli_text cli_method_form(const struct ek_method *method)
{
    struct cli_text form;
    const char *parameter = method->texts->parameter ? method->texts->parameter : "";
    snprintf(form.of, sizeof form.of, "%.39s%s%.39s", method->name, *parameter && *parameter != '(' ? ":" : "",
             parameter);
    return form;
}

static bool runs_free(const struct ek_method *method)
{
    return method->free || method->letters;
}

static void print_support(const struct ek_method *method)
{
    cli_text_labelled(stdout, "units", INDENT,
                      method->letters                                   ? "tasks only"
                      : method->supports.units == (EK_REAL | EK_TOKENS) ? "real and tokens"
                      : method->supports.units & EK_REAL                ? "real only"
                                                                        : "tokens only");
    cli_text_labelled(stdout, "ports", INDENT,
                      method->supports.ports == (EK_ONE_PORT | EK_ALL_PORTS) ? "one and all"
                      : method->supports.ports & EK_ONE_PORT                 ? "one only"
                                                                             : "all only");
    cli_text_labelled(stdout, "capacities", INDENT,
                      method->supports.capacities        ? "yes: the method balances load divided by capacity"
                      : method->supports.units & EK_REAL ? "with --weighting target"
                                                         : "equal only");
    cli_text_labelled(stdout, "delays", INDENT,
                      method->supports.delays ? "yes"
                      : runs_free(method)     ? "in free timing only"
                                              : "none only");
    cli_text_labelled(stdout, "timing", INDENT,
                      method->supports.turns && runs_free(method) ? "rounds, turns and free"
                      : method->supports.turns                    ? "rounds and turns"
                      : runs_free(method)                         ? "rounds and free"
                                                                  : "rounds only");
    cli_text_labelled(stdout, "invoked by", INDENT,
                      !method->rounds->act || method->rounds->reads_invokes ? "all processors, or those of --invoke"
                      : method->free ? "all processors at once; in free timing those of --invoke"
                                     : "all processors at once");
}

static void print_steps(const struct ek_method *method)
{
    static const char *const steps[] = {
        [EK_LINKS_ALL] = "An operation is one step over all links.",
        [EK_LINKS_COLOUR] =
            "An operation is a step for each colour of the links, one after the other, with either kind of ports.",
        [EK_LINKS_MATCHING] = "An operation is one step over a random maximal matching of the links.",
        [EK_LINKS_CHOSEN] = "The method chooses the links of each step.",
        [EK_LINKS_SCHEDULED] = NULL, // the method's own text explains the steps
    };
    static const char by_colour[] =
        "An operation is one step over all links; with one port a step for each colour of the links.";
    bool one_port = method->links == EK_LINKS_ALL && (method->supports.ports & EK_ONE_PORT);
    cli_text_labelled(stdout, "steps", INDENT,
                      method->texts->steps ? method->texts->steps
                      : one_port           ? by_colour
                                           : steps[method->links]);
}

void cli_method_explain(const struct ek_method *method)
{
    printf("%s: %s\n\n", cli_method_form(method).of, method->texts->title);
    cli_text_labelled(stdout, "equation", INDENT, method->texts->equation);
    cli_text_labelled(stdout, "parameter", INDENT, method->texts->optimum);
    print_steps(method);
    print_support(method);
    cli_text_labelled(stdout, "assumes", INDENT, method->texts->assumes);
    cli_text_labelled(stdout, "source", INDENT, method->texts->source);
    cli_text_labelled(stdout, "findings", INDENT, method->texts->findings);
}
