/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The ioctl interface of /dev/xroce.
 *
 * Every command takes one structure, whose first word is the size in bytes that the caller
 * knows. A shorter structure of an older program is completed with zeros. A longer one of a
 * newer program is accepted only if the bytes that this kernel does not know are zero
 * (-E2BIG otherwise). Unknown bits of @flags and non-zero reserved words are -EINVAL.
 * Results are written back into the same structure, never behind the size that it has. Members
 * that this kernel does not know stay 0.
 *
 * A file descriptor works on one link (XROCE_CMD_LINK_USE). The objects that it makes
 * belong to it and are destroyed when it is closed for the last time. An object made with
 * XROCE_F_PERSISTENT (CAP_NET_ADMIN) lives until it or its link is deleted. A descriptor
 * may name its own objects, and with CAP_NET_ADMIN also the persistent ones.
 *
 * Errors that every command can return: -EFAULT, -EINVAL, -E2BIG, -ENOTTY (no
 * such command), -EINTR. Commands on objects of a link return -ENOTCONN before LINK_USE,
 * which xroce_open() of the library contains.
 * Commands that make an object, and MR_REREG, can also return -EDQUOT (a limit of
 * LIMIT_SET). Commands that make an object, and LINK_USE, can also return -EAGAIN (the
 * limit of a control group, see struct xroce_limit_query).
 */
#ifndef _UAPI_XROCE_H
#define _UAPI_XROCE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define XROCE_DEV_PATH		"/dev/xroce"	/* the device */
#define XROCE_IOC_TYPE		0xbc

enum {
	XROCE_NR_LINK_ADD = 0x00,
	XROCE_NR_LINK_MAPS,
	XROCE_NR_LINK_DEL,
	XROCE_NR_LINK_QUERY,
	XROCE_NR_LINK_USE,
	XROCE_NR_LINK_PROG,
	XROCE_NR_LINK_CC,
	XROCE_NR_LINK_MODERATE,
	XROCE_NR_PD_ADD = 0x10,
	XROCE_NR_PD_DEL,
	XROCE_NR_PD_QUERY,
	XROCE_NR_MR_REG = 0x20,
	XROCE_NR_MR_DEREG,
	XROCE_NR_MR_QUERY,
	XROCE_NR_MR_REG_PHYS,
	XROCE_NR_MR_REG_SHARED,
	XROCE_NR_MR_REREG,
	XROCE_NR_MR_ADVISE,
	XROCE_NR_QP_ADD = 0x30,
	XROCE_NR_QP_MODIFY,
	XROCE_NR_QP_DEL,
	XROCE_NR_QP_QUERY,
	XROCE_NR_QP_SEND,
	XROCE_NR_QP_CC,
	XROCE_NR_CQ_ADD = 0x40,
	XROCE_NR_CQ_DEL,
	XROCE_NR_CQ_MODERATE,
	XROCE_NR_SRQ_ADD = 0x50,
	XROCE_NR_SRQ_MODIFY,
	XROCE_NR_SRQ_DEL,
	XROCE_NR_SRQ_QUERY,
	XROCE_NR_MTT_QUERY = 0x60,
	XROCE_NR_MTT_READ,
	XROCE_NR_MW_ADD = 0x70,
	XROCE_NR_MW_DEL,
	XROCE_NR_MW_QUERY,
	XROCE_NR_MW_BIND,
	XROCE_NR_MW_INVAL,
	XROCE_NR_LIMIT_SET = 0x90,
	XROCE_NR_LIMIT_QUERY,
	XROCE_NR_CC_QUERY = 0xa0,
};

/* The size is in the structure, so the command number carries none. */
#define XROCE_CMD_LINK_ADD	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_ADD)
#define XROCE_CMD_LINK_MAPS	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_MAPS)
#define XROCE_CMD_LINK_DEL	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_DEL)
#define XROCE_CMD_LINK_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_QUERY)
#define XROCE_CMD_LINK_USE	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_USE)
#define XROCE_CMD_LINK_PROG	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_PROG)
#define XROCE_CMD_LINK_CC	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_CC)
#define XROCE_CMD_LINK_MODERATE	_IO(XROCE_IOC_TYPE, XROCE_NR_LINK_MODERATE)
#define XROCE_CMD_PD_ADD	_IO(XROCE_IOC_TYPE, XROCE_NR_PD_ADD)
#define XROCE_CMD_PD_DEL	_IO(XROCE_IOC_TYPE, XROCE_NR_PD_DEL)
#define XROCE_CMD_PD_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_PD_QUERY)
#define XROCE_CMD_MR_REG	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_REG)
#define XROCE_CMD_MR_DEREG	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_DEREG)
#define XROCE_CMD_MR_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_QUERY)
#define XROCE_CMD_MR_REG_PHYS	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_REG_PHYS)
#define XROCE_CMD_MR_REG_SHARED	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_REG_SHARED)
#define XROCE_CMD_MR_REREG	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_REREG)
#define XROCE_CMD_MR_ADVISE	_IO(XROCE_IOC_TYPE, XROCE_NR_MR_ADVISE)
#define XROCE_CMD_QP_ADD	_IO(XROCE_IOC_TYPE, XROCE_NR_QP_ADD)
#define XROCE_CMD_QP_MODIFY	_IO(XROCE_IOC_TYPE, XROCE_NR_QP_MODIFY)
#define XROCE_CMD_QP_DEL	_IO(XROCE_IOC_TYPE, XROCE_NR_QP_DEL)
#define XROCE_CMD_QP_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_QP_QUERY)
#define XROCE_CMD_QP_SEND	_IO(XROCE_IOC_TYPE, XROCE_NR_QP_SEND)
#define XROCE_CMD_QP_CC		_IO(XROCE_IOC_TYPE, XROCE_NR_QP_CC)
#define XROCE_CMD_CQ_ADD	_IO(XROCE_IOC_TYPE, XROCE_NR_CQ_ADD)
#define XROCE_CMD_CQ_DEL	_IO(XROCE_IOC_TYPE, XROCE_NR_CQ_DEL)
#define XROCE_CMD_CQ_MODERATE	_IO(XROCE_IOC_TYPE, XROCE_NR_CQ_MODERATE)
#define XROCE_CMD_SRQ_ADD	_IO(XROCE_IOC_TYPE, XROCE_NR_SRQ_ADD)
#define XROCE_CMD_SRQ_MODIFY	_IO(XROCE_IOC_TYPE, XROCE_NR_SRQ_MODIFY)
#define XROCE_CMD_SRQ_DEL	_IO(XROCE_IOC_TYPE, XROCE_NR_SRQ_DEL)
#define XROCE_CMD_SRQ_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_SRQ_QUERY)
#define XROCE_CMD_MTT_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_MTT_QUERY)
#define XROCE_CMD_MTT_READ	_IO(XROCE_IOC_TYPE, XROCE_NR_MTT_READ)
#define XROCE_CMD_MW_ADD	_IO(XROCE_IOC_TYPE, XROCE_NR_MW_ADD)
#define XROCE_CMD_MW_DEL	_IO(XROCE_IOC_TYPE, XROCE_NR_MW_DEL)
#define XROCE_CMD_MW_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_MW_QUERY)
#define XROCE_CMD_MW_BIND	_IO(XROCE_IOC_TYPE, XROCE_NR_MW_BIND)
#define XROCE_CMD_MW_INVAL	_IO(XROCE_IOC_TYPE, XROCE_NR_MW_INVAL)
#define XROCE_CMD_LIMIT_SET	_IO(XROCE_IOC_TYPE, XROCE_NR_LIMIT_SET)
#define XROCE_CMD_LIMIT_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_LIMIT_QUERY)
#define XROCE_CMD_CC_QUERY	_IO(XROCE_IOC_TYPE, XROCE_NR_CC_QUERY)

/*
 * Flags of the @flags words; each command says which it takes. XROCE_F_PERSISTENT needs
 * CAP_NET_ADMIN; a persistent region, window or queue pair also needs a persistent protection
 * domain; both are -EPERM otherwise.
 */
#define XROCE_F_PERSISTENT	(1u << 0)	/* the object outlives the descriptor */
#define XROCE_F_NEXT		(1u << 1)	/* query: the first object at or after */
#define XROCE_F_FORCE		(1u << 2)	/* also delete the objects inside */
#define XROCE_F_PID		(1u << 3)	/* @addr is in process @pid */
#define XROCE_F_DEAD		(1u << 4)	/* out: its netdev has been unregistered */
#define XROCE_F_PHYS		(1u << 5)	/* a list of physical pages */
#define XROCE_F_USER		(1u << 6)	/* of a user, not of the link */
#define XROCE_F_VLAN		(1u << 7)	/* out: there are VLAN devices on it */
#define XROCE_F_KERNEL		(1u << 8)	/* out: of the kernel, through a verbs device */

/*
 * Bytes of a region's name, with the NUL. A name is UTF-8 without control characters (C0,
 * DEL, C1) and without characters that break a line or change its direction (U+061C,
 * U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069, U+FEFF). It is no number, decimal or
 * hexadecimal with 0x, because a number is a handle. Other names are -EINVAL. Names are
 * unique among the persistent regions of a link, and among a descriptor's regions of one
 * protection domain (-EEXIST). Names of other descriptors do not matter.
 */
#define XROCE_NAME_MAX		32

/*
 * Access rights of regions, and of queue pairs (the remote ones only). The
 * values are those of enum ibv_access_flags. Local read is always granted
 * (IBTA 10.6.3.1).
 */
enum xroce_access {
	XROCE_ACCESS_LOCAL_WRITE	= 1 << 0,	/* write, receives too */
	XROCE_ACCESS_REMOTE_WRITE	= 1 << 1,	/* WRITE; needs local write */
	XROCE_ACCESS_REMOTE_READ	= 1 << 2,	/* READ */
	XROCE_ACCESS_REMOTE_ATOMIC	= 1 << 3,	/* atomics; needs local write */
	XROCE_ACCESS_MW_BIND		= 1 << 4,	/* bind windows to the region */
	XROCE_ACCESS_ON_DEMAND		= 1 << 6,	/* no right: see MR_REG */
	XROCE_ACCESS_FLUSH_GLOBAL	= 1 << 8,	/* FLUSH, global visibility */
	XROCE_ACCESS_FLUSH_PERSISTENT	= 1 << 9,	/* FLUSH, persistence */
};

/* The remote rights: all that a queue pair can have. */
#define XROCE_ACCESS_REMOTE	(XROCE_ACCESS_REMOTE_WRITE | \
				 XROCE_ACCESS_REMOTE_READ | \
				 XROCE_ACCESS_REMOTE_ATOMIC | \
				 XROCE_ACCESS_FLUSH_GLOBAL | \
				 XROCE_ACCESS_FLUSH_PERSISTENT)

/*
 * Rights that a region can have. No memory that can be registered keeps its content without
 * power: a queue pair may have the right to flush to persistence, but no region grants it.
 */
#define XROCE_ACCESS_MR		(XROCE_ACCESS_LOCAL_WRITE | \
				 XROCE_ACCESS_MW_BIND | \
				 XROCE_ACCESS_ON_DEMAND | \
				 (XROCE_ACCESS_REMOTE & \
				  ~XROCE_ACCESS_FLUSH_PERSISTENT))

/* Transport services; the values are those of enum ibv_qp_type. */
enum xroce_qp_type {
	XROCE_QPT_RC = 2,	/* reliable connected */
	XROCE_QPT_UC = 3,	/* unreliable connected */
	XROCE_QPT_UD = 4,	/* datagrams */
};

/* Queue pair states (IBTA 10.3.1); the values are those of enum ibv_qp_state. */
enum xroce_qp_state {
	XROCE_QPS_RESET	= 0,	/* as it was made */
	XROCE_QPS_INIT	= 1,	/* receives can be posted, packets are dropped */
	XROCE_QPS_RTR	= 2,	/* answers requests */
	XROCE_QPS_RTS	= 3,	/* and windows can be bound */
	XROCE_QPS_SQD	= 4,	/* as RTS; more attributes can be changed */
	XROCE_QPS_ERR	= 6,	/* answers nothing */
};

/* Path MTU; the values are those of enum ibv_mtu: 128 << mtu bytes. */
enum xroce_mtu {
	XROCE_MTU_256	= 1,
	XROCE_MTU_512	= 2,
	XROCE_MTU_1024	= 3,
	XROCE_MTU_2048	= 4,
	XROCE_MTU_4096	= 5,
};

