// SPDX-License-Identifier: GPL-2.0-only
/* A harmful algorithm: the window grows without end, and overflows. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = XROCE_CC_PACKET)
TEST_ACK(cc->cwnd = cc->cwnd * 2 + XROCE_CC_PACKET)
TEST_CC(.name = "grow");
