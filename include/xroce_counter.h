/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * All counters, in a table for each kind of object. From a row follow its place in the map, or in
 * the copies of a query, its name and text in the command's output, JSON and Prometheus, "rdma
 * statistic", the names of causes, and what xroce-stat(8) says: a comment behind a row continues
 * its text there, one that ends with a colon is a heading.
 */
#ifndef _XROCE_COUNTER_H
#define _XROCE_COUNTER_H

/* For a kind of row: it is left out; it is a field of a structure. */
#define XROCE_COUNTER_SKIP(...)
#define XROCE_COUNTER_FIELD(field, ...)	__u64 field;

/* Of a packet dropped for @cause, in struct xroce_qp_query. */
#define XROCE_COUNTER_DROP(cause)	drops[XROCE_DROP_##cause - XROCE_DROP_QKEY]

/*
 * Counters of a link, in the order of struct xroce_stat: KIND(field, text, place). Those of
 * refusals, from inv_opcode to op_memory, and those of drops, from drop_length to drop_tx, are in
 * the order of enum xroce_cause.
 *
 *   LINK   of links only
 *   QP     of queue pairs, too, at this place of struct xroce_qp_query
 *   PARTLY likewise, and the place is also the name: the map lacks a part of the value. tx_more is
 *          without XROCE_ACK_BYTES for each response, and without read_bytes, which includes the
 *          bytes of queued responses. It may be negative
 *   KEY    as LINK, and counted as acc_key where anybody can read it: it would tell that a guessed
 *          key is another's
 *   PART   not shown: part of tx and of tx_bytes, which in the map are those that the XDP program
 *          has sent. These are frames of the module: long READ responses, responses behind them,
 *          congestion notifications, responses to deferred packets. The value of one CPU may be
 *          negative: a response of the program to a deferred packet is counted in tx, subtracted
 *          here, and added when it is sent
 *
 * A field is written in softirq or with bottom halves off, on the CPU that the copy belongs to: by
 * the module drop_peer, drop_tx, module_tx, module_tx_bytes, those from req_tx to req_timeout,
 * own_refused and peer_refused, by the XDP program all others. Both write nak_seq, nak_acc, nak_op,
 * acc_module, op_memory and drop_psn: the module for READs that it answers, and for deferred
 * packets.
 */
