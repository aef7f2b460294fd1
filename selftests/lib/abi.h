/* SPDX-License-Identifier: GPL-2.0-only */
/* All ioctl commands, each with a function that prepares a call that succeeds. For abi_test. */
#ifndef XROCE_ABI_TEST_H
#define XROCE_ABI_TEST_H

#include "live.h"
#include "xroce_cmd.h"

#define PAGE	4096u

union arg {
	struct {
		__u32 size;
		__u32 flags;
	};
	union xroce_cmd cmd;
	__u8 bytes[2 * PAGE];
};

/**
 * struct command - an ioctl command
 * @name: name in messages
 * @nr: XROCE_CMD_*
 * @size: bytes of its structure
 * @flags: XROCE_F_* that it accepts
 * @reserved: offsets of the reserved words that are input
 * @bare: it works on a descriptor without a link
 * @fill: fills in the structure so that the command succeeds
 * @first: bytes of its structure in the first release of the interface; 0: as @size
 */
struct command {
	const char *name;
	unsigned long nr;
	__u32 size;
	__u32 flags;
	__u32 reserved[3];
	bool bare;
	void (*fill)(int fd, union arg *a);
	__u32 first;
};

extern const struct command commands[];
extern const size_t commands_count;

/* Run a command that other commands depend on. The test fails if the command does. */
void must(int fd, unsigned long nr, void *arg);

/* Close the map descriptors in an argument of LINK_MAPS. */
void close_maps(union arg *a);

#endif /* XROCE_ABI_TEST_H */
