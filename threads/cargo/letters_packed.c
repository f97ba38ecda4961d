// SPDX-License-Identifier: MIT
// Letters as numbers: a head for each, and then its tasks. Without rounds, an envelope has the letters of one message.
#include <stdlib.h>
#include <string.h>

#include "threads/cargo/letters.h"

struct head {
    uint64_t due, place, tasks;
    int64_t best;
    uint32_t kind, from, to, number;
};

enum { HEAD = sizeof(struct head) / sizeof(double) };
_Static_assert(sizeof(struct head) % sizeof(double) == 0, "a head fills whole doubles");

struct envelope {
    struct mail_link link;
    size_t words;
    double word[]; // [words]
};

// ---- lists ----

static struct core_task_store *store_of(const struct cargo_letters *letters, unsigned worker)
{
    return &letters->tasks->worker[worker].store;
}

// Returns the doubles of a letter with so many tasks.
static size_t words_of(const struct cargo_letters *letters, uint64_t tasks)
{
    return HEAD + tasks * (store_of(letters, letters->tasks->first_worker)->bytes / sizeof(double));
}

static size_t words_of_list(const struct cargo_letters *letters, const struct cargo_letter_list *list)
{
    size_t words = 0;
    for (const struct cargo_letter *letter = list->first; letter; letter = letter->next) {
        words += words_of(letters, letter->tasks.count);
    }
    return words;
}

// Writes the letters of a list, and gives them back to a worker.
static void write_list(struct cargo_letters *letters, unsigned worker, struct cargo_letter_list *list, double *words)
{
    for (struct cargo_letter *letter = list->first, *next; letter; letter = next) {
        struct head head = {.due = letter->due,
                            .place = letter->place,
                            .tasks = letter->tasks.count,
                            .best = letter->best,
                            .kind = letter->seen.kind,
                            .from = letter->seen.from,
                            .to = letter->seen.to,
                            .number = letter->seen.number};
        next = letter->next;
        memcpy(words, &head, sizeof head);
        core_task_pack(&letter->tasks, store_of(letters, worker), (unsigned char *)(words + HEAD));
        words += words_of(letters, head.tasks);
        cargo_letter_give_back(letters, worker, letter);
    }
    *list = (struct cargo_letter_list){0};
}

// Appends the letters of so many words to a list. Returns false if there is no memory; the list then has some of them.
static bool read_list(struct cargo_letters *letters, unsigned worker, const double *word, size_t words,
                      struct cargo_letter_list *list)
{
    for (size_t at = 0; at < words;) {
        struct head head;
        struct cargo_letter *letter = cargo_letter_take(letters, worker);
        memcpy(&head, word + at, sizeof head);
        if (!letter || !core_task_unpack(&letter->tasks, store_of(letters, worker),
                                         (const unsigned char *)(word + at + HEAD), head.tasks)) {
            return false;
        }
        letter->due = head.due;
        letter->place = head.place;
        letter->best = head.best;
        letter->seen = (struct ek_letter){.kind = (enum ek_letter_kind)head.kind,
                                          .from = head.from,
                                          .to = head.to,
                                          .number = head.number,
                                          .tasks = head.tasks};
        cargo_letter_append(list, letter);
        at += words_of(letters, head.tasks);
    }
    return true;
}

// ---- rounds ----

// Letters to all ranks come from, and go to, the memory of the first worker.
enum { WORKER };

size_t cargo_letters_words(const struct cargo_letters *letters, unsigned rank)
{
    return words_of_list(letters, &letters->abroad[rank]);
}

void cargo_letters_pack(struct cargo_letters *letters, unsigned rank, double *words)
{
    write_list(letters, WORKER, &letters->abroad[rank], words);
}

bool cargo_letters_unpack(struct cargo_letters *letters, const double *word, size_t words)
{
    struct cargo_letter_list list = {0};
    bool good = read_list(letters, WORKER, word, words, &list);
    for (struct cargo_letter *letter = list.first, *next; letter; letter = next) {
        next = letter->next;
        mail_stack_push(&letters->inbox[letter->seen.to], &letter->link);
    }
    return good;
}

// ---- without rounds ----

static struct envelope *new_envelope(size_t words)
{
    struct envelope *envelope = malloc(sizeof *envelope + words * sizeof *envelope->word);
    if (envelope) {
        envelope->words = words;
    }
    return envelope;
}

bool cargo_envelope_send(struct cargo_letters *letters, unsigned worker, uint32_t port)
{
    struct cargo_letter_list *leaving = &letters->leaving[port];
    struct envelope *envelope = new_envelope(words_of_list(letters, leaving));
    if (!envelope) {
        letters->tasks->worker[worker].short_of_memory = true;
        return false;
    }
    write_list(letters, worker, leaving, envelope->word);
    mail_way_push(&letters->way[port], &envelope->link);
    return true;
}

struct cargo_letter *cargo_envelope_open(struct cargo_letters *letters, unsigned worker, uint32_t port)
{
    struct envelope *envelope = (struct envelope *)mail_way_remove(&letters->way[port]); // the link is its first member
    struct cargo_letter_list list = {0};
    if (!read_list(letters, worker, envelope->word, envelope->words, &list)) {
        letters->tasks->worker[worker].short_of_memory = true;
    }
    free(envelope);
    return list.first;
}

size_t cargo_envelope_words(struct cargo_letters *letters, uint32_t port)
{
    return 1 + ((const struct envelope *)mail_way_first(&letters->way[port]))->words;
}

void cargo_envelope_leave(struct cargo_letters *letters, uint32_t port, double *to)
{
    struct envelope *envelope = (struct envelope *)mail_way_remove(&letters->way[port]);
    *to = (double)envelope->words;
    memcpy(to + 1, envelope->word, envelope->words * sizeof *envelope->word);
    free(envelope);
}

size_t cargo_envelope_enter(struct cargo_letters *letters, uint32_t port, const double *from)
{
    struct envelope *envelope = new_envelope((size_t)*from);
    if (!envelope) {
        return 0;
    }
    memcpy(envelope->word, from + 1, envelope->words * sizeof *envelope->word);
    mail_way_push(&letters->way[port], &envelope->link);
    return 1 + envelope->words;
}

void cargo_letters_end_under_way(struct cargo_letters *letters)
{
    const struct ek_topology *topology = letters->machine ? letters->machine->topology : NULL;
    for (uint32_t port = 0; topology && port < topology->ports; port++) {
        bool crosses = cargo_crosses(letters->tasks, port) || cargo_crosses(letters->tasks, topology->twin[port]);
        while (crosses && mail_way_first(&letters->way[port])) {
            free(mail_way_remove(&letters->way[port])); // the link is its first member
        }
    }
}
