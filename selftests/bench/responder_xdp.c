// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of answer.bpf.c; and the stack without a program.
 */

#include <sys/mman.h>

#include <bpf/libbpf.h>

#include "responder.h"
#include "xdp.h"

static struct xdp xdp;
static volatile uint64_t *drops = MAP_FAILED;	/* counter of drop_count */

static bool drop_open(void *memory)
{
	(void)memory;
	return xdp_attach(&xdp, "answer.bpf.o", "drop", RESPONDER_DEV);
}

static bool drop_count_open(void *memory)
{
	int fd;

	(void)memory;
	if (!xdp_attach(&xdp, "answer.bpf.o", "drop_count", RESPONDER_DEV))
		return false;
	fd = bpf_object__find_map_fd_by_name(xdp.object, "drops");
	drops = mmap(NULL, sizeof(*drops), PROT_READ, MAP_SHARED, fd, 0);
	return drops != MAP_FAILED;
}

static const volatile uint64_t *dropped(void)
{
	return drops;
}

/* No program: the stack drops frames for another host after allocating a socket buffer. */
static bool drop_skb_open(void *memory)
{
	(void)memory;
	return true;
}

static bool bounce_open(void *memory)
{
	(void)memory;
	return xdp_attach(&xdp, "answer.bpf.o", "bounce", RESPONDER_DEV);
}

/* The generator expects its own requests as responses. */
static bool connect_any(struct target *target)
{
	target->qpn = PEER_QPN;
	return true;
}

static void disconnect_any(const struct target *target)
{
	(void)target;
}

static void close_any(void)
{
	if (drops != MAP_FAILED)
		munmap((void *)drops, sizeof(*drops));
	drops = MAP_FAILED;
	xdp_detach(&xdp);
}

const struct responder responder_drop = {
	.name = "drop",
	.open = drop_open,
	.connect = connect_any,
	.disconnect = disconnect_any,
	.close = close_any,
};

const struct responder responder_drop_counted = {
	.name = "drop",
	.open = drop_count_open,
	.connect = connect_any,
	.dropped = dropped,
	.disconnect = disconnect_any,
	.close = close_any,
};

const struct responder responder_drop_skb = {
	.name = "drop_skb",
	.misdirected = true,
	.open = drop_skb_open,
	.connect = connect_any,
	.disconnect = disconnect_any,
	.close = close_any,
};

const struct responder responder_bounce = {
	.name = "floor",
	.open = bounce_open,
	.connect = connect_any,
	.disconnect = disconnect_any,
	.close = close_any,
};
