// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

#include "connect.h"

int complain(const char *what, int err)
{
	fprintf(stderr, "%s: %s\n", what, strerror(err < 0 ? -err : err));
	return 1;
}

struct xroce *connect_open(const char *netdev, __u32 *pd)
{
	struct xroce *x = xroce_open(netdev);
	int err;

	if (!x) {
		if (errno == ENOENT)
			fprintf(stderr, "%s: no link; xroce link add dev %s\n",
				netdev, netdev);
		else if (errno == ENXIO)
			fprintf(stderr, "xroce.ko is not loaded\n");
		else
			complain(netdev, errno);
		return NULL;
	}
	err = xroce_pd_add(x, 0, pd);
	if (err) {
		complain("protection domain", err);
		xroce_close(x);
		return NULL;
	}
	return x;
}

void *connect_map(const char *path, bool writable, size_t *length)
{
	int prot = PROT_READ | (writable ? PROT_WRITE : 0);
	int fd = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	void *mem = MAP_FAILED;
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st)) {
		*length = st.st_size;
		mem = mmap(NULL, *length, prot, MAP_SHARED, fd, 0);
	}
	if (mem == MAP_FAILED)
		complain(path, errno);
	if (fd >= 0)
		close(fd);
	return mem == MAP_FAILED ? NULL : mem;
}

static int connect_qp(struct xroce *x, __u32 access, const struct end *own,
		      const struct end *peer)
{
	struct xroce_connect connect = {
		.size = sizeof(connect),
		.qpn = own->qpn,
		.access = access,
		.path_mtu = XROCE_MTU_1024,	/* the client uses the same */
		.dest_qpn = peer->qpn,
		.rq_psn = peer->psn,
	};

	memcpy(connect.sgid, own->gid, 16);
	memcpy(connect.dgid, peer->gid, 16);
	return xroce_qp_connect(x, &connect);
}

int connect_client(struct xroce *x, int fd, __u32 access, struct end *own)
{
	const char *what = "the client's line";
	struct end peer;
	int err = exchange_receive(fd, &peer);

	if (!err) {
		what = "own address";
		err = exchange_gid(fd, own->gid);
	}
	if (!err) {
		what = "connection";
		own->psn = 0;	/* it sends no requests */
		err = connect_qp(x, access, own, &peer);
	}
	if (err)
		complain(what, err);
	return err;
}

void connect_report(struct xroce *x, __u32 qpn)
{
	struct xroce_qp_query q = { .qpn = qpn };
	int err = xroce_qp_query(x, &q);

	if (err) {
		complain("query", err);
		return;
	}
	printf("packets %llu bytes %llu state %s\n",
	       (unsigned long long)q.packets, (unsigned long long)q.bytes,
	       q.state == XROCE_QPS_ERR ? "refused" : "good");
}

int connect_serve(struct xroce *x, const struct xroce_mr_reg *mr, __u32 access,
		  const char *port)
{
	struct end own = {
		.rkey = mr->rkey, .addr = mr->iova, .length = mr->length,
	};
	int fd, err = xroce_qp_create_responder(x, 0, mr->pd, &own.qpn);

	if (err)
		return complain("queue pair", err);
	fd = exchange_accept(port);
	if (fd < 0)
		return complain(port, fd);
	err = connect_client(x, fd, access, &own);
	if (!err) {
		err = exchange_send(fd, &own);
		if (err)
			complain("answer", err);
	}
	if (!err) {
		/* From here on XDP and the module serve the client; this process only waits. */
		exchange_closed(fd, -1);
		connect_report(x, own.qpn);
	}
	close(fd);
	return err ? 1 : 0;
}
