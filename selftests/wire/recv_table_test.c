// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rows of the table that only the module can decide: contents of receive queues and
 * completion queues, and the invariant CRC. Each row is run on a queue pair of its own, with
 * packets on a wire.
 */
#include <errno.h>
#include <string.h>

#include "live_mr.h"
#include "live_qp.h"
#include "table.h"
#include "wire.h"

#define MTU	1024u
#define GRH	40u
#define ROOM	8192u		/* offset of the receive buffers in the region */
#define MAX_SGE	2
#define WR_ID	0x77ull

#define ON(type)	(1u << (type))
#define RC		ON(XROCE_QPT_RC)
#define UC		ON(XROCE_QPT_UC)
#define UD		ON(XROCE_QPT_UD)

/* Instead of a syndrome, and instead of a completion's status. */
#define SILENT		0
#define NO_CQE		(-1)
#define FULL_CQ		(-2)

/* Messages that use a receive work request; packets that complete it. */
#define RECEIVING	(SENDS | IMMS)
#define ENDS		((RECEIVING & (LASTS | ONLIES)) & ~INVS)

/* A row that is being run. */
struct run {
	struct wire w;
	enum xroce_qp_type type;
	enum op op;
	struct xroce_sge_local sge[MAX_SGE];	/* for earlier packets; for this one */
	bool post;
};

static void none(struct run *r)
{
	(void)r;
}

static void icrc(struct run *r)
{
	r->w.req.icrc_flip = 1;
}

static void not_posted(struct run *r)
{
	r->post = false;
}

static void too_short(struct run *r)
{
	r->sge[1].length--;
}

static void key(struct run *r)
{
	r->sge[1].lkey ^= 1;
}

static void no_region(struct run *r)
{
	r->sge[1].lkey = 0;
}

static void outside(struct run *r)
{
	r->sge[1].addr = r->w.mr.iova + WIRE_BYTES - 63;
}

static void before(struct run *r)
{
	r->sge[1].addr = r->w.mr.iova - 1;
}

static void wraps(struct run *r)
{
	r->sge[1].addr = -32ull;
}

static void invalidate(struct run *r)
{
	r->w.req.imm = r->w.mr.rkey;
}

/* Register another region over the same memory, with this domain and these rights. */
static struct xroce_mr_reg other(struct run *r, __u32 pd, __u32 access)
{
	struct xroce_mr_reg mr = mr_region(pd, r->w.mem, WIRE_BYTES);

	mr.iova = r->w.mr.iova;
	mr.access = access;
	check(!xroce_mr_reg(r->w.x, &mr), "MR_REG");
	r->sge[1].lkey = mr.lkey;
	return mr;
}

static void domain(struct run *r)
{
	other(r, live_pd(r->w.x), XROCE_ACCESS_LOCAL_WRITE);
}

static void read_only(struct run *r)
{
	other(r, r->w.pd, XROCE_ACCESS_REMOTE_READ);
}

static void gone(struct run *r)
{
	struct xroce_mr_reg mr = other(r, r->w.pd, XROCE_ACCESS_LOCAL_WRITE);

	check(!xroce_mr_dereg(r->w.x, mr.mr), "MR_DEREG");
}

/* In the map the region is longer than it is; the packet is beyond its real end. */
static void map_lies(struct run *r)
{
	__u32 index = r->w.mr.rkey >> XROCE_KEY_SHIFT;
	struct xroce_mpt m;

	live_map_get(LIVE_DEV, "mpt", index, &m);
	m.length += ROOM;
	live_map_put(LIVE_DEV, "mpt", index, &m);
	r->w.req.va += WIRE_BYTES - (OP(r->op) & GO_ON ? MTU : 0);
}

/* Written without the library, into the first entry of the ring. */
static void malformed(struct run *r)
{
	struct xroce_rq_wqe *wqe;

	check(!xroce_post_recv(r->w.rq, WR_ID, r->sge, MAX_SGE), "post_recv");
	wqe = (void *)((char *)xroce_rq_ring(r->w.rq) + XROCE_RING_HEADER);
	wqe->num_sge = MAX_SGE + 1;
	r->post = false;
}

static uint8_t opcode_of(const struct run *r, enum op op)
{
	return table_opcode(op) | (r->type == XROCE_QPT_UC ? XROCE_OP_UC :
				   r->type == XROCE_QPT_UD ? XROCE_OP_UD :
							     XROCE_OP_RC);
}

