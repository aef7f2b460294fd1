// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "live_mr.h"
#include "send_pair.h"

#define OWN_ADDRESS	"10.77.0.2"

__u8 own[PAIR_BYTES] __attribute__((aligned(4096)));
__u8 far[PAIR_BYTES] __attribute__((aligned(4096)));

static void own_mac(__u8 mac[6])
{
	struct ifreq ifr = { .ifr_name = LIVE_DEV };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	check(fd >= 0 && !ioctl(fd, SIOCGIFHWADDR, &ifr), "address of %s", LIVE_DEV);
	memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
	close(fd);
}

struct xroce_qp_add pair_queues(const struct pair *p)
{
	return (struct xroce_qp_add){
		.pd = p->pd,
		.type = p->type,
		.recv_cq = xroce_cq_id(p->cq),
		.rq_entries = 8,
		.rq_max_sge = 1,
		.send_cq = xroce_cq_id(p->cq),
		.send_entries = PAIR_ENTRIES,
		.send_max_sge = PAIR_SGE,
		.send_max_inline = PAIR_INLINE,
	};
}

bool pair_end_open_with(struct pair *p, struct end *e, struct xroce_qp_add *add)
{
	if (!check_is(xroce_qp_create(p->x, add, &e->rq), 0, "create"))
		return false;
	e->qpn = add->qpn;
	e->stride = add->send_stride;
	e->send = xroce_send_open(p->x, add);
	return check(e->send, "send queue: %s", strerror(errno));
}

bool pair_end_open(struct pair *p, struct end *e)
{
	struct xroce_qp_add add = pair_queues(p);

	return pair_end_open_with(p, e, &add);
}

static bool end_connect(struct pair *p, const struct end *e, const struct end *peer)
{
	struct xroce_connect c = {
		.size = sizeof(c),
		.qpn = e->qpn,
		.access = XROCE_ACCESS_REMOTE,
		.dest_qpn = peer->qpn,
		.rq_psn = 0xfffffe,
		.sq_psn = 0xfffffe,
		.sgid = { [10] = 0xff, 0xff },
	};
	int ret;

	inet_pton(AF_INET, OWN_ADDRESS, c.sgid + 12);
	memcpy(c.dgid, c.sgid, sizeof(c.dgid));
	own_mac(c.dmac);
	ret = xroce_qp_connect(p->x, &c);
	return check(!ret, "connect: %d", ret);
}

static bool region(struct pair *p, struct xroce_mr_reg *r, __u8 *bytes, __u32 access)
{
	int ret;

	*r = mr_region(p->pd, bytes, PAIR_BYTES);
	r->iova = (uintptr_t)bytes;
	r->access |= access;
	ret = xroce_mr_reg(p->x, r);
	return check(!ret, "region: %d", ret);
}

bool pair_open(struct pair *p, struct xroce *x, __u32 type)
{
	__u32 i;

	*p = (struct pair){
		.x = x, .type = type, .pd = live_pd(x), .cq = xroce_cq_add(x, 256),
	};
	for (i = 0; i < PAIR_BYTES; i++) {
		own[i] = i * 7 + i / 256;
		far[i] = 0xa5;
	}
	return check(p->cq, "completion queue") && pair_end_open(p, &p->a) && pair_end_open(p, &p->b) &&
	       region(p, &p->own, own, 0) &&
	       region(p, &p->far, far, XROCE_ACCESS_REMOTE_WRITE | XROCE_ACCESS_REMOTE_READ |
				       XROCE_ACCESS_REMOTE_ATOMIC | XROCE_ACCESS_FLUSH_GLOBAL |
				       XROCE_ACCESS_MW_BIND);
}

bool pair_connect(struct pair *p)
{
	return end_connect(p, &p->a, &p->b) && end_connect(p, &p->b, &p->a);
}

static void end_close(struct end *e)
{
	if (e->send)
		xroce_send_close(e->send);
	if (e->rq)
		check(!xroce_qp_destroy(e->rq), "queue pair");
}

void pair_close(struct pair *p)
{
	end_close(&p->a);
	end_close(&p->b);
	check(!p->cq || !xroce_cq_del(p->cq), "completion queue");
}

struct xroce_wr pair_request(const struct pair *p, __u32 opcode, struct xroce_sge_local *sge,
			     __u32 off, __u32 len)
{
	*sge = (struct xroce_sge_local){ (__u64)(uintptr_t)own + off, len, p->own.lkey };
	return (struct xroce_wr){
		.wr_id = 7,
		.opcode = opcode,
		.flags = XROCE_SEND_SIGNALED,
		.rkey = p->far.rkey,
		.addr = (uintptr_t)far + off,
		.num_sge = 1,
		.sge = sge,
	};
}

bool pair_done(struct pair *p, const struct xroce_wr *wr, __u32 status)
{
	struct xroce_cqe cqe = { .wr_id = ~wr->wr_id };
	int ret;

	if (!check_is(xroce_post_send(p->a.send, wr, 1), 0, "post"))
		return false;
	ret = xroce_cq_wait(p->cq, &cqe, 1, 1000 * LIVE_PATIENCE);
	return check(ret == 1 && cqe.wr_id == wr->wr_id && cqe.qpn == p->a.qpn &&
		     cqe.status == status, "opcode %u: %d, completion of %llu with status %u",
		     wr->opcode, ret, cqe.wr_id, cqe.status);
}

bool pair_again(struct pair *p)
{
	struct end *e;

	for (e = &p->a; e; e = e == &p->a ? &p->b : NULL)
		if (!check(!qp_move(p->x, e->qpn, XROCE_QPS_RESET, 0), "reset"))
			return false;
	return pair_connect(p);
}
