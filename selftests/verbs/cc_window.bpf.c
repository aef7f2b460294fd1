// SPDX-License-Identifier: GPL-2.0-only
/* A harmful algorithm: it lets nothing be outstanding. */
#include "cc_test.bpf.h"

TEST_INIT(cc->cwnd = 0)
TEST_ACK(cc->cwnd = 0)
TEST_CC(.name = "window");
