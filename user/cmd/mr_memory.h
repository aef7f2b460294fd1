/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The memory of a region, as "mr add" and "mr change" get it on the command line. */
#ifndef _XROCE_MR_MEMORY_H
#define _XROCE_MR_MEMORY_H

#include "arg.h"
#include "libxroce.h"
#include "limit_reason.h"

/* Why a region is not registered, whatever its memory is. */
extern const struct reason mr_reasons[];

/**
 * struct mr_memory - the memory of a region, as given on the command line
 * @file: path of a file; NULL: none
 * @phys: text of the list of physical addresses; NULL: none
 * @pages: the parsed list, allocated
 * @npages: number of elements in @pages
 * @page_size: size of the physical pages in bytes
 * @offset: offset in the file, or in the first page
 * @addr: address in process @pid
 * @length: bytes; 0: to the end of the file or of the pages
 * @iova: address for peers
 * @pid: process whose memory it is
 * @all: the whole address space of the process
 */
struct mr_memory {
	const char *file;
	const char *phys;
	__u64 *pages;
	__u32 npages;
	__u64 page_size;
	__u64 offset;
	__u64 addr;
	__u64 length;
	__u64 iova;
	__u32 pid;
	bool all;
};

/* The arguments that describe memory. They come first in the table of a verb. */
enum {
	MEMORY_PID,
	MEMORY_ADDR,
	MEMORY_SIZE,
	MEMORY_OFFSET,
	MEMORY_IOVA,
	MEMORY_FILE,
	MEMORY_PHYS,
	MEMORY_PAGE_SIZE,
	MEMORY_ALL,
	MEMORY_WORDS
};

#define MEMORY_ARGS(m) \
	[MEMORY_PID] = { "pid", &arg_number, &(m).pid, ARG_OPTIONAL }, \
	[MEMORY_ADDR] = { "addr", &arg_address, &(m).addr, ARG_OPTIONAL }, \
	[MEMORY_SIZE] = { "size", &arg_size, &(m).length, ARG_OPTIONAL }, \
	[MEMORY_OFFSET] = { "offset", &arg_size, &(m).offset, ARG_OPTIONAL }, \
	[MEMORY_IOVA] = { "iova", &arg_address, &(m).iova, ARG_OPTIONAL }, \
	[MEMORY_FILE] = { "file", &arg_text, &(m).file, ARG_OPTIONAL }, \
	[MEMORY_PHYS] = { "phys", &arg_text, &(m).phys, ARG_OPTIONAL }, \
	[MEMORY_PAGE_SIZE] = { "page-size", &arg_size, &(m).page_size, ARG_OPTIONAL }, \
	[MEMORY_ALL] = { "all", &arg_flag, &(m).all, ARG_OPTIONAL }

/* Check that the arguments that describe memory are complete and go together. */
int mr_memory_check(struct mr_memory *m, const struct arg *args);

/* Length of the region in bytes, for messages. Without a size, a file is taken to its end. */
__u64 mr_memory_bytes(const struct mr_memory *m);

/* Bytes that memory pins from the beginning of its first page on; @begin: of the memory. */
__u64 mr_memory_pins(__u64 begin, __u64 length, __u32 access);

/* Open the file. Return: a descriptor; -1: not possible, and the error has been printed. */
int mr_memory_open(const struct mr_memory *m, __u32 access);

/**
 * struct mr_wish - a region that is to be, over such memory
 * @name: its name on the command line; NULL: none
 * @pd: its protection domain
 * @access: its rights
 * @count: what it is charged as: XROCE_COUNT_MR; if it exists, XROCE_COUNT_PINNED
 */
struct mr_wish {
	const char *name;
	__u32 pd;
	__u32 access;
	enum xroce_counted count;
};

/* Print why it could not be registered. Return: EXIT_ERROR. */
int mr_memory_failed(struct xroce *x, const struct mr_memory *m, const struct mr_wish *wish,
		     int err);

static inline __u32 mr_memory_page_shift(const struct mr_memory *m)
{
	return __builtin_ctzll(m->page_size);
}

#endif /* _XROCE_MR_MEMORY_H */
