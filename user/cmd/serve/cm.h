/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * The passive side of rdma_cm. librdmacm exchanges the messages; the queue pairs are not
 * verbs objects, but those of session.h. session_cm.c serves the client.
 */
#ifndef _XROCE_CM_H
#define _XROCE_CM_H

#include <stdbool.h>
#include <stddef.h>

#include "libxroce.h"
#include "serve/end.h"

#define CM_NAME_MAX	64	/* bytes of a client's address, with the NUL */

struct rdma_cm_id;
struct rdma_event_channel;

/**
 * struct cm_listener - accepts requests for connections, on all RDMA devices
 * @channel: its events; NULL: it does not listen
 * @id: librdmacm's listening identifier
 */
struct cm_listener {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *id;
};

/**
 * struct cm_client - a client that requests a connection, or has one
 * @id: librdmacm's identifier of the connection
 * @channel: its events
 * @name: the client's address, for people
 * @region: name of the region that it requests; empty: none. Not valid if @bad_name
 * @bad_name: the private data is not the name of a region
 * @rd_atomic: number of READs and atomics in progress that it wants
 */
struct cm_client {
	struct rdma_cm_id *id;
	struct rdma_event_channel *channel;
	char name[CM_NAME_MAX];
	char region[XROCE_NAME_MAX];
	bool bad_name;
	__u32 rd_atomic;
};

/**
 * cm_listen() - listen on a port of rdma_cm
 * @l: out
 * @port: 1 to 65535, in the port space RDMA_PS_TCP
 *
 * Return: 0; -ENODEV: the kernel has no rdma_cm (module rdma_ucm); -EADDRINUSE: the port is
 * in use; or another negative errno.
 */
int cm_listen(struct cm_listener *l, __u32 port);

/* Stop listening. Also allowed if @l does not listen. */
void cm_listener_close(struct cm_listener *l);

/* A descriptor that is readable if a client requests a connection; -1: it does not listen. */
int cm_listener_fd(const struct cm_listener *l);

/**
 * cm_take() - take the next request for a connection
 * @l: the listener
 * @client: out; to be ended by cm_end()
 *
 * A request for which there are no descriptors is refused.
 *
 * Return: 0; -EAGAIN: there is none; or another negative errno.
 */
int cm_take(struct cm_listener *l, struct cm_client *client);

/* A descriptor that is readable if something has happened to the connection. */
int cm_fd(const struct cm_client *client);

/* Name of the RDMA device through which the request came. */
const char *cm_device(const struct cm_client *client);

/**
 * cm_ends() - ends of the requested connection
 * @client: the client
 * @peer: out: the client's end
 * @own: out: the server's address, in @own->gid; the other members are not changed
 * @mtu: out: path MTU that the client has chosen, enum xroce_mtu
 *
 * Return: 0 or -errno.
 */
int cm_ends(const struct cm_client *client, struct session_end *peer,
	    struct session_end *own, __u32 *mtu);

/**
 * cm_accept() - accept the request
 * @client: the client
 * @qpn: number of the server's queue pair, which must be ready to receive
 * @rd_atomic: maximum number of READs and atomics of the client in progress
 * @data: private data for the client
 * @size: bytes of @data, up to 196
 *
 * Return: 0 or -errno.
 */
int cm_accept(struct cm_client *client, __u32 qpn, __u32 rd_atomic, const void *data,
	      size_t size);

/* Refuse the request, with a reason for people, of which 147 bytes are sent. */
void cm_reject(struct cm_client *client, const char *why);

/* enum cm_event - what has happened to a connection */
enum cm_event {
	CM_NOTHING,		/* nothing yet */
	CM_ESTABLISHED,		/* the client knows that the request is accepted */
	CM_LEFT,		/* the client has disconnected */
	CM_FAILED,		/* the client does not answer, or the device is gone */
};

/* Take the next event of the connection. */
enum cm_event cm_next(struct cm_client *client);

/* End the connection, if there is one. Also allowed while another thread waits for its events. */
void cm_disconnect(struct cm_client *client);

/* End the connection, if there is one, and free what librdmacm has of it. */
void cm_end(struct cm_client *client);

#endif /* _XROCE_CM_H */
