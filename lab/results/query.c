// SPDX-License-Identifier: MIT
#include "lab/results/query.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/results/query_names.h"
#include "lab/text/compare_naturally.h"

enum { NESTING_MAX = 50 }; // of parentheses, which are read recursively

struct lab_query_column {
    char name[LAB_QUERY_NAME];
    bool text;
};

enum value_kind { VALUE_TEXT, VALUE_WHOLE, VALUE_REAL };

struct lab_query_value {
    enum value_kind kind;
    char *text;
    int64_t whole;
    double real;
};

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the question: choose fewer columns");
}

static bool read_columns(struct lab_query *query, struct ek_error *error)
{
    sqlite3_stmt *statement = NULL;
    int got = sqlite3_prepare_v2(lab_store_sql(query->store),
                                 "SELECT name, type = 'TEXT' FROM pragma_table_info('runs')", -1, &statement, NULL);
    while (got == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
        struct lab_query_column *columns = realloc(query->columns, (query->columns_count + 1) * sizeof *query->columns);
        if (!columns) {
            got = SQLITE_NOMEM;
            break;
        }
        query->columns = columns;
        struct lab_query_column *column = &columns[query->columns_count++];
        snprintf(column->name, sizeof column->name, "%s", (const char *)sqlite3_column_text(statement, 0));
        column->text = sqlite3_column_int(statement, 1) != 0;
    }
    bool good = got == SQLITE_OK && sqlite3_reset(statement) == SQLITE_OK;
    sqlite3_finalize(statement);
    return good || (got == SQLITE_NOMEM ? no_memory(error) : lab_store_fail(query->store, error));
}

static int collate(void *context, int length_a, const void *text_a, int length_b, const void *text_b)
{
    (void)context;
    return lab_compare_naturally(text_a, (size_t)length_a, text_b, (size_t)length_b);
}

bool lab_query_open(struct lab_query *query, struct lab_store *store, struct ek_error *error)
{
    *query = (struct lab_query){.store = store};
    query->values = calloc(LAB_QUERY_VALUES_MAX, sizeof *query->values);
    if (!lab_stream_begin(&query->sql) || !query->values) {
        return no_memory(error);
    }
    query->out = query->sql.out;
    return (sqlite3_create_collation(lab_store_sql(store), "naturally", SQLITE_UTF8, NULL, collate) == SQLITE_OK ||
            lab_store_fail(store, error)) &&
           read_columns(query, error);
}

void lab_query_close(struct lab_query *query)
{
    for (size_t i = 0; i < query->values_count; i++) {
        free(query->values[i].text);
    }
    free(lab_stream_end(&query->sql));
    free(query->values);
    free(query->columns);
    *query = (struct lab_query){0};
}

const char *lab_query_column(const struct lab_query *query, size_t index)
{
    return index < query->columns_count ? query->columns[index].name : NULL;
}

bool lab_query_is_text(const struct lab_query *query, size_t index)
{
    return query->columns[index].text;
}

// Writes SQL. lab_query_prepare reports a lack of memory.
static bool put(struct lab_query *query, const char *sql)
{
    fputs(sql, query->out);
    return true;
}

// A text being read.
struct reader {
    struct lab_query *query;
    const char *option, *text;
    size_t at;
    int nesting;
    struct ek_error *error;
};

static bool refuse(const struct reader *reader, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refuse(const struct reader *reader, size_t at, const char *format, ...)
{
    *reader->error = (struct ek_error){.status = EK_BAD_INPUT, .at = (int)at};
    snprintf(reader->error->axis, sizeof reader->error->axis, "%s", reader->option);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error->sentence, sizeof reader->error->sentence, format, arguments);
    va_end(arguments);
    return false;
}

static char next(struct reader *reader)
{
    while (isspace((unsigned char)reader->text[reader->at])) {
        reader->at++;
    }
    return reader->text[reader->at];
}

// Reads the word if it comes next. Returns whether it did.
static bool take_word(struct reader *reader, const char *word)
{
    next(reader);
    const char *here = reader->text + reader->at;
    if (!word || lab_query_name_length(here) != strlen(word) || strncmp(here, word, strlen(word)) != 0) {
        return false;
    }
    reader->at += strlen(word);
    return true;
}

