/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * libxroce: the interface of xroce for programs that own memory which RDMA clients shall reach,
 * or that send requests to other hosts. A thin layer over the ioctl interface of /dev/xroce: the
 * structures are those of uapi/xroce.h, where each has its rules and errnos.
 *
 * A program makes objects in this order; what it does not need it leaves out:
 *
 *   link                  xroce_attach(), or "xroce link add": once for a network device
 *   handle                xroce_open(): a descriptor of /dev/xroce that works on a link
 *   protection domain     xroce_pd_add(): what is in another one cannot be reached
 *   region                xroce_mr_reg(), xroce_mr_reg_file() and others: memory, with a key
 *   window                xroce_mw_add(): a part of a region, for a time
 *   completion queue      xroce_cq_add()
 *   shared receive queue  xroce_srq_add()
 *   queue pair            xroce_qp_create(), with queues; xroce_qp_create_responder(): without,
 *                         for reliable connections on which the peer alone makes requests
 *   send queue            xroce_send_open(): that of a queue pair
 *   connection            xroce_qp_connect(): with queue pair number and address of the peer
 *
 * From then on the kernel serves the peer; the program need not do anything. It must not unmap or
 * replace the memory of a region in the meantime: a region whose pages are pinned keeps the old
 * ones.
 *
 * Objects are destroyed in the opposite order; one that others need is busy (-EBUSY): windows are
 * destroyed, or unbound, before queue pairs, queue pairs before their queues, regions after the
 * windows that are bound to them, the protection domain last. xroce_qp_destroy() takes the receive
 * queue of a queue pair with it. A program need not destroy anything: xroce_close() does all of
 * it, and so does the end of the process, also by a signal. What remains are persistent objects
 * (XROCE_F_PERSISTENT), links, and the memory that the library holds for queues until their own
 * functions delete them.
 *
 * Functions that return int return 0, or the documented value, on success and a negative errno on
 * failure. Functions that return a pointer return NULL on failure and set errno.
 * xroce_strerror() has a text for each.
 *
 * These wait for others: xroce_cq_wait() and xroce_monitor_next() for what they return, as long as
 * the caller says; xroce_peer_mac(), and with a send queue xroce_qp_connect(), up to 3.2 seconds
 * for the Ethernet address of a neighbour; xroce_attach(), xroce_reload() and xroce_detach() for
 * each other. All other functions may sleep in the kernel, for memory and locks, but wait for no
 * peer. xroce_post_recv() makes no system call, and xroce_cq_poll() hardly one.
 *
 * Several threads may use a handle. One thread at a time may use a completion queue, a receive
 * queue, the send queue of a queue pair or a monitor. No thread may use an object while another
 * one deletes it, or a handle while another one closes it.
 *
 * A complete program, which lets a peer write to its memory until Enter is pressed:
 *
 *	#include <libxroce.h>
 *	#include <stdint.h>
 *	#include <stdio.h>
 *
 *	static char memory[4096];
 *
 *	int main(void)
 *	{
 *		struct xroce_mr_reg mr = {
 *			.access = XROCE_ACCESS_LOCAL_WRITE | XROCE_ACCESS_REMOTE_WRITE,
 *			.addr = (uintptr_t)memory,
 *			.length = sizeof(memory),
 *		};
 *		struct xroce_connect c = {
 *			.size = sizeof(c),
 *			.access = XROCE_ACCESS_REMOTE_WRITE,
 *			.dest_qpn = 0x11,
 *			.sgid = { [10] = 0xff, 0xff, 192, 0, 2, 1 },
 *			.dgid = { [10] = 0xff, 0xff, 192, 0, 2, 2 },
 *		};
 *		struct xroce *x = xroce_open("eth0");
 *		int err = -1;
 *
 *		if (x && !(err = xroce_pd_add(x, 0, &mr.pd)) &&
 *		    !(err = xroce_mr_reg(x, &mr)) &&
 *		    !(err = xroce_qp_create_responder(x, 0, mr.pd, &c.qpn)) &&
 *		    !(err = xroce_qp_connect(x, &c))) {
 *			printf("qpn 0x%x, address 0, rkey 0x%x\n", c.qpn, mr.rkey);
 *			getchar();
 *		}
 *		xroce_close(x);
 *		return err != 0;
 *	}
 */
#ifndef _LIBXROCE_H
#define _LIBXROCE_H

#include <stdbool.h>
#include <stddef.h>

#include "uapi/xroce.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct xroce - a handle: a descriptor of /dev/xroce that works on one link
 *
 * xroce_open() makes it, xroce_close() frees it. Several threads may use it at the same time.
 * The objects that are made with a handle belong to it, unless XROCE_F_PERSISTENT is given.
 */
struct xroce;

/*
 * The size of a structure is that of the header with which a program is compiled, not that of
 * the library. Functions that take a structure which may grow are therefore inline: they give the
 * size to the function of the library, which has the same name with "_sized" behind it. Programs
 * that do not use this header, as those in other languages, call that one. A shorter structure
 * is completed with zeros, and nothing is written behind it. A longer one is accepted if the
 * bytes that are not known are zero (-E2BIG otherwise; EINVAL if the structure is shorter than any
 * that was released). The member "size" of the structures of the ioctl interface is filled in.
 */
struct xroce_wr;
struct xroce_rq;
struct xroce_send;
struct xroce_monitor;
int xroce_link_query_sized(struct xroce_link_query *query, size_t size);
int xroce_link_find_sized(const char *netdev, struct xroce_link_query *query, size_t size);
int xroce_limit_set_sized(struct xroce_limit_set *set, size_t size);
int xroce_limit_query_sized(struct xroce_limit_query *query, size_t size);
int xroce_cc_query_sized(struct xroce_cc_query *query, size_t size);
int xroce_pd_query_sized(struct xroce *x, struct xroce_pd_query *query, size_t size);
int xroce_mr_reg_sized(struct xroce *x, struct xroce_mr_reg *reg, size_t size);
int xroce_mr_reg_file_sized(struct xroce *x, int fd, __u64 offset, struct xroce_mr_reg *reg,
			    size_t size);
int xroce_mr_reg_phys_sized(struct xroce *x, struct xroce_mr_reg_phys *reg, size_t size);
int xroce_mr_reg_shared_sized(struct xroce *x, struct xroce_mr_reg_shared *reg, size_t size);
int xroce_mr_rereg_sized(struct xroce *x, struct xroce_mr_rereg *rereg, size_t size);
int xroce_mr_rereg_file_sized(struct xroce *x, int fd, __u64 offset, struct xroce_mr_rereg *rereg,
			      size_t size);
