// SPDX-License-Identifier: GPL-2.0-only
/* A harmful algorithm: a byte a second. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = 64 * XROCE_CC_PACKET; cc->rate = 1)
TEST_ACK(cc->rate = 1)
TEST_CC(.name = "rate");
