/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The named regions of xroce serve: memory that outlives its clients or, where it
 * lies over a file, the server as well.
 *
 * A region is registered once, in a protection domain without queue pairs, and for
 * each client that wants it again, over the same memory, in the client's domain:
 * no client's key is good for another one, and none for longer than the client.
 */
#ifndef _XROCE_REGIONS_H
#define _XROCE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"

#define REGIONS_MAX	64

/**
 * struct region - memory with a name
 * @name: of letters, digits, '.', '_' and '-'
 * @path: file that it lies over; NULL: fresh memory
 * @size: bytes; 0: those that the file has
 * @iova: address by which clients name the first byte
 * @access: what clients may do: XROCE_ACCESS_REMOTE_*, XROCE_ACCESS_FLUSH_GLOBAL;
 *	and the local rights that this takes, XROCE_ACCESS_ON_DEMAND among them
 * @fd: the file, with a lock; -1: none
 * @buf: where it is mapped; MAP_FAILED: nowhere
 * @mr: its handle
 */
struct region {
	const char *name;
	const char *path;
	__u64 size;
	__u64 iova;
	__u32 access;
	int fd;
	void *buf;
	__u32 mr;
};

struct regions {
	struct region all[REGIONS_MAX];
	size_t n;
};

/* What of the rights is for clients. */
#define REGION_REMOTE	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC | XROCE_ACCESS_FLUSH_GLOBAL)

/**
 * regions_parse() - read "region NAME size SIZE ... region NAME ..."
 * @regions: out
 * @argc: number of words
 * @argv: the words, to which the names refer from then on
 *
 * Return: EXIT_OK, or EXIT_USAGE after saying why.
 */
int regions_parse(struct regions *regions, int argc, char **argv);

/**
 * regions_open() - map the memory of all, and register it
 * @regions: as read
 * @x: the handle
 * @pd: protection domain of what is registered
 *
 * Return: an exit status; what is wrong has been said. regions_close() takes back
 * what has been done, in either case.
 */
int regions_open(struct regions *regions, struct xroce *x, __u32 pd);

/* Return: the region of that name, or NULL. */
const struct region *regions_find(const struct regions *regions,
				  const char *name);

/* Print them, as an array of the object that is being printed. */
void regions_print(const struct regions *regions);

/**
 * regions_close() - unmap all, with what was written brought to the files
 * @regions: as opened
 *
 * To be called when the handle has been closed, so that nobody writes any more.
 *
 * Return: an exit status; what is wrong has been said.
 */
int regions_close(struct regions *regions);

#endif /* _XROCE_REGIONS_H */
