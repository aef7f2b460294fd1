/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Locks of queues. A queue of a thread domain, or of one thread, takes none. */
#ifndef XP_LOCK_H
#define XP_LOCK_H

#include <pthread.h>
#include <stdbool.h>

struct xp_lock {
	pthread_spinlock_t spin;
	bool none;
};

static inline void xp_lock_init(struct xp_lock *lock, bool none)
{
	lock->none = none;
	pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE);
}

static inline void xp_lock(struct xp_lock *lock)
{
	if (!lock->none)
		pthread_spin_lock(&lock->spin);
}

static inline void xp_unlock(struct xp_lock *lock)
{
	if (!lock->none)
		pthread_spin_unlock(&lock->spin);
}

#endif
