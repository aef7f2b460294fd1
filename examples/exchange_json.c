// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <json-c/json.h>
#include <sys/socket.h>

#include "exchange_json.h"

#define ANSWER	(16 << 10)	/* bytes, at most: room for a hundred regions */

static void add(struct json_object *o, const char *name, struct json_object *value)
{
	json_object_object_add(o, name, value);
}

static int ask(int fd, const struct end *own, const struct json_request *request)
{
	struct json_object *o = json_object_new_object();
	char gid[INET6_ADDRSTRLEN];
	const char *text;
	int err = 0;

	inet_ntop(AF_INET6, own->gid, gid, sizeof(gid));
	add(o, "xroce", json_object_new_int(1));
	add(o, "qpn", json_object_new_int(own->qpn));
	add(o, "psn", json_object_new_int(own->psn));
	add(o, "gid", json_object_new_string(gid));
	add(o, "mtu", json_object_new_int(request->mtu));
	if (!request->all)
		add(o, "region", json_object_new_string(request->region));
	text = json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN);
	/* Two lines fit into the buffer of a new socket: send() does not block. */
	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 ||
	    send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
		err = -errno;
	json_object_put(o);
	return err;
}

static int read_answer(int fd, char *line)
{
	struct pollfd in = { .fd = fd, .events = POLLIN };
	size_t len = 0;
	ssize_t n;

	while (len < ANSWER - 1) {
		n = poll(&in, 1, EXCHANGE_WAIT * 1000);
		if (n <= 0)
			return n ? -errno : -ETIMEDOUT;
		n = read(fd, line + len, ANSWER - 1 - len);
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		len += n;
		line[len] = 0;
		if (line[len - 1] == '\n')
			return 0;
	}
	return -EMSGSIZE;
}

/* Read a member that is a number up to @most. */
static int number(struct json_object *o, const char *name, uint64_t most,
		  uint64_t *to)
{
	struct json_object *value;

	if (!json_object_object_get_ex(o, name, &value) ||
	    !json_object_is_type(value, json_type_int))
		return -EPROTO;
	*to = json_object_get_uint64(value);
	return *to > most ? -EPROTO : 0;
}

static int take_region(struct json_object *o, const char *region,
		       struct end *server)
{
	struct json_object *list, *one, *name;
	uint64_t rkey;
	size_t i;

	if (!json_object_object_get_ex(o, "regions", &list) ||
	    !json_object_is_type(list, json_type_array))
		return -EPROTO;
	for (i = 0; i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		if (!json_object_is_type(one, json_type_object) ||
		    !json_object_object_get_ex(one, "name", &name) ||
		    !json_object_is_type(name, json_type_string) ||
		    strcmp(json_object_get_string(name), region))
			continue;
		if (number(one, "iova", UINT64_MAX, &server->addr) ||
		    number(one, "length", UINT64_MAX, &server->length) ||
		    number(one, "rkey", UINT32_MAX, &rkey))
			return -EPROTO;
		server->rkey = rkey;
		return 0;
	}
	return -ENOENT;
}

static int take_gid(struct json_object *o, uint8_t gid[16])
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(o, "gid", &value))
		return -EPROTO;
	text = json_object_get_string(value);
	if (!text)
		return -EPROTO;
	memcpy(gid, mapped, 12);
	return inet_pton(AF_INET, text, gid + 12) == 1 ||
	       inet_pton(AF_INET6, text, gid) == 1 ? 0 : -EPROTO;
}

static int take_answer(struct json_object *o, struct json_request *request,
		       struct end *server)
{
	uint64_t version, qpn, psn, used;
	struct json_object *error;

	if (!json_object_is_type(o, json_type_object) ||
	    number(o, "xroce", 1, &version))
		return -EPROTO;
	if (json_object_object_get_ex(o, "error", &error)) {
		snprintf(request->why, sizeof(request->why), "%s",
			 error ? json_object_get_string(error) : "no reason");
		return -EREMOTEIO;
	}
	/* The server may choose a smaller MTU, which this client does not accept. */
	if (number(o, "qpn", 0xffffff, &qpn) || number(o, "psn", 0xffffff, &psn) ||
	    number(o, "mtu", 4096, &used) || used != request->mtu ||
	    take_gid(o, server->gid))
		return -EPROTO;
	server->qpn = qpn;
	server->psn = psn;
	return take_region(o, request->region, server);
}

int exchange_json(int fd, const struct end *own, struct json_request *request,
		  struct end *server)
{
	int err = ask(fd, own, request);
	struct json_object *o;
	char line[ANSWER];

	if (!err)
		err = read_answer(fd, line);
	if (err)
		return err;
	o = json_tokener_parse(line);
	err = take_answer(o, request, server);
	json_object_put(o);
	return err;
}
