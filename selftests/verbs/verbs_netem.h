/* SPDX-License-Identifier: GPL-2.0-only */
/* Links whose frames netem impairs, and the counters of links. Scripts make the disciplines. */
#ifndef XROCE_VERBS_NETEM_H
#define XROCE_VERBS_NETEM_H

#include <stdbool.h>
#include <stdint.h>

struct xroce_stat;

/*
 * Give a netdev a netem with these arguments; "" is a clean link. Frames that wait in the one
 * before are lost. A check fails if tc does.
 */
bool netem_set(const char *netdev, const char *how);

/* Frames that netem has dropped since netem_set(); 0 and a failed check if tc fails. */
uint64_t netem_dropped(const char *netdev);

/* The counters of the link of a netdev. Return: false and a failed check on error. */
bool netdev_counters(const char *netdev, struct xroce_stat *stat);

#endif /* XROCE_VERBS_NETEM_H */
