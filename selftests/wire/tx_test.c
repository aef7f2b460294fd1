// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of sent responses, of the link and of the queue pair, whether the program or
 * the module sends them. They are compared with what the peer's interface has received.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <linux/if_ether.h>
#include <linux/if_packet.h>

#include "live_qp.h"
#include "wire.h"

#define MTU	1024u
#define ECN_CE	3

static const struct wire_opts rc;

/**
 * struct traffic - responses, as one of them has counted
 * @frames: number of frames
 * @bytes: bytes, including all headers
 * @lost: frames that were not sent
 */
struct traffic {
	long long frames;
	long long bytes;
	long long lost;
};

/* The counters of the peer's interface, which does not count lost frames. */
static struct traffic received(void)
{
	struct traffic t = {};
	char line[256];
	FILE *f = fopen("/proc/net/dev", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, " c0: %lld %lld", &t.bytes, &t.frames) == 2)
			break;
	if (f)
		fclose(f);
	check(t.frames, "c0 has received nothing yet");
	return t;
}

static struct traffic of_link(void)
{
	struct xroce_stat s = live_stat();

	return (struct traffic){ s.tx + s.module_tx, s.tx * XROCE_ACK_BYTES + s.read_bytes +
				 s.tx_more + s.module_tx_bytes,
				 s.drop_tx };
}

static struct traffic of_qp(const struct wire *w)
{
	struct xroce_qp_query q = { .qpn = w->qpn };

	check(!xroce_qp_query(w->x, &q), "QP_QUERY");
	return (struct traffic){ q.tx, q.tx_bytes,
				 q.drops[XROCE_DROP_TX - XROCE_DROP_QKEY] };
}

/* Disable IPv6, so that the peer receives nothing but responses. */
static bool quiet_link(void)
{
	int fd = open("/proc/sys/net/ipv6/conf/x0/disable_ipv6", O_WRONLY | O_CLOEXEC);
	bool ok = check(fd >= 0 && write(fd, "1", 1) == 1, "disable_ipv6: %s",
			strerror(errno));

	close(fd);
	return ok;
}

/* Open a queue pair, and read the counters of link and peer. */
static bool begin(struct wire *w, struct traffic *link, struct traffic *peer)
{
	if (!quiet_link() || !wire_open(w, &rc))
		return false;
	/* One response, so that the peer has received something. */
	wire_send(w);
	wire_expect_ack(w, w->req.psn, 1);
	w->req.psn++;
	*link = of_link();
	*peer = received();
	return !test_failed();
}

/* Check that all three counters have moved by the same, and by @frames. */
static void end(struct wire *w, const struct traffic *link, const struct traffic *peer,
		const struct traffic *qp, long long frames)
{
	struct traffic l = of_link(), p = received(), q = of_qp(w);

	check(p.frames - peer->frames == frames, "the peer has received %lld frames, not %lld",
	      p.frames - peer->frames, frames);
	check(l.frames - link->frames == frames && l.bytes - link->bytes == p.bytes - peer->bytes,
	      "the link has sent %lld frames, %lld bytes; the peer received %lld, %lld",
	      l.frames - link->frames, l.bytes - link->bytes, frames,
	      p.bytes - peer->bytes);
	check(q.frames - qp->frames == frames && q.bytes - qp->bytes == p.bytes - peer->bytes,
	      "the queue pair has sent %lld frames, %lld bytes; the peer received %lld, %lld",
	      q.frames - qp->frames, q.bytes - qp->bytes, frames, p.bytes - peer->bytes);
	check(l.lost == link->lost && q.lost == qp->lost, "lost: %lld, %lld",
	      l.lost - link->lost, q.lost - qp->lost);
}

/* Take @n responses, and check that no more come. */
static void take(struct wire *w, int n)
{
	struct packet got;

	while (n--)
		if (!check(wire_take(w, WIRE_MS, &got, NULL), "%d responses are missing", n + 1))
			return;
	wire_quiet(w);
}

