// SPDX-License-Identifier: MIT
// `evenkeel list`: the values of every axis, from the library's registries, and what supports what.
#include <stdio.h>

#include "cli/commands.h"
#include "cli/text.h"

enum { INDENT = 24 };

static void print_entry(const char *form, const char *summary)
{
    int width = (int)ek_text_width(form);
    printf("  %s%*s", form, width < INDENT - 3 ? INDENT - 2 - width : 1, "");
    ek_text_wrap(stdout, summary, INDENT, 96);
}

static void print_methods(void)
{
    static const char *const links[] = {
        [EK_LINKS_ALL] = "all at once",
        [EK_LINKS_COLOUR] = "colour by colour",
        [EK_LINKS_MATCHING] = "a random matching",
        [EK_LINKS_CHOSEN] = "its own choice",
    };
    printf("--method  %-12s real  tokens  one port  all ports  links in a step\n", "");
    for (size_t i = 0; ek_method_at(i); i++) {
        const struct ek_method *method = ek_method_at(i);
        char form[64];
        snprintf(form, sizeof form, "%.40s%s%.20s", method->name, method->parameter ? ":" : "",
                 method->parameter ? method->parameter : "");
        printf("  %-20s %-5s %-7s %-9s %-10s %-18s %s\n", form, method->units & EK_REAL ? "yes" : "-",
               method->units & EK_TOKENS ? "yes" : "-", method->ports & EK_ONE_PORT ? "yes" : "-",
               method->ports & EK_ALL_PORTS ? "yes" : "-", links[method->links], method->title);
    }
}

enum ek_status ek_command_list(const struct ek_options *options, const char *typed)
{
    static const char *const axes[] = {"load", "stop", "carrier", "mailbox", "barrier"};
    (void)options;
    (void)typed;
    puts("--topology");
    for (size_t i = 0; ek_family_at(i); i++) {
        print_entry(ek_family_at(i)->form, ek_family_at(i)->summary);
    }
    putchar('\n');
    print_methods();
    for (size_t a = 0; a < sizeof axes / sizeof *axes; a++) {
        const char *form;
        const char *summary;
        printf("\n--%s\n", axes[a]);
        for (size_t i = 0; ek_choice_at(axes[a], i, &form, &summary); i++) {
            print_entry(form, summary);
        }
    }
    puts("\nAny value goes with any other, but for the methods' columns above.");
    puts("evenkeel explain METHOD says more about a method.");
    return EK_OK;
}
