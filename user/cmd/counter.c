// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Counters of links, queue pairs and regions: their names and texts, and their sums over all
 * CPUs. The structures in xroce_map.h describe them, and struct xroce_qp_query those of queue
 * pairs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "counter.h"

#define LINK(name, note)	{ #name, offsetof(struct xroce_stat, name), note }

static const struct counter links[] = {
	LINK(rx, "packets for queue pair numbers of xroce"),
	LINK(rx_bytes, "bytes of packets received, with all headers"),
	LINK(tx, "responses sent, by the XDP program or the module"),
	{ "tx_bytes", offsetof(struct xroce_stat, tx_more),
	  "bytes of responses sent, with all headers" },
	LINK(deferred, "packets deferred until on-demand memory is present"),
	LINK(pass, "RoCEv2 packets for other queue pair numbers or Ethernet addresses, passed to the stack"),
	LINK(write, "RDMA WRITE packets executed"),
	LINK(write_bytes, "payload bytes of RDMA WRITE packets"),
	LINK(send, "SEND packets executed"),
	LINK(send_bytes, "payload bytes of SEND packets"),
	LINK(read, "RDMA READ requests accepted"),
	LINK(read_bytes, "bytes that RDMA READ requests asked for"),
	LINK(atomic, "atomic operations executed"),
	LINK(flush, "FLUSH operations executed"),
	LINK(queued, "responses handed to the module"),
	LINK(ack, "positive acknowledgements sent"),
	LINK(duplicate, "duplicate requests acknowledged again"),
	LINK(nak_seq, "NAKs: PSN sequence error"),
	LINK(nak_inv, "NAKs: invalid request"),
	LINK(nak_acc, "NAKs: remote access error"),
	LINK(nak_op, "NAKs: remote operational error"),
	LINK(nak_rnr, "NAKs: receiver not ready"),
	LINK(ecn_ce, "packets marked with congestion experienced"),
	LINK(cnp_tx, "congestion notifications sent"),
	LINK(cnp_rx, "congestion notifications received"),
	LINK(inv_opcode, "invalid: opcode not supported"),
	LINK(inv_order, "invalid: first, middle and last packets out of order"),
	LINK(inv_qp_access, "invalid: the queue pair lacks the right"),
	LINK(inv_length, "invalid: payload, pad or length"),
	LINK(inv_resources, "invalid: READ or atomic on a queue pair for none"),
	LINK(inv_align, "invalid: address of an atomic is not a multiple of 8"),
	LINK(acc_key, "access: no such key, or the key is not valid"),
	LINK(acc_pd, "access: protection domains differ"),
	LINK(acc_qp, "access: window of another queue pair"),
	LINK(acc_right, "access: region or window lacks the right"),
	LINK(acc_bounds, "access: outside region or window"),
	LINK(acc_module, "access: key became invalid meanwhile, or on-demand memory not mapped"),
	LINK(op_wqe, "operational: malformed receive work request"),
	LINK(op_prot, "operational: receive work request not inside a writable region"),
	LINK(op_cq, "operational: completion queue full"),
	LINK(op_memory, "operational: out of memory for an on-demand page"),
	LINK(drop_length, "dropped: headers or lengths do not fit the frame"),
	LINK(drop_checksum, "dropped: wrong IPv4 header checksum"),
	LINK(drop_tver, "dropped: unknown transport header version"),
	LINK(drop_qpn, "dropped: no such queue pair"),
	LINK(drop_peer, "dropped: from another queue pair of the link, not from the peer"),
	LINK(drop_qkey, "dropped: wrong queue key of a datagram"),
	LINK(drop_recv, "dropped: no receive work request"),
	LINK(drop_psn, "dropped: out of sequence, or cannot be replayed"),
	LINK(drop_response, "dropped: frame could not be turned into a response"),
	LINK(drop_opcode, "dropped: not a request of the queue pair's service"),
	LINK(drop_state, "dropped: queue pair not ready to receive"),
	LINK(drop_error, "dropped: queue pair in error"),
	LINK(drop_addr, "dropped: not the queue pair's addresses or VLAN"),
	LINK(drop_pkey, "dropped: wrong partition key"),
	LINK(drop_icrc, "dropped: wrong invariant CRC"),
	LINK(drop_defer, "dropped: the packet cannot be deferred"),
	LINK(drop_busy, "dropped: the queue pair is busy"),
	LINK(drop_tx, "dropped: frames that the device did not accept"),
	LINK(event_lost, "events lost because the ring buffer was full"),
	LINK(event_limited, "events of drops above the limit per second"),
	LINK(req_tx, "requests: packets sent"),
	LINK(req_tx_bytes, "requests: bytes of packets sent, with all headers"),
	LINK(req_retransmit, "requests: packets sent again"),
	LINK(req_timeout, "requests: local ACK timeouts"),
	LINK(req_rx, "requests: responses accepted"),
	LINK(req_rx_bytes, "requests: payload bytes of READ responses"),
	LINK(req_ignored, "requests: responses ignored, duplicate or out of sequence"),
	LINK(own_refused, "changes of queue pairs refused: own address is not the device's"),
	LINK(peer_refused, "queue pairs refused or ended: the peer is another owner's"),
};

