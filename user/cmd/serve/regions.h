/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The named regions of xroce serve: memory that outlives its clients and, if it belongs to a
 * file, also the server.
 *
 * A region is registered once in a protection domain without queue pairs. For each client that
 * requests it, it is registered again over the same memory in the client's protection domain.
 * Thus a key is valid only for one client, and only until that client leaves.
 */
#ifndef _XROCE_REGIONS_H
#define _XROCE_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"

#define REGIONS_MAX	64

/**
 * struct region - memory with a name
 * @name: its name, of letters, digits, '.', '_' and '-'
 * @path: path of its file; NULL: anonymous memory
 * @size: bytes; 0: the length of the file
 * @iova: address by which clients name the first byte
 * @access: rights of clients, XROCE_ACCESS_REMOTE_* and XROCE_ACCESS_FLUSH_GLOBAL; local
 *	rights that these need; and XROCE_ACCESS_ON_DEMAND
 * @fd: descriptor of the locked file; -1: none
 * @buf: address of the mapping; MAP_FAILED: not mapped
 * @mr: handle of the region
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

/* Rights that clients can have. */
#define REGION_REMOTE	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ | \
			 XROCE_ACCESS_REMOTE_ATOMIC | XROCE_ACCESS_FLUSH_GLOBAL)

/**
 * regions_parse() - read "region NAME size SIZE ... region NAME ..."
 * @regions: out
 * @argc: number of words
 * @argv: the words; names and paths in @regions point to them
 *
 * Return: EXIT_OK, or EXIT_USAGE after printing an error.
 */
int regions_parse(struct regions *regions, int argc, char **argv);

/**
 * regions_open() - map and register the memory of all regions
 * @regions: as returned by regions_parse()
 * @x: the handle
 * @pd: protection domain of the regions
 *
 * Return: an exit status; an error has been printed. After success and after failure,
 * regions_close() must be called.
 */
int regions_open(struct regions *regions, struct xroce *x, __u32 pd);

/* Return: the region of that name, or NULL. */
const struct region *regions_find(const struct regions *regions,
				  const char *name);

/* Print the regions, as an array in the object that is being printed. */
void regions_print(const struct regions *regions);

/**
 * regions_close() - write the memory back to the files, and unmap it
 * @regions: the regions
 *
 * Must be called after the handle is closed, so that clients no longer write.
 *
 * Return: an exit status; an error has been printed.
 */
int regions_close(struct regions *regions);

#endif /* _XROCE_REGIONS_H */
