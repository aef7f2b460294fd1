// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <time.h>

#include <sys/mman.h>

#include "live_mr.h"
#include "mem.h"
#include "odp.h"

#define ROUNDS		1000
/* One jiffy at 250 Hz. A page fault takes less, in a virtual machine too. */
#define WAIT_MS		4

bool odp_register(struct odp *o)
{
	int ret;

	o->mr = mr_region(o->w.pd, o->mem, o->bytes);
	o->mr.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE |
		       XROCE_ACCESS_REMOTE_READ | XROCE_ACCESS_REMOTE_ATOMIC |
		       XROCE_ACCESS_MW_BIND | XROCE_ACCESS_ON_DEMAND;
	o->mr.iova = ODP_IOVA;
	ret = xroce_mr_reg(o->w.x, &o->mr);
	return check(!ret, "on-demand region: %s", strerror(-ret));
}

bool odp_register_of(struct odp *o, pid_t pid)
{
	int ret;

	o->mr.flags = XROCE_F_PID;
	o->mr.pid = pid;
	ret = xroce_mr_reg(o->w.x, &o->mr);
	return check(!ret, "region of process %d: %s", pid, strerror(-ret));
}

bool odp_open_opts(struct odp *o, size_t pages, const struct wire_opts *opts)
{
	memset(o, 0, sizeof(*o));
	o->bytes = pages * MEM_PAGE;
	o->wait_ms = WAIT_MS;
	o->mem = mmap(NULL, o->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!check(o->mem != MAP_FAILED, "memory") || !wire_open(&o->w, opts))
		return false;
	madvise(o->mem, o->bytes, MADV_NOHUGEPAGE);
	return odp_register(o);
}

bool odp_open(struct odp *o, size_t pages)
{
	static const struct wire_opts rc;

	return odp_open_opts(o, pages, &rc);
}

void odp_close(struct odp *o)
{
	wire_close(&o->w);
	munmap(o->mem, o->bytes);
}

bool odp_again(struct odp *o)
{
	static const struct wire_opts rc;

	wire_close(&o->w);
	return wire_open(&o->w, &rc) && odp_register(o);
}

static void rest(const struct odp *o)
{
	const struct timespec t = { .tv_nsec = 1000000l * o->wait_ms };

	nanosleep(&t, NULL);
}

void odp_tell(struct odp *o)
{
	struct xroce_qp_query qp = { .qpn = o->w.qpn };
	struct xroce_mr_query mr = odp_query(o);
	struct xroce_stat s = live_stat();

	check(!xroce_qp_query(o->w.x, &qp), "QP_QUERY");
	note("PSN %#x: state %u expects %#x; %llu received, %llu deferred, %llu dropped instead of deferred, %llu dropped as busy, %llu dropped for their PSN; %llu WRITEs, %llu + %llu responses sent, %llu not sent; %llu pages resident, %llu faults, %llu failed, %llu invalidated",
	     o->w.req.psn, qp.state, qp.rq_psn, s.rx, s.deferred, s.drop_defer, s.drop_busy,
	     s.drop_psn, s.write, s.tx, s.module_tx, s.drop_tx, mr.odp_resident,
	     mr.odp_faults, mr.odp_failed, mr.odp_invalidated);
}

/* Take one response packet. If it is an RNR NAK, wait. Return: the syndrome, or -1. */
static int take(struct odp *o, struct packet *got, struct frame *bytes)
{
	struct wire *w = &o->w;

	if (!wire_take(w, WIRE_MS, got, bytes))
		return -1;
	check(got->psn == w->req.psn, "PSN %#x, not %#x", got->psn, w->req.psn);
	if (got->opcode == XROCE_RC_ACK && got->syndrome >> 5 == 1) {
		o->rnr++;
		check(got->syndrome == (XROCE_SYN_RNR | XROCE_RNR_FAULT),
		      "syndrome %#x", got->syndrome);
		rest(o);
	}
	return got->syndrome;
}

