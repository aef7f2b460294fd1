// SPDX-License-Identifier: GPL-2.0-only
/*
 * A process that can write BPF maps changes bits and words of "mpt", "qp" and "rd" at any
 * time while packets arrive. The XDP program then decides anything. The module still must
 * not let a peer reach a byte that is not registered, lacks the right, belongs to another
 * domain, or is outside the bounds of a window. Peers know the keys of all regions except
 * that of another process.
 *
 *   buffer  ....[rw]....[ro]....[other domain]....[behind: (1) (2B)]....[odp]....
 *
 * All bytes outside [rw], [ro], (1), (2B) and [odp] are a secret, which must neither be
 * changed nor be read. Environment: XROCE_HOSTILE_PACKETS is the number of packets;
 * XROCE_SEED.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "fuzz.h"
#include "live_mr.h"
#include "live_qp.h"
#include "mem.h"
#include "mw.h"
#include "neighbour.h"
#include "setting.h"

#define PACKETS		6000ul
#define ROUND		500u		/* packets until all objects are made again */
#define BUFFER		0x18000u
#define IOVA		0x100000ull	/* of the first byte of each region */
#define BATCH		25u		/* packets between checks of the responses */
#define LIE		8u		/* packets between two lies, at most */
#define QPS		3u
#define STRANGERS	8u		/* unused entries of "mpt" */

/* As in fuzz_live_test.c, but smaller. */
static const struct part {
	__u32 off;
	__u32 len;
	__u32 access;
	__u32 window;
	bool written;
	bool read;
} parts[] = {
	{ 0x1238, 0x2777, XROCE_ACCESS_LOCAL_WRITE | MW_ALL, 0, true, true },
	{ 0x5011, 0x1003, MW_READ, 0, false, true },
	{ 0x8000, 0x1000, XROCE_ACCESS_LOCAL_WRITE | MW_ALL },
#define OTHER	2
	{ 0xb003, 0x2ff0, XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND },
#define BEHIND	3
	{ 0xc001, 1001, MW_ALL, XROCE_MW_TYPE_1, true, true },
	{ 0xc7ff, 902, MW_ALL, XROCE_MW_TYPE_2B, true, true },
	{ 0x10010, 0x3000, XROCE_ACCESS_LOCAL_WRITE | MW_ALL |
	  XROCE_ACCESS_ON_DEMAND, 0, true, true },
};

static const struct wire_opts kinds[QPS] = {
	{ .sq = MW_SQ, .recv = true, .beside = true },
	{ .ipv6 = true, .mtu = XROCE_MTU_4096 },
	{ .type = XROCE_QPT_UC },
};

/* A map entry as it was when the round began. */
struct entry {
	int map;
	__u32 key;
	__u32 size;
	unsigned char was[sizeof(struct xroce_rd_ring)];
};

static struct wire wires[QPS];
static struct xroce_mpt targets[ARRAY_SIZE(parts) + 1];
static struct xroce_qp good[QPS];
static unsigned char *buffer;
static bool may_change[BUFFER];
static int mpt_map, qp_map, rd_map;
static struct entry entries[2 * QPS + ARRAY_SIZE(parts) + 1 + STRANGERS];
static size_t entries_count;
static atomic_bool stop;
/* Held while the maps must not change. */
static pthread_mutex_t honest = PTHREAD_MUTEX_INITIALIZER;
static atomic_ulong lies;
static unsigned long answers;

static void bind_window(size_t i)
{
	const struct part *p = &parts[i];
	struct binding b = mw_whole(&wires[0], mw_new(&wires[0], p->window));

	b.lkey = targets[BEHIND].key;
	b.addr = IOVA + p->off - parts[BEHIND].off;
	b.length = p->len;
	if (p->window != XROCE_MW_TYPE_1)
		b.rkey = xroce_inc_rkey(b.rkey);
	check(!mw_bind_now(&wires[0], p->window, &b), "window %zu", i);
	targets[i] = (struct xroce_mpt){
		.key = b.rkey, .iova = b.addr, .length = p->len,
	};
}

