// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "generator.h"
#include "xdp.h"

#define SEND_BUFFER	(64 << 20)
#define PATIENCE_NS	2000000000ull	/* until replies count as lost */

static struct xdp xdp;
static volatile struct count *count = MAP_FAILED;
static int sock = -1;
static uint8_t own_mac[ETH_ALEN], peer_mac[ETH_ALEN];

/* The run: @frames of @stride bytes each, one message a frame. */
static uint8_t *frames;
static struct iovec *iov;
static struct mmsghdr *msgs;
static uint32_t sent;
static uint32_t reply_len;
static enum generator_expect expecting;

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static bool fail(const char *what)
{
	fprintf(stderr, "bench: generator: %s: %s\n", what, strerror(errno));
	return false;
}

static bool mac_of(const char *netdev, uint8_t *mac)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq req = {};
	int err;

	strncpy(req.ifr_name, netdev, IFNAMSIZ - 1);
	err = ioctl(fd, SIOCGIFHWADDR, &req);
	close(fd);
	memcpy(mac, req.ifr_hwaddr.sa_data, ETH_ALEN);
	return !err;
}

static bool open_here(void)
{
	struct sockaddr_ll addr = { .sll_family = AF_PACKET };
	int size = SEND_BUFFER;
	int fd;

	if (!mac_of(GENERATOR_DEV, own_mac))
		return fail(GENERATOR_DEV);
	if (!xdp_attach(&xdp, "count.bpf.o", "count_replies", GENERATOR_DEV))
		return false;
	fd = bpf_object__find_map_fd_by_name(xdp.object, "count");
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (count == MAP_FAILED)
		return fail("map");

	/* Protocol 0: it is there to send only. */
	sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	addr.sll_ifindex = if_nametoindex(GENERATOR_DEV);
	if (sock < 0 || bind(sock, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		return fail("packet socket");
	return true;
}

bool generator_open(void)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(GENERATOR_NETNS, O_RDONLY | O_CLOEXEC);
	bool ok;

	if (home < 0 || there < 0 || !mac_of(RESPONDER_DEV, peer_mac) ||
	    setns(there, CLONE_NEWNET))
		return fail(GENERATOR_NETNS);
	ok = open_here();
	if (setns(home, CLONE_NEWNET))
		ok = fail("namespace");
	close(home);
	close(there);
	return ok;
}

static void free_run(void)
{
	free(frames);
	free(iov);
	free(msgs);
	frames = NULL;
	iov = NULL;
	msgs = NULL;
}

void generator_close(void)
{
	free_run();
	if (sock >= 0)
		close(sock);
	if (count != MAP_FAILED)
		munmap((void *)count, sizeof(*count));
	xdp_detach(&xdp);
}

static void request(const struct op *op, const struct target *target,
		    struct packet *p)
{
	*p = (struct packet){
		.ttl = 64,
		.frag = PACKET_IP_DF,
		.sport = 0xc0de,
		.dport = XROCE_UDP_PORT,
		.pkey = 0xffff,
		.dqpn = target->qpn,
		.ackreq = true,
		.va = target->va,
		.rkey = target->rkey,
	};
	memcpy(p->dst_mac, peer_mac, ETH_ALEN);
	memcpy(p->src_mac, own_mac, ETH_ALEN);
	responder_gid(PEER_ADDR, p->saddr);
	responder_gid(RESPONDER_ADDR, p->daddr);
	op_request(op, p);
}

static uint32_t icrc_of(const struct frame *f)
{
	uint32_t icrc;

	memcpy(&icrc, f->bytes + f->icrc, sizeof(icrc));
	return icrc;
}

/*
 * The bytes of all requests, which differ in their sequence numbers only. A CRC
 * is an affine function of the bits: each bit of the number flips the same bits
 * of the CRC in any packet.
 */
static void fill(struct packet *p, struct frame *f, uint32_t n, uint32_t step)
{
	uint32_t psn = PEER_PSN, flip[24], zero, icrc, i, bit;
	uint8_t *to = frames;

	p->psn = 0;
	packet_build(p, f);
	zero = icrc_of(f);
	for (bit = 0; bit < 24; bit++) {
		p->psn = 1u << bit;
		packet_build(p, f);
		flip[bit] = icrc_of(f) ^ zero;
	}
	for (i = 0; i < n; i++, to += f->len) {
		icrc = zero;
		for (bit = 0; bit < 24; bit++) {
			if (psn >> bit & 1)
				icrc ^= flip[bit];
		}
		memcpy(to, f->bytes, f->len);
		to[f->bth + 9] = psn >> 16;
		to[f->bth + 10] = psn >> 8;
		to[f->bth + 11] = psn;
		memcpy(to + f->icrc, &icrc, sizeof(icrc));
		psn = (psn + step) & XROCE_PSN_MASK;

		iov[i] = (struct iovec){ to, f->len };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
}

bool generator_prepare(const struct op *op, const struct target *target,
		       uint32_t n, enum generator_expect expect)
{
	static struct frame f;
	struct count start = { .qpn = PEER_QPN, .psn = PEER_PSN };
	struct packet p;

	request(op, target, &p);
	packet_build(&p, &f);
	free_run();
	frames = malloc((size_t)n * f.len);
	iov = calloc(n, sizeof(*iov));
	msgs = calloc(n, sizeof(*msgs));
	if (!frames || !iov || !msgs)
		return fail("frames");
	fill(&p, &f, n, expect == EXPECT_REPLY ? op_psns(op) : 1);

	if (expect == EXPECT_REPLY) {
		reply_len = op_replies(op, &start);
	} else {
		start.kind[p.opcode] = COUNT_DONE;
		reply_len = f.len - f.l3;
	}
	memcpy((void *)count, &start, sizeof(start));
	expecting = expect;
	sent = 0;
	return true;
}

static enum generator_result lost(char *why)
{
	uint32_t syndrome = count->bad_syndrome;
	const struct count *c = (const struct count *)count;

	if (!c->bad) {
		snprintf(why, GENERATOR_WHY, "%llu of %u requests answered",
			 c->done, sent);
		return GENERATOR_FAILED;
	}
	if (c->bad_opcode != XROCE_RC_ACK || syndrome >> 5 != 3) {
		snprintf(why, GENERATOR_WHY,
			 "reply %llu has opcode %#x, PSN %#x, AETH %#x, not the right ones",
			 c->done, c->bad_opcode, c->bad_psn, syndrome);
		return GENERATOR_FAILED;
	}
	snprintf(why, GENERATOR_WHY, "request %llu: NAK %#x", c->done, syndrome);
	return !c->done && syndrome == XROCE_SYN_NAK_INV ? GENERATOR_REFUSED :
							   GENERATOR_FAILED;
}

/* Let others run until all that was sent is answered. */
static bool await(void)
{
	uint64_t end = now() + PATIENCE_NS;

	while (count->done < sent && !count->bad) {
		sched_yield();
		if (now() > end)
			return false;
	}
	return !count->bad;
}

enum generator_result generator_send(uint32_t n, uint64_t *ns, char *why)
{
	uint64_t start = now();
	uint32_t end = sent + n;
	int ret;

	while (sent < end) {
		n = end - sent < GENERATOR_WINDOW ? end - sent :
						    GENERATOR_WINDOW;
		ret = sendmmsg(sock, msgs + sent, n, 0);
		if (ret != (int)n) {
			snprintf(why, GENERATOR_WHY, "sendmmsg: %d of %u: %s",
				 ret, n, strerror(errno));
			return GENERATOR_FAILED;
		}
		sent += n;
		if (expecting != EXPECT_NOTHING && !await())
			return lost(why);
	}
	*ns = now() - start;
	if (expecting != EXPECT_NOTHING &&
	    count->bytes != (uint64_t)sent * reply_len) {
		snprintf(why, GENERATOR_WHY, "replies of %llu bytes, not %llu",
			 count->bytes, (unsigned long long)sent * reply_len);
		return GENERATOR_FAILED;
	}
	return GENERATOR_OK;
}