#define XROCE_PATHS_MAX		16	/* UDP source ports of a connection */

/**
 * struct xroce_link_add - LINK_ADD: make a link for a network device
 * @size: sizeof(struct xroce_link_add)
 * @flags: 0
 * @ifindex: the network device, in the caller's network namespace
 * @link: out: the link's number, 0 to 255
 *
 * The link belongs to the descriptor until LINK_MAPS gives it its maps. After that it lives
 * until LINK_DEL. Needs CAP_NET_ADMIN.
 *
 * Errors: -EPERM, -ENODEV (no such netdev), -EOPNOTSUPP (it is an ipvlan device, which has no
 * address of its own), -EEXIST (it has a link already), -ENOSPC (256 links), -ENOMEM.
 */
struct xroce_link_add {
	__u32 size;
	__u32 flags;
	__u32 ifindex;
	__u32 link;
};

/**
 * struct xroce_link_maps - LINK_MAPS: give a link its BPF maps
 * @size: sizeof(struct xroce_link_maps)
 * @flags: 0
 * @link: number of a link that this descriptor made and that has no maps yet
 * @mpt_fd: BPF array of struct xroce_mpt; 16 to 2^24 entries, a power of two
 * @qp_fd: BPF array of struct xroce_qp; 16 to 2^16 entries, a power of two
 * @mr_stat_fd: BPF per-CPU array of struct xroce_mr_stat with as many entries as @mpt_fd;
 *	or -1: accesses to regions are not counted
 * @prog_fd: the XDP program; or -1: packets for on-demand memory that is not present are
 *	never deferred, but answered with an RNR NAK
 * @netdev_fd: BPF array of one struct xroce_netdev; or 0 or -1: the program does not learn
 *	the address of the network device, and asks the module for each frame
 * @stat_fd: BPF per-CPU array of struct xroce_stat with one entry; or 0 or -1: frames that
 *	the module sends are not counted there
 * @paths: UDP source ports that the requests of a connection on RC are divided among, 1 to
 *	XROCE_PATHS_MAX; 0: 1
 *
 * From now on the module writes the maps. It runs the program on deferred packets again, so
 * @prog_fd must be the program that is attached. As long as the link has the program, the
 * module cannot be unloaded. Needs CAP_NET_ADMIN.
 *
 * Errors: -EPERM, -ENOENT (no such link), -EEXIST (it has maps), -EBADF, -ENOMEM, and
 * -EINVAL for a map of another type, value size or number of entries, a
 * program that is not for XDP or is for one device only, or too many @paths.
 */
struct xroce_link_maps {
	__u32 size;
	__u32 flags;
	__u32 link;
	__s32 mpt_fd;
	__s32 qp_fd;
	__s32 mr_stat_fd;
	__s32 prog_fd;
	__s32 netdev_fd;
	__s32 stat_fd;
	__u32 paths;
};

/**
 * struct xroce_link_del - LINK_DEL: destroy a link
 * @size: sizeof(struct xroce_link_del)
 * @flags: XROCE_F_FORCE also destroys its persistent objects, and takes its verbs device
 *	from programs that have it open
 * @link: number of the link
 * @reserved: 0
 *
 * Needs CAP_NET_ADMIN. The link's verbs device is removed with it. Detach the XDP program
 * first: packets that arrive after this command find neither queue pair nor region.
 *
 * Errors: -EPERM, -ENOENT, -EBUSY (a descriptor uses the link; or XROCE_F_FORCE is not
 * given, and the link has persistent objects or a program has its verbs device open).
 */
struct xroce_link_del {
	__u32 size;
	__u32 flags;
	__u32 link;
	__u32 reserved;
};

/* Whose provider of libibverbs programs need for a verbs device. */
enum xroce_provider {
	XROCE_PROVIDER_RXE = 0,	/* rdma-core's for rxe, which is where libibverbs is */
	XROCE_PROVIDER_XROCE,	/* that of xroce: uapi/rdma/xroce-abi.h */
};

/**
 * struct xroce_link_query - LINK_QUERY: query a link
 * @size: sizeof(struct xroce_link_query)
 * @flags: in: XROCE_F_NEXT: the first link numbered @link or above;
 *	out: XROCE_F_DEAD when the netdev has been unregistered, XROCE_F_VLAN when VLAN
 *	devices are on top of it, or of the bridge or bond of which it is a port, in any
 *	network namespace
 * @link: in, and with XROCE_F_NEXT out
 * @ifindex: out: the netdev's index in its own namespace
 * @netns: out: inode number of that network namespace
 * @name: out: name of the netdev when it was last seen
 * @mpt_entries: out: size of the memory protection table; 0: no maps yet
 * @qp_entries: out: size of the queue pair table
 * @pds: out: number of protection domains
 * @mrs: out: number of memory regions
 * @qps: out: number of queue pairs
 * @users: out: descriptors that use the link
 * @verbs: out: name of its verbs device (an RDMA device of module xroce_ib); empty: none
 * @paths: out: see LINK_MAPS; 0: no maps yet
 * @provider: out: enum xroce_provider: of the verbs device
 * @cc: out: name of the algorithm of congestion control that new connections have
 * @moderation_count: out: completions that make an event, see LINK_MODERATE; 0: each one does;
 *	XROCE_MODERATION_AUTO: several do while it pays
 * @moderation_usec: out: microseconds after which fewer make one; 0: likewise
 *
 * Errors: -ENOENT.
 */
struct xroce_link_query {
	__u32 size;
	__u32 flags;
	__u32 link;
	__u32 ifindex;
	__aligned_u64 netns;
	char name[16];
	__u32 mpt_entries;
	__u32 qp_entries;
	__u32 pds;
	__u32 mrs;
	__u32 qps;
	__u32 users;
	char verbs[64];
	__u32 paths;
	__u32 provider;
	char cc[16];
	__u32 moderation_count;
	__u32 moderation_usec;
};

/**
 * struct xroce_link_use - LINK_USE: choose the link of this descriptor
 * @size: sizeof(struct xroce_link_use)
 * @flags: 0
 * @ifindex: the network device, in the caller's network namespace
 * @link: out: the link's number
 *
 * Errors: -ENODEV (no such netdev), -ENOENT (it has no link, or one without
 * maps), -EBUSY (the descriptor has a link already), -ENOMEM.
 */
struct xroce_link_use {
	__u32 size;
	__u32 flags;
	__u32 ifindex;
	__u32 link;
};

/* Objects and resources that are counted and can be limited. */
enum xroce_counted {
	XROCE_COUNT_PD,		/* protection domains */
	XROCE_COUNT_MR,		/* memory regions */
	XROCE_COUNT_MW,		/* memory windows */
	XROCE_COUNT_QP,		/* queue pairs */
	XROCE_COUNT_CQ,		/* completion queues */
	XROCE_COUNT_SRQ,	/* shared receive queues */
	XROCE_COUNT_PINNED,	/* bytes pinned, in whole pages */
	XROCE_COUNT_DEFERRED,	/* deferred packets: for on-demand memory, or for one before them */
	XROCE_COUNTED,		/* their number */
	/* These have no limit of LIMIT_SET, but can be refused. */
	XROCE_COUNT_TABLE = XROCE_COUNTED, /* entries of translation tables */
	XROCE_COUNT_AH,		/* address handles of programs */
	XROCE_COUNT_MCAST,	/* memberships in multicast groups */
	XROCE_COUNT_MEMLOCK,	/* pages that RLIMIT_MEMLOCK allows */
	XROCE_REFUSED,		/* number of kinds that can be refused */
};

#define XROCE_COUNTED_MAX	8	/* elements of an array of those with a limit */
#define XROCE_REFUSED_MAX	16	/* elements of an array of all of them */
#define XROCE_LIMIT_NONE	(~0ull)	/* no limit */

/**
 * struct xroce_limit_set - LIMIT_SET: limit objects and resources of a link
 * @size: sizeof(struct xroce_limit_set)
 * @flags: XROCE_F_USER: limits for each user; otherwise for the whole link
 * @link: number of the link
 * @mask: the limits that are set: 1 << enum xroce_counted, at least one
 * @limit: by enum xroce_counted: maximum number, or bytes; XROCE_LIMIT_NONE: no limit, as
 *	at the start; 0 if @mask does not have the bit
 *
 * A user is the real user id of the process that opened the descriptor. Objects of a
 * descriptor count for its user and for the link, objects made with XROCE_F_PERSISTENT only
 * for the link. A user's limit does not apply with CAP_NET_ADMIN, the link's limit does.
 * Memory that regions share counts once, for the owner of the region that pinned it. It
 * counts from before it is pinned until it has been unpinned: MR_REREG to other memory
 * needs room for both. On-demand memory is not pinned. If a limit is lowered below the
 * present use, existing objects stay and new ones are refused. Needs CAP_NET_ADMIN.
 *
 * Tables are shared. An eighth of each is for CAP_NET_ADMIN and the kernel. Of the rest a user
 * has at most as many as remain free: one user leaves half. This applies to queue pairs; to
 * regions and windows together; to protection domains, completion queues, shared receive queues
 * and address handles, 262,144 of each; to memberships in multicast groups; and to the pool of
 * translation tables, which all links share. A limit of users for a kind replaces the share of
 * this kind, but not the reserve.
 *
 * XROCE_COUNT_DEFERRED: at most 4,096 packets are deferred on all links. A user has at most as
 * many of them as remain free. These limits also apply with CAP_NET_ADMIN. A packet above
 * them is handled like any packet that finds no room.
 *
 * Errors: -EPERM, -ENOENT (no such link), -EINVAL (mask, or a limit that @mask does not have).
 */
struct xroce_limit_set {
	__u32 size;
	__u32 flags;
	__u32 link;
	__u32 mask;
	__aligned_u64 limit[XROCE_COUNTED_MAX];
};

/**
 * struct xroce_limit_query - LIMIT_QUERY: query limits and present use
 * @size: sizeof(struct xroce_limit_query)
 * @flags: XROCE_F_USER: of a user; with XROCE_F_NEXT in addition: of the first user
 *	numbered @uid or above who has the link open or objects on it
 * @link: number of the link
 * @uid: in, with XROCE_F_USER: the user, in the caller's user namespace; with
 *	XROCE_F_NEXT also out; else 0
 * @device: out: the link's name in the files of the control group controller "rdma",
 *	as rdma.max. A descriptor with a link is one hca_handle there, an object one
 *	hca_object, both of the process that asked for it; empty: the controller does
 *	not count them, because the kernel has none, or because the module's parameter
 *	rdma_cgroup was N when the link was made
 * @limit: out: by enum xroce_counted; XROCE_LIMIT_NONE: none
 * @used: out: likewise
 * @room: out: by enum xroce_counted: how many more fit into the table, for users without
 *	CAP_NET_ADMIN together, or for this one; XROCE_LIMIT_NONE: there is no table
 * @refused: out: by enum xroce_counted: how often a limit, a share, or a full table has refused an
 *	object or memory on the link; of a user: 0
 *
 * Without CAP_NET_ADMIN only the caller's own user is seen. Errors: -ENOENT (no such link, or no
 * user that the caller sees), -EINVAL (XROCE_F_NEXT or @uid without XROCE_F_USER, no such user
 * id).
 */
struct xroce_limit_query {
	__u32 size;
	__u32 flags;
	__u32 link;
	__u32 uid;
	char device[16];
	__aligned_u64 limit[XROCE_COUNTED_MAX];
	__aligned_u64 used[XROCE_COUNTED_MAX];
	__aligned_u64 room[XROCE_REFUSED_MAX];
	__aligned_u64 refused[XROCE_REFUSED_MAX];
};

/**
 * struct xroce_link_prog - LINK_PROG: give a link another XDP program
 * @size: sizeof(struct xroce_link_prog)
 * @flags: 0
 * @link: number of a link that has maps
 * @prog_fd: the XDP program, which uses the maps that the link has
 *
 * From now on the module runs this program on deferred packets. It must be the program that
 * is attached or is about to be attached. Needs CAP_NET_ADMIN.
 *
 * Errors: -EPERM, -ENOENT (no such link, or one without maps), -EBADF, and
 * -EINVAL for a program that is not for XDP or is for one device only.
 */
struct xroce_link_prog {
	__u32 size;
	__u32 flags;
	__u32 link;
	__s32 prog_fd;
};

