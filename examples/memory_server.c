// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Lend memory to one client, which may read and write it by RDMA.
 *
 * usage: memory_server [-p PORT] NETDEV FILE
 *
 *   truncate -s 1M /dev/shm/lent
 *   xroce link add dev eth0
 *   memory_server eth0 /dev/shm/lent	# and on the client, see memory_client.c
 *
 * The memory is a file on tmpfs, so that other programs can look at it. Its pages are
 * pinned, and count against RLIMIT_MEMLOCK. The server ends with the client; closing the
 * handle destroys all objects made with it.
 */
#include <stdio.h>
#include <unistd.h>

#include <sys/mman.h>

#include "connect.h"

#define ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ)

static int lend(struct xroce *x, __u32 pd, void *mem, size_t length,
		const char *port)
{
	struct xroce_mr_reg mr = {
		.pd = pd,
		.access = ACCESS | XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)mem,
		.length = length,
		.iova = (uintptr_t)mem,	/* the client's address of the first byte */
		.name = "memory_server",
	};
	int err = xroce_mr_reg(x, &mr);

	if (err)
		return complain("region", err);
	return connect_serve(x, &mr, ACCESS, port);
}

int main(int argc, char **argv)
{
	const char *port = EXCHANGE_PORT;
	struct xroce *x;
	size_t length;
	int c, status;
	void *mem;
	__u32 pd;

	while ((c = getopt(argc, argv, "p:")) == 'p')
		port = optarg;
	if (c != -1 || argc - optind != 2) {
		fprintf(stderr, "usage: %s [-p PORT] NETDEV FILE\n", argv[0]);
		return 2;
	}
	mem = connect_map(argv[optind + 1], true, &length);
	if (!mem)
		return 1;
	x = connect_open(argv[optind], &pd);
	if (!x)
		return 1;
	status = lend(x, pd, mem, length, port);
	xroce_close(x);
	munmap(mem, length);
	return status;
}
