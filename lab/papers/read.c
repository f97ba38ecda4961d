// SPDX-License-Identifier: MIT
// Reads files of claims with inih.
//
//   [liquid]            a paper
//   [liquid-19]         a claim of the paper, and a check if the section expects something
//   [liquid-19 c5]      a further check of the claim, with its name
#include <ini.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "lab/papers/papers.h"
#include "lab/record/extract.h"

static bool no_memory(struct ek_error *error)
{
    return base_refuse(error, "there is no memory for the papers' claims");
}

// The name of a text in a section, and its member in the struct.
struct key {
    const char *name;
    size_t offset;
};

static const struct key paper_keys[] = {
    {"title", offsetof(struct lab_paper, title)}, {"model", offsetof(struct lab_paper, model)}, {NULL, 0}};

static const struct key claim_keys[] = {
    {"place", offsetof(struct lab_claim, place)},   {"kind", offsetof(struct lab_claim, kind)},
    {"claim", offsetof(struct lab_claim, claim)},   {"paper", offsetof(struct lab_claim, paper)},
    {"mended", offsetof(struct lab_claim, mended)}, {"open", offsetof(struct lab_claim, open)},
    {"remark", offsetof(struct lab_claim, remark)}, {NULL, 0}};

static const struct key check_keys[] = {{"as", offsetof(struct lab_check, as)},
                                        {"what", offsetof(struct lab_check, what)},
                                        {"run", offsetof(struct lab_check, run)},
                                        {"quantity", offsetof(struct lab_check, quantity)},
                                        {"per", offsetof(struct lab_check, per)},
                                        {"by", offsetof(struct lab_check, by)},
                                        {"cases", offsetof(struct lab_check, cases)},
                                        {"tolerance", offsetof(struct lab_check, tolerance)},
                                        {"unreached", offsetof(struct lab_check, unreached)},
                                        {"length", offsetof(struct lab_check, length)},
                                        {"chart", offsetof(struct lab_check, chart)},
                                        {"x", offsetof(struct lab_check, x)},
                                        {"y", offsetof(struct lab_check, y)},
                                        {"trace-of", offsetof(struct lab_check, trace_of)},
                                        {"group", offsetof(struct lab_check, group)},
                                        {"log", offsetof(struct lab_check, log)},
                                        {NULL, 0}};

// In a file, the text `expected` has the name of its expectation.
static const char *const expectation_names[] = {
    [LAB_EXPECT_ALWAYS] = "always", [LAB_EXPECT_SOME] = "some",   [LAB_EXPECT_AGREES] = "agrees",
    [LAB_EXPECT_EQUALS] = "equals", [LAB_EXPECT_MOST] = "most",   [LAB_EXPECT_LEAST] = "least",
    [LAB_EXPECT_RISES] = "rises",   [LAB_EXPECT_FALLS] = "falls",
};
enum { EXPECTATIONS = sizeof expectation_names / sizeof *expectation_names };

static char **member_of(const struct key *keys, void *of, const char *name)
{
    while (keys->name && strcmp(keys->name, name) != 0) {
        keys++;
    }
    return keys->name ? (char **)((char *)of + keys->offset) : NULL;
}

static void free_texts(const struct key *keys, void *of)
{
    for (; keys->name; keys++) {
        free(*(char **)((char *)of + keys->offset));
    }
}

// Sets a text, or adds a line to it. With `lines` the text keeps its lines, except that a backslash at the end of a
// line joins the next line to it.
static bool add_line(char **member, const char *text, bool lines, struct ek_error *error)
{
    size_t before = *member ? strlen(*member) : 0, length = strlen(text);
    if (!lines && length > 0 && text[length - 1] == '\\') {
        return base_refuse(error, "'%.60s' ends in a backslash, which only a line of `run` can", text);
    }
    char *longer = realloc(*member, before + length + 2);
    if (!longer) {
        return no_memory(error);
    }
    *member = longer;
    if (lines && before > 0 && longer[before - 1] == '\\') {
        before--;
    } else if (before > 0) {
        longer[before++] = lines ? '\n' : ' ';
    }
    strcpy(longer + before, text);
    return true;
}

// Adds an element of zeros to an array. Returns the array, or NULL if memory is short.
static void *grow(void *array, size_t *count, size_t size)
{
    char *larger = realloc(array, (*count + 1) * size);
    if (larger) {
        memset(larger + *count * size, 0, size);
        ++*count;
    }
    return larger;
}

