// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Serve a file to one client, which may read and, with -w, write it by RDMA. The file may
 * be larger than memory, because nothing is pinned: the kernel reads pages in when the
 * client accesses them, and writes back and reclaims them when it needs the memory.
 *
 * usage: odp_file_server [-w] [-p PORT] NETDEV FILE
 *
 *   xroce link add dev eth0
 *   odp_file_server -w eth0 disk.img	# and on the client, see memory_client.c
 *
 * Prints the key and the address of the first byte, and finally the number of pages read
 * in. If the file is truncated meanwhile, the client gets remote access errors; this
 * process would get a SIGBUS if it touched the memory.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "connect.h"

/* Print the counters of on-demand memory; "invalidated": taken back by the kernel. */
static int report(struct xroce *x, __u32 mr)
{
	struct xroce_mr_query q = { .mr = mr };
	int err = xroce_mr_query(x, &q);

	if (err)
		return complain("region", err);
	printf("faults %llu fault_pages %llu invalidated %llu resident %llu of %llu\n",
	       (unsigned long long)q.odp_faults,
	       (unsigned long long)q.odp_pages,
	       (unsigned long long)q.odp_invalidated,
	       (unsigned long long)q.odp_resident,
	       (unsigned long long)q.pages);
	return 0;
}

static int serve(struct xroce *x, __u32 pd, void *mem, size_t length,
		 bool writable, const char *port)
{
	__u32 access = XROCE_ACCESS_REMOTE_READ;
	struct xroce_mr_reg mr = {
		.pd = pd,
		.addr = (uintptr_t)mem,
		.length = length,
		.iova = 0,		/* the client uses offsets in the file as addresses */
		.name = "odp_file_server",
	};
	int err;

	mr.access = XROCE_ACCESS_ON_DEMAND | XROCE_ACCESS_REMOTE_READ;
	if (writable) {
		mr.access |= XROCE_ACCESS_LOCAL_WRITE |
			     XROCE_ACCESS_REMOTE_WRITE;
		access |= XROCE_ACCESS_REMOTE_WRITE;
	}
	err = xroce_mr_reg(x, &mr);
	if (err)
		return complain("region", err);
	printf("rkey 0x%08x addr 0x%llx length %llu\n", mr.rkey,
	       (unsigned long long)mr.iova, (unsigned long long)mr.length);
	fflush(stdout);
	err = connect_serve(x, &mr, access, port);
	return report(x, mr.mr) || err;
}

int main(int argc, char **argv)
{
	const char *port = EXCHANGE_PORT;
	bool writable = false;
	struct xroce *x;
	size_t length;
	int c, status;
	void *mem;
	__u32 pd;

	while ((c = getopt(argc, argv, "wp:")) != -1) {
		if (c == 'w')
			writable = true;
		else if (c == 'p')
			port = optarg;
		else
			break;
	}
	if (c != -1 || argc - optind != 2) {
		fprintf(stderr, "usage: %s [-w] [-p PORT] NETDEV FILE\n", argv[0]);
		return 2;
	}
	mem = connect_map(argv[optind + 1], writable, &length);
	if (!mem)
		return 1;
	x = connect_open(argv[optind], &pd);
	if (!x)
		return 1;
	status = serve(x, pd, mem, length, writable, port);
	xroce_close(x);
	munmap(mem, length);
	return status;
}
