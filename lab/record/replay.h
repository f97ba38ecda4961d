// SPDX-License-Identifier: MIT
// Replays a recorded run turn by turn, and compares it with its record at the end.
#ifndef LAB_RECORD_REPLAY_H
#define LAB_RECORD_REPLAY_H

#include "lab/record/recording.h"

struct lab_replay {
    struct lab_recording recorded;
    struct ek_machine *machine;
    struct ek_replay *replay;
    struct ek_turn_made turn; // the last turn replayed; its number is 0 before the first
};

// Reads the recording and prepares its run. Returns false if the run cannot be replayed.
bool lab_replay_open(struct lab_replay *replay, const char *path, struct ek_error *error);
void lab_replay_close(struct lab_replay *replay);

// Replays the next turn.
enum ek_replay_status lab_replay_turn(struct lab_replay *replay, struct ek_error *error);

// The machine between two turns.
struct lab_replay_state {
    uint64_t turn;
    double time; // s
    double variance, spread, minimum, maximum;
    double in_flight, mean; // mean of the held loads
};
struct lab_replay_state lab_replay_state_now(const struct lab_replay *replay);

// Compares the replayed run, which must have ended, with its record: every load bit by bit, and all fields that depend
// on the turns alone. In virtual time these are all but those of the host. Returns false at the first difference.
bool lab_replay_matches(struct lab_replay *replay, struct ek_error *error);

#endif