int xroce_mr_advise_sized(struct xroce *x, struct xroce_mr_advise *advise, size_t size);
int xroce_mr_query_sized(struct xroce *x, struct xroce_mr_query *query, size_t size);
int xroce_mtt_query_sized(struct xroce_mtt_query *query, size_t size);
int xroce_qp_modify_sized(struct xroce *x, struct xroce_qp_modify *modify, size_t size);
int xroce_qp_query_sized(struct xroce *x, struct xroce_qp_query *query, size_t size);
int xroce_qp_create_sized(struct xroce *x, struct xroce_qp_add *add, struct xroce_rq **rq,
			  size_t size);
struct xroce_send *xroce_send_open_sized(struct xroce *x, const struct xroce_qp_add *add,
					 size_t size);
int xroce_post_send_sized(struct xroce_send *send, const struct xroce_wr *wr, __u32 n, size_t size);
int xroce_srq_query_sized(struct xroce_rq *rq, struct xroce_srq_query *query, size_t size);
int xroce_async_next_sized(struct xroce *x, struct xroce_async *async, size_t size);
int xroce_mw_add_sized(struct xroce *x, struct xroce_mw_add *add, size_t size);
int xroce_mw_query_sized(struct xroce *x, struct xroce_mw_query *query, size_t size);
int xroce_mw_bind_sized(struct xroce *x, struct xroce_mw_bind *bind, size_t size);
int xroce_monitor_next_sized(struct xroce_monitor *m, struct xroce_event *event, int timeout_ms,
			     size_t size);

#define XROCE_NETDEV_MAX	16	/* bytes of a device's name, with the NUL */
#define XROCE_ERROR_MAX		256	/* bytes of an error text, with the NUL */

#define XROCE_PIN_DIR		"/sys/fs/bpf/xroce"	/* the pins of all links */

/* Bytes of the name of a directory in XROCE_PIN_DIR, with the NUL. */
#define XROCE_PIN_DIR_MAX	(3 * (XROCE_NETDEV_MAX - 1) + 1)

/* Default sizes of the tables of a link, see struct xroce_attach_opts. */
#define XROCE_MPT_ENTRIES	65536	/* regions and windows */
#define XROCE_QP_ENTRIES	1024	/* queue pairs; more with more than 4 GiB of memory */
#define XROCE_QP_ENTRIES_AUTO	16384	/* and most of them */

/* Minimum size of either table, and maximum sizes. A size is a power of two. */
#define XROCE_ENTRIES_MIN	16
#define XROCE_MPT_ENTRIES_MAX	(1 << 24)
#define XROCE_QP_ENTRIES_MAX	(1 << 16)

/*
 * Maximum size in bytes of the counters of regions, on all possible CPUs together. They
 * take 64 bytes for each CPU and entry of the memory protection table. A link that would
 * exceed this size has no such counters.
 */
#define XROCE_MR_STAT_MAX	(256ull << 20)

/**
 * xroce_strerror() - describe an error that any function can return
 * @err: a negative errno
 *
 * For -ENXIO, -EACCES and -EPERM the text says what they mean here and what helps: the
 * module is not loaded, the caller may not open /dev/xroce, the caller lacks CAP_NET_ADMIN
 * or another program owns the object. Other errors are described as by strerror(3). If the
 * description of a function gives an errno another meaning, that meaning holds.
 *
 * Return: a text. It stays valid; a text of strerror(3) until the thread calls that again.
 */
const char *xroce_strerror(int err);

/**
 * xroce_open() - open /dev/xroce for the link of a network device
 * @netdev: name of the device, in the caller's network namespace
 *
 * Return: a handle for xroce_close(), or NULL with errno ENODEV (no such
 * netdev), ENOENT (it has no link: attach one), ENXIO (the module is not
 * loaded), EACCES (the caller may not open /dev/xroce), EAGAIN (the limit of a control
 * group, see struct xroce_limit_query), ENOMEM, or another error of open(2).
 */
struct xroce *xroce_open(const char *netdev);

/**
 * xroce_close() - close a handle and destroy its objects, except persistent ones
 * @x: the handle, or NULL
 *
 * The rings of its queues are unmapped, including those of queues that have not been
 * deleted. Such a queue may then only be passed to its xroce_*_del() function, which frees
 * the rest of it. No other thread may use the handle or its queues during the call.
 *
 * The module destroys windows, queue pairs, shared receive queues, the send queue, completion
 * queues, regions and protection domains, in this order. When the call returns, no peer can
 * reach the memory of the handle any more. This holds for the last close only: as long as a
 * child of fork(2) has the descriptor or a ring, all objects stay and peers are served.
 */
void xroce_close(struct xroce *x);

/**
 * xroce_fd() - get the file descriptor of a handle
 * @x: the handle, which continues to own the descriptor
 *
 * For poll(2): POLLIN after xroce_cq_arm(), POLLPRI if there is an asynchronous event.
 *
 * Return: the descriptor, which has the flag O_CLOEXEC.
 */
int xroce_fd(const struct xroce *x);

/**
 * xroce_link() - number of the link that a handle works on
 * @x: the handle
 *
 * Return: the number, 0 to 255.
 */
__u32 xroce_link(const struct xroce *x);

/* How the XDP program is attached. */
enum xroce_mode {
	XROCE_MODE_AUTO,	/* native if the driver supports it, else generic */
	XROCE_MODE_NATIVE,	/* in the driver */
	XROCE_MODE_GENERIC,	/* on socket buffers, any device */
};

