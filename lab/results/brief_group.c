// SPDX-License-Identifier: MIT
#include "lab/results/brief_group.h"

#include <string.h>

// Reads the one number that a query selects from the runs of the question.
static bool count(struct lab_store *store, const struct lab_question *question, const char *before, const char *after,
                  int64_t *number, struct ek_error *error)
{
    struct lab_query query;
    bool good = lab_query_open(&query, store, error) && fputs(before, query.out) >= 0 &&
                lab_query_where(&query, question->where, question->among, error) && fputs(after, query.out) >= 0;
    sqlite3_stmt *statement = good ? lab_query_prepare(&query, error) : NULL;
    good = statement && (sqlite3_step(statement) == SQLITE_ROW || lab_store_fail(store, error));
    *number = good ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    lab_query_close(&query);
    return good;
}

// Counts the commands that name this axis.
static bool count_named(struct lab_store *store, const struct lab_question *question, const struct ek_axis *axis,
                        int64_t *named, struct ek_error *error)
{
    char before[200];
    snprintf(before, sizeof before, "SELECT count(instr(command || ' ', ' --%s ') > 0 OR NULL) FROM runs",
             axis->option);
    return count(store, question, before, "", named, error);
}

// Counts the lines that a list of axes makes.
static bool count_lines(struct lab_store *store, const struct lab_question *question, const char *list, int64_t *lines,
                        struct ek_error *error)
{
    char before[LAB_RESULTS_LIST + 100];
    snprintf(before, sizeof before, "SELECT count(*) FROM (SELECT DISTINCT %s FROM runs", *list ? list : "1");
    return count(store, question, before, ")", lines, error);
}

// Writes the axes of a list that `keeps` marks, by their index.
static void write_list(const bool keeps[EK_AXES_MAX], char list[LAB_RESULTS_LIST])
{
    size_t length = 0;
    list[0] = '\0';
    for (size_t i = 0; ek_axis_at(i); i++) {
        if (keeps[i] && length < LAB_RESULTS_LIST) {
            length += (size_t)snprintf(list + length, LAB_RESULTS_LIST - length, "%s%s", length > 0 ? "," : "",
                                       ek_axis_at(i)->field);
        }
    }
}

bool lab_results_brief(struct lab_store *store, const struct lab_question *question, char group[LAB_RESULTS_LIST],
                       struct ek_error *error)
{
    bool keeps[EK_AXES_MAX] = {false};
    char list[LAB_RESULTS_LIST];
    int64_t all, lines;
    bool good = count_lines(store, question, group, &all, error);
    for (size_t i = 0; good && ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        int64_t named = 0;
        bool varies = axis->field && lab_results_list_has(group, axis->field);
        good = !varies || count_named(store, question, axis, &named, error);
        keeps[i] = named > 0;
    }
    write_list(keeps, list);
    good = good && count_lines(store, question, list, &lines, error);
    for (size_t i = 0; good && lines < all && ek_axis_at(i); i++) {
        const struct ek_axis *axis = ek_axis_at(i);
        int64_t before = lines;
        if (keeps[i] || !axis->field || !lab_results_list_has(group, axis->field)) {
            continue;
        }
        keeps[i] = true;
        write_list(keeps, list);
        good = count_lines(store, question, list, &lines, error);
        keeps[i] = lines > before;
        write_list(keeps, list);
    }
    if (good) {
        memcpy(group, list, sizeof list);
    }
    return good;
}
