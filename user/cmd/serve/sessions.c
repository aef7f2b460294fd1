// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * All clients of xroce serve. Each client has a thread, so that none waits for another. The
 * caller's thread accepts them and reports about each at its end.
 */
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "progress.h"
#include "serve/cm.h"
#include "serve/handshake.h"
#include "serve/peer.h"
#include "serve/session.h"
#include "serve/sessions.h"
#include "units.h"

#define STACK		(256 << 10)
#define PROGRESS_MS	1000
#define ACCEPT_AGAIN_MS	100

/**
 * struct sessions - all clients
 * @server: parameters for all clients
 * @listener: listening sockets
 * @cm: listens for rdma_cm, if its @channel is not NULL
 * @opts: limits and callback
 * @wake: eventfd: a client has left
 * @first: list of present clients
 * @here: number of present clients
 * @come: number of clients accepted so far
 * @packets: packets of present clients when progress was last shown
 * @bytes: likewise, payload bytes written plus bytes sent
 */
struct sessions {
	struct server *server;
	struct listener *listener;
	struct cm_listener *cm;
	const struct sessions_opts *opts;
	int wake;
	struct visit *first;
	unsigned int here;
	__u32 come;
	__u64 packets;
	__u64 bytes;
};

/**
 * struct visit - a present client
 * @all: all clients
 * @next: next client in the list
 * @thread: thread that serves it
 * @fd: its TCP connection; -1: it uses rdma_cm
 * @cm: its connection by rdma_cm, if @fd is -1
 * @left: its thread has finished; protected by the server's lock
 * @name: its address
 * @report: the report about it; numbers are protected by the server's lock
 */
struct visit {
	struct sessions *all;
	struct visit *next;
	pthread_t thread;
	int fd;
	struct cm_client cm;
	bool left;
	char name[NI_MAXHOST];
	struct session_report report;
};

static void *serve_one(void *arg)
{
	struct visit *v = arg;
	struct server *server = v->all->server;
	const __u64 one = 1;

	session_serve(server, v->fd, v->fd < 0 ? &v->cm : NULL, &v->report);
	pthread_mutex_lock(&server->lock);
	v->left = true;
	pthread_mutex_unlock(&server->lock);
	/* The eventfd cannot overflow. */
	if (write(v->all->wake, &one, sizeof(one)) < 0)
		return NULL;
	return NULL;
}

static int start_thread(struct visit *v)
{
	pthread_attr_t attr;
	int err;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	err = pthread_create(&v->thread, &attr, serve_one, v);
	pthread_attr_destroy(&attr);
	return -err;
}

/* End the connection of a client, so that its thread ends. */
static void disconnect(struct visit *v)
{
	if (v->fd < 0)
		cm_disconnect(&v->cm);
	else
		shutdown(v->fd, SHUT_RDWR);
}

/* Free what is left of a client without a thread. */
static void forget(struct visit *v)
{
	if (v->fd < 0)
		cm_end(&v->cm);
	else
		close(v->fd);
	free(v);
}

/* Send an error in JSON, without waiting for the client; also to a client of perftest. */
static void refuse_tcp(int fd, const char *why)
{
	char *line = handshake_refuse(why), rest[HANDSHAKE_LINE_MAX];

	/* Read what it has sent, as unread data would reset the connection: see peer_part(). */
	recv(fd, rest, sizeof(rest), MSG_DONTWAIT);
	if (line)
		send(fd, line, strlen(line), MSG_NOSIGNAL | MSG_DONTWAIT);
	free(line);
	shutdown(fd, SHUT_WR);
}

/* Refuse a client that cannot be served. */
static void refuse(const struct sessions *all, struct visit *v, const char *why)
{
	if (v->fd < 0)
		cm_reject(&v->cm, why);
	else
		refuse_tcp(v->fd, why);
	strcpy(v->report.result, why);
	progress_clear();
	all->opts->report(v->name, &v->report);
	forget(v);
}

/* Serve a client in a thread of its own, or refuse it. */
static void welcome(struct sessions *all, struct visit *v)
{
	v->all = all;
	if (all->here == all->opts->max) {
		refuse(all, v, "too many clients");
		return;
	}
	if (start_thread(v)) {
		refuse(all, v, "cannot start a thread");
		return;
	}
	v->next = all->first;
	all->first = v;
	all->here++;
	all->come++;
	if (all->opts->count && all->come == all->opts->count) {
		listener_close(all->listener);
		cm_listener_close(all->cm);
	}
}

/* Not enough resources for another client now: those that are here go on. */
static int accept_failed(int err)
{
	if (err == -EAGAIN)
		return 0;
	if (err != -EMFILE && err != -ENFILE && err != -ENOMEM && err != -ENOBUFS)
		return err;
	usleep(ACCEPT_AGAIN_MS * 1000);
	return 0;
}

