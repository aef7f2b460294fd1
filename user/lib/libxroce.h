/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libxroce: the responder from a program's side.
 *
 * A thin layer: the structures are those of the ioctl interface, and the
 * library fills in their size. Functions that return int return 0 (or what is
 * said) on success and a negative errno otherwise; functions that return a
 * pointer return NULL and set errno. The errnos of a command are listed with
 * its structure in uapi/xroce.h. A handle may be used by several threads.
 */
#ifndef _LIBXROCE_H
#define _LIBXROCE_H

#include <stdbool.h>
#include <stddef.h>

#include "uapi/xroce.h"
#include "xroce_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A descriptor of /dev/xroce that works on one link. */
struct xroce;

#define XROCE_NETDEV_MAX	16	/* bytes of a device's name, with the NUL */
#define XROCE_ERROR_MAX		256	/* bytes of an error text, with the NUL */

/* Bytes of the name of a directory in XROCE_PIN_DIR, with the NUL. */
#define XROCE_PIN_DIR_MAX	(3 * (XROCE_NETDEV_MAX - 1) + 1)

/* Sizes of the tables, where the caller gives none. */
#define XROCE_MPT_ENTRIES	65536
#define XROCE_QP_ENTRIES	1024

/*
 * Bytes of counters of regions, on all possible CPUs together. They take 64 a
 * CPU for each entry of the memory protection table; a link that would take more
 * than this has none.
 */
#define XROCE_MR_STAT_MAX	(256ull << 20)

/**
 * xroce_strerror() - describe an error that any function can return
 * @err: a negative errno
 *
 * Says for -ENXIO, -EACCES and -EPERM what they mean here and what helps: that the
 * module is not loaded, that the caller may not open /dev/xroce, that it lacks
 * CAP_NET_ADMIN or another program owns the object. Other errors as strerror(3).
 * What a function says of an errno itself goes before.
 *
 * Return: a text that stays; of strerror(3), until the thread calls that again.
 */
const char *xroce_strerror(int err);

/**
 * xroce_open() - open /dev/xroce for the link of a network device
 * @netdev: name of the device, in the caller's network namespace
 *
 * Return: a handle for xroce_close(), or NULL with errno ENODEV (no such
 * netdev), ENOENT (it has no link: attach one), ENXIO (the module is not
 * loaded), or what open(2) gives.
 */
struct xroce *xroce_open(const char *netdev);

/**
 * xroce_close() - close a handle; its objects die unless they are persistent
 * @x: the handle, or NULL
 *
 * The rings of its queues are unmapped, those of queues that are still there as
 * well. Such a queue may only be given to its xroce_*_del() function then, which
 * frees the rest of it.
 */
void xroce_close(struct xroce *x);

/**
 * xroce_fd() - the file descriptor of a handle, which stays the handle's
 * @x: the handle
 */
int xroce_fd(const struct xroce *x);

/**
 * xroce_link() - number of the link that a handle works on, 0 to 255
 * @x: the handle
 */
__u32 xroce_link(const struct xroce *x);

/* How the XDP program is attached. */
enum xroce_mode {
	XROCE_MODE_AUTO,	/* the driver's own, else generic */
	XROCE_MODE_NATIVE,	/* in the driver */
	XROCE_MODE_GENERIC,	/* on socket buffers, any device */
};

/**
 * struct xroce_attach_opts - what to attach, and what came of it
 * @size: sizeof(struct xroce_attach_opts)
 * @mode: how to attach
 * @object: path of the BPF object; NULL: $XROCE_BPF_OBJECT, else the one of the
 *	build tree that the executable lies in, else the installed one
 * @mpt_entries: memory protection table, a power of two from 16 to 2^24; 0:
 *	XROCE_MPT_ENTRIES
 * @qp_entries: queue pair table, a power of two from 16 to 2^16; 0:
 *	XROCE_QP_ENTRIES
 * @debug: let libbpf and the verifier speak on stderr
 * @link: out: number of the link
 * @attached: out: XROCE_MODE_NATIVE or XROCE_MODE_GENERIC
 * @error: out: on failure what failed, and why
 */
