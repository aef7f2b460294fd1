// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reliable connection: opcode, cause, answer. Only the module knows the contents of receive
 * work requests: recv_table_test tests these.
 */
#include "harness.h"
#include "mutate.h"
#include "silence.h"

static const struct row rows[] = {
	{ "no error", "9.4", ALL & ~INVS & ~OP(RESERVED), mutate_none, DONE },
	{ "no error, no ACK asked for", "9.7.5.1", SENDS & ~INVS,
	  mutate_no_ack, DONE },
	{ "no error, no ACK asked for", "9.7.5.1", WRITES, mutate_no_ack,
	  DONE },
	{ "state RTR", "10.3.1", REQUESTS & ~INVS, mutate_rtr, DONE },
	{ "state RTS", "10.3.1", REQUESTS & ~INVS, mutate_rts, DONE },
	{ "state SQD", "10.3.1", REQUESTS & ~INVS, mutate_sqd, DONE },

	{ "a response, to a responder", "9.6", OP(RESPONSE), mutate_none, DROP,
	  COUNTER(drop_opcode) },
	{ "not the peer's address", "9.6, A17", ALL, mutate_saddr, DROP,
	  COUNTER(drop_addr) },

	{ "PSN ahead", "9.7.1", ALL, mutate_ahead, NAK_SEQ },
	{ "PSN ahead, NAK already sent", "9.7.1", ALL, mutate_ahead_again, DROP,
	  COUNTER(drop_psn) },
	{ "PSN behind", "9.7.5.1.2", SENDS | WRITES, mutate_behind, ACK_LAST },
	{ "PSN behind, no ACK asked for", "9.7.5.1.2", SENDS | WRITES,
	  mutate_behind_no_ack, ACK_LAST },
	{ "PSN behind, wrong key", "9.7.5.1.2", WRITES, mutate_behind_key,
	  ACK_LAST },
	{ "PSN behind a kept READ", "9.7.5.1.2", SENDS | WRITES,
	  mutate_behind_read, ACK_THIS },
	{ "PSN behind", "9.7.5.1.2", OP(RESERVED), mutate_behind, DROP,
	  COUNTER(drop_psn) },
	{ "PSN behind, request is kept", "9.7.5.1.2", KEPT, mutate_kept, AGAIN },
	{ "PSN behind, rest of a kept READ", "9.7.5.1.2", OP(READ),
	  mutate_kept_rest, AGAIN },
	{ "PSN behind, request not kept", "9.7.5.1.2", KEPT, mutate_forgotten, DROP,
	  COUNTER(drop_psn) },
	{ "PSN behind, another opcode is kept", "9.7.5.1.2", KEPT, mutate_another,
	  DROP, COUNTER(drop_psn) },
	{ "PSN behind, another key", "9.7.5.1.2", OP(READ), mutate_kept_key,
	  DROP, COUNTER(drop_psn) },
	{ "PSN behind, longer than before", "9.7.5.1.2", OP(READ),
	  mutate_kept_longer, DROP, COUNTER(drop_psn) },
	{ "PSN behind, right is revoked", "9.7.5.1.2", OP(READ),
	  mutate_kept_right, DROP, COUNTER(drop_psn) },

	{ "reserved opcode", "9.7.4.1", OP(RESERVED), mutate_none, NAK,
	  XROCE_CAUSE_INV_OPCODE },
	{ "first within a WRITE", "9.7.4.1", BEGIN, mutate_in_write, NAK,
	  XROCE_CAUSE_INV_ORDER },
	{ "first within a SEND", "9.7.4.1", BEGIN, mutate_in_send, NAK,
	  XROCE_CAUSE_INV_ORDER },
	{ "no first packet before it", "9.7.4.1", GO_ON, mutate_no_first, NAK,
	  XROCE_CAUSE_INV_ORDER },
	{ "within a WRITE", "9.7.4.1", GO_ON & SENDS, mutate_in_write, NAK,
	  XROCE_CAUSE_INV_ORDER },
	{ "within a SEND", "9.7.4.1", GO_ON & WRITES, mutate_in_send, NAK,
	  XROCE_CAUSE_INV_ORDER },

	{ "queue pair has no rights", "9.7.4.1", SENDS & ~INVS,
	  mutate_qp_rights, DONE },
	{ "queue pair lacks the right", "9.7.4.1", RANGES, mutate_qp_right,
	  NAK, XROCE_CAUSE_INV_QP_ACCESS },
	{ "persistence, queue pair lacks it", "A19", OP(FLUSH),
	  mutate_persistence, NAK, XROCE_CAUSE_INV_QP_ACCESS },
	{ "no responder resources", "9.7.4.1", KEPT, mutate_no_resources, NAK,
	  XROCE_CAUSE_INV_RESOURCES },
	{ "no receive request", "9.7.5.2.8", TAKES, mutate_no_recv, RNR },

	{ "headers cut", "9.7.4.1", HEADERS, mutate_headers_cut, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "shorter than the path MTU", "9.7.4.1", FULL, mutate_shorter, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "longer than the path MTU", "9.7.4.1", FULL, mutate_longer, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "longer than the path MTU", "9.7.4.1", LASTS | ONLIES,
	  mutate_over_mtu, NAK, XROCE_CAUSE_INV_LENGTH },
	{ "no payload", "9.7.4.1", LASTS, mutate_empty, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "payload where none is allowed", "9.7.4.1", KEPT, mutate_longer, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "no payload", "9.7.4.1, A19", OP(ATOMIC_WRITE), mutate_empty, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "less than the message has left", "9.7.4.1",
	  WRITES & (LASTS | ONLIES), mutate_shorter, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "more than the message has left", "9.7.4.1",
	  WRITES & (LASTS | ONLIES), mutate_longer, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "no bytes left for the last packet", "9.7.4.1", WRITES & FULL,
	  mutate_ends_early, NAK, XROCE_CAUSE_INV_LENGTH },
	{ "pad", "9.7.4.1", FULL | KEPT, mutate_full_pad, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "61 bytes, pad 3: no error", "9.7.4.1", (LASTS | ONLIES) & ~INVS,
	  mutate_right_pad, DONE },
	{ "pad without payload", "9.7.4.1", LASTS | ONLIES, mutate_pad_alone,
	  NAK, XROCE_CAUSE_INV_LENGTH },
	{ "61 bytes, no pad", "9.7.4.1", LASTS | ONLIES, mutate_odd, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "RETH of more than 2^31 bytes", "C9-94", RETHS & (WRITES | OP(READ)),
	  mutate_max_msg, NAK, XROCE_CAUSE_INV_LENGTH },
	{ "RETH of more than 2^31 bytes", "A19", OP(ATOMIC_WRITE) | OP(FLUSH),
	  mutate_max_msg, NAK, XROCE_CAUSE_INV_LENGTH },
	{ "RETH length is not 8", "A19", OP(ATOMIC_WRITE), mutate_not_eight,
	  NAK, XROCE_CAUSE_INV_LENGTH },
	{ "no placement", "A19", OP(FLUSH), mutate_placement, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "reserved selectivity", "A19", OP(FLUSH), mutate_selectivity, NAK,
	  XROCE_CAUSE_INV_LENGTH },
	{ "address not aligned", "9.4.5", ATOMICS, mutate_align, NAK,
	  XROCE_CAUSE_INV_ALIGN },
	{ "address not aligned", "A19", OP(ATOMIC_WRITE), mutate_align, NAK,
	  XROCE_CAUSE_INV_ALIGN },

	{ "no such key", "9.7.4.1.3", RANGES, mutate_key, NAK,
	  XROCE_CAUSE_ACC_KEY },
	{ "no such region", "9.7.4.1.3", RANGES, mutate_index, NAK,
	  XROCE_CAUSE_ACC_KEY },
	{ "region not valid", "9.7.4.1.3", RANGES, mutate_invalid, NAK,
	  XROCE_CAUSE_ACC_KEY },
	{ "protection domain", "9.7.4.1.3", RANGES, mutate_pd, NAK,
	  XROCE_CAUSE_ACC_PD },
	{ "region lacks the right", "9.7.4.1.3", RANGES, mutate_region_right,
	  NAK, XROCE_CAUSE_ACC_RIGHT },
	{ "persistence, region lacks it", "A19", OP(FLUSH),
	  mutate_region_persistence, NAK, XROCE_CAUSE_ACC_RIGHT },
	{ "begins before the region", "9.7.4.1.3", RANGES, mutate_below, NAK,
	  XROCE_CAUSE_ACC_BOUNDS },
	{ "ends beyond the region", "9.7.4.1.3", RANGES, mutate_above, NAK,
	  XROCE_CAUSE_ACC_BOUNDS },
	{ "passes the end of the address space", "9.7.4.1.3", RANGES,
	  mutate_wraps, NAK, XROCE_CAUSE_ACC_BOUNDS },
	{ "the whole region, not the range", "A19", OP(FLUSH),
	  mutate_whole_region, DONE },
	{ "no bytes", "9.4", OP(READ) | (SENDS & ONLIES & ~INVS) |
	  (WRITES & ONLIES) | OP(FLUSH), mutate_no_bytes, DONE },
	{ "no bytes, no such key", "C9-88", OP(READ) | (WRITES & ONLIES),
	  mutate_no_bytes_key, DONE },
	{ "no bytes, no such key", "A19", OP(FLUSH), mutate_no_bytes_key, NAK,
	  XROCE_CAUSE_ACC_KEY },
	{ "window of type 1", "10.6.7", RANGES, mutate_window_1, DONE },
	{ "window of type 2A, another domain", "10.6.7", RANGES,
	  mutate_window_2a_pd, DONE },
	{ "window of type 2B", "10.6.7", RANGES, mutate_window_2b, DONE },
	{ "window of type 2B, another domain", "10.6.7", RANGES,
	  mutate_window_2b_pd, NAK, XROCE_CAUSE_ACC_PD },
	{ "window of type 2A, another QP", "10.6.7", RANGES,
	  mutate_window_2a_qp, NAK, XROCE_CAUSE_ACC_QP },
	{ "window of type 2B, another QP", "10.6.7", RANGES,
	  mutate_window_2b_qp, NAK, XROCE_CAUSE_ACC_QP },
	{ "invalidates a window of type 1", "10.6.7", INVS, mutate_window_1,
	  NAK, XROCE_CAUSE_ACC_KEY },
	{ "no error: a window of type 2A", "10.6.7", INVS, mutate_window_2a,
	  DONE },
	{ "no error: a window of type 2B", "10.6.7", INVS, mutate_window_2b,
	  DONE },
	{ "invalidates type 2A of another QP", "10.6.7", INVS,
	  mutate_window_2a_qp, NAK, XROCE_CAUSE_ACC_QP },
	{ "invalidates type 2B of another QP", "10.6.7", INVS,
	  mutate_window_2b_qp, NAK, XROCE_CAUSE_ACC_QP },
	{ "invalidates type 2B, another domain", "10.6.7", INVS, mutate_window_2b_pd, NAK,
	  XROCE_CAUSE_ACC_PD },
	{ "key to invalidate is of a region", "10.6", INVS, mutate_invalidate,
	  NAK, XROCE_CAUSE_ACC_KEY },
	{ "key to invalidate does not exist", "10.6", INVS, mutate_none, NAK,
	  XROCE_CAUSE_ACC_KEY },
};

static void all(uint32_t ops)
{
	silence_run(XROCE_QPT_RC, ops & ALL);
	table_run(XROCE_QPT_RC, ops, rows, ARRAY_SIZE(rows));
}

TEST(table_RC_SEND, "D2 D5 D6 W7", "every cause with every SEND opcode")
{
	all(SENDS);
}

TEST(table_RC_WRITE, "D2 D5 D6 P2", "every cause with every WRITE opcode")
{
	all(WRITES);
}

TEST(table_RC_kept, "D2 D5 D6", "every cause with READ, atomics and FLUSH")
{
	all(KEPT);
}

TEST(table_RC_none, "D5 D6", "reserved opcodes and responses")
{
	all(ANY & ~REQUESTS);
}

TEST_MAIN(native_main);
