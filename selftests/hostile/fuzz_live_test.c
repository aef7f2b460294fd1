// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nearly valid packets at the real responder: queue pairs of all services, regions, windows
 * and receive buffers in a piece of memory that is full of a pattern. Whatever is sent,
 * only bytes that are granted for writing may change.
 *
 *   buffer  |....[rw]......[ro]....[victim]....[behind: (1) (2A) (2B)]....[recv]..|
 *
 * Environment: XROCE_FUZZ_PACKETS is the number of packets; XROCE_SEED repeats a run.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "fuzz.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "mw.h"
#include "setting.h"

#define PACKETS		20000ul
#define BUFFER		0x30000u
#define IOVA		0x10000ull	/* of the first byte of each region */
#define LOOK		4096		/* packets between checks of the memory */
#define TEND		64		/* packets between refills of windows and queues */

/**
 * struct part - a part of the buffer
 * @off: offset in bytes
 * @len: length in bytes
 * @access: rights of its region
 * @window: XROCE_MW_TYPE_* of a window over the last part before it that is a region; 0:
 *          the part is a region
 * @written: whether a packet may change it
 */
static const struct part {
	__u32 off;
	__u32 len;
	__u32 access;
	__u32 window;
	bool written;
} parts[] = {
#define RW	0
	{ 0x3238, 0x8777, XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE |
	  XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_ATOMIC |
	  XROCE_ACCESS_FLUSH_GLOBAL, 0, true },
#define RO	1
	{ 0x10011, 0x4003, XROCE_ACCESS_REMOTE_READ },
#define VICTIM	2
	{ 0x18000, 0x4000, XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE |
	  XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_ATOMIC },
#define BEHIND	3
	{ 0x1d003, 0x6ff0, XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND },
	{ 0x1e001, 1001, MW_ALL, XROCE_MW_TYPE_1, true },
	{ 0x1ffff, 2002, MW_ALL, XROCE_MW_TYPE_2A, true },
	{ 0x22223, 3003, MW_ALL, XROCE_MW_TYPE_2B, true },
#define RECV	7
	{ 0x28007, 0x6000, XROCE_ACCESS_LOCAL_WRITE, 0, true },
};

#define QPS		8u
#define CQ		64u		/* entries; receive queues have 16 */

static const struct wire_opts kinds[QPS] = {
	{ .recv = true, .sq = MW_SQ },
	{ .recv = true, .ipv6 = true },
	{ .recv = true },
	{ },
	{ .type = XROCE_QPT_UC, .recv = true },
	{ .type = XROCE_QPT_UC, .recv = true, .ipv6 = true },
	{ .type = XROCE_QPT_UD, .recv = true },
	{ .type = XROCE_QPT_UD, .recv = true, .ipv6 = true },
};

static struct wire wires[QPS];
static struct xroce_mr_reg mrs[ARRAY_SIZE(parts)];
static struct xroce_mpt targets[ARRAY_SIZE(parts)];
static unsigned char *buffer;
static bool may_change[BUFFER];
static int qp_map = -1;
static int out = -1;

static unsigned char canary(__u32 i)
{
	return 0xa5 ^ i ^ i >> 8;
}

/* Bind a window, type 2 with a new key. The targets hold the current keys. */
static void bind_window(size_t i)
{
	const struct part *p = &parts[i];
	struct wire *w = &wires[p->window == XROCE_MW_TYPE_2A ? 0 : 2];
	struct binding b = mw_whole(w, targets[i].key);

	b.lkey = mrs[BEHIND].lkey;
	b.addr = IOVA + p->off - parts[BEHIND].off;
	b.length = p->len;
	if (p->window != XROCE_MW_TYPE_1)
		b.rkey = xroce_inc_rkey(b.rkey);
	/* The queue pair may have ended: try again next time. */
	if (mw_bind_now(&wires[0], p->window, &b))
		return;
	targets[i].key = b.rkey;
	targets[i].iova = b.addr;
	targets[i].length = b.length;
}

