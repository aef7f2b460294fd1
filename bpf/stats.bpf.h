/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters of the link, in this CPU's copy. */
#ifndef _XROCE_STATS_BPF_H
#define _XROCE_STATS_BPF_H

_Static_assert(__builtin_offsetof(struct xroce_stat, op_memory) ==
	       __builtin_offsetof(struct xroce_stat, inv_opcode) +
	       (XROCE_CAUSE_OP_MEMORY - XROCE_CAUSE_INV_OPCODE) * sizeof(__u64),
	       "counters of causes stand in the order of enum xroce_cause");

_Static_assert(__builtin_offsetof(struct xroce_stat, drop_busy) ==
	       __builtin_offsetof(struct xroce_stat, drop_length) +
	       (XROCE_DROP_BUSY - XROCE_DROP_LENGTH) * sizeof(__u64),
	       "and so do those of drops");

static __always_inline struct xroce_stat *stat_this_cpu(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&stat, &zero);
}

static __always_inline void stat_cause(struct xroce_stat *st, __u32 cause)
{
	__u64 *first = &st->inv_opcode;

	if (cause >= XROCE_CAUSE_INV_OPCODE && cause <= XROCE_CAUSE_OP_MEMORY)
		first[cause - XROCE_CAUSE_INV_OPCODE]++;
}

static __always_inline void stat_drop(struct xroce_stat *st, __u32 cause)
{
	__u32 i = cause - XROCE_DROP_LENGTH;
	__u64 *first = &st->drop_length;

	/* Keeps the comparison on @i, from which the verifier learns the bound. */
	barrier_var(i);
	if (i <= XROCE_DROP_BUSY - XROCE_DROP_LENGTH)
		first[i]++;
}

/* Count a deferred packet, and take back its other counts: they follow when it is executed. */
static __always_inline void stat_deferred(struct xroce_stat *st,
					  const struct request *req)
{
	st->deferred++;
	st->rx--;
	st->rx_bytes -= req->frame_len;
}

#endif