/* Take the response to a request that was sent; send it again after each RNR NAK. */
static int until(struct odp *o, struct packet *got, struct frame *bytes)
{
	int i, syndrome = -1;

	for (i = 0; i < ROUNDS; i++) {
		syndrome = take(o, got, bytes);
		if (syndrome < 0 || syndrome >> 5 != 1 || !wire_send(&o->w))
			break;
	}
	if (!check(syndrome >= 0 && syndrome >> 5 != 1, "%s after %u RNR NAKs",
		   syndrome < 0 ? "no response" : "no other response", i))
		odp_tell(o);
	return syndrome;
}

int odp_request(struct odp *o)
{
	return wire_send(&o->w) ? odp_answer(o) : -1;
}

int odp_answer(struct odp *o)
{
	struct packet got;
	int syndrome = until(o, &got, NULL);

	if (syndrome == XROCE_SYN_ACK)
		o->w.req.psn = (o->w.req.psn + 1) & XROCE_PSN_MASK;
	return syndrome;
}

static void aim(struct odp *o, uint8_t opcode, size_t off, uint32_t len)
{
	struct packet *req = &o->w.req;

	req->opcode = opcode;
	req->va = ODP_IOVA + off;
	req->rkey = o->mr.rkey;
	req->dmalen = len;
	req->payload = 0;
	req->pad = 0;
}

int odp_write(struct odp *o, size_t off, uint32_t len, uint8_t pattern)
{
	aim(o, XROCE_RC_WRITE_ONLY, off, len);
	o->w.req.payload = len;
	o->w.req.pad = -len & 3;
	o->w.req.pattern = pattern;
	return odp_request(o);
}

int odp_read(struct odp *o, size_t off, uint32_t len, void *buf)
{
	static struct frame bytes;
	struct packet got;
	uint32_t at, n, psn;
	int syndrome;

	aim(o, XROCE_RC_READ_REQUEST, off, len);
	psn = o->w.req.psn;
	syndrome = wire_send(&o->w) ? until(o, &got, &bytes) : -1;
	for (at = 0; syndrome == XROCE_SYN_ACK; at += n) {
		bool middle = got.opcode == XROCE_RC_READ_RESPONSE_MIDDLE;

		n = got.payload;
		if (!check(n && n <= len - at, "%u bytes too many", n))
			return -1;
		memcpy((uint8_t *)buf + at, bytes.bytes + WIRE_DATA_OFF - (middle ? 4 : 0), n);
		psn = (psn + 1) & XROCE_PSN_MASK;
		if (at + n == len)
			break;
		if (!check(wire_take(&o->w, WIRE_MS, &got, &bytes),
			   "%u bytes came of %u", at + n, len))
			return -1;
		check(got.psn == psn, "PSN %#x, not %#x", got.psn, psn);
		if (got.opcode == XROCE_RC_ACK)
			return got.syndrome;
	}
	if (syndrome == XROCE_SYN_ACK)
		o->w.req.psn = psn;
	return syndrome;
}

bool odp_is(const void *mem, uint32_t len, uint8_t pattern)
{
	const uint8_t *p = mem;
	uint32_t i;

	for (i = 0; i < len; i++)
		if (p[i] != packet_pattern(pattern, i))
			return check(false, "byte %u is %#x, not %#x", i, p[i],
				     packet_pattern(pattern, i));
	return true;
}

struct xroce_mr_query odp_query(struct odp *o)
{
	struct xroce_mr_query q = { .mr = o->mr.mr };

	check(!xroce_mr_query(o->w.x, &q), "MR_QUERY");
	return q;
}

bool odp_empty(void *arg)
{
	return !odp_query(arg).odp_resident;
}

void odp_check_acked(int syndrome, const char *what)
{
	check(syndrome == XROCE_SYN_ACK, "%s: %#x", what, syndrome);
}

void odp_check_refused(int syndrome, const char *what)
{
	check(syndrome == XROCE_SYN_NAK_ACC, "%s: %#x", what, syndrome);
}