/**
 * struct xroce_link_cc - LINK_CC: choose the algorithm of congestion control of new connections
 * @size: sizeof(struct xroce_link_cc)
 * @flags: 0
 * @link: number of the link
 * @reserved: 0
 * @name: name of the algorithm, see CC_QUERY; empty: that of the module parameter cc, as by default
 *
 * Connections that exist keep theirs: QP_CC. If the algorithm is a BPF program that is removed, the
 * link has that of the module parameter again. Needs CAP_NET_ADMIN.
 *
 * Errors: -EPERM, -ENOENT (no such link), -ESRCH (no such algorithm), -EINVAL (no name).
 */
struct xroce_link_cc {
	__u32 size;
	__u32 flags;
	__u32 link;
	__u32 reserved;
	char name[16];
};

#define XROCE_MODERATION_COUNT_MAX	4096	/* completions that make an event */
#define XROCE_MODERATION_USEC_MAX	20000	/* microseconds until fewer make one */
#define XROCE_MODERATION_AUTO		(~0u)	/* in place of a count: only while it pays */

/**
 * struct xroce_link_moderate - LINK_MODERATE: moderate the completion events of a link
 * @size: sizeof(struct xroce_link_moderate)
 * @flags: 0
 * @link: number of the link
 * @count: completions that make an event, 1 to XROCE_MODERATION_COUNT_MAX, or
 *	XROCE_MODERATION_AUTO
 * @usec: microseconds since the first of them, after which fewer make one, 1 to
 *	XROCE_MODERATION_USEC_MAX
 * @reserved: 0
 *
 * An armed completion queue notifies its owner when @count completions have arrived since it was
 * armed, or @usec after the first of them. A completion that is solicited or has failed makes an
 * event at once, and so does a queue of which three quarters are full. With a @count of 1, or if
 * @count and @usec are 0, each completion makes an event.
 *
 * By default @count is XROCE_MODERATION_AUTO and @usec 0: each queue tries now and then whether its
 * completions come faster if up to 16 of them make an event, within 200 microseconds, and does that
 * while they do.
 *
 * For all queues of the link, also those of verbs devices, of others, and of consumers in the
 * kernel, now and later, except those that have a moderation of their own: CQ_MODERATE. What is
 * held makes an event when this changes. Needs CAP_NET_ADMIN.
 *
 * Errors: -EPERM, -ENOENT (no such link), -EINVAL (out of range, or one of both is 0).
 */
struct xroce_link_moderate {
	__u32 size;
	__u32 flags;
	__u32 link;
	__u32 count;
	__u32 usec;
	__u32 reserved;
};

/**
 * struct xroce_pd_add - PD_ADD: allocate a protection domain (IBTA 11.2.1.5)
 * @size: sizeof(struct xroce_pd_add)
 * @flags: XROCE_F_PERSISTENT
 * @pd: out: its number on this link, from 1
 * @reserved: 0
 *
 * Errors: -EPERM (XROCE_F_PERSISTENT without CAP_NET_ADMIN), -ENOSPC (no number is free),
 * -ENOMEM.
 */
struct xroce_pd_add {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 reserved;
};

/**
 * struct xroce_pd_del - PD_DEL: deallocate a protection domain (IBTA 11.2.1.6)
 * @size: sizeof(struct xroce_pd_del)
 * @flags: 0
 * @pd: its number
 * @reserved: 0
 *
 * Errors: -ENOENT (no such domain), -EPERM (it belongs to another descriptor), -EBUSY (a queue
 * pair, region, window or shared receive queue is a member).
 */
struct xroce_pd_del {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 reserved;
};

/**
 * struct xroce_pd_query - PD_QUERY: query a protection domain
 * @size: sizeof(struct xroce_pd_query)
 * @flags: in: XROCE_F_NEXT; out: XROCE_F_PERSISTENT, XROCE_F_KERNEL
 * @pd: in, and with XROCE_F_NEXT out
 * @mrs: out: regions that are members
 * @qps: out: queue pairs that are members
 * @pid: out: process that made it, in the caller's pid namespace; 0: persistent
 *	or out of sight
 * @mws: out: windows that are members
 * @reserved: 0
 *
 * Without CAP_NET_ADMIN only the descriptor's own objects are visible, also to MR_QUERY,
 * MW_QUERY and QP_QUERY. Errors: -ENOENT (no such domain, or with XROCE_F_NEXT none follows).
 */
struct xroce_pd_query {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 mrs;
	__u32 qps;
	__u32 pid;
	__u32 mws;
	__u32 reserved;
};

/**
 * struct xroce_mr_reg - MR_REG: register a memory region (IBTA 11.2.8.1)
 * @size: sizeof(struct xroce_mr_reg)
 * @flags: XROCE_F_PERSISTENT; XROCE_F_PID
 * @pd: protection domain
 * @access: of XROCE_ACCESS_MR; remote write and remote atomic need local write
 * @addr: first byte, a virtual address of the caller, or of @pid; need not be aligned
 * @length: bytes, at least 1; or XROCE_LENGTH_ALL
 * @iova: address by which a peer names the first byte
 * @pid: 0; with XROCE_F_PID the process, in the caller's pid namespace, whose memory is
 *	registered. Needs CAP_SYS_PTRACE in the user namespace of that memory, and the right
 *	to open /proc/PID/mem for reading, for which the kernel makes the check of ptrace(2)
 *	and asks the security modules, Yama among them. -EPERM if that file is not in the
 *	caller's mount namespace, or not of its pid namespace. All of this is checked once,
 *	at registration
 * @mr: out: handle: the index of its entry in the memory protection table
 * @lkey: out: key for local access: handle << 8 | key byte
 * @rkey: out: key for remote access; 0 when @access has no remote right
 * @name: name, see XROCE_NAME_MAX; empty: none
 * @reserved: 0
 *
 * The pages are pinned and counted against RLIMIT_MEMLOCK. The handle is drawn at random
 * from the free ones, except those that were freed recently. The key byte is random and
 * differs from the last four of that handle. A key that has become invalid therefore stays
 * invalid for a long time (kmod/obj/key.h says how long).
 *
 * With XROCE_ACCESS_ON_DEMAND nothing is pinned, and nothing need be mapped: a page is
 * brought in when a peer accesses it, and the kernel may take it away again. In the
 * meantime a requester may get an RNR NAK. An access to memory that is not mapped, or whose
 * mapping does not permit it, is a remote access error, and so is any access after the
 * process has ended. Only the translation table counts against RLIMIT_MEMLOCK: 8 bytes per
 * page. Memory that the kernel itself does not map cannot be reached. If there is no memory
 * for a page for a second, the result is a remote operational error.
 *
 * With XROCE_ACCESS_ON_DEMAND, 0 for @addr and @iova and XROCE_LENGTH_ALL for @length, the
 * region is a whole address space, as for ibv_reg_mr() with NULL and SIZE_MAX: a peer names
 * a byte by its virtual address. Such a region has no table. Each 64 pages of which at least
 * one is resident take about 700 bytes of kernel memory, charged to the control group of
 * the process.
 *
 * What counts against RLIMIT_MEMLOCK counts for the process whose memory it is, and for the one
 * that has opened the device, if that is another one: memory stays pinned until the device is
 * closed, even if a process that has inherited it, and has registered memory, ends. Both must
 * be within the caller's limit, unless the caller has CAP_IPC_LOCK; then only the first counts.
 *
 * Errors: -ENOENT (no such PD), -EPERM, -EINVAL (rights, length 0, range that wraps, name),
 * -EEXIST (the name), -EFAULT (not mapped, or not writable although local write is
 * requested), -ENOMEM (memory, or RLIMIT_MEMLOCK), -ENOSPC (no free entry in the memory
 * protection table, of which an eighth is for CAP_NET_ADMIN, or the pool of translation
 * tables has reached its limit), -E2BIG (more pages than that limit allows), -ESRCH (no
 * such process), -EOPNOTSUPP (memory that cannot be pinned for long).
 */
struct xroce_mr_reg {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 access;
	__aligned_u64 addr;
	__aligned_u64 length;
	__aligned_u64 iova;
	__u32 pid;
	__u32 mr;
	__u32 lkey;
	__u32 rkey;
	char name[XROCE_NAME_MAX];
	__u32 reserved[2];
};

#define XROCE_LENGTH_ALL	(~0ull)	/* a whole address space, as SIZE_MAX */

/**
 * struct xroce_mr_reg_phys - MR_REG_PHYS: register a physical memory region
 * @size: sizeof(struct xroce_mr_reg_phys)
 * @flags: XROCE_F_PERSISTENT
 * @pd: protection domain
 * @access: XROCE_ACCESS_*, as for MR_REG, without XROCE_ACCESS_ON_DEMAND
 * @pages: user address of an array of __u64: physical addresses of the pages in the order
 *	of the region; multiples of the page size. A page may occur more than once
 * @npages: number of pages, 1 to XROCE_PHYS_PAGES_MAX
 * @page_shift: log2 of the page size in bytes: from that of the CPU's small pages to 30
 * @offset: of the region's first byte in the first page; less than a page
 * @length: bytes, at least 1; the last one is in the last page
 * @iova: address by which a peer names the first byte
 * @mr: out: as for MR_REG
 * @lkey: out: as for MR_REG
 * @rkey: out: as for MR_REG
 * @reserved: 0
 * @name: name, see XROCE_NAME_MAX; empty: none
 *
 * Needs CAP_SYS_RAWIO. Every byte of each page must be memory that programs use: anonymous,
 * of tmpfs or of hugetlbfs. Free memory and memory of the kernel, of other file systems and
 * of devices is refused. The region holds a reference to each page, so that the page is not
 * reused as long as the region lives. The pages do not count against RLIMIT_MEMLOCK. They
 * need not stay mapped: after a copy on write the region still has the page named here.
 *
 * Errors: -ENOENT (no such PD), -EPERM, -EINVAL (rights, page size, a page that is not
 * aligned, a length or offset that does not fit the list, an @iova that wraps, name),
 * -EEXIST (the name), -EFAULT (@pages, or a page that may not be registered), -EOPNOTSUPP
 * (memory that must stay movable), -E2BIG (too many pages), -ENOMEM, -ENOSPC (as for
 * MR_REG), -EINTR.
 */
struct xroce_mr_reg_phys {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 access;
	__aligned_u64 pages;
	__u32 npages;
	__u32 page_shift;
	__aligned_u64 offset;
	__aligned_u64 length;
	__aligned_u64 iova;
	__u32 mr;
	__u32 lkey;
	__u32 rkey;
	__u32 reserved;
	char name[XROCE_NAME_MAX];
};

#define XROCE_PHYS_PAGES_MAX	(1u << 19)	/* pages of a physical region */

/**
 * struct xroce_mr_reg_shared - MR_REG_SHARED: register a region over the memory
 *	of another one
 * @size: sizeof(struct xroce_mr_reg_shared)
 * @flags: XROCE_F_PERSISTENT
 * @from: handle of the other region: one of this descriptor's or, with
 *	CAP_NET_ADMIN, a persistent one
 * @pd: protection domain
 * @access: XROCE_ACCESS_*, as for MR_REG; local write only if the region that pinned the
 *	pages had this right; XROCE_ACCESS_ON_DEMAND as the other region
 * @mr: out: as for MR_REG
 * @iova: address by which a peer names the first byte; it need not have the
 *	other region's offset in a page; over an address space it is 0
 * @length: out: bytes: those of the other region
 * @lkey: out: as for MR_REG
 * @rkey: out: as for MR_REG
 * @name: name, see XROCE_NAME_MAX; empty: none
 *
 * Both regions have one translation table. The pages are pinned and counted once, until the
 * last of the regions is deregistered or changed to other memory. Otherwise neither region
 * depends on the other.
 *
 * Errors: -ENOENT (no such region or PD), -EPERM, -EINVAL (rights, an @iova that
 * wraps, name), -EEXIST (the name), -EACCES (local write to pages not pinned for it),
 * -ENOMEM, -ENOSPC.
 */
struct xroce_mr_reg_shared {
	__u32 size;
	__u32 flags;
	__u32 from;
	__u32 pd;
	__u32 access;
	__u32 mr;
	__aligned_u64 iova;
	__aligned_u64 length;
	__u32 lkey;
	__u32 rkey;
	char name[XROCE_NAME_MAX];
};

/* struct xroce_mr_rereg::mask; the values of enum ibv_rereg_mr_flags */
#define XROCE_REREG_TRANSLATION		(1u << 0)	/* memory, length and iova */
#define XROCE_REREG_PD			(1u << 1)	/* protection domain */
#define XROCE_REREG_ACCESS		(1u << 2)	/* rights */

