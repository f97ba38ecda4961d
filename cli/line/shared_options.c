// SPDX-License-Identifier: MIT
#include "cli/line/shared_options.h"

const struct ek_choice cli_formats[] = {[CLI_TABLE] = {"table", "for people"},
                                        [CLI_JSON] = {"json", "one object (docs/report.md)"},
                                        [CLI_CSV] = {"csv", "comma-separated values, with a line of names"},
                                        {0}};

const struct ek_choice cli_formats_without_csv[] = {
    [CLI_TABLE] = {"table", "for people"}, [CLI_JSON] = {"json", "one object (docs/report.md)"}, {0}};

const struct ek_choice cli_formats_to_paste[] = {
    [CLI_TABLE] = {"table", "for people"},
    [CLI_JSON] = {"json", "one object (docs/report.md)"},
    [CLI_CSV] = {"csv", "comma-separated values, with a line of names"},
    [CLI_MARKDOWN] = {"markdown", "a table for a README"},
    [CLI_LATEX] = {"latex", "a table for a paper, with the package booktabs"},
    {0}};

const struct ek_choice cli_legends[] = {[CLI_LEGEND_BELOW] = {"below", "below the drawing"},
                                        [CLI_LEGEND_INSIDE] = {"inside", "in the emptiest corner of the drawing"},
                                        [CLI_LEGEND_RIGHT] = {"right", "to the right of the drawing"},
                                        [CLI_LEGEND_NONE] = {"none", "no legend"},
                                        {0}};

const struct ek_choice cli_styles[] = {[CLI_STYLE_PAPER] = {"paper", "dark lines on white"},
                                       [CLI_STYLE_SLIDES] = {"slides", "the same, larger and thicker"},
                                       [CLI_STYLE_DARK] = {"dark", "light lines on black"},
                                       {0}};
