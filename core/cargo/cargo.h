// SPDX-License-Identifier: MIT
// Cargo: what the load of a processor consists of; installed as <evenkeel/cargo.h>. Load is an amount, or a number of
// tokens. A token is *native* until it leaves the processor at which it began. A processor counts its native tokens in
// addition to its load. A message carries a number in both cases. The receiver adds it to its load, and the received
// tokens are not native there.
#ifndef EK_CARGO_H
#define EK_CARGO_H

#include <stddef.h>

// Takes an amount out of a processor's load. Tokens that came from elsewhere leave first, so the native ones are at
// most what is held then. `native` is NULL where load is an amount.
static inline __attribute__((always_inline)) void ek_cargo_take(double *held, double *native, double amount)
{
    *held -= amount;
    if (native && *native > *held) {
        *native = *held > 0.0 ? *held : 0.0;
    }
}

#endif