// Writes a placeholder for a value. The query owns the value then, also on failure.
static bool write_value(struct reader *reader, struct lab_query_value value)
{
    struct lab_query *query = reader->query;
    if (query->values_count == LAB_QUERY_VALUES_MAX) {
        free(value.text);
        return refuse(reader, reader->at, "more than %d values are compared: choose fewer", LAB_QUERY_VALUES_MAX);
    }
    query->values[query->values_count++] = value;
    fprintf(query->out, "?%zu", query->values_count);
    return true;
}

// Returns the column whose name comes next, or NULL.
static const struct lab_query_column *find_column(struct reader *reader)
{
    next(reader);
    const char *here = reader->text + reader->at;
    for (size_t i = 0; i < reader->query->columns_count; i++) {
        const struct lab_query_column *column = &reader->query->columns[i];
        if (lab_query_name_length(here) == strlen(column->name) &&
            strncmp(column->name, here, strlen(column->name)) == 0) {
            return column;
        }
    }
    return NULL;
}

// Reads the name of a text column if it comes next. Returns the column, or NULL.
static const struct lab_query_column *take_text_column(struct reader *reader)
{
    const struct lab_query_column *column = find_column(reader);
    if (!column || !column->text) {
        return NULL;
    }
    reader->at += strlen(column->name);
    return column;
}

static const char *column_at(const void *query, size_t index)
{
    return lab_query_column(query, index);
}

static bool refuse_column(struct reader *reader)
{
    const struct base_names names = {.at = column_at, .list = reader->query};
    const char *here = reader->text + reader->at;
    char name[LAB_QUERY_NAME];
    const char *near = lab_query_near_column(names, here, name);
    if (!*name) {
        return refuse(reader, reader->at, "the name of a column or a number belongs here");
    }
    return near ? refuse(reader, reader->at, "there is no column '%.60s'; the nearest is '%s'", name, near)
                : refuse(reader, reader->at, "there is no column '%.60s': docs/store.md lists them", name);
}

// Reads a number. It stays an integer if it is written as one and fits, so seeds beyond 2^53 remain distinct.
static bool read_number(struct reader *reader)
{
    const char *here = reader->text + reader->at;
    char *end = NULL;
    struct lab_query_value value = {.kind = VALUE_REAL, .real = strtod(here, &end)};
    const size_t digits = strspn(here, "0123456789");
    if (here + digits == end && digits < 19) {
        value = (struct lab_query_value){.kind = VALUE_WHOLE, .whole = strtoll(here, NULL, 10)};
    }
    if (end == here || isalnum((unsigned char)*end) || *end == '_') {
        return refuse(reader, reader->at, "this is not a number");
    }
    reader->at += (size_t)(end - here);
    return write_value(reader, value);
}

static bool is_arithmetic(char letter)
{
    return letter && strchr("+-*/", letter);
}

// Reads a column or a number. A column in arithmetic is converted to a real, because SQL's division of integers drops
// the remainder.
static bool read_operand(struct reader *reader, bool first)
{
    const char letter = next(reader);
    if (isdigit((unsigned char)letter) || letter == '.') {
        return read_number(reader);
    }
    const struct lab_query_column *column = find_column(reader);
    if (!column) {
        return refuse_column(reader);
    }
    if (column->text) {
        return refuse(reader, reader->at, "%s is a text, and a number belongs here", column->name);
    }
    reader->at += strlen(column->name);
    const bool alone = first && !is_arithmetic(next(reader));
    fprintf(reader->query->out, alone ? "\"%s\"" : "CAST(\"%s\" AS REAL)", column->name);
    return true;
}

// Reads arithmetic. The operators are copied unchanged: they have the usual precedence in SQL.
static bool read_term(struct reader *reader)
{
    const bool minus = next(reader) == '-';
    if (minus) {
        reader->at++;
        fputs("-", reader->query->out);
    }
    if (!read_operand(reader, !minus)) {
        return false;
    }
    while (is_arithmetic(next(reader))) {
        fprintf(reader->query->out, " %c ", reader->text[reader->at++]);
        if (!read_operand(reader, false)) {
            return false;
        }
    }
    return true;
}

