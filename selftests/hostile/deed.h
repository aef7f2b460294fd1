/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands each of whose allocations fails once. Then the command has failed, with an
 * error that it is documented to have, and has changed nothing; or it does without.
 * What it takes is there again in the end.
 */
#ifndef XROCE_DEED_H
#define XROCE_DEED_H

#include <sys/types.h>

#include "abi.h"
#include "fault.h"

#define DEED_MOST	400u	/* places that a command can have */
/* Where nothing else is near, so that page tables are missing, too. */
#define DEED_FAR	((char *)0x100000000000)
#define DEED_PAGES	6u

/**
 * struct deed - a command, and what makes it succeed
 * @name: for people
 * @nr: XROCE_CMD_*
 * @fill: make the structure, and what it refers to
 */
struct deed {
	const char *name;
	unsigned long nr;
	void (*fill)(int fd, union arg *a);
};

/* Do each of them, with each place failing. */
void deeds_run(const struct deed *deeds, size_t n);

/* The device; the link on LIVE_DEV; a protection domain. */
int deed_open(void);
void deed_use_link(int fd);
__u32 deed_pd(int fd);

/* DEED_PAGES at DEED_FAR that nobody has touched, in this process or in another one. */
void deed_memory(void);
pid_t deed_process(void);

/* Give back those two, and a link on LIVE_SPARE. */
void deed_clean(void);

#endif /* XROCE_DEED_H */