#define XROCE_LINK_COUNTERS(LINK, QP, PARTLY, KEY, PART) \
	/* Packets and responses: */ \
	LINK(rx, "packets for queue pair numbers of xroce") \
	/*
	 * These are 0x800000 to 0xfffffe; with a verbs device also 1. Deferred packets count when
	 * they are executed.
	 */ \
	LINK(rx_bytes, "bytes of packets received, with all headers") \
	/*
	 * Bytes after the first buffer of a frame count only if the IP packet extends there, or the
	 * packet is admitted.
	 */ \
	QP(tx, "responses sent, by the XDP program or the module", tx) \
	/* Acknowledgements, packets of READ responses, results of atomics, NAKs and CNPs. */ \
	PARTLY(tx_more, "bytes of responses sent, with all headers", tx_bytes) \
	LINK(deferred, "packets deferred") \
	/* Until on-demand memory is present, or, on RC, until those before them have come. */ \
	LINK(pass, \
	     "RoCEv2 packets for other queue pair numbers or Ethernet addresses, " \
	     "passed to the stack") \
	/*
	 * Datagrams for multicast groups are among them, whether or not the group has members on
	 * the link, and so are copies of the device's own datagrams for these members, which are
	 * not passed.
	 */ \
	/* Requests executed, and responses: */ \
	LINK(write, "RDMA WRITE packets executed") \
	LINK(write_bytes, "payload bytes of RDMA WRITE packets") \
	LINK(send, "SEND packets executed") \
	/* Including datagrams. */ \
	LINK(send_bytes, "payload bytes of SEND packets") \
	LINK(read, "RDMA READ requests accepted") \
	/* Including duplicates. */ \
	LINK(read_bytes, "bytes that RDMA READ requests asked for") \
	LINK(atomic, "atomic operations executed") \
	/* Including ATOMIC WRITE. */ \
	LINK(flush, "FLUSH operations executed") \
	LINK(queued, "responses handed to the module") \
	/*
	 * It sends them in order. On veth whose other end has no XDP program these are all.
	 */ \
	LINK(ack, "positive acknowledgements sent") \
	QP(duplicate, "duplicate requests acknowledged again", duplicates) \
	/* Acknowledgements were lost, or the peer does not wait long enough for them. */ \
	LINK(nak_seq, "NAKs: PSN sequence error") \
	/* Packets before it were lost, or the queue pair was connected with another PSN. */ \
	LINK(nak_inv, "NAKs: invalid request") \
	/* The counters inv_... say why. */ \
	LINK(nak_acc, "NAKs: remote access error") \
	/* The counters acc_... say why. */ \
	LINK(nak_op, "NAKs: remote operational error") \
	/* The counters op_... say why. */ \
	LINK(nak_rnr, "NAKs: receiver not ready") \
	/*
	 * The peer retries after the time that the NAK names. There was no receive work request
	 * (post more), or on-demand memory was not resident in time (see @deferred).
	 */ \
	LINK(ecn_ce, "packets marked with congestion experienced") \
	/* Admitted packets that a switch has marked. */ \
	LINK(cnp_tx, "congestion notifications sent") \
	LINK(cnp_rx, "congestion notifications received") \
	/* They slow READ responses down, and requests if their algorithm listens to them. */ \
	/* Refusals. On a reliable connection they are answered with a fatal NAK: */ \
	LINK(inv_opcode, "invalid: opcode not supported") \
	LINK(inv_order, "invalid: first, middle and last packets out of order") \
	LINK(inv_qp_access, "invalid: the queue pair lacks the right") \
	/* See "access" in xroce-qp(8). */ \
	LINK(inv_length, "invalid: payload, pad or length") \
	/*
	 * The payload does not fit path MTU, pad count or length of the message: often another path
	 * MTU at the peer.
	 */ \
	LINK(inv_resources, "invalid: READ or atomic on a queue pair for none") \
	/* Or ATOMIC WRITE or FLUSH: its "max-rd-atomic" is 0. */ \
	LINK(inv_align, "invalid: address of an atomic is not a multiple of 8") \
	LINK(acc_key, "access: no such key, or the key is not valid") \
	KEY(acc_pd, "access: protection domains differ") \
	KEY(acc_qp, "access: window of another queue pair") \
	LINK(acc_right, "access: region or window lacks the right") \
	LINK(acc_bounds, "access: outside region or window") \
	LINK(acc_module, \
	     "access: key became invalid meanwhile, or on-demand memory not mapped") \
	/*
	 * Also a READ whose memory has gone, or cannot be brought in, when the module sends the
	 * response: that writes no event.
	 */ \
	LINK(op_wqe, "operational: malformed receive work request") \
	LINK(op_prot, "operational: receive work request not inside a writable region") \
	LINK(op_cq, "operational: completion queue full") \
	LINK(op_memory, "operational: out of memory for an on-demand page") \
	/*
	 * Drops. The peer gets no response. Those from @drop_qkey on are also counted for the queue
	 * pair, except packets behind a hole that was given up (@drop_psn):
	 */ \
	LINK(drop_length, "dropped: headers or lengths do not fit the frame") \
	LINK(drop_checksum, "dropped: wrong IPv4 header checksum") \
	LINK(drop_tver, "dropped: unknown transport header version") \
	LINK(drop_qpn, "dropped: no such queue pair") \
	LINK(drop_peer, "dropped: from another queue pair of the link, not from the peer") \
	/* The module counts these for the link only. "xroce monitor dropped" omits them. */ \
	QP(drop_qkey, "dropped: wrong queue key of a datagram", XROCE_COUNTER_DROP(QKEY)) \
	QP(drop_recv, "dropped: no receive work request", XROCE_COUNTER_DROP(RECV)) \
	/*
	 * UC and UD: the program should post more. On RC such packets are answered, see @nak_rnr.
	 * Also, for the link only: members of a multicast group that have missed a datagram, for
	 * this reason or because on-demand memory was not present.
	 */ \
	QP(drop_psn, "dropped: out of sequence, or cannot be replayed", XROCE_COUNTER_DROP(PSN)) \
	/*
	 * Ahead of the expected PSN after a NAK was sent, or a duplicate that is not kept for
	 * replay any more.
	 */ \
	QP(drop_response, "dropped: frame could not be turned into a response", \
	   XROCE_COUNTER_DROP(RESPONSE)) \
	QP(drop_opcode, "dropped: not a request of the queue pair's service", \
	   XROCE_COUNTER_DROP(OPCODE)) \
	QP(drop_state, "dropped: queue pair not ready to receive", XROCE_COUNTER_DROP(STATE)) \
	QP(drop_error, "dropped: queue pair in error", XROCE_COUNTER_DROP(ERROR)) \
	QP(drop_addr, "dropped: not the queue pair's addresses or VLAN", XROCE_COUNTER_DROP(ADDR)) \
	/*
	 * "xroce monitor dropped" shows them. Or, for a verbs device, it came with the tag of
	 * another VLAN than that of the queue pair's GID.
	 */ \
	QP(drop_pkey, "dropped: wrong partition key", XROCE_COUNTER_DROP(PKEY)) \
	QP(drop_icrc, "dropped: wrong invariant CRC", XROCE_COUNTER_DROP(ICRC)) \
	QP(drop_defer, "dropped: the packet cannot be deferred", XROCE_COUNTER_DROP(DEFER)) \
	/*
	 * No room behind the deferred packets of the queue pair; on UC and UD also: the packet
	 * itself misses on-demand memory. The peer of an RC queue pair sends it again. Bring the
	 * memory in beforehand ("xroce mr advise") or pin it, or raise the limits: "xroce link
	 * limit deferred", module parameter odp_defer_max.
	 */ \
	QP(drop_busy, "dropped: the queue pair is busy", XROCE_COUNTER_DROP(BUSY)) \
	/*
	 * Another CPU executes a packet of the queue pair, so that one queue pair's packets should
	 * arrive on one CPU (RSS); or too many work requests were posted before the packet.
	 */ \
	QP(drop_tx, "dropped: frames that the device did not accept", XROCE_COUNTER_DROP(TX)) \
	/*
	 * Frames of the module: the device's transmit ring was full, or it has no ndo_xdp_xmit.
	 * Also copies of datagrams for members of a multicast group on the device itself that
	 * found no room.
	 */ \
	/* Events: */ \
	LINK(event_lost, "events lost because the ring buffer was full") \
	LINK(event_limited, "events of drops above the limit per second") \
	/* 100 for each CPU. */ \
	PART(module_tx, "frames of the module that the device accepted") \
	PART(module_tx_bytes, "bytes of these frames, with all headers") \
	/*
	 * Requests that this machine sends: those of programs on a verbs device or with libxroce,
	 * and those of consumers in the kernel:
	 */ \
	QP(req_tx, "requests: packets sent", req_packets) \
	/* Packets that the device accepted. */ \
	QP(req_tx_bytes, "requests: bytes of packets sent, with all headers", req_bytes) \
	QP(req_retransmit, "requests: packets sent again", req_retransmits) \
	/*
	 * Because the peer asked for it (sequence and RNR NAKs), because a READ response was lost,
	 * or because of a timeout.
	 */ \
	QP(req_probe, "requests: times that nothing was heard, and packets were sent again", \
	   req_probes) \
	/* The oldest and the last one, after one to two round-trip times. */ \
	QP(req_sack, "requests: selective acknowledgements received", req_sacks) \
	/* Of peers that keep what comes out of order, and say what they miss. */ \
	QP(req_timeout, "requests: local ACK timeouts", req_timeouts) \
	/* No progress within the time that the queue pair allows. */ \
	QP(req_rx, "requests: responses accepted", req_responses) \
	QP(req_rx_bytes, "requests: payload bytes of READ responses", req_response_bytes) \
	QP(req_ignored, "requests: responses ignored, duplicate or out of sequence", req_ignored) \
	/* Or they fit nothing that is outstanding. */ \
	/* Changes of queue pairs: */ \
	LINK(own_refused, "changes of queue pairs refused: own address is not the device's") \
	/*
	 * With EADDRNOTAVAIL: the network device does not have the own address, or has it in
	 * another VLAN, and the program has neither CAP_NET_ADMIN nor CAP_NET_RAW.
	 */ \
	LINK(peer_refused, "queue pairs refused or ended: the peer is another owner's")
	/*
	 * With EADDRINUSE: a queue pair of another program, or of the kernel, is connected with the
	 * peer. Also queue pairs that have moved to ERR because a program with one of these
	 * capabilities, or the kernel, was connected with their peer.
	 */