// Returns the length of a text without quotes. The text ends at a space or at the parenthesis that closes the
// condition; parentheses within the text, as in ded(fos), belong to it.
static size_t bare_length(const char *text)
{
    size_t length = 0;
    for (int open = 0; text[length] && !isspace((unsigned char)text[length]); length++) {
        open += text[length] == '(' ? 1 : text[length] == ')' ? -1 : 0;
        if (open < 0) {
            break;
        }
    }
    return length;
}

static bool read_text(struct reader *reader)
{
    const char quote = next(reader);
    const bool quoted = quote == '\'' || quote == '"';
    const char *from = reader->text + reader->at + (quoted ? 1 : 0);
    const char *end = quoted ? strchr(from, quote) : from + bare_length(from);
    if (!end || (!quoted && end == from)) {
        return refuse(reader, reader->at, quoted ? "this quote is not closed" : "a text belongs here");
    }
    char *copy = strndup(from, (size_t)(end - from));
    if (!copy) {
        return no_memory(reader->error);
    }
    reader->at = (size_t)(end - reader->text) + (quoted ? 1 : 0);
    return write_value(reader, (struct lab_query_value){.kind = VALUE_TEXT, .text = copy});
}

// Reads a comparison sign. Returns NULL with an error if there is none.
static const char *take_sign(struct reader *reader, bool of_texts)
{
    static const char *const signs[] = {"!=", "<=", ">=", "<", ">", "=", "~"};
    next(reader);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (strncmp(reader->text + reader->at, signs[i], strlen(signs[i])) == 0 && (of_texts || *signs[i] != '~')) {
            reader->at += strlen(signs[i]);
            return signs[i];
        }
    }
    refuse(reader, reader->at, "%s belongs here",
           of_texts ? "=, !=, <, <=, >, >= or ~ (contains)" : "=, !=, <, <=, > or >=");
    return NULL;
}

// Refuses the value just read if evenkeel does not know its name and no run in the store has it.
static bool check_value(struct reader *reader, const struct lab_query_column *column, size_t at)
{
    const char *value = reader->query->values[reader->query->values_count - 1].text;
    char near[LAB_QUERY_NAME];
    if (lab_query_knows(reader->query->store, column->name, value, near)) {
        return true;
    }
    return *near ? refuse(reader, at, "%s has no value '%.60s'; the nearest is '%s'", column->name, value, near)
                 : refuse(reader, at, "%s has no value '%.60s', and no run of the store has it", column->name, value);
}

static bool compare_text(struct reader *reader, const struct lab_query_column *column)
{
    const char *sign = take_sign(reader, true);
    if (!sign) {
        return false;
    }
    fprintf(reader->query->out, *sign == '~' ? "instr(\"%s\", " : "\"%s\" %s (", column->name, sign);
    next(reader);
    const size_t at = reader->at;
    return read_text(reader) && ((*sign != '=' && *sign != '!') || check_value(reader, column, at)) &&
           put(reader->query, ")");
}

// Reads the rest of a comparison of numbers. true and false are stored as 1 and 0.
static bool compare_numbers(struct reader *reader)
{
    const char *sign = read_term(reader) ? take_sign(reader, false) : NULL;
    if (!sign) {
        return false;
    }
    fprintf(reader->query->out, " %s ", sign);
    const bool is_true = take_word(reader, "true");
    if (is_true || take_word(reader, "false")) {
        return write_value(reader, (struct lab_query_value){.kind = VALUE_WHOLE, .whole = is_true});
    }
    return read_term(reader);
}

// Reads a comparison. A value that was not measured is NULL, and SQL's comparison with NULL is NULL. It counts as false
// here, so that NOT makes it true.
static bool read_comparison(struct reader *reader)
{
    fputs("ifnull(", reader->query->out);
    const struct lab_query_column *text = take_text_column(reader);
    return (text ? compare_text(reader, text) : compare_numbers(reader)) && put(reader->query, ", 0)");
}

static bool read_any(struct reader *reader);