/**
 * struct xroce_mr_rereg - MR_REREG: change a region in place
 * @size: sizeof(struct xroce_mr_rereg)
 * @flags: with XROCE_REREG_TRANSLATION: XROCE_F_PID: @addr is in @pid;
 *	XROCE_F_PHYS: the region becomes, or stays, a physical one
 * @mr: its handle, which stays
 * @mask: XROCE_REREG_*: the properties that change, in any combination
 * @pd: XROCE_REREG_PD: protection domain
 * @access: XROCE_REREG_ACCESS: XROCE_ACCESS_*
 * @addr: XROCE_REREG_TRANSLATION without XROCE_F_PHYS: as for MR_REG
 * @length: XROCE_REREG_TRANSLATION: bytes
 * @iova: XROCE_REREG_TRANSLATION: address by which a peer names the first byte
 * @pages: with XROCE_F_PHYS: as for MR_REG_PHYS, and so are the next three
 * @offset: with XROCE_F_PHYS
 * @npages: with XROCE_F_PHYS
 * @page_shift: with XROCE_F_PHYS
 * @pid: with XROCE_F_PID
 * @lkey: out: key from now on
 * @rkey: out: likewise; 0 without a remote right
 * @reserved: 0
 *
 * Fields that @mask and @flags do not select are ignored. A virtual region may become a
 * physical one and vice versa. XROCE_ACCESS_ON_DEMAND can change only together with
 * XROCE_REREG_TRANSLATION. The region keeps its handle, name, owner and counters.
 *
 * Every change gives the region a new key byte, which differs from the last four. A request
 * for the old region is refused and never executed on the new one: each packet sees either
 * the old region or the new one. When the command returns, no access with the old key is
 * under way and none can start.
 *
 * A change that fails leaves the region as it was, keys included. During the change the
 * pages of both the old and the new memory count against RLIMIT_MEMLOCK. If a region over
 * pages pinned for reading gains local write without XROCE_REREG_TRANSLATION, its address
 * range is pinned again; the errors are then those of MR_REG. If other regions share its
 * table, only this region gets a new one.
 *
 * Errors: those of MR_REG and MR_REG_PHYS; -ENOENT (no such region or PD), -EINVAL (also:
 * nothing to change, unknown @mask), -EBUSY (another thread has changed the region in the
 * meantime, or a window is bound to it), -EEXIST (a region of the new PD has its name).
 */
struct xroce_mr_rereg {
	__u32 size;
	__u32 flags;
	__u32 mr;
	__u32 mask;
	__u32 pd;
	__u32 access;
	__aligned_u64 addr;
	__aligned_u64 length;
	__aligned_u64 iova;
	__aligned_u64 pages;
	__aligned_u64 offset;
	__u32 npages;
	__u32 page_shift;
	__u32 pid;
	__u32 lkey;
	__u32 rkey;
	__u32 reserved;
};

/* Expected access of peers; the values are those of enum ibv_advise_mr_advice. */
enum xroce_advice {
	XROCE_ADVISE_PREFETCH		= 0,	/* read */
	XROCE_ADVISE_PREFETCH_WRITE	= 1,	/* read and write */
	XROCE_ADVISE_PREFETCH_NO_FAULT	= 2,	/* only pages in memory already */
};

/**
 * struct xroce_mr_advise - MR_ADVISE: bring in a part of an on-demand region
 * @size: sizeof(struct xroce_mr_advise)
 * @flags: 0
 * @mr: handle of a region with XROCE_ACCESS_ON_DEMAND
 * @advice: enum xroce_advice
 * @iova: first byte, as a peer names it
 * @length: bytes, at least 1
 * @pages: out: pages that are present now for the advised access
 *
 * Returns when the pages have been brought in, or when the process is killed. The kernel
 * may take the pages away again at any time. Memory that is not mapped, or not writable if
 * writing is advised, is skipped; this is no error.
 *
 * Errors: -ENOENT (no such region), -EPERM (it belongs to another descriptor), -EINVAL (advice,
 * length 0), -ERANGE (not inside the region), -EACCES (writing is advised for a region without
 * local write), -EOPNOTSUPP (not an on-demand region), -ESRCH (its process has ended), -ENOMEM.
 */
struct xroce_mr_advise {
	__u32 size;
	__u32 flags;
	__u32 mr;
	__u32 advice;
	__aligned_u64 iova;
	__aligned_u64 length;
	__aligned_u64 pages;
};

/**
 * struct xroce_mr_dereg - MR_DEREG: deregister a region (IBTA 11.2.8.6)
 * @size: sizeof(struct xroce_mr_dereg)
 * @flags: 0
 * @mr: its handle
 * @reserved: 0
 *
 * When the command returns, no access to the pages is under way and none can start. The
 * caller may free the memory before, but the region keeps the pages, and peers then reach
 * pages that the program does not have any more.
 *
 * Errors: -ENOENT (no such region), -EPERM (it belongs to another descriptor), -EBUSY (a window
 * is bound to the region).
 */
struct xroce_mr_dereg {
	__u32 size;
	__u32 flags;
	__u32 mr;
	__u32 reserved;
};

#define XROCE_FILE_MAX		128	/* bytes of struct xroce_mr_query::file, with the NUL */

/**
 * struct xroce_mr_query - MR_QUERY: query a region (IBTA 11.2.8.3)
 * @size: sizeof(struct xroce_mr_query)
 * @flags: in: XROCE_F_NEXT; out: XROCE_F_PERSISTENT, XROCE_F_PID, XROCE_F_PHYS,
 *	XROCE_F_KERNEL
 * @mr: in, and with XROCE_F_NEXT out
 * @pd: out: its protection domain
 * @access: out: XROCE_ACCESS_*
 * @lkey: out: key for local access
 * @rkey: out: 0 without a remote right
 * @iova: out: address by which a peer names the first byte
 * @length: out: bytes
 * @addr: out: virtual address at registration; 0: a physical region
 * @pages: out: entries of the translation table; 0: an address space has none
 * @page_shift: out: log2 of the bytes that an entry covers
 * @offset: out: of the first byte in the first page
 * @pid: out: process whose memory it is, in the caller's pid namespace; 0: not visible
 *	there, or a physical region
 * @sharers: out: regions that have this translation table, including this one
 * @name: out: its name; empty: none
 * @odp_resident: out: pages that are present now. This and the following fields are for
 *	regions with XROCE_ACCESS_ON_DEMAND only; counters start when the memory is
 *	registered
 * @odp_faults: out: faults that brought in missing pages
 * @odp_failed: out: faults that failed
 * @odp_pages: out: pages brought in, including pages ahead of an access
 * @odp_invalidated: out: entries that the kernel has invalidated
 * @odp_prefetched: out: pages that MR_ADVISE brought in or found present
 * @odp_children: out: parts of the memory: 1; of an address space one for each 64 pages of
 *	which at least one is present
 * @odp_bytes: out: bytes of kernel memory that the parts and their entries take
 * @file: out: of a persistent, pinned region over a file: its path at registration, as the
 *	process that registered it saw it; the last XROCE_FILE_MAX - 1 bytes of it; empty: no
 *	file, or not known
 *
 * Errors: -ENOENT (no such region, or with XROCE_F_NEXT none follows).
 */
struct xroce_mr_query {
	__u32 size;
	__u32 flags;
	__u32 mr;
	__u32 pd;
	__u32 access;
	__u32 lkey;
	__u32 rkey;
	__u32 pid;
	__aligned_u64 iova;
	__aligned_u64 length;
	__aligned_u64 addr;
	__aligned_u64 pages;
	__aligned_u64 offset;
	__u32 page_shift;
	__u32 sharers;
	char name[XROCE_NAME_MAX];
	__aligned_u64 odp_resident;
	__aligned_u64 odp_faults;
	__aligned_u64 odp_failed;
	__aligned_u64 odp_pages;
	__aligned_u64 odp_invalidated;
	__aligned_u64 odp_prefetched;
	__aligned_u64 odp_children;
	__aligned_u64 odp_bytes;
	char file[XROCE_FILE_MAX];
};

/* Types of memory windows (IBTA 10.6.7.2). */
enum xroce_mw_type {
	XROCE_MW_TYPE_1 = 1,	/* any queue pair of its domain */
	XROCE_MW_TYPE_2A,	/* one queue pair */
	XROCE_MW_TYPE_2B,	/* one queue pair, and its domain */
};

/**
 * struct xroce_mw_add - MW_ADD: allocate a memory window (IBTA 11.2.8.8)
 * @size: sizeof(struct xroce_mw_add)
 * @flags: XROCE_F_PERSISTENT
 * @pd: protection domain
 * @type: enum xroce_mw_type
 * @mw: out: handle: the index of its entry in the memory protection table
 * @rkey: out: its key: handle << 8 | key byte; it gives access to nothing yet
 * @reserved: 0
 *
 * It is bound to nothing. Errors: -ENOENT (no such PD), -EPERM, -EINVAL (type),
 * -ENOSPC (no free entry in the memory protection table, of which an eighth is for
 * CAP_NET_ADMIN), -ENOMEM.
 */
struct xroce_mw_add {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 type;
	__u32 mw;
	__u32 rkey;
	__u32 reserved[2];
};

/**
 * struct xroce_mw_del - MW_DEL: deallocate a memory window (IBTA 11.2.8.11)
 * @size: sizeof(struct xroce_mw_del)
 * @flags: 0
 * @mw: its handle
 * @reserved: 0
 *
 * A bound window is unbound. When the command returns, no access through the window is
 * under way and none can start. Errors: -ENOENT (no such window), -EPERM (it belongs to another
 * descriptor).
 */
struct xroce_mw_del {
	__u32 size;
	__u32 flags;
	__u32 mw;
	__u32 reserved;
};

/**
 * struct xroce_mw_query - MW_QUERY: query a memory window (IBTA 11.2.8.9)
 * @size: sizeof(struct xroce_mw_query)
 * @flags: in: XROCE_F_NEXT; out: XROCE_F_PERSISTENT, XROCE_F_KERNEL
 * @mw: in, and with XROCE_F_NEXT out
 * @pd: out: its protection domain
 * @type: out: enum xroce_mw_type
 * @bound: out: 1: it is bound, and the following fields are valid; 0: it gives no access
 * @rkey: out: its key
 * @mr: out: handle of the region that it is bound to
 * @access: out: XROCE_ACCESS_REMOTE_* and XROCE_ACCESS_FLUSH_GLOBAL
 * @qpn: out: type 2: queue pair that it belongs to
 * @addr: out: address of the first byte
 * @length: out: bytes
 * @pid: out: process that made it, in the caller's pid namespace; 0: persistent
 *	or out of sight
 * @reserved: 0
 *
 * Errors: -ENOENT (no such window, or with XROCE_F_NEXT none follows), -EINVAL.
 */
struct xroce_mw_query {
	__u32 size;
	__u32 flags;
	__u32 mw;
	__u32 pd;
	__u32 type;
	__u32 bound;
	__u32 rkey;
	__u32 mr;
	__u32 access;
	__u32 qpn;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 pid;
	__u32 reserved;
};

/**
 * struct xroce_mw_bind - MW_BIND: bind a window at once (IBTA 11.4.1.1, 10.6.7.2)
 * @size: sizeof(struct xroce_mw_bind)
 * @flags: 0
 * @mw: the window's handle
 * @qpn: queue pair in RTS or SQD, reliable or unreliable connected; a type 2 window then
 *	belongs to it
 * @rkey: in: type 2: its new key, with any key byte; type 1: 0. out: the window's key
 * @lkey: of a region registered with XROCE_ACCESS_MW_BIND
 * @addr: first byte, in the region's addresses
 * @length: bytes; 0: type 1 is unbound, type 2 is refused
 * @access: rights of the window, independent of the remote rights of the region:
 *	XROCE_ACCESS_REMOTE_* and XROCE_ACCESS_FLUSH_GLOBAL; remote write and remote atomic
 *	need the region's local write
 * @reserved: 0
 *
 * Window, region and queue pair must belong to one protection domain. A type 1 window gets
 * a new key with each bind, and its old key becomes void. A type 2 window must be unbound.
 * BIND_MW and LOCAL_INV at the head of the queue pair's send queue are executed first. On failure
 * the window is as it was.
 *
 * Errors: -ENOENT (no such window, queue pair or region, or a region that the caller does
 * not see and may not bind to), -EPERM, -EXDEV (protection domains differ), -EBUSY (type 2
 * is bound), -EACCES (the region lacks window binding or local write), -ERANGE (outside the
 * region), -EOPNOTSUPP (queue pair of another type), -ENOTCONN (its state), -EINVAL.
 */
