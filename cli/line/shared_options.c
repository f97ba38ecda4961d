// SPDX-License-Identifier: MIT
#include "cli/line/shared_options.h"

const struct ek_choice cli_formats[] = {[CLI_TABLE] = {"table", "for people"},
                                        [CLI_JSON] = {"json", "one object (docs/report.md)"},
                                        [CLI_CSV] = {"csv", "comma-separated values, with a line of names"},
                                        {0}};

const struct ek_choice cli_formats_without_csv[] = {
    [CLI_TABLE] = {"table", "for people"}, [CLI_JSON] = {"json", "one object (docs/report.md)"}, {0}};