/* Fill the completion queue; the row's work request is posted after that. */
static void cq_full(struct run *r)
{
	struct packet req = r->w.req;
	struct xroce_sge_local sge = r->sge[1];
	int i;

	sge.length += GRH;
	r->w.req.opcode = opcode_of(r, SEND_ONLY);
	r->w.req.ackreq = false;
	for (i = 0; i < XROCE_CQ_MIN && !test_failed(); i++) {
		check(!xroce_post_recv(r->w.rq, i, &sge, 1), "post_recv");
		r->w.req.psn = (req.psn + i) & XROCE_PSN_MASK;
		wire_counted(&r->w, COUNTER(send));
	}
	r->w.req = req;
	r->w.req.psn = (req.psn + i) & XROCE_PSN_MASK;
}

/**
 * struct module_row - a cause and its answer
 * @cause: in words
 * @clause: clause of the specification
 * @types: ON() of the services
 * @ops: opcodes with which the cause is possible
 * @make: change the run so that it has the cause
 * @syndrome: of the response on RC; SILENT: no response
 * @state: state of the queue pair afterwards
 * @status: of the work request's completion, or NO_CQE, or FULL_CQ
 * @counter: counter that moves
 */
static const struct module_row {
	const char *cause;
	const char *clause;
	uint32_t types;
	uint32_t ops;
	void (*make)(struct run *r);
	uint8_t syndrome;
	__u32 state;
	int status;
	size_t counter;
} rows[] = {
#define EXECUTED(cause, clause, ops, make)				\
	{ cause, clause, RC, ops, make, XROCE_SYN_ACK, XROCE_QPS_RTS,	\
	  XROCE_WC_SUCCESS, COUNTER(ack) }
	EXECUTED("no error", "9.4", ENDS, none),
	{ "no error", "9.4", RC, OP(SEND_FIRST) | OP(SEND_MIDDLE), none,
	  XROCE_SYN_ACK, XROCE_QPS_RTS, NO_CQE, COUNTER(ack) },
	{ "no error", "9.8", UC | UD, ENDS & SENDS, none, SILENT,
	  XROCE_QPS_RTS, XROCE_WC_SUCCESS, COUNTER(send) },
	{ "no error", "9.8.2", UC, IMMS, none, SILENT, XROCE_QPS_RTS,
	  XROCE_WC_SUCCESS, COUNTER(write) },
	{ "invariant CRC", "9.6, A17", RC | UC | UD, RECEIVING, icrc, SILENT,
	  XROCE_QPS_RTS, NO_CQE, COUNTER(drop_icrc) },

	{ "no receive request", "9.7.5.2.8", RC, TAKES, not_posted,
	  XROCE_SYN_RNR, XROCE_QPS_RTS, NO_CQE, COUNTER(nak_rnr) },
	{ "no receive request", "9.8", UC | UD, TAKES, not_posted, SILENT,
	  XROCE_QPS_RTS, NO_CQE, COUNTER(drop_recv) },

	{ "receive request too short", "9.7.4.1", RC, SENDS & ~INVS, too_short,
	  XROCE_SYN_NAK_INV, XROCE_QPS_ERR, XROCE_WC_LOC_LEN_ERR,
	  COUNTER(inv_length) },
	{ "receive request too short", "9.8", UC | UD, SENDS, too_short, SILENT,
	  XROCE_QPS_RTS, NO_CQE, COUNTER(inv_length) },
	EXECUTED("receive request too short", "9.4.3", IMMS, too_short),

#define PROTECTION(cause, make)						\
	{ cause, "9.7.5.2, 9.9.3", RC | UC | UD, SENDS & ~INVS, make,	\
	  XROCE_SYN_NAK_OP, XROCE_QPS_ERR, XROCE_WC_LOC_PROT_ERR,	\
	  COUNTER(op_prot) }
	PROTECTION("L_Key: wrong key byte", key),
	EXECUTED("L_Key: wrong key byte", "9.4.3", IMMS, key),
	PROTECTION("L_Key: no region", no_region),
	EXECUTED("L_Key: no region", "9.4.3", IMMS, no_region),
	PROTECTION("L_Key: deregistered", gone),
	EXECUTED("L_Key: deregistered", "9.4.3", IMMS, gone),
	PROTECTION("L_Key: another domain", domain),
	EXECUTED("L_Key: another domain", "9.4.3", IMMS, domain),
	PROTECTION("L_Key: no local write", read_only),
	EXECUTED("L_Key: no local write", "9.4.3", IMMS, read_only),
	PROTECTION("element ends beyond the region", outside),
	EXECUTED("element ends beyond the region", "9.4.3", IMMS, outside),
	PROTECTION("element begins before the region", before),
	EXECUTED("element begins before the region", "9.4.3", IMMS, before),
	PROTECTION("element passes the end of addresses", wraps),
	EXECUTED("element passes the end of addresses", "9.4.3", IMMS, wraps),

	{ "receive request malformed", "9.7.5.2, 9.9.3", RC | UC | UD, TAKES,
	  malformed, XROCE_SYN_NAK_OP, XROCE_QPS_ERR, XROCE_WC_LOC_QP_OP_ERR,
	  COUNTER(op_wqe) },
	{ "completion queue full", "9.7.5.2, 9.9.3", RC | UC | UD, ENDS,
	  cq_full, XROCE_SYN_NAK_OP, XROCE_QPS_ERR, FULL_CQ, COUNTER(op_cq) },
	{ "key to invalidate is of a region", "10.6", RC, INVS, invalidate,
	  XROCE_SYN_NAK_ACC, XROCE_QPS_ERR, XROCE_WC_WR_FLUSH_ERR,
	  COUNTER(acc_key) },
	{ "outside the region, but map is wrong", "9.7.4.1.3", RC,
	  RANGES & ~OP(FLUSH) & ~IMMS, map_lies, XROCE_SYN_NAK_ACC,
	  XROCE_QPS_ERR, XROCE_WC_WR_FLUSH_ERR, COUNTER(acc_module) },
};

