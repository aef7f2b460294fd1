/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Internal declarations of libxroce. */
#ifndef _LIBXROCE_PRIV_H
#define _LIBXROCE_PRIV_H

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "libxroce.h"
#include "xroce_map.h"

#define XROCE_HIDDEN	__attribute__((visibility("hidden")))

struct bpf_object;

/**
 * struct xroce_ring - a queue's memory that is shared with the module
 * @mem: address of the mapping; NULL: unmapped, because the handle has been closed
 * @bytes: length of the mapping
 * @x: the handle; the ring holds a reference
 * @next: next ring in the handle's list
 * @prev: the pointer in the list that points to this ring
 * @qpn: of a send queue: its queue pair; otherwise 0
 * @posted: of a send queue: something is posted since the last doorbell. Atomic
 *
 * @mem, @next and @prev are protected by the handle's lock.
 */
struct xroce_ring {
	void *mem;
	size_t bytes;
	struct xroce *x;
	struct xroce_ring *next;
	struct xroce_ring **prev;
	__u32 qpn;
	bool posted;
};

/**
 * struct xroce - a handle
 * @fd: descriptor of the device; -1: the handle has been closed
 * @link: number of the link
 * @lock: protects @rings and @refs
 * @rings: list of the mapped rings of its queues
 * @refs: references: the caller's until xroce_close(), and one for each queue
 *
 * A mapped ring keeps the file open, and thereby the objects of the handle. Therefore
 * xroce_close() unmaps all rings. Queues outlive the handle until they are deleted.
 */
struct xroce {
	int fd;
	__u32 link;
	pthread_mutex_t lock;
	struct xroce_ring *rings;
	unsigned int refs;
};

/* Open the device without choosing a link. Return: descriptor or -errno. */
XROCE_HIDDEN int xroce_dev_open(void);

/* ioctl(2). Return: 0 or -errno. */
XROCE_HIDDEN int xroce_command(int fd, unsigned long command, void *arg);

/* True if a structure of @size bytes has the member. */
#define XROCE_HAS(size, type, member)	\
	((size) >= offsetof(type, member) + sizeof(((type *)0)->member))

/*
 * Copy a structure of the caller, of @size bytes, to one of this version, of @known bytes. What
 * the caller does not have is 0. Return: 0; -E2BIG: a byte that this version does not know is
 * not 0.
 */
XROCE_HIDDEN int xroce_take_other(void *to, size_t known, const void *from, size_t size);

static inline int xroce_take(void *to, size_t known, const void *from, size_t size)
{
	/* Nearly always: a copy of a constant size, since work requests are taken this way. */
	if (__builtin_expect(size == known, 1)) {
		memcpy(to, from, known);
		return 0;
	}
	return xroce_take_other(to, known, from, size);
}

/* Copy a result to the caller. What this version does not know is 0. */
static inline void xroce_give(void *to, size_t size, const void *from, size_t known)
{
	size_t both = size < known ? size : known;

	memcpy(to, from, both);
	memset((char *)to + both, 0, size - both);
}

/* Fill in the size of a structure of the caller, and pass it to the module. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_command_sized(int fd, unsigned long command, void *arg, size_t size);

/* Likewise with a temporary descriptor, for commands that need no handle. */
XROCE_HIDDEN int xroce_command_once(unsigned long command, void *arg, size_t size);

/*
 * Read an entry of a map of another version than this one: a longer value is cut off, a shorter
 * one is completed with zeros. If each CPU has a copy, @value is their sum. Return: 0; -ENOENT: no
 * such entry; -EINVAL: not such a map; -ENOMEM; or an error of bpf(2).
 */
XROCE_HIDDEN int xroce_map_read(int fd, __u32 key, void *value, size_t size);

/* Have the work requests of a send queue executed. Return: 0 or -errno, see QP_SEND. */
XROCE_HIDDEN int xroce_doorbell(const struct xroce *x, __u32 qpn);

/* Release a reference to a handle. The last one frees it. */
XROCE_HIDDEN void xroce_put(struct xroce *x);

/* True if the process has all capabilities in this mask, 1 << CAP_* below 32, effective. */
XROCE_HIDDEN bool xroce_capable(__u32 capabilities);

/* Map a ring of the module, and take a reference to the handle. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_ring_map(struct xroce *x, __u64 offset, __u64 bytes,
				struct xroce_ring *ring);

/* Unmap the ring of a deleted queue if it is still mapped, and release the reference. */
XROCE_HIDDEN void xroce_ring_unmap(struct xroce_ring *ring);

/*
 * Ring the doorbell of all send queues of a handle where something is posted since the last one and
 * not complete. Return: whether there was one; or a negative errno as for xroce_post_send().
 */
XROCE_HIDDEN int xroce_doorbells(struct xroce *x);

/* Unmap all rings of a handle that is being closed. */
XROCE_HIDDEN void xroce_rings_close(struct xroce *x);