struct xroce_attach_opts {
	size_t size;
	enum xroce_mode mode;
	const char *object;
	__u32 mpt_entries;
	__u32 qp_entries;
	bool debug;
	__u32 link;
	enum xroce_mode attached;
	char error[XROCE_ERROR_MAX];
};

/**
 * xroce_attach() - make a link for a network device and attach the XDP program
 * @netdev: name of the device, in the caller's network namespace
 * @opts: see struct xroce_attach_opts
 *
 * Maps, program and BPF link are pinned as "mpt", "qp", "stat", "prog", "link" and
 * so on in the directory that xroce_pin_dir() names, and so outlive the caller. What was done is
 * undone on failure, and what somebody who was killed at it has left is removed
 * first. Needs CAP_NET_ADMIN and CAP_SYS_ADMIN.
 *
 * Return: 0; -ENODEV (no such netdev); -EEXIST (it has a link, or pins of that
 * name are in use); -EINVAL (options); -ENOENT (no BPF object); -ENXIO (the
 * module is not loaded); or what the kernel said: @opts->error tells.
 */
int xroce_attach(const char *netdev, struct xroce_attach_opts *opts);

/**
 * xroce_reload() - replace the XDP program of a link, which goes on serving
 * @netdev: name of the device, in the caller's network namespace
 * @opts: see struct xroce_attach_opts; its mode and sizes are 0, as they stay what
 *	they are
 *
 * The program is loaded anew, with the maps that the link has, and takes the place
 * of the one before from one packet to the next: no queue pair notices. On failure
 * that one stays. A map that is not what the new program was compiled for, because
 * that is of another version, is refused; then the link has to be deleted and made
 * again. Needs CAP_NET_ADMIN and CAP_SYS_ADMIN.
 *
 * Return: 0; -ENOENT (it has no link, the link no pins, or there is no BPF object);
 * -ENODEV (its device has gone); -EINVAL (options, or a map of another version);
 * -ENOTTY (the module is of an older version); -ENXIO (it is not loaded); or what
 * the kernel said: @opts->error tells.
 */
int xroce_reload(const char *netdev, struct xroce_attach_opts *opts);

/**
 * xroce_detach() - delete a link, detach its XDP program and remove its pins
 * @netdev: name of the device, or the one that it had before it went
 * @flags: XROCE_F_FORCE: persistent objects are deleted as well
 * @error: XROCE_ERROR_MAX bytes for the reason of a failure, on success for a warning
 *	or an empty text; or NULL
 *
 * The link goes first, so that a refusal leaves everything as it was. Where
 * there is no link, but pins of one whose making or deletion was cut short, these
 * are removed. Where another mount hides the pins, the program is found by the number
 * of its BPF link and detached, which needs CAP_SYS_ADMIN, and a warning says that the
 * pins are left.
 *
 * Return: 0: no program of the link is attached any more; -ENOENT (no such link);
 * -EBUSY (in use); -EPERM, -EEXIST (the program cannot be detached, and the link is as
 * it was); see struct xroce_link_del.
 */
int xroce_detach(const char *netdev, unsigned int flags, char *error);

/**
 * xroce_link_query() - look at a link; no handle is needed
 * @query: number and flags in, the rest out
 *
 * Return: 0; -ENOENT; -ENXIO (the module is not loaded).
 */
int xroce_link_query(struct xroce_link_query *query);

/**
 * xroce_link_find() - find the link of a network device by name
 * @netdev: name of the device, in the caller's network namespace; or, when no
 *	such device has a link, that of a device which has gone
 * @query: out
 *
 * Return: 0; -ENOENT; -ENXIO (the module is not loaded).
 */
int xroce_link_find(const char *netdev, struct xroce_link_query *query);

/**
 * xroce_limit_set() - limit what is made on a link; no handle is needed
 * @set: all of it but @size, which the library fills in
 *
 * Return: 0, or as for struct xroce_limit_set; -ENXIO (the module is not loaded).
 */
