/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file whose bytes do not come: a FUSE server that answers everything except READ. A page fault
 * on this file waits until fuse_come(), or until the server ends.
 */
#ifndef XROCE_FUSE_TEST_H
#define XROCE_FUSE_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

/**
 * struct fuse_reads - shared with the server
 * @count: READ requests that it has received
 * @come: it answers them
 */
struct fuse_reads {
	unsigned int count;
	bool come;
};

/**
 * struct fuse - the file and its server
 * @fd: the file, open for reading and writing; -1: none
 * @server: process that serves it; 0: it has ended
 * @reads: in shared memory
 */
struct fuse {
	int fd;
	pid_t server;
	struct fuse_reads *reads;
};

/* Serve a file of @bytes. Return: false, after a failed check, if that does not work. */
bool fuse_open(struct fuse *f, size_t bytes);

/* Wait until the server has received a READ. */
bool fuse_wait_read(struct fuse *f);

/* Let the bytes come, from now on. */
void fuse_come(struct fuse *f);

/* End the server: pending page faults fail. */
void fuse_abort(struct fuse *f);

/* End the server, close the file and unmount it. */
void fuse_close(struct fuse *f);

#endif /* XROCE_FUSE_TEST_H */
