// SPDX-License-Identifier: MIT
#include "cli/figures/speed.h"

#include <math.h>
#include <string.h>

#include "base/cursor.h"

// Takes "/s" behind a duration, or "steps/s" behind a number.
static bool read_number(struct base_cursor *cursor, struct report_speed *speed)
{
    if (speed->by_time) {
        return base_cursor_duration(cursor, "--speed", &speed->per_s) && strcmp(cursor->text + cursor->at, "/s") == 0;
    }
    if (!base_cursor_real(cursor, "--speed", 0.0, 1e9, &speed->per_s)) {
        return false;
    }
    const char *unit = cursor->text + cursor->at;
    return strcmp(unit, "steps/s") == 0 || strcmp(unit, "step/s") == 0;
}

bool report_speed_read(const char *text, const char *timing, struct report_speed *speed, struct ek_error *error)
{
    *speed = (struct report_speed){.by_time = strcmp(timing, "virtual") == 0, .free = strcmp(timing, "free") == 0};
    if (speed->free || (text && strcmp(text, "max") == 0)) {
        speed->kind = REPORT_SPEED_MAX;
        return !text || strcmp(text, "max") == 0 ||
               base_refuse_text(error, "speed", text, 0,
                                "free timing runs at the speed of its threads, and --speed cannot slow it: leave out "
                                "--speed, or use --timing virtual");
    }
    if (!text) {
        return true;
    }
    struct base_cursor cursor = base_cursor_start("speed", text, error);
    speed->kind = REPORT_SPEED_FIXED;
    if (!read_number(&cursor, speed)) {
        return base_cursor_fail(&cursor, cursor.at, "%s, or max",
                                speed->by_time ? "in virtual time --speed takes virtual time per second, as in 10us/s"
                                               : "--speed takes steps per second, as in 50steps/s");
    }
    return speed->per_s > 0.0 ||
           base_cursor_fail(&cursor, 0, "--speed must be above 0: to pause a run, press the space bar");
}

struct cli_text report_speed_text(const struct report_speed *speed, double per_s)
{
    struct cli_text text;
    if (isinf(per_s)) {
        snprintf(text.of, sizeof text.of, speed->kind == REPORT_SPEED_MAX ? "max" : "-");
    } else if (speed->by_time) {
        snprintf(text.of, sizeof text.of, "%.70s/s", cli_text_seconds(per_s).of);
    } else {
        snprintf(text.of, sizeof text.of, "%.60s step%s/s", cli_text_amount(per_s).of, per_s == 1.0 ? "" : "s");
    }
    return text;
}