int xroce_limit_set(struct xroce_limit_set *set);

/**
 * xroce_limit_query() - look at limits of a link, and what is used of them; no handle
 *	is needed
 * @query: number, flags and user in, the rest out
 *
 * Return: 0, or as for struct xroce_limit_query; -ENXIO (the module is not loaded).
 */
int xroce_limit_query(struct xroce_limit_query *query);

/**
 * xroce_pd_add() - allocate a protection domain
 * @x: the handle
 * @flags: XROCE_F_PERSISTENT or 0
 * @pd: out: its number
 *
 * Return: 0, or as for struct xroce_pd_add.
 */
int xroce_pd_add(struct xroce *x, __u32 flags, __u32 *pd);

/**
 * xroce_pd_del() - deallocate a protection domain
 * @x: the handle
 * @pd: its number
 *
 * Return: 0, or as for struct xroce_pd_del.
 */
int xroce_pd_del(struct xroce *x, __u32 pd);

/**
 * xroce_pd_query() - look at a protection domain
 * @x: the handle
 * @query: number and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_pd_query.
 */
int xroce_pd_query(struct xroce *x, struct xroce_pd_query *query);

/**
 * xroce_mr_reg() - register a memory region
 * @x: the handle
 * @reg: all of it but @size, which the library fills in; keys out. All that the
 *	program maps, now or later: XROCE_ACCESS_ON_DEMAND in @access,
 *	XROCE_LENGTH_ALL for @length, and 0 for @addr and @iova
 *
 * Return: 0, or as for struct xroce_mr_reg.
 */
int xroce_mr_reg(struct xroce *x, struct xroce_mr_reg *reg);

/**
 * xroce_mr_reg_file() - register a region over a file
 * @x: the handle
 * @fd: file on tmpfs or hugetlbfs, or a memfd; open for writing when @reg asks
 *	for local write
 * @offset: of the region's first byte in the file
 * @reg: as for xroce_mr_reg() without @addr, which is overwritten; length 0:
 *	to the end of the file
 *
 * The file is mapped for the call only: the module holds the pages. They stay
 * the file's as long as nobody truncates it or punches a hole there.
 *
 * Return: 0; -ERANGE: not inside the file; -EISDIR: a directory; what mmap(2) gives,
 * with -EOPNOTSUPP for -ENODEV; or as for struct xroce_mr_reg, where -EFAULT and
 * -EOPNOTSUPP are what a file system gives whose pages cannot be pinned for long.
 */
int xroce_mr_reg_file(struct xroce *x, int fd, __u64 offset,
		      struct xroce_mr_reg *reg);

/**
 * xroce_mr_reg_phys() - register a physical region
 * @x: the handle
 * @reg: all of it but @size; keys out
 *
 * Return: 0, or as for struct xroce_mr_reg_phys.
 */
int xroce_mr_reg_phys(struct xroce *x, struct xroce_mr_reg_phys *reg);

/**
 * xroce_mr_reg_shared() - register a region over the memory of another one
 * @x: the handle
 * @reg: all of it but @size; length and keys out
 *
 * Return: 0, or as for struct xroce_mr_reg_shared.
 */
int xroce_mr_reg_shared(struct xroce *x, struct xroce_mr_reg_shared *reg);

/**
 * xroce_mr_rereg() - change a region: memory, protection domain, rights
 * @x: the handle
 * @rereg: all of it but @size; keys out
 *
 * Return: 0, or as for struct xroce_mr_rereg; the region is then as it was.
 */
int xroce_mr_rereg(struct xroce *x, struct xroce_mr_rereg *rereg);

/**
 * xroce_mr_rereg_file() - change a region's memory to a file, and what else
 * @x: the handle
 * @fd: as for xroce_mr_reg_file()
 * @offset: as for xroce_mr_reg_file()
 * @rereg: as for xroce_mr_rereg() without @addr; XROCE_REREG_TRANSLATION is
 *	added to its mask; length 0: to the end of the file
 *
 * Return: 0, or as for xroce_mr_reg_file() and struct xroce_mr_rereg.
 */
