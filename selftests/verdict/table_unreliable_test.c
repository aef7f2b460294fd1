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
	ROW_DROP("opcode that only RC has", "9.6", ANY & ~UC_OPS, none, drop_opcode),
	ROW_DROP("not the peer's address", "9.6, A17", UC_OPS, saddr, drop_addr),

	{ "PSN ahead: a gap", "9.8.2.2", UC_OPS & BEGIN, mutate_ahead, DONE },
	{ "PSN behind", "9.8.2.2", UC_OPS & BEGIN, mutate_behind, DONE },
	ROW_LOST("PSN ahead: a gap", "9.8.2.2", UC_OPS & GO_ON, ahead, inv_order),
	ROW_LOST("PSN behind", "9.8.2.2", UC_OPS & GO_ON, behind, inv_order),
	{ "first within a WRITE, which is lost", "9.8.2.2", UC_OPS & BEGIN,
	  mutate_in_write, DONE },
	{ "first within a SEND, which is lost", "9.8.2.2", UC_OPS & BEGIN,
	  mutate_in_send, DONE },
	ROW_LOST("no first packet before it", "9.8.2.2", UC_OPS & GO_ON, no_first, inv_order),
	ROW_LOST("within a WRITE", "9.8.2.2", UC_OPS & GO_ON & SENDS, in_write, inv_order),
	ROW_LOST("within a SEND", "9.8.2.2", UC_OPS & GO_ON & WRITES, in_send, inv_order),

	{ "queue pair has no rights", "9.8.2", UC_OPS & SENDS,
	  mutate_qp_rights, DONE },
	ROW_LOST("queue pair lacks the right", "9.8.2", WRITES, qp_right, inv_qp_access),
	ROW_LOST("no receive request", "9.8.2", UC_OPS & TAKES, no_recv, drop_recv),

	ROW_LOST("headers cut", "9.8.2", UC_OPS & HEADERS, headers_cut, inv_length),
	ROW_LOST("shorter than the path MTU", "9.8.2", FULL, shorter, inv_length),
	ROW_LOST("longer than the path MTU", "9.8.2", FULL, longer, inv_length),
	ROW_LOST("longer than the path MTU", "9.8.2", UC_OPS & (LASTS | ONLIES), over_mtu,
		 inv_length),
	ROW_LOST("no payload", "9.8.2", UC_OPS & LASTS, empty, inv_length),
	ROW_LOST("less than the message has left", "9.8.2", WRITES & (LASTS | ONLIES), shorter,
		 inv_length),
	ROW_LOST("more than the message has left", "9.8.2", WRITES & (LASTS | ONLIES), longer,
		 inv_length),
	ROW_LOST("no bytes left for the last packet", "9.8.2", WRITES & FULL, ends_early,
		 inv_length),
	ROW_LOST("pad", "9.8.2", FULL, full_pad, inv_length),
	{ "61 bytes, pad 3: no error", "9.8.2", UC_OPS & (LASTS | ONLIES),
	  mutate_right_pad, DONE },
	ROW_LOST("pad without payload", "9.8.2", UC_OPS & (LASTS | ONLIES), pad_alone, inv_length),
	ROW_LOST("61 bytes, no pad", "9.8.2", UC_OPS & (LASTS | ONLIES), odd, inv_length),
	ROW_LOST("RETH of more than 2^31 bytes", "9.8.2", UC_OPS & RETHS, max_msg, inv_length),

	ROW_LOST("no such key", "9.8.2", WRITES, key, acc_key),
	ROW_LOST("no such region", "9.8.2", WRITES, index, acc_key),
	ROW_LOST("region not valid", "9.8.2", WRITES, invalid, acc_key),
	ROW_LOST("protection domain", "9.8.2", WRITES, pd, acc_pd),
	ROW_LOST("region lacks the right", "9.8.2", WRITES, region_right, acc_right),
	ROW_LOST("begins before the region", "9.8.2", WRITES, below, acc_bounds),
	ROW_LOST("ends beyond the region", "9.8.2", WRITES, above, acc_bounds),
	ROW_LOST("passes the end of the address space", "9.8.2", WRITES, wraps, acc_bounds),
	{ "no bytes", "9.8.2", UC_OPS & ONLIES, mutate_no_bytes, DONE },
	{ "no bytes, no such key", "9.8.2", WRITES & ONLIES,
	  mutate_no_bytes_key, DONE },
};

static const struct row ud_rows[] = {
	{ "no error", "9.8.3", UD_OPS, mutate_none, DONE },
	{ "state RTR", "10.3.1", UD_OPS, mutate_rtr, DONE },
	{ "state RTS", "10.3.1", UD_OPS, mutate_rts, DONE },
	{ "state SQD", "10.3.1", UD_OPS, mutate_sqd, DONE },
	ROW_DROP("opcode that UD does not have", "9.6", ANY & ~UD_OPS, none, drop_opcode),
	{ "from any address", "9.8.3", UD_OPS, mutate_saddr, DONE },
	{ "PSN ahead", "9.8.3", UD_OPS, mutate_ahead, DONE },
	{ "PSN behind", "9.8.3", UD_OPS, mutate_behind, DONE },
	{ "queue pair has no rights", "9.8.3", UD_OPS, mutate_qp_rights,
	  DONE },
	ROW_DROP("Q_Key", "9.6, 10.2.5", UD_OPS, qkey, drop_qkey),
	ROW_DROP("no receive request", "9.8.3", UD_OPS, no_recv, drop_recv),
	ROW_DROP("headers cut", "9.8.3", UD_OPS, headers_cut, inv_length),
	ROW_DROP("longer than the path MTU", "9.8.3", UD_OPS, over_mtu, inv_length),
	{ "61 bytes, pad 3: no error", "9.8.3", UD_OPS, mutate_right_pad,
	  DONE },
	ROW_DROP("pad without payload", "9.8.3", UD_OPS, pad_alone, inv_length),
	ROW_DROP("61 bytes, no pad", "9.8.3", UD_OPS, odd, inv_length),
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
