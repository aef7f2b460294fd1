// SPDX-License-Identifier: GPL-2.0-only
/* Refused: its name has a blank. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = XROCE_CC_PACKET)
TEST_ACK(cc->cwnd = XROCE_CC_PACKET)
TEST_CC(.name = "a name");
