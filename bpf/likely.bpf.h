/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is common and what is not: only four registers survive a call, and the compiler
 * is told whose way is to have them.
 */
#ifndef _XROCE_LIKELY_BPF_H
#define _XROCE_LIKELY_BPF_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/*
 * An int that is not 0, which is rare. The compiler would make one decision of this
 * and of those that follow on it.
 */
#define failed(x) ({			\
	int _x = (x);			\
					\
	if (unlikely(_x))		\
		barrier_var(_x);	\
	unlikely(_x);			\
})

/*
 * A constant of a way of its own. The compiler would put one after the other into a
 * register, on the common way, for where the rare ones meet.
 */
#define because(x) ({			\
	int _x = (x);			\
					\
	barrier_var(_x);		\
	_x;				\
})

#endif