/* READs that are answered in the frame of the request, and by the module. */
TEST(tx_reads, "D6", "READ responses of any length")
{
	static const uint32_t bytes[] = { 64, 3, 2 * MTU, 5 * MTU + 1, WIRE_BYTES };
	struct traffic link, peer, qp;
	struct wire w;
	size_t i;

	if (!begin(&w, &link, &peer))
		return;
	w.req.opcode = XROCE_RC_READ_REQUEST;
	w.req.payload = 0;
	for (i = 0; i < ARRAY_SIZE(bytes) && !test_failed(); i++) {
		uint32_t frames = (bytes[i] + MTU - 1) / MTU;

		link = of_link();
		peer = received();
		qp = of_qp(&w);
		w.req.dmalen = bytes[i];
		wire_send(&w);
		take(&w, frames);
		end(&w, &link, &peer, &qp, frames);
		w.req.psn += frames;
	}
	wire_close(&w);
}

/* Responses queued behind a long one, merged or not, and a congestion notification. */
TEST(tx_others, "D6", "queued responses, RNR NAKs, NAKs, ACKs, notifications")
{
	struct traffic link, peer, qp;
	struct wire w;
	uint32_t i;

	if (!begin(&w, &link, &peer))
		return;
	qp = of_qp(&w);
	w.req.opcode = XROCE_RC_READ_REQUEST;
	w.req.payload = 0;
	w.req.dmalen = WIRE_BYTES;
	wire_send(&w);
	w.req.psn += WIRE_BYTES / MTU;
	w.req.opcode = XROCE_RC_FETCH_ADD;
	wire_send(&w);
	w.req.psn++;
	w.req.opcode = XROCE_RC_WRITE_ONLY;
	w.req.payload = w.req.dmalen = 64;
	w.req.tos = ECN_CE;
	wire_send(&w);
	w.req.tos = 0;
	/* There is no receive queue: RNR NAK. */
	w.req.psn++;
	w.req.opcode = XROCE_RC_SEND_ONLY;
	wire_send(&w);
	take(&w, WIRE_BYTES / MTU + 4);
	end(&w, &link, &peer, &qp, WIRE_BYTES / MTU + 4);

	/* A PSN that is ahead: NAK; then one that is behind: ACK. */
	link = of_link();
	peer = received();
	qp = of_qp(&w);
	for (i = 0; i < 2; i++) {
		w.req.psn -= 1;
		w.req.opcode = XROCE_RC_WRITE_ONLY;
		w.req.payload = w.req.dmalen = 64;
		wire_send(&w);
		take(&w, 1);
	}
	end(&w, &link, &peer, &qp, 2);
	wire_close(&w);
}

/* The device does not accept frames of this length: they count as dropped, not as sent. */
TEST(tx_lost, "D6", "frames that the device does not accept count as dropped")
{
	struct traffic link, peer, qp, l, p, q;
	struct wire w;

	if (!begin(&w, &link, &peer))
		return;
	check(!system("ip link set x0 mtu 600"), "mtu 600");
	qp = of_qp(&w);
	w.req.opcode = XROCE_RC_READ_REQUEST;
	w.req.payload = 0;
	w.req.dmalen = 4 * MTU;
	wire_send(&w);
	wire_quiet(&w);
	l = of_link();
	p = received();
	q = of_qp(&w);
	check(p.frames == peer.frames && l.frames == link.frames &&
	      l.bytes == link.bytes && q.frames == qp.frames && q.bytes == qp.bytes,
	      "sent: %lld by the link, %lld by the queue pair; received: %lld",
	      l.frames - link.frames, q.frames - qp.frames, p.frames - peer.frames);
	check(l.lost - link.lost == 4 && q.lost - qp.lost == 4,
	      "lost: %lld by the link, %lld by the queue pair, not 4",
	      l.lost - link.lost, q.lost - qp.lost);
	check(!system("ip link set x0 mtu 4300"), "mtu 4300");
	wire_close(&w);
}