int xroce_mr_rereg_file(struct xroce *x, int fd, __u64 offset,
			struct xroce_mr_rereg *rereg);

/**
 * xroce_mr_dereg() - deregister a memory region
 * @x: the handle
 * @mr: its handle
 *
 * Return: 0, or as for struct xroce_mr_dereg.
 */
int xroce_mr_dereg(struct xroce *x, __u32 mr);

/**
 * xroce_mr_advise() - bring in a part of a memory region on demand
 * @x: handle
 * @advise: in: what; out: pages
 *
 * Return: 0, or as for struct xroce_mr_advise.
 */
int xroce_mr_advise(struct xroce *x, struct xroce_mr_advise *advise);

/**
 * xroce_mr_query() - look at a memory region
 * @x: the handle
 * @query: handle and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_mr_query.
 */
int xroce_mr_query(struct xroce *x, struct xroce_mr_query *query);

/**
 * xroce_mtt_query() - look at the pool of translation tables; no handle is
 *	needed
 * @query: out
 *
 * Return: 0; -ENXIO (the module is not loaded); or as for struct
 * xroce_mtt_query.
 */
int xroce_mtt_query(struct xroce_mtt_query *query);

/**
 * xroce_mtt_read() - look at a region's translation table
 * @x: the handle
 * @mr: the region's handle
 * @first: number of the first entry
 * @to: for physical addresses
 * @count: how many fit, 1 to XROCE_MTT_READ_MAX
 *
 * Return: how many have been read, or as for struct xroce_mtt_read.
 */
int xroce_mtt_read(struct xroce *x, __u32 mr, __u64 first, __u64 *to,
		   __u32 count);

/**
 * xroce_mr_access_error() - what is wrong with a set of rights
 * @access: XROCE_ACCESS_*
 *
 * Return: a text for people, or NULL if nothing is.
 */
const char *xroce_mr_access_error(__u32 access);

/**
 * xroce_mr_name_error() - what is wrong with a region's name
 * @name: see XROCE_NAME_MAX; may be empty
 *
 * Return: a text for people, or NULL if nothing is.
 */
const char *xroce_mr_name_error(const char *name);

/**
 * xroce_qp_add() - create a queue pair on the reliable connected service
 * @x: the handle
 * @flags: XROCE_F_PERSISTENT or 0
 * @pd: protection domain
 * @qpn: out: its number
 *
 * Return: 0, or as for struct xroce_qp_add.
 */
int xroce_qp_add(struct xroce *x, __u32 flags, __u32 pd, __u32 *qpn);

/**
 * xroce_qp_modify() - change a queue pair's state or attributes
 * @x: the handle
 * @modify: all of it but @size, which the library fills in
 *
 * Return: 0, or as for struct xroce_qp_modify.
 */
int xroce_qp_modify(struct xroce *x, struct xroce_qp_modify *modify);

/**
 * struct xroce_connect - both ends of a connection
 * @size: sizeof(struct xroce_connect)
 * @qpn: the queue pair; it is in RESET
 * @access: XROCE_ACCESS_REMOTE_*: what the peer may ask for; not of datagrams
 * @pkey: partition key; 0: that of the default partition, 0xffff
 * @path_mtu: enum xroce_mtu; 0: XROCE_MTU_1024
 * @dest_qpn: the peer's queue pair number
 * @rq_psn: packet sequence number of the peer's first request
 * @min_rnr_timer: code of the RNR NAK timer, 1 to 31; 0: 12, which is 0.64 ms
 * @max_dest_rd_atomic: READs and atomics kept for replay, 1 to 128; 0: 16
 * @qkey: of datagrams: queue key that they must carry
 * @sport: UDP source port of replies, 0xc000 to 0xffff; 0: made from the QPNs
 * @tos: IPv4 type of service or IPv6 traffic class of replies
 * @ttl: hop limit of replies; 0: 64
 * @sgid: own address; IPv4 as ::ffff:a.b.c.d
 * @dgid: the peer's address, of the same family; for datagrams ::
 *
 * Of an unreliable connection @min_rnr_timer and @max_dest_rd_atomic are ignored, of
 * datagrams all of @access, @path_mtu, @dest_qpn and @rq_psn as well. struct
 * xroce_qp_modify says more of each.
 */
