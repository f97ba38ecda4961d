// SPDX-License-Identifier: MIT
// Reading specs and files of numbers: what is accepted, and where each error points.
#include <criterion/criterion.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/lines.h"

static const char *known(size_t index)
{
    static const char *const names[] = {"torus", "ring", "hypercube", "chain"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

static void expect_error(const struct ek_error *error, int at, const char *part)
{
    cr_assert_eq(error->status, EK_BAD_INPUT);
    cr_assert_str_eq(error->axis, "load");
    cr_assert_eq(error->at, at, "at %d, not %d: %s", error->at, at, error->sentence);
    cr_assert(strstr(error->sentence, part), "%s", error->sentence);
}

Test(cursor, fail_fills_the_error)
{
    struct ek_error error;
    cr_assert_not(base_fail(&error, EK_STUCK, "an axis that is too long", "%d of %s", 3, "four"));
    cr_assert_eq(error.status, EK_STUCK);
    cr_assert_eq(error.at, -1);
    cr_assert_str_eq(error.sentence, "3 of four");
    cr_assert_eq(strlen(error.axis), sizeof error.axis - 1);
    char text[2000];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    base_fail(&error, EK_BAD_INPUT, "", "%s", text);
    cr_assert_eq(strlen(error.sentence), sizeof error.sentence - 1);
}

// An excerpt has whole characters. The wrong one is at excerpt_at.
Test(cursor, excerpt_shows_the_wrong_character)
{
    struct ek_error error;
    cr_assert_not(base_fail_at(&error, "load", 5, "wrong"));
    cr_assert(error.status == EK_BAD_INPUT && error.at == 5 && strcmp(error.excerpt, "") == 0);
    base_error_show(&error, "peak:x");
    cr_assert_str_eq(error.excerpt, "peak:x");
    cr_assert_eq(error.excerpt_at, 5);
    base_error_show(&error, NULL);
    cr_assert_str_eq(error.excerpt, "");
    base_error_show(&error, "peak"); // the place is beyond this text
    cr_assert_str_eq(error.excerpt, "");

    base_fail_at(&error, "load", BASE_NOWHERE, "wrong");
    base_error_show(&error, "peak:x");
    cr_assert(error.at == -1 && strcmp(error.excerpt, "") == 0);

    char text[400];
    for (size_t i = 0; i < sizeof text; i += 2) {
        memcpy(text + i, "\xC3\xA9", 2);
    }
    text[sizeof text - 2] = '\0';
    for (size_t at = 0; at < sizeof text - 2; at += 2) {
        base_fail_at(&error, "load", at, "wrong");
        base_error_show(&error, text);
        size_t length = strlen(error.excerpt);
        cr_assert(length >= 60 && length <= 108, "%zu", length);
        cr_assert((size_t)error.excerpt_at < length && strncmp(error.excerpt + error.excerpt_at, "\xC3\xA9", 2) == 0);
        cr_assert_eq(strncmp(error.excerpt, "...", 3) == 0, at > 60);
        cr_assert_eq(strcmp(error.excerpt + length - 3, "...") == 0, at - (at > 60 ? 60 : at) + 100 < strlen(text),
                     "%zu", at);
    }
}

Test(cursor, walks_over_a_spec)
{
    struct ek_error error = {0};
    struct base_cursor cursor = base_cursor_start("load", "k-ary:4^3", &error);
    char name[8];
    uint64_t number;
    cr_assert(base_cursor_name(&cursor, name, sizeof name));
    cr_assert_str_eq(name, "k-ary");
    cr_assert_not(base_cursor_name(&cursor, name, sizeof name));
    cr_assert_str_eq(name, "");
    cr_assert(base_cursor_expect(&cursor, ':', "the name"));
    cr_assert(base_cursor_whole(&cursor, "a side", 0, 10, &number));
    cr_assert_eq(number, 4);
    cr_assert_not(base_cursor_accept(&cursor, 'x'));
    cr_assert(base_cursor_accept(&cursor, '^'));
    cr_assert_eq(base_cursor_peek(&cursor), '3');
    cr_assert_not(base_cursor_end(&cursor));
    expect_error(&error, 8, "'3' cannot follow 'k-ary:4^': expected the end");
    cr_assert_not(base_cursor_expect(&cursor, ':', "the side"));
    expect_error(&error, 8, "write ':' after the side");
    cursor.at++;
    cr_assert(base_cursor_end(&cursor));
    cr_assert_not(base_cursor_accept(&cursor, 'x'));
    cr_assert_eq(cursor.at, 9);
}

Test(cursor, cuts_names_that_do_not_fit)
{
    struct ek_error error;
    struct base_cursor cursor = base_cursor_start("load", "abcdefgh:1", &error);
    char name[4];
    cr_assert(base_cursor_name(&cursor, name, sizeof name));
    cr_assert_str_eq(name, "abc");
    cr_assert_eq(cursor.at, 8);
}

Test(cursor, whole_numbers)
{
    static const struct {
        const char *text;
        uint64_t minimum, maximum;
        bool good;
        uint64_t value;
    } cases[] = {
        {"0", 0, 9, true, 0},
        {"007", 0, 9, true, 7},
        {"18446744073709551615", 0, UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", 0, UINT64_MAX, false, 0},
        {"99999999999999999999999999", 0, UINT64_MAX, false, 0},
        {"36893488147419103232", 0, UINT64_MAX, false, 0}, // 2^65, which wraps to 0
        {"10", 0, 9, false, 0},
        {"0", 1, 9, false, 0},
        {"", 0, 9, false, 0},
        {"-1", 0, 9, false, 0},
        {"+1", 0, 9, false, 0},
        {" 1", 0, 9, false, 0},
        {"x", 0, 9, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        char text[64];
        snprintf(text, sizeof text, "ab%s", cases[i].text);
        struct base_cursor cursor = base_cursor_start("load", text, &error);
        cursor.at = 2;
        uint64_t value = 77;
        bool good = base_cursor_whole(&cursor, "it", cases[i].minimum, cases[i].maximum, &value);
        cr_assert_eq(good, cases[i].good, "%s", text);
        cr_assert_eq(value, good ? cases[i].value : 77, "%s", text);
        if (!good) {
            expect_error(&error, 2, "it must be a whole number from");
        } else {
            cr_assert_eq(cursor.at, strlen(text));
        }
    }
}

Test(cursor, real_numbers)
{
    static const struct {
        const char *text;
        bool good;
        double value;
        size_t length;
    } cases[] = {
        {"0", true, 0.0, 1},           {"0.72", true, 0.72, 4},    {".5", true, 0.5, 2},    {"5.", true, 5.0, 2},
        {"1e3", true, 1000.0, 3},      {"1.5E-2", true, 0.015, 6}, {"-2.5", true, -2.5, 4}, {"+2", true, 2.0, 2},
        {"1e", true, 1.0, 1},          {"1.2.3", true, 1.2, 3},    {"1:2", true, 1.0, 1},   {"nan", false, 0, 0},
        {"inf", false, 0, 0},          {"-infinity", false, 0, 0}, {"0x10", false, 0, 0},   {"1e999", false, 0, 0},
        {"-1e999", false, 0, 0},       {"", false, 0, 0},          {".", false, 0, 0},      {"-", false, 0, 0},
        {"e5", false, 0, 0},           {" 1", false, 0, 0},        {"10001", false, 0, 0},  {"-10001", false, 0, 0},
        {"1e+3", true, 1000.0, 4},     {"1e+", true, 1.0, 1},      {"1e-", true, 1.0, 1},   {"10000", true, 10000.0, 5},
        {"-10000", true, -10000.0, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        struct base_cursor cursor = base_cursor_start("load", cases[i].text, &error);
        double value = 77.0;
        bool good = base_cursor_real(&cursor, "it", -10000.0, 10000.0, &value);
        cr_assert_eq(good, cases[i].good, "'%s'", cases[i].text);
        if (good) {
            cr_assert(value >= cases[i].value && value <= cases[i].value, "'%s'", cases[i].text);
            cr_assert_eq(cursor.at, cases[i].length, "'%s'", cases[i].text);
        } else {
            expect_error(&error, 0, "it must be ");
        }
    }
}

Test(cursor, real_numbers_without_a_largest)
{
    struct ek_error error = {0};
    struct base_cursor cursor = base_cursor_start("load", "-1", &error);
    double value;
    cr_assert_not(base_cursor_real(&cursor, "it", 0.0, DBL_MAX, &value));
    expect_error(&error, 0, "it must be finite and at least 0");
}

Test(cursor, suggests_the_nearest_name)
{
    static const struct {
        const char *name;
        const char *part;
    } cases[] = {
        {"torsu", "did you mean torus?"},
        {"rnig", "did you mean ring?"},
        {"hypercub", "did you mean hypercube?"},
        {"TORUS", "did you mean torus?"},
        {"rign", "did you mean ring?"},
        {"quartz", "choose one of torus, ring, hypercube, chain"},
        {"x", "choose one of torus, ring"},
        {"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "choose one of"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        struct base_cursor cursor = base_cursor_start("load", "whatever", &error);
        cr_assert_not(base_cursor_unknown(&cursor, 3, "load", cases[i].name, known));
        expect_error(&error, 3, cases[i].part);
    }
}

static struct base_lines lines_of(const char *text)
{
    return (struct base_lines){.path = "f.txt", .text = text, .length = strlen(text)};
}

Test(lines, skips_what_holds_nothing)
{
    struct base_lines lines = lines_of("# head\n\n  1 # one\r\n\t\n2\t \r3\n   # end\n4");
    static const struct {
        const char *text;
        unsigned line;
    } expected[] = {{"1", 3}, {"2", 5}, {"3", 6}, {"4", 8}};
    struct ek_error error = {0};
    char line[16];
    for (size_t i = 0; i < 4; i++) {
        cr_assert(base_lines_next(&lines, line, sizeof line, &error));
        cr_assert_str_eq(line, expected[i].text);
        cr_assert_eq(lines.line, expected[i].line);
    }
    cr_assert_not(base_lines_next(&lines, line, sizeof line, &error));
    cr_assert_eq(error.status, EK_OK);
    cr_assert_not(base_lines_next(&lines, line, sizeof line, &error));
}

Test(cursor, says_what_could_have_stood_at_the_end)
{
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {"8X8", "'X' cannot follow '8': expected a digit, 'x', '@' or the end"},
        {"8x", "'x' cannot follow '8': expected a digit, '@' or the end"},
        {"8\xC3\x9F", "'\xC3\x9F' cannot follow '8': expected a digit, 'x', '@' or the end"},
        {"8\n", "'?' cannot follow '8': expected a digit, 'x', '@' or the end"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ek_error error = {0};
        struct base_cursor cursor = base_cursor_start("load", cases[i].text, &error);
        uint64_t number;
        cr_assert(base_cursor_whole(&cursor, "it", 0, 10, &number));
        cr_assert_not(i != 1 && base_cursor_accept(&cursor, 'x'));
        cr_assert_not(base_cursor_accept(&cursor, '@'));
        cr_assert_not(base_cursor_accept(&cursor, '@'));
        cr_assert_not(base_cursor_accept(&cursor, ' '));
        cr_assert_not(base_cursor_end(&cursor));
        expect_error(&error, 1, cases[i].sentence);
    }
}

Test(lines, skip_a_byte_order_mark)
{
    struct base_lines lines = lines_of("\xEF\xBB\xBF 1\n\xEF\xBB\xBF\n");
    struct ek_error error = {0};
    char line[8];
    cr_assert(base_lines_next(&lines, line, sizeof line, &error));
    cr_assert_str_eq(line, "1");
    cr_assert(base_lines_next(&lines, line, sizeof line, &error));
    cr_assert_str_eq(line, "\xEF\xBB\xBF");
}

Test(lines, of_nothing)
{
    static const char *const texts[] = {"", "\n", "#", "\r\n\r\n", " \t "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct base_lines lines = lines_of(texts[i]);
        struct ek_error error = {0};
        char line[8];
        cr_assert_not(base_lines_next(&lines, line, sizeof line, &error));
        cr_assert_eq(error.status, EK_OK);
    }
}

Test(lines, refuses_binary_text_and_long_lines)
{
    struct ek_error error = {0};
    char line[8];
    struct base_lines binary = {.path = "f.txt", .text = "1\n2\0003\n", .length = 6};
    cr_assert(base_lines_next(&binary, line, sizeof line, &error));
    cr_assert_not(base_lines_next(&binary, line, sizeof line, &error));
    cr_assert_eq(error.status, EK_BAD_INPUT);
    cr_assert(strstr(error.sentence, "f.txt:2: "), "%s", error.sentence);
    struct base_lines fits = lines_of("1234567 # and a comment of any length\n12345678\n");
    error.status = EK_OK;
    cr_assert(base_lines_next(&fits, line, sizeof line, &error));
    cr_assert_str_eq(line, "1234567");
    cr_assert_not(base_lines_next(&fits, line, sizeof line, &error));
    cr_assert(strstr(error.sentence, "f.txt:2: the line is longer than 7 characters"), "%s", error.sentence);
}

static const char *short_names(size_t index)
{
    static const char *const names[] = {"ade", "torus", "spread"};
    return index < 3 ? names[index] : NULL;
}

Test(cursor, the_nearest_name)
{
    static const char *const cases[][2] = {{"dae", "ade"},     {"aed", "ade"},     {"ad", "ade"},       {"adee", "ade"},
                                           {"otrus", "torus"}, {"TORUS", "torus"}, {"spraed", "spread"}};
    static const char *const far[] = {"x", "hypercube", "", "dda", "sur"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = ek_nearest(cases[i][0], short_names);
        cr_expect(near && strcmp(near, cases[i][1]) == 0, "%s: %s", cases[i][0], near ? near : "none");
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        const char *near = ek_nearest(far[i], short_names);
        cr_expect_null(near, "%s: %s", far[i], near);
    }
}
