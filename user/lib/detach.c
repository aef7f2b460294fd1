// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Detaching. The BPF link is found by its pin or, if another mount hides the pins, by its
 * number. A link is not reported as deleted while its program is attached.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf.h>

#include "priv.h"

/**
 * struct detach - an XDP program to be detached
 * @netdev: name of the device
 * @ifindex: its index
 * @dir: directory of its pins
 * @prog: number of our program on the device; 0: there is none
 * @link: descriptor of its BPF link, or -1
 * @served: the module has a link of the device, and the link has maps
 * @hidden: neither the pin of the BPF link nor the directory was found
 */
struct detach {
	const char *netdev;
	__u32 ifindex;
	char dir[XROCE_PIN_DIR_MAX];
	__u32 prog;
	int link;
	bool served;
	bool hidden;
};

/*
 * Number of xroce's program on the device, or 0. If the caller may not open the program, it
 * is taken for xroce's if the device has a link with maps.
 */
static __u32 own_program(const struct detach *d)
{
	__u32 id = xroce_pin_program_on(d->netdev, d->ifindex);
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd;

	if (!id)
		return 0;
	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return d->served && errno != ENOENT ? id : 0;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
	    strcmp(info.name, XROCE_PROGRAM) && strcmp(info.name, XROCE_PROGRAM_VLAN))
		id = 0;
	close(fd);
	return id;
}

static bool is_link_of(const struct detach *d, int fd)
{
	struct bpf_link_info info = {};
	__u32 len = sizeof(info);

	return !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       info.type == BPF_LINK_TYPE_XDP &&
	       info.xdp.ifindex == d->ifindex && info.prog_id == d->prog;
}

/* Needs CAP_SYS_ADMIN. Return: descriptor or -errno. */
static int link_by_number(const struct detach *d)
{
	__u32 id = 0;
	int fd;

	while (!bpf_link_get_next_id(id, &id)) {
		fd = bpf_link_get_fd_by_id(id);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return -errno;
		if (is_link_of(d, fd))
			return fd;
		close(fd);
	}
	return -errno;
}

/* Return: descriptor or -errno. */
static int link_by_pin(const struct detach *d)
{
	int fd = xroce_pin_open_in(d->dir, "link");

	if (fd < 0)
		return fd;
	if (is_link_of(d, fd))
		return fd;
	close(fd);
	return -ENOENT;
}

/* Find our program on a device and its BPF link. Return: 0 or -errno. */
static int find_program(struct detach *d, char *error)
{
	char path[PATH_MAX];
	int err;

	d->link = -1;
	d->hidden = false;
	d->prog = own_program(d);
	if (!d->prog)
		return 0;
	d->link = link_by_pin(d);
	if (d->link >= 0)
		return 0;
	d->hidden = xroce_pin_path(d->dir, NULL, path, sizeof(path)) ||
		    access(path, F_OK);
	d->link = link_by_number(d);
	if (d->link >= 0)
		return 0;
	err = d->link;
	/* The program may have been detached in the meantime. */
	if (err == -ENOENT && own_program(d) != d->prog) {
		d->prog = 0;
		return 0;
	}
	if (err == -ENOENT) {
		snprintf(error, XROCE_ERROR_MAX,
			 "its program (%u) is attached without a BPF link; 'ip link set dev %s xdp off' detaches it",
			 d->prog, d->netdev);
		return -EEXIST;
	}
	snprintf(error, XROCE_ERROR_MAX,
		 "its program (%u) cannot be detached: " XROCE_PIN_DIR "/%s/link cannot be opened, and its BPF link cannot be found by number: %s",
		 d->prog, d->dir, err == -EPERM ? "CAP_SYS_ADMIN is needed" :
		 strerror(-err));
	return err;
}

/* Return: 0 or -errno; on success @error contains a warning, or is empty. */
static int detach_program(struct detach *d, char *error)
{
	int err = 0;

	if (!d->prog)
		return 0;
	if (bpf_link_detach(d->link))
		err = -errno;
	close(d->link);
	d->link = -1;
	if (own_program(d) == d->prog) {
		err = err ? : -EEXIST;
		snprintf(error, XROCE_ERROR_MAX,
			 "the link is deleted, but its program (%u) cannot be detached: %s",
			 d->prog, strerror(-err));
		return err;
	}
	if (d->hidden)
		snprintf(error, XROCE_ERROR_MAX,
			 "no pins in " XROCE_PIN_DIR "/%s: if another mount hides them, they keep the module in use until they are removed",
			 d->dir);
	return 0;
}

/* Remove the remains of a killed attach or detach: its pins or, without pins, its program. */
static int clear_left(struct detach *d, char *error)
{
	int err;

	if (!xroce_pin_clear(d->netdev, XROCE_NO_LINK))
		return 0;
	d->ifindex = xroce_ifindex(d->netdev);
	if (!d->ifindex)
		return -ENOENT;
	xroce_pin_dir(d->netdev, d->ifindex, d->dir);
	err = find_program(d, error);
	if (err)
		return err;
	return d->prog ? detach_program(d, error) : -ENOENT;
}

/* Persistent objects of a link. */
struct persistent {
	unsigned int pds;
	unsigned int mrs;
	unsigned int qps;
};