/**
 * struct xroce_attach_opts - options and results of xroce_attach() and xroce_reload()
 * @size: sizeof(struct xroce_attach_opts)
 * @mode: how to attach
 * @object: path of the BPF object; NULL: $XROCE_BPF_OBJECT, or else the object of the build
 *	tree in which the executable is, or else the installed one. A setuid program ignores
 *	the variable
 * @mpt_entries: memory protection table, a power of two from 16 to 2^24; 0:
 *	XROCE_MPT_ENTRIES
 * @qp_entries: queue pair table, a power of two from 16 to 2^16; 0: from XROCE_QP_ENTRIES to
 *	XROCE_QP_ENTRIES_AUTO, as a 512th of the machine's memory allows
 * @debug: print messages of libbpf and the verifier on stderr
 * @link: out: number of the link
 * @attached: out: XROCE_MODE_NATIVE or XROCE_MODE_GENERIC
 * @error: out: on failure, a text that says what failed and why
 * @paths: UDP source ports that the requests of a connection on RC are divided among, 1 to
 *	XROCE_PATHS_MAX; 0: 1
 *
 * The caller fills in @size. A member that is 0 has its default. For xroce_reload() @mode,
 * @mpt_entries, @qp_entries and @paths are 0.
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
	__u32 paths;
};

/**
 * xroce_attach() - make a link for a network device and attach the XDP program
 * @netdev: name of the device, in the caller's network namespace
 * @opts: see struct xroce_attach_opts
 *
 * Maps, program and BPF link are pinned as "mpt", "qp", "stat", "prog", "link" and so on in
 * the directory that xroce_pin_dir() names, and therefore outlive the caller. On failure
 * everything is undone. Remains of a call that was killed are removed first. Needs
 * CAP_NET_ADMIN and CAP_SYS_ADMIN. No handle is needed, and none is made: xroce_open() comes
 * next. xroce_detach() undoes it.
 *
 * Calls of xroce_attach(), xroce_reload() and xroce_detach() of all processes wait for each
 * other. Attaching and reloading replace the print function of libbpf (libbpf_set_print(3))
 * during the call, for the whole process.
 *
 * Return: 0; -ENODEV (no such netdev); -EEXIST (it has a link, or pins of that name are in
 * use); -EINVAL (options); -ENOENT (no BPF object); -ENXIO (the module is not loaded); or
 * an error of the kernel, which @opts->error describes.
 */
int xroce_attach(const char *netdev, struct xroce_attach_opts *opts);

/**
 * xroce_reload() - replace the XDP program of a link that serves
 * @netdev: name of the device, in the caller's network namespace
 * @opts: see struct xroce_attach_opts; mode, sizes and paths must be 0: they do not change
 *
 * The program is loaded again with the maps of the link, and replaces the present one from
 * one packet to the next. No queue pair is affected. On failure the present program stays.
 * If the new program is of another version and was compiled for another layout of a map,
 * it is refused; then the link has to be deleted and made again. Needs CAP_NET_ADMIN and
 * CAP_SYS_ADMIN.
 *
 * Return: 0; -ENOENT (it has no link, the link no pins, or there is no BPF object);
 * -ENODEV (its device has been unregistered); -EINVAL (options, or a map of another
 * version); -ENOTTY (the module is of an older version); -ENXIO (it is not loaded); or an
 * error of the kernel, which @opts->error describes.
 */
int xroce_reload(const char *netdev, struct xroce_attach_opts *opts);

/**
 * xroce_detach() - delete a link, detach its XDP program and remove its pins
 * @netdev: name of the device, or its last name before it was unregistered
 * @flags: XROCE_F_FORCE: persistent objects are deleted as well
 * @error: XROCE_ERROR_MAX bytes for a text: the reason of a failure; on success a warning
 *	or nothing; or NULL
 *
 * The link is deleted first, so that a refusal leaves everything as it was. Without a link,
 * pins that an interrupted attach or detach has left are removed. If another mount hides
 * the pins, the program is found by the number of its BPF link and detached, which needs
 * CAP_SYS_ADMIN, and a warning says that the pins are left.
 *
 * Return: 0: no program of the link is attached any more; -ENOENT (no such link); -EBUSY
 * (in use); -EPERM, -EEXIST (the program cannot be detached, and the link is as it was);
 * see struct xroce_link_del.
 */
int xroce_detach(const char *netdev, unsigned int flags, char *error);

/**
 * xroce_link_query() - query a link; no handle is needed
 * @query: number and flags in, the rest out
 *
 * Return: 0; -ENOENT (no such link); -EINVAL (flags); -ENXIO (the module is not loaded); or
 * another error of open(2).
 */
static inline int xroce_link_query(struct xroce_link_query *query)
{
	return xroce_link_query_sized(query, sizeof(*query));
}

/**
 * xroce_link_find() - find the link of a network device by name
 * @netdev: name of the device, in the caller's network namespace; or, when no
 *	such device has a link, that of a device that has been unregistered
 * @query: out
 *
 * Return: 0; -ENOENT (no such link; @query is as it was); -ENXIO (the module is not loaded);
 * or another error of open(2).
 */
static inline int xroce_link_find(const char *netdev, struct xroce_link_query *query)
{
	return xroce_link_find_sized(netdev, query, sizeof(*query));
}

/**
 * xroce_limit_set() - set limits of a link; no handle is needed
 * @set: all of it except @size
 *
 * Return: 0, or as for struct xroce_limit_set; -ENXIO (the module is not loaded).
 */
static inline int xroce_limit_set(struct xroce_limit_set *set)
{
	return xroce_limit_set_sized(set, sizeof(*set));
}

/**
 * xroce_limit_query() - query limits of a link and their present use; no handle is needed
 * @query: number, flags and user in, the rest out
 *
 * Return: 0, or as for struct xroce_limit_query; -ENXIO (the module is not loaded).
 */
static inline int xroce_limit_query(struct xroce_limit_query *query)
{
	return xroce_limit_query_sized(query, sizeof(*query));
}

/**
 * xroce_cc_query() - query an algorithm of congestion control; no handle is needed
 * @query: number and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_cc_query; -ENXIO (the module is not loaded).
 */
static inline int xroce_cc_query(struct xroce_cc_query *query)
{
	return xroce_cc_query_sized(query, sizeof(*query));
}

/**
 * xroce_link_cc() - choose the algorithm of congestion control of new connections of a link
 * @link: number of the link
 * @name: name of the algorithm; empty: that of the module parameter cc
 *
 * Return: 0, or as for struct xroce_link_cc; -ENAMETOOLONG; -ENXIO (the module is not loaded).
 */
int xroce_link_cc(__u32 link, const char *name);

/**
 * xroce_link_moderate() - moderate the completion events of all queues of a link
 * @link: number of the link
 * @count: completions that make an event; 0, with @usec 0: each one does;
 *	XROCE_MODERATION_AUTO, with @usec 0, as from the beginning: several do while that is faster
 * @usec: microseconds since the first of them, after which fewer make one
 *
 * Return: 0, or as for struct xroce_link_moderate; -ENXIO (the module is not loaded).
 */
