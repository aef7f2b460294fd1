// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include <linux/bpf.h>

#include "fuzz_judge.h"
#include "harness.h"
#include "uapi/xroce.h"

#define PSN(n)	((n) & XROCE_PSN_MASK)

static uint32_t get32(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

static uint8_t opcode(const struct trial *t)
{
	return t->frame->bytes[t->frame->bth];
}

static bool is_read(const struct trial *t)
{
	return opcode(t) == XROCE_RC_READ_REQUEST;
}

static bool is_atomic(const struct trial *t)
{
	return opcode(t) == XROCE_RC_CMP_SWAP ||
	       opcode(t) == XROCE_RC_FETCH_ADD;
}

static bool is_flush(const struct trial *t)
{
	return opcode(t) == XROCE_RC_FLUSH;
}

/* Bytes of the response's frame, minus those of an acknowledgement. */
static __u64 sent_more(const struct trial *t)
{
	return t->delta.tx ? (__u64)t->run.out_len - XROCE_ACK_BYTES : 0;
}

static bool is_rc(const struct trial *t)
{
	return t->was.type == XROCE_QPT_RC;
}

/* The opcode without its service. */
static uint8_t operation(const struct trial *t)
{
	return opcode(t) & ~XROCE_OP_SERVICE;
}

static bool is_send(const struct trial *t)
{
	return operation(t) <= XROCE_RC_SEND_ONLY_IMM ||
	       operation(t) == XROCE_RC_SEND_LAST_INV ||
	       operation(t) == XROCE_RC_SEND_ONLY_INV;
}

/* Whether a SEND or WRITE is the first packet of its message; ends(): the last one. */
static bool begins(const struct trial *t)
{
	switch (operation(t)) {
	case XROCE_RC_SEND_FIRST:
	case XROCE_RC_SEND_ONLY:
	case XROCE_RC_SEND_ONLY_IMM:
	case XROCE_RC_SEND_ONLY_INV:
	case XROCE_RC_WRITE_FIRST:
	case XROCE_RC_WRITE_ONLY:
	case XROCE_RC_WRITE_ONLY_IMM:
		return true;
	}
	return false;
}

static bool ends(const struct trial *t)
{
	switch (operation(t)) {
	case XROCE_RC_SEND_FIRST:
	case XROCE_RC_SEND_MIDDLE:
	case XROCE_RC_WRITE_FIRST:
	case XROCE_RC_WRITE_MIDDLE:
		return false;
	}
	return true;
}

bool fuzz_is_kept(const struct frame *frame)
{
	switch (frame->bytes[frame->bth]) {
	case XROCE_RC_READ_REQUEST:
	case XROCE_RC_CMP_SWAP:
	case XROCE_RC_FETCH_ADD:
	case XROCE_RC_ATOMIC_WRITE:
	case XROCE_RC_FLUSH:
		return true;
	}
	return false;
}

static uint64_t dropped(const struct xroce_stat *d)
{
	return d->drop_length + d->drop_checksum + d->drop_tver + d->drop_qpn +
	       d->drop_opcode + d->drop_state + d->drop_error + d->drop_addr +
	       d->drop_pkey + d->drop_icrc + d->drop_busy + d->drop_psn +
	       d->drop_response + d->drop_qkey + d->drop_recv + d->cnp_rx;
}

/* Whether the ECN field is "congestion experienced". */
static bool marked(const struct frame *frame)
{
	const uint8_t *ip = frame->bytes + frame->l3;
	uint8_t tos = ip[0] >> 4 == 6 ? ip[0] << 4 | ip[1] >> 4 : ip[1];

	return (tos & 3) == 3;
}

/* Whether the packet was admitted to the queue pair. Few causes can drop it after that. */
static bool admitted(const struct xroce_stat *d)
{
	return d->rx && dropped(d) == d->drop_psn + d->drop_response +
				      d->drop_qkey + d->drop_recv;
}

static uint64_t misses(const struct xroce_stat *d)
{
	return d->acc_key + d->acc_pd + d->acc_qp + d->acc_right + d->acc_bounds;
}

static uint64_t causes(const struct xroce_stat *d)
{
	return d->inv_opcode + d->inv_order + d->inv_qp_access +
	       d->inv_length + d->inv_resources + d->inv_align + misses(d) +
	       d->op_wqe + d->op_prot + d->op_cq +
	       d->op_memory;
}

static uint64_t naks(const struct xroce_stat *d)
{
	return d->nak_seq + d->nak_inv + d->nak_acc + d->nak_op + d->nak_rnr;
}

/* Whether it is a response, and the queue pair has a requester. */
static bool responds(const struct trial *t)
{
	return t->was.req && (opcode(t) == XROCE_OP_SACK ||
			      (opcode(t) >= XROCE_RC_READ_RESPONSE_FIRST &&
			       opcode(t) <= XROCE_RC_ATOMIC_ACK));
}

/* Number of requests that were executed for the first time, and kept for replay. */
static uint64_t kept(const struct xroce_stat *d)
{
	return d->atomic + d->flush + (d->duplicate ? 0 : d->read);
}

/* Whether a duplicate of a kept request was answered. */
static bool replayed(const struct trial *t)
{
	return t->delta.duplicate && fuzz_is_kept(t->frame);
}

/* Whether this is the miss that ends an unreliable connection. */
static bool ends_uc(const struct trial *t)
{
	return t->was.type == XROCE_QPT_UC && misses(&t->delta) &&
	       t->was.misses == XROCE_UC_MISSES - 1;
}

/* Every packet of ours has exactly one outcome, and is counted as that. */
static void judge_counters(const struct trial *t)
{
	const struct xroce_stat *d = &t->delta;
	bool pass = t->run.verdict == XDP_PASS;
	/* On services without NAKs, a refusal is counted only by its cause. */
	uint64_t silent = is_rc(t) ? 0 : causes(d);
	uint64_t ways = d->write + d->send + kept(d) + d->duplicate + naks(d) +
			dropped(d) + silent + d->req_rx + d->req_ignored;

	check(d->pass <= pass, "counted as passed");
	check(d->rx == !pass, "rx %llu", d->rx);
	check(d->rx_bytes == (pass ? 0 : t->run.in_len) ||
	      (!admitted(d) && d->rx_bytes == NATIVE_LINEAR),
	      "rx_bytes %llu", d->rx_bytes);
	check(ways == !pass, "it has %lu outcomes", ways);
	/* That of a response is counted before its length is checked. */
	check(d->ecn_ce == (admitted(d) && marked(t->frame)) ||
	      (responds(t) && d->drop_length && marked(t->frame)), "ecn_ce %llu", d->ecn_ce);
	check(responds(t) || !(d->req_rx + d->req_ignored), "a response by opcode %#x",
	      opcode(t));
	check(d->cnp_tx == (t->was.type == XROCE_QPT_UD ? 0 : d->ecn_ce),
	      "cnp_tx %llu", d->cnp_tx);
	check(d->cnp_rx <= (opcode(t) == XROCE_OP_CNP), "cnp_rx");
	check(d->tx == (t->run.verdict == XDP_TX), "tx %llu", d->tx);
	check(d->tx_more == sent_more(t) - d->read_bytes, "tx_more %llu of %u",
	      d->tx_more, t->run.out_len);
	check(d->tx + d->queued == d->ack + naks(d) + kept(d) + replayed(t),
	      "tx %llu, queued %llu, ack %llu", d->tx, d->queued, d->ack);
	check(d->ack <= d->write + d->send + (d->duplicate && !replayed(t)),
	      "an ACK without a request");
	check(is_rc(t) || !(d->tx + d->queued + naks(d) + d->duplicate),
	      "a response on an unreliable service");
	check(!d->send || is_send(t), "SEND by opcode %#x", opcode(t));
	check(d->send <= 1, "%llu SENDs", d->send);
	check(!d->send || t->was.recv, "received without a receive queue");
	check(d->send_bytes <= d->send * t->was.mtu, "%llu bytes received",
	      d->send_bytes);
	check(d->read == (is_read(t) && (kept(d) || d->duplicate)),
	      "read %llu", d->read);
	check(!d->read_bytes || d->read, "bytes without a READ");
	check(!kept(d) || fuzz_is_kept(t->frame), "opcode %#x is kept",
	      opcode(t));
	check(d->flush <= is_flush(t), "flush");
	if (t->was.queued)
		check(!d->tx, "a response before queued ones");
	else
		check(!d->queued || (is_read(t) &&
				     (d->read_bytes > t->was.mtu ||
				      d->read_bytes > NATIVE_LINEAR - 100)),
		      "queued without need");
	check(causes(d) == d->nak_inv + d->nak_acc + d->nak_op + silent,
	      "%lu causes", causes(d));
	check(d->inv_resources <= !t->was.rd_max, "out of resources");
	check(t->events == causes(d) - silent + ends_uc(t) && !d->event_lost, "%u events",
	      t->events);
	check(!t->events || t->event.cause == t->is.error, "event: cause %u",
	      t->event.cause);
}

/* The address to which a packet of a WRITE writes. */
static uint64_t from(const struct trial *t)
{
	const uint8_t *reth = t->frame->bytes + t->frame->bth + 12;

	return begins(t) ? (uint64_t)get32(reth) << 32 | get32(reth + 4) :
			   t->was.va;
}

static uint32_t key_of(const struct trial *t)
{
	return begins(t) ? get32(t->frame->bytes + t->frame->bth + 20) :
			   t->was.rkey;
}

/* Check that the queue pair may access this memory. */
static void judge_reach(const struct trial *t, uint64_t va, uint64_t bytes,
			uint32_t key, uint32_t rights)
{
	const struct xroce_mpt *mpt;
	unsigned __int128 end = (unsigned __int128)va + bytes;

	check(key >> XROCE_KEY_SHIFT < NATIVE_MPT_ENTRIES, "key %#x", key);
	mpt = &t->mpts[(key >> XROCE_KEY_SHIFT) % NATIVE_MPT_ENTRIES];
	check((t->was.access & rights) == rights, "QP without the right");
	check(mpt->key == key, "key %#x", key);
	check(mpt->state == XROCE_MPT_VALID, "state %u", mpt->state);
	check(mpt->pd == t->was.pd || mpt->type == XROCE_MPT_MW_2A,
	      "protection domain %u", mpt->pd);
	check(!mpt->qpn || mpt->qpn == t->was.qpn, "of queue pair %#x",
	      mpt->qpn);
	check((mpt->access & rights) == rights, "no right");
	check(va >= mpt->iova &&
	      end <= (unsigned __int128)mpt->iova + mpt->length,
	      "%lu bytes at %#lx", bytes, va);
}

/* A SEND with invalidate must name a type 2 window of this queue pair. */
static void judge_invalidate(const struct trial *t)
{
	uint32_t key = get32(t->frame->bytes + t->frame->bth + 12);
	const struct xroce_mpt *mpt;

	check(is_rc(t), "no such request of this service");
	check(key >> XROCE_KEY_SHIFT < NATIVE_MPT_ENTRIES, "key %#x", key);
	mpt = &t->mpts[(key >> XROCE_KEY_SHIFT) % NATIVE_MPT_ENTRIES];
	check(mpt->key == key && mpt->state == XROCE_MPT_VALID &&
	      (mpt->type == XROCE_MPT_MW_2A ||
	       (mpt->type == XROCE_MPT_MW_2B && mpt->pd == t->was.pd)) &&
	      mpt->qpn == t->was.qpn, "invalidates %#x", key);
}

/* Safety: a packet accesses only memory that the peer has been given. */
static void judge_memory(const struct trial *t)
{
	const uint8_t *eth = t->frame->bytes + t->frame->bth + 12 +
			     (is_flush(t) ? 4 : 0);
	uint64_t va = (uint64_t)get32(eth) << 32 | get32(eth + 4);
	uint32_t key = get32(eth + 8), bytes = get32(eth + 12);
	const struct xroce_stat *d = &t->delta;

	if (d->write_bytes) {
		check(d->write_bytes <= t->was.mtu, "%llu bytes in a packet",
		      d->write_bytes);
		judge_reach(t, from(t), d->write_bytes, key_of(t),
			    XROCE_ACCESS_REMOTE_WRITE);
	}
	if (d->send && t->was.type == XROCE_QPT_UD)
		check(get32(t->frame->bytes + t->frame->bth + 12) ==
		      t->was.qkey, "queue key");
	if (d->send && operation(t) >= XROCE_RC_SEND_LAST_INV)
		judge_invalidate(t);
	if (d->read)
		check(d->read_bytes == bytes, "%llu bytes of %u",
		      d->read_bytes, bytes);
	if (d->read_bytes)
		judge_reach(t, va, bytes, key, XROCE_ACCESS_REMOTE_READ);
	if (d->atomic) {
		check(!(va & 7), "address %#lx", va);
		judge_reach(t, va, 8, key,
			    is_atomic(t) ? XROCE_ACCESS_REMOTE_ATOMIC :
					   XROCE_ACCESS_REMOTE_WRITE);
	}
	if (d->flush) {
		uint32_t what = get32(eth - 4);
		bool whole = what & 0x10;
		const struct xroce_mpt *mpt =
			&t->mpts[(key >> XROCE_KEY_SHIFT) % NATIVE_MPT_ENTRIES];

		check(what & 1 && !(what & 0x22), "FETH %#x", what);
		judge_reach(t, whole ? mpt->iova : va, whole ? 0 : bytes, key,
			    XROCE_ACCESS_FLUSH_GLOBAL);
	}
}

/* A SEND or WRITE was executed; @op is the state of its message before. */
static void judge_message(const struct trial *t, uint8_t op,
			  struct xroce_qp *want)
{
	const struct xroce_qp *is = &t->is;
	uint64_t bytes = t->delta.write_bytes;

	if (begins(t))
		want->op = operation(t);
	else
		check(op == (is_send(t) ? XROCE_RC_SEND_FIRST :
					  XROCE_RC_WRITE_FIRST),
		      "opcode %#x goes on with %#x", opcode(t), op);
	if (ends(t)) {
		want->op = XROCE_QP_OP_NONE;
		want->msn = PSN(t->was.msn + 1);
	}
	want->packets++;
	want->bytes += bytes + t->delta.send_bytes;
	if (!ends(t))
		check(bytes + t->delta.send_bytes == t->was.mtu,
		      "a packet that is not full, and not the last");
	else
		check(begins(t) || bytes + t->delta.send_bytes,
		      "an empty last packet");
	if (!t->delta.write)
		return;
	want->va = is->va;
	want->rkey = is->rkey;
	want->resid = is->resid;
	want->length = is->length;
	if (!ends(t))
		check(is->va == from(t) + bytes && is->rkey == key_of(t),
		      "goes on at %#llx", is->va);
	check(begins(t) || t->was.resid == is->resid + bytes,
	      "%u bytes left of %u", is->resid, t->was.resid);
	check(!is->resid == ends(t), "opcode %#x with %u bytes left",
	      opcode(t), is->resid);
}

/* UC and UD: PSNs may be missing, and no response is sent. */
static void judge_unreliable(const struct trial *t, struct xroce_qp *want)
{
	const struct xroce_stat *d = &t->delta;
	uint32_t psn = PSN(get32(t->frame->bytes + t->frame->bth + 8));
	uint8_t op = t->was.op;

	if (!admitted(d) || d->drop_qkey)
		return;
	if (t->was.type == XROCE_QPT_UD) {
		want->packets += d->send;
		want->bytes += d->send_bytes;
		return;
	}
	if (psn != t->was.epsn)
		op = XROCE_QP_OP_NONE;
	want->epsn = PSN(psn + 1);
	want->op = op;
	want->misses += misses(d);
	if (ends_uc(t))
		want->error = t->is.error;
	if (d->write || d->send)
		judge_message(t, op, want);
	else
		want->op = XROCE_QP_OP_NONE;
}

static void judge_kept(const struct trial *t, struct xroce_qp *want,
		       struct xroce_rd_ring *rd)
{
	uint64_t bytes = t->delta.read_bytes;
	uint32_t packets = bytes ? (bytes + t->was.mtu - 1) / t->was.mtu : 1;
	uint8_t place = t->was.rd_head;

	check(t->was.op == XROCE_QP_OP_NONE, "within %#x", t->was.op);
	if (!check(t->was.rd_max, "kept, without a place"))
		return;
	want->nak_sent = 0;
	want->epsn = PSN(t->was.epsn + packets);
	want->msn = PSN(t->was.msn + 1);
	want->packets++;
	want->rd_head = (place + 1) % t->was.rd_max;
	if (want->rd_count < t->was.rd_max)
		want->rd_count++;

	rd->rd[place] = t->rd_is.rd[place];
	check(rd->rd[place].psn == t->was.epsn &&
	      rd->rd[place].last == PSN(t->was.epsn + packets - 1) &&
	      rd->rd[place].opcode == opcode(t) &&
	      rd->rd[place].len == bytes, "kept %#x, PSN %#x to %#x",
	      rd->rd[place].opcode, rd->rd[place].psn, rd->rd[place].last);
}

/* Check the queue pair and its responder resources, given the outcome. */
static void judge_qp(const struct trial *t)
{
	const struct xroce_stat *d = &t->delta;
	struct xroce_rd_ring rd = t->rd_was;
	struct xroce_qp want = t->was;
	int i;

	check(d->write || !d->write_bytes, "bytes without a WRITE");
	if (!is_rc(t)) {
		judge_unreliable(t, &want);
	} else if (d->write || d->send) {
		want.nak_sent = 0;
		want.epsn = PSN(t->was.epsn + 1);
		judge_message(t, t->was.op, &want);
	}
	if (kept(d))
		judge_kept(t, &want, &rd);
	/* These are right if the invariant CRC is. */
	memcpy(want.icrc_part, t->is.icrc_part, sizeof(want.icrc_part));
	memcpy(want.icrc_for, t->is.icrc_for, sizeof(want.icrc_for));
	/* These are caches of the program. */
	want.read_max = t->is.read_max;
	want.read = t->is.read;
	/* Without the module all others are accepted. */
	want.req_stale += d->req_ignored;
	want.req_cnps += d->cnp_rx;
	if (responds(t) && opcode(t) != XROCE_RC_ACK)
		want.req_cnps += d->ecn_ce;
	want.duplicates += d->duplicate;
	want.naks += naks(d);
	if (is_rc(t))
		want.silent += want.packets - t->was.packets + d->duplicate + naks(d) -
			       d->tx;
	want.tx_more += sent_more(t);
	for (i = 0; i < XROCE_QP_DROPS; i++)
		want.drops[i] += (&d->drop_qkey)[i];
	if (d->nak_seq || d->nak_rnr)
		want.nak_sent = 1;
	if (d->nak_inv || d->nak_acc) {
		check(t->is.error, "fatal NAK, but no error");
		want.error = t->is.error;
		want.nak_sent = 0;
	}
	check(!memcmp(&want, &t->is, sizeof(want)),
	      "the queue pair has changed");
	check(!memcmp(&rd, &t->rd_is, sizeof(rd)),
	      "responder resources have changed");
}

/* The newest entry that has this PSN. */
static const struct xroce_rd *find(const struct trial *t, uint32_t psn)
{
	uint32_t i, max = t->is.rd_max;

	for (i = 1; max && i <= t->is.rd_count; i++) {
		uint32_t place = (t->is.rd_head + max - i) % max;
		const struct xroce_rd *r = &t->rd_is.rd[place];

		if (PSN(psn - r->psn) <= PSN(r->last - r->psn))
			return r;
	}
	return NULL;
}

static void judge_answer(const struct trial *t, const struct packet *got)
{
	const struct xroce_stat *d = &t->delta;
	uint32_t psn = get32(t->frame->bytes + t->frame->bth + 8);
	const struct xroce_rd *r = find(t, PSN(psn));

	if (!kept(d) && !replayed(t)) {
		check(got->opcode == XROCE_RC_ACK && !got->payload &&
		      !got->pad, "opcode %#x, %u bytes", got->opcode,
		      got->payload);
		check((got->syndrome == XROCE_SYN_ACK) == d->ack,
		      "syndrome %#x", got->syndrome);
		return;
	}
	check(got->syndrome == XROCE_SYN_ACK && got->psn == PSN(psn),
	      "syndrome %#x, PSN %#x", got->syndrome, got->psn);
	check(got->opcode == (is_atomic(t) ? XROCE_RC_ATOMIC_ACK :
					     XROCE_RC_READ_RESPONSE_ONLY) &&
	      got->payload == d->read_bytes &&
	      got->pad == (-d->read_bytes & 3), "opcode %#x, %u bytes",
	      got->opcode, got->payload);
	if (!check(r && r->opcode == opcode(t), "no kept request with this PSN"))
		return;
	if (is_atomic(t))
		check(got->orig == r->len, "value %#lx", got->orig);
}

static void judge_response(const struct trial *t)
{
	const struct xroce_qp *was = &t->was;
	struct packet got;
	const char *wrong = packet_parse(t->run.out, t->run.out_len,
					 PACKET_READ_NO_ICRC, &got);

	if (!check(!wrong, "response of %u bytes: %s", t->run.out_len, wrong))
		return;
	check(!memcmp(got.dst_mac, t->frame->bytes + 6, 6) &&
	      !memcmp(got.src_mac, t->frame->bytes, 6), "MAC addresses");
	check(got.ipv6 == was->ipv6, "address family");
	if (got.ipv6)
		check(!memcmp(got.saddr, was->saddr, 16) &&
		      !memcmp(got.daddr, was->daddr, 16), "IPv6 addresses");
	else
		check(!memcmp(got.saddr + 12, &was->saddr[3], 4) &&
		      !memcmp(got.daddr + 12, &was->daddr[3], 4),
		      "IPv4 addresses");
	check(got.sport == was->sport && got.dport == XROCE_UDP_PORT,
	      "ports %u, %u", got.sport, got.dport);
	check(got.dqpn == was->dest_qpn && got.pkey == was->pkey, "BTH");
	check(got.msn == t->is.msn, "MSN %#x", got.msn);
	judge_answer(t, &got);
}

void fuzz_judge(const struct trial *t)
{
	static const uint8_t own[6] = { 2, 0, 0, 0, 0, 2 };
	uint32_t verdict = t->run.verdict;

	check(verdict == XDP_PASS || verdict == XDP_DROP ||
	      verdict == XDP_TX, "verdict %u", verdict);
	check(verdict == XDP_PASS || !memcmp(t->frame->bytes, own, sizeof(own)),
	      "accepted, but for another machine");
	judge_counters(t);
	judge_qp(t);
	judge_memory(t);
	if (verdict == XDP_TX)
		judge_response(t);
	if (verdict == XDP_PASS)
		check(t->run.out_len == t->run.in_len &&
		      !memcmp(t->run.out, t->frame->bytes, t->run.in_len),
		      "a frame for others has changed");
}
