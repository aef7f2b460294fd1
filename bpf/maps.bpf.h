/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps and constants that the loader fills in. Their values are described
 * in xroce_map.h.
 */
#ifndef _XROCE_MAPS_BPF_H
#define _XROCE_MAPS_BPF_H

/* Number of our link, for the module. */
const volatile __u32 xroce_link;

/* Entries of the map "qp", a power of two, less one. */
const volatile __u32 xroce_qp_mask;

/*
 * The module is there and its kfuncs may be called. When false the verifier
 * removes the calls and the program passes verdicts alone: every invariant CRC
 * counts as good, no byte is moved, and READ responses carry no CRC.
 */
const volatile bool xroce_kfuncs;

/*
 * What a kfunc returns, or 0 where there is none. Those are two ways as far as the
 * compiler knows, so that the verifier can take the one that is not gone out.
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

/* CRC-32 of a byte and a number of zero bytes behind it, from state 0. */
const volatile __u32 xroce_crc[XROCE_CRC_BEHIND][256];

/*
 * Do not free a fragment of a frame; the module answers those. Before 6.18 veth and
 * generic XDP free it the wrong way ("page_pool leak"), and veth takes a new page for
 * each that it sends back; the loader clears this for other drivers.
 */
volatile bool xroce_keep_frags = true;

/* Written by the module. A section, and so a map, of its own: ".data.netdev". */
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

/* By the low bits of the queue pair number. Written by both sides. */
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

/* One entry. Written by the program, but for what the module sends. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct xroce_stat);
} stat SEC(".maps");

/* By key index. Written by the module; refusals by the program. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct xroce_mr_stat);
} mr_stat SEC(".maps");

/* Of struct xroce_event. Written by the program, read by whoever watches. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} events SEC(".maps");

/* Likewise. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 64 * 1024);
} drops SEC(".maps");

/* One entry. Written by whoever watches "drops". */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_RDONLY_PROG);
	__type(key, __u32);
	__type(value, struct xroce_drop_lease);
} drop_lease SEC(".maps");

#endif