static void make_part(size_t i)
{
	const struct part *p = &parts[i];
	__u32 at;

	for (at = 0; p->written && at < p->len; at++)
		may_change[p->off + at] = true;
	if (p->window) {
		targets[i].key = mw_new(&wires[0], p->window);
		bind_window(i);
		check(targets[i].length, "window %zu is not bound", i);
		return;
	}
	mrs[i] = mr_region(i == VICTIM ? live_pd(wires[0].x) : wires[0].pd,
			   buffer + p->off, p->len);
	mrs[i].access = p->access;
	mrs[i].iova = IOVA;
	check_is(xroce_mr_reg(wires[0].x, &mrs[i]), 0, "region %zu", i);
	/* Peers also try L_Keys. */
	targets[i].key = mrs[i].lkey;
	targets[i].iova = IOVA;
	targets[i].length = p->len;
}

static bool open_out(void)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_ifindex = if_nametoindex("c0"),
	};

	out = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	qp_map = xroce_pin_open(LIVE_DEV, "qp");
	return check(out >= 0 && qp_map >= 0 &&
		     !bind(out, (struct sockaddr *)&addr, sizeof(addr)),
		     "c0: %s", strerror(errno));
}

/* Connect again, with the right to flush, too. */
static bool again(struct wire *w)
{
	struct xroce_qp_modify m = qp_change(w->qpn, XROCE_QPS_RTS,
					     XROCE_QP_ACCESS);

	if (!wire_again(w))
		return false;
	m.access = MW_ALL | XROCE_ACCESS_FLUSH_GLOBAL;
	return w->opts.type == XROCE_QPT_UD ||
	       check(!xroce_qp_modify(w->x, &m), "access");
}

static bool set_up(void)
{
	struct wire_opts opts;
	__u32 i;

	for (i = 0; i < QPS; i++) {
		opts = kinds[i];
		opts.peer = WIRE_QPN + i;
		opts.cq = opts.sq ? 0 : CQ;
		opts.with = i ? &wires[0] : NULL;
		if (!wire_open(&wires[i], &opts))
			return false;
		/* Close the receiving socket: responses are not read. */
		close(wires[i].fd);
		wires[i].fd = -1;
		again(&wires[i]);
	}
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!check(buffer != MAP_FAILED, "%s", strerror(errno)))
		return false;
	for (i = 0; i < BUFFER; i++)
		buffer[i] = canary(i);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		make_part(i);
	return open_out() && !test_failed();
}

static void take_down(void)
{
	int i;

	for (i = 0; i < (int)ARRAY_SIZE(parts); i++)
		if (parts[i].window)
			mw_del(&wires[0], targets[i].key);
	for (i = QPS - 1; i >= 0; i--)
		wire_close(&wires[i]);
	munmap(buffer, BUFFER);
	close(qp_map);
	close(out);
}

static void look(unsigned long packets)
{
	__u32 i;

	for (i = 0; i < BUFFER; i++)
		if (!may_change[i] && buffer[i] != canary(i))
			break;
	check(i == BUFFER, "byte %#x has changed, by packet %lu or earlier", i,
	      packets);
}

/* Post receives, most of them valid; some point anywhere. */
static void post(struct wire *w)
{
	const struct part *p = &parts[RECV];
	struct xroce_sge_local sge[2];
	__u32 lies;
	int i;

	do {
		for (i = 0; i < 2; i++) {
			sge[i].length = rng_below(1200);
			sge[i].addr = IOVA + rng_below(p->len - sge[i].length);
			sge[i].lkey = mrs[RECV].lkey;
			if (!fuzz_once_in(16))
				continue;
			sge[i].addr -= rng_below(0x8000);
			sge[i].length <<= rng_below(32);
			lies = rng_below(ARRAY_SIZE(targets));
			/* [behind] has local write: a receive there would be valid. */
			if (lies != BEHIND)
				sge[i].lkey = targets[lies].key;
		}
	} while (!xroce_post_recv(w->rq, 0, sge, 1 + rng_below(2)));
}

/*
 * Poll before each work request is posted, so that the completion queue has room for those
 * that wait and those posted meanwhile.
 */
static void poll_all(struct wire *w)
{
	struct xroce_cqe cqe[16];

	while (w->cq && xroce_cq_poll(w->cq, cqe, 16) > 0)
		;
}

