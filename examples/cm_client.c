// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/*
 * Write a file into a region of "xroce serve --rdma-cm", read it back, and compare. Uses
 * librdmacm and libibverbs only.
 *
 * usage: cm_client [-c] [-p PORT] [-o OFFSET] [-n ROUNDS] [-k RKEY] [-r REGION] SERVER FILE
 *
 *   cm_client -r album 10.0.0.2 photo.jpg
 *   cm_client -r album -c 10.0.0.2 photo.jpg	# still there?
 *
 * Without -r the server's only region is used. With -c nothing is written: the file is compared
 * with the region. OFFSET is where to begin in the region. RKEY replaces the server's key. The
 * exit status is 1 if the server refuses a request or bytes differ.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define MESSAGE	(1 << 20)	/* bytes of a message, at most */

/* The server's private data, in network byte order: see xroce-serve(8). */
struct region {
	__be32 version;
	__be32 rkey;
	__be64 iova;
	__be64 length;
	__be32 access;
	__be32 reserved;
};

struct client {
	struct rdma_cm_id *id;
	struct ibv_mr *mr;
	char buf[MESSAGE];
	bool connected;
	uint64_t iova;
	uint32_t rkey;
};

static int complain(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	return 1;
}

/* Resolve the address, and make a queue pair on the device that leads there. */
static int open_client(struct client *c, const char *server, const char *port)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP }, *where;
	struct ibv_qp_init_attr init = {
		.cap = {
			.max_send_wr = 1, .max_recv_wr = 1,
			.max_send_sge = 1, .max_recv_sge = 1,
		},
		.sq_sig_all = 1,
	};
	int err;

	if (rdma_getaddrinfo(server, port, &hints, &where))
		return complain(server, strerror(errno));
	err = rdma_create_ep(&c->id, where, NULL, &init);
	rdma_freeaddrinfo(where);
	if (err)
		return complain(server, strerror(errno));
	c->mr = rdma_reg_msgs(c->id, c->buf, sizeof(c->buf));
	return c->mr ? 0 : complain("region", strerror(errno));
}

/* The server refuses with a text, the rest of the network with none. */
static int refused(const struct rdma_cm_event *event)
{
	const struct rdma_conn_param *param = &event->param.conn;
	const char *text = param->private_data;

	if (event->event == RDMA_CM_EVENT_REJECTED && text && param->private_data_len &&
	    *text) {
		fprintf(stderr, "the server: %.*s\n", param->private_data_len, text);
		return 1;
	}
	return complain("connect", rdma_event_str(event->event));
}

/* Request the region; the server tells where it is. */
static int connect_client(struct client *c, const char *name)
{
	struct rdma_conn_param param = {
		.private_data = name,
		.private_data_len = strlen(name),
		.initiator_depth = 1,
		.retry_count = 6,	/* with 7, Soft-RoCE never gives up */
	};
	struct region region;

	if (rdma_connect(c->id, &param))
		return c->id->event ? refused(c->id->event) :
				      complain("connect", strerror(errno));
	c->connected = true;
	if (c->id->event->param.conn.private_data_len < sizeof(region))
		return complain("connect", "no description of a region");
	memcpy(&region, c->id->event->param.conn.private_data, sizeof(region));
	if (be32toh(region.version) != 1)
		return complain("connect", "another version of the description");
	c->iova = be64toh(region.iova);
	c->rkey = be32toh(region.rkey);
	printf("%llu bytes at 0x%llx\n", (unsigned long long)be64toh(region.length),
	       (unsigned long long)c->iova);
	return 0;
}

/* Wait for the completion of a request. */
static int complete(struct client *c, const char *what, int err)
{
	struct ibv_wc wc;

	if (err || rdma_get_send_comp(c->id, &wc) < 1)
		return complain(what, strerror(errno));
	return wc.status ? complain(what, ibv_wc_status_str(wc.status)) : 0;
}

/* Write the bytes into the region, unless @check, and read them back into the buffer. */
static int move(struct client *c, const char *bytes, size_t len, uint64_t iova, bool check)
{
	memcpy(c->buf, bytes, len);
	if (!check && complete(c, "WRITE", rdma_post_write(c->id, NULL, c->buf, len, c->mr,
							   0, iova, c->rkey)))
		return 1;
	memset(c->buf, 0, len);
	if (complete(c, "READ", rdma_post_read(c->id, NULL, c->buf, len, c->mr, 0, iova,
					       c->rkey)))
		return 1;
	return memcmp(c->buf, bytes, len) ? complain("READ", "a byte differs") : 0;
}

static int move_all(struct client *c, const char *bytes, size_t size, uint64_t offset,
		    bool check)
{
	size_t at, len;

	for (at = 0; at < size; at += len) {
		len = size - at < MESSAGE ? size - at : MESSAGE;
		if (move(c, bytes + at, len, c->iova + offset + at, check))
			return 1;
	}
	printf("%zu bytes %s, and the same\n", size, check ? "read" : "written, read back");
	return 0;
}

static void close_client(struct client *c)
{
	if (c->mr)
		rdma_dereg_mr(c->mr);
	/* Without a connection rdma_disconnect() would wait for its end. */
	if (c->connected)
		rdma_disconnect(c->id);
	if (c->id)
		rdma_destroy_ep(c->id);
}

static int usage(void)
{
	fputs("usage: cm_client [-c] [-p PORT] [-o OFFSET] [-n ROUNDS] [-k RKEY] [-r REGION] SERVER FILE\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *name = "", *port = "18515", *rkey = NULL;
	static struct client client;
	uint64_t offset = 0, rounds = 1;
	bool check = false;
	struct stat st;
	char *bytes;
	int c, fd, status;

	while ((c = getopt(argc, argv, "cp:o:n:k:r:")) != -1)
		switch (c) {
		case 'c':
			check = true;
			break;
		case 'p':
			port = optarg;
			break;
		case 'o':
			offset = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			rounds = strtoull(optarg, NULL, 0);
			break;
		case 'k':
			rkey = optarg;
			break;
		case 'r':
			name = optarg;
			break;
		default:
			return usage();
		}
	if (argc - optind != 2)
		return usage();
	fd = open(argv[optind + 1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st))
		return complain(argv[optind + 1], strerror(errno));
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return complain(argv[optind + 1], strerror(errno));

	status = open_client(&client, argv[optind], port) || connect_client(&client, name);
	if (rkey)
		client.rkey = strtoul(rkey, NULL, 0);
	while (!status && rounds--)
		status = move_all(&client, bytes, st.st_size, offset, check);
	close_client(&client);
	return status;
}