static void make_part(size_t i)
{
	const struct part *p = &parts[i];
	struct xroce_mr_reg r;
	__u32 at;

	for (at = p->off; at < p->off + p->len; at++) {
		may_change[at] |= p->written;
		if (p->read)
			buffer[at] = 0;
	}
	if (p->window) {
		bind_window(i);
		return;
	}
	r = mr_region(i == OTHER ? live_pd(wires[0].x) : wires[0].pd,
		      buffer + p->off, p->len);
	r.access = p->access;
	r.iova = IOVA;
	check(!xroce_mr_reg(wires[0].x, &r), "region %zu", i);
	targets[i] = (struct xroce_mpt){
		.key = r.lkey, .iova = IOVA, .length = p->len,
	};
}

static void add_entry(int map, __u32 key, __u32 size)
{
	struct entry *e = &entries[entries_count++];

	*e = (struct entry){ .map = map, .key = key, .size = size };
	check(!bpf_map_lookup_elem(map, &key, e->was), "entry %u", key);
}

static void note_entries(void)
{
	size_t i;

	entries_count = 0;
	for (i = 0; i < QPS; i++) {
		add_entry(qp_map, wires[i].qpn % LIVE_QP_ENTRIES,
			  sizeof(struct xroce_qp));
		memcpy(&good[i], entries[entries_count - 1].was,
		       sizeof(good[i]));
		add_entry(rd_map, wires[i].qpn % LIVE_QP_ENTRIES,
			  sizeof(struct xroce_rd_ring));
	}
	for (i = 0; i < ARRAY_SIZE(targets); i++)
		add_entry(mpt_map, targets[i].key >> XROCE_KEY_SHIFT,
			  sizeof(struct xroce_mpt));
	for (i = 0; i < STRANGERS; i++)
		add_entry(mpt_map, rng_below(LIVE_MPT_ENTRIES),
			  sizeof(struct xroce_mpt));
}

/* Write the original entry. */
static void restore(const struct entry *e)
{
	check(!bpf_map_update_elem(e->map, &e->key, e->was, BPF_ANY),
	      "entry %u: %s", e->key, strerror(errno));
}

static void restore_all(void)
{
	size_t i;

	for (i = 0; i < entries_count; i++)
		restore(&entries[i]);
}

/* Post receives, in the wire's own region. */
static void post(struct wire *w)
{
	const struct xroce_sge_local sge = {
		.addr = w->mr.iova + 1024, .length = 4096, .lkey = w->mr.lkey,
	};
	struct xroce_cqe cqe[16];

	while (w->cq && xroce_cq_poll(w->cq, cqe, 16) > 0)
		;
	while (w->rq && !xroce_post_recv(w->rq, 0, &sge, 1))
		;
}

/* Connect a queue pair again that a lie or a packet has ended. */
static void revive(struct wire *w)
{
	pthread_mutex_lock(&honest);
	/* Restore the entry first: a claim set by a lie would never be released. */
	restore(&entries[2 * (w - wires)]);
	usleep(1000);
	wire_again(w);
	post(w);
	pthread_mutex_unlock(&honest);
}

/* Check that a queue pair works. */
static void works(struct wire *w)
{
	const unsigned char *last = (unsigned char *)w->mem + 63;
	static unsigned char pattern;
	unsigned int i;

	w->req.pattern = ++pattern;
	wire_send(w);
	for (i = 0; i < 2000 && *last != packet_pattern(pattern, 63); i++)
		usleep(1000);
	check(*last == packet_pattern(pattern, 63),
	      "a queue pair of type %u does not respond", w->opts.type);
}

