/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the files of libxroce share among themselves. */
#ifndef _LIBXROCE_PRIV_H
#define _LIBXROCE_PRIV_H

#include <pthread.h>
#include <stddef.h>

#include "libxroce.h"

#define XROCE_HIDDEN	__attribute__((visibility("hidden")))

struct bpf_object;

/**
 * struct xroce_ring - memory shared with the module, one for each queue
 * @mem: where it is mapped; NULL: not any more, as the handle has been closed
 * @bytes: its length
 * @x: the handle; the ring has a reference
 * @next: in the handle's list
 * @prev: the pointer that points here, in that list
 */
struct xroce_ring {
	void *mem;
	size_t bytes;
	struct xroce *x;
	struct xroce_ring *next;
	struct xroce_ring **prev;
};

/**
 * struct xroce - a handle
 * @fd: descriptor of the device; -1: the handle has been closed
 * @link: number of the link
 * @sq: its send queue, or NULL
 * @lock: for @rings and @refs
 * @rings: of its queues
 * @refs: the caller's, until xroce_close(), and one for each queue
 *
 * A mapped ring keeps the file open, and with it the objects of the handle. So
 * xroce_close() unmaps all of them. Queues outlive the handle until they are deleted.
 */
struct xroce {
	int fd;
	__u32 link;
	struct xroce_sq *sq;
	pthread_mutex_t lock;
	struct xroce_ring *rings;
	unsigned int refs;
};

/* Open the device without choosing a link. Return: descriptor or -errno. */
XROCE_HIDDEN int xroce_dev_open(void);

/* ioctl(2) with the errno as the result. */
XROCE_HIDDEN int xroce_command(int fd, unsigned long command, void *arg);

/* The same by a descriptor of its own, for what needs no link. */
XROCE_HIDDEN int xroce_command_once(unsigned long command, void *arg);

/* A reference to a handle less; the last one frees it. */
XROCE_HIDDEN void xroce_put(struct xroce *x);

/* Whether the caller has these capabilities, a mask of those below 32. */
XROCE_HIDDEN bool xroce_capable(__u32 capabilities);

/* Map a ring of the module's. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_ring_map(struct xroce *x, __u64 offset, __u64 bytes,
				struct xroce_ring *ring);

/* The opposite, for a queue that is deleted. */
XROCE_HIDDEN void xroce_ring_unmap(struct xroce_ring *ring);

/* Unmap all rings of a handle that is closed. */
XROCE_HIDDEN void xroce_rings_close(struct xroce *x);

/* xroce_command() that deletes a queue, which is gone already if the handle is closed. */
XROCE_HIDDEN int xroce_queue_del(struct xroce *x, unsigned long command, void *arg);

/* Index of a netdev of this network namespace. Return: 0 and an errno if there is none. */
XROCE_HIDDEN __u32 xroce_ifindex(const char *netdev);

/* Give a constant of a BPF object its value before the object is loaded. */
XROCE_HIDDEN int xroce_rodata_set(struct bpf_object *obj, const char *name,
				  const void *value, size_t size);

/* Path of the BPF object that xroce_attach() loads. Return: 0 or -errno. */
XROCE_HIDDEN int xroce_object_path(const char *wanted, char *path, size_t size);

/* Pin of a program that is about to take the place of "prog". */
#define XROCE_PIN_NEW	"prog_new"

/* Where a bpffs has to be mounted. */
#define XROCE_BPFFS	"/sys/fs/bpf"

/*
 * Name of the directory that a new link of @netdev is pinned in, see
 * xroce_pin_dir(). Return: 0; -EINVAL: no device has this name.
 */
XROCE_HIDDEN int xroce_pin_name(const char *netdev, char dir[XROCE_PIN_DIR_MAX]);

/*
 * Path of a pin, or with @name NULL of its directory. Here and below @dir is the
 * name of a directory in XROCE_PIN_DIR. Return: 0 or -errno.
 */
XROCE_HIDDEN int xroce_pin_path(const char *dir, const char *name, char *path,
				size_t size);

/*
 * Make the directory of a link's pins, and XROCE_PIN_DIR if it is missing. @why has
 * XROCE_ERROR_MAX bytes for the reason of a failure. Return: 0 or -errno.
 */
XROCE_HIDDEN int xroce_pin_mkdir(const char *dir, char *why);

/* Detach the pinned program, remove the pins and @dir; what is missing is skipped. */
XROCE_HIDDEN void xroce_pin_remove(const char *dir);

/*
 * Who makes or takes down a link does it alone, also when killed. Return: what
 * xroce_pin_unlock() takes; without a directory of pins there is no lock.
 */
XROCE_HIDDEN int xroce_pin_lock(void);
XROCE_HIDDEN void xroce_pin_unlock(int fd);

/* Name of the program in the BPF object. */
#define XROCE_PROGRAM	"xroce"

/* Number of the program on a device of this network namespace; 0: none, or no such one. */
XROCE_HIDDEN __u32 xroce_pin_program_on(const char *netdev, __u32 ifindex);

/* A number that no link has. */
#define XROCE_NO_LINK	(~0U)

/*
 * Whether the BPF link pinned in @dir is attached to a device, and the device
 * has a link other than @except.
 */
XROCE_HIDDEN bool xroce_pin_used(const char *dir, __u32 except);

/*
 * Remove what is left of a link of @netdev that was half made or half taken down.
 * The caller has the lock and knows that the device has no link, but @except.
 * Return: 0; -ENOENT (nothing is left); -EEXIST (it is in use); -EPERM.
 */
XROCE_HIDDEN int xroce_pin_clear(const char *netdev, __u32 except);

#endif /* _LIBXROCE_PRIV_H */
