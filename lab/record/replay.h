// SPDX-License-Identifier: MIT
// A recorded run made again: turn by turn, and held against its record at the end.
#ifndef LAB_RECORD_REPLAY_H
#define LAB_RECORD_REPLAY_H

#include "lab/record/recording.h"

struct lab_replay {
    struct lab_recording recorded;
    struct ek_machine *machine;
    struct ek_replay *replay;
    struct ek_turn_made turn; // the last one that was made; its number is 0 before the first
};

// Reads the recording and prepares its run. False and `error` where it cannot be made again.
bool lab_replay_open(struct lab_replay *replay, const char *path, struct ek_error *error);
void lab_replay_close(struct lab_replay *replay);

// Makes the next turn.
enum ek_replay_status lab_replay_turn(struct lab_replay *replay, struct ek_error *error);

// The machine between two turns.
struct lab_replay_state {
    uint64_t turn;
    double time; // s
    double variance, spread, minimum, maximum;
    double in_flight, mean; // of the held loads
};
struct lab_replay_state lab_replay_state_now(const struct lab_replay *replay);

// When the run has ended: whether it is the one of its record, load by load to the last bit, and in all that its turns
// count. `error` names the first thing that is not.
bool lab_replay_matches(struct lab_replay *replay, struct ek_error *error);

#endif
