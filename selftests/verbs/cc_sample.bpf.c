// SPDX-License-Identifier: GPL-2.0-only
/* Refused: it writes the sample. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = XROCE_CC_PACKET)
TEST_ACK(((struct xroce_cc_ack *)ack)->acked = 1)
TEST_CC(.name = "sample");
