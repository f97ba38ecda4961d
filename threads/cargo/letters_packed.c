// SPDX-License-Identifier: MIT
// Letters as numbers: a head for each, and then its tasks.
#include <string.h>

#include "threads/cargo/letters.h"

struct head {
    uint64_t due, place, tasks;
    int64_t best;
    uint32_t kind, from, to, number;
};

enum { HEAD = sizeof(struct head) / sizeof(double) };
_Static_assert(sizeof(struct head) % sizeof(double) == 0, "a head fills whole doubles");

// Letters to all ranks come from, and go to, the memory of the first worker.
enum { WORKER };

static struct core_task_store *store_of(const struct cargo_letters *letters)
{
    return &letters->tasks->worker[WORKER].store;
}

// Returns the doubles of a letter with so many tasks.
static size_t words_of(const struct cargo_letters *letters, uint64_t tasks)
{
    return HEAD + tasks * (store_of(letters)->bytes / sizeof(double));
}

size_t cargo_letters_words(const struct cargo_letters *letters, unsigned rank)
{
    size_t words = 0;
    for (const struct cargo_letter *letter = letters->abroad[rank].first; letter; letter = letter->next) {
        words += words_of(letters, letter->tasks.count);
    }
    return words;
}

void cargo_letters_pack(struct cargo_letters *letters, unsigned rank, double *words)
{
    for (struct cargo_letter *letter = letters->abroad[rank].first, *next; letter; letter = next) {
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
        core_task_pack(&letter->tasks, store_of(letters), (unsigned char *)(words + HEAD));
        words += words_of(letters, head.tasks);
        cargo_letter_give_back(letters, WORKER, letter);
    }
    letters->abroad[rank] = (struct cargo_letter_list){0};
}

bool cargo_letters_unpack(struct cargo_letters *letters, const double *word, size_t words)
{
    for (size_t at = 0; at < words;) {
        struct head head;
        struct cargo_letter *letter = cargo_letter_take(letters, WORKER);
        memcpy(&head, word + at, sizeof head);
        if (!letter || !core_task_unpack(&letter->tasks, store_of(letters), (const unsigned char *)(word + at + HEAD),
                                         head.tasks)) {
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
        mail_stack_push(&letters->inbox[head.to], &letter->link);
        at += words_of(letters, head.tasks);
    }
    return true;
}
