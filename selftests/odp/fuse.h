/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file whose bytes never come: a FUSE server that answers everything except READ. A page
 * fault on this file waits until the server ends.
 */
#ifndef XROCE_FUSE_TEST_H
#define XROCE_FUSE_TEST_H

#include <stdbool.h>
#include <stddef.h>

#include <sys/types.h>

/**
 * struct fuse - the file and its server
 * @fd: the file, open for reading and writing; -1: none
 * @server: process that serves it; 0: it has ended
 * @reads: READ requests that it has received; in shared memory
 */
struct fuse {
	int fd;
	pid_t server;
	unsigned int *reads;
};

/* Serve a file of @bytes. Return: false, after a failed check, if that does not work. */
bool fuse_open(struct fuse *f, size_t bytes);

/* Wait until the server has received a READ. */
bool fuse_wait_read(struct fuse *f);

/* End the server: pending page faults fail. */
void fuse_abort(struct fuse *f);

/* End the server, close the file and unmount it. */
void fuse_close(struct fuse *f);

#endif /* XROCE_FUSE_TEST_H */
