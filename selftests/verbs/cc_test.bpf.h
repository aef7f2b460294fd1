/* SPDX-License-Identifier: GPL-2.0-only */
/* Algorithms of congestion control for verbs_cc.sh: what all of them include. */
#ifndef XROCE_CC_TEST_BPF_H
#define XROCE_CC_TEST_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "xroce_cc.h"

char _license[] SEC("license") = "GPL";

#endif