int xroce_link_moderate(__u32 link, __u32 count, __u32 usec);

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
 * xroce_pd_query() - query a protection domain
 * @x: the handle
 * @query: number and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_pd_query.
 */
static inline int xroce_pd_query(struct xroce *x, struct xroce_pd_query *query)
{
	return xroce_pd_query_sized(x, query, sizeof(*query));
}

/**
 * xroce_mr_reg() - register a memory region
 * @x: the handle
 * @reg: all of it except @size; keys out. To register the whole
 *	address space of the program: XROCE_ACCESS_ON_DEMAND in @access, XROCE_LENGTH_ALL for
 *	@length, and 0 for @addr and @iova
 *
 * Return: 0, or as for struct xroce_mr_reg.
 */
static inline int xroce_mr_reg(struct xroce *x, struct xroce_mr_reg *reg)
{
	return xroce_mr_reg_sized(x, reg, sizeof(*reg));
}

/**
 * xroce_mr_reg_file() - register a region over a file
 * @x: the handle
 * @fd: file on tmpfs or hugetlbfs, or a memfd; open for writing when @reg asks
 *	for local write
 * @offset: of the region's first byte in the file, in bytes
 * @reg: as for xroce_mr_reg() without @addr, which is overwritten; length 0:
 *	to the end of the file, and the length is then out; without XROCE_F_PID
 *
 * The file is mapped only during the call; afterwards the module holds the pages. They
 * remain pages of the file as long as nobody truncates it or punches a hole there. The
 * caller may close @fd.
 *
 * On-demand memory belongs to a process, not to a file: with XROCE_ACCESS_ON_DEMAND the call
 * fails with -EINVAL. Map the file and use xroce_mr_reg() instead.
 *
 * Return: 0; -ERANGE: not inside the file; -EISDIR: a directory; an error of mmap(2), with
 * -EOPNOTSUPP for -ENODEV; or as for struct xroce_mr_reg. -EFAULT and -EOPNOTSUPP mean a
 * file system whose pages cannot be pinned for long.
 */
static inline int xroce_mr_reg_file(struct xroce *x, int fd, __u64 offset, struct xroce_mr_reg *reg)
{
	return xroce_mr_reg_file_sized(x, fd, offset, reg, sizeof(*reg));
}

/**
 * xroce_mr_reg_phys() - register a physical region
 * @x: the handle
 * @reg: all of it except @size; keys out
 *
 * Return: 0, or as for struct xroce_mr_reg_phys.
 */
static inline int xroce_mr_reg_phys(struct xroce *x, struct xroce_mr_reg_phys *reg)
{
	return xroce_mr_reg_phys_sized(x, reg, sizeof(*reg));
}

/**
 * xroce_mr_reg_shared() - register a region over the memory of another one
 * @x: the handle
 * @reg: all of it except @size; length and keys out
 *
 * Return: 0, or as for struct xroce_mr_reg_shared.
 */
static inline int xroce_mr_reg_shared(struct xroce *x, struct xroce_mr_reg_shared *reg)
{
	return xroce_mr_reg_shared_sized(x, reg, sizeof(*reg));
}

/**
 * xroce_mr_rereg() - change a region: memory, protection domain, rights
 * @x: the handle
 * @rereg: all of it except @size; keys out
 *
 * Return: 0, or as for struct xroce_mr_rereg; after an error the region is as it was.
 */
static inline int xroce_mr_rereg(struct xroce *x, struct xroce_mr_rereg *rereg)
{
	return xroce_mr_rereg_sized(x, rereg, sizeof(*rereg));
}

/**
 * xroce_mr_rereg_file() - change a region's memory to a file, and what else
 * @x: the handle
 * @fd: as for xroce_mr_reg_file()
 * @offset: as for xroce_mr_reg_file()
 * @rereg: as for xroce_mr_rereg() without @addr; XROCE_REREG_TRANSLATION is
 *	added to its mask; length 0: to the end of the file, and the length is then out
 *
 * Return: 0, or as for xroce_mr_reg_file() and struct xroce_mr_rereg.
 */
static inline int xroce_mr_rereg_file(struct xroce *x, int fd, __u64 offset,
				      struct xroce_mr_rereg *rereg)
{
	return xroce_mr_rereg_file_sized(x, fd, offset, rereg, sizeof(*rereg));
}

/**
 * xroce_mr_dereg() - deregister a memory region
 * @x: the handle
 * @mr: its handle
 *
 * Return: 0, or as for struct xroce_mr_dereg.
 */
int xroce_mr_dereg(struct xroce *x, __u32 mr);

/**
 * xroce_mr_advise() - bring in a part of an on-demand memory region
 * @x: the handle
 * @advise: in: region, range and access; out: pages
 *
 * Return: 0, or as for struct xroce_mr_advise.
 */
static inline int xroce_mr_advise(struct xroce *x, struct xroce_mr_advise *advise)
{
	return xroce_mr_advise_sized(x, advise, sizeof(*advise));
}

/**
 * xroce_mr_query() - query a memory region
 * @x: the handle
 * @query: handle and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_mr_query.
 */
static inline int xroce_mr_query(struct xroce *x, struct xroce_mr_query *query)
{
	return xroce_mr_query_sized(x, query, sizeof(*query));
}

/**
 * xroce_mtt_query() - query the pool of translation tables; no handle is needed
 * @query: out
 *
 * Return: 0; -ENXIO (the module is not loaded); or as for struct
 * xroce_mtt_query.
 */
static inline int xroce_mtt_query(struct xroce_mtt_query *query)
{
	return xroce_mtt_query_sized(query, sizeof(*query));
}

/**
 * xroce_mtt_read() - read a region's translation table
 * @x: the handle
 * @mr: the region's handle
 * @first: number of the first entry
 * @to: out: physical addresses
 * @count: size of @to in entries, 1 to XROCE_MTT_READ_MAX
 *
 * Return: number of entries read, or as for struct xroce_mtt_read.
 */
int xroce_mtt_read(struct xroce *x, __u32 mr, __u64 first, __u64 *to,
		   __u32 count);

/**
 * xroce_mr_access_error() - describe what is wrong with a set of rights
 * @access: enum xroce_access: the rights of a region
 *
 * Unknown bits are not checked; the module refuses them.
 *
 * Return: a constant text for people, or NULL if the rights are valid.
 */
