/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps, and constants that the loader sets. xroce_map.h describes the values of the maps.
 */
#ifndef _XROCE_MAPS_BPF_H
#define _XROCE_MAPS_BPF_H

/* Number of the link, an argument of kfuncs. */
const volatile __u32 xroce_link;

/* Number of entries of the map "qp", a power of two, minus one. */
const volatile __u32 xroce_qp_mask;

/*
 * The module is loaded and its kfuncs may be called. If this is false, the verifier removes
 * the calls, and the program only judges packets: every invariant CRC counts as right, no
 * payload is copied, and READ responses have no CRC.
 */
const volatile bool xroce_kfuncs;

/*
 * Return value of a kfunc, or 0 without the module. The barrier makes two paths for the
 * compiler, so that the verifier can prune the dead one.
 */
#define module(call) ({			\
	int _ret = 0;			\
					\
	if (xroce_kfuncs)		\
		_ret = (call);		\
	else				\
		barrier_var(_ret);	\
	_ret;				\
})

/* [n][b]: CRC-32 of the byte b and n bytes of zeros behind it, from state 0. */
const volatile __u32 xroce_crc[XROCE_CRC_BEHIND][256];

/*
 * Do not resize frames with fragments, which would free fragments; the module sends the
 * responses. Before Linux 6.18, veth and generic XDP free a fragment in the wrong way
 * ("page_pool leak"), and veth allocates a new page for each fragment that it sends back. The
 * loader clears this for other drivers.
 */
volatile bool xroce_keep_frags = true;

/* The map "netdev": a separate section becomes a separate map. Written by the module. */
volatile struct xroce_netdev xroce_netdev SEC(".data.netdev") = {
	.addr = XROCE_NETDEV_NO_ADDR,
};

/* By key index. Written by the module. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, __u32);
	__type(value, struct xroce_mpt);
} mpt SEC(".maps");

/* By the low bits of the queue pair number. Written by module and program. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct xroce_qp);
} qp SEC(".maps");

/* As many entries as "qp". Written by the program. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct xroce_rd_ring);
} rd SEC(".maps");

/* One entry. Written by the program; counters of frames of the module by the module. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xroce_stat);
} stat SEC(".maps");

/* By key index. Written by the module; refusals also by the program. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct xroce_mr_stat);
} mr_stat SEC(".maps");

/* Refusals, as struct xroce_event. Written by the program, read by monitors. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} events SEC(".maps");

/* Drops, likewise. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} drops SEC(".maps");

/* One entry. Written by readers of "drops". */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, __u32);
	__type(value, struct xroce_drop_lease);
} drop_lease SEC(".maps");

#endif
