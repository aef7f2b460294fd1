/* SPDX-License-Identifier: GPL-2.0-only */
/* An end of all flows: a context, its memory, and one completion queue for all queue pairs. */
#ifndef XROCE_VERBS_SIDE_H
#define XROCE_VERBS_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verbs_end.h"
#include "verbs_notice.h"
#include "verbs_post.h"

#define SIDE_SENDS	16	/* requests of a queue pair */
#define SIDE_RECEIVES	6	/* receive requests of a queue pair */

/**
 * struct side - an end of all flows
 * @end: context and domain
 * @rxe: the device is one of rxe
 * @cq: completion queue of all queue pairs
 * @notice: its events
 * @buf: memory
 * @size: its size in bytes
 * @mr: region of it
 */
struct side {
	struct verbs_end end;
	bool rxe;
	struct ibv_cq *cq;
	struct notice notice;
	uint8_t *buf;
	size_t size;
	struct ibv_mr *mr;
};

/**
 * struct side_path - attributes of a connection
 * @mtu: path MTU
 * @timeout: code of the local ACK timeout
 * @retry: retry count
 */
struct side_path {
	enum ibv_mtu mtu;
	uint8_t timeout;
	uint8_t retry;
};

/* Open a device. @qps: how many queue pairs it will have. */
bool side_open(struct side *s, const char *dev, const char *ip, size_t size, uint32_t qps);
void side_close(struct side *s);

/* Create a queue pair: all of @way but the addresses. */
bool side_qp(struct side *s, struct post_way *way);

/* Connect two queue pairs. Return: 0 or an errno. */
int side_connect(const struct side *a, struct ibv_qp *a_qp, const struct side *b,
		 struct ibv_qp *b_qp, const struct side_path *path);

#endif /* XROCE_VERBS_SIDE_H */