static bool set_up(void)
{
	struct wire_opts opts;
	size_t i;

	for (i = 0; i < QPS; i++) {
		opts = kinds[i];
		opts.peer = WIRE_QPN + i;
		opts.with = i ? &wires[0] : NULL;
		if (!wire_open(&wires[i], &opts))
			return false;
	}
	secret_fill(buffer, BUFFER);
	memset(may_change, 0, sizeof(may_change));
	for (i = 0; i < ARRAY_SIZE(parts); i++)
		make_part(i);
	targets[i] = (struct xroce_mpt){
		.key = wires[0].mr.rkey, .iova = wires[0].mr.iova,
		.length = WIRE_BYTES,
	};
	for (i = 0; i < QPS; i++)
		works(&wires[i]);
	post(&wires[0]);
	note_entries();
	return !test_failed();
}

static void take_down(void)
{
	int i;

	for (i = QPS - 1; i >= 0; i--)
		wire_close(&wires[i]);
}

/* Change an entry so that it gives access, or blocks the queue pair. */
static void tempting(const struct entry *e, unsigned char *value,
		     unsigned int *seed)
{
	struct xroce_mpt *mpt = (struct xroce_mpt *)value;
	struct xroce_qp *qp = (struct xroce_qp *)value;

	if (e->map == qp_map) {
		qp->claim = rand_r(seed) % 4 == 0;
		qp->resid = -1;
		qp->va -= 0x1000;
		qp->access = -1;
	} else if (e->map == mpt_map) {
		mpt->iova = 0;
		mpt->length = -1ull >> 1;
		mpt->access = -1;
		mpt->pd = good[0].pd;
		mpt->state = XROCE_MPT_VALID;
	}
}

/* Change an entry by tempting(), or in one bit or word. */
static void lie(const struct entry *e, unsigned int *seed)
{
	/* Of a ring, only the slots in use. */
	__u32 size = e->map == rd_map ? 4 * sizeof(struct xroce_rd) : e->size;
	unsigned char value[sizeof(struct xroce_rd_ring)];
	__u32 at = rand_r(seed) % size, v;

	bpf_map_lookup_elem(e->map, &e->key, value);
	switch (rand_r(seed) % 5) {
	case 0:
		v = rand_r(seed) % 2 ? -1u : 0;
		memcpy(value + at / 4 * 4, &v, 4);
		break;
	case 1:
		v = targets[rand_r(seed) % 2].key;
		memcpy(value + at / 4 * 4, &v, 4);
		break;
	case 2:
		tempting(e, value, seed);
		break;
	default:
		value[at] ^= 1u << rand_r(seed) % 8;
	}
	bpf_map_update_elem(e->map, &e->key, value, BPF_ANY);
	lies++;
}

/* The thread that changes the maps: writes a lie, or restores an entry, again and again. */
static void *liar(void *arg)
{
	unsigned int seed = *(unsigned int *)arg;
	struct entry *e;

	while (!stop) {
		e = &entries[rand_r(&seed) % entries_count];
		pthread_mutex_lock(&honest);
		if (rand_r(&seed) % 3)
			lie(e, &seed);
		else
			bpf_map_update_elem(e->map, &e->key, e->was, BPF_ANY);
		pthread_mutex_unlock(&honest);
		usleep(rand_r(&seed) % 500);
	}
	return NULL;
}

/* Send what a peer would send, whether or not its queue pair's entry is right. */
static void send_one(void)
{
	static struct frame frame;
	__u32 i = rng_below(QPS), slot = wires[i].qpn % LIVE_QP_ENTRIES;
	struct xroce_qp qp = good[i], is = qp;
	struct xroce_mpt to;
	struct packet req;

	bpf_map_lookup_elem(qp_map, &slot, &is);
	if (is.error || is.state == XROCE_QPS_ERR || fuzz_once_in(64)) {
		revive(&wires[i]);
		bpf_map_lookup_elem(qp_map, &slot, &is);
	}
	qp.epsn = is.epsn & XROCE_PSN_MASK;
	qp.op = is.op;
	qp.resid = is.resid;
	to = targets[rng_below(ARRAY_SIZE(targets))];
	/* Also try addresses before and after the target. */
	if (fuzz_once_in(4)) {
		to.iova -= 0x800;
		to.length += 0x1000;
	}
	if (fuzz_once_in(2))
		fuzz_valid(&qp, &to, &req);
	else
		fuzz_packet(&qp, &to, &req);
	packet_build(&req, &frame);
	if (send(wires[0].fd, frame.bytes, frame.len, 0) < 0)
		check(errno == ENOBUFS || errno == EMSGSIZE, "send: %s",
		      strerror(errno));
}

