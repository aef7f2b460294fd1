// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Counters: their names and texts, and those of a link. The command uses them, too. */
#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "counter.h"

#define LINK(field, note, ...)	{ #field, offsetof(struct xroce_stat, field), note },
#define PARTLY(field, note, as)	{ #as, offsetof(struct xroce_stat, field), note },
#define QP(field, note)		{ #field, offsetof(struct xroce_qp_query, field), note },
#define MR(field, note)		{ #field, offsetof(struct xroce_mr_stat, field), note },

const struct counter xroce_link_counters[LINK_COUNTERS] = {
	XROCE_LINK_COUNTERS(LINK, LINK, PARTLY, LINK, XROCE_COUNTER_SKIP)
};

const struct counter xroce_qp_counters[QP_COUNTERS] = {
	XROCE_QP_COUNTERS(QP, QP)
};

const struct counter xroce_mr_counters[MR_COUNTERS] = {
	XROCE_MR_COUNTERS(MR)
};

int xroce_stat_read(const char *netdev, struct xroce_stat *sums)
{
	int fd = xroce_pin_open(netdev, "stat");
	int err;

	if (fd < 0)
		return fd;
	err = xroce_map_read(fd, 0, sums, sizeof(*sums));
	close(fd);
	if (err)
		return err;
	/*
	 * Count responses of the XDP program and of the module together. tx_more excludes
	 * XROCE_ACK_BYTES per response and read_bytes: add them.
	 */
	sums->tx_more += sums->tx * XROCE_ACK_BYTES + sums->read_bytes + sums->module_tx_bytes;
	sums->tx += sums->module_tx;
	return 0;
}

int xroce_mr_stat_open(const char *netdev)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	int fd = xroce_pin_open(netdev, "mr_stat");

	if (fd < 0)
		return fd;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || info.max_entries == 1) {
		close(fd);
		return -EOVERFLOW;
	}
	return fd;
}