/* Of a queue pair, members of struct xroce_qp_query, without drops: KIND(field, text). */
#define XROCE_QP_COUNTERS(RESPONDER, REQUESTER) \
	/*
	 * Requests of the peer:
	 */ \
	RESPONDER(packets, "requests accepted in order") \
	RESPONDER(bytes, "payload bytes written to regions") \
	RESPONDER(tx, "responses sent, by the XDP program or the module") \
	RESPONDER(tx_bytes, "bytes of responses sent, with all headers") \
	RESPONDER(duplicates, "duplicate requests") \
	RESPONDER(naks, "negative acknowledgements sent") \
	/* Own requests: */ \
	REQUESTER(req_packets, "requests: packets sent") \
	REQUESTER(req_bytes, "requests: bytes of packets sent, with all headers") \
	REQUESTER(req_retransmits, "requests: packets sent again") \
	REQUESTER(req_timeouts, "requests: local ACK timeouts") \
	REQUESTER(req_rnr_naks, "requests: RNR NAKs received") \
	REQUESTER(req_seq_naks, "requests: sequence NAKs received") \
	REQUESTER(req_implied_naks, "requests: READ or atomic responses that were lost") \
	REQUESTER(req_window, \
		  "requests: times that nothing was sent because the window was full") \
	REQUESTER(req_responses, "requests: responses accepted") \
	REQUESTER(req_response_bytes, "requests: payload bytes of READ responses") \
	REQUESTER(req_ignored, "requests: responses ignored, duplicate or out of sequence") \
	REQUESTER(req_probes, "requests: times that nothing was heard, and packets were sent again") \
	REQUESTER(req_sacks, "requests: selective acknowledgements received") \
	REQUESTER(req_cnps, \
		  "requests: congestion notifications received, and marked packets of responses")

/* Of a region, in the order of struct xroce_mr_stat: MR(field, text). */
#define XROCE_MR_COUNTERS(MR) \
	/*
	 * Accesses of peers:
	 */ \
	MR(in_requests, "RDMA WRITEs and received messages that began in the region") \
	MR(in_packets, "packets of RDMA WRITEs and received messages") \
	/* A packet received into two elements of a work request counts twice. */ \
	MR(in_bytes, "payload bytes of RDMA WRITEs and received messages") \
	/* And IP headers of datagrams received there. */ \
	MR(out_requests, "RDMA READs answered") \
	/* Including duplicates. */ \
	MR(out_packets, "RDMA READ response packets") \
	MR(out_bytes, "payload bytes of RDMA READ responses") \
	MR(atomics, "atomic operations executed") \
	/* Including ATOMIC WRITE. */ \
	MR(refused, "refused requests that named the region")
	/*
	 * With the region's key index, for key, protection domain, right or bounds; and receives
	 * into the region, for one of the latter three.
	 */

#endif