struct xroce_connect {
	size_t size;
	__u32 qpn;
	__u32 access;
	__u32 pkey;
	__u32 path_mtu;
	__u32 dest_qpn;
	__u32 rq_psn;
	__u32 min_rnr_timer;
	__u32 max_dest_rd_atomic;
	__u32 qkey;
	__u16 sport;
	__u8 tos;
	__u8 ttl;
	__u8 sgid[16];
	__u8 dgid[16];
};

/**
 * xroce_qp_connect() - bring a queue pair from RESET to INIT, RTR and RTS
 * @x: the handle
 * @connect: both ends
 *
 * When this returns the queue pair answers. One that could not be connected is in RESET
 * again.
 *
 * Return: 0; -EINVAL: @size, or an attribute out of range, or the queue pair is not in
 * RESET; or as for struct xroce_qp_modify.
 */
int xroce_qp_connect(struct xroce *x, const struct xroce_connect *connect);

/**
 * xroce_qp_del() - destroy a queue pair
 * @x: the handle
 * @qpn: its number
 *
 * Return: 0, or as for struct xroce_qp_del.
 */
int xroce_qp_del(struct xroce *x, __u32 qpn);

/**
 * xroce_qp_query() - look at a queue pair
 * @x: the handle
 * @query: number and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_qp_query.
 */
int xroce_qp_query(struct xroce *x, struct xroce_qp_query *query);

/*
 * Receiving. The rings are shared with the module; a completion queue or receive
 * queue may be used by one thread at a time. Each queue is deleted once, before or
 * after its handle is closed: before, queue pairs first, as a queue that a queue pair
 * uses is busy; after, in any order.
 */
struct xroce_cq;
struct xroce_rq;

/**
 * xroce_cq_add() - create a completion queue
 * @x: the handle
 * @entries: a power of two from XROCE_CQ_MIN to XROCE_CQ_MAX
 *
 * Return: the queue, or NULL with errno as for struct xroce_cq_add.
 */
struct xroce_cq *xroce_cq_add(struct xroce *x, __u32 entries);

/**
 * xroce_cq_del() - destroy a completion queue
 * @cq: the queue
 *
 * Return: 0, or as for struct xroce_cq_del; the queue stays then.
 */
int xroce_cq_del(struct xroce_cq *cq);

/* The number to give struct xroce_qp_add::recv_cq. */
__u32 xroce_cq_id(const struct xroce_cq *cq);

/* The header of the shared memory, for who wants to read the ring itself. */
struct xroce_cq_header *xroce_cq_ring(const struct xroce_cq *cq);

/**
 * xroce_cq_poll() - take completions
 * @cq: the queue
 * @cqe: out: @n of them
 * @n: how many at most
 *
 * Return: how many; -EOVERFLOW: none, and none will come: one was lost.
 */
int xroce_cq_poll(struct xroce_cq *cq, struct xroce_cqe *cqe, int n);

/**
 * xroce_cq_arm() - have poll(2) on xroce_fd() wake up (POLLIN)
 * @cq: the queue
 * @solicited: only for a completion that is solicited or in error
 *
 * Return: true when there are completions already; take these first, as no one
 * will wake up for them.
 */
bool xroce_cq_arm(struct xroce_cq *cq, bool solicited);

/**
 * xroce_cq_wait() - take completions, and wait for the first one
 * @cq: the queue, which xroce_cq_arm() arms; its arm is used up
 * @cqe: out: @n of them
 * @n: how many at most, 1 or more
 * @timeout: milliseconds; 0: do not wait; negative: no limit
 *
 * It sleeps. What the program has posted to its send queue is applied first. Each
 * queue of a handle may have a thread that waits for it.
 *
 * Return: how many; 0: none came in time; -EOVERFLOW: none, and none will come: one was
 * lost; -EINTR: a signal came; -EINVAL: @n; what epoll_create1(2) gives.
 */
