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

#include "clock.h"
#include "generator.h"
#include "xdp.h"

#define SEND_BUFFER	(64 << 20)
#define PATIENCE_NS	2000000000ull	/* until responses count as lost */

static struct xdp xdp;
static volatile struct count *count = MAP_FAILED;
static int sock = -1;
static uint8_t own_mac[ETH_ALEN], peer_mac[ETH_ALEN];
static const uint8_t nobody_mac[ETH_ALEN] = { 0x02, [5] = 0x77 };

/* The run: @frames of @stride bytes, one message for each frame. */
static uint8_t *frames;
static struct iovec *iov;
static struct mmsghdr *msgs;
static uint32_t sent, first;	/* frames sent so far; number at the start of the run */
static uint32_t response_len;
static struct generator_run run;

/* When the last window has left, if the run waits for that. */
static uint64_t left;

/* Cost of one iteration of await() without other work; how long to wait for a window. */
static double poll_ns, pause_ns;

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
	if (!xdp_attach(&xdp, "count.bpf.o", "count_responses", GENERATOR_DEV))
		return false;
	fd = bpf_object__find_map_fd_by_name(xdp.object, "count");
	count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED,
		     fd, 0);
	if (count == MAP_FAILED)
		return fail("map");

	/* Protocol 0: the socket only sends. */
	sock = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	addr.sll_ifindex = if_nametoindex(GENERATOR_DEV);
	if (sock < 0 || bind(sock, (struct sockaddr *)&addr, sizeof(addr)) ||
	    setsockopt(sock, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		return fail("packet socket");
	return true;
}

/* Return: whether all sent frames are answered, counted or gone, or one response is wrong. */
static bool arrived(void)
{
	if (run.expect != EXPECT_NOTHING)
		return count->done >= sent || count->bad;
	if (run.pause)
		return clock_raw_ns() >= left;
	return !run.dropped || *run.dropped >= sent;
}

/* Yield until arrived(). Return: number of yields, or -1 on timeout. */
static int64_t await(uint64_t patience)
{
	uint64_t end = clock_raw_ns() + patience;
	int64_t polls = 0;

	while (!arrived()) {
		sched_yield();
		polls++;
		if (clock_raw_ns() > end)
			return -1;
	}
	return polls;
}

#define POLLS	20000

/* Measure a poll of await(). The first thousands take longer and are ignored. */
static double calibrate(void)
{
	double cost = 0;
	uint64_t start;
	int i, k;

	sent = 1;
	left = UINT64_MAX;
	for (k = 0; k < 2; k++) {
		start = clock_raw_ns();
		for (i = 0; i < POLLS; i++) {
			if (arrived())
				return 0;
			sched_yield();
			if (clock_raw_ns() < start)
				return 0;
		}
		cost = (double)(clock_raw_ns() - start) / POLLS;
	}
	return cost;
}

static void calibrate_both(void)
{
	static const volatile uint64_t never;

	run = (struct generator_run){ .dropped = &never };
	poll_ns = calibrate();
	run = (struct generator_run){ .pause = 1 };
	pause_ns = calibrate();
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
	calibrate_both();
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

static void request(uint32_t i, struct packet *p)
{
	const struct target *target = &run.targets[i % run.n_targets];

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
	memcpy(p->dst_mac, run.misdirected ? nobody_mac : peer_mac, ETH_ALEN);
	memcpy(p->src_mac, own_mac, ETH_ALEN);
	responder_gid(PEER_ADDR, p->saddr);
	responder_gid(RESPONDER_ADDR, p->daddr);
	op_request(run.op, i, p);
}

static uint32_t icrc_of(const struct frame *f)
{
	uint32_t icrc;

	memcpy(&icrc, f->bytes + f->icrc, sizeof(icrc));
	return icrc;
}

static uint32_t psn_of(uint32_t i)
{
	return (PEER_PSN + (uint64_t)i * run.step) & XROCE_PSN_MASK;
}

/*
 * Build the requests if they differ in their PSN only. A CRC is an affine function of the
 * bits: a bit of the PSN flips the same bits of the CRC in every packet.
 */
static void fill_alike(struct packet *p, struct frame *f)
{
	uint32_t flip[24], zero, icrc, psn, i, bit;
	uint8_t *to = frames;

	p->psn = 0;
	packet_build(p, f);
	zero = icrc_of(f);
	for (bit = 0; bit < 24; bit++) {
		p->psn = 1u << bit;
		packet_build(p, f);
		flip[bit] = icrc_of(f) ^ zero;
	}
	for (i = 0; i < run.count; i++, to += f->len) {
		psn = psn_of(i);
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
	}
}

static void fill_each(struct packet *p, struct frame *f)
{
	uint32_t i;

	for (i = 0; i < run.count; i++) {
		request(i, p);
		p->psn = psn_of(i);
		packet_build(p, f);
		memcpy(frames + (size_t)i * f->len, f->bytes, f->len);
	}
}

static void fill(struct packet *p, struct frame *f)
{
	uint32_t i;

	if (run.n_targets > 1 || op_differs(run.op))
		fill_each(p, f);
	else
		fill_alike(p, f);
	for (i = 0; i < run.count; i++) {
		iov[i] = (struct iovec){ frames + (size_t)i * f->len, f->len };
		msgs[i].msg_hdr.msg_iov = &iov[i];
		msgs[i].msg_hdr.msg_iovlen = 1;
	}
}

bool generator_prepare(const struct generator_run *r)
{
	static struct frame f;
	struct count start = { .qpn = PEER_QPN, .psn = PEER_PSN };
	struct packet p;

	run = *r;
	request(0, &p);
	packet_build(&p, &f);
	free_run();
	frames = malloc((size_t)run.count * f.len);
	iov = calloc(run.count, sizeof(*iov));
	msgs = calloc(run.count, sizeof(*msgs));
	if (!frames || !iov || !msgs)
		return fail("frames");
	fill(&p, &f);

	start.step = run.step;
	if (run.expect == EXPECT_RESPONSE) {
		response_len = op_responses(run.op, &start);
		if (op_psns(run.op) > 1)
			start.step = 1;
	} else {
		start.kind[p.opcode] = COUNT_DONE;
		response_len = f.len - f.l3;
	}
	memcpy((void *)count, &start, sizeof(start));
	sent = run.dropped ? *run.dropped : 0;
	first = sent;
	return true;
}

/* Return: nanoseconds of one run of a program on a frame, or -1. */
static double run_cost(const char *program, const struct frame *f)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f->bytes,
		    .data_size_in = f->len, .repeat = 1000);
	int fd = bpf_program__fd(bpf_object__find_program_by_name(xdp.object,
								  program));

	if (!bpf_prog_test_run_opts(fd, &opts))
		return opts.duration;
	fail(program);
	return -1;
}

