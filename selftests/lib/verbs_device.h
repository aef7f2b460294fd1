/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a verbs device. */
#ifndef XROCE_VERBS_DEVICE_H
#define XROCE_VERBS_DEVICE_H

struct ibv_context;

/* Return: the device of this name; NULL: see errno, ENODEV: there is none. */
struct ibv_context *verbs_device_open(const char *name);

#endif /* XROCE_VERBS_DEVICE_H */