static bool read_one(struct reader *reader)
{
    if (reader->nesting == NESTING_MAX) {
        return refuse(reader, reader->at, "this is nested more than %d deep: write it flatter", NESTING_MAX);
    }
    reader->nesting++;
    bool good;
    if (take_word(reader, "not")) {
        fputs("NOT ", reader->query->out);
        good = read_one(reader);
    } else if (next(reader) == '(') {
        reader->at++;
        good = read_any(reader) && (next(reader) == ')' || refuse(reader, reader->at, "a ')' belongs here"));
        reader->at += good ? 1 : 0;
    } else {
        good = read_comparison(reader);
    }
    reader->nesting--;
    return good;
}

static bool read_all(struct reader *reader)
{
    bool good = read_one(reader);
    while (good && take_word(reader, "and")) {
        fputs(" AND ", reader->query->out);
        good = read_one(reader);
    }
    return good;
}

static bool read_any(struct reader *reader)
{
    fputs("(", reader->query->out);
    bool good = read_all(reader);
    while (good && take_word(reader, "or")) {
        fputs(" OR ", reader->query->out);
        good = read_all(reader);
    }
    return good && put(reader->query, ")");
}

bool lab_query_condition(struct lab_query *query, const char *option, const char *text, const char *until, size_t *at,
                         struct ek_error *error)
{
    struct reader reader = {.query = query, .option = option, .text = text, .at = *at, .error = error};
    if (!read_any(&reader)) {
        return false;
    }
    if (until ? !take_word(&reader, until) : next(&reader) != '\0') {
        return refuse(&reader, reader.at, "%s%s belongs here", until ? until : "and, or, or nothing more",
                      until ? ", and the other condition," : "");
    }
    *at = reader.at;
    return true;
}

bool lab_query_where(struct lab_query *query, const char *where, const char *among, struct ek_error *error)
{
    size_t at = 0;
    fprintf(query->out, " WHERE (%s) AND ", among ? among : "1");
    return where ? lab_query_condition(query, "where", where, NULL, &at, error) : put(query, "1");
}

// Copies the text of a term without its spaces.
static void copy_name(const struct reader *reader, size_t from, char name[LAB_QUERY_NAME])
{
    size_t length = 0;
    for (size_t i = from; i < reader->at && length < LAB_QUERY_NAME - 1; i++) {
        if (!isspace((unsigned char)reader->text[i])) {
            name[length++] = reader->text[i];
        }
    }
    name[length] = '\0';
}

bool lab_query_term(struct lab_query *query, const char *option, const char *list, size_t *at,
                    char name[LAB_QUERY_NAME], struct ek_error *error)
{
    struct reader reader = {.query = query, .option = option, .text = list, .at = *at, .error = error};
    const struct lab_query_column *text = take_text_column(&reader);
    if (text) {
        fprintf(query->out, "\"%s\"", text->name);
    } else if (!read_term(&reader)) {
        return false;
    }
    copy_name(&reader, *at, name);
    if (next(&reader) == ',') {
        reader.at++;
    } else if (next(&reader) != '\0') {
        return refuse(&reader, reader.at, "a comma belongs between two columns");
    }
    *at = reader.at;
    return true;
}

static bool bind(struct lab_query *query, sqlite3_stmt *statement)
{
    int got = SQLITE_OK;
    for (size_t i = 0; i < query->values_count && got == SQLITE_OK; i++) {
        const struct lab_query_value *value = &query->values[i];
        const int place = (int)i + 1;
        got = value->kind == VALUE_TEXT    ? sqlite3_bind_text(statement, place, value->text, -1, SQLITE_TRANSIENT)
              : value->kind == VALUE_WHOLE ? sqlite3_bind_int64(statement, place, value->whole)
                                           : sqlite3_bind_double(statement, place, value->real);
    }
    return got == SQLITE_OK;
}

sqlite3_stmt *lab_query_prepare(struct lab_query *query, struct ek_error *error)
{
    sqlite3_stmt *statement = NULL;
    if (fflush(query->out) != 0 || query->sql.lost) {
        no_memory(error);
        return NULL;
    }
    if (sqlite3_prepare_v2(lab_store_sql(query->store), query->sql.of, -1, &statement, NULL) != SQLITE_OK ||
        !bind(query, statement)) {
        lab_store_fail(query->store, error);
        sqlite3_finalize(statement);
        return NULL;
    }
    return statement;
}
