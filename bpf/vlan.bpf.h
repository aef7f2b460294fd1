/* SPDX-License-Identifier: GPL-2.0-only */
/* VLAN tags that the driver has removed from the frame. */
#ifndef _XROCE_VLAN_BPF_H
#define _XROCE_VLAN_BPF_H

/* A kfunc of the kernel. Return: 0, or a negative error: the driver has removed no tag. */
extern int bpf_xdp_metadata_rx_vlan_tag(const struct xdp_md *ctx, __be16 *vlan_proto,
					__u16 *vlan_tci) __ksym __weak;

/*
 * Is the frame for one of our queue pair numbers and addresses, and has it at most
 * VLAN_DEPTH - 1 tags? All other frames are left to the stack unchanged.
 */
static __always_inline bool vlan_ours(struct xdp_md *ctx, const struct vlan_hdr *tag)
{
	void *data = frame_start(ctx), *end = frame_end(ctx);
	struct request req = {};
	struct xroce_stat *st;
	int qpn = parse(data, end, &req, NOT_PLAIN);

	if (qpn < 0 || req.l3 > sizeof(struct ethhdr) +
			       (VLAN_DEPTH - 1) * sizeof(struct vlan_hdr))
		return false;
	if (qpn_ours(qpn) && eth_ours(ctx, data))
		return true;
	st = stat_this_cpu();
	if (!st)
		return false;
	/* The stack gets the frame, too, so the tag is not put back. */
	if (qpn == XROCE_QPN_MCAST)
		mcast(ctx, data, end, &req, st,
		      bpf_ntohs(tag->proto) << 16 | bpf_ntohs(tag->tci));
	st->pass++;
	return false;
}

/* Insert the tag between addresses and EtherType. Return: false: there is no headroom. */
static __always_inline bool vlan_put_back(struct xdp_md *ctx, const struct vlan_hdr *tag)
{
	struct {
		__u32 addrs[3];		/* destination and source */
		__be16 tpid;
		__be16 tci;
	} *to, *from;
	__u32 addrs[3];

	from = frame_start(ctx);
	if ((void *)(from + 1) > frame_end(ctx))
		return false;
	addrs[0] = from->addrs[0];
	addrs[1] = from->addrs[1];
	addrs[2] = from->addrs[2];
	if (bpf_xdp_adjust_head(ctx, -(int)sizeof(*tag)))
		return false;
	to = frame_start(ctx);
	/* For the verifier: this cannot fail, the frame has become longer. */
	if ((void *)(to + 1) > frame_end(ctx))
		return false;
	to->addrs[0] = addrs[0];
	to->addrs[1] = addrs[1];
	to->addrs[2] = addrs[2];
	to->tpid = tag->proto;
	to->tci = tag->tci;
	return true;
}

#endif