struct xroce_mw_bind {
	__u32 size;
	__u32 flags;
	__u32 mw;
	__u32 qpn;
	__u32 rkey;
	__u32 lkey;
	__aligned_u64 addr;
	__aligned_u64 length;
	__u32 access;
	__u32 reserved;
};

/**
 * struct xroce_mw_inval - MW_INVAL: invalidate a window's key at once (11.4.1.1)
 * @size: sizeof(struct xroce_mw_inval)
 * @flags: 0
 * @rkey: key of a bound window of type 2
 * @qpn: queue pair that the window belongs to, in RTS or SQD
 *
 * The window stays and can be bound again. BIND_MW and LOCAL_INV at the head of the queue pair's
 * send queue are executed first.
 *
 * Errors: -ENOENT (no such window or queue pair, or another key), -EPERM, -EOPNOTSUPP
 * (type 1), -EINVAL (not bound), -EXDEV (belongs to another queue pair), -ENOTCONN (the
 * queue pair's state).
 */
struct xroce_mw_inval {
	__u32 size;
	__u32 flags;
	__u32 rkey;
	__u32 qpn;
};

#define XROCE_MTT_MAP		64	/* parts of the map of the pool */

/**
 * struct xroce_mtt_query - MTT_QUERY: query the pool of translation tables
 * @size: sizeof(struct xroce_mtt_query)
 * @flags: 0
 * @entries: out: size of the pool in entries of 8 bytes; a multiple of 524,288, which is
 *	the size of an extent
 * @used: out: entries of tables
 * @tables: out: runs in use: one per table, or one per extent of a table that is longer
 *	than an extent
 * @free_extents: out: free runs
 * @largest: out: the longest free run
 * @scattered: out: free entries that are not in the longest free run of their
 *	extent; 0: nothing is fragmented
 * @reserved: out: entries reserved when the module was loaded (module parameter mtt_reserve),
 *	which is the size of the pool without tables
 * @limit: out: maximum size in entries (module parameter mtt_limit)
 * @map: out: for each 64th of the pool, percent in use; 0: nothing at all; 100: everything
 *
 * The pool belongs to the module and serves all links; no link need be chosen. Needs
 * CAP_NET_ADMIN. Errors: -EPERM.
 */
struct xroce_mtt_query {
	__u32 size;
	__u32 flags;
	__aligned_u64 entries;
	__aligned_u64 used;
	__aligned_u64 tables;
	__aligned_u64 free_extents;
	__aligned_u64 largest;
	__aligned_u64 scattered;
	__aligned_u64 reserved;
	__aligned_u64 limit;
	__u8 map[XROCE_MTT_MAP];
};

#define XROCE_MTT_READ_MAX	512	/* entries at a time */

/**
 * struct xroce_mtt_read - MTT_READ: read a region's translation table
 * @size: sizeof(struct xroce_mtt_read)
 * @flags: 0
 * @mr: the region's handle
 * @count: in: size of @to in entries, 1 to XROCE_MTT_READ_MAX; out: entries read, fewer
 *	only at the end of the table
 * @first: number of the first entry to read
 * @to: address of an array of __u64 for physical addresses
 *
 * Needs CAP_SYS_ADMIN, as /proc/PID/pagemap does for the same numbers: physical addresses
 * help attacks. Errors: -EPERM, -ENOENT (no such region), -EINVAL (@count), -ERANGE
 * (@first is behind the end), -ENOMEM.
 */
struct xroce_mtt_read {
	__u32 size;
	__u32 flags;
	__u32 mr;
	__u32 count;
	__aligned_u64 first;
	__aligned_u64 to;
};

/**
 * struct xroce_qp_add - QP_ADD: create a queue pair (IBTA 11.2.4.1)
 * @size: sizeof(struct xroce_qp_add)
 * @flags: XROCE_F_PERSISTENT
 * @pd: protection domain
 * @type: enum xroce_qp_type
 * @qpn: out: its number; 0x800000 to 0xfffffe
 * @reserved: 0
 * @recv_cq: completion queue of its receive queue; 0: it has no receive queue, and a
 *	message that needs a receive work request is never accepted
 * @srq: shared receive queue of the same protection domain; 0: its own receive queue
 * @rq_entries: own receive queue: entries, a power of two up to XROCE_RQ_MAX; otherwise 0
 * @rq_max_sge: own receive queue: elements per work request, 1 to XROCE_RQ_SGE_MAX; otherwise 0
 * @rq_offset: out: own receive queue: offset for mmap(2)
 * @rq_bytes: out: own receive queue: length for mmap(2)
 * @send_cq: completion queue of its send queue; 0: it has no send queue
 * @send_entries: send queue, of RC and UC: entries, a power of two from XROCE_SEND_MIN to
 *	XROCE_SEND_MAX; 0: none, and the following fields are 0
 * @send_max_sge: send queue: elements per work request, 0 to XROCE_SEND_SGE_MAX
 * @send_max_inline: send queue: bytes of a message that an entry can contain, 0 to
 *	XROCE_SEND_INLINE_MAX
 * @send_offset: out: send queue: offset for mmap(2)
 * @send_bytes: out: send queue: length for mmap(2)
 * @send_stride: out: send queue: bytes from an entry to the next one
 * @reserved2: 0
 *
 * The queue pair starts in state RESET. Queues belong to descriptors; a persistent queue
 * pair has none. A queue must be of the same descriptor.
 *
 * Errors: -ENOENT (no such PD, CQ or SRQ), -EPERM, -EINVAL (sizes of queues, @srq without
 * @recv_cq or of another protection domain, @send_cq without a send queue or the reverse),
 * -EOPNOTSUPP (type, or a send queue for it), -ENOSPC (the table of queue pairs is full),
 * -ENOMEM.
 */
struct xroce_qp_add {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 type;
	__u32 qpn;
	__u32 reserved;
	__u32 recv_cq;
	__u32 srq;
	__u32 rq_entries;
	__u32 rq_max_sge;
	__aligned_u64 rq_offset;
	__aligned_u64 rq_bytes;
	__u32 send_cq;
	__u32 send_entries;
	__u32 send_max_sge;
	__u32 send_max_inline;
	__aligned_u64 send_offset;
	__aligned_u64 send_bytes;
	__u32 send_stride;
	__u32 reserved2;
};

/* struct xroce_qp_modify::mask: each bit says that the field of its name is given. */
#define XROCE_QP_STATE			(1u << 0)	/* without it the state stays */
#define XROCE_QP_ACCESS			(1u << 1)
#define XROCE_QP_PKEY			(1u << 2)
#define XROCE_QP_AV			(1u << 3)	/* sgid, dgid, sport, tos, ttl */
#define XROCE_QP_PATH_MTU		(1u << 4)
#define XROCE_QP_DEST_QPN		(1u << 5)
#define XROCE_QP_RQ_PSN			(1u << 6)
#define XROCE_QP_MIN_RNR_TIMER		(1u << 7)
#define XROCE_QP_MAX_DEST_RD_ATOMIC	(1u << 8)
#define XROCE_QP_QKEY			(1u << 9)
#define XROCE_QP_SQ_PSN			(1u << 10)
#define XROCE_QP_TIMEOUT		(1u << 11)
#define XROCE_QP_RETRY_CNT		(1u << 12)
#define XROCE_QP_RNR_RETRY		(1u << 13)
#define XROCE_QP_MAX_RD_ATOMIC		(1u << 14)
#define XROCE_QP_DMAC			(1u << 15)	/* dmac, vlan_tci */

/**
 * struct xroce_qp_modify - QP_MODIFY: change state or attributes (11.2.4.2)
 * @size: sizeof(struct xroce_qp_modify)
 * @flags: 0
 * @qpn: its number
 * @mask: XROCE_QP_*: which of the fields below are given
 * @state: enum xroce_qp_state
 * @access: of XROCE_ACCESS_REMOTE: rights of the peer; region or window restrict them
 * @pkey: partition key, 16 bits, of which the low 15 are not 0; 0xffff is the default partition
 * @path_mtu: enum xroce_mtu
 * @dest_qpn: the peer's queue pair number, 24 bits
 * @rq_psn: packet sequence number expected first, 24 bits
 * @min_rnr_timer: code of the RNR NAK timer, 0 to 31 (IBTA 9.7.5.2.8)
 * @max_dest_rd_atomic: READs and atomics kept for replay, 0 to 128
 * @sport: UDP source port of responses and requests, 0xc000 to 0xffff; 0: made from the QPNs
 * @tos: IPv4 type of service or IPv6 traffic class of responses and requests. The low two
 *	bits (ECN) must not be 3, which only switches set, and should be 0, because marks on
 *	READ responses and requests have no effect
 * @ttl: hop limit of responses and requests; 0: 64
 * @sgid: own address, of a single host; IPv4 as ::ffff:a.b.c.d. It must be an address of the
 *	link's network device, of its bridge or bond, or of a VLAN device on top of these (and of
 *	its bridge), in the network namespace of the device; once @dmac is given, of one that has
 *	the VLAN of @vlan_tci. With CAP_NET_ADMIN or CAP_NET_RAW in the user namespace that owns
 *	this network namespace it can be any
 * @dgid: peer's address, of the same family; for datagrams ::
 * @reserved: 0
 * @qkey: queue key that datagrams must carry
 * @sq_psn: packet sequence number of the first request, 24 bits
 * @timeout: code of the local ACK timeout, 0 to 31: 4.096 microseconds times 2 to its power;
 *	0: none
 * @retry_cnt: times that requests are sent again without progress, 0 to 7
 * @rnr_retry: likewise after RNR NAKs; 7: without end
 * @max_rd_atomic: READs and atomics that may be outstanding, 0 to 128; with 0 none can be posted
 * @dmac: Ethernet address of the peer or of the next hop, unicast. If it is what the kernel's
 *	routes and neighbours say, it changes with them; another one is kept
 * @vlan_tci: VLAN of requests: its number, 1 to 4094, in the low 12 bits, and the priority in
 *	the high 3 bits; 0: no tag
 * @reserved2: 0
 *
 * Attributes by transition (required / optional), reliable connected:
 *
 * * RESET to INIT: pkey, access
 * * INIT to INIT: / access, pkey
 * * INIT to RTR: av, path_mtu, dest_qpn, rq_psn, min_rnr_timer,
 *   max_dest_rd_atomic / access, pkey
 * * RTR to RTS: / access, min_rnr_timer
 * * RTS to RTS: / access, min_rnr_timer
 * * RTS to SQD: nothing else
 * * SQD to RTS: / access, min_rnr_timer
 * * SQD to SQD: / av, access, pkey, min_rnr_timer
 * * any to RESET, any to ERR: nothing else
 *
 * Unreliable connected: the same without min_rnr_timer and max_dest_rd_atomic.
 *
 * With a send queue, RTR to RTS also requires sq_psn, timeout, retry_cnt, rnr_retry,
 * max_rd_atomic and dmac, and SQD to RTS and SQD to SQD take all of these but sq_psn; UC has only
 * sq_psn and dmac. INIT to RTR takes dmac, too, which then need not be given at RTS: responses go
 * to it from the beginning. RTS to SQD begins no further message; XROCE_EVENT_SQ_DRAINED follows
 * once no request is outstanding.
 *
 * In SQD requests of the peer are answered as in RTS.
 *
 * Datagrams:
 *
 * * RESET to INIT: pkey, qkey
 * * INIT to INIT: / pkey, qkey
 * * INIT to RTR: av / pkey, qkey. Of av only sgid is given, and sport, tos and ttl are 0:
 *   datagrams to another address are not received
 * * RTR to RTS, RTS to RTS, SQD to RTS: / qkey
 * * RTS to SQD: nothing else
 * * SQD to SQD: / pkey, qkey
 *
 * The transition to ERR completes posted work requests with XROCE_WC_WR_FLUSH_ERR, except those
 * of a shared receive queue; the transition to RESET discards them. Fields that @mask does not
 * select are ignored. On failure nothing has changed.
 *
 * Errors: -ENOENT (no such queue pair), -EPERM (it belongs to another descriptor), -EINVAL
 * (transition, attribute missing, not allowed or out of range), -EADDRNOTAVAIL (the network device
 * does not have the own address, or not in this VLAN), -EADDRINUSE (a queue pair of another
 * descriptor, verbs program or the kernel is connected with this peer: @dgid and @dest_qpn, on any
 * link of the network namespace; with one of the two capabilities that one moves to ERR instead,
 * unless it was connected with them, too), -ENOMEM, -EBUSY (a packet has held the
 * queue pair for too long; not to ERR, which is entered after two seconds even so).
 */