/* Delete a queue by xroce_command(). If the handle is closed, the queue is already deleted. */
XROCE_HIDDEN int xroce_queue_del(struct xroce *x, unsigned long command, void *arg);

/**
 * xroce_link_next() - query the next link whose device is in this network namespace
 * @q: in: all zeros for the first link, else the result of the previous call; out: the link
 * @all: include links of other namespaces and of unregistered devices
 *
 * Return: 0, -ENOENT after the last one, or another negative errno.
 */
XROCE_HIDDEN int xroce_link_next(struct xroce_link_query *q, bool all);

/* Index of a netdev in this network namespace. Return: 0 with errno set if there is none. */
XROCE_HIDDEN __u32 xroce_ifindex(const char *netdev);

/* Index of the bridge, bond or other device of which a netdev is a port. Return: 0: none. */
XROCE_HIDDEN __u32 xroce_master(const char *netdev);

/*
 * Set a constant of a BPF object that is not loaded yet. Return: 0; -ENOENT: no such constant;
 * -EINVAL: it has another size.
 */
XROCE_HIDDEN int xroce_rodata_set(struct bpf_object *obj, const char *name,
				  const void *value, size_t size);

/* True if a table of a link, with @most entries at most, can have @n. */
static inline bool xroce_entries_ok(__u32 n, __u32 most)
{
	return n >= XROCE_ENTRIES_MIN && n <= most && !(n & (n - 1));
}

/* Path of the BPF object that xroce_attach() loads. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_object_path(const char *wanted, char *path, size_t size);

/* For the error about a wrong BPF object: the cure, if the environment names it; else "". */
XROCE_HIDDEN const char *xroce_object_cure(const char *wanted);

#define XROCE_LIBBPF_ERROR_MAX	128

/*
 * Text of an errno, or of an error number of libbpf, from __LIBBPF_ERRNO__START on. Return:
 * @text.
 */
XROCE_HIDDEN const char *xroce_libbpf_strerror(int err, char text[XROCE_LIBBPF_ERROR_MAX]);

/* Temporary pin of a program that will replace "prog". */
#define XROCE_PIN_NEW	"prog_new"

/* A bpffs must be mounted here. */
#define XROCE_BPFFS	"/sys/fs/bpf"

/*
 * Name of the directory in which a new link of @netdev is pinned, see xroce_pin_dir().
 * Return: 0; -EINVAL: no device can have this name.
 */
XROCE_HIDDEN int xroce_pin_name(const char *netdev, char dir[XROCE_PIN_DIR_MAX]);

/*
 * Path of a pin, or if @name is NULL, of its directory. Here and below, @dir is the name of
 * a directory in XROCE_PIN_DIR. Return: 0; -EINVAL: @dir; -ENAMETOOLONG.
 */
XROCE_HIDDEN int xroce_pin_path(const char *dir, const char *name, char *path,
				size_t size);

/* Open a pin in this directory, as xroce_pin_open(). */
XROCE_HIDDEN int xroce_pin_open_in(const char *dir, const char *name);

/*
 * Make the directory of a link's pins, and XROCE_PIN_DIR if it is missing. @why has
 * XROCE_ERROR_MAX bytes for the reason of a failure. Return: 0 or -errno.
 */
XROCE_HIDDEN int xroce_pin_mkdir(const char *dir, char *why);

/* Detach the pinned program, and remove the pins and @dir. Missing ones are skipped. */
XROCE_HIDDEN void xroce_pin_remove(const char *dir);

/*
 * Serialise attach, reload and detach by flock(2) on XROCE_PIN_DIR. The kernel releases the
 * lock of a killed process. Return: descriptor for xroce_pin_unlock(); if XROCE_PIN_DIR
 * cannot be opened there is no lock, and the value is negative.
 */
XROCE_HIDDEN int xroce_pin_lock(void);
XROCE_HIDDEN void xroce_pin_unlock(int fd);

/* Name of the program in the BPF object. */
#define XROCE_PROGRAM	"xroce"
/* The same for a device whose driver removes VLAN tags from frames. */
#define XROCE_PROGRAM_VLAN	"xroce_vlan"

/*
 * Number of the XDP program on a device in this network namespace. Return: 0 if there is none,
 * or if @netdev does not have index @ifindex.
 */
XROCE_HIDDEN __u32 xroce_pin_program_on(const char *netdev, __u32 ifindex);

/* A number that no link has. */
#define XROCE_NO_LINK	(~0U)

/*
 * True if @dir belongs to a link other than @except. That is: the BPF link pinned in it is attached
 * to a device, and this device has such a link.
 */
XROCE_HIDDEN bool xroce_pin_used(const char *dir, __u32 except);

/*
 * Remove the pins that an interrupted attach or detach of @netdev has left. The caller holds
 * the lock and has checked that the device has no link other than @except. Return: 0;
 * -ENOENT: there were none; -EEXIST: they are another link's; -EPERM: they cannot be removed.
 */
XROCE_HIDDEN int xroce_pin_clear(const char *netdev, __u32 except);

#endif /* _LIBXROCE_PRIV_H */