/*
 * Count them. All persistent objects belong to persistent protection domains. The counts of the
 * link's query include the objects of its verbs device.
 */
static struct persistent count_persistent(const char *netdev)
{
	struct xroce *x = xroce_open(netdev);
	struct xroce_pd_query q = {};
	struct persistent n = {};
	__u32 next = 0;

	while (x) {
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.pd = next;
		if (xroce_pd_query(x, &q))
			break;
		next = q.pd + 1;
		if (!(q.flags & XROCE_F_PERSISTENT))
			continue;
		n.pds++;
		n.mrs += q.mrs;
		n.qps += q.qps;
	}
	if (x)
		xroce_close(x);
	return n;
}

/* True if a consumer in the kernel, but the connection manager, has a queue pair on the device. */
static bool kernel_uses(const char *netdev, const struct xroce_link_query *link)
{
	struct xroce *x = xroce_open(netdev);
	struct xroce_qp_query q = {};
	bool used = false;
	__u32 place = 0;

	while (x && !used && place < link->qp_entries) {
		memset(&q, 0, sizeof(q));
		q.flags = XROCE_F_NEXT;
		q.qpn = place;
		if (xroce_qp_query(x, &q))
			break;
		place = q.qpn % link->qp_entries + 1;
		used = q.flags & XROCE_F_KERNEL && q.qpn != XROCE_QPN_GSI;
	}
	if (x)
		xroce_close(x);
	return used;
}

/* Say why the module does not delete the link. */
static void say_busy(const char *netdev, const struct xroce_link_query *q, char *error)
{
	struct persistent n = { q->pds, q->mrs, q->qps };

	if (q->users) {
		snprintf(error, XROCE_ERROR_MAX, "%u %s", q->users,
			 q->users == 1 ? "program uses it" : "programs use it");
		return;
	}
	if (*q->verbs)
		n = count_persistent(netdev);
	if (*q->verbs && !n.pds && kernel_uses(netdev, q))
		snprintf(error, XROCE_ERROR_MAX,
			 "rdma device %.*s is in use by the kernel ('rdma resource show qp' and 'rdma resource show cm_id' list by what); force takes it from it",
			 (int)sizeof(q->verbs), q->verbs);
	else if (*q->verbs && !n.pds)
		snprintf(error, XROCE_ERROR_MAX,
			 "rdma device %.*s is in use ('rdma resource show ctx' lists its programs); force takes it from them",
			 (int)sizeof(q->verbs), q->verbs);
	else
		snprintf(error, XROCE_ERROR_MAX,
			 "it has persistent objects (pd %u, mr %u, qp %u); force deletes them",
			 n.pds, n.mrs, n.qps);
}

/* Delete the module's link. The module refuses if the link is in use. */
static int delete_link(const char *netdev, int dev, const struct xroce_link_query *q,
		       __u32 flags, char *error)
{
	struct xroce_link_del del = {
		.size = sizeof(del), .flags = flags, .link = q->link,
	};
	int err = xroce_command(dev, XROCE_CMD_LINK_DEL, &del);

	if (err == -EBUSY)
		say_busy(netdev, q, error);
	return err;
}

static int detach(struct detach *d, int dev, __u32 flags, char *error)
{
	struct xroce_link_query q = { .link = XROCE_NO_LINK };
	int err;

	/* Check permission first: with it, deleting a link that does not exist is -ENOENT. */
	err = delete_link(d->netdev, dev, &q, 0, error);
	if (err != -ENOENT)
		return err;
	err = xroce_link_find(d->netdev, &q);
	if (err == -ENOENT)
		return clear_left(d, error);
	if (err)
		return err;
	d->served = q.mpt_entries;
	d->ifindex = q.ifindex;
	xroce_pin_dir(d->netdev, q.ifindex, d->dir);
	/* Nothing is attached to a device that has been unregistered. */
	if (!(q.flags & XROCE_F_DEAD)) {
		err = find_program(d, error);
		if (err)
			return err;
	}
	err = delete_link(d->netdev, dev, &q, flags, error);
	if (err)
		return err;
	err = detach_program(d, error);
	/* The pins may already belong to a new device with the name of the unregistered one. */
	if (!(q.flags & XROCE_F_DEAD) || !xroce_pin_used(d->dir, XROCE_NO_LINK))
		xroce_pin_remove(d->dir);
	return err;
}

int xroce_detach(const char *netdev, unsigned int flags, char *error)
{
	struct detach d = { .netdev = netdev, .link = -1 };
	char ignored[XROCE_ERROR_MAX];
	int lock, dev, err;

	if (!error)
		error = ignored;
	*error = 0;
	lock = xroce_pin_lock();
	dev = xroce_dev_open();
	err = dev < 0 ? dev : detach(&d, dev, flags, error);
	if (dev >= 0)
		close(dev);
	if (d.link >= 0)
		close(d.link);
	xroce_pin_unlock(lock);
	if (err && !*error)
		snprintf(error, XROCE_ERROR_MAX, "%s",
			 err != -ENOENT ? xroce_strerror(err) :
			 xroce_ifindex(netdev) ? "it has no link" : "no such network device");
	return err;
}
