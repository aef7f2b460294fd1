/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hints for the compiler. Only four registers survive a call, and the frequent path should
 * get them.
 */
#ifndef _XROCE_LIKELY_BPF_H
#define _XROCE_LIKELY_BPF_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/*
 * True if the int @x is not 0, which is rare. The barrier keeps the compiler from merging this test
 * with later tests of @x.
 */
#define failed(x) ({			\
	int _x = (x);			\
					\
	if (unlikely(_x))		\
		barrier_var(_x);	\
	unlikely(_x);			\
})

/*
 * Keep the constant @x off the frequent path. Without the barrier the compiler loads the
 * constants of several rare paths into a register on the frequent path, before the branches.
 */
#define because(x) ({			\
	int _x = (x);			\
					\
	barrier_var(_x);		\
	_x;				\
})

#endif
