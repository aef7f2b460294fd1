/* SPDX-License-Identifier: GPL-2.0-only */
/* Algorithms of congestion control for verbs_cc.sh: what all of them include. */
#ifndef XROCE_CC_TEST_BPF_H
#define XROCE_CC_TEST_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "xroce_cc.h"

char _license[] SEC("license") = "GPL";

/* The functions of an algorithm; @cc and @ack are their arguments. */
#define TEST_INIT(statements)						\
	SEC("struct_ops/init")						\
	void BPF_PROG(test_init, struct xroce_cc *cc)			\
	{								\
		statements;						\
	}

#define TEST_ACK(statements)						\
	SEC("struct_ops/ack")						\
	void BPF_PROG(test_ack, struct xroce_cc *cc, const struct xroce_cc_ack *ack) \
	{								\
		statements;						\
	}

/* An algorithm of both, and other members. */
#define TEST_CC(...)							\
	SEC(".struct_ops.link")						\
	struct xroce_cc_ops test = {					\
		.init = (void *)test_init,				\
		.ack = (void *)test_ack,				\
		__VA_ARGS__						\
	}

#endif
