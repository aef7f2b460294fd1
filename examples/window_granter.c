// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Lend memory to one client for a limited time: grant it a memory window, and revoke the
 * window while the client writes. While packets arrive, neither needs a system call. After
 * the revocation the client cannot change the memory any more.
 *
 * usage: window_granter [-p PORT] [-t MS] [-l BYTES] NETDEV
 *
 *   xroce link add dev eth0
 *   window_granter -t 2000 eth0
 *   memory_client -n 1000000 rxe0 10.0.0.2 photo.jpg	# on the client
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>

#include "connect.h"

#define ACCESS	(XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ)
#define ENTRIES	16

struct granter {
	struct xroce *x;
	struct xroce_cq *cq;
	struct xroce_send *send;
	struct end own;
	char *mem;
	size_t length;
	int ms;
};

/* Execute posted work requests now, instead of with the next packet, and poll the completion. */
static int complete(struct granter *g, const char *what)
{
	int n, err = xroce_send_doorbell(g->send);
	struct xroce_cqe cqe;

	if (err)
		return complain(what, err);
	do {
		n = xroce_cq_poll(g->cq, &cqe, 1);
	} while (!n);
	if (n < 0)
		return complain(what, n);
	if (cqe.status == XROCE_WC_SUCCESS)
		return 0;
	fprintf(stderr, "%s: status %u\n", what, cqe.status);
	return 1;
}

/* The region grants the client no rights; only the window does. */
static int prepare(struct granter *g, __u32 pd, struct xroce_wr *bind)
{
	struct xroce_mr_reg mr = {
		.pd = pd,
		.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND,
		.addr = (uintptr_t)g->mem,
		.length = g->length,
		.iova = (uintptr_t)g->mem,
	};
	struct xroce_mw_add mw = { .pd = pd, .type = XROCE_MW_TYPE_2B };
	struct xroce_qp_add qp = { .pd = pd, .type = XROCE_QPT_RC, .send_entries = ENTRIES };
	int err;

	g->cq = xroce_cq_add(g->x, ENTRIES);
	if (!g->cq)
		return complain("completion queue", errno);
	qp.send_cq = xroce_cq_id(g->cq);
	err = xroce_mr_reg(g->x, &mr);
	if (err)
		return complain("region", err);
	err = xroce_mw_add(g->x, &mw);
	if (err)
		return complain("window", err);
	err = xroce_qp_create(g->x, &qp, NULL);
	if (err)
		return complain("queue pair", err);
	g->send = xroce_send_open(g->x, &qp);
	if (!g->send)
		return complain("send queue", errno);
	*bind = (struct xroce_wr){
		.opcode = XROCE_WR_BIND_MW,
		.flags = XROCE_SEND_SIGNALED,
		.imm_or_key = xroce_inc_rkey(mw.rkey),
		.rkey = mr.lkey,
		.addr = mr.iova,
		.length = g->length,
		.access = ACCESS,
	};
	g->own.qpn = qp.qpn;
	g->own.rkey = bind->imm_or_key;
	g->own.addr = mr.iova;
	g->own.length = g->length;
	return 0;
}

/* Revoke the window, and check that no later WRITE of the client arrives. */
static int take_back(struct granter *g, int fd)
{
	const struct xroce_wr wr = {
		.opcode = XROCE_WR_LOCAL_INV,
		.flags = XROCE_SEND_SIGNALED,
		.imm_or_key = g->own.rkey,
	};
	size_t i;
	int err;

	printf("the client has written %s\n", g->mem[0] ? "something" : "nothing");
	err = xroce_post_send(g->send, &wr, 1);
	if (err)
		return complain("revoke", err);
	if (complete(g, "revoke"))
		return 1;
	memset(g->mem, 0x5a, g->length);
	exchange_closed(fd, -1);
	for (i = 0; i < g->length; i++) {
		if (g->mem[i] != 0x5a) {
			fprintf(stderr, "byte %zu written after all\n", i);
			return 1;
		}
	}
	printf("revoked, and nothing written since\n");
	return 0;
}

static int grant(struct granter *g, __u32 pd, const char *port)
{
	struct xroce_wr bind;
	int fd, err, status = 1;

	if (prepare(g, pd, &bind))
		return 1;
	fd = exchange_accept(port);
	if (fd < 0)
		return complain(port, fd);
	err = connect_client(g->x, fd, ACCESS, &g->own);
	if (!err) {
		err = xroce_post_send(g->send, &bind, 1);
		if (!err && complete(g, "grant"))
			goto out;
		/* The window is bound before the client knows its key. */
		if (!err)
			err = exchange_send(fd, &g->own);
		if (err)
			complain("grant", err);
	}
	if (!err) {
		exchange_closed(fd, g->ms);
		status = take_back(g, fd);
		connect_report(g->x, g->own.qpn);
	}
out:
	close(fd);
	return status;
}

int main(int argc, char **argv)
{
	struct granter g = { .length = 1 << 20, .ms = 1000 };
	const char *port = EXCHANGE_PORT;
	int c, status;
	__u32 pd;

	while ((c = getopt(argc, argv, "p:t:l:")) != -1) {
		if (c == 'p')
			port = optarg;
		else if (c == 't')
			g.ms = atoi(optarg);
		else if (c == 'l')
			g.length = strtoull(optarg, NULL, 0);
		else
			break;
	}
	if (c != -1 || argc - optind != 1 || g.ms < 0 || !g.length) {
		fprintf(stderr, "usage: %s [-p PORT] [-t MS] [-l BYTES] NETDEV\n",
			argv[0]);
		return 2;
	}
	g.mem = mmap(NULL, g.length, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (g.mem == MAP_FAILED)
		return complain("memory", errno);
	g.x = connect_open(argv[optind], &pd);
	if (!g.x)
		return 1;
	status = grant(&g, pd, port);
	xroce_close(g.x);	/* closes everything made with it */
	munmap(g.mem, g.length);
	return status;
}
