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
 * The memory is that of a file on tmpfs, so that it can be looked at. Its pages are
 * pinned, and count against RLIMIT_MEMLOCK. Ends when the client does; closing the
 * handle destroys everything that it made.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "connect.h"

#define ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ)

static void *map_file(const char *path, size_t *length)
{
	void *mem = MAP_FAILED;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		*length = st.st_size;
		mem = mmap(NULL, *length, PROT_READ | PROT_WRITE, MAP_SHARED,
			   fd, 0);
	}
	if (mem == MAP_FAILED)
		complain(path, errno);
	if (fd >= 0)
		close(fd);
	return mem == MAP_FAILED ? NULL : mem;
}

static int serve(struct xroce *x, __u32 pd, void *mem, size_t length,
		 const char *port)
{
	struct xroce_mr_reg mr = {
		.pd = pd,
		.access = ACCESS | XROCE_ACCESS_LOCAL_WRITE,
		.addr = (uintptr_t)mem,
		.length = length,
		.iova = (uintptr_t)mem,	/* what the client calls the first byte */
		.name = "memory_server",
	};
	struct end own = {};
	int fd, err;

	err = xroce_mr_reg(x, &mr);
	if (err)
		return complain("region", err);
	err = xroce_qp_add(x, 0, pd, &own.qpn);
	if (err)
		return complain("queue pair", err);
	own.rkey = mr.rkey;
	own.addr = mr.iova;
	own.length = length;

	fd = exchange_accept(port);
	if (fd < 0)
		return complain(port, fd);
	err = connect_client(x, fd, ACCESS, &own);
	if (!err) {
		err = exchange_send(fd, &own);
		if (err)
			complain("answer", err);
	}
	if (!err) {
		/* From here on the client is served without us. */
		exchange_closed(fd, -1);
		connect_report(x, own.qpn);
	}
	close(fd);
	return err ? 1 : 0;
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
	mem = map_file(argv[optind + 1], &length);
	if (!mem)
		return 1;
	x = connect_open(argv[optind], &pd);
	if (!x)
		return 1;
	status = serve(x, pd, mem, length, port);
	xroce_close(x);
	munmap(mem, length);
	return status;
}
