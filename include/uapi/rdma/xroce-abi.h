/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * What a verbs device of xroce with its own provider and that provider (user/provider/) say to each
 * other: the driver's part of the commands of ib_uverbs, and the doorbell. The rings are those of
 * xroce.h, as libxroce has them: struct xroce_cq_header, xroce_rq_header and xroce_send_header.
 *
 * The structures grow at their end. The kernel writes as much as the provider has room for, and
 * what a provider knows but the kernel does not is 0. A provider that needs what this version of
 * the ABI does not have finds another XROCE_ABI_VERSION.
 */
#ifndef _UAPI_RDMA_XROCE_ABI_H
#define _UAPI_RDMA_XROCE_ABI_H

#include <linux/types.h>

/* ib_device_ops::uverbs_abi_ver */
#define XROCE_ABI_VERSION	1
/* ib_device_ops::driver_id, "xroc": far from those that the kernel gives out one by one. */
#define XROCE_DRIVER_ID		0x78726f63

/*
 * lseek(2) on struct xroce_alloc_ucontext_resp::doorbell is a command: the offset is the number of
 * a queue pair of the context, and "whence" the command, of which there is one, that of SEEK_SET.
 * The file has no position: the result is 0.
 *
 * Execute all work requests that have been posted to the send queue. If the queue pair is in ERR,
 * work requests in its receive queue are flushed, too.
 *
 * Errors: ENOENT (the context has no such queue pair), EINVAL (it is not ready to send: what was
 * posted is discarded; or the index in the ring is impossible; or another command), ENODEV (the
 * device or the context is gone).
 */
#define XROCE_DOORBELL_SEND	0

/*
 * Attribute of UVERBS_METHOD_QUERY_CONTEXT (rdma/ib_user_ioctl_cmds.h): out: struct
 * xroce_alloc_ucontext_resp with another descriptor of the context's doorbell. For a process that
 * imports a context, which it has the file of.
 */
#define XROCE_ATTR_QUERY_CONTEXT	(1u << 12)

/**
 * struct xroce_abi_ring - a ring, to be mapped with mmap(2) on the file of the context
 * @offset: offset for mmap(2)
 * @bytes: its length; 0: there is no ring
 * @entries: number of entries, a power of two, all of which can be used
 * @stride: bytes of an entry
 */
struct xroce_abi_ring {
	__aligned_u64 offset;
	__aligned_u64 bytes;
	__u32 entries;
	__u32 stride;
};

/*
 * A thread of the process can poll the send queues of a context, which need no doorbell while it is
 * awake. A program that has written the tail of a ring then, after a full barrier, reads
 * xroce_poll_header::wake, and rings the doorbell if it is not 0. The doorbell also wakes the
 * thread.
 */
#define XROCE_POLL_MAX	100000u	/* microseconds without work; it never waits longer to sleep */

/**
 * struct xroce_poll_header - mapped memory of the thread
 * @wake: 0: it polls; otherwise it sleeps, or has ended. Only the kernel writes it, and it does not
 *	read it
 */
struct xroce_poll_header {
	__u32 wake;
};

/**
 * struct xroce_alloc_ucontext_cmd - open a context
 * @poll_us: start a thread that polls, and sleeps after so many microseconds without work, at most
 *	XROCE_POLL_MAX; 0: none. It is no error if there can be none
 * @reserved: 0
 */
struct xroce_alloc_ucontext_cmd {
	__u32 poll_us;
	__u32 reserved;
};

/**
 * struct xroce_alloc_ucontext_resp - a context
 * @doorbell: a file descriptor of the process, closed on exec, for XROCE_DOORBELL_SEND; it names
 *	nothing any more when the context has been closed
 * @poll_errno: why there is no thread that polls. 0: there is, or none was asked for, or the kernel
 *	does not know of them. EPERM: the administrator allows none (parameter poll_threads of
 *	xroce_ib); EDQUOT: the user has as many as one may have (poll_threads_user); ENOSPC: all
 *	are taken (poll_threads); EAGAIN: RLIMIT_NPROC, or the limit of a control group; ENOMEM;
 *	EOPNOTSUPP: the kernel has no such threads (CONFIG_VHOST_TASK)
 * @poll: struct xroce_poll_header; @poll.bytes is 0 if there is no thread
 */
struct xroce_alloc_ucontext_resp {
	__s32 doorbell;
	__s32 poll_errno;
	struct xroce_abi_ring poll;
};

#define XROCE_REG_MR_NULL	1u

/**
 * struct xroce_reg_mr_cmd - register a region
 * @flags: XROCE_REG_MR_NULL: a region that has all addresses, reads as zeros, and discards what is
 *	written to it. Start, length and address are 0, the only right is IBV_ACCESS_LOCAL_WRITE;
 *	the region cannot be re-registered. 0: memory of the process
 * @reserved: 0
 */
struct xroce_reg_mr_cmd {
	__u32 flags;
	__u32 reserved;
};

/**
 * struct xroce_create_cq_resp - a completion queue, entries of struct xroce_cqe
 * @ring: the ring
 */
struct xroce_create_cq_resp {
	struct xroce_abi_ring ring;
};

/**
 * struct xroce_resize_cq_resp - the new ring of a completion queue
 * @ring: the ring. Its header and the completions have been copied: the indices go on
 */
struct xroce_resize_cq_resp {
	struct xroce_abi_ring ring;
};

/**
 * struct xroce_create_srq_resp - a shared receive queue, entries of struct xroce_rq_wqe
 * @ring: the ring
 * @srq: its number
 * @reserved: 0
 */
struct xroce_create_srq_resp {
	struct xroce_abi_ring ring;
	__u32 srq;
	__u32 reserved;
};

/**
 * struct xroce_modify_srq_cmd - resize a shared receive queue
 * @ring: out: address of a struct xroce_abi_ring for the new ring, whose header and work requests
 *	have been copied: the indices go on. Only used if IBV_SRQ_MAX_WR is changed
 */
struct xroce_modify_srq_cmd {
	__aligned_u64 ring;
};

/**
 * struct xroce_create_qp_resp - a queue pair
 * @send: the send queue, entries of struct xroce_send_wqe, of which @send.stride bytes count. A
 *	provider sets XROCE_SEND_SIGNALED in all of them if the queue pair is to signal all
 * @recv: the receive queue, entries of struct xroce_rq_wqe; @recv.bytes is 0 if it is shared
 */
struct xroce_create_qp_resp {
	struct xroce_abi_ring send;
	struct xroce_abi_ring recv;
};

/**
 * struct xroce_create_ah_resp - an address handle
 * @ah: its number, for struct xroce_send_wqe::ah
 * @reserved: 0
 */
struct xroce_create_ah_resp {
	__u32 ah;
	__u32 reserved;
};

#endif
