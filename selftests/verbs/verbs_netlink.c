// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include "verbs_netlink.h"

#define NETNS	"/run/netns/xr"
#define INDICES	4096u	/* searched for a device */
#define ROOM	512

/* A request, and its length in the header. */
struct request {
	struct nlmsghdr head;
	char attrs[ROOM];
};

static struct request request(uint16_t command)
{
	return (struct request){
		.head = {
			.nlmsg_len = NLMSG_HDRLEN,
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
	};
}

static void add(struct request *r, uint16_t type, const void *value, uint16_t len)
{
	struct nlattr *attr = (void *)((char *)r + r->head.nlmsg_len);

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, value, len);
	r->head.nlmsg_len += NLA_ALIGN(attr->nla_len);
}

static void add_text(struct request *r, uint16_t type, const char *text)
{
	add(r, type, text, strlen(text) + 1);
}

/* A socket in namespace xr. Return: -1 on error. */
static int open_there(void)
{
	int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	int there = open(NETNS, O_RDONLY | O_CLOEXEC), fd = -1;

	if (there >= 0 && !setns(there, CLONE_NEWNET)) {
		fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
		if (setns(home, CLONE_NEWNET)) {
			close(fd);
			fd = -1;
		}
	}
	close(home);
	close(there);
	return fd;
}

/* Return: 0 or a negative errno, of the call or of the answer. */
static int ask(const struct request *r)
{
	struct {
		struct nlmsghdr head;
		struct nlmsgerr err;
		char rest[ROOM];
	} answer = {};
	static int fd = -1;
	ssize_t n;

	if (fd < 0)
		fd = open_there();
	if (fd < 0 || send(fd, r, r->head.nlmsg_len, 0) < 0)
		return -errno;
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return -errno;
	return answer.head.nlmsg_type == NLMSG_ERROR ? answer.err.error : -EPROTO;
}

int verbs_netlink_add(const char *name, const char *netdev)
{
	struct request r = request(RDMA_NLDEV_CMD_NEWLINK);

	add_text(&r, RDMA_NLDEV_ATTR_DEV_NAME, name);
	add_text(&r, RDMA_NLDEV_ATTR_LINK_TYPE, "xroce");
	add_text(&r, RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
	return ask(&r);
}

/*
 * The index of a device, of which sysfs tells nothing: the device with this name. Each device has a
 * higher index than the one before, so the search goes on from the last one found.
 */
static int find(const char *name, uint32_t *index)
{
	struct {
		struct nlmsghdr head;
		char attrs[4096];
	} answer = {};
	struct request r;
	int fd = open_there(), ret = -ENODEV;
	const struct nlattr *attr;
	static uint32_t last;
	uint32_t i, at;
	ssize_t n;

	for (i = last; fd >= 0 && ret && i < last + INDICES; i++) {
		r = request(RDMA_NLDEV_CMD_GET);
		r.head.nlmsg_flags = NLM_F_REQUEST;
		add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &i, sizeof(i));
		if (send(fd, &r, r.head.nlmsg_len, 0) < 0)
			break;
		n = recv(fd, &answer, sizeof(answer), 0);
		if (n < 0 || answer.head.nlmsg_type == NLMSG_ERROR)
			continue;
		for (at = 0; at + NLA_HDRLEN <= n - NLMSG_HDRLEN; at += NLA_ALIGN(attr->nla_len)) {
			attr = (void *)(answer.attrs + at);
			if (attr->nla_len < NLA_HDRLEN)
				break;
			if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_NAME &&
			    !strcmp((const char *)attr + NLA_HDRLEN, name)) {
				*index = i;
				ret = 0;
			}
		}
	}
	close(fd);
	if (!ret)
		last = *index;
	return ret;
}

int verbs_netlink_delete(const char *name)
{
	struct request r = request(RDMA_NLDEV_CMD_DELLINK);
	uint32_t index;
	int ret = find(name, &index);

	if (ret)
		return ret;
	add(&r, RDMA_NLDEV_ATTR_DEV_INDEX, &index, sizeof(index));
	return ask(&r);
}
