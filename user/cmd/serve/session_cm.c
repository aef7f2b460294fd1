// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * A client of rdma_cm: it has access to one named region until it disconnects. Its private data
 * is the name of the region; that of the reply is struct region_data.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "serve/cm.h"
#include "serve/peer.h"
#include "serve/session.h"

#define VERSION		1

/**
 * struct region_data - private data of the reply, described in xroce-serve(8)
 * @version: VERSION
 * @rkey: the client's key
 * @iova: address by which the client names the first byte
 * @length: bytes
 * @access: XROCE_ACCESS_REMOTE_* and XROCE_ACCESS_FLUSH_GLOBAL, whose bits are those of enum
 *	ibv_access_flags
 * @reserved: 0
 *
 * All numbers are in network byte order.
 */
struct region_data {
	__be32 version;
	__be32 rkey;
	__be64 iova;
	__be64 length;
	__be32 access;
	__be32 reserved;
};

/* True if the request has come through the link's own RDMA device. */
static int check_device(struct session *s)
{
	struct xroce_link_query q = {};

	if (!xroce_link_find(s->server->netdev, &q) && *q.verbs &&
	    !strcmp(q.verbs, cm_device(s->cm)))
		return 0;
	return session_problem(s, -ENODEV, "rdma_cm: RDMA device %s is not that of %s",
			       cm_device(s->cm), s->server->netdev);
}

/* Find the requested region. A request without a name is for the only one. */
static int add_region(struct session *s, struct handshake_region *offer)
{
	const struct regions *all = &s->server->regions;
	const char *name = s->cm->region;

	if (s->cm->bad_name)
		return session_problem(s, -EPROTO, "private data: must be the name of a region, up to %d bytes, and zeros",
				       XROCE_NAME_MAX - 1);
	if (!*name && all->n != 1)
		return session_problem(s, -EPROTO, "private data: must be the name of a region");
	return session_add_regions(s, *name ? name : all->all[0].name, offer);
}

static int connect_qp(struct session *s, const struct handshake_region *offer)
{
	struct session_end peer = {}, own = {};
	int err = cm_ends(s->cm, &peer, &own, &s->mtu);

	if (err)
		return session_problem(s, err, "rdma_cm: %s", strerror(-err));
	if (s->mtu > s->server->mtu)
		return session_problem(s, -EMSGSIZE, "path mtu: must be at most %u, not %u",
				       128 << s->server->mtu, 128 << s->mtu);
	return session_connect(s, &peer, own.gid, offer);
}

static int accept_it(struct session *s, const struct handshake_region *offer)
{
	const __u32 wanted = s->cm->rd_atomic;
	const struct region_data data = {
		.version = htobe32(VERSION),
		.rkey = htobe32(offer->rkey),
		.iova = htobe64(offer->iova),
		.length = htobe64(offer->length),
		.access = htobe32(offer->access),
	};
	int err;

	err = cm_accept(s->cm, s->qps[0].own.qpn,
			wanted < SESSION_RD_ATOMIC ? wanted : SESSION_RD_ATOMIC,
			&data, sizeof(data));
	return err ? session_problem(s, err, "rdma_cm: accept: %s", strerror(-err)) : 0;
}

/* Wait until something happens, for @ms milliseconds. Return: 0, with @event; or -errno. */
static int wait_for(struct session *s, int ms, enum cm_event *event)
{
	int err;

	do {
		err = peer_wait(cm_fd(s->cm), ms);
		if (err)
			return err;
		*event = cm_next(s->cm);
	} while (*event == CM_NOTHING);
	return 0;
}

/* Wait until the client has disconnected. */
static int let_work(struct session *s)
{
	enum cm_event event;
	int err;

	err = wait_for(s, s->server->step_ms, &event);
	if (err)
		return session_bad_read(s, err, "ready to use message");
	while (event == CM_ESTABLISHED) {
		err = wait_for(s, 1000, &event);
		if (err && err != -ETIMEDOUT)
			return session_bad_read(s, err, "connection");
		if (err)
			err = session_second(s, s->server->cm_idle_ms);
		if (err)
			return err;
	}
	if (event == CM_LEFT)
		return session_problem(s, 0, "done");
	return session_problem(s, -EIO, "connection lost");
}

int session_cm(struct session *s)
{
	struct handshake_region offer = {};
	int err = check_device(s);

	if (!err)
		err = add_region(s, &offer);
	if (!err)
		err = connect_qp(s, &offer);
	if (!err)
		err = accept_it(s, &offer);
	if (!err)
		err = let_work(s);
	return err;
}
