// SPDX-License-Identifier: MIT
#include "cli/line/next.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/line/output_clash.h"
#include "lab/text/clean_text.h"

// A row of the table: the command `line` can follow the command `after`. Of the rows whose conditions hold, the first
// counts. Words in braces stand for other words: see print_word.
struct next {
    const char *after, *line;
    const char *given;         // one of these options was typed, or has this value, as in "timing=free"; NULL: any
    const char *word;          // this is the first argument; NULL: any
    enum cli_found_kind found; // the command found this; CLI_FOUND_NOTHING: anything
    bool unreached;            // the command may have ended with EK_UNREACHED
    const char *without;       // options that {axes} and {options} leave out
};

// Methods take different numbers of steps.
#define METHOD_AND_LIMITS "method steps operations for"

static const struct next table[] = {
    {.after = "run", .line = "report {out}/run.json --out {out}/run.html", .given = "out", .unreached = true},
    {.after = "run", .line = "replay {record} --from 1 --to 9 {--plugin}", .given = "record", .unreached = true},
    {.after = "run", .line = "theory {axes}", .given = "work"},
    {.after = "run", .line = "run {axes} --out placement", .given = "objects"},
    {.after = "run", .line = "run {axes} --runs 10", .given = "timing=free", .without = "runs"},
    {.after = "run", .line = "rank {axes}", .given = "stop=never", .without = "stop " METHOD_AND_LIMITS},
    {.after = "run", .line = "rank {axes}", .given = "working", .without = "method"}, // it may need the limits
    {.after = "run", .line = "rank {axes}", .without = METHOD_AND_LIMITS},
    {.after = "run", .line = "explain {method}", .unreached = true},
    {.after = "sweep", .line = "results --store {store}", .found = CLI_FOUND_STORE},
    {.after = "sweep", .line = "sweep {options}", .given = "dry-run", .without = "dry-run"},
    {.after = "sweep", .line = "results --store {store}"},
    {.after = "show", .line = "report {0} --out {0.html} {--plugin}"},
    {.after = "report", .line = "results --store {0}", .found = CLI_FOUND_STORE},
    {.after = "report", .line = "replay {0} --from 1 --to 9 {--plugin}", .found = CLI_FOUND_RECORDING},
    {.after = "report", .line = "show {0}", .found = CLI_FOUND_RECORD},
    {.after = "replay", .line = "replay {record} --from 1 {--plugin}", .given = "then", .found = CLI_FOUND_RECORDING},
    {.after = "replay", .line = "report {0} --out {0.html} {--plugin}", .given = "from to show"},
    {.after = "replay", .line = "replay {0} --from 1 --to 9 {--plugin}"},
    {.after = "explore", .line = "replay {record} --from 1 {--plugin}", .found = CLI_FOUND_RECORDING},
    {.after = "explore", .line = "check {method} --runs 20 {--plugin}"},
    {.after = "check", .line = "list method --plugin {0}", .found = CLI_FOUND_PLUGIN},
    {.after = "check", .line = "run --tasks {0} {--plugin}", .found = CLI_FOUND_PROGRAM},
    {.after = "check", .line = "explain {0} {--plugin}"},
    {.after = "list", .line = "draw {topology} {--seed} {--plugin}", .given = "links"},
    {.after = "list", .line = "explain {text}", .found = CLI_FOUND_WORD},
    {.after = "list", .line = "explain ode"},
    {.after = "explain", .line = "{text} {--plugin}", .found = CLI_FOUND_WORD},
    {.after = "theory", .line = "explain work", .given = "work"},
    {.after = "theory", .line = "rank {axes}", .given = "stop=never", .without = "stop " METHOD_AND_LIMITS},
    {.after = "theory", .line = "rank {axes}", .without = METHOD_AND_LIMITS},
    {.after = "draw", .line = "theory --topology {0} {axes}"},
    {.after = "torture", .line = "torture {options} --seed {seed}", .without = "seed"},
    {.after = "rank", .line = "rank {options} --runs 10", .found = CLI_FOUND_FEW_SAMPLES, .without = "runs"},
    {.after = "rank", .line = "run {axes} {best} --carrier pool", .without = "method timing stop"},
    {.after = "contention", .line = "run --timing virtual --host measured", .given = "keep"},
    {.after = "contention", .line = "contention {options} --keep"},
    {.after = "results", .line = "results --store {1}", .word = "merge"},
    {.after = "results", .line = "report {store} --out {store.html}", .given = "group compare trace-of x"},
    {.after = "results", .line = "results --store {store} {--where} --group method"},
    {.after = "papers", .line = "papers {text}", .given = "list"},
    {.after = "papers", .line = "papers --list", .given = "report"},
    {.after = "papers", .line = "papers {words} {options} --report papers.html"},
    {.after = "doctor", .line = "run"},
    {.after = "help", .line = "{text}", .found = CLI_FOUND_WORD},
    {.after = "help", .line = "run --topology torus:8x8 --method ode --load peak:6400", .word = "run"},
    {.after = "help", .line = "sweep --topology ring:8,ring:16 --method ade,ode --runs 5", .word = "sweep"},
    {.after = "help", .line = "run --out results", .word = "show"},
    {.after = "help", .line = "run --out results", .word = "report"},
    {.after = "help", .line = "run --timing free --method adf --record run.ek", .word = "replay"},
    {.after = "help", .line = "explore --topology ring:4 --method adf --schedules 50", .word = "explore"},
    {.after = "help", .line = "check ade", .word = "check"},
    {.after = "help", .line = "list", .word = "list"},
    {.after = "help", .line = "explain ode", .word = "explain"},
    {.after = "help", .line = "theory --topology torus:16x16", .word = "theory"},
    {.after = "help", .line = "draw torus:8x8", .word = "draw"},
    {.after = "help", .line = "torture --runs 3", .word = "torture"},
    {.after = "help", .line = "rank --topology torus:8x8 --runs 10", .word = "rank"},
    {.after = "help", .line = "contention --runs 1 --for 50ms --vary ports", .word = "contention"},
    {.after = "help", .line = "sweep --topology ring:8,ring:16 --method ade,ode --runs 5", .word = "results"},
    {.after = "help", .line = "papers --list", .word = "papers"},
    {.after = "help", .line = "doctor", .word = "doctor"},
    {.after = "help", .line = "run"},
};
enum { ROWS = sizeof table / sizeof *table };

