// SPDX-License-Identifier: MIT
// The memory of reports.
#include "threads/machine/report_memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "threads/api/report.h"

// The arrays of a report: the place of the pointer, and of the number of elements, or 0 if the report has none.
static const struct {
    size_t pointer, count;
} arrays[] = {{offsetof(struct ek_report, initial), 0},
              {offsetof(struct ek_report, final), 0},
              {offsetof(struct ek_report, trace), offsetof(struct ek_report, trace_count)},
              {offsetof(struct ek_report, frame), offsetof(struct ek_report, frame_count)},
              {offsetof(struct ek_report, frame_load), offsetof(struct ek_report, frame_count)},
              {offsetof(struct ek_report, flow), offsetof(struct ek_report, flow_count)},
              {offsetof(struct ek_report, quota), offsetof(struct ek_report, quota_dimensions)},
              {offsetof(struct ek_report, objects.file), offsetof(struct ek_report, objects.file_count)},
              {offsetof(struct ek_report, free.link), offsetof(struct ek_report, free.link_count)},
              {offsetof(struct ek_report, free.dump), 0},
              {offsetof(struct ek_report, tasks.picture), 0},
              {offsetof(struct ek_report, profile.interval), offsetof(struct ek_report, profile.intervals)},
              {offsetof(struct ek_report, profile.time), 0},
              {offsetof(struct ek_report, profile.processor), 0},
              {offsetof(struct ek_report, frame_flow), 0}};

// Frees what the files of a placement point to, if they lie in the bytes from .. end-1 of the report.
static void free_files(struct ek_report *report, size_t from, size_t end)
{
    struct ek_objects_report *objects = &report->objects;
    size_t place = offsetof(struct ek_report, objects);
    for (size_t i = 0; place >= from && place + sizeof *objects <= end && objects->file && i < objects->file_count;
         i++) {
        free(objects->file[i].name);
        free(objects->file[i].text);
    }
}

// Frees the arrays whose pointers lie in the bytes from .. end-1 of the report.
static void free_arrays(struct ek_report *report, size_t from, size_t end)
{
    char *byte = (char *)report;
    free_files(report, from, end);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        void *array;
        if (arrays[i].pointer >= from && arrays[i].pointer + sizeof array <= end) {
            memcpy(&array, byte + arrays[i].pointer, sizeof array);
            free(array);
            memset(byte + arrays[i].pointer, 0, sizeof array);
            memset(byte + arrays[i].count, 0, arrays[i].count > 0 ? sizeof(size_t) : 0);
        }
    }
}

void machine_report_give(struct ek_report *own, struct ek_report *given, size_t size)
{
    base_sized_copy(given, size, own, sizeof *own);
    free_arrays(own, size, sizeof *own);
}

void ek_report_destroy_sized(struct ek_report *report, size_t size)
{
    free_arrays(report, 0, size);
}