struct xroce_qp_modify {
	__u32 size;
	__u32 flags;
	__u32 qpn;
	__u32 mask;
	__u32 state;
	__u32 access;
	__u32 pkey;
	__u32 path_mtu;
	__u32 dest_qpn;
	__u32 rq_psn;
	__u32 min_rnr_timer;
	__u32 max_dest_rd_atomic;
	__u16 sport;
	__u8 tos;
	__u8 ttl;
	__u32 reserved;
	__u8 sgid[16];
	__u8 dgid[16];
	__u32 qkey;
	__u32 sq_psn;
	__u8 timeout;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 max_rd_atomic;
	__u8 dmac[6];
	__u16 vlan_tci;
	__u32 reserved2;
};

/* "whence" of lseek(2) on the device: see struct xroce_qp_send. */
#define XROCE_SEEK_SEND	0

/**
 * struct xroce_qp_send - QP_SEND: execute what is posted to a queue pair's send queue
 * @size: sizeof(struct xroce_qp_send)
 * @flags: 0
 * @qpn: its number
 * @reserved: 0
 *
 * The work requests posted before the call are copied and executed in order: those for which
 * there is room on the wire before it returns, the others as responses arrive.
 *
 * Errors: -ENOENT (the descriptor has no such queue pair, or it has no send queue), -EINVAL (the
 * queue pair is in RESET, INIT or RTR: what is posted is discarded; or the tail in the header is
 * impossible: nothing is executed).
 *
 * lseek(2) on the device does the same for fewer instructions: the offset is @qpn, "whence" is
 * XROCE_SEEK_SEND, that of SEEK_SET, and the result is 0. The errors are the same, and those of
 * any command: -ENOTCONN (no LINK_USE), -EINVAL (another "whence").
 */
struct xroce_qp_send {
	__u32 size;
	__u32 flags;
	__u32 qpn;
	__u32 reserved;
};

/**
 * struct xroce_qp_del - QP_DEL: destroy a queue pair (IBTA 11.2.4.4)
 * @size: sizeof(struct xroce_qp_del)
 * @flags: 0
 * @qpn: its number
 * @reserved: 0
 *
 * BIND_MW and LOCAL_INV at the head of its send queue are executed first; everything else that is
 * posted is discarded. Bound windows of type 2B are unbound.
 *
 * Errors: -ENOENT (no such queue pair), -EPERM (it belongs to another descriptor), -EBUSY (a
 * window of type 2A is bound to it).
 */
struct xroce_qp_del {
	__u32 size;
	__u32 flags;
	__u32 qpn;
	__u32 reserved;
};

/**
 * struct xroce_qp_query - QP_QUERY: query a queue pair (IBTA 11.2.4.3)
 * @size: sizeof(struct xroce_qp_query)
 * @flags: in: XROCE_F_NEXT; out: XROCE_F_PERSISTENT, XROCE_F_KERNEL
 * @qpn: in, and with XROCE_F_NEXT out. XROCE_F_NEXT follows the order of the queue pair
 *	table, in which the position is qpn % qp_entries
 * @pd: out: its protection domain
 * @type: out: enum xroce_qp_type
 * @state: out: enum xroce_qp_state; ERR as soon as a packet caused it
 * @access: out: rights of the peer
 * @pkey: out: partition key
 * @path_mtu: out: enum xroce_mtu; 0: not set yet
 * @dest_qpn: out: the peer's queue pair number
 * @rq_psn: out: packet sequence number expected next
 * @msn: out: message sequence number, 24 bits
 * @min_rnr_timer: out: code of the RNR NAK timer
 * @max_dest_rd_atomic: out: READs and atomics kept for replay
 * @sport: out: UDP source port of responses and requests
 * @tos: out: IPv4 type of service or IPv6 traffic class
 * @ttl: out: hop limit
 * @cause: out: enum xroce_cause that moved it to ERR, or 0. Without CAP_NET_ADMIN
 *	XROCE_CAUSE_ACC_KEY stands for XROCE_CAUSE_ACC_PD and XROCE_CAUSE_ACC_QP, too
 * @sgid: out: own address
 * @dgid: out: the peer's address
 * @pid: out: process that made it, in the caller's pid namespace; 0: persistent
 *	or out of sight
 * @reserved: 0
 * @packets: out: requests accepted in order
 * @bytes: out: payload bytes written to regions
 * @duplicates: out: duplicate requests
 * @naks: out: negative acknowledgements sent, RNR among them
 * @recv_cq: out: completion queue, or 0
 * @srq: out: shared receive queue, or 0
 * @rq_entries: out: of its own receive queue
 * @rq_max_sge: out: of its own receive queue
 * @qkey: out: queue key
 * @send_cq: out: completion queue of its work requests, or 0
 * @tx: out: responses sent, by the XDP program in the frame of the request or by the
 *	module; of the latter, those that the device accepted
 * @tx_bytes: out: bytes of these frames, with all headers
 * @drops: out: packets dropped, by enum xroce_cause from XROCE_DROP_QKEY on;
 *	XROCE_DROP_TX: frames that the device did not accept
 * @req_packets: out: requester: request packets sent
 * @req_bytes: out: bytes of these with all headers
 * @req_retransmits: out: request packets that were sent before
 * @req_timeouts: out: local ACK timeouts
 * @req_rnr_naks: out: RNR NAKs received
 * @req_seq_naks: out: sequence NAKs received
 * @req_implied_naks: out: lost responses to READs and atomics that later responses have shown
 * @req_window: out: times that nothing was sent because the window was full
 * @req_responses: out: responses accepted
 * @req_response_bytes: out: payload bytes of READ responses accepted
 * @req_ignored: out: responses ignored: duplicates, and those out of sequence
 * @sq_entries: out: of its send queue; 0: it has none. The fields from here on are then 0
 * @sq_max_sge: out: elements in a work request
 * @sq_max_inline: out: bytes of inline data in a work request
 * @sq_pending: out: work requests that are posted and not completed
 * @sq_draining: out: 1: in SQD, and requests are still outstanding (IBTA 10.3.1); or 0
 * @sq_psn: out: packet sequence number of the next request, in RTS and SQD; otherwise as
 *	QP_MODIFY has set it
 * @timeout: out: as QP_MODIFY has set it, or 0, like the following ones
 * @retry_cnt: out
 * @rnr_retry: out
 * @max_rd_atomic: out
 * @dmac: out: Ethernet address of the peer or of the next hop. 0 for datagrams
 * @vlan_tci: out
 * @reserved2: 0
 * @sq_srtt: out: smoothed round-trip time in microseconds; 0: it is not known
 * @sq_window: out: packets that may be outstanding now; 0: it sends nothing
 * @sq_outstanding: out: packets that have been sent and have not arrived, as far as known
 * @sq_holes: out: packets that are missing while later ones have arrived
 * @req_probes: out: times that nothing was heard, and the oldest and last packet were sent again
 * @req_sacks: out: selective acknowledgements received
 * @req_cnps: out: congestion notifications received, and packets of responses that were marked
 * @cc_rate: out: bytes a second that congestion control allows; 0: as fast as @cc_window allows
 * @cc_window: out: packets that may be outstanding by what it says; 0: it is not on RC, or not in
 *	RTS or SQD. The other members of congestion control are then 0, too
 * @reserved3: 0
 * @cc: out: name of its algorithm
 * @read_rate: out: bytes a second at which READs of the peer are answered, since it sends
 *	congestion notifications, or answered again, since it asks for what comes late only;
 *	0: as fast as possible
 *
 * All counters are set to 0 when the state becomes RESET or RTR.
 *
 * Errors: -ENOENT (no such queue pair, or with XROCE_F_NEXT none follows), -EINVAL.
 */
struct xroce_qp_query {
	__u32 size;
	__u32 flags;
	__u32 qpn;
	__u32 pd;
	__u32 type;
	__u32 state;
	__u32 access;
	__u32 pkey;
	__u32 path_mtu;
	__u32 dest_qpn;
	__u32 rq_psn;
	__u32 msn;
	__u32 min_rnr_timer;
	__u32 max_dest_rd_atomic;
	__u16 sport;
	__u8 tos;
	__u8 ttl;
	__u32 cause;
	__u8 sgid[16];
	__u8 dgid[16];
	__u32 pid;
	__u32 reserved;
	__aligned_u64 packets;
	__aligned_u64 bytes;
	__aligned_u64 duplicates;
	__aligned_u64 naks;
	__u32 recv_cq;
	__u32 srq;
	__u32 rq_entries;
	__u32 rq_max_sge;
	__u32 qkey;
	__u32 send_cq;
	__aligned_u64 tx;
	__aligned_u64 tx_bytes;
	__aligned_u64 drops[16];
	__aligned_u64 req_packets;
	__aligned_u64 req_bytes;
	__aligned_u64 req_retransmits;
	__aligned_u64 req_timeouts;
	__aligned_u64 req_rnr_naks;
	__aligned_u64 req_seq_naks;
	__aligned_u64 req_implied_naks;
	__aligned_u64 req_window;
	__aligned_u64 req_responses;
	__aligned_u64 req_response_bytes;
	__aligned_u64 req_ignored;
	__u32 sq_entries;
	__u32 sq_max_sge;
	__u32 sq_max_inline;
	__u32 sq_pending;
	__u32 sq_draining;
	__u32 sq_psn;
	__u8 timeout;
	__u8 retry_cnt;
	__u8 rnr_retry;
	__u8 max_rd_atomic;
	__u8 dmac[6];
	__u16 vlan_tci;
	__u32 reserved2;
	__u32 sq_srtt;
	__u32 sq_window;
	__u32 sq_outstanding;
	__u32 sq_holes;
	__aligned_u64 req_probes;
	__aligned_u64 req_sacks;
	__aligned_u64 req_cnps;
	__aligned_u64 cc_rate;
	__u32 cc_window;
	__u32 reserved3;
	char cc[16];
	__aligned_u64 read_rate;
};

/**
 * struct xroce_qp_cc - QP_CC: change the algorithm of congestion control of a connection
 * @size: sizeof(struct xroce_qp_cc)
 * @flags: 0
 * @qpn: number of the queue pair
 * @reserved: 0
 * @name: name of the algorithm, see CC_QUERY
 *
 * The connection is on RC, in RTS or SQD; whether it is used by libxroce or through a verbs device
 * does not matter. A caller may change connections of the descriptor and of all processes of the
 * same user, with CAP_NET_ADMIN all. The next connection of the queue pair has that of the link
 * again.
 *
 * Errors: -ENOENT (no such queue pair, or another user's), -ESRCH (no such algorithm), -EINVAL (no
 * such connection, no name).
 */
struct xroce_qp_cc {
	__u32 size;
	__u32 flags;
	__u32 qpn;
	__u32 reserved;
	char name[16];
};

/**
 * struct xroce_cc_query - CC_QUERY: query an algorithm of congestion control
 * @size: sizeof(struct xroce_cc_query)
 * @flags: in: XROCE_F_NEXT; out: 0
 * @id: in, and with XROCE_F_NEXT out: its number
 * @cc_flags: out: XROCE_CC_* of xroce_cc.h
 * @name: out: its name
 * @bpf: out: 1: it is a BPF program; 0: it is built in
 * @bpf_link: out: number of its BPF link; 0: it has none
 * @connections: out: connections that use it
 * @links: out: links whose new connections use it
 * @standard: out: 1: it is that of the module parameter cc; or 0
 * @reserved: out: 0
 *
 * Needs no link. Errors: -ENOENT (no such algorithm, or with XROCE_F_NEXT none follows).
 */
struct xroce_cc_query {
	__u32 size;
	__u32 flags;
	__u32 id;
	__u32 cc_flags;
	char name[16];
	__u32 bpf;
	__u32 bpf_link;
	__u32 connections;
	__u32 links;
	__u32 standard;
	__u32 reserved;
};