/* Send the first packet of the message, if the tested packet continues one. */
static void begin(struct run *r)
{
	bool send = OP(r->op) & SENDS;
	struct packet req = r->w.req;

	if (!(OP(r->op) & GO_ON))
		return;
	r->w.req.opcode = opcode_of(r, send ? SEND_FIRST : WRITE_FIRST);
	r->w.req.ackreq = false;
	r->w.req.payload = MTU;
	r->w.req.dmalen = MTU + req.payload + (OP(r->op) & MIDDLES ? 64 : 0);
	r->w.req.icrc_flip = 0;
	wire_counted(&r->w, send ? COUNTER(send) : COUNTER(write));
	req.psn = (req.psn + 1) & XROCE_PSN_MASK;
	r->w.req = req;
}

static bool stage(struct run *r, enum xroce_qp_type type, enum op op)
{
	const struct wire_opts opts = { .type = type, .recv = true };
	uint32_t prior = OP(op) & GO_ON & SENDS ? MTU :
			 type == XROCE_QPT_UD ? GRH : 0;
	uint32_t bytes = OP(op) & FULL ? MTU : 64;

	memset(r, 0, sizeof(*r));
	r->type = type;
	r->op = op;
	r->post = true;
	if (!wire_open(&r->w, &opts))
		return false;
	r->w.req.opcode = opcode_of(r, op);
	r->w.req.dmalen = OP(op) & EIGHT ? 8 : OP(op) & FIRSTS ? MTU + 64 : bytes;
	r->w.req.payload = op == ATOMIC_WRITE ? 8 : OP(op) & KEPT ? 0 : bytes;
	r->sge[0] = (struct xroce_sge_local){
		r->w.mr.iova + ROOM, prior, r->w.mr.lkey,
	};
	r->sge[1] = (struct xroce_sge_local){
		r->w.mr.iova + ROOM + prior, bytes, r->w.mr.lkey,
	};
	return true;
}

/* Check the completion of the work request. */
static void completed(struct run *r, const struct module_row *row)
{
	struct xroce_cqe cqe[XROCE_CQ_MIN + 1] = {};
	int n = xroce_cq_poll(r->w.cq, cqe, ARRAY_SIZE(cqe));

	if (row->status == FULL_CQ) {
		check(n == XROCE_CQ_MIN, "%d completions", n);
		n = xroce_cq_poll(r->w.cq, cqe, 1);
		check(n == -EOVERFLOW, "poll after the lost completion: %d", n);
		return;
	}
	if (!check(n == (row->status != NO_CQE), "%d completions", n) || !n)
		return;
	check(cqe[0].wr_id == WR_ID && (int)cqe[0].status == row->status,
	      "work request %#llx, status %u", cqe[0].wr_id, cqe[0].status);
}

/* Whether no response is expected. The unreliable services send none. */
static bool is_silent(enum xroce_qp_type type, const struct module_row *row)
{
	return type != XROCE_QPT_RC || row->syndrome == SILENT;
}

static void answered(struct run *r, const struct module_row *row)
{
	struct packet want = wire_response(&r->w, XROCE_RC_ACK), got;
	bool over = row->syndrome == XROCE_SYN_ACK && OP(r->op) & ENDS;

	if (is_silent(r->type, row)) {
		if (wire_take(&r->w, 10, &got, NULL))
			check(false, "opcode %#x, syndrome %#x came",
			      got.opcode, got.syndrome);
		return;
	}
	want.syndrome = row->syndrome;
	if (row->syndrome == XROCE_SYN_RNR)
		want.syndrome |= qp_change(0, 0, 0).min_rnr_timer;
	want.psn = r->w.req.psn;
	want.msn = over + (row->status == FULL_CQ ? XROCE_CQ_MIN : 0);
	wire_expect(&r->w, &want);
}

