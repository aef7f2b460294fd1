/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The network device of a command: the named one, or the only one that has a link. */
#ifndef _XROCE_DEV_H
#define _XROCE_DEV_H

#include <net/if.h>

#include "libxroce.h"

/**
 * dev_open() - open the handle of a verb
 * @netdev: name of the device; NULL: the only device that has a link
 * @x: out: the handle
 *
 * Return: an exit status; an error has been printed.
 */
int dev_open(const char *netdev, struct xroce **x);

/**
 * dev_only() - find the only device that has a link
 * @name: out: its name; IF_NAMESIZE bytes
 *
 * Return: an exit status; an error has been printed.
 */
int dev_only(char *name);

/* Callback that shows objects of one link. Return: an exit status. */
typedef int (*dev_show)(struct xroce *x, const char *netdev, void *arg);

/**
 * dev_each() - call @show for a device's link, or for every link in this network namespace
 * @netdev: name of the device; NULL: all devices
 * @show: the callback
 * @arg: argument of @show
 *
 * Return: an exit status; an error has been printed.
 */
int dev_each(const char *netdev, dev_show show, void *arg);

/* The same, but NULL is the only device: @show needs a number that has no meaning on others. */
int dev_one(const char *netdev, dev_show show, void *arg);

/*
 * Present name of a link's device in this network namespace; q->name may be an older one.
 * Return: @name, which has IF_NAMESIZE bytes.
 */
const char *dev_name(const struct xroce_link_query *q, char *name);

/**
 * dev_detach() - xroce_detach() with retries while others only look at the link
 * @netdev: name of the device
 * @flags: as for xroce_detach()
 * @error: XROCE_ERROR_MAX bytes for the reason of a failure, or a warning
 *
 * "show", "top" and "monitor" of other processes use the link for a moment.
 *
 * Return: as xroce_detach().
 */
int dev_detach(const char *netdev, unsigned int flags, char *error);

/**
 * dev_each_pin() - call @show for every link, to read its pinned maps
 * @netdev: name of the device; NULL: all devices
 * @show: the callback; its @x is NULL
 * @arg: argument of @show
 *
 * Links of other network namespaces are included.
 *
 * Return: an exit status; an error has been printed.
 */
int dev_each_pin(const char *netdev, dev_show show, void *arg);

/* Error text for a negative errno of xroce_pin_open(). */
const char *dev_pin_reason(int err);

#endif /* _XROCE_DEV_H */