// Returns whether the list, separated by spaces, has the word.
static bool has_word(const char *list, const char *word, size_t length)
{
    for (; list && *list; list += strcspn(list, " "), list += strspn(list, " ")) {
        if (strcspn(list, " ") == length && strncmp(list, word, length) == 0) {
            return true;
        }
    }
    return false;
}

// Returns whether one of the options was typed. "timing=free" is an option with a value.
static bool is_given(const struct cli_call *call, const char *options)
{
    const char *equals = strchr(options, '=');
    char name[32];
    for (; *options; options += strcspn(options, " "), options += strspn(options, " ")) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(options, " ="), options);
        const char *text = equals ? cli_option_text(call, name) : cli_option_given(call, name);
        if (text && (!equals || strcmp(text, equals + 1) == 0)) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct next *row, const struct cli_call *call, enum ek_status status)
{
    return strcmp(row->after, call->command->name) == 0 && (row->unreached || status != EK_UNREACHED) &&
           (!row->given || is_given(call, row->given)) &&
           (!row->word || (call->words_count > 0 && strcmp(row->word, call->words[0]) == 0)) &&
           (row->found == CLI_FOUND_NOTHING || row->found == call->found->kind);
}

static void print_quoted(const char *text)
{
    putchar(' ');
    lab_shell_quote(stdout, text);
}

static void print_option(const struct cli_option *option, const char *text)
{
    printf(" --%s", option->name);
    if (option->form || strcmp(text, "") != 0) {
        print_quoted(text);
    }
}

