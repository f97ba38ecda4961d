// SPDX-License-Identifier: MIT
// In a page there is one thread, so every grace period has passed.
#ifndef WEB_URCU_QSBR_H
#define WEB_URCU_QSBR_H

static inline void urcu_qsbr_register_thread(void)
{
}

static inline void urcu_qsbr_unregister_thread(void)
{
}

static inline void urcu_qsbr_thread_offline(void)
{
}

static inline void urcu_qsbr_thread_online(void)
{
}

static inline void urcu_qsbr_quiescent_state(void)
{
}

static inline void urcu_qsbr_synchronize_rcu(void)
{
}

#endif