int xroce_cq_wait(struct xroce_cq *cq, struct xroce_cqe *cqe, int n, int timeout);

/**
 * xroce_qp_create() - create a queue pair of any kind
 * @x: the handle
 * @add: all of it but @size, which the library fills in
 * @rq: out: its own receive queue, or NULL when it has none
 *
 * xroce_rq_del() destroys a queue pair that has a receive queue of its own,
 * xroce_qp_del() the others.
 *
 * Return: 0, or as for struct xroce_qp_add.
 */
int xroce_qp_create(struct xroce *x, struct xroce_qp_add *add,
		    struct xroce_rq **rq);

/**
 * xroce_srq_add() - create a shared receive queue
 * @x: the handle
 * @pd: protection domain
 * @entries: a power of two up to XROCE_RQ_MAX
 * @max_sge: 1 to XROCE_RQ_SGE_MAX
 *
 * Return: the queue, or NULL with errno as for struct xroce_srq_add.
 */
struct xroce_rq *xroce_srq_add(struct xroce *x, __u32 pd, __u32 entries,
			       __u32 max_sge);

/* The number to give struct xroce_qp_add::srq. */
__u32 xroce_srq_id(const struct xroce_rq *rq);

/**
 * xroce_srq_limit() - arm the limit event of a shared receive queue
 * @rq: the queue
 * @limit: see struct xroce_srq_modify
 *
 * Return: 0, or as for struct xroce_srq_modify.
 */
int xroce_srq_limit(struct xroce_rq *rq, __u32 limit);

/**
 * xroce_srq_query() - look at a shared receive queue
 * @rq: the queue
 * @query: out
 *
 * Return: 0, or as for struct xroce_srq_query.
 */
int xroce_srq_query(struct xroce_rq *rq, struct xroce_srq_query *query);

/**
 * xroce_rq_del() - destroy a shared receive queue, or a queue pair with its own
 * @rq: the queue
 *
 * A queue pair that xroce_qp_del() has destroyed leaves its receive queue behind, which
 * this frees.
 *
 * Return: 0, or as for struct xroce_srq_del or struct xroce_qp_del, but for -ENOENT;
 * the queue stays then.
 */
int xroce_rq_del(struct xroce_rq *rq);

/* The header of the shared memory, for who wants to write the ring itself. */
struct xroce_rq_header *xroce_rq_ring(const struct xroce_rq *rq);

/**
 * xroce_post_recv() - post a receive work request
 * @rq: the queue
 * @wr_id: what its completion returns
 * @sge: where to put the message
 * @num_sge: how many
 *
 * Return: 0; -EINVAL: more than the queue was made for; -ENOSPC: it is full.
 */
int xroce_post_recv(struct xroce_rq *rq, __u64 wr_id,
		    const struct xroce_sge_local *sge, __u32 num_sge);

/**
 * xroce_async_next() - take an asynchronous event, without waiting
 * @x: the handle
 * @async: out
 *
 * Return: 0; -EAGAIN: there is none.
 */
int xroce_async_next(struct xroce *x, struct xroce_async *async);

/**
 * xroce_mw_add() - allocate a memory window
 * @x: the handle
 * @add: all of it but @size, which the library fills in; handle and key out
 *
 * Return: 0, or as for struct xroce_mw_add.
 */
int xroce_mw_add(struct xroce *x, struct xroce_mw_add *add);

/**
 * xroce_mw_del() - deallocate a memory window
 * @x: the handle
 * @mw: its handle
 *
 * Return: 0, or as for struct xroce_mw_del.
 */
int xroce_mw_del(struct xroce *x, __u32 mw);

/**
 * xroce_mw_query() - look at a memory window
 * @x: the handle
 * @query: handle and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_mw_query.
 */
int xroce_mw_query(struct xroce *x, struct xroce_mw_query *query);

/**
 * xroce_mw_bind() - bind a memory window now, by a system call
 * @x: the handle
 * @bind: all of it but @size, which the library fills in; key out
 *
 * xroce_bind_mw() and xroce_post_bind() do without. Return: 0, or as for struct
 * xroce_mw_bind.
 */