const char *xroce_mr_access_error(__u32 access);

/**
 * xroce_mr_name_error() - describe what is wrong with a region's name
 * @name: see XROCE_NAME_MAX; may be empty
 *
 * Whether the name is in use is not checked.
 *
 * Return: a constant text for people, or NULL if the name is valid.
 */
const char *xroce_mr_name_error(const char *name);

/**
 * xroce_qp_create_responder() - create a reliable connected queue pair without queues
 * @x: the handle
 * @flags: XROCE_F_PERSISTENT or 0
 * @pd: protection domain
 * @qpn: out: its number
 *
 * It answers RDMA requests and atomic operations of its peer. xroce_qp_create() makes one that
 * also receives messages or sends requests. xroce_qp_del() destroys it.
 *
 * Return: 0, or as for struct xroce_qp_add.
 */
int xroce_qp_create_responder(struct xroce *x, __u32 flags, __u32 pd, __u32 *qpn);

/**
 * xroce_qp_modify() - change a queue pair's state or attributes
 * @x: the handle
 * @modify: all of it except @size
 *
 * Return: 0, or as for struct xroce_qp_modify.
 */
static inline int xroce_qp_modify(struct xroce *x, struct xroce_qp_modify *modify)
{
	return xroce_qp_modify_sized(x, modify, sizeof(*modify));
}

/**
 * struct xroce_connect - both ends of a connection
 * @size: sizeof(struct xroce_connect)
 * @qpn: the queue pair; it is in RESET
 * @access: of XROCE_ACCESS_REMOTE: rights of the peer; 0: none
 * @pkey: partition key; 0: that of the default partition, 0xffff
 * @path_mtu: enum xroce_mtu; 0: XROCE_MTU_1024
 * @dest_qpn: the peer's queue pair number
 * @rq_psn: packet sequence number of the peer's first request
 * @min_rnr_timer: code of the RNR NAK timer, 1 to 31; 0: 12, which is 0.64 ms
 * @max_dest_rd_atomic: READs and atomics kept for replay, 1 to 128; 0: 16
 * @qkey: datagrams: queue key that they must carry; 0: the key is 0
 * @sport: UDP source port of responses and requests, 0xc000 to 0xffff; 0: made from the QPNs
 * @tos: IPv4 type of service or IPv6 traffic class of responses and requests
 * @ttl: hop limit of responses and requests; 0: 64
 * @sgid: own address; IPv4 as ::ffff:a.b.c.d
 * @dgid: the peer's address, of the same family; for datagrams ::
 * @dmac: with a send queue: Ethernet address of the peer or of the next hop; 0:
 *	found by xroce_peer_mac(). Without a send queue 0, and the following fields are ignored
 * @vlan_tci: VLAN number and priority of requests, see struct xroce_qp_modify, and then @dmac
 *	must be given; 0: no tag
 * @sq_psn: packet sequence number of the first request
 * @timeout: code of the local ACK timeout, 1 to 31; 0: 14, which is 67 ms
 * @retry_cnt: times that requests are sent again without progress, 1 to 7; 0: 7
 * @rnr_retry: likewise after RNR NAKs, 1 to 6; 0 or 7: without end
 * @max_rd_atomic: READs and atomics that may be outstanding, 1 to 128; 0: 16
 *
 * On UC, @min_rnr_timer and @max_dest_rd_atomic are ignored. On UD, @access, @path_mtu,
 * @dest_qpn and @rq_psn are ignored as well, and @sport, @tos and @ttl must be 0. On RC and UC
 * @qkey is ignored. struct xroce_qp_modify describes each field.
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
	__u8 dmac[6];
	__u16 vlan_tci;
	__u32 sq_psn;
	__u8 timeout;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 max_rd_atomic;
};

/**
 * xroce_qp_connect() - bring a queue pair from RESET to INIT, RTR and RTS
 * @x: the handle
 * @connect: both ends
 *
 * On success the queue pair answers requests, and executes its own. On failure it is in RESET
 * again.
 *
 * Return: 0; -EINVAL: @size, or an attribute out of range, or the queue pair is not in
 * RESET; or as for xroce_peer_mac() and struct xroce_qp_modify.
 */
int xroce_qp_connect(struct xroce *x, const struct xroce_connect *connect);

/**
 * xroce_peer_mac() - find the Ethernet address for requests to a peer
 * @x: the handle
 * @dgid: the peer's address; IPv4 as ::ffff:a.b.c.d
 * @mac: out: Ethernet address of the peer, of the next hop to it, or for an address of the
 *	link's own network device that of this device
 *
 * The routes and neighbours of the caller's network namespace are used. If the kernel does not
 * know the neighbour, it is made to ask for it, and the call waits for up to 3.2 seconds.
 * Routes through VLAN devices are not followed. An IPv4 address to which no route leads is
 * looked for on the device itself, as with SO_BINDTODEVICE. No privilege is needed.
 *
 * Return: 0; -ENODEV: the network device is not in the caller's network namespace, or is gone;
 * -ENETUNREACH: no route to the peer leaves through it; -EHOSTUNREACH: nobody answers;
 * or another negative errno of rtnetlink(7).
 */
int xroce_peer_mac(struct xroce *x, const __u8 dgid[16], __u8 mac[6]);

/**
 * xroce_qp_del() - destroy a queue pair
 * @x: the handle
 * @qpn: its number
 *
 * Return: 0, or as for struct xroce_qp_del.
 */
int xroce_qp_del(struct xroce *x, __u32 qpn);

/**
 * xroce_qp_query() - query a queue pair
 * @x: the handle
 * @query: number and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_qp_query.
 */
static inline int xroce_qp_query(struct xroce *x, struct xroce_qp_query *query)
{
	return xroce_qp_query_sized(x, query, sizeof(*query));
}

/**
 * xroce_qp_cc() - change the algorithm of congestion control of a connection
 * @x: a handle for the link; the queue pair may be another one's
 * @qpn: number of the queue pair
 * @name: name of the algorithm
 *
 * Return: 0, or as for struct xroce_qp_cc; -ENAMETOOLONG.
 */
int xroce_qp_cc(struct xroce *x, __u32 qpn, const char *name);

/*
 * Receiving. The rings are shared with the module. Each queue is deleted once, before or after
 * its handle is closed. Before the handle is closed, queue pairs are deleted first, because a
 * queue in use by a queue pair is busy; afterwards, the order does not matter.
 */