/*
 * Rings. A queue is memory of the module that the program maps as a whole with mmap(2),
 * MAP_SHARED, at the offset that the command returned: XROCE_RING_HEADER bytes of header,
 * then the entries. Indices are free-running 32-bit numbers; the low bits of an index
 * select the entry. A side advances its index with release order after it has finished the
 * entries, and reads the other side's index with acquire order.
 *
 * The module trusts nothing that it reads there: wrong indices and entries harm the program
 * alone. Mapped memory outlives its queue. A mapping keeps the descriptor's objects alive
 * like another descriptor of the same file.
 */
#define XROCE_RING_HEADER	4096

#define XROCE_CQ_MIN		16	/* entries of a completion queue: fewest */
#define XROCE_CQ_MAX		1048576	/* and most: a ring of 64 MiB */
#define XROCE_RQ_MAX		16384	/* entries of a receive queue: most */
#define XROCE_RQ_SGE_MAX	16	/* elements of a receive work request: most */

/* struct xroce_cq_header::arm */
#define XROCE_CQ_ARM_NEXT	1u	/* the next completion */
#define XROCE_CQ_ARM_SOLICITED	2u	/* the next solicited or failed one */

/**
 * struct xroce_cq_header - header of a completion queue
 * @head: index of the next entry to take; written by the program
 * @arm: XROCE_CQ_ARM_*: written by the program; the module sets it to 0 when it wakes
 *	pollers of the descriptor
 * @reserved: 0
 * @tail: index of the next entry to be added; written by the module
 * @overflow: 1: the queue was full and a completion was lost; the queue is unusable
 * @reserved2: 0
 */
struct xroce_cq_header {
	__u32 head;
	__u32 arm;
	__u32 reserved[14];
	__u32 tail;
	__u32 overflow;
	__u32 reserved2[14];
};

/* How a work request ended; the values are those of enum ibv_wc_status. */
enum xroce_wc_status {
	XROCE_WC_SUCCESS	= 0,
	XROCE_WC_LOC_LEN_ERR	= 1,	/* a message, or packet of the MTU, is too long */
	XROCE_WC_LOC_QP_OP_ERR	= 2,	/* malformed */
	XROCE_WC_LOC_PROT_ERR	= 4,	/* key, domain, right or bounds */
	XROCE_WC_WR_FLUSH_ERR	= 5,	/* the queue pair is in error */
	XROCE_WC_MW_BIND_ERR	= 6,	/* bind or invalidate refused */
	XROCE_WC_BAD_RESP_ERR	= 7,	/* a response with a wrong length or opcode */
	XROCE_WC_REM_INV_REQ_ERR = 9,	/* the peer refused: invalid request */
	XROCE_WC_REM_ACCESS_ERR	= 10,	/* the peer refused: key, domain, right or bounds */
	XROCE_WC_REM_OP_ERR	= 11,	/* the peer could not complete it */
	XROCE_WC_RETRY_EXC_ERR	= 12,	/* no response, or only sequence NAKs */
	XROCE_WC_RNR_RETRY_EXC_ERR = 13, /* the peer had no receive work request for too long */
};

/* What it was; the values are those of enum ibv_wc_opcode. */
enum xroce_wc_opcode {
	XROCE_WC_SEND			= 0,
	XROCE_WC_RDMA_WRITE		= 1,
	XROCE_WC_RDMA_READ		= 2,
	XROCE_WC_COMP_SWAP		= 3,
	XROCE_WC_FETCH_ADD		= 4,
	XROCE_WC_BIND_MW		= 5,	/* bind of a window */
	XROCE_WC_LOCAL_INV		= 6,	/* invalidation of a key */
	XROCE_WC_FLUSH			= 8,
	XROCE_WC_ATOMIC_WRITE		= 9,
	XROCE_WC_RECV			= 128,	/* SEND received */
	XROCE_WC_RECV_RDMA_WITH_IMM	= 129,	/* WRITE with immediate data received */
};

/* The first three have the values of enum ibv_wc_flags. */
enum xroce_wc_flags {
	XROCE_WC_GRH		= 1 << 0,	/* 40 bytes of header first */
	XROCE_WC_WITH_IMM	= 1 << 1,	/* @imm_or_key is immediate data */
	XROCE_WC_WITH_INV	= 1 << 3,	/* @imm_or_key is an invalidated key */
	XROCE_WC_IPV6		= 1 << 8,	/* with GRH: it is a header of IPv6, not IPv4 */
	XROCE_WC_SOLICITED	= 1 << 16,	/* the sender asked for an event */
};

/**
 * struct xroce_cqe - completion of a work request
 * @wr_id: from the work request
 * @status: enum xroce_wc_status; if it is not 0, only @wr_id and @qpn are valid
 * @opcode: enum xroce_wc_opcode
 * @byte_len: bytes received or written
 * @imm_or_key: immediate data in network byte order, or the key that was invalidated, or
 *	the key that a window was bound with
 * @qpn: queue pair
 * @src_qpn: queue pair number of the sender
 * @flags: enum xroce_wc_flags
 * @pkey: partition key
 * @vlan_tci: of a datagram: its VLAN tag; 0: it had none
 * @reserved: 0
 * @timestamp: nanoseconds of CLOCK_MONOTONIC when it was made; only of queues of verbs devices that
 *	were made with timestamps, otherwise 0
 * @reserved2: 0
 */
struct xroce_cqe {
	__aligned_u64 wr_id;
	__u32 status;
	__u32 opcode;
	__u32 byte_len;
	__u32 imm_or_key;
	__u32 qpn;
	__u32 src_qpn;
	__u32 flags;
	__u32 pkey;
	__u32 vlan_tci;
	__u32 reserved;
	__aligned_u64 timestamp;
	__u32 reserved2[2];
};

/**
 * struct xroce_rq_header - header of a receive queue, shared or not
 * @tail: index of the next entry to post; written by the program
 * @reserved: 0
 * @head: index of the next entry to be taken; written by the module
 * @ended: 1: the queue pair has come to ERR: after having posted, a full memory barrier before it
 *	is read, the program has the work requests flushed by QP_SEND; written by the module
 * @reserved2: 0
 *
 * A work request that is posted to a queue pair in ERR is flushed by the next QP_SEND or, if the
 * completion queue is one of the descriptor's, poll(2); select(2) and EPOLL_CTL_MOD count as
 * poll(2), epoll_wait(2) does not.
 */
struct xroce_rq_header {
	__u32 tail;
	__u32 reserved[15];
	__u32 head;
	__u32 ended;
	__u32 reserved2[14];
};

/**
 * struct xroce_sge_local - element of a receive work request
 * @addr: address of the first byte, as in struct xroce_mr_reg::iova
 * @length: bytes; may be 0
 * @lkey: key of a region of the queue pair's domain with local write
 */
struct xroce_sge_local {
	__aligned_u64 addr;
	__u32 length;
	__u32 lkey;
};

/**
 * struct xroce_rq_wqe - work request of a receive queue
 * @wr_id: chosen by the program, returned in struct xroce_cqe
 * @num_sge: number of valid elements of @sge; may be 0
 * @reserved: 0
 * @sge: as many elements as the queue was made for, filled in order
 */
struct xroce_rq_wqe {
	__aligned_u64 wr_id;
	__u32 num_sge;
	__u32 reserved;
	struct xroce_sge_local sge[];
};

#define XROCE_SEND_MIN		2	/* entries of a queue pair's send queue: fewest */
#define XROCE_SEND_MAX		16384	/* and most */
#define XROCE_SEND_SGE_MAX	32	/* elements per work request */
#define XROCE_SEND_INLINE_MAX	512	/* bytes of a message in the work request itself */

/**
 * struct xroce_send_header - header of a queue pair's send queue
 * @tail: index of the next entry to post; written by the program
 * @reserved: 0
 * @head: index of the oldest entry whose work request is not complete; written by the module.
 *	The program may write to the entries before it
 * @reserved2: 0
 */
struct xroce_send_header {
	__u32 tail;
	__u32 reserved[15];
	__u32 head;
	__u32 reserved2[15];
};

/* struct xroce_send_wqe::opcode; the values are those of enum ibv_wr_opcode. */
enum xroce_wr_opcode {
	XROCE_WR_RDMA_WRITE		= 0,
	XROCE_WR_RDMA_WRITE_WITH_IMM	= 1,
	XROCE_WR_SEND			= 2,
	XROCE_WR_SEND_WITH_IMM		= 3,
	XROCE_WR_RDMA_READ		= 4,	/* RC, as all from here to FETCH_ADD */
	XROCE_WR_CMP_SWAP		= 5,
	XROCE_WR_FETCH_ADD		= 6,
	XROCE_WR_LOCAL_INV		= 7,	/* invalidate a window's key */
	XROCE_WR_BIND_MW		= 8,	/* bind a window, or unbind one of type 1 */
	XROCE_WR_SEND_WITH_INV		= 9,	/* RC, as those below */
	XROCE_WR_FLUSH			= 14,
	XROCE_WR_ATOMIC_WRITE		= 15,
};

/* struct xroce_send_wqe::flags; the values are those of enum ibv_send_flags. */
enum xroce_send_flags {
	XROCE_SEND_FENCE	= 1 << 0,	/* after all READs and atomics before it */
	XROCE_SEND_SIGNALED	= 1 << 1,	/* completion also on success */
	XROCE_SEND_SOLICITED	= 1 << 2,	/* solicited event at the peer */
	XROCE_SEND_INLINE	= 1 << 3,	/* the message is in the work request */
};

/**
 * struct xroce_send_wqe - work request of a queue pair's send queue
 * @wr_id: chosen by the program, returned in struct xroce_cqe
 * @opcode: enum xroce_wr_opcode
 * @flags: enum xroce_send_flags
 * @imm_or_key: immediate data, in network byte order; SEND_WITH_INV, LOCAL_INV: key to
 *	invalidate; BIND_MW: new key of the window, which its index names and which must belong to
 *	the descriptor; type 1: not its present key. FLUSH: 0: the bytes given; 1: all of the region
 * @rkey: WRITE, READ, atomics, FLUSH: key of the peer's memory; BIND_MW: L_Key of the region
 * @addr: likewise: address of the first byte. Atomics: a multiple of 8
 * @length: with XROCE_SEND_INLINE: bytes in @data, at most the queue's send_max_inline; FLUSH,
 *	BIND_MW: bytes; otherwise ignored
 * @swap_add: CMP_SWAP: value to store; FETCH_ADD: value to add; ATOMIC_WRITE: the eight bytes, in
 *	the order of memory
 * @compare: CMP_SWAP: value to compare with
 * @ah: datagrams, which verbs devices alone have: number of the address handle
 * @dest_qpn: likewise: the peer's queue pair number
 * @qkey: likewise: queue key; with the high bit set: that of the queue pair (IBTA 10.2.5)
 * @ud_reserved: 0
 * @access: BIND_MW: rights, as in struct xroce_mw_bind; FLUSH: XROCE_ACCESS_FLUSH_GLOBAL,
 *	XROCE_ACCESS_FLUSH_PERSISTENT or both
 * @num_sge: elements in @sge, at most the queue's send_max_sge; with XROCE_SEND_INLINE ignored
 * @sge: local memory, which SEND and WRITE read and READ and atomics, of eight bytes, write
 * @data: the message, with XROCE_SEND_INLINE
 *
 * Work requests are executed by QP_SEND. Those at the head of the queue that are BIND_MW or
 * LOCAL_INV are executed also before the next packet for the queue pair is judged, if it is in RTS
 * and the descriptor has a window, and before MW_BIND, MW_INVAL and QP_DEL: a packet that arrives
 * after they are posted finds them executed. At most 256 (fewer on a machine of more than 32 CPUs)
 * are executed before a packet. If more are posted, it is dropped, and the rest is executed at
 * once, before the peer sends it again. Where requests before them cannot be sent yet, they wait
 * for these, and packets do not wait for them.
 *
 * A work request with another opcode or flag, or one that its queue pair's service does not have,
 * completes with XROCE_WC_LOC_QP_OP_ERR. After one that failed, the queue pair is in ERR, and the
 * others complete with XROCE_WC_WR_FLUSH_ERR.
 */
struct xroce_send_wqe {
	__aligned_u64 wr_id;
	__u32 opcode;
	__u32 flags;
	__u32 imm_or_key;
	__u32 rkey;
	__aligned_u64 addr;
	__aligned_u64 length;
	union {
		struct {
			__aligned_u64 swap_add;
			__aligned_u64 compare;
		};
		struct {
			__u32 ah;
			__u32 dest_qpn;
			__u32 qkey;
			__u32 ud_reserved;
		};
	};
	__u32 access;
	__u32 num_sge;
	union {
		struct xroce_sge_local sge[XROCE_SEND_SGE_MAX];
		__u8 data[XROCE_SEND_INLINE_MAX];
	};
};

