/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The network device that a command works on: the one named, or the only one. */
#ifndef _XROCE_DEV_H
#define _XROCE_DEV_H

#include <net/if.h>

#include "libxroce.h"

/**
 * dev_open() - open the handle that a verb works with
 * @netdev: name of the device; NULL: the one that has a link, if just one has
 *
 * Return: the handle, or NULL after saying why.
 */
struct xroce *dev_open(const char *netdev);

/**
 * dev_only() - name of the device that has a link, if just one has
 * @name: IF_NAMESIZE bytes
 *
 * Return: an exit status; what is wrong has been said.
 */
int dev_only(char *name);

/* What is shown of one link. Return: an exit status. */
typedef int (*dev_show)(struct xroce *x, const char *netdev, void *arg);

/**
 * dev_each() - call @show for a device's link, or for every one in this netns
 * @netdev: name of the device; NULL: all, or with @one the only one
 * @one: @show looks for one object, whose number means nothing on other links
 * @show: what to call
 * @arg: for @show
 *
 * Return: an exit status; what is wrong has been said.
 */
int dev_each(const char *netdev, bool one, dev_show show, void *arg);

/**
 * dev_next_link() - the next link whose device is in this network namespace
 * @q: all zeros at first, then what the call before left
 * @all: take also the links of other namespaces, and of devices that have gone
 *
 * Return: 0, -ENOENT after the last one, or another negative errno.
 */
int dev_next_link(struct xroce_link_query *q, bool all);

/*
 * Name a link's device, of this network namespace, as it is called now, which may
 * not be what the module saw last. Return: @name, which has IF_NAMESIZE bytes.
 */
const char *dev_name(const struct xroce_link_query *q, char *name);

/**
 * dev_detach() - xroce_detach(), with patience for who just looks at the link
 * @netdev: name of the device
 * @flags: as for xroce_detach()
 * @error: XROCE_ERROR_MAX bytes for the reason of a failure, or a warning
 *
 * "show", "top" and "monitor" of others open the link for a moment.
 *
 * Return: as xroce_detach().
 */
int dev_detach(const char *netdev, unsigned int flags, char *error);

/**
 * dev_each_pin() - call @show for every link, to read its pinned maps
 * @netdev: name of the device; NULL: all
 * @show: what to call; its @x is NULL
 * @arg: for @show
 *
 * Links of other network namespaces are among them.
 *
 * Return: an exit status; what is wrong has been said.
 */
int dev_each_pin(const char *netdev, dev_show show, void *arg);

/* What negative @err of xroce_pin_open() means. */
const char *dev_pin_reason(int err);

#endif /* _XROCE_DEV_H */