// A file being read.
struct reading {
    struct lab_papers *papers;
    char *section; // the current one
    enum { IN_PAPER, IN_CLAIM, IN_CHECK } kind;
    struct ek_error *error;
    bool failed;
};

static struct lab_claim *last_claim(const struct reading *reading)
{
    return &reading->papers->claim[reading->papers->count - 1];
}

static bool begin_paper(struct reading *reading, const char *name)
{
    struct lab_papers *papers = reading->papers;
    struct lab_paper *larger = grow(papers->paper, &papers->papers, sizeof *larger);
    papers->paper = larger ? larger : papers->paper;
    return (larger && (larger[papers->papers - 1].name = strdup(name))) || no_memory(reading->error);
}

static bool begin_claim(struct reading *reading, const char *id)
{
    struct lab_papers *papers = reading->papers;
    for (size_t i = 0; i < papers->count; i++) {
        if (strcmp(papers->claim[i].id, id) == 0) {
            return base_refuse(reading->error, "[%.60s] is there twice", id);
        }
    }
    struct lab_claim *larger = grow(papers->claim, &papers->count, sizeof *larger);
    papers->claim = larger ? larger : papers->claim;
    return (larger && (last_claim(reading)->id = strdup(id))) || no_memory(reading->error);
}

static bool begin_check(struct reading *reading, const char *name)
{
    struct lab_claim *claim = last_claim(reading);
    struct lab_check *larger = grow(claim->check, &claim->checks, sizeof *larger);
    claim->check = larger ? larger : claim->check;
    return (larger && (larger[claim->checks - 1].name = strdup(name))) || no_memory(reading->error);
}

static bool begin_section(struct reading *reading, const char *section)
{
    free(reading->section);
    reading->section = strdup(section);
    if (!reading->section) {
        return no_memory(reading->error);
    }
    const char *space = strchr(section, ' ');
    if (!space) {
        reading->kind = strchr(section, '-') ? IN_CLAIM : IN_PAPER;
        // A claim begins with its own check, which settle_checks removes if it expects nothing.
        return reading->kind == IN_PAPER ? begin_paper(reading, section)
                                         : begin_claim(reading, section) && begin_check(reading, "");
    }
    reading->kind = IN_CHECK;
    const char *id = reading->papers->count > 0 ? last_claim(reading)->id : "";
    return (strlen(id) == (size_t)(space - section) && strncmp(id, section, strlen(id)) == 0)
               ? begin_check(reading, space + 1)
               : base_refuse(reading->error, "[%.60s] does not follow its claim", section);
}

// Returns the member for the text of this name in the current section, or NULL if the section has none.
static char **find_member(struct reading *reading, const char *name)
{
    struct lab_papers *papers = reading->papers;
    if (reading->kind == IN_PAPER) {
        return member_of(paper_keys, &papers->paper[papers->papers - 1], name);
    }
    struct lab_claim *claim = last_claim(reading);
    char **member = reading->kind == IN_CLAIM ? member_of(claim_keys, claim, name) : NULL;
    struct lab_check *check = &claim->check[claim->checks - 1];
    member = member ? member : member_of(check_keys, check, name);
    for (size_t i = LAB_EXPECT_ALWAYS; !member && i < EXPECTATIONS; i++) {
        bool other = check->expected && check->expectation != (enum lab_expectation)i;
        if (strcmp(expectation_names[i], name) == 0 && !other) {
            check->expectation = (enum lab_expectation)i;
            member = &check->expected;
        }
    }
    return member;
}

static int take_line(void *context, const char *section, const char *name, const char *text)
{
    struct reading *reading = context;
    if (reading->failed) {
        return 1; // the error is that of the first wrong line
    }
    bool same = reading->section && strcmp(reading->section, section) == 0;
    bool good = same || begin_section(reading, section);
    char **member = good ? find_member(reading, name) : NULL;
    good = good &&
           (member ? add_line(member, text, strcmp(name, "run") == 0, reading->error)
                   : base_refuse(reading->error,
                                 "[%.60s] cannot have '%.40s': there is no such name, or it is a second expectation",
                                 section, name));
    reading->failed = !good;
    return good;
}