int xroce_mw_bind(struct xroce *x, struct xroce_mw_bind *bind);

/**
 * xroce_mw_inval() - invalidate a window's key now, by a system call
 * @x: the handle
 * @rkey: the key
 * @qpn: queue pair that the window is tied to
 *
 * Return: 0, or as for struct xroce_mw_inval.
 */
int xroce_mw_inval(struct xroce *x, __u32 rkey, __u32 qpn);

/* The same key with the next key byte; for windows of type 2 (IBTA 10.6.7.2.4). */
static inline __u32 xroce_inc_rkey(__u32 rkey)
{
	return (rkey & ~0xffu) | ((rkey + 1) & 0xffu);
}

/*
 * Binding without a system call. A handle has one send queue for all of its queue
 * pairs; several threads may post. A work request has been applied, and its
 * completion is there, before the next packet for any of these queue pairs is
 * judged; when none comes, xroce_sq_apply() sees to it, and so does xroce_cq_poll()
 * when it has found nothing 10,000 times in a row.
 */
struct xroce_sq;

/**
 * xroce_sq_add() - create the send queue of a handle
 * @x: the handle
 * @entries: a power of two from XROCE_SQ_MIN to XROCE_SQ_MAX
 *
 * Queue pairs that complete work requests are made with
 * struct xroce_qp_add::send_cq afterwards.
 *
 * Return: the queue, or NULL with errno as for struct xroce_sq_add.
 */
struct xroce_sq *xroce_sq_add(struct xroce *x, __u32 entries);

/**
 * xroce_sq_del() - destroy a send queue
 * @sq: the queue
 *
 * Return: 0, or as for struct xroce_sq_del; the queue stays then.
 */
int xroce_sq_del(struct xroce_sq *sq);

/* The header of the shared memory, for who wants to write the ring itself. */
struct xroce_sq_header *xroce_sq_ring(const struct xroce_sq *sq);

/* Whether all that has been posted has been applied. No system call. */
bool xroce_sq_idle(const struct xroce_sq *sq);

/**
 * xroce_sq_apply() - apply what has been posted, by a system call
 * @sq: the queue
 *
 * Return: 0, or as for struct xroce_sq_apply.
 */
int xroce_sq_apply(struct xroce_sq *sq);

/**
 * struct xroce_bind - what to bind a window to
 * @wr_id: what its completion returns
 * @qpn: queue pair by which it is bound, made with a send_cq
 * @flags: XROCE_SQ_FENCE, XROCE_SQ_SIGNALED
 * @rkey: a key of the window's, see the functions
 * @lkey: of the region
 * @addr: first byte, in the region's addresses
 * @length: bytes; 0: unbind, type 1 only
 * @access: see struct xroce_mw_bind
 */
struct xroce_bind {
	__u64 wr_id;
	__u32 qpn;
	__u32 flags;
	__u32 rkey;
	__u32 lkey;
	__u64 addr;
	__u64 length;
	__u32 access;
};

/**
 * xroce_post_bind() - post the bind of a window of type 2 (IBTA 11.4.1.1)
 * @sq: send queue of the handle that the window is made with
 * @bind: what; @rkey: the key that the window shall have
 *
 * Return: 0; -ENOSPC: the queue is full.
 */
int xroce_post_bind(struct xroce_sq *sq, const struct xroce_bind *bind);

/**
 * xroce_bind_mw() - post the bind of a window of type 1 (IBTA 11.2.8.10)
 * @sq: send queue of the handle that the window is made with
 * @bind: what; @rkey: in: the key that the window has; out: the key that it will
 *	have, drawn here
 *
 * Return: 0; -ENOSPC: the queue is full.
 */
int xroce_bind_mw(struct xroce_sq *sq, struct xroce_bind *bind);

