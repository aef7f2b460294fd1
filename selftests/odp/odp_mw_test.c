// SPDX-License-Identifier: GPL-2.0-only
/* Windows over on-demand memory, and pinned memory beside it. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "mw.h"
#include "odp.h"
#include "swap.h"

#define PAGES	16u
#define FIRST	(4 * MEM_PAGE + 100)	/* offset of the window in the region */
#define LENGTH	(8 * MEM_PAGE)

static const char zeros[MEM_PAGE];

/* Use this key for all further requests of @o. */
static void use_key(struct odp *o, __u32 rkey)
{
	o->mr.rkey = rkey;
}

/* A bind request for the test's range of the region. */
static struct binding place(struct odp *o, __u32 rkey)
{
	struct binding b = mw_whole(&o->w, rkey);

	b.lkey = o->mr.lkey;
	b.addr = ODP_IOVA + FIRST;
	b.length = LENGTH;
	return b;
}

/* Make a window of the type and bind it to that range. Return: its key. */
static __u32 bound(struct odp *o, __u32 type)
{
	struct binding b = place(o, mw_new(&o->w, type));
	int status = mw_bind(&o->w, type, &b);

	check(!status, "bind: status %d", status);
	return b.rkey;
}

static bool open_bound(struct odp *o, __u32 type)
{
	if (!odp_open_opts(o, PAGES, &mw_rc))
		return false;
	use_key(o, bound(o, type));
	return !test_failed();
}

static void close_bound(struct odp *o)
{
	mw_del(&o->w, o->mr.rkey);
	odp_close(o);
}

/* A refusal leaves the queue pair in the error state: make it ready again. */
static void refused(struct odp *o, int syndrome, const char *what)
{
	odp_check_refused(syndrome, what);
	wire_again(&o->w);
}

#define REFUSED_ONCE(o, call)	refused(o, call, #call)

static void cold_one(__u32 type)
{
	static char buf[2 * MEM_PAGE];
	struct odp o;

	if (!open_bound(&o, type))
		return;
	ACKED(odp_write(&o, FIRST, 1000, 0x21));
	odp_is(o.mem + FIRST, 1000, 0x21);
	ACKED(odp_read(&o, FIRST + 3 * MEM_PAGE + 5, sizeof(buf), buf));
	check(!memcmp(buf, zeros, MEM_PAGE), "not zeros");
	ACKED(odp_write(&o, FIRST + LENGTH - 1000, 1000, 0x22));
	odp_is(o.mem + FIRST + LENGTH - 1000, 1000, 0x22);
	check(odp_query(&o).odp_faults >= 3, "%llu faults",
	      odp_query(&o).odp_faults);
	/* The pages are resident now. */
	o.rnr = 0;
	ACKED(odp_write(&o, FIRST, 1000, 0x23));
	odp_is(o.mem + FIRST, 1000, 0x23);
	check(!o.rnr, "RNR NAK for a resident page");

	/* In the region, but outside the window: refused, and nothing is faulted in. */
	madvise(o.mem, o.bytes, MADV_DONTNEED);
	REFUSED_ONCE(&o, odp_write(&o, FIRST - 1, 64, 0x31));
	REFUSED_ONCE(&o, odp_write(&o, FIRST + LENGTH - 63, 64, 0x32));
	REFUSED_ONCE(&o, odp_read(&o, 0, 64, buf));
	check(!odp_query(&o).odp_resident, "%llu pages resident",
	      odp_query(&o).odp_resident);
	close_bound(&o);
}

TEST(odp_mw_cold, "O8 O3 W4", "access through a window to memory that is not resident")
{
	__u32 type;

	for_each_mw_type(type)
		cold_one(type);
}

