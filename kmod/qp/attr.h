/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Attributes of a queue pair (IBTA 11.2.4.2), in the form that both front ends translate theirs
 * into. include/xroce_transition.h says which of them each change of state needs and permits.
 */
#ifndef _XR_QP_ATTR_H
#define _XR_QP_ATTR_H

#include <linux/in6.h>
#include <linux/types.h>

#include "uapi/xroce.h"

#include "send/attr.h"

struct xr_qp;

/* Attributes of the requester. */
#define XR_QP_ATTR_SEND	(XROCE_QP_SQ_PSN | XROCE_QP_TIMEOUT | XROCE_QP_RETRY_CNT | \
			 XROCE_QP_RNR_RETRY | XROCE_QP_MAX_RD_ATOMIC | XROCE_QP_DMAC)

/**
 * struct xr_qp_attr - a change of state or attributes
 * @mask: XROCE_QP_*: the fields that count. XROCE_QP_SQ_PSN to XROCE_QP_DMAC select fields of
 *	@send; XROCE_QP_DMAC selects @dmac, @vlan, @prio and @flow
 * @state: enum xroce_qp_state
 * @access: XROCE_ACCESS_REMOTE_*
 * @pkey: partition key
 * @qkey: queue key of datagrams
 * @path_mtu: enum xroce_mtu
 * @dest_qpn: the peer's queue pair number
 * @rq_psn: PSN that is expected first
 * @min_rnr_timer: code of the RNR NAK timer
 * @max_dest_rd_atomic: READs and atomics kept for replay
 * @sport: UDP source port; 0: made from the numbers of the queue pairs
 * @tos: type of service, or traffic class
 * @ttl: hop limit; 0: 64
 * @sgid: own address; IPv4 is mapped
 * @dgid: the peer's address
 * @by_gid: the own address is in the GID table of a verbs device. It need not be checked, and
 *	packets must have the VLAN of its entry. A queue pair for datagrams has no own address
 * @tell_drained: with the change from RTS to SQD: raise XROCE_EVENT_SQ_DRAINED
 * @send: attributes of the requester
 */
struct xr_qp_attr {
	u32 mask;
	u32 state;
	u32 access;
	u32 pkey;
	u32 qkey;
	u32 path_mtu;
	u32 dest_qpn;
	u32 rq_psn;
	u32 min_rnr_timer;
	u32 max_dest_rd_atomic;
	u16 sport;
	u8 tos;
	u8 ttl;
	struct in6_addr sgid;
	struct in6_addr dgid;
	bool by_gid;
	bool tell_drained;
	struct xr_send_attr send;
};

/**
 * struct xr_qp_change - a change that has been checked
 * @attr: as the front end has given it
 * @from: state before
 * @to: state afterwards
 * @send: all attributes of the requester afterwards
 */
struct xr_qp_change {
	const struct xr_qp_attr *attr;
	u32 from;
	u32 to;
	struct xr_send_attr send;
};

int xr_qp_attr_check(struct xr_qp_change *c, const struct xr_qp *qp, const struct xr_qp_attr *a);

/* True if a queue pair for datagrams receives those for any address of the machine. */
static inline bool xr_qp_attr_any_addr(const struct xr_qp_attr *a, u32 type)
{
	return type == XROCE_QPT_UD && a->by_gid;
}

#endif
