// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>

#include "live.h"
#include "live_qp.h"
#include "packet.h"
#include "probe.h"

static bool connected(struct probe *p)
{
	int ret;

	ret = qp_move(p->x, p->qpn, XROCE_QPS_RESET, 0) ? :
	      qp_move(p->x, p->qpn, XROCE_QPS_INIT,
		      XROCE_QP_ACCESS | XROCE_QP_PKEY) ? :
	      qp_move(p->x, p->qpn, XROCE_QPS_RTR, RTR_ATTRS);
	return check(!ret, "connect: %d", ret);
}

bool probe_open(struct probe *p, struct xroce *x, __u32 pd)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = if_nametoindex("c0"),
	};
	int ret;

	*p = (struct probe){ .x = x };
	p->sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	p->qp_map = xroce_pin_open(LIVE_DEV, "qp");
	ret = xroce_qp_create_responder(x, 0, pd, &p->qpn);
	return check(!ret && p->qp_map >= 0 &&
		     !bind(p->sock, (struct sockaddr *)&addr, sizeof(addr)),
		     "queue pair %d, socket %s", ret, strerror(errno)) &&
	       connected(p);
}

void probe_close(struct probe *p)
{
	check_is(xroce_qp_del(p->x, p->qpn), 0, "QP_DEL");
	close(p->sock);
	close(p->qp_map);
}

static struct xroce_qp entry_of(const struct probe *p)
{
	__u32 slot = p->qpn % LIVE_QP_ENTRIES;
	struct xroce_qp e = {};

	check(!bpf_map_lookup_elem(p->qp_map, &slot, &e), "qp entry");
	return e;
}

struct outcome {
	const struct probe *p;
	__u32 psn;
	int cause;
};

static bool judged(void *arg)
{
	struct outcome *o = arg;
	struct xroce_qp e = entry_of(o->p);

	o->cause = e.error;
	return e.error || e.epsn != o->psn;
}

int probe_write(struct probe *p, __u32 rkey, __u64 va, __u32 len)
{
	static struct frame frame;
	struct outcome o = { .p = p, .psn = entry_of(p).epsn };
	struct packet packet = packet_write(len);

	packet.dqpn = p->qpn;
	packet.psn = o.psn;
	packet.rkey = rkey;
	packet.va = va;
	p->pattern += 37;
	packet.pattern = p->pattern;
	packet_build(&packet, &frame);
	if (!check(send(p->sock, frame.bytes, frame.len, 0) > 0, "send: %s",
		   strerror(errno)) ||
	    !check(live_wait(judged, &o), "the packet is not judged"))
		return -1;
	if (o.cause && !connected(p))
		return -1;
	return o.cause;
}

void probe_lands(struct probe *p, __u32 rkey, __u64 va, __u32 len,
		 const void *at)
{
	const __u8 *bytes = at;
	int cause = probe_write(p, rkey, va, len);
	__u32 i;

	if (!check(!cause, "WRITE by %#x at %#llx: cause %d", rkey, va, cause))
		return;
	for (i = 0; i < len; i++)
		if (!check(bytes[i] == packet_pattern(p->pattern, i),
			   "WRITE by %#x at %#llx: byte %u is %#x, not %#x",
			   rkey, va, i, bytes[i],
			   packet_pattern(p->pattern, i)))
			return;
}

void probe_refused(struct probe *p, __u32 rkey, __u64 va, int cause)
{
	int got = probe_write(p, rkey, va, 1);

	check(got == cause, "WRITE by %#x at %#llx: cause %d, not %d", rkey, va,
	      got, cause);
}
