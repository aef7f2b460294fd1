/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands run once for each allocation that they make, with that allocation failing.
 * Either the command fails with a documented error and changes nothing, or it succeeds
 * without the memory. Its resources are released in the end.
 */
#ifndef XROCE_ALLOC_CASE_H
#define XROCE_ALLOC_CASE_H

#include <stdbool.h>
#include <sys/types.h>

#include "abi.h"
#include "fault.h"

#define ALLOC_CASE_MOST	400u	/* allocations of a command, at most */
/* Far from all other mappings, so that page tables have to be allocated, too. */
#define ALLOC_CASE_FAR	((char *)0x100000000000)
#define ALLOC_CASE_PAGES	6u

/**
 * struct alloc_case - a command, and what makes it succeed
 * @name: printed in messages
 * @nr: XROCE_CMD_*
 * @fill: fills in the structure and makes the objects that it names
 * @claims: it may fail for want of memory, although the command usually allocates none
 */
struct alloc_case {
	const char *name;
	unsigned long nr;
	void (*fill)(int fd, union arg *a);
	bool claims;
};

/* Run each case once for each of its allocations. */
void alloc_cases_run(const struct alloc_case *cases, size_t n);

/* Open the device; choose the link on LIVE_DEV; make a protection domain. */
int alloc_case_open(void);
void alloc_case_use_link(int fd);
__u32 alloc_case_pd(int fd);

/* Map ALLOC_CASE_PAGES untouched pages at ALLOC_CASE_FAR, in this process or in a new one. */
void alloc_case_memory(void);
pid_t alloc_case_process(void);

/* Undo both, and delete a link on LIVE_SPARE. */
void alloc_case_clean(void);

#endif /* XROCE_ALLOC_CASE_H */