/* The window stays bound when its memory is unmapped or protected. */
static void invalidated_one(__u32 type)
{
	static char buf[MEM_PAGE];
	struct odp o;
	char *at;

	if (!open_bound(&o, type))
		return;
	at = o.mem + 5 * MEM_PAGE;
	ACKED(odp_write(&o, 5 * MEM_PAGE, 1024, 0x41));
	madvise(at, MEM_PAGE, MADV_DONTNEED);
	ACKED(odp_read(&o, 5 * MEM_PAGE, MEM_PAGE, buf));
	check(!memcmp(buf, zeros, MEM_PAGE), "stale bytes");
	ACKED(odp_write(&o, 5 * MEM_PAGE, 1024, 0x42));
	munmap(at, MEM_PAGE);
	REFUSED_ONCE(&o, odp_write(&o, 5 * MEM_PAGE, 64, 0x43));
	check(mw_query(&o.w, o.mr.rkey).length == LENGTH, "the window is not bound");
	check(mmap(at, MEM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		   MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at, "mmap");
	ACKED(odp_write(&o, 5 * MEM_PAGE, 1024, 0x44));
	odp_is(at, 1024, 0x44);
	mprotect(at, MEM_PAGE, PROT_READ);
	REFUSED_ONCE(&o, odp_write(&o, 5 * MEM_PAGE, 64, 0x45));
	ACKED(odp_read(&o, 5 * MEM_PAGE, 1024, buf));
	odp_is(buf, 1024, 0x44);
	close_bound(&o);
}

TEST(odp_mw_invalidate, "O8 O4", "memory is invalidated under a window")
{
	__u32 type;

	for_each_mw_type(type)
		invalidated_one(type);
}

/* Unbind or invalidate the window. */
static void revoke(struct odp *o, __u32 type)
{
	struct binding b = place(o, o->mr.rkey);

	b.length = 0;
	if (type == XROCE_MW_TYPE_1)
		check(!mw_bind(&o->w, type, &b), "unbind");
	else
		check(!mw_inval(&o->w, o->mr.rkey), "invalidate");
}

/*
 * Revoke a window while a WRITE waits for its page: the WRITE was executed before, or never
 * is.
 */
static void revoked_one(__u32 type)
{
	char *at;
	struct odp o;
	int syndrome;

	if (!open_bound(&o, type))
		return;
	at = o.mem + 6 * MEM_PAGE;
	ACKED(odp_write(&o, 7 * MEM_PAGE, 64, 0x51));
	o.w.req.va = ODP_IOVA + 6 * MEM_PAGE;
	o.w.req.pattern = 0x52;
	wire_send(&o.w);
	revoke(&o, type);
	syndrome = odp_answer(&o);
	if (syndrome == XROCE_SYN_ACK) {
		odp_is(at, 64, 0x52);
	} else {
		odp_check_refused(syndrome, "a WRITE in flight");
		check(!memcmp(at, zeros, 64), "the page was written");
		wire_again(&o.w);
	}
	note("type %u: the WRITE in flight got %#x", type, syndrome);
	/* A resident page, and one that is not. */
	REFUSED_ONCE(&o, odp_write(&o, 7 * MEM_PAGE, 64, 0x53));
	REFUSED_ONCE(&o, odp_write(&o, 8 * MEM_PAGE, 64, 0x54));
	odp_is(o.mem + 7 * MEM_PAGE, 64, 0x51);
	check(!memcmp(o.mem + 8 * MEM_PAGE, zeros, 64), "the page was written");
	mw_del(&o.w, o.mr.rkey);
	/* Another window over the same memory. */
	use_key(&o, bound(&o, type));
	ACKED(odp_write(&o, 8 * MEM_PAGE, 64, 0x55));
	odp_is(o.mem + 8 * MEM_PAGE, 64, 0x55);
	close_bound(&o);
}

TEST(odp_mw_revoke, "O8 W7 W11", "a window is revoked while a WRITE waits for its page")
{
	__u32 type;

	for_each_mw_type(type)
		revoked_one(type);
}

/* A region without remote rights, which cannot be deregistered before its window. */
ODP_TEST_OPTS(odp_mw_grant, "O8 W3 W9", "the region has no remote rights, the window has", PAGES,
	      &mw_rc)
{
	struct xroce_mr_reg behind;
	__u32 key;

	behind = o->mr;
	behind.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_MW_BIND |
			XROCE_ACCESS_ON_DEMAND;
	check(!xroce_mr_reg(o->w.x, &behind) && !behind.rkey, "MR_REG");
	o->mr.lkey = behind.lkey;
	key = bound(o, XROCE_MW_TYPE_2B);
	use_key(o, key);
	ACKED(odp_write(o, FIRST, 64, 0x61));
	odp_is(o->mem + FIRST, 64, 0x61);
	check(xroce_mr_dereg(o->w.x, behind.mr) == -EBUSY, "MR_DEREG");
	mw_del(&o->w, key);
	check(!xroce_mr_dereg(o->w.x, behind.mr), "MR_DEREG");
}

/* WRITE to pinned memory through another queue pair. Return: as odp_write(). */
static int write_pinned(struct wire *w, size_t off, uint8_t pattern)
{
	struct packet got;

	w->req.va = w->mr.iova + off;
	w->req.pattern = pattern;
	if (!wire_send(w) || !wire_take(w, WIRE_MS, &got, NULL))
		return -1;
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	return got.syndrome;
}

/* Requests to a pinned region are not delayed while others wait for a page. */
ODP_TEST(odp_beside, "O8", "access to pinned memory does not wait for faults", 512)
{
	struct wire_opts opts = { .with = &o->w, .peer = WIRE_QPN + 1 };
	struct wire w;
	int i;

	if (!wire_open(&w, &opts))
		return;
	for (i = 0; i < 100 && !test_failed(); i++) {
		madvise(o->mem, o->bytes, MADV_DONTNEED);
		o->w.req.opcode = XROCE_RC_WRITE_ONLY;
		o->w.req.rkey = o->mr.rkey;
		o->w.req.va = ODP_IOVA + i * MEM_PAGE;
		o->w.req.pattern = i;
		wire_send(&o->w);
		ACKED(write_pinned(&w, 64 * i, i + 100));
		odp_is(w.mem + 64 * i, 64, i + 100);
		ACKED(odp_answer(o));
		odp_is(o->mem + i * MEM_PAGE, 64, i);
	}
	wire_close(&w);
}

/*
 * The same pages pinned and on demand: the kernel cannot take the pinned ones away, and
 * both regions reach the same bytes.
 */
TEST(odp_overlap, "O8 R8", "the same pages pinned and on demand")
{
	struct xroce_mr_reg pinned;
	static char buf[64];
	struct odp o;
	uint64_t pfn;
	__u32 rkey;
	bool swap;

	if (!odp_open(&o, PAGES))
		return;
	rkey = o.mr.rkey;
	swap = swap_on();
	ACKED(odp_write(&o, 0, 64, 0x71));
	pinned = o.mr;
	pinned.access &= ~XROCE_ACCESS_ON_DEMAND;
	pinned.length = 2 * MEM_PAGE;
	check(!xroce_mr_reg(o.w.x, &pinned), "MR_REG");
	pfn = mem_pfn(o.mem);
	use_key(&o, pinned.rkey);
	ACKED(odp_read(&o, 0, 64, buf));
	odp_is(buf, 64, 0x71);
	ACKED(odp_write(&o, MEM_PAGE, 64, 0x72));
	use_key(&o, rkey);
	ACKED(odp_read(&o, MEM_PAGE, 64, buf));
	odp_is(buf, 64, 0x72);
	ACKED(odp_write(&o, 4 * MEM_PAGE, 64, 0x73));
	if (swap) {
		swap_out(o.mem, PAGES);
		check(mem_pfn(o.mem) == pfn, "a pinned page has moved");
		check(!mem_pfn(o.mem + 4 * MEM_PAGE), "the other page was not paged out");
	}
	ACKED(odp_write(&o, 0, 64, 0x74));
	use_key(&o, pinned.rkey);
	ACKED(odp_read(&o, 0, 64, buf));
	odp_is(buf, 64, 0x74);
	use_key(&o, rkey);
	ACKED(odp_read(&o, 4 * MEM_PAGE, 64, buf));
	odp_is(buf, 64, 0x73);
	check(!xroce_mr_dereg(o.w.x, pinned.mr), "MR_DEREG");
	odp_close(&o);
	if (swap)
		swap_off();
}

TEST_MAIN(live_main);
