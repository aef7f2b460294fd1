// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/in.h>
#include <net/if.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "sibling_path.h"
#include "counters.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "wire.h"

#define PEER_DEV	"c0"

static const __u32 rights = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE |
			    XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_ATOMIC;

static const uint8_t peer_mac[6] = { 2, 0, 0, 0, 0, 1 };

static void own_address(bool ipv6, int host, uint8_t gid[16])
{
	static const uint8_t v4[16] = { [10] = 0xff, 0xff, 10, 77, 0 };
	static const uint8_t v6[16] = { 0xfd, 0x77 };

	memcpy(gid, ipv6 ? v6 : v4, 16);
	gid[15] = host;
}

static int to_rts(struct wire *w, const struct wire_opts *opts, __u32 type)
{
	struct xroce_qp_modify m = qp_change(w->qpn, XROCE_QPS_INIT,
					     qp_attrs(type, XROCE_QPS_INIT));
	int ret;

	m.qkey = WIRE_QKEY;
	m.access = rights & ~XROCE_ACCESS_LOCAL_WRITE;
	ret = xroce_qp_modify(w->x, &m);
	if (ret)
		return ret;
	m = qp_change_of(type, w->qpn, XROCE_QPS_RTR,
			 qp_attrs(type, XROCE_QPS_RTR));
	m.dest_qpn = w->peer;
	m.tos = opts->tos;
	m.rq_psn = opts->psn ? : WIRE_PSN;
	if (opts->mtu)
		m.path_mtu = opts->mtu;
	own_address(opts->ipv6, 2, m.sgid);
	if (type != XROCE_QPT_UD)
		own_address(opts->ipv6, 1, m.dgid);
	ret = xroce_qp_modify(w->x, &m);
	return ret ? : qp_move(w->x, w->qpn, XROCE_QPS_RTS, !opts->sq ? 0 :
			       type == XROCE_QPT_UC ? XROCE_QP_SQ_PSN | XROCE_QP_DMAC :
						      RTS_SEND_ATTRS);
}

static bool open_qp(struct wire *w, const struct wire_opts *opts, __u32 type)
{
	struct xroce_qp_add add = { .pd = w->pd, .type = type };
	int ret;

	if (opts->recv || opts->sq) {
		w->cq = xroce_cq_add(w->x, opts->cq ? : opts->sq ? 4 * opts->sq : 16);
		if (!check(w->cq, "CQ: %s", strerror(errno)))
			return false;
	}
	if (opts->sq) {
		add.send_cq = xroce_cq_id(w->cq);
		add.send_entries = opts->sq;
		add.send_max_sge = 1;
	}
	if (opts->recv) {
		add.recv_cq = xroce_cq_id(w->cq);
		add.rq_entries = 16;
		add.rq_max_sge = 2;
	}
	ret = xroce_qp_create(w->x, &add, &w->rq);
	w->qpn = add.qpn;
	w->send_stride = add.send_stride;
	if (!check(!ret, "queue pair: %s", strerror(-ret)))
		return false;
	if (opts->sq)
		w->send = xroce_send_open(w->x, &add);
	if (!check(!opts->sq || w->send, "send queue: %s", strerror(errno)))
		return false;
	ret = to_rts(w, opts, type);
	return check(!ret, "to RTS: %s", strerror(-ret));
}

static bool open_mr(struct wire *w)
{
	int ret;

	w->mem = mem_map(WIRE_BYTES / MEM_PAGE);
	if (!w->mem)
		return false;
	w->mr = mr_region(w->pd, w->mem, WIRE_BYTES);
	w->mr.access = rights | XROCE_ACCESS_MW_BIND;
	w->mr.iova = 0x7700000000ull;
	ret = xroce_mr_reg(w->x, &w->mr);
	memset(w->mem, 0, WIRE_BYTES);
	return check(!ret, "region: %s", strerror(-ret));
}

/* veth delivers XDP_TX frames only to a peer with an XDP program. */
static bool peer_polls(const char *from)
{
	char object[PATH_MAX], command[PATH_MAX + 128];
	static bool done;

	if (done && !from)
		return true;
	if (!check(sibling_path("lib/pass.bpf.o", object), "the path of pass.bpf.o"))
		return false;
	snprintf(command, sizeof(command),
		 "ip -force link set %s xdpdrv object %s section xdp.frags",
		 from ? : PEER_DEV, object);
	if (!check(!system(command), "%s", command))
		return false;
	done = done || !from;
	return true;
}