static void listen_to_all(void)
{
	static unsigned char bytes[16384];
	ssize_t n;

	while ((n = recv(wires[0].fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		answers++;
		check(!secret_in(bytes, n), "%zd bytes with the secret", n);
	}
}

static void look(void)
{
	__u32 i;

	for (i = 0; i < BUFFER; i++)
		if (!may_change[i] &&
		    buffer[i] != (i - parts[1].off < parts[1].len ?
				  0 : secret(i)))
			break;
	check(i == BUFFER, "byte %#x has changed", i);
	neighbour_is_well();
}

static void round_of(unsigned int packets)
{
	unsigned int seed = rng_below(-1u), own = rng_below(-1u), n;
	pthread_t thread;

	stop = false;
	if (!check(!pthread_create(&thread, NULL, liar, &seed), "thread"))
		return;
	for (n = 0; n < packets && !test_failed(); n++) {
		if (n % LIE == 0)
			lie(&entries[rng_below(entries_count)], &own);
		send_one();
		if (n % BATCH == BATCH - 1)
			listen_to_all();
	}
	stop = true;
	pthread_join(thread, NULL);
	usleep(20000);
	listen_to_all();
	look();
}

static void reached(const struct xroce_stat *was)
{
	struct xroce_stat is = live_stat();

#define REACHED(counter) \
	check(is.counter != was->counter, #counter " never moved")
	REACHED(write);
	REACHED(read);
	REACHED(atomic);
	REACHED(ack);
	REACHED(acc_key);
	REACHED(acc_module);
	REACHED(drop_addr);
	REACHED(drop_busy);
#undef REACHED
	check(lies && answers, "%lu lies, %lu answers", lies, answers);
	note("%lu lies, %lu answers, %llu refused by the module", lies, answers,
	     is.acc_module - was->acc_module);
}

static bool begin(void)
{
	fuzz_begin();
	lies = answers = 0;
	mpt_map = xroce_pin_open(LIVE_DEV, "mpt");
	qp_map = xroce_pin_open(LIVE_DEV, "qp");
	rd_map = xroce_pin_open(LIVE_DEV, "rd");
	buffer = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return check(mpt_map >= 0 && qp_map >= 0 && rd_map >= 0 &&
		     buffer != MAP_FAILED, "%s", strerror(errno)) &&
	       neighbour_begin();
}

static void end(void)
{
	neighbour_end();
	munmap(buffer, BUFFER);
	close(mpt_map);
	close(qp_map);
	close(rd_map);
	live_check_idle(LIVE_DEV);
}

TEST(hostile_maps, "R9 P2 W3 W4 D3 D5",
     "whatever the maps say, peers reach nothing but what is registered")
{
	unsigned long left = setting("XROCE_HOSTILE_PACKETS", PACKETS);
	struct xroce_stat was = live_stat();
	unsigned int n;

	if (!begin())
		return;
	for (; left && !test_failed(); left -= n) {
		n = left < ROUND ? left : ROUND;
		set_up();
		round_of(n);
		restore_all();
		take_down();
	}
	reached(&was);
	/* All objects are made again, and work. */
	set_up();
	take_down();
	end();
}

/* Entries are not restored: objects are deleted with lies about them, and a new link works. */
TEST(hostile_unmended, "R7 W1 P1", "objects are deleted while the maps are wrong")
{
	if (!begin())
		return;
	set_up();
	round_of(ROUND);
	take_down();
	end();
	check(!live_detach(LIVE_DEV, 0) &&
	      !live_attach(LIVE_DEV, LIVE_MPT_ENTRIES, LIVE_QP_ENTRIES),
	      "another link");
	if (!begin())
		return;
	set_up();
	take_down();
	end();
}

TEST_MAIN(live_main);
