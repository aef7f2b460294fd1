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

	ROW_DROP("a response, to a responder", "9.6", OP(RESPONSE), none, drop_opcode),
	ROW_DROP("not the peer's address", "9.6, A17", ALL, saddr, drop_addr),

	{ "PSN ahead", "9.7.1", ALL, mutate_ahead, NAK_SEQ },
	ROW_DROP("PSN ahead, NAK already sent", "9.7.1", ALL, ahead_again, drop_psn),
	{ "PSN behind", "9.7.5.1.2", SENDS | WRITES, mutate_behind, ACK_LAST },
	{ "PSN behind, no ACK asked for", "9.7.5.1.2", SENDS | WRITES,
	  mutate_behind_no_ack, ACK_LAST },
	{ "PSN behind, wrong key", "9.7.5.1.2", WRITES, mutate_behind_key,
	  ACK_LAST },
	{ "PSN behind a kept READ", "9.7.5.1.2", SENDS | WRITES,
	  mutate_behind_read, ACK_THIS },
	ROW_DROP("PSN behind", "9.7.5.1.2", OP(RESERVED), behind, drop_psn),
	{ "PSN behind, request is kept", "9.7.5.1.2", KEPT, mutate_kept, AGAIN },
	{ "PSN behind, rest of a kept READ", "9.7.5.1.2", OP(READ),
	  mutate_kept_rest, AGAIN },
	ROW_DROP("PSN behind, request not kept", "9.7.5.1.2", KEPT, forgotten, drop_psn),
	ROW_DROP("PSN behind, another opcode is kept", "9.7.5.1.2", KEPT, another, drop_psn),
	ROW_DROP("PSN behind, another key", "9.7.5.1.2", OP(READ), kept_key, drop_psn),
	ROW_DROP("PSN behind, longer than before", "9.7.5.1.2", OP(READ), kept_longer, drop_psn),
	ROW_DROP("PSN behind, right is revoked", "9.7.5.1.2", OP(READ), kept_right, drop_psn),

	ROW_NAK("reserved opcode", "9.7.4.1", OP(RESERVED), none, INV_OPCODE),
	ROW_NAK("first within a WRITE", "9.7.4.1", BEGIN, in_write, INV_ORDER),
	ROW_NAK("first within a SEND", "9.7.4.1", BEGIN, in_send, INV_ORDER),
	ROW_NAK("no first packet before it", "9.7.4.1", GO_ON, no_first, INV_ORDER),
	ROW_NAK("within a WRITE", "9.7.4.1", GO_ON & SENDS, in_write, INV_ORDER),
	ROW_NAK("within a SEND", "9.7.4.1", GO_ON & WRITES, in_send, INV_ORDER),

	{ "queue pair has no rights", "9.7.4.1", SENDS & ~INVS,
	  mutate_qp_rights, DONE },
	ROW_NAK("queue pair lacks the right", "9.7.4.1", RANGES, qp_right, INV_QP_ACCESS),
	ROW_NAK("persistence, queue pair lacks it", "A19", OP(FLUSH), persistence, INV_QP_ACCESS),
	ROW_NAK("no responder resources", "9.7.4.1", KEPT, no_resources, INV_RESOURCES),
	{ "no receive request", "9.7.5.2.8", TAKES, mutate_no_recv, RNR },

	ROW_NAK("headers cut", "9.7.4.1", HEADERS, headers_cut, INV_LENGTH),
	ROW_NAK("shorter than the path MTU", "9.7.4.1", FULL, shorter, INV_LENGTH),
	ROW_NAK("longer than the path MTU", "9.7.4.1", FULL, longer, INV_LENGTH),
	ROW_NAK("longer than the path MTU", "9.7.4.1", LASTS | ONLIES, over_mtu, INV_LENGTH),
	ROW_NAK("no payload", "9.7.4.1", LASTS, empty, INV_LENGTH),
	ROW_NAK("payload where none is allowed", "9.7.4.1", KEPT, longer, INV_LENGTH),
	ROW_NAK("no payload", "9.7.4.1, A19", OP(ATOMIC_WRITE), empty, INV_LENGTH),
	ROW_NAK("less than the message has left", "9.7.4.1", WRITES & (LASTS | ONLIES), shorter,
		INV_LENGTH),
	ROW_NAK("more than the message has left", "9.7.4.1", WRITES & (LASTS | ONLIES), longer,
		INV_LENGTH),
	ROW_NAK("no bytes left for the last packet", "9.7.4.1", WRITES & FULL, ends_early,
		INV_LENGTH),
	ROW_NAK("pad", "9.7.4.1", FULL | KEPT, full_pad, INV_LENGTH),
	{ "61 bytes, pad 3: no error", "9.7.4.1", (LASTS | ONLIES) & ~INVS,
	  mutate_right_pad, DONE },
	ROW_NAK("pad without payload", "9.7.4.1", LASTS | ONLIES, pad_alone, INV_LENGTH),
	ROW_NAK("61 bytes, no pad", "9.7.4.1", LASTS | ONLIES, odd, INV_LENGTH),
	ROW_NAK("RETH of more than 2^31 bytes", "C9-94", RETHS & (WRITES | OP(READ)), max_msg,
		INV_LENGTH),
	ROW_NAK("RETH of more than 2^31 bytes", "A19", OP(ATOMIC_WRITE) | OP(FLUSH), max_msg,
		INV_LENGTH),
	ROW_NAK("RETH length is not 8", "A19", OP(ATOMIC_WRITE), not_eight, INV_LENGTH),
	ROW_NAK("no placement", "A19", OP(FLUSH), placement, INV_LENGTH),
	ROW_NAK("reserved selectivity", "A19", OP(FLUSH), selectivity, INV_LENGTH),
	ROW_NAK("address not aligned", "9.4.5", ATOMICS, align, INV_ALIGN),
	ROW_NAK("address not aligned", "A19", OP(ATOMIC_WRITE), align, INV_ALIGN),

	ROW_NAK("no such key", "9.7.4.1.3", RANGES, key, ACC_KEY),
	ROW_NAK("no such region", "9.7.4.1.3", RANGES, index, ACC_KEY),
	ROW_NAK("region not valid", "9.7.4.1.3", RANGES, invalid, ACC_KEY),
	ROW_NAK("protection domain", "9.7.4.1.3", RANGES, pd, ACC_PD),
	ROW_NAK("region lacks the right", "9.7.4.1.3", RANGES, region_right, ACC_RIGHT),
	ROW_NAK("persistence, region lacks it", "A19", OP(FLUSH), region_persistence, ACC_RIGHT),
	ROW_NAK("begins before the region", "9.7.4.1.3", RANGES, below, ACC_BOUNDS),
	ROW_NAK("ends beyond the region", "9.7.4.1.3", RANGES, above, ACC_BOUNDS),
	ROW_NAK("passes the end of the address space", "9.7.4.1.3", RANGES, wraps, ACC_BOUNDS),
	{ "the whole region, not the range", "A19", OP(FLUSH),
	  mutate_whole_region, DONE },
	{ "no bytes", "9.4", OP(READ) | (SENDS & ONLIES & ~INVS) |
	  (WRITES & ONLIES) | OP(FLUSH), mutate_no_bytes, DONE },
	{ "no bytes, no such key", "C9-88", OP(READ) | (WRITES & ONLIES),
	  mutate_no_bytes_key, DONE },
	ROW_NAK("no bytes, no such key", "A19", OP(FLUSH), no_bytes_key, ACC_KEY),
	{ "window of type 1", "10.6.7", RANGES, mutate_window_1, DONE },
	{ "window of type 2A, another domain", "10.6.7", RANGES,
	  mutate_window_2a_pd, DONE },
	{ "window of type 2B", "10.6.7", RANGES, mutate_window_2b, DONE },
	ROW_NAK("window of type 2B, another domain", "10.6.7", RANGES, window_2b_pd, ACC_PD),
	ROW_NAK("window of type 2A, another QP", "10.6.7", RANGES, window_2a_qp, ACC_QP),
	ROW_NAK("window of type 2B, another QP", "10.6.7", RANGES, window_2b_qp, ACC_QP),
	ROW_NAK("invalidates a window of type 1", "10.6.7", INVS, window_1, ACC_KEY),
	{ "no error: a window of type 2A", "10.6.7", INVS, mutate_window_2a,
	  DONE },
	{ "no error: a window of type 2B", "10.6.7", INVS, mutate_window_2b,
	  DONE },
	ROW_NAK("invalidates type 2A of another QP", "10.6.7", INVS, window_2a_qp, ACC_QP),
	ROW_NAK("invalidates type 2B of another QP", "10.6.7", INVS, window_2b_qp, ACC_QP),
	ROW_NAK("invalidates type 2B, another domain", "10.6.7", INVS, window_2b_pd, ACC_PD),
	ROW_NAK("key to invalidate is of a region", "10.6", INVS, invalidate, ACC_KEY),
	ROW_NAK("key to invalidate does not exist", "10.6", INVS, none, ACC_KEY),
};

static void all(uint32_t ops)
{
	silence_run(XROCE_QPT_RC, ops & ALL);
	table_run(XROCE_QPT_RC, ops, rows, ARRAY_SIZE(rows));
}

TEST(table_RC_SEND, "D2 D5 D6 W7", "every cause with every SEND opcode") { all(SENDS); }
TEST(table_RC_WRITE, "D2 D5 D6 P2", "every cause with every WRITE opcode") { all(WRITES); }
TEST(table_RC_kept, "D2 D5 D6", "every cause with READ, atomics and FLUSH") { all(KEPT); }
TEST(table_RC_none, "D5 D6", "reserved opcodes and responses") { all(ANY & ~REQUESTS); }

TEST_MAIN(native_main);
