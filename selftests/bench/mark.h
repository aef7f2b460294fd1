/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks in a program, for where.c: an instruction that does nothing and occurs nowhere else. */
#ifndef XROCE_BENCH_MARK_H
#define XROCE_BENCH_MARK_H

/* nopl disp32(%rax,%rax), whose displacement says which mark it is; where.c looks for its bytes */
#define MARK_BEGIN	0x78726f31u
#define MARK_END	0x78726f32u

#ifdef __x86_64__
#define mark(which) do {						\
	asm volatile(".byte 0x0f, 0x1f, 0x84, 0x00\n\t.long %c0" : :	\
		     "i"(which) : "memory");				\
} while (0)
#else
#define mark(which)	((void)(which))
#endif

#endif /* XROCE_BENCH_MARK_H */
