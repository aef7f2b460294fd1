// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* The passive side of rdma_cm, over librdmacm. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "serve/cm.h"

#define REJECT_MAX	148	/* private data of a REJ, in bytes */

/* librdmacm reports errors in errno, and the lack of the kernel's part as ENOENT. */
static int cm_errno(void)
{
	return errno == ENOENT ? -ENODEV : -errno;
}

/* A channel whose events are taken without waiting. Return: it, or NULL with errno. */
static struct rdma_event_channel *new_channel(void)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();

	if (channel && fcntl(channel->fd, F_SETFL, O_NONBLOCK)) {
		rdma_destroy_event_channel(channel);
		return NULL;
	}
	return channel;
}

int cm_listen(struct cm_listener *l, __u32 port)
{
	struct sockaddr_in6 any = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(port),
		.sin6_addr = IN6ADDR_ANY_INIT,
	};
	int err;

	*l = (struct cm_listener){ .channel = new_channel() };
	if (!l->channel)
		return cm_errno();
	/* 0: as many requests may wait as the kernel allows. */
	if (rdma_create_id(l->channel, &l->id, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(l->id, (struct sockaddr *)&any) || rdma_listen(l->id, 0)) {
		err = cm_errno();
		cm_listener_close(l);
		return err;
	}
	return 0;
}

void cm_listener_close(struct cm_listener *l)
{
	if (!l->channel)
		return;
	if (l->id)
		rdma_destroy_id(l->id);
	rdma_destroy_event_channel(l->channel);
	*l = (struct cm_listener){};
}

int cm_listener_fd(const struct cm_listener *l)
{
	return l->channel ? l->channel->fd : -1;
}

/* The private data of the request: a name, and zeros up to the end. */
static void take_name(struct cm_client *client, const struct rdma_conn_param *param)
{
	const char *data = param->private_data;
	size_t size = data ? param->private_data_len : 0, len, i;

	len = size ? strnlen(data, size) : 0;
	client->bad_name = len >= sizeof(client->region);
	for (i = len; i < size; i++)
		if (data[i])
			client->bad_name = true;
	if (!client->bad_name && len)
		memcpy(client->region, data, len);
}

static void take_address(struct cm_client *client)
{
	const struct sockaddr *peer = rdma_get_peer_addr(client->id);
	socklen_t len = peer->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						     sizeof(struct sockaddr_in6);
	char *name = client->name;

	if (getnameinfo(peer, len, name, sizeof(client->name), NULL, 0, NI_NUMERICHOST))
		strcpy(name, "?");
	if (!strncmp(name, "::ffff:", 7))
		memmove(name, name + 7, strlen(name + 7) + 1);
}

/* Give the client a channel of its own, so that its thread can wait for its events. */
static int own_channel(struct cm_client *client)
{
	client->channel = new_channel();
	if (!client->channel)
		return cm_errno();
	if (rdma_migrate_id(client->id, client->channel))
		return cm_errno();
	return 0;
}

int cm_take(struct cm_listener *l, struct cm_client *client)
{
	struct rdma_cm_event *event;
	bool request;
	int err;

	memset(client, 0, sizeof(*client));
	if (rdma_get_cm_event(l->channel, &event))
		return errno == EINTR ? -EAGAIN : -errno;
	request = event->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	if (request) {
		client->id = event->id;
		client->rd_atomic = event->param.conn.responder_resources;
		take_name(client, &event->param.conn);
	}
	rdma_ack_cm_event(event);
	if (!request)
		return -EAGAIN;
	take_address(client);
	err = own_channel(client);
	if (!err)
		return 0;
	cm_reject(client, "the server has no resources for another client");
	cm_end(client);
	return -EAGAIN;
}

int cm_fd(const struct cm_client *client)
{
	return client->channel->fd;
}

const char *cm_device(const struct cm_client *client)
{
	return client->id->verbs ? ibv_get_device_name(client->id->verbs->device) : "";
}

/* Write the address as a GID. Return: false if it is of another family. */
static bool to_gid(const struct sockaddr *addr, __u8 gid[16])
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)addr;
	const struct sockaddr_in *in = (const struct sockaddr_in *)addr;

	if (addr->sa_family == AF_INET6) {
		memcpy(gid, &in6->sin6_addr, 16);
		return true;
	}
	memset(gid, 0, 10);
	memset(gid + 10, 0xff, 2);
	memcpy(gid + 12, &in->sin_addr, 4);
	return addr->sa_family == AF_INET;
}

int cm_ends(const struct cm_client *client, struct session_end *peer,
	    struct session_end *own, __u32 *mtu)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTR };
	int mask;

	if (rdma_init_qp_attr(client->id, &attr, &mask))
		return cm_errno();
	if (!to_gid(rdma_get_local_addr(client->id), own->gid))
		return -EAFNOSUPPORT;
	peer->qpn = attr.dest_qp_num;
	peer->psn = attr.rq_psn;
	memcpy(peer->gid, attr.ah_attr.grh.dgid.raw, sizeof(peer->gid));
	*mtu = attr.path_mtu;
	return 0;
}

int cm_accept(struct cm_client *client, __u32 qpn, __u32 rd_atomic, const void *data,
	      size_t size)
{
	struct rdma_conn_param param = {
		.private_data = data,
		.private_data_len = size,
		.responder_resources = rd_atomic,
		.qp_num = qpn,
	};

	return rdma_accept(client->id, &param) ? cm_errno() : 0;
}

void cm_reject(struct cm_client *client, const char *why)
{
	char text[REJECT_MAX] = "";
	size_t len = strnlen(why, sizeof(text) - 1);

	memcpy(text, why, len);
	rdma_reject(client->id, text, sizeof(text));
}

enum cm_event cm_next(struct cm_client *client)
{
	struct rdma_cm_event *event;
	enum cm_event is;

	if (rdma_get_cm_event(client->channel, &event))
		return errno == EAGAIN || errno == EINTR ? CM_NOTHING : CM_FAILED;
	switch (event->event) {
	case RDMA_CM_EVENT_ESTABLISHED:
		is = CM_ESTABLISHED;
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		is = CM_LEFT;
		break;
	case RDMA_CM_EVENT_ADDR_CHANGE:
		is = CM_NOTHING;
		break;
	default:
		is = CM_FAILED;
	}
	rdma_ack_cm_event(event);
	return is;
}

void cm_disconnect(struct cm_client *client)
{
	/* Fails, without effect, if there is no connection. */
	rdma_disconnect(client->id);
}

void cm_end(struct cm_client *client)
{
	if (client->id) {
		cm_disconnect(client);
		rdma_destroy_id(client->id);
		client->id = NULL;
	}
	if (client->channel)
		rdma_destroy_event_channel(client->channel);
	client->channel = NULL;
}