/**
 * struct xroce_cq_add - CQ_ADD: create a completion queue (IBTA 11.2.6.1)
 * @size: sizeof(struct xroce_cq_add)
 * @flags: 0
 * @entries: a power of two from XROCE_CQ_MIN to XROCE_CQ_MAX
 * @cq: out: its number on this link, from 1
 * @offset: out: what to give mmap(2)
 * @bytes: out: length of the ring
 *
 * Errors: -EINVAL (entries), -ENOMEM, -ENOSPC (no number is free).
 */
struct xroce_cq_add {
	__u32 size;
	__u32 flags;
	__u32 entries;
	__u32 cq;
	__aligned_u64 offset;
	__aligned_u64 bytes;
};

/**
 * struct xroce_cq_del - CQ_DEL: destroy a completion queue (IBTA 11.2.6.4)
 * @size: sizeof(struct xroce_cq_del)
 * @flags: 0
 * @cq: its number
 * @reserved: 0
 *
 * Errors: -ENOENT (no such queue of the descriptor), -EBUSY (a queue pair uses it).
 */
struct xroce_cq_del {
	__u32 size;
	__u32 flags;
	__u32 cq;
	__u32 reserved;
};

/**
 * struct xroce_cq_moderate - CQ_MODERATE: moderate the events of a completion queue
 * @size: sizeof(struct xroce_cq_moderate)
 * @flags: 0
 * @cq: its number
 * @count: see LINK_MODERATE
 * @usec: see LINK_MODERATE
 * @reserved: 0
 *
 * From now on LINK_MODERATE does not change it.
 *
 * Errors: -ENOENT (no such queue of the descriptor), -EINVAL (out of range, or one of both is 0).
 */
struct xroce_cq_moderate {
	__u32 size;
	__u32 flags;
	__u32 cq;
	__u32 count;
	__u32 usec;
	__u32 reserved;
};

/**
 * struct xroce_srq_add - SRQ_ADD: create a shared receive queue (11.2.3.1)
 * @size: sizeof(struct xroce_srq_add)
 * @flags: 0
 * @pd: protection domain
 * @entries: a power of two up to XROCE_RQ_MAX
 * @max_sge: 1 to XROCE_RQ_SGE_MAX
 * @srq: out: its number on this link, from 1
 * @offset: out: what to give mmap(2)
 * @bytes: out: length of the ring
 *
 * Errors: -EINVAL (entries, elements), -ENOENT (no such PD), -EPERM (the PD belongs to another
 * descriptor), -ENOMEM, -ENOSPC (no number is free).
 */
struct xroce_srq_add {
	__u32 size;
	__u32 flags;
	__u32 pd;
	__u32 entries;
	__u32 max_sge;
	__u32 srq;
	__aligned_u64 offset;
	__aligned_u64 bytes;
};

/**
 * struct xroce_srq_modify - SRQ_MODIFY: arm the limit (IBTA 11.2.3.3)
 * @size: sizeof(struct xroce_srq_modify)
 * @flags: 0
 * @srq: its number
 * @limit: one event XROCE_EVENT_SRQ_LIMIT is sent when fewer work requests than this are
 *	posted, at once if there are fewer now; the limit is then 0. 0: no event
 *
 * Errors: -ENOENT (no such queue of the descriptor), -EINVAL (more than it has entries).
 */
struct xroce_srq_modify {
	__u32 size;
	__u32 flags;
	__u32 srq;
	__u32 limit;
};

/**
 * struct xroce_srq_del - SRQ_DEL: destroy a shared receive queue (11.2.3.4)
 * @size: sizeof(struct xroce_srq_del)
 * @flags: 0
 * @srq: its number
 * @reserved: 0
 *
 * Errors: -ENOENT (no such queue of the descriptor), -EBUSY (a queue pair uses it).
 */
struct xroce_srq_del {
	__u32 size;
	__u32 flags;
	__u32 srq;
	__u32 reserved;
};

/**
 * struct xroce_srq_query - SRQ_QUERY: query a shared receive queue (11.2.3.2)
 * @size: sizeof(struct xroce_srq_query)
 * @flags: 0
 * @srq: its number
 * @pd: out: its protection domain
 * @entries: out: entries of its ring
 * @max_sge: out: elements per work request
 * @limit: out: 0 when it is not armed
 * @qps: out: queue pairs that use it
 *
 * Errors: -ENOENT (no such queue of the descriptor).
 */
struct xroce_srq_query {
	__u32 size;
	__u32 flags;
	__u32 srq;
	__u32 pd;
	__u32 entries;
	__u32 max_sge;
	__u32 limit;
	__u32 qps;
};

/* Asynchronous events (IBTA 11.6.3). */
enum xroce_event_type {
	XROCE_EVENT_CQ_ERROR = 1,	/* a completion was lost */
	XROCE_EVENT_QP_FATAL,		/* a packet or work request moved it to ERR */
	XROCE_EVENT_SRQ_LIMIT,		/* fewer work requests than the limit are posted */
	XROCE_EVENT_SQ_DRAINED,		/* SQD: no request is outstanding any more */
	XROCE_EVENT_QP_LAST_WQE,	/* in ERR: takes no more from its SRQ */
};

/**
 * struct xroce_async - what read(2) returns: an asynchronous event
 * @type: enum xroce_event_type
 * @id: number of the CQ, the queue pair or the SRQ
 * @reserved: 0
 *
 * An event is not repeated before it has been read. read(2) returns one event, as much of it as
 * the buffer has room for but at least the 16 bytes of the first version, and waits for
 * it, or returns -EAGAIN with O_NONBLOCK. poll(2) reports POLLPRI if there is an event, and
 * POLLIN if an armed completion queue has fired and has not been armed again. Events of an
 * object that is deleted are discarded.
 */
struct xroce_async {
	__u32 type;
	__u32 id;
	__u32 reserved[2];
};

/*
 * Why a request was refused. A NAK with syndrome 0x61 or 0x62 moves the queue pair to ERR
 * and leaves the cause in xroce_qp_query::cause. On UC, where there are no NAKs, the
 * XROCE_UC_MISSES-th remote access error does the same; XROCE_CAUSE_ACC_MODULE does not
 * count there.
 */
enum xroce_cause {
	XROCE_CAUSE_NONE,
	/* invalid request, 0x61 (IBTA 9.7.4.1) */
	XROCE_CAUSE_INV_OPCODE,		/* not supported by this responder */
	XROCE_CAUSE_INV_ORDER,		/* first, middle, last out of order */
	XROCE_CAUSE_INV_QP_ACCESS,	/* the queue pair lacks the right */
	XROCE_CAUSE_INV_LENGTH,		/* payload, pad or RETH length */
	XROCE_CAUSE_INV_RESOURCES,	/* a READ or atomic, and rd_max is 0 */
	XROCE_CAUSE_INV_ALIGN,		/* address of an atomic is not a multiple of 8 */
	/* remote access error, 0x62 (IBTA 9.7.4.1.3) */
	XROCE_CAUSE_ACC_KEY,		/* no such key, or it is not valid now */
	XROCE_CAUSE_ACC_PD,		/* protection domains differ */
	XROCE_CAUSE_ACC_QP,		/* a window of another queue pair */
	XROCE_CAUSE_ACC_RIGHT,		/* region or window lacks the right */
	XROCE_CAUSE_ACC_BOUNDS,		/* outside region or window */
	XROCE_CAUSE_ACC_MODULE,		/* key invalid meanwhile; on-demand memory not mapped */
	/* remote operational error, 0x63 (IBTA 9.7.4.1.4) */
	XROCE_CAUSE_OP_WQE,		/* malformed receive work request */
	XROCE_CAUSE_OP_PROT,		/* its element is outside a writable region */
	XROCE_CAUSE_OP_CQ,		/* completion queue full */
	XROCE_CAUSE_OP_MEMORY,		/* out of memory for an on-demand page */
	/* Why a packet was dropped. This ends no queue pair, and the peer gets no response. */
	XROCE_DROP_LENGTH = 64,		/* headers or lengths do not fit the frame */
	XROCE_DROP_CHECKSUM,		/* IPv4 header checksum */
	XROCE_DROP_TVER,		/* transport header version */
	XROCE_DROP_QPN,			/* no such queue pair */
	/* from another queue pair of the link than the peer; counted by the module */
	XROCE_DROP_PEER,
	/* from here on also counted in xroce_qp_query::drops */
	XROCE_DROP_QKEY,		/* queue key of a datagram */
	XROCE_DROP_RECV,		/* no receive work request */
	XROCE_DROP_PSN,			/* out of sequence, or cannot be replayed */
	XROCE_DROP_RESPONSE,		/* the frame could not be turned into a response */
	XROCE_DROP_OPCODE,		/* not a request of the queue pair's service */
	XROCE_DROP_STATE,		/* queue pair not ready to receive */
	XROCE_DROP_ERROR,		/* queue pair in error */
	XROCE_DROP_ADDR,		/* not the queue pair's addresses or VLAN */
	XROCE_DROP_PKEY,		/* partition key */
	XROCE_DROP_ICRC,		/* invariant CRC */
	XROCE_DROP_DEFER,		/* no room to defer it; not the first of RC */
	/* another CPU executes a packet, or too many work requests were posted before it */
	XROCE_DROP_BUSY,
	/* responses, not requests; counted by the module */
	XROCE_DROP_TX,			/* the device did not accept the frame */
};

/*
 * A UC queue pair goes to ERR after this number of refusals with a cause from
 * XROCE_CAUSE_ACC_KEY to XROCE_CAUSE_ACC_BOUNDS, counted since it left RESET. IBTA 9.9.3
 * sets no limit, but without one a peer could guess keys without end; on RC the first
 * refusal ends the queue pair. A good packet does not reset the count, because a peer with
 * one valid key can send one at any time. A message counts once: the rest of it is dropped
 * with the refused packet.
 */
#define XROCE_UC_MISSES		16

/* xroce_event::known: members of struct xroce_event that are valid. */
#define XROCE_EVENT_VA		(1 << 0)
#define XROCE_EVENT_KEY		(1 << 1)
#define XROCE_EVENT_LEN		(1 << 2)
#define XROCE_EVENT_QP		(1 << 3)	/* @epsn and @mtu */
#define XROCE_EVENT_PAYLOAD	(1 << 4)
#define XROCE_EVENT_RETH	(XROCE_EVENT_VA | XROCE_EVENT_KEY | XROCE_EVENT_LEN)

/**
 * struct xroce_event - maps "events" and "drops": a refusal that ended a queue pair, or a
 *	dropped packet
 * @time: nanoseconds of CLOCK_MONOTONIC
 * @va: address in the request
 * @qpn: queue pair number in the packet. After a refusal the queue pair is in ERR
 * @cause: enum xroce_cause; from XROCE_DROP_LENGTH on the packet was dropped
 * @key: R_Key in the request
 * @len: length in the request, in bytes
 * @psn: PSN of the packet
 * @epsn: expected PSN
 * @payload: bytes of the packet after the headers
 * @mtu: path MTU of the queue pair, in bytes
 * @opcode: opcode in the BTH
 * @known: XROCE_EVENT_*: which of @va, @key, @len, @epsn with @mtu, and @payload are valid;
 *	the others are 0
 * @missed: events of drops that this CPU has not written since the previous one, because
 *	there were more than XROCE_DROP_EVENTS in a second, or the buffer was full
 * @reserved: 0
 * @peer: source address of the packet; IPv4 as ::ffff:a.b.c.d
 * @own: destination address of the packet
 *
 * Two ring buffers, written by the XDP program; drops cannot displace refusals. An event
 * that finds the buffer full is lost, and counted in the counter event_lost. Drops are
 * written only while a program reads them.
 */
struct xroce_event {
	__u64 time;
	__u64 va;
	__u32 qpn;
	enum xroce_cause cause;
	__u32 key;
	__u32 len;
	__u32 psn;
	__u32 epsn;
	__u32 payload;
	__u16 mtu;
	__u8 opcode;
	__u8 known;
	__u32 missed;
	__u32 reserved;
	__be32 peer[4];
	__be32 own[4];
};

/* Maximum number of events of drops per second and CPU. */
#define XROCE_DROP_EVENTS	100

#endif /* _UAPI_XROCE_H */