bool wire_socket(struct wire *w)
{
	const char *from = w->opts.from ? : PEER_DEV;
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(from),
	};
	int one = 1, room = 8 << 20;

	if (!peer_polls(w->opts.from))
		return false;
	w->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	/* Outgoing frames would take room in the receive buffer. */
	return check(w->fd >= 0 &&
		     !setsockopt(w->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one,
				 sizeof(one)) &&
		     !setsockopt(w->fd, SOL_SOCKET, SO_RCVBUFFORCE, &room,
				 sizeof(room)) &&
		     !bind(w->fd, (struct sockaddr *)&addr, sizeof(addr)),
		     "%s: %s", from, strerror(errno));
}

static void first_request(struct wire *w, const struct wire_opts *opts,
			  __u32 type)
{
	w->req = (struct packet){
		.dst_mac = { 2, 0, 0, 0, 0, 2 },
		.src_mac = { 2, 0, 0, 0, 0, 1 },
		.ipv6 = opts->ipv6,
		.ttl = 64,
		.frag = opts->ipv6 ? 0 : PACKET_IP_DF,
		.sport = 0xd123,
		.dport = XROCE_UDP_PORT,
		.opcode = type == XROCE_QPT_UD ?
			  XROCE_OP_UD | XROCE_RC_SEND_ONLY :
			  type == XROCE_QPT_UC ?
			  XROCE_OP_UC | XROCE_RC_WRITE_ONLY :
			  XROCE_RC_WRITE_ONLY,
		.pkey = 0xffff,
		.dqpn = w->qpn,
		.ackreq = true,
		.psn = opts->psn ? : WIRE_PSN,
		.va = w->mr.iova,
		.rkey = w->mr.rkey,
		.dmalen = 64,
		.qkey = WIRE_QKEY,
		.sqpn = w->peer,
		.payload = 64,
		.pattern = 0x35,
	};
	own_address(opts->ipv6, 1, w->req.saddr);
	own_address(opts->ipv6, 2, w->req.daddr);
}

bool wire_open(struct wire *w, const struct wire_opts *opts)
{
	__u32 type = opts->type ? : XROCE_QPT_RC;

	memset(w, 0, sizeof(*w));
	w->fd = -1;
	w->opts = *opts;
	w->tos = opts->tos;
	w->peer = opts->peer ? : WIRE_QPN;
	w->shared = opts->with;
	w->x = opts->with ? opts->with->x :
	       opts->dev ? xroce_open(opts->dev) : live_open();
	if (!w->x)
		return false;
	w->pd = opts->with ? opts->with->pd : live_pd(w->x);
	if (!open_qp(w, opts, type) || !open_mr(w) || !wire_socket(w)) {
		wire_close(w);
		return false;
	}
	first_request(w, opts, type);
	return true;
}

bool wire_again(struct wire *w)
{
	int ret = qp_move(w->x, w->qpn, XROCE_QPS_RESET, 0);

	if (!ret)
		ret = to_rts(w, &w->opts, w->opts.type ? : XROCE_QPT_RC);
	w->req.psn = w->opts.psn ? : WIRE_PSN;
	return check(!ret, "again to RTS: %s", strerror(-ret));
}

/* Queues must be deleted, as their mappings would keep the handle's objects alive. */
static void close_queues(struct wire *w)
{
	int ret = 0;

	if (w->rq)
		ret = xroce_qp_destroy(w->rq);
	else if (w->send)
		ret = xroce_qp_del(w->x, w->qpn);
	check(!ret, "QP_DEL: %s", strerror(-ret));
	ret = w->cq ? xroce_cq_del(w->cq) : 0;
	check(!ret, "CQ_DEL: %s", strerror(-ret));
	if (w->send)
		xroce_send_close(w->send);
}

/* Queue pair and region are destroyed with the handle. */
void wire_close(struct wire *w)
{
	if (w->fd >= 0)
		close(w->fd);
	close_queues(w);
	if (w->opts.beside)
		xroce_close(w->x);
	else if (!w->shared)
		live_close(w->x);
	if (w->mem)
		munmap(w->mem, WIRE_BYTES);
}

bool wire_send(struct wire *w)
{
	static struct frame frame;
	ssize_t n;

	packet_build(&w->req, &frame);
	n = send(w->fd, frame.bytes, frame.len, 0);
	return check(n == (ssize_t)frame.len, "send: %s", strerror(errno));
}

struct moved {
	size_t counter;
	__u64 to;
};

static __u64 count(size_t counter)
{
	struct xroce_stat now = live_stat();

	return ((__u64 *)&now)[counter];
}

static bool has_moved(void *arg)
{
	const struct moved *m = arg;

	return count(m->counter) >= m->to;
}

