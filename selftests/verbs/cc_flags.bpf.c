// SPDX-License-Identifier: GPL-2.0-only
/* Refused: a flag that there is not. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = XROCE_CC_PACKET)
TEST_ACK(cc->cwnd = XROCE_CC_PACKET)
TEST_CC(.flags = XROCE_CC_FLAGS + 1, .name = "flags");