/* Check that a refused packet has written nothing where its data would go. */
static void untouched(struct run *r)
{
	const char *room = r->w.mem + r->sge[1].addr - r->w.mr.iova;
	uint32_t i;

	if (r->sge[1].addr < r->w.mr.iova + ROOM ||
	    r->sge[1].addr > r->w.mr.iova + WIRE_BYTES - MTU)
		return;
	for (i = 0; i < MTU && !room[i]; i++)
		;
	check(i == MTU, "byte %u was written", i);
}

static const char *text(enum xroce_qp_type type, const struct module_row *row)
{
	if (is_silent(type, row)) {
		if (row->status == XROCE_WC_SUCCESS)
			return "executed";
		return row->state == XROCE_QPS_ERR ? "dropped, QP to error" :
						     "dropped";
	}
	switch (row->syndrome) {
	case XROCE_SYN_ACK:
		return "executed, ACK";
	case XROCE_SYN_RNR:
		return "RNR NAK, QP stays";
	case XROCE_SYN_NAK_INV:
		return "NAK 0x61, QP to error";
	case XROCE_SYN_NAK_ACC:
		return "NAK 0x62, QP to error";
	default:
		return "NAK 0x63, QP to error";
	}
}

static void one(enum xroce_qp_type type, enum op op,
		const struct module_row *row)
{
	struct run r;

	if (!stage(&r, type, op))
		return;
	row->make(&r);
	if (r.post)
		check(!xroce_post_recv(r.w.rq, WR_ID, r.sge, MAX_SGE),
		      "post_recv");
	begin(&r);
	wire_counted(&r.w, row->counter);
	answered(&r, row);
	check(qp_state(r.w.x, r.w.qpn) == row->state, "state %u",
	      qp_state(r.w.x, r.w.qpn));
	completed(&r, row);
	if (row->syndrome != XROCE_SYN_ACK && row->status != FULL_CQ &&
	    row->status != XROCE_WC_SUCCESS)
		untouched(&r);
	table_print(type, op, row->cause, text(type, row), row->clause);
	wire_close(&r.w);
}

static void all(enum xroce_qp_type type, uint32_t ops)
{
	enum op op;
	size_t i;

	for (op = 0; op < OPS; op++)
		for (i = 0; i < ARRAY_SIZE(rows) && !test_failed(); i++)
			if (OP(op) & ops & rows[i].ops &&
			    ON(type) & rows[i].types)
				one(type, op, &rows[i]);
}

TEST(table_module_RC_SEND, "D2 D5 D6 P2", "every cause with every SEND opcode")
{
	all(XROCE_QPT_RC, SENDS);
}

TEST(table_module_RC_WRITE, "D2 D5 D6", "every cause with WRITE with immediate")
{
	all(XROCE_QPT_RC, IMMS);
}

TEST(table_module_RC_map, "D5 D6 R1", "the module trusts no map")
{
	all(XROCE_QPT_RC, RANGES & ~IMMS);
}

TEST(table_module_UC, "D2 D5 D6 P2", "every cause with every opcode of UC")
{
	all(XROCE_QPT_UC, RECEIVING & ~INVS);
}

TEST(table_module_UD, "D2 D5 D6 P2", "every cause with every opcode of UD")
{
	all(XROCE_QPT_UD, UD_OPS);
}

/*
 * On UC the rest of a message may be lost. The next message takes the work request of the one that
 * has not ended (9.8.2.2), also if it would fit into the next one at once.
 */
TEST(table_module_unfinished, "D2 D6", "UC: a SEND that never ends leaves its work request")
{
	struct xroce_cqe cqe[2];
	struct run r;
	int n;

	if (!stage(&r, XROCE_QPT_UC, SEND_LAST))
		return;
	r.sge[0].length = 2 * MTU;
	r.sge[1].addr = r.sge[0].addr + 2 * MTU;
	check(!xroce_post_recv(r.w.rq, WR_ID, &r.sge[0], 1), "post_recv");
	check(!xroce_post_recv(r.w.rq, WR_ID + 1, &r.sge[1], 1), "post_recv, again");
	begin(&r);
	r.w.req.opcode = opcode_of(&r, SEND_ONLY);
	r.w.req.psn = (r.w.req.psn + 1) & XROCE_PSN_MASK;
	wire_counted(&r.w, COUNTER(send));
	n = xroce_cq_poll(r.w.cq, cqe, ARRAY_SIZE(cqe));
	if (check(n == 1, "%d completions", n))
		check(cqe[0].wr_id == WR_ID && cqe[0].status == XROCE_WC_SUCCESS &&
		      cqe[0].byte_len == r.w.req.payload, "work request %#llx, status %u, %u bytes",
		      cqe[0].wr_id, cqe[0].status, cqe[0].byte_len);
	untouched(&r);
	wire_close(&r.w);
}

TEST_MAIN(live_main);