void wire_counted(struct wire *w, size_t counter)
{
	struct moved m = { counter, count(counter) + 1 };

	wire_send(w);
	check(live_wait(has_moved, &m) && count(counter) == m.to,
	      "counter %zu has moved by %lld, not 1", counter,
	      (long long)(count(counter) - m.to + 1));
}

void wire_untouched(const struct wire *w)
{
	size_t i;

	for (i = 0; i < WIRE_BYTES && !w->mem[i]; i++)
		;
	check(i == WIRE_BYTES, "byte %#zx has changed", i);
}

/* Whether a frame is RoCEv2: the kernel also sends neighbour and multicast packets. */
static bool is_roce(const struct frame *f)
{
	uint32_t l4 = ETH_HLEN + (f->bytes[12] == 0x86 ? 40 : 20);
	uint8_t proto = f->bytes[12] == 0x86 ? f->bytes[ETH_HLEN + 6] :
					       f->bytes[ETH_HLEN + 9];

	return f->len >= l4 + 8 && proto == IPPROTO_UDP &&
	       f->bytes[l4 + 2] == XROCE_UDP_PORT >> 8 &&
	       f->bytes[l4 + 3] == (XROCE_UDP_PORT & 0xff);
}

bool wire_take(struct wire *w, int ms, struct packet *got, struct frame *bytes)
{
	static struct frame frame;
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	const char *wrong;
	ssize_t n;

	while (poll(&p, 1, ms) > 0) {
		n = recv(w->fd, frame.bytes, sizeof(frame.bytes), 0);
		frame.len = n < 0 ? 0 : n;
		if (!is_roce(&frame))
			continue;
		wrong = packet_parse(frame.bytes, frame.len, 0, got);
		check(!wrong, "%u bytes came: %s", frame.len, wrong);
		if (!wrong && got->dqpn != w->peer)
			continue;
		if (bytes)
			*bytes = frame;
		return true;
	}
	return false;
}

struct packet wire_response(const struct wire *w, uint8_t opcode)
{
	struct xroce_qp_query q = { .qpn = w->qpn };
	struct packet want = {
		.ipv6 = w->req.ipv6,
		.tos = w->tos,
		.ttl = 64,
		.frag = w->req.ipv6 ? 0 : PACKET_IP_DF,
		.dport = XROCE_UDP_PORT,
		.opcode = opcode,
		.mig = true,
		.pkey = 0xffff,
		.dqpn = w->peer,
	};

	check(!xroce_qp_query(w->x, &q), "QP_QUERY");
	want.sport = q.sport;
	memcpy(want.dst_mac, w->opts.sq ? peer_mac : w->req.src_mac, 6);
	memcpy(want.src_mac, w->req.dst_mac, 6);
	memcpy(want.saddr, w->req.daddr, 16);
	memcpy(want.daddr, w->req.saddr, 16);
	return want;
}

void wire_expect(struct wire *w, const struct packet *want)
{
	struct packet got;

	if (check(wire_take(w, WIRE_MS, &got, NULL),
		  "no packet of opcode %#x came", want->opcode))
		check(!packet_diff(want, &got), "it differs");
}

void wire_comes(struct wire *w, uint8_t opcode, uint32_t psn)
{
	struct packet got;

	if (check(wire_take(w, WIRE_MS, &got, NULL), "no packet"))
		check(got.opcode == opcode && got.psn == (psn & XROCE_PSN_MASK),
		      "opcode %#x, PSN %#x; not %#x, %#x", got.opcode, got.psn, opcode,
		      psn & XROCE_PSN_MASK);
}

void wire_read_comes(struct wire *w, uint32_t psn, uint32_t n)
{
	uint32_t i;

	for (i = 0; i < n && !test_failed(); i++)
		wire_comes(w, !i ? XROCE_RC_READ_RESPONSE_FIRST : i + 1 < n ?
			   XROCE_RC_READ_RESPONSE_MIDDLE : XROCE_RC_READ_RESPONSE_LAST, psn + i);
}

void wire_quiet(struct wire *w)
{
	struct packet got;

	if (wire_take(w, WIRE_QUIET_MS, &got, NULL))
		check(false, "opcode %#x, PSN %#x, syndrome %#x came",
		      got.opcode, got.psn, got.syndrome);
}

void wire_expect_ack(struct wire *w, uint32_t psn, uint32_t msn)
{
	struct packet want = wire_response(w, XROCE_RC_ACK);

	want.syndrome = XROCE_SYN_ACK;
	want.psn = psn & XROCE_PSN_MASK;
	want.msn = msn;
	wire_expect(w, &want);
	wire_quiet(w);
}
