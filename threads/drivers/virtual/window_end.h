// SPDX-License-Identifier: MIT
// What happens between two windows. No worker makes turns meanwhile.
#ifndef THREADS_DRIVERS_VIRTUAL_WINDOW_END_H
#define THREADS_DRIVERS_VIRTUAL_WINDOW_END_H

#include "threads/drivers/virtual/virtual_state.h"

// Sets the first window.
void virtual_window_begin(struct virtual_machine *machine);

// Decides, when all turns of a window have been made, whether the run ends, and sets the next window.
void virtual_window_end(struct virtual_machine *machine);

// Adds the operations that are open now to the logs, and closes the logs.
void virtual_window_close_logs(struct virtual_machine *machine);

#endif