static bool read_role(struct lab_check *check, struct ek_error *error)
{
    static const char reading[] = "reading ";
    if (!check->as || strcmp(check->as, "written") == 0) {
        check->role = LAB_ROLE_WRITTEN;
    } else if (strcmp(check->as, "mended") == 0) {
        check->role = LAB_ROLE_MENDED;
    } else if (strcmp(check->as, "shown") == 0) {
        check->role = LAB_ROLE_SHOWN;
    } else if (strncmp(check->as, reading, strlen(reading)) == 0) {
        check->role = LAB_ROLE_READING;
        check->reading = check->as + strlen(reading);
    } else {
        return base_refuse(error, "a check is `as` written, mended, shown or reading NAME, not '%.40s'", check->as);
    }
    return true;
}

static void destroy_check(struct lab_check *check)
{
    free_texts(check_keys, check);
    free(check->expected);
    free(check->name);
}

// A claim must have a check left when the long ones are left out.
static bool check_lengths(const struct lab_claim *claim, struct ek_error *error)
{
    size_t others = 0;
    for (size_t i = 0; i < claim->checks; i++) {
        const struct lab_check *check = &claim->check[i];
        if (check->length && strcmp(check->length, "long") != 0) {
            return base_refuse(error, "[%s %s]: `length` is long or not given, not '%.40s'", claim->id, check->name,
                               check->length);
        }
        others += !check->length;
    }
    return others > 0 || base_refuse(error, "[%s] needs a check that is not long", claim->id);
}

// Refuses words that have no meaning.
static bool check_words(const struct lab_claim *claim, const struct lab_check *check, struct ek_error *error)
{
    if (check->unreached && strcmp(check->unreached, "counted") != 0) {
        return base_refuse(error, "[%s %s]: `unreached` is counted or not given, not '%.40s'", claim->id, check->name,
                           check->unreached);
    }
    if (check->chart && (strcmp(check->chart, "bars") != 0 || !check->quantity || !check->by)) {
        return base_refuse(error, "[%s %s]: `chart` is bars, of a `quantity` with `by`, or not given, not '%.40s'",
                           claim->id, check->name, check->chart);
    }
    return true;
}

// Gives each check the claim's experiments if it lacks its own, and removes the claim's own check if it expects
// nothing.
static bool settle_checks(struct lab_claim *claim, struct ek_error *error)
{
    struct lab_check *own = &claim->check[0];
    for (size_t i = 1; i < claim->checks; i++) {
        if (!claim->check[i].run && own->run && !add_line(&claim->check[i].run, own->run, true, error)) {
            return false;
        }
    }
    if (!own->expected && !own->quantity && !own->y && !own->trace_of) {
        destroy_check(own);
        memmove(own, own + 1, --claim->checks * sizeof *own);
    }
    for (size_t i = 0; i < claim->checks; i++) {
        const struct lab_check *check = &claim->check[i];
        bool picture = check->y || check->trace_of;
        if (!check->run) {
            return base_refuse(error, "[%s %s] has no `run`", claim->id, check->name);
        }
        if (check->expected && !lab_check_is_condition(check) && !check->quantity) {
            return base_refuse(error, "[%s %s] has no `quantity`", claim->id, check->name);
        }
        if (!check->expected && !check->quantity && !(picture && check->what)) {
            return base_refuse(error,
                               "[%s %s] expects nothing: it needs a condition, a `quantity`, or a chart (`y` or "
                               "`trace-of`) with `what`",
                               claim->id, check->name);
        }
        if (!check_words(claim, check, error) || !read_role(&claim->check[i], error)) {
            return false;
        }
    }
    return ((claim->place && claim->kind && claim->claim) ||
            base_refuse(error, "[%s] needs place, kind and claim", claim->id)) &&
           check_lengths(claim, error);
}

bool lab_papers_read(struct lab_papers *papers, const char *text, struct ek_error *error)
{
    *papers = (struct lab_papers){0};
    struct reading reading = {.papers = papers, .error = error};
    int line = ini_parse_string(text, take_line, &reading);
    bool good = !reading.failed;
    if (line != 0) {
        struct ek_error inner = *error;
        good = base_refuse(error, "line %d of the papers: %.500s", line,
                           reading.failed ? inner.sentence : "neither [a section] nor name = text");
    }
    for (size_t i = 0; good && i < papers->count; i++) {
        good = settle_checks(&papers->claim[i], error);
    }
    free(reading.section);
    if (!good) {
        lab_papers_destroy(papers);
    }
    return good;
}