double generator_judging(void)
{
	static struct frame f;
	struct packet p;
	struct count was;
	double full, none;
	int opcode = 0;

	if (run.expect == EXPECT_NOTHING)
		return 0;
	memcpy(&was, (const void *)count, sizeof(was));
	while (!(was.kind[opcode] & COUNT_DONE))
		opcode++;
	request(0, &p);
	p.opcode = opcode;
	p.dqpn = was.qpn;
	p.psn = was.psn;
	p.syndrome = XROCE_SYN_ACK;
	packet_build(&p, &f);
	/* The same response is expected each time. */
	count->step = 0;
	full = run_cost("count_responses", &f);
	none = run_cost("count_nothing", &f);
	if (count->bad != was.bad || full < none || none < 0) {
		fprintf(stderr, "bench: generator: no response to judge\n");
		return -1;
	}
	memcpy((void *)count, &was, sizeof(was));
	return (full - none) *
	       (run.expect == EXPECT_RESPONSE ? op_psns(run.op) : 1);
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
			 "response %llu has opcode %#x, PSN %#x, AETH %#x, not the right ones",
			 c->done, c->bad_opcode, c->bad_psn, syndrome);
		return GENERATOR_FAILED;
	}
	snprintf(why, GENERATOR_WHY, "request %llu: NAK %#x", c->done, syndrome);
	return !c->done && syndrome == XROCE_SYN_NAK_INV ? GENERATOR_REFUSED :
							   GENERATOR_FAILED;
}

enum generator_result generator_send(uint32_t n, uint64_t *ns, char *why)
{
	uint64_t start = clock_raw_ns();
	uint32_t end = sent + n;
	int64_t polls, vain = 0;
	int ret;

	while (sent < end) {
		n = end - sent < run.window ? end - sent : run.window;
		ret = sendmmsg(sock, msgs + sent - first, n, 0);
		if (ret != (int)n) {
			snprintf(why, GENERATOR_WHY, "sendmmsg: %d of %u: %s",
				 ret, n, strerror(errno));
			return GENERATOR_FAILED;
		}
		sent += n;
		left = run.pause ? clock_raw_ns() + run.pause : 0;
		polls = await(PATIENCE_NS);
		if (polls < 0 || count->bad)
			return lost(why);
		vain += polls > 1 ? polls - 1 : 0;
	}
	*ns = clock_raw_ns() - start - vain * (run.pause ? pause_ns : poll_ns);
	if (run.expect != EXPECT_NOTHING &&
	    count->bytes != (uint64_t)sent * response_len) {
		snprintf(why, GENERATOR_WHY, "responses of %llu bytes, not %llu",
			 count->bytes, (unsigned long long)sent * response_len);
		return GENERATOR_FAILED;
	}
	return GENERATOR_OK;
}
