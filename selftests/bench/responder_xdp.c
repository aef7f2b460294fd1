// SPDX-License-Identifier: GPL-2.0-only
/* The programs of answer.bpf.c. */

#include "responder.h"
#include "xdp.h"

static struct xdp xdp;

static bool drop_open(void *memory)
{
	(void)memory;
	return xdp_attach(&xdp, "answer.bpf.o", "drop", RESPONDER_DEV);
}

static bool bounce_open(void *memory)
{
	(void)memory;
	return xdp_attach(&xdp, "answer.bpf.o", "bounce", RESPONDER_DEV);
}

/* The generator takes a bounced request for its reply. */
static bool connect_any(struct target *target)
{
	*target = (struct target){ .qpn = PEER_QPN };
	return true;
}

static void disconnect_any(void)
{
}

static void close_any(void)
{
	xdp_detach(&xdp);
}

const struct responder responder_drop = {
	.name = "drop",
	.open = drop_open,
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