/**
 * struct xroce_cq - a completion queue
 *
 * xroce_cq_add() makes it, xroce_cq_del() frees it. One thread at a time may use it.
 */
struct xroce_cq;

/**
 * struct xroce_rq - a receive queue, shared or of one queue pair
 *
 * A shared one: xroce_srq_add() makes it, xroce_srq_del() frees it. That of a queue pair:
 * xroce_qp_create() makes it, xroce_qp_destroy() frees it. One thread at a time may use it.
 */
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
 * Return: 0, or as for struct xroce_cq_del; on failure the queue stays.
 */
int xroce_cq_del(struct xroce_cq *cq);

/**
 * xroce_cq_id() - number of a completion queue
 * @cq: the queue
 *
 * Return: the number, for struct xroce_qp_add::recv_cq and send_cq.
 */
__u32 xroce_cq_id(const struct xroce_cq *cq);

/**
 * xroce_cq_ring() - get the shared memory, for programs that read the ring directly
 * @cq: the queue; xroce_cq_poll() may not be used as well, because it has an index of its own
 *
 * Return: the header, which XROCE_RING_HEADER describes; it is valid until xroce_cq_del() or
 * xroce_close().
 */
struct xroce_cq_header *xroce_cq_ring(const struct xroce_cq *cq);

/**
 * xroce_cq_poll() - take completions
 * @cq: the queue
 * @cqe: out: up to @n completions
 * @n: size of @cqe in elements
 *
 * No system call is made, but for xroce_send_doorbell() after 10,000 calls in a row that found
 * nothing, for send queues of the handle with work requests that were posted without one.
 *
 * Return: number of completions, 0 if there are none; -EOVERFLOW: a completion was lost, and no
 * more will come.
 */
int xroce_cq_poll(struct xroce_cq *cq, struct xroce_cqe *cqe, int n);

/**
 * xroce_cq_arm() - let the next completion wake up poll(2) on xroce_fd() (POLLIN)
 * @cq: the queue
 * @solicited: only for a completion that is solicited or failed
 *
 * Return: true if there are completions already. The caller must take them first, because
 * they wake up nobody.
 */
bool xroce_cq_arm(struct xroce_cq *cq, bool solicited);

/**
 * xroce_cq_moderate() - let several completions together wake up poll(2)
 * @cq: the queue
 * @count: completions since xroce_cq_arm() that do; 0, with @usec 0: each one does;
 *	XROCE_MODERATION_AUTO, with @usec 0: several do while that is faster
 * @usec: microseconds since the first of them, after which fewer do
 *
 * A completion that is solicited or has failed does so at once. A queue for which this has been
 * called does not follow the moderation of its link.
 *
 * Return: 0, or as for struct xroce_cq_moderate.
 */
int xroce_cq_moderate(struct xroce_cq *cq, __u32 count, __u32 usec);

/**
 * xroce_cq_wait() - take completions, and wait for the first one
 * @cq: the queue; the function arms it, and an earlier xroce_cq_arm() is used up
 * @cqe: out: up to @n completions
 * @n: size of @cqe in elements, 1 or more
 * @timeout: milliseconds; 0: do not wait; negative: no limit
 *
 * The function sleeps. First it calls xroce_send_doorbell() for send queues of the handle with work
 * requests that were posted without it. Each queue of a
 * handle may have a thread that waits for it.
 *
 * Return: number of completions; 0: none within @timeout; -EOVERFLOW: a completion was
 * lost, and no more will come; -EINTR: a signal arrived; -EINVAL: @n; or an error of
 * xroce_send_doorbell() or epoll_create1(2).
 */
int xroce_cq_wait(struct xroce_cq *cq, struct xroce_cqe *cqe, int n, int timeout);

/**
 * xroce_qp_create() - create a queue pair of any kind, with the queues that @add asks for
 * @x: the handle
 * @add: all of it except @size
 * @rq: out: its own receive queue, or NULL if it has none
 *
 * xroce_qp_destroy() destroys a queue pair that has a receive queue of its own,
 * xroce_qp_del() the others. xroce_qp_create_responder() makes one without queues.
 *
 * Return: 0; -EINVAL: also if @rq is NULL and the queue pair has its own receive queue; or as
 * for struct xroce_qp_add.
 */
static inline int xroce_qp_create(struct xroce *x, struct xroce_qp_add *add, struct xroce_rq **rq)
{
	return xroce_qp_create_sized(x, add, rq, sizeof(*add));
}

/* The send queue of a queue pair. */
struct xroce_send;

/**
 * struct xroce_wr - work request of a queue pair's send queue
 * @wr_id: returned in its completion
 * @opcode: enum xroce_wr_opcode
 * @flags: enum xroce_send_flags; without XROCE_SEND_SIGNALED only a failure has a completion
 * @imm_or_key: see struct xroce_send_wqe, as for the following fields
 * @rkey: key of the peer's memory
 * @addr: address of its first byte
 * @length: FLUSH, BIND_MW: bytes; otherwise ignored
 * @swap_add: CMP_SWAP, FETCH_ADD, ATOMIC_WRITE
 * @compare: CMP_SWAP
 * @access: BIND_MW, FLUSH
 * @num_sge: elements in @sge
 * @sge: local memory: addresses in regions. With XROCE_SEND_INLINE, instead, addresses in the
 *	program, and the keys are ignored
 *
 * Fields that an operation does not have are ignored.
 */
struct xroce_wr {
	__u64 wr_id;
	__u32 opcode;
	__u32 flags;
	__u32 imm_or_key;
	__u32 rkey;
	__u64 addr;
	__u64 length;
	__u64 swap_add;
	__u64 compare;
	__u32 access;
	__u32 num_sge;
	const struct xroce_sge_local *sge;
};

/**
 * xroce_send_open() - map the send queue of a queue pair
 * @x: the handle
 * @add: arguments of the xroce_qp_create() that has made it, with send_entries
 *
 * Return: the send queue, or NULL with errno: EINVAL: the queue pair has none; EIO: getrandom(2)
 * failed; or as for mmap(2).
 */
static inline struct xroce_send *xroce_send_open(struct xroce *x, const struct xroce_qp_add *add)
{
	return xroce_send_open_sized(x, add, sizeof(*add));
}

/**
 * xroce_send_close() - unmap a send queue
 * @send: the send queue
 *
 * The queue pair stays: xroce_qp_del() or xroce_qp_destroy() destroys it, before or after.
 */
