// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>

#include <infiniband/verbs.h>

#include "verbs_device.h"

struct ibv_context *verbs_device_open(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *ctx = NULL;
	int i;

	if (!list)
		return NULL;
	for (i = 0; list[i] && strcmp(ibv_get_device_name(list[i]), name); i++)
		;
	errno = ENODEV;
	if (list[i])
		ctx = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	return ctx;
}