static int accept_tcp(struct sessions *all, int listener)
{
	struct visit *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return accept_failed(-ENOMEM);
	v->fd = listener_accept(listener, v->name, sizeof(v->name));
	if (v->fd < 0) {
		err = v->fd;
		free(v);
		return accept_failed(err);
	}
	welcome(all, v);
	return 0;
}

static int accept_cm(struct sessions *all)
{
	struct visit *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return accept_failed(-ENOMEM);
	v->fd = -1;
	err = cm_take(all->cm, &v->cm);
	if (err) {
		free(v);
		return accept_failed(err);
	}
	strcpy(v->name, v->cm.name);
	welcome(all, v);
	return 0;
}

/* Wait until the client @at has left, report about it and free it. */
static void reap(struct sessions *all, struct visit **at)
{
	struct visit *v = *at;

	pthread_join(v->thread, NULL);
	progress_clear();
	all->opts->report(v->name, &v->report);
	*at = v->next;
	all->here--;
	forget(v);
}

static bool has_left(struct sessions *all, const struct visit *v)
{
	bool left;

	pthread_mutex_lock(&all->server->lock);
	left = v->left;
	pthread_mutex_unlock(&all->server->lock);
	return left;
}

static void reap_left(struct sessions *all)
{
	struct visit **at = &all->first;

	while (*at) {
		if (has_left(all, *at))
			reap(all, at);
		else
			at = &(*at)->next;
	}
}

static void reap_all(struct sessions *all)
{
	while (all->first)
		reap(all, &all->first);
}

/* Show progress on a terminal. */
static void show_progress(struct sessions *all)
{
	char packet_rate[UNITS_MAX], byte_rate[UNITS_MAX];
	__u64 packets = 0, bytes = 0, naks = 0;
	unsigned int qps = 0;
	struct visit *v;

	pthread_mutex_lock(&all->server->lock);
	for (v = all->first; v; v = v->next) {
		qps += v->report.qps;
		packets += v->report.packets;
		bytes += v->report.bytes + v->report.tx_bytes;
		naks += v->report.naks;
	}
	pthread_mutex_unlock(&all->server->lock);
	/* The sums shrink when a client leaves. */
	if (packets < all->packets || bytes < all->bytes)
		all->packets = all->bytes = 0;
	progress_show("%u clients, %u queue pairs, %llu packets, %s packets/s, %s bytes/s, %llu naks",
		      all->here, qps, (unsigned long long)packets,
		      units_short(packets - all->packets, packet_rate),
		      units_short(bytes - all->bytes, byte_rate),
		      (unsigned long long)naks);
	all->packets = packets;
	all->bytes = bytes;
}

/* Wait for the next event and handle it. Return: 0; -EINTR: a signal said stop; or -errno. */
static int step(struct sessions *all)
{
	/* poll(2) ignores a descriptor of -1. */
	struct pollfd p[3 + LISTENER_MAX] = {
		{ .fd = peer_stop_fd(), .events = POLLIN },
		{ .fd = all->wake, .events = POLLIN },
		{ .fd = cm_listener_fd(all->cm), .events = POLLIN },
	};
	int i, listeners = all->listener->n, err = 0;
	__u64 left;

	for (i = 0; i < listeners; i++)
		p[3 + i] = (struct pollfd){ .fd = all->listener->fd[i],
					    .events = POLLIN };
	i = poll(p, 3 + listeners, all->here ? PROGRESS_MS : -1);
	if (i < 0)
		return errno == EINTR ? 0 : -errno;
	if (!i)
		show_progress(all);
	if (p[0].revents)
		return -EINTR;
	if (p[1].revents && read(all->wake, &left, sizeof(left)) > 0)
		reap_left(all);
	/* welcome() closes the listeners after opts->count clients. */
	for (i = 0; i < listeners && all->listener->n && !err; i++)
		if (p[3 + i].revents)
			err = accept_tcp(all, all->listener->fd[i]);
	if (p[2].revents && cm_listener_fd(all->cm) >= 0 && !err)
		err = accept_cm(all);
	return err;
}

int sessions_serve(struct server *server, struct listener *listener,
		   struct cm_listener *cm, const struct sessions_opts *opts)
{
	struct sessions all = {
		.server = server,
		.listener = listener,
		.cm = cm,
		.opts = opts,
	};
	struct visit *v;
	int err = 0;

	all.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (all.wake < 0)
		return -errno;
	while (!err && (listener->n || all.here))
		err = step(&all);
	listener_close(listener);
	cm_listener_close(cm);
	/* After a signal all threads end by themselves; after an error they must be ended. */
	for (v = all.first; err && err != -EINTR && v; v = v->next)
		disconnect(v);
	reap_all(&all);
	close(all.wake);
	return err == -EINTR ? 0 : err;
}