/**
 * xroce_post_local_inv() - post the invalidation of a key
 * @sq: send queue of the handle that the window is made with
 * @wr_id: what its completion returns
 * @qpn: queue pair that the window is tied to
 * @rkey: the key
 * @flags: XROCE_SQ_FENCE, XROCE_SQ_SIGNALED
 *
 * Return: 0; -ENOSPC: the queue is full.
 */
int xroce_post_local_inv(struct xroce_sq *sq, __u64 wr_id, __u32 qpn,
			 __u32 rkey, __u32 flags);

/**
 * xroce_cause_str() - name of a cause
 * @cause: enum xroce_cause: why a request was refused, or a packet dropped
 *
 * Return: the name, which is that of the counter in struct xroce_stat; "none" for
 * XROCE_CAUSE_NONE; "unknown".
 */
const char *xroce_cause_str(__u32 cause);

/* Reads events of one link: requests refused and packets dropped. */
struct xroce_monitor;

/* What a monitor reads. */
#define XROCE_MONITOR_REFUSED	(1 << 0)	/* requests that ended their queue pair */
#define XROCE_MONITOR_DROPPED	(1 << 1)	/* packets dropped, a limited number */

/**
 * xroce_monitor_open() - read events of a link
 * @netdev: name of the device
 * @what: XROCE_MONITOR_*
 *
 * Refusals that nobody has read yet come first. Drops are those from now on: of each
 * CPU, the first XROCE_DROP_EVENTS in a second. An event is read once: who reads the
 * same link at the same time sees only a part of them. Needs CAP_NET_ADMIN or what else
 * the pins in XROCE_PIN_DIR ask for, which are root's.
 *
 * Return: a monitor for xroce_monitor_close(), or NULL with errno EINVAL (nothing to
 * read, or a bit of @what that is not known), ENOENT (no such link), ENOMEM, or what the
 * kernel said.
 */
struct xroce_monitor *xroce_monitor_open(const char *netdev, __u32 what);

/**
 * xroce_monitor_close() - read no more
 * @m: the monitor, or NULL
 */
void xroce_monitor_close(struct xroce_monitor *m);

/**
 * xroce_monitor_fd() - a descriptor that is readable when there may be an event
 * @m: the monitor, whose it stays
 *
 * For poll(2) and the like. Who waits for it calls xroce_monitor_next() at least every
 * XROCE_MONITOR_LEASE_MS, even when it is not readable: packets dropped are reported
 * only while somebody asks for them.
 */
int xroce_monitor_fd(const struct xroce_monitor *m);

#define XROCE_MONITOR_LEASE_MS	10000

/**
 * xroce_monitor_next() - take an event
 * @m: the monitor, which one thread at a time uses
 * @event: out
 * @timeout_ms: how long to wait for one; 0: not at all; -1: for ever
 *
 * Return: 0; -EAGAIN: there was none in this time; -EINTR: a signal came first; or what
 * the kernel said.
 */
int xroce_monitor_next(struct xroce_monitor *m, struct xroce_event *event,
		       int timeout_ms);

/**
 * xroce_pin_dir() - find the directory of a device's pins
 * @netdev: name of the device
 * @ifindex: its index in its network namespace, or 0
 * @dir: out: name of the directory in XROCE_PIN_DIR; empty if no device can have the
 *	name @netdev
 *
 * The directory is named after the device, as it was called when the program was
 * attached; where no such directory is found, after @netdev. In it "." is written
 * "%2e", as bpffs takes no dots, and "%" is written "%25": the pins of "x0.5" are in
 * XROCE_PIN_DIR/x0%2e5. Other characters stand for themselves.
 */
void xroce_pin_dir(const char *netdev, __u32 ifindex, char dir[XROCE_PIN_DIR_MAX]);

/**
 * xroce_pin_open() - open a pinned map, program or BPF link of a link
 * @netdev: name of the device
 * @name: "mpt", "qp", "rd", "stat", "mr_stat", "prog" or "link"
 *
 * Return: a file descriptor to close, or a negative errno; -ENOENT: no such
 * pin.
 */
int xroce_pin_open(const char *netdev, const char *name);

#ifdef __cplusplus
}
#endif

#endif /* _LIBXROCE_H */