TEST(tx_anew, "D6", "RESET clears the counters of a queue pair")
{
	struct traffic link, peer, qp;
	struct wire w;

	if (!begin(&w, &link, &peer))
		return;
	w.req.opcode = XROCE_RC_READ_REQUEST;
	w.req.payload = 0;
	w.req.dmalen = 2 * MTU;
	wire_send(&w);
	take(&w, 2);
	qp = of_qp(&w);
	check(qp.frames == 3, "%lld frames", qp.frames);
	check(!qp_move(w.x, w.qpn, XROCE_QPS_ERR, 0), "ERR");
	qp = of_qp(&w);
	check(qp.frames == 3, "%lld frames, in ERR", qp.frames);
	check(!qp_move(w.x, w.qpn, XROCE_QPS_RESET, 0), "RESET");
	qp = of_qp(&w);
	check(!qp.frames && !qp.bytes && !qp.lost, "%lld frames, in RESET", qp.frames);
	wire_close(&w);
}

/*
 * Take frames that the device sends as socket buffers, until one is a READ response. Check that the
 * IP header begins where the socket buffer says.
 */
static void header_of_sent(int fd)
{
	uint8_t frame[2048], control[256];
	struct tpacket_auxdata aux = {};
	struct sockaddr_ll from;
	struct iovec iov = { frame, sizeof(frame) };
	struct msghdr msg;
	struct cmsghdr *c;
	ssize_t n;
	int i;

	for (i = 0; i < 1000; i++) {
		msg = (struct msghdr){
			.msg_name = &from, .msg_namelen = sizeof(from),
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		n = recvmsg(fd, &msg, 0);
		if (!check(n > 0, "no response seen: %s", strerror(errno)))
			return;
		/* UDP over IPv4, and longer than any acknowledgement. */
		if (from.sll_pkttype != PACKET_OUTGOING || n < (ssize_t)MTU || frame[23] != 17)
			continue;
		c = CMSG_FIRSTHDR(&msg);
		if (check(c && c->cmsg_type == PACKET_AUXDATA, "no auxiliary data"))
			memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		check(aux.tp_net == ETH_HLEN, "IP header at %u", aux.tp_net);
		return;
	}
	check(false, "no READ response among %d frames", i);
}

/* In mode generic, programs and queueing disciplines that look at responses find their headers. */
TEST(tx_header, "D1", "the headers of socket buffers in mode generic")
{
	static const struct wire_opts there = { .dev = LIVE_SPARE, .from = "c1" };
	struct sockaddr_ll at = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = if_nametoindex(LIVE_SPARE),
	};
	struct timeval limit = { .tv_sec = WIRE_MS / 1000 };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), on = 1;
	struct wire w;

	if (!check(fd >= 0 && !setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &on, sizeof(on)) &&
		   !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) &&
		   !bind(fd, (struct sockaddr *)&at, sizeof(at)), "socket: %s", strerror(errno)) ||
	    !live_attach_generic())
		return;
	if (wire_open(&w, &there)) {
		/* Without a program, veth takes no XDP frames. */
		check(!system("ip link set c1 xdpdrv off"), "c1");
		w.req.opcode = XROCE_RC_READ_REQUEST;
		w.req.payload = 0;
		w.req.dmalen = 4 * MTU;
		wire_send(&w);
		take(&w, 4);
		header_of_sent(fd);
		check(!live_peer_program("c1"), "c1");
		wire_close(&w);
	}
	close(fd);
	check(!live_detach(LIVE_SPARE, 0), "detach");
}

/* A frame longer than one buffer may not be cut, nor sent back: see XROCE_FRAME_*. */
WIRE_TEST(tx_trailer, "D1 D6", "bytes behind a WRITE, in its buffer and in others", &rc)
{
	static const uint32_t trailers[] = { 0, 1, 18, 101, 3300, 3600, 4001 };
	__u64 before, bytes;
	struct frame f;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(trailers) && !test_failed(); i++) {
		w->req.opcode = XROCE_RC_WRITE_ONLY;
		w->req.dmalen = 64;
		w->req.payload = 64;
		w->req.trailer = trailers[i];
		packet_build(&w->req, &f);
		before = live_stat().rx_bytes;
		wire_send(w);
		wire_expect_ack(w, w->req.psn, i + 1);
		bytes = live_stat().rx_bytes - before;
		check(bytes == f.len, "%u bytes behind: %llu counted, not %u", trailers[i], bytes,
		      f.len);
		w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	}
}

TEST_MAIN(live_main);
