// SPDX-License-Identifier: MIT
// The methods' registry and the parameters in their specs.
#include <criterion/criterion.h>
#include <string.h>

#include "core/axes/load.h"
#include "core/axes/stop.h"
#include "core/method.h"
#include "core/parameter.h"

Test(parameter, is_read_with_its_place_in_the_whole_spec)
{
    double value = 0;
    struct ek_error error;
    cr_assert(core_parameter_read(&"gde:0.72"[4], 4, "its lambda", 0, 1, "gde:0.72", &value, &error) && value == 0.72);
    cr_assert_not(core_parameter_read(&"gde:0.7x"[4], 4, "its lambda", 0, 1, "gde:0.72", &value, &error));
    cr_assert(error.at == 7 && strcmp(error.axis, "method") == 0, "at %d", error.at);
    cr_assert_not(core_parameter_read(&"gde:1.5"[4], 4, "its lambda", 0, 1, "gde:0.72", &value, &error));
    cr_assert_eq(error.at, 4);
    cr_assert_not(core_parameter_read(NULL, 3, "its lambda", 0, 1, "gde:0.72", &value, &error));
    cr_assert(error.at == 3 && strstr(error.sentence, "gde:0.72"));
    cr_assert(core_parameter_none(NULL, 3, &error));
    cr_assert_not(core_parameter_none("1", 4, &error));
    cr_assert_eq(error.at, 4);
}

// Every built-in method has all texts and functions that it needs.
Test(registry, built_in_methods_are_complete)
{
    const struct ek_method *method;
    size_t count = 0;
    for (; (method = ek_method_at(count)) != NULL; count++) {
        cr_assert(ek_method_find(method->name) == method);
        cr_assert(method->texts->title && method->texts->equation && method->texts->optimum && method->texts->assumes &&
                  method->texts->source);
        cr_assert(method->prepare &&
                  (method->rounds->act || !(method->supports.units & EK_REAL) || method->rule->flow));
        cr_assert(method->rounds->act || !(method->supports.units & EK_TOKENS) || method->rule->flow_tokens);
        cr_assert(method->supports.units & (EK_REAL | EK_TOKENS));
        cr_assert(method->supports.ports & EK_ALL_PORTS);
        cr_assert((method->links == EK_LINKS_SCHEDULED) == (method->rounds->next != NULL), "%s", method->name);
    }
    cr_assert_geq(count, 24);
    cr_assert_null(ek_method_find("nobody"));
}

// A method that needs all links to find its parameter does not say that it needs its own only.
Test(registry, methods_that_need_their_own_links)
{
    const struct ek_method *diffusion = ek_method_find("diffusion");
    cr_assert(diffusion->variant(":0.2")->supports.own_rows && diffusion->variant("")->supports.own_rows);
    cr_assert_not(diffusion->variant(":best")->supports.own_rows);
    cr_assert_not(diffusion->variant("(best)")->supports.own_rows);
    cr_assert_not(diffusion->variant(":file:weights")->supports.own_rows);
    cr_assert(ek_method_find("adf")->supports.own_rows && !ek_method_find("odf")->supports.own_rows);
}

Test(registry, choices_are_listed)
{
    cr_assert_str_eq(core_load_choice(0)->form, "uniform:LOW:HIGH");
    cr_assert_str_eq(core_stop_choice(0)->form, "variance:V");
    cr_assert(!core_load_choice(100) && !core_stop_choice(100));
}