static void tend(void)
{
	__u32 i;

	for (i = 0; i < QPS; i++)
		poll_all(&wires[i]);
	/* Sometimes leave the queue empty. */
	for (i = 0; i < QPS; i++)
		if (wires[i].rq && !fuzz_once_in(4))
			post(&wires[i]);
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].window &&
		    (fuzz_once_in(8) || !mw_query(&wires[0], targets[i].key).bound))
			bind_window(i);
}

/* Read the queue pair's entry, after connecting it again if it has ended. */
static void get_qp(struct wire *w, struct xroce_qp *qp)
{
	__u32 slot = w->qpn % LIVE_QP_ENTRIES;

	poll_all(w);
	bpf_map_lookup_elem(qp_map, &slot, qp);
	if (!qp->error && qp->state != XROCE_QPS_ERR)
		return;
	again(w);
	bpf_map_lookup_elem(qp_map, &slot, qp);
}

static void send_one(void)
{
	static struct frame frame;
	struct packet req;
	struct xroce_qp qp;

	get_qp(&wires[rng_below(QPS)], &qp);
	fuzz_packet(&qp, &targets[rng_below(ARRAY_SIZE(targets))], &req);
	packet_build(&req, &frame);
	fuzz_frame(&frame);
	if (frame.len < ETH_HLEN)
		frame.len = ETH_HLEN;
	if (send(out, frame.bytes, frame.len, 0) < 0)
		check(errno == ENOBUFS || errno == EMSGSIZE, "send: %s",
		      strerror(errno));
}

/* After the fuzzing, each queue pair still works. */
static void still_works(struct wire *w)
{
	static struct frame frame;
	__u32 slot = w->qpn % LIVE_QP_ENTRIES;
	struct xroce_qp qp = {};
	int i;

	if (!again(w))
		return;
	poll_all(w);
	if (w->rq)
		xroce_post_recv(w->rq, 0, &(struct xroce_sge_local){
			.addr = IOVA, .length = 256, .lkey = mrs[RECV].lkey,
		}, 1);
	packet_build(&w->req, &frame);
	check(send(out, frame.bytes, frame.len, 0) == frame.len, "send");
	for (i = 0; i < 1000 && !qp.packets; i++) {
		usleep(1000);
		bpf_map_lookup_elem(qp_map, &slot, &qp);
	}
	check(qp.packets == 1 && !qp.error, "queue pair of type %u: %llu packets, cause %u",
	      w->opts.type, qp.packets, qp.error);
}

static void reached(const struct xroce_stat *was)
{
	struct xroce_stat is = live_stat();

#define REACHED(counter) \
	check(is.counter != was->counter, #counter " never moved")
	REACHED(write);
	REACHED(send);
	REACHED(read);
	REACHED(atomic);
	REACHED(flush);
	REACHED(ack);
	REACHED(duplicate);
	REACHED(queued);
	REACHED(nak_seq);
	REACHED(nak_rnr);
	REACHED(cnp_tx);
	REACHED(inv_length);
	REACHED(inv_order);
	REACHED(acc_key);
	REACHED(acc_pd);
	REACHED(acc_qp);
	REACHED(acc_right);
	REACHED(acc_bounds);
	REACHED(op_prot);
	REACHED(drop_icrc);
	REACHED(drop_recv);
#undef REACHED
}

TEST(fuzz_live, "W4 R9 P2 D3 D4 D5",
     "nearly valid packets change only what is granted, and the queue pairs keep working")
{
	unsigned long packets = setting("XROCE_FUZZ_PACKETS", PACKETS), n;
	struct xroce_stat was = live_stat();
	__u32 i;

	fuzz_begin();
	if (!set_up())
		return;
	for (n = 0; n < packets && !test_failed(); n++) {
		if (n % TEND == 0)
			tend();
		send_one();
		if (n % LOOK == LOOK - 1)
			look(n);
	}
	for (i = 0; i < QPS; i++)
		still_works(&wires[i]);
	look(n);
	reached(&was);
	take_down();
}

TEST_MAIN(live_main);