static bool takes(const struct cli_command *command, const char *name)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(command, i)).name; i++) {
        if (strcmp(option.name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Returns whether the next command has the option, too, if it takes it. It does not have options of measurements. It
// has options of this computer only if it is the same command again.
static bool is_handed_on(const struct cli_option *option, bool again)
{
    return (option->axis && option->topic != EK_TOPIC_OUTPUT && (again || option->topic != EK_TOPIC_HOST)) ||
           strcmp(option->name, "plugin") == 0;
}

// Prints the options that were typed and that the next command takes.
static void print_options(const struct next *row, const struct cli_call *call, const struct cli_command *to, bool all)
{
    struct cli_option option;
    for (size_t i = 0; (option = cli_option_at(call->command, i)).name; i++) {
        const bool kept = all || is_handed_on(&option, to == call->command);
        if (call->given[i] && kept && !has_word(row->without, option.name, strlen(option.name)) &&
            takes(to, option.name)) {
            print_option(&option, call->given[i]);
        }
    }
}

// Prints the options that give the best method of a ranking as rank ran it.
static void print_best(const struct cli_found *found)
{
    const char *const parts[][2] = {{"method", found->method}, {"timing", found->timing}, {"stop", found->stop}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (*parts[i][1]) {
            print_option(&(struct cli_option){.name = parts[i][0], .form = ""}, parts[i][1]);
        }
    }
}

// Returns the text that a part stands for: an argument by its number, or the value of an option.
static const char *text_of(const struct cli_call *call, const char *part)
{
    return *part == '0' || *part == '1' ? call->words[*part - '0'] : cli_option_text(call, part);
}

// Prints a value, followed by a literal ending; or the value's own ending is replaced if the part has one: {0.html}.
static void print_value(const struct cli_call *call, char *part, const char *ending)
{
    char *dot = strchr(part, '.');
    char path[4096];
    if (dot) {
        *dot = '\0';
    }
    const char *text = text_of(call, part), *name = strrchr(text, '/') ? strrchr(text, '/') : text;
    const char *old = dot ? strrchr(name, '.') : NULL;
    snprintf(path, sizeof path, "%.*s%s%s%s", (int)(old ? (size_t)(old - text) : strlen(text)), text, dot ? "." : "",
             dot ? dot + 1 : "", ending);
    print_quoted(path);
}

static void print_words(const struct cli_call *call)
{
    for (size_t i = 0; i < call->words_count; i++) {
        print_quoted(call->words[i]);
    }
}

static void print_typed(const struct cli_call *call, const struct cli_command *to, const char *name)
{
    const char *text = cli_option_given(call, name);
    if (text && takes(to, name)) {
        print_option(&(struct cli_option){.name = name, .form = ""}, text);
    }
}

// Prints what stands for a part. {axes}: the typed options of the experiment; {options}: all typed options; {words}:
// the arguments; {best}, {seed}, {text}: what the command found; {--where}: an option if it was typed; {0}, {store}: an
// argument, the value of an option; {0.html}: the same with another ending.
static void print_part(const struct next *row, const struct cli_call *call, const struct cli_command *to, char *part,
                       const char *ending)
{
    if (strcmp(part, "axes") == 0 || strcmp(part, "options") == 0) {
        print_options(row, call, to, *part == 'o');
    } else if (strcmp(part, "words") == 0) {
        print_words(call);
    } else if (strcmp(part, "best") == 0) {
        print_best(call->found);
    } else if (strcmp(part, "seed") == 0) {
        printf(" %" PRIu64, call->found->seed);
    } else if (strcmp(part, "text") == 0) {
        printf(" %s", call->found->text);
    } else if (strncmp(part, "--", 2) == 0) {
        print_typed(call, to, part + 2);
    } else {
        print_value(call, part, ending);
    }
}

static void print_line(const struct next *row, const struct cli_call *call)
{
    char word[64];
    const char *line = *row->line == '{' ? call->found->text : row->line;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " "), line);
    const struct cli_command *to = cli_command_named(call->commands, word);
    fputs("next: evenkeel", stdout);
    for (const char *at = row->line; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
        char *end = *word == '{' ? strchr(word, '}') : NULL;
        if (end) {
            *end = '\0';
            print_part(row, call, to, word + 1, end + 1);
        } else {
            printf(" %s", word);
        }
    }
    putchar('\n');
}

// Returns whether the command has printed a text for people, and not something that a program reads.
static bool is_text(const struct cli_call *call)
{
    const char *format = cli_option_text(call, "format");
    return (!format || strcmp(format, "table") == 0) && !is_given(call, "quiet man completion print") &&
           !(call->words_count > 0 && strcmp(call->words[0], "-") == 0) && !cli_outputs_to_stdout(call);
}

void cli_next(const struct cli_call *call, enum ek_status status)
{
    size_t row = 0;
    while (row < ROWS && !holds(&table[row], call, status)) {
        row++;
    }
    const bool useful = status == EK_OK || status == EK_UNREACHED || call->found->kind == CLI_FOUND_RECORDING;
    if (row < ROWS && useful && is_text(call)) {
        print_line(&table[row], call);
    }
}

void cli_next_help(const struct cli_command *const *commands, const struct cli_command *of)
{
    struct cli_found found = {.kind = CLI_FOUND_NOTHING};
    char *words[] = {of ? (char *)of->name : NULL};
    const struct cli_call call = {.commands = commands,
                                  .command = cli_command_named(commands, "help"),
                                  .words = words,
                                  .words_count = of ? 1 : 0,
                                  .found = &found};
    cli_next(&call, EK_OK);
}