_Static_assert(sizeof(links) / sizeof(*links) == LINK_COUNTERS,
	       "every counter has a name");
const struct counter *const link_counters = links;

#define QP(name, note)	{ #name, offsetof(struct xroce_qp_query, name), note }

static const struct counter qps[] = {
	QP(packets, "requests accepted in order"),
	QP(bytes, "payload bytes written to regions"),
	QP(tx, "responses sent, by the XDP program or the module"),
	QP(tx_bytes, "bytes of responses sent, with all headers"),
	QP(duplicates, "duplicate requests"),
	QP(naks, "negative acknowledgements sent"),
	QP(req_packets, "requests: packets sent"),
	QP(req_bytes, "requests: bytes of packets sent, with all headers"),
	QP(req_retransmits, "requests: packets sent again"),
	QP(req_timeouts, "requests: local ACK timeouts"),
	QP(req_rnr_naks, "requests: RNR NAKs received"),
	QP(req_seq_naks, "requests: sequence NAKs received"),
	QP(req_implied_naks, "requests: READ or atomic responses that were lost"),
	QP(req_window, "requests: times that nothing was sent because the window was full"),
	QP(req_responses, "requests: responses accepted"),
	QP(req_response_bytes, "requests: payload bytes of READ responses"),
	QP(req_ignored, "requests: responses ignored, duplicate or out of sequence"),
};

_Static_assert(sizeof(qps) / sizeof(*qps) == QP_COUNTERS,
	       "every counter has a name");
const struct counter *const qp_counters = qps;

#define MR(name, note)	{ #name, offsetof(struct xroce_mr_stat, name), note }

static const struct counter mrs[] = {
	MR(in_requests, "RDMA WRITEs and received messages that began in the region"),
	MR(in_packets, "packets of RDMA WRITEs and received messages"),
	MR(in_bytes, "payload bytes of RDMA WRITEs and received messages"),
	MR(out_requests, "RDMA READs answered"),
	MR(out_packets, "RDMA READ response packets"),
	MR(out_bytes, "payload bytes of RDMA READ responses"),
	MR(atomics, "atomic operations executed"),
	MR(refused, "refused requests that named the region"),
};

_Static_assert(sizeof(mrs) / sizeof(*mrs) == MR_COUNTERS,
	       "every counter has a name");
const struct counter *const mr_counters = mrs;

int counter_sum(int fd, __u32 key, size_t size, void *sums)
{
	int cpus = libbpf_num_possible_cpus(), cpu;
	size_t words = size / sizeof(__u64), i;
	__u64 *copies, *sum = sums;
	int err;

	if (cpus < 0)
		return cpus;
	copies = calloc(cpus, size);
	if (!copies)
		return -ENOMEM;
	memset(sums, 0, size);
	err = bpf_map_lookup_elem(fd, &key, copies) ? -errno : 0;
	for (cpu = 0; !err && cpu < cpus; cpu++)
		for (i = 0; i < words; i++)
			sum[i] += copies[cpu * words + i];
	free(copies);
	return err;
}

int counter_of_link(const char *netdev, struct xroce_stat *sums)
{
	int fd = xroce_pin_open(netdev, "stat");
	int err;

	if (fd < 0)
		return fd;
	err = counter_sum(fd, 0, sizeof(*sums), sums);
	close(fd);
	if (err)
		return err;
	/*
	 * Count responses of the XDP program and of the module together. tx_more excludes
	 * XROCE_ACK_BYTES per response and read_bytes, see struct xroce_stat: add them.
	 */
	sums->tx_more += sums->tx * XROCE_ACK_BYTES + sums->read_bytes +
			 sums->module_tx_bytes;
	sums->tx += sums->module_tx;
	return 0;
}
