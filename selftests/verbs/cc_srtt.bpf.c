// SPDX-License-Identifier: GPL-2.0-only
/* Refused: it writes what is only to be read. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = XROCE_CC_PACKET)
TEST_ACK(cc->srtt = 1)
TEST_CC(.name = "srtt");