void xroce_send_close(struct xroce_send *send);

/**
 * xroce_send_ring() - get the shared memory, for programs that write the ring directly
 * @send: the send queue; xroce_post_send() may not be used as well, because it has an index of
 *	its own
 *
 * The entries, struct xroce_send_wqe, start XROCE_RING_HEADER bytes behind the header, and are
 * struct xroce_qp_add::send_stride bytes apart.
 *
 * Return: the header.
 */
struct xroce_send_header *xroce_send_ring(const struct xroce_send *send);

/**
 * xroce_post_send() - post work requests (IBTA 11.4.1.1)
 * @send: the send queue; one thread at a time
 * @wr: array of work requests
 * @n: their number
 *
 * All of them are posted or none. They are executed in order, the first ones before this
 * returns. The completion of a work request says that it and all before it are complete.
 *
 * If all of them are BIND_MW and LOCAL_INV, no system call is made. They are then executed, as far
 * as those before them are, before the next packet for the queue pair is judged: by then their
 * completions are there. If no packet arrives, the next other work request has them executed,
 * xroce_send_doorbell(), xroce_cq_wait(), or xroce_cq_poll() when it has found nothing 10,000 times
 * in a row.
 *
 * Return: 0; -ENOSPC: fewer than @n entries are free, see struct xroce_send_header::head;
 * -EINVAL: one of them has too many elements or inline bytes; also, if a system call is made, and
 * then they are discarded: the queue pair is in RESET, INIT or RTR; -ENOENT, likewise: it has been
 * destroyed.
 */
static inline int xroce_post_send(struct xroce_send *send, const struct xroce_wr *wr, __u32 n)
{
	return xroce_post_send_sized(send, wr, n, sizeof(*wr));
}

/**
 * xroce_send_doorbell() - have posted work requests executed now, by a system call
 * @send: the send queue
 *
 * Return: 0, or as for struct xroce_qp_send.
 */
int xroce_send_doorbell(struct xroce_send *send);

/**
 * xroce_send_idle() - ask whether all posted work requests are complete
 * @send: the send queue
 *
 * No system call is made. Several threads may ask.
 *
 * Return: true if none is left.
 */
bool xroce_send_idle(const struct xroce_send *send);

/**
 * xroce_draw_rkey() - the same key with another key byte, which a peer cannot guess
 * @send: the send queue, which has the generator; one thread at a time
 * @rkey: key of a window
 *
 * For BIND_MW to a window of type 1, which gets a new key with each bind. No system call is made.
 *
 * Return: the key.
 */
__u32 xroce_draw_rkey(struct xroce_send *send, __u32 rkey);

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

/**
 * xroce_srq_id() - number of a shared receive queue
 * @rq: the queue
 *
 * Return: the number, for struct xroce_qp_add::srq; 0 for a queue pair's own receive queue.
 */
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
 * xroce_srq_query() - query a shared receive queue
 * @rq: the queue
 * @query: out
 *
 * Return: 0, or as for struct xroce_srq_query.
 */
static inline int xroce_srq_query(struct xroce_rq *rq, struct xroce_srq_query *query)
{
	return xroce_srq_query_sized(rq, query, sizeof(*query));
}

/**
 * xroce_srq_del() - destroy a shared receive queue
 * @rq: the queue
 *
 * Return: 0, or as for struct xroce_srq_del, except -ENOENT; -EINVAL: it is that of a queue pair.
 * On failure the queue stays.
 */
int xroce_srq_del(struct xroce_rq *rq);

/**
 * xroce_qp_destroy() - destroy a queue pair together with its own receive queue
 * @rq: the receive queue, from xroce_qp_create()
 *
 * If xroce_qp_del() has destroyed the queue pair, this frees what is left of the queue.
 *
 * Return: 0, or as for struct xroce_qp_del, except -ENOENT; -EINVAL: it is a shared receive queue.
 * On failure both stay.
 */
int xroce_qp_destroy(struct xroce_rq *rq);

/**
 * xroce_rq_ring() - get the shared memory, for programs that write the ring directly
 * @rq: the queue; xroce_post_recv() may not be used as well, because it has an index of its own
 *
 * Return: the header, which XROCE_RING_HEADER describes; it is valid until the queue is
 * freed, or xroce_close().
 */
struct xroce_rq_header *xroce_rq_ring(const struct xroce_rq *rq);

/**
 * xroce_post_recv() - post a receive work request
 * @rq: the queue
 * @wr_id: returned in its completion
 * @sge: memory for the message, filled in order; the array may be reused after the call, the
 *	memory after the completion
 * @num_sge: number of elements, 0 or more
 *
 * The keys are checked when a message arrives. No system call is made.
 *
 * Return: 0; -EINVAL: more elements than the queue was made for; -ENOSPC: it is full.
 */
int xroce_post_recv(struct xroce_rq *rq, __u64 wr_id,
		    const struct xroce_sge_local *sge, __u32 num_sge);

/**
 * xroce_async_next() - take an asynchronous event, without waiting
 * @x: the handle
 * @async: out
 *
 * poll(2) on xroce_fd() with POLLPRI waits for one. One thread at a time may take events: a
 * second one would wait if the first took the only event.
 *
 * Return: 0; -EAGAIN: there is no event; -EINTR: a signal arrived.
 */
static inline int xroce_async_next(struct xroce *x, struct xroce_async *async)
{
	return xroce_async_next_sized(x, async, sizeof(*async));
}

/**
 * xroce_mw_add() - allocate a memory window
 * @x: the handle
 * @add: all of it except @size; handle and key out
 *
 * Return: 0, or as for struct xroce_mw_add.
 */
static inline int xroce_mw_add(struct xroce *x, struct xroce_mw_add *add)
{
	return xroce_mw_add_sized(x, add, sizeof(*add));
}

/**
 * xroce_mw_del() - deallocate a memory window
 * @x: the handle
 * @mw: its handle
 *
 * Return: 0, or as for struct xroce_mw_del.
 */
int xroce_mw_del(struct xroce *x, __u32 mw);

/**
 * xroce_mw_query() - query a memory window
 * @x: the handle
 * @query: handle and flags in, the rest out
 *
 * Return: 0, or as for struct xroce_mw_query.
 */
static inline int xroce_mw_query(struct xroce *x, struct xroce_mw_query *query)
{
	return xroce_mw_query_sized(x, query, sizeof(*query));
}

