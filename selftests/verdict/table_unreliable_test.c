// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unreliable connection and datagrams: opcode, cause, outcome. There are no responses, and
 * no single error ends a queue pair (IBTA 9.9.3), but repeated remote access errors end an
 * unreliable connection. recv_table_test has the errors of the receive queue, which end a
 * queue pair at once.
 */
#include "harness.h"
#include "mutate.h"
#include "silence.h"

static const struct row uc_rows[] = {
	{ "no error", "9.8.2", UC_OPS, mutate_none, DONE },
	{ "state RTR", "10.3.1", UC_OPS, mutate_rtr, DONE },
	{ "state RTS", "10.3.1", UC_OPS, mutate_rts, DONE },
	{ "state SQD", "10.3.1", UC_OPS, mutate_sqd, DONE },
	{ "opcode that only RC has", "9.6", ANY & ~UC_OPS, mutate_none, DROP,
	  COUNTER(drop_opcode) },
	{ "not the peer's address", "9.6, A17", UC_OPS, mutate_saddr, DROP,
	  COUNTER(drop_addr) },

	{ "PSN ahead: a gap", "9.8.2.2", UC_OPS & BEGIN, mutate_ahead, DONE },
	{ "PSN behind", "9.8.2.2", UC_OPS & BEGIN, mutate_behind, DONE },
	{ "PSN ahead: a gap", "9.8.2.2", UC_OPS & GO_ON, mutate_ahead, LOST,
	  COUNTER(inv_order) },
	{ "PSN behind", "9.8.2.2", UC_OPS & GO_ON, mutate_behind, LOST,
	  COUNTER(inv_order) },
	{ "first within a WRITE, which is lost", "9.8.2.2", UC_OPS & BEGIN,
	  mutate_in_write, DONE },
	{ "first within a SEND, which is lost", "9.8.2.2", UC_OPS & BEGIN,
	  mutate_in_send, DONE },
	{ "no first packet before it", "9.8.2.2", UC_OPS & GO_ON, mutate_no_first,
	  LOST, COUNTER(inv_order) },
	{ "within a WRITE", "9.8.2.2", UC_OPS & GO_ON & SENDS,
	  mutate_in_write, LOST, COUNTER(inv_order) },
	{ "within a SEND", "9.8.2.2", UC_OPS & GO_ON & WRITES, mutate_in_send,
	  LOST, COUNTER(inv_order) },

	{ "queue pair has no rights", "9.8.2", UC_OPS & SENDS,
	  mutate_qp_rights, DONE },
	{ "queue pair lacks the right", "9.8.2", WRITES, mutate_qp_right,
	  LOST, COUNTER(inv_qp_access) },
	{ "no receive request", "9.8.2", UC_OPS & TAKES, mutate_no_recv, LOST,
	  COUNTER(drop_recv) },

	{ "headers cut", "9.8.2", UC_OPS & HEADERS, mutate_headers_cut, LOST,
	  COUNTER(inv_length) },
	{ "shorter than the path MTU", "9.8.2", FULL, mutate_shorter, LOST,
	  COUNTER(inv_length) },
	{ "longer than the path MTU", "9.8.2", FULL, mutate_longer, LOST,
	  COUNTER(inv_length) },
	{ "longer than the path MTU", "9.8.2", UC_OPS & (LASTS | ONLIES),
	  mutate_over_mtu, LOST, COUNTER(inv_length) },
	{ "no payload", "9.8.2", UC_OPS & LASTS, mutate_empty, LOST,
	  COUNTER(inv_length) },
	{ "less than the message has left", "9.8.2", WRITES & (LASTS | ONLIES),
	  mutate_shorter, LOST, COUNTER(inv_length) },
	{ "more than the message has left", "9.8.2", WRITES & (LASTS | ONLIES),
	  mutate_longer, LOST, COUNTER(inv_length) },
	{ "no bytes left for the last packet", "9.8.2", WRITES & FULL,
	  mutate_ends_early, LOST, COUNTER(inv_length) },
	{ "pad", "9.8.2", FULL, mutate_full_pad, LOST, COUNTER(inv_length) },
	{ "61 bytes, pad 3: no error", "9.8.2", UC_OPS & (LASTS | ONLIES),
	  mutate_right_pad, DONE },
	{ "pad without payload", "9.8.2", UC_OPS & (LASTS | ONLIES),
	  mutate_pad_alone, LOST, COUNTER(inv_length) },
	{ "61 bytes, no pad", "9.8.2", UC_OPS & (LASTS | ONLIES), mutate_odd,
	  LOST, COUNTER(inv_length) },
	{ "RETH of more than 2^31 bytes", "9.8.2", UC_OPS & RETHS,
	  mutate_max_msg, LOST, COUNTER(inv_length) },

	{ "no such key", "9.8.2", WRITES, mutate_key, LOST,
	  COUNTER(acc_key) },
	{ "no such region", "9.8.2", WRITES, mutate_index, LOST,
	  COUNTER(acc_key) },
	{ "region not valid", "9.8.2", WRITES, mutate_invalid, LOST,
	  COUNTER(acc_key) },
	{ "protection domain", "9.8.2", WRITES, mutate_pd, LOST,
	  COUNTER(acc_pd) },
	{ "region lacks the right", "9.8.2", WRITES, mutate_region_right,
	  LOST, COUNTER(acc_right) },
	{ "begins before the region", "9.8.2", WRITES, mutate_below, LOST,
	  COUNTER(acc_bounds) },
	{ "ends beyond the region", "9.8.2", WRITES, mutate_above, LOST,
	  COUNTER(acc_bounds) },
	{ "passes the end of the address space", "9.8.2", WRITES, mutate_wraps,
	  LOST, COUNTER(acc_bounds) },
	{ "no bytes", "9.8.2", UC_OPS & ONLIES, mutate_no_bytes, DONE },
	{ "no bytes, no such key", "9.8.2", WRITES & ONLIES,
	  mutate_no_bytes_key, DONE },
};

