// SPDX-License-Identifier: MIT
// In a page nothing waits for another thread.
#ifndef WEB_URCU_ARCH_H
#define WEB_URCU_ARCH_H

#define caa_cpu_relax() ((void)0)

#endif
