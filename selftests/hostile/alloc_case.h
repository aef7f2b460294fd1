/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands each of whose allocations fails once. Then the command has failed, with an
 * error that it is documented to have, and has changed nothing; or it does without.
 * What it takes is there again in the end.
 */
#ifndef XROCE_ALLOC_CASE_H
#define XROCE_ALLOC_CASE_H

#include <sys/types.h>

#include "abi.h"
#include "fault.h"

#define ALLOC_CASE_MOST	400u	/* places that a command can have */
/* Where nothing else is near, so that page tables are missing, too. */
#define ALLOC_CASE_FAR	((char *)0x100000000000)
#define ALLOC_CASE_PAGES	6u

/**
 * struct alloc_case - a command, and what makes it succeed
 * @name: for people
 * @nr: XROCE_CMD_*
 * @fill: make the structure, and what it refers to
 */
struct alloc_case {
	const char *name;
	unsigned long nr;
	void (*fill)(int fd, union arg *a);
};

/* Do each of them, with each place failing. */
void alloc_cases_run(const struct alloc_case *cases, size_t n);

/* The device; the link on LIVE_DEV; a protection domain. */
int alloc_case_open(void);
void alloc_case_use_link(int fd);
__u32 alloc_case_pd(int fd);

/*
 * ALLOC_CASE_PAGES at ALLOC_CASE_FAR that nobody has touched, in this process or in
 * another one.
 */
void alloc_case_memory(void);
pid_t alloc_case_process(void);

/* Give back those two, and a link on LIVE_SPARE. */
void alloc_case_clean(void);

#endif /* XROCE_ALLOC_CASE_H */