static const struct row ud_rows[] = {
	{ "no error", "9.8.3", UD_OPS, mutate_none, DONE },
	{ "state RTR", "10.3.1", UD_OPS, mutate_rtr, DONE },
	{ "state RTS", "10.3.1", UD_OPS, mutate_rts, DONE },
	{ "state SQD", "10.3.1", UD_OPS, mutate_sqd, DONE },
	{ "opcode that UD does not have", "9.6", ANY & ~UD_OPS, mutate_none, DROP,
	  COUNTER(drop_opcode) },
	{ "from any address", "9.8.3", UD_OPS, mutate_saddr, DONE },
	{ "PSN ahead", "9.8.3", UD_OPS, mutate_ahead, DONE },
	{ "PSN behind", "9.8.3", UD_OPS, mutate_behind, DONE },
	{ "queue pair has no rights", "9.8.3", UD_OPS, mutate_qp_rights,
	  DONE },
	{ "Q_Key", "9.6, 10.2.5", UD_OPS, mutate_qkey, DROP,
	  COUNTER(drop_qkey) },
	{ "no receive request", "9.8.3", UD_OPS, mutate_no_recv, DROP,
	  COUNTER(drop_recv) },
	{ "headers cut", "9.8.3", UD_OPS, mutate_headers_cut, DROP,
	  COUNTER(inv_length) },
	{ "longer than the path MTU", "9.8.3", UD_OPS, mutate_over_mtu, DROP,
	  COUNTER(inv_length) },
	{ "61 bytes, pad 3: no error", "9.8.3", UD_OPS, mutate_right_pad,
	  DONE },
	{ "pad without payload", "9.8.3", UD_OPS, mutate_pad_alone, DROP,
	  COUNTER(inv_length) },
	{ "61 bytes, no pad", "9.8.3", UD_OPS, mutate_odd, DROP,
	  COUNTER(inv_length) },
	{ "no bytes", "9.8.3", UD_OPS, mutate_no_bytes, DONE },
};

TEST(table_UC, "D2 D5 D6", "every cause with every opcode of UC")
{
	silence_run(XROCE_QPT_UC, UC_OPS);
	table_run(XROCE_QPT_UC, ANY, uc_rows, ARRAY_SIZE(uc_rows));
}

TEST(table_UD, "D2 D5 D6", "every cause with every opcode of UD")
{
	silence_run(XROCE_QPT_UD, UD_OPS);
	table_run(XROCE_QPT_UD, ANY, ud_rows, ARRAY_SIZE(ud_rows));
}

static void miss(struct scene *s, int i)
{
	static const struct {
		uint32_t key;
		size_t counter;
	} wrong[] = {
		{ 0x01, COUNTER(acc_key) },
		{ 0x80, COUNTER(acc_key) },
		{ 0x100, COUNTER(acc_key) },
		{ 0, COUNTER(acc_bounds) },
	};

	s->req.rkey = SCENE_KEY ^ wrong[i % 4].key;
	s->req.va = SCENE_IOVA + (wrong[i % 4].key ? 0 : SCENE_LENGTH);
	expect_lost(s, wrong[i % 4].counter);
	s->req.psn = (s->req.psn + 1) & XROCE_PSN_MASK;
	s->req.rkey = SCENE_KEY;
	s->req.va = SCENE_IOVA;
}

/* Valid packets and other errors neither add to the misses nor reset them. */
SCENE_TEST(UC_misses, "R9 D5", "guessing keys ends an unreliable connection")
{
	int i;

	s->qp.type = XROCE_QPT_UC;
	s->req.opcode |= XROCE_OP_UC;
	scene_put(s);
	for (i = 1; i <= XROCE_UC_MISSES && !test_failed(); i++) {
		expect_write(s);
		s->req.psn = (s->req.psn + 1) & XROCE_PSN_MASK;
		s->req.payload -= 4;
		expect_lost(s, COUNTER(inv_length));
		s->req.psn = (s->req.psn + 1) & XROCE_PSN_MASK;
		s->req.payload += 4;
		s->req.saddr[15] ^= 4;
		s->req.rkey ^= 1;
		expect_drop(s, COUNTER(drop_addr));
		s->req.saddr[15] ^= 4;
		check(!s->qp.error, "ended by %d", i);
		miss(s, i);
	}
	check(s->qp.error, "the queue pair has not ended");
	expect_drop(s, COUNTER(drop_error));
}

TEST_MAIN(native_main);