bool lab_papers_own(struct lab_papers *papers, struct ek_error *error)
{
    extern const char _binary_claims_ini_start[], _binary_claims_ini_end[]; // from the linker
    char *text = strndup(_binary_claims_ini_start, (size_t)(_binary_claims_ini_end - _binary_claims_ini_start));
    bool good = text ? lab_papers_read(papers, text, error) : no_memory(error);
    free(text);
    return good;
}

void lab_papers_destroy(struct lab_papers *papers)
{
    for (size_t i = 0; i < papers->papers; i++) {
        free_texts(paper_keys, &papers->paper[i]);
        free(papers->paper[i].name);
    }
    for (size_t i = 0; i < papers->count; i++) {
        struct lab_claim *claim = &papers->claim[i];
        for (size_t c = 0; c < claim->checks; c++) {
            destroy_check(&claim->check[c]);
        }
        free(claim->check);
        free_texts(claim_keys, claim);
        free(claim->id);
    }
    free(papers->paper);
    free(papers->claim);
    *papers = (struct lab_papers){0};
}

void lab_papers_remove_long(struct lab_papers *papers)
{
    for (size_t i = 0; i < papers->count; i++) {
        struct lab_claim *claim = &papers->claim[i];
        size_t kept = 0;
        for (size_t c = 0; c < claim->checks; c++) {
            if (claim->check[c].length) {
                destroy_check(&claim->check[c]);
                claim->left_out++;
            } else {
                claim->check[kept++] = claim->check[c];
            }
        }
        claim->checks = kept;
    }
}

bool lab_check_is_condition(const struct lab_check *check)
{
    return check->expectation == LAB_EXPECT_ALWAYS || check->expectation == LAB_EXPECT_SOME;
}

// Returns the second argument of a function, whose first begins at `at`: "'trace')" of "max(run), 'trace')". Empty if
// there is none.
static const char *second_argument(const char *at)
{
    int depth = 0;
    for (; *at && depth >= 0; at++) {
        if (*at == ',' && depth == 0) {
            return at + 1 + strspn(at + 1, " ");
        }
        depth += (*at == '(') - (*at == ')');
    }
    return "";
}

// Returns what SQL reads of the records: their extracts, if it names each field, as in record(run, 'trace').
static unsigned parts_of_sql(const char *sql)
{
    unsigned parts = strstr(sql, "fact(")    ? LAB_KEEP_EXTRACT | LAB_EXTRACT_FACTS | LAB_KEEP_THEORY
                     : strstr(sql, "theory") ? LAB_KEEP_THEORY
                                             : 0;
    static const char call[] = "record(";
    for (const char *at = strstr(sql, call); at; at = strstr(at + 1, call)) {
        const char *name = second_argument(at + strlen(call));
        const unsigned part = *name == '\'' ? lab_extract_part(name + 1, strcspn(name + 1, "'")) : 0;
        parts |= part ? LAB_KEEP_EXTRACT | part : LAB_KEEP_RECORD | LAB_WITH_ALL;
    }
    return parts;
}

unsigned lab_check_parts(const struct lab_check *check, bool drawn)
{
    const char *const sql[] = {check->expected, check->quantity, check->per,  check->by,
                               check->x,        check->y,        check->group};
    unsigned parts = !drawn            ? 0
                     : check->trace_of ? LAB_KEEP_RECORD | LAB_KEEP_THEORY | LAB_WITH_TRACE
                                       : LAB_KEEP_RECORD | LAB_KEEP_THEORY;
    unsigned columns = 0;
    for (size_t s = 0; s < sizeof sql / sizeof *sql; s++) {
        parts |= sql[s] ? parts_of_sql(sql[s]) : 0;
        columns |= sql[s] ? lab_extract_columns(sql[s]) : 0;
    }
    return parts | (parts & LAB_WITH_TRACE ? columns : 0);
}

const char *lab_check_subject(const struct lab_check *check)
{
    return check->what ? check->what : lab_check_is_condition(check) ? check->expected : check->quantity;
}

bool lab_claim_named(const struct lab_claim *claim, const char *word)
{
    size_t length = strlen(word);
    return strcmp(claim->id, word) == 0 || strcmp(claim->kind, word) == 0 ||
           (strncmp(claim->id, word, length) == 0 && claim->id[length] == '-');
}
