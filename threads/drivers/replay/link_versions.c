// SPDX-License-Identifier: MIT
// Versions of the link table.
#include "threads/drivers/replay/link_versions.h"

#include <stdlib.h>
#include <string.h>

#include "threads/free/control/fault_injection.h"

// A worker may read the table later than the clock, because it may lose its core in between.
static const uint64_t LATE_NS = 60u * 1000000000ull;

// Adds a copy of the run's current table as the next version.
static bool keep(struct replay_tables *tables, const struct free_run *run)
{
    if (tables->count == tables->size) {
        uint32_t size = 2 * tables->size + 4;
        uint8_t **table = realloc(tables->table, size * sizeof *table);
        tables->table = table ? table : tables->table;
        uint32_t *seen = realloc(tables->seen, size * sizeof *seen);
        tables->seen = seen ? seen : tables->seen;
        if (!table || !seen) {
            return false;
        }
        tables->size = size;
    }
    uint8_t *copy = malloc(run->topology->ports + 1u);
    if (!copy) {
        return false;
    }
    memcpy(copy, free_links_read(&run->links), run->topology->ports);
    tables->table[tables->count] = copy;
    tables->seen[tables->count++] = 0;
    return true;
}

// Frees the oldest versions that no worker uses any more, but never the last one.
static void forget(struct replay_tables *tables)
{
    uint32_t old = 0;
    while (old + 1 < tables->count && tables->seen[old] == 0) {
        free(tables->table[old++]);
    }
    tables->first += old;
    tables->count -= old;
    memmove(tables->table, tables->table + old, tables->count * sizeof *tables->table);
    memmove(tables->seen, tables->seen + old, tables->count * sizeof *tables->seen);
}

bool replay_tables_begin(struct replay_tables *tables, const struct free_run *run)
{
    *tables = (struct replay_tables){.first = free_links_version(&run->links, free_links_read(&run->links))};
    bool good = keep(tables, run);
    if (good) {
        tables->seen[0] = run->machine->workers;
    }
    return good;
}

void replay_tables_end(struct replay_tables *tables)
{
    for (uint32_t i = 0; i < tables->count; i++) {
        free(tables->table[i]);
    }
    free(tables->table);
    free(tables->seen);
}

const uint8_t *replay_tables_see(struct replay_tables *tables, struct free_control *control, uint32_t from, uint32_t to,
                                 uint64_t now)
{
    if (to < from) {
        return NULL;
    }
    while (to >= tables->first + tables->count) {
        if (!free_faults_apply(control, now + LATE_NS) || !keep(tables, &control->run)) {
            return NULL;
        }
    }
    tables->seen[from - tables->first]--;
    tables->seen[to - tables->first]++;
    const uint8_t *table = tables->table[to - tables->first];
    forget(tables);
    return table;
}