/**
 * xroce_mw_bind() - bind a memory window now, by a system call
 * @x: the handle
 * @bind: all of it except @size; key out
 *
 * xroce_post_send() needs none for it. Return: 0, or as for struct
 * xroce_mw_bind.
 */
static inline int xroce_mw_bind(struct xroce *x, struct xroce_mw_bind *bind)
{
	return xroce_mw_bind_sized(x, bind, sizeof(*bind));
}

/**
 * xroce_mw_inval() - invalidate a window's key now, by a system call
 * @x: the handle
 * @rkey: the key
 * @qpn: queue pair that the window is tied to
 *
 * Return: 0, or as for struct xroce_mw_inval.
 */
int xroce_mw_inval(struct xroce *x, __u32 rkey, __u32 qpn);

/**
 * xroce_inc_rkey() - the same key with the next key byte
 * @rkey: key of a window of type 2 (IBTA 10.6.7.2.4)
 *
 * Return: the key; 0xff is followed by 0x00.
 */
static inline __u32 xroce_inc_rkey(__u32 rkey)
{
	return (rkey & ~0xffu) | ((rkey + 1) & 0xffu);
}

/**
 * xroce_cause_str() - name of a cause
 * @cause: enum xroce_cause: why a request was refused, or a packet dropped
 *
 * Return: a constant text: the name of the counter; "none" for
 * XROCE_CAUSE_NONE; "unknown" for other numbers.
 */
const char *xroce_cause_str(__u32 cause);

/**
 * struct xroce_monitor - a reader of events of one link: refused requests and dropped packets
 *
 * xroce_monitor_open() makes it, xroce_monitor_close() frees it. It does not keep the link. One
 * thread at a time may use it.
 */
struct xroce_monitor;

/* Events that a monitor reads. */
#define XROCE_MONITOR_REFUSED	(1 << 0)	/* requests that ended their queue pair */
#define XROCE_MONITOR_DROPPED	(1 << 1)	/* packets dropped, a limited number */

/**
 * xroce_monitor_open() - read events of a link
 * @netdev: name of the device
 * @what: XROCE_MONITOR_*
 *
 * Refusals that nobody has read yet come first. Drops are reported from now on: the first
 * XROCE_DROP_EVENTS per second of each CPU. An event is read once; readers of the same link
 * at the same time each get a part of the events. The caller must be the owner of the pins
 * in XROCE_PIN_DIR, usually root.
 *
 * Return: a monitor for xroce_monitor_close(), or NULL with errno EINVAL (@what is 0 or has
 * an unknown bit), ENOENT (no such link), ENOMEM, or an error of the kernel.
 */
struct xroce_monitor *xroce_monitor_open(const char *netdev, __u32 what);

/**
 * xroce_monitor_close() - close a monitor
 * @m: the monitor, or NULL
 */
void xroce_monitor_close(struct xroce_monitor *m);

/**
 * xroce_monitor_fd() - get a descriptor that is readable when there may be an event
 * @m: the monitor, which continues to own the descriptor
 *
 * For poll(2) and the like. The program must call xroce_monitor_next() at least every
 * XROCE_MONITOR_LEASE_MS, even if the descriptor is not readable: dropped packets are
 * reported only while a reader asks for them.
 *
 * Return: the descriptor, valid until xroce_monitor_close().
 */
int xroce_monitor_fd(const struct xroce_monitor *m);

#define XROCE_MONITOR_LEASE_MS	10000	/* milliseconds, see xroce_monitor_fd() */

/**
 * xroce_monitor_next() - take an event
 * @m: the monitor, used by one thread at a time
 * @event: out
 * @timeout_ms: milliseconds to wait for an event; 0: do not wait; -1: no limit
 *
 * Return: 0; -EAGAIN: no event within this time; -EINTR: a signal arrived first; or an
 * error of the kernel.
 */
static inline int xroce_monitor_next(struct xroce_monitor *m, struct xroce_event *event,
				     int timeout_ms)
{
	return xroce_monitor_next_sized(m, event, timeout_ms, sizeof(*event));
}

/**
 * xroce_pin_dir() - find the directory of a device's pins
 * @netdev: name of the device
 * @ifindex: its index in its network namespace, or 0
 * @dir: out: name of the directory in XROCE_PIN_DIR; empty if no device can have the
 *	name @netdev
 *
 * The directory has the name that the device had when the program was attached; if no such
 * directory is found, the name is @netdev. In it "." is written "%2e", because bpffs accepts
 * no dots, and "%" is written "%25": the pins of "x0.5" are in XROCE_PIN_DIR/x0%2e5. Other
 * characters stand for themselves.
 */
void xroce_pin_dir(const char *netdev, __u32 ifindex, char dir[XROCE_PIN_DIR_MAX]);

/**
 * xroce_pin_open() - open a pinned map, program or BPF link of a link
 * @netdev: name of the device
 * @name: "mpt", "qp", "rd", "stat", "mr_stat", "events", "drops", "drop_lease", "netdev",
 *	"prog" or "link"
 *
 * The maps stay valid as long as the descriptor is open, also if the link is deleted. The layout
 * of their values belongs to a version; their BTF describes it.
 *
 * Return: a file descriptor for close(2), or a negative errno: -ENOENT (no such pin), -EACCES
 * or -EPERM (the pins belong to root), -EINVAL (no device can have this name).
 */
int xroce_pin_open(const char *netdev, const char *name);

/**
 * xroce_link_counter() - read a counter of a link, the sum over all CPUs
 * @netdev: name of the device
 * @name: name of the counter, as "xroce stat show" has it
 * @value: out
 *
 * Return: 0; -EINVAL: no such counter; or as for xroce_pin_open().
 */
int xroce_link_counter(const char *netdev, const char *name, __u64 *value);

/**
 * xroce_mr_counter() - read a counter of peers' accesses to a region, the sum over all CPUs
 * @netdev: name of the device
 * @mr: handle of the region
 * @name: name of the counter, as "xroce mr show -s" has it
 * @value: out
 *
 * Return: 0; -EINVAL: no such counter; -EOVERFLOW: the link does not count them, see
 * XROCE_MR_STAT_MAX; or as for xroce_pin_open().
 */
int xroce_mr_counter(const char *netdev, __u32 mr, const char *name, __u64 *value);

#ifdef __cplusplus
}
#endif

#endif /* _LIBXROCE_H */
