// SPDX-License-Identifier: GPL-2.0-only
/*
 * Datagrams of a verbs device. Multicast groups: rxe0 sends datagrams to a group, and queue pairs
 * of xr0 that have joined it get copies. "Nothing arrives" is shown by a datagram sent afterwards,
 * which is the next one to arrive.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

#include "gid.h"
#include "mem.h"
#include "verbs_end.h"

#define GROUP		"239.7.7.7"
#define OTHER_GROUP	"239.7.7.8"
#define GROUP6		"ff15::7:7"
#define PEER_ADDRESS6	"fd77::1"
#define GRH		40u		/* bytes before the message */
#define LENGTH		100u
#define RECEIVES	16u
#define MCAST_QPN	0xffffffu
#define MOST_GROUPS	64u		/* of a queue pair */
#define MOST_MEMBERS	64u		/* of a group */
#define MOST_MEMBERSHIPS 4096u		/* of a link */
#define NOBODY		65534

/**
 * struct member - a queue pair with memory for one datagram
 * @cq: its completion queue
 * @qp: the queue pair, in RTS
 * @at: GRH and message
 * @mr: region over it
 */
struct member {
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	uint8_t *at;
	struct ibv_mr *mr;
};

static struct ibv_cq *peer_cq;
static struct ibv_qp *peer;
static struct ibv_mr *peer_mr;
static uint8_t message[4096];

static union ibv_gid group_of(const char *address)
{
	union ibv_gid gid = {};

	gid_parse(address, gid.raw);
	return gid;
}

static int join(struct member *m, const char *group)
{
	union ibv_gid gid = group_of(group);

	return ibv_attach_mcast(m->qp, &gid, 0);
}

static int leave(struct member *m, const char *group)
{
	union ibv_gid gid = group_of(group);

	return ibv_detach_mcast(m->qp, &gid, 0);
}

static bool member_open_on(struct member *m, struct verbs_end *e, int access)
{
	m->cq = ibv_create_cq(e->ctx, RECEIVES, NULL, NULL, 0);
	m->at = mem_map(1);
	m->mr = ibv_reg_mr(e->pd, m->at, MEM_PAGE, IBV_ACCESS_LOCAL_WRITE | access);
	if (!check(m->cq && m->mr, "member: %s", strerror(errno)))
		return false;
	m->qp = end_qp(e, IBV_QPT_UD, m->cq, m->cq, NULL, 1, RECEIVES);
	return m->qp && check(!end_move(e, m->qp, e, 0, IBV_QPS_RTS), "RTS");
}

static bool member_open(struct member *m, int access)
{
	return member_open_on(m, &xr_end, access);
}

static void member_close(struct member *m)
{
	if (m->qp)
		check(!ibv_destroy_qp(m->qp), "destroy_qp");
	if (m->cq)
		ibv_destroy_cq(m->cq);
	if (m->mr)
		ibv_dereg_mr(m->mr);
	munmap(m->at, MEM_PAGE);
}

static void receive(struct member *m, uint64_t id)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)m->at, .length = GRH + LENGTH, .lkey = m->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	check(!ibv_post_recv(m->qp, &wr, &bad), "post_recv");
}

/* The peer's own address for a group: IPv4 or IPv6. Return: its index. */
static int source_of(const char *group)
{
	union ibv_gid own = group_of(PEER_ADDRESS6);

	return strchr(group, ':') ? gid_index(rxe_end.ctx, own.raw) : rxe_end.gid_index;
}

static struct ibv_ah *address_of(struct verbs_end *e, int source, union ibv_gid to)
{
	struct ibv_ah_attr attr = {
		.is_global = 1, .port_num = 1,
		.grh = { .dgid = to, .sgid_index = source, .hop_limit = 1 },
	};
	struct ibv_ah *ah = ibv_create_ah(e->pd, &attr);

	check(ah, "create_ah: %s", strerror(errno));
	return ah;
}

/* Send @length bytes that begin with @mark. */
static void send_as(const char *group, uint32_t qkey, uint8_t mark, uint32_t length)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)message, .length = length, .lkey = peer_mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .remote_qpn = MCAST_QPN, .remote_qkey = qkey,
			   .ah = address_of(&rxe_end, source_of(group), group_of(group)) },
	}, *bad;
	struct ibv_wc wc;

	memset(message, mark, sizeof(message));
	if (!wr.wr.ud.ah)
		return;
	check(!ibv_post_send(peer, &wr, &bad), "post_send");
	check(end_wait(peer_cq, &wc) == IBV_WC_SUCCESS, "sent: %s", ibv_wc_status_str(wc.status));
	ibv_destroy_ah(wr.wr.ud.ah);
}

static void send_one(const char *group, uint8_t mark)
{
	send_as(group, END_QKEY, mark, LENGTH);
}

/* The next completion is of a datagram of @mark to @group, with all that belongs to it. */
static void arrives_from(struct member *m, uint64_t id, const struct ibv_qp *from,
			 const char *group, uint8_t mark)
{
	union ibv_gid gid = group_of(group);
	struct ibv_wc wc;
	uint32_t i;

	if (!check(end_wait(m->cq, &wc) == IBV_WC_SUCCESS, "datagram %#x", mark))
		return;
	check(wc.wr_id == id && wc.byte_len == GRH + LENGTH && wc.src_qp == from->qp_num &&
	      wc.wc_flags & IBV_WC_GRH && wc.qp_num == m->qp->qp_num,
	      "completion: id %lu, %u bytes of %#x, flags %#x", wc.wr_id, wc.byte_len, wc.src_qp,
	      wc.wc_flags);
	/* The destination ends the GRH; an IPv4 header is at its end. */
	check(!memcmp(m->at + GRH - 4, &gid.raw[12], 4), "destination in the header");
	for (i = 0; i < LENGTH; i++)
		if (!check(m->at[GRH + i] == mark, "byte %u is %#x, not %#x", i, m->at[GRH + i],
			   mark))
			break;
	check(!m->at[GRH + LENGTH], "a byte behind the message");
}

static void arrives(struct member *m, uint64_t id, const char *group, uint8_t mark)
{
	arrives_from(m, id, peer, group, mark);
}

static void quiet(struct member *m)
{
	struct ibv_wc wc;

	check(!ibv_poll_cq(m->cq, 1, &wc), "a datagram that is for others");
}

static bool opened(void)
{
	if (!ends_open())
		return false;
	peer_cq = ibv_create_cq(rxe_end.ctx, RECEIVES, NULL, NULL, 0);
	peer_mr = ibv_reg_mr(rxe_end.pd, message, sizeof(message), 0);
	peer = end_qp(&rxe_end, IBV_QPT_UD, peer_cq, peer_cq, NULL, 4, 1);
	return check(peer_cq && peer_mr && peer, "peer") &&
	       check(!end_move(&rxe_end, peer, &xr_end, 0, IBV_QPS_RTS), "RTS");
}

static void closed(void)
{
	ibv_destroy_qp(peer);
	ibv_dereg_mr(peer_mr);
	ibv_destroy_cq(peer_cq);
	ends_close();
}

/* Run a test with two queue pairs of xr0. */
static void with_members(void (*test)(struct member *one, struct member *two))
{
	struct member one = {}, two = {};

	if (opened()) {
		if (member_open(&one, 0) && member_open(&two, 0))
			test(&one, &two);
		member_close(&one);
		member_close(&two);
	}
	closed();
}

/* A test with two queue pairs of xr0, its parameters. */
#define MEMBERS_TEST(name, ids, about) \
	TEST_CALLED((struct member *one, struct member *two), with_members(in_##name), \
		    name, ids, about)

MEMBERS_TEST(mcast_members, "V9 D3", "each member of a group gets a copy")
{
	struct member other = {};

	if (!member_open(&other, 0))
		return;
	receive(&other, 3);
	receive(one, 1);
	receive(two, 2);
	check(!join(one, GROUP) && !join(two, GROUP) && !join(&other, OTHER_GROUP), "join");
	send_one(GROUP, 0x11);
	arrives(one, 1, GROUP, 0x11);
	arrives(two, 2, GROUP, 0x11);
	send_one(OTHER_GROUP, 0x22);
	arrives(&other, 3, OTHER_GROUP, 0x22);
	quiet(one);
	quiet(two);
	receive(one, 4);
	check(!join(one, GROUP6), "join");
	send_one(GROUP6, 0x33);
	arrives(one, 4, GROUP6, 0x33);
	quiet(two);
	check(!leave(one, GROUP6), "leave");
	check(!leave(one, GROUP) && !leave(two, GROUP) && !leave(&other, OTHER_GROUP), "leave");
	member_close(&other);
}

MEMBERS_TEST(mcast_leaves, "V9", "who has left, or has been destroyed, gets none")
{
	receive(one, 1);
	receive(two, 2);
	receive(two, 3);
	check(!join(one, GROUP) && !join(two, GROUP), "join");
	check(ibv_destroy_qp(one->qp) == EBUSY, "destroyed as a member");
	check(!leave(one, GROUP), "leave");
	send_one(GROUP, 0x11);
	arrives(two, 2, GROUP, 0x11);
	quiet(one);
	/* Once more after the queue pair has gone. */
	check(!ibv_destroy_qp(one->qp), "destroy");
	one->qp = NULL;
	send_one(GROUP, 0x22);
	arrives(two, 3, GROUP, 0x22);
	check(!leave(two, GROUP), "leave");
}

/* What is not for a member, or finds no room, leaves no trace, and others get theirs. */
MEMBERS_TEST(mcast_refused, "V9 V5", "no member, wrong key, no or too little room")
{
	check(!join(one, GROUP) && !join(two, GROUP), "join");
	receive(one, 1);
	/* @two has no work request: it misses this one. */
	send_one(GROUP, 0x10);
	arrives(one, 1, GROUP, 0x10);
	receive(one, 2);
	receive(two, 3);
	send_one(OTHER_GROUP, 0x20);
	send_as(GROUP, END_QKEY ^ 1, 0x30, LENGTH);
	/* Longer than the work requests: they stay for the next one. */
	send_as(GROUP, END_QKEY, 0x40, LENGTH + 1);
	send_one(GROUP, 0x50);
	arrives(one, 2, GROUP, 0x50);
	arrives(two, 3, GROUP, 0x50);
	receive(two, 4);
	check(!end_state(one->qp, IBV_QPS_RESET), "RESET");
	send_one(GROUP, 0x60);
	arrives(two, 4, GROUP, 0x60);
	quiet(one);
	check(!leave(one, GROUP) && !leave(two, GROUP), "leave");
}

MEMBERS_TEST(mcast_rules, "V9 V5", "what can join which group, and how many")
{
	struct member rc = { .qp = end_qp(&xr_end, IBV_QPT_RC, one->cq, one->cq, NULL, 1, 1) };
	char name[INET_ADDRSTRLEN];
	unsigned int i;

	check(join(&rc, GROUP) == EINVAL, "RC");
	check(join(one, "10.77.0.2") == EINVAL, "an address of a host");
	check(leave(one, GROUP) == EINVAL, "left without having joined");
	check(!join(one, GROUP) && !join(one, GROUP), "joined twice");
	receive(one, 1);
	receive(one, 2);
	send_one(GROUP, 0x11);
	arrives(one, 1, GROUP, 0x11);
	quiet(one);
	check(!leave(one, GROUP) && leave(one, GROUP) == EINVAL, "left twice");
	for (i = 0; i < MOST_GROUPS; i++) {
		snprintf(name, sizeof(name), "239.8.0.%u", i);
		check(!join(two, name), "group %u", i);
	}
	check(join(two, GROUP) == ENOMEM, "a group more than there may be");
	for (i = 0; i < MOST_GROUPS; i++) {
		snprintf(name, sizeof(name), "239.8.0.%u", i);
		check(!leave(two, name), "group %u", i);
	}
	ibv_destroy_qp(rc.qp);
}

/* A group with as many members as it may have, and one more. */
MEMBERS_TEST(mcast_full, "V9 V5", "the most members of a group")
{
	struct member many[MOST_MEMBERS - 1];
	unsigned int i;

	check(!join(one, GROUP), "join");
	for (i = 0; i < MOST_MEMBERS - 1; i++) {
		many[i].qp = end_qp(&xr_end, IBV_QPT_UD, two->cq, two->cq, NULL, 1, 1);
		check(many[i].qp && !join(&many[i], GROUP), "member %u", i);
	}
	check(join(two, GROUP) == ENOMEM, "a member more than there may be");
	receive(one, 1);
	send_one(GROUP, 0x11);
	arrives(one, 1, GROUP, 0x11);
	for (i = 0; i < MOST_MEMBERS - 1; i++)
		check(!leave(&many[i], GROUP) && !ibv_destroy_qp(many[i].qp), "leave");
	check(!join(two, GROUP) && !leave(two, GROUP) && !leave(one, GROUP), "room again");
}

/* Queue pairs with all groups that they may have: four memberships for each hash value. */
#define MANY	16u

/* Members of many other groups, some with the hash value of the group, get nothing. */
MEMBERS_TEST(mcast_apart, "V9 V5", "members of many other groups get none")
{
	struct member many[MANY];
	char name[INET_ADDRSTRLEN];
	unsigned int i;

	check(!join(one, GROUP), "join");
	for (i = 0; i < MANY * MOST_GROUPS; i++) {
		struct member *m = &many[i / MOST_GROUPS];

		if (!(i % MOST_GROUPS)) {
			*m = *two;
			m->qp = end_qp(&xr_end, IBV_QPT_UD, two->cq, two->cq, NULL, 1, 1);
			if (!m->qp ||
			    !check(!end_move(&xr_end, m->qp, &xr_end, 0, IBV_QPS_RTS), "RTS"))
				return;
			receive(m, i);
		}
		snprintf(name, sizeof(name), "239.8.%u.%u", i / MOST_GROUPS, i % MOST_GROUPS);
		check(!join(m, name), "join %s", name);
	}
	receive(one, 1);
	send_one(GROUP, 0x11);
	arrives(one, 1, GROUP, 0x11);
	quiet(two);
	for (i = 0; i < MANY * MOST_GROUPS; i++) {
		snprintf(name, sizeof(name), "239.8.%u.%u", i / MOST_GROUPS, i % MOST_GROUPS);
		check(!leave(&many[i / MOST_GROUPS], name), "leave %s", name);
	}
	for (i = 0; i < MANY; i++)
		check(!ibv_destroy_qp(many[i].qp), "destroy");
	check(!leave(one, GROUP), "leave");
}

/* Queue pairs of a user for as many groups as a link has memberships. */
#define USER_QPS	(MOST_MEMBERSHIPS / MOST_GROUPS)

/*
 * There are @others members of GROUP, of other users and nothing else. Join with @qps as often as
 * it is possible: as often as there then is room for others.
 */
static void join_as_user(struct member *qps, unsigned int others)
{
	unsigned int i, joined;
	char name[INET_ADDRSTRLEN];

	for (joined = 0; joined < USER_QPS && !join(&qps[joined], GROUP); joined++)
		;
	check(joined == (MOST_MEMBERS - MOST_MEMBERS / 8 - others) / 2, "%u members of a group", joined);
	check(join(&qps[joined], GROUP) == ENOMEM, "a member more");
	for (i = 0; i < joined; i++)
		check(!leave(&qps[i], GROUP), "leave");
	/* Few of them in one group. */
	for (joined = 0; joined < MOST_MEMBERSHIPS; joined++) {
		snprintf(name, sizeof(name), "239.9.%u.%u", joined / MOST_GROUPS / 16,
			 joined % MOST_GROUPS);
		if (join(&qps[joined / MOST_GROUPS], name))
			break;
	}
	check(joined == (MOST_MEMBERSHIPS - MOST_MEMBERSHIPS / 8 - others) / 2, "%u memberships", joined);
}

static void use_as_user(unsigned int others)
{
	static struct member qps[USER_QPS];
	struct ibv_cq *cq;
	unsigned int i;

	if (!check(!setresuid(NOBODY, NOBODY, NOBODY), "setresuid: %s", strerror(errno)) ||
	    !end_open(&xr_end, "xr0", "10.77.0.2"))
		return;
	cq = ibv_create_cq(xr_end.ctx, 1, NULL, NULL, 0);
	for (i = 0; i < USER_QPS; i++) {
		qps[i].qp = end_qp(&xr_end, IBV_QPT_UD, cq, cq, NULL, 1, 1);
		if (!qps[i].qp)
			return;
	}
	join_as_user(qps, others);
}

/* A user without privilege leaves as much room as he takes. */
MEMBERS_TEST(mcast_shared, "V9 V5", "a user leaves room for others")
{
	int status = -1;
	pid_t pid;

	check(!join(one, GROUP) && !join(two, GROUP), "join");
	pid = fork();
	if (!pid) {
		use_as_user(2);
		fflush(stdout);
		_exit(test_failed());
	}
	check(waitpid(pid, &status, 0) == pid && !status, "the user's process: %d", status);
	receive(one, 1);
	send_one(GROUP, 0x11);
	arrives(one, 1, GROUP, 0x11);
	check(!leave(one, GROUP) && !leave(two, GROUP), "leave");
}

#define VLAN_GROUP	"239.7.7.7"
#define IN_XR		"nsenter --net=/run/netns/xr "

/* Send with the tag of the VLAN of the network device that has the address @from. */
static void send_tagged(const char *from, uint8_t mark)
{
	union ibv_gid source = group_of(from);
	int untagged = rxe_end.gid_index, i;

	for (i = 0; i < 100 && gid_index(rxe_end.ctx, source.raw) < 0; i++)
		usleep(20000);
	rxe_end.gid_index = gid_index(rxe_end.ctx, source.raw);
	if (check(rxe_end.gid_index >= 0, "no GID of %s", from))
		send_one(VLAN_GROUP, mark);
	rxe_end.gid_index = untagged;
	/* rxe0 has sent it; the device of the link takes some more time. */
	usleep(50000);
}

/*
 * A datagram with the tag of a VLAN is for members only if this machine takes it on that VLAN.
 * verbs_mcast.sh has made x0.6, without an address, before the link.
 */
MEMBERS_TEST(mcast_vlan, "V9 D1", "a tagged datagram is for members if the VLAN has joined")
{
	receive(one, 1);
	receive(one, 2);
	receive(two, 3);
	check(!join(one, VLAN_GROUP) && !join(two, OTHER_GROUP), "join");
	if (!check_sh("ip link add link c0 name c0.6 type vlan id 6") ||
	    !check_sh("ip link add link c0 name c0.7 type vlan id 7") ||
	    !check_sh("ip addr add 10.79.0.1/24 dev c0.6 && ip link set c0.6 up") ||
	    !check_sh("ip addr add 10.80.0.1/24 dev c0.7 && ip link set c0.7 up"))
		return;
	/* Another VLAN; then without an address, without the group, and with both. */
	send_tagged("10.80.0.1", 0x11);
	quiet(one);
	send_tagged("10.79.0.1", 0x22);
	quiet(one);
	check_sh(IN_XR "ip addr add 10.79.0.2/24 dev x0.6");
	send_tagged("10.79.0.1", 0x33);
	quiet(one);
	check_sh(IN_XR "ip addr add " VLAN_GROUP "/32 dev x0.6 autojoin");
	send_tagged("10.79.0.1", 0x44);
	arrives(one, 1, VLAN_GROUP, 0x44);
	/* Without a tag as before. */
	send_one(VLAN_GROUP, 0x55);
	arrives(one, 2, VLAN_GROUP, 0x55);
	quiet(two);
	check(!leave(one, VLAN_GROUP) && !leave(two, OTHER_GROUP), "leave");
	check_sh(IN_XR "ip addr flush dev x0.6");
	check_sh("ip link del c0.6 && ip link del c0.7");
}

/* A member whose work request names memory that has gone comes to ERR; others do not. */
MEMBERS_TEST(mcast_wrong_memory, "V9 V6", "a receive into memory that has gone")
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;

	check(!join(one, GROUP) && !join(two, GROUP), "join");
	receive(one, 1);
	receive(two, 2);
	check(!ibv_dereg_mr(one->mr), "dereg_mr");
	one->mr = NULL;
	send_one(GROUP, 0x11);
	arrives(two, 2, GROUP, 0x11);
	check(end_wait(one->cq, &wc) == IBV_WC_LOC_PROT_ERR && wc.wr_id == 1, "completion");
	check(!ibv_query_qp(one->qp, &attr, IBV_QP_STATE, &init) &&
	      attr.qp_state == IBV_QPS_ERR, "state %d", attr.qp_state);
	check(end_events(&xr_end, IBV_EVENT_QP_FATAL) == 1, "event");
	check(!leave(one, GROUP) && !leave(two, GROUP), "leave");
}

/* In one call, datagrams to the device itself and to rxe0 in turn: each arrives where it should. */
MEMBERS_TEST(mcast_mixed, "Q5", "datagrams to the device itself and to others")
{
	struct ibv_cq *cq = ibv_create_cq(rxe_end.ctx, RECEIVES, NULL, NULL, 0);
	struct ibv_qp *rxe = end_qp(&rxe_end, IBV_QPT_UD, cq, cq, NULL, 1, RECEIVES);
	struct ibv_mr *mr = ibv_reg_mr(rxe_end.pd, one->at, MEM_PAGE, IBV_ACCESS_LOCAL_WRITE);
	struct ibv_qp *qp = end_qp(&xr_end, IBV_QPT_UD, one->cq, one->cq, NULL, RECEIVES, 1);
	struct ibv_ah *ah[2] = {
		address_of(&xr_end, xr_end.gid_index, xr_end.gid),
		address_of(&xr_end, xr_end.gid_index, rxe_end.gid),
	};
	struct ibv_sge from = {
		.addr = (uintptr_t)two->at + 2048, .length = 8, .lkey = two->mr->lkey,
	};
	struct ibv_sge to = { .addr = (uintptr_t)one->at, .length = GRH + 8 };
	struct ibv_recv_wr recv = { .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr[RECEIVES] = {}, *bad;
	struct ibv_wc wc;
	uint32_t i;

	if (!check(mr && rxe && qp && ah[0] && ah[1], "objects") ||
	    !check(!end_move(&rxe_end, rxe, &xr_end, 0, IBV_QPS_RTS) &&
		   !end_move(&xr_end, qp, &rxe_end, 0, IBV_QPS_RTS), "RTS"))
		return;
	to.lkey = mr->lkey;
	for (i = 0; i < RECEIVES / 2; i++) {
		receive(two, i);
		check(!ibv_post_recv(rxe, &recv, &bad_recv), "post_recv");
	}
	for (i = 0; i < RECEIVES; i++) {
		wr[i] = (struct ibv_send_wr){
			.sg_list = &from, .num_sge = 1, .opcode = IBV_WR_SEND,
			.next = i + 1 < RECEIVES ? &wr[i + 1] : NULL,
			.wr.ud = { .ah = ah[i % 2], .remote_qkey = END_QKEY,
				   .remote_qpn = i % 2 ? rxe->qp_num : two->qp->qp_num },
		};
	}
	check(!ibv_post_send(qp, wr, &bad), "post_send");
	for (i = 0; i < RECEIVES / 2; i++) {
		check(end_wait(two->cq, &wc) == IBV_WC_SUCCESS, "%u to itself", i);
		check(end_wait(cq, &wc) == IBV_WC_SUCCESS, "%u to rxe0", i);
	}
	ibv_destroy_ah(ah[0]);
	ibv_destroy_ah(ah[1]);
	ibv_destroy_qp(qp);
	ibv_destroy_qp(rxe);
	ibv_dereg_mr(mr);
	ibv_destroy_cq(cq);
}

/* A datagram for memory that is not there is missed, and the memory comes for the next ones. */
TEST(mcast_on_demand, "V9 O3", "receives in on-demand memory")
{
	struct member one = {};
	struct ibv_wc wc;
	unsigned int sent;

	if (opened() && member_open(&one, IBV_ACCESS_ON_DEMAND)) {
		check(!join(&one, GROUP), "join");
		receive(&one, 1);
		for (sent = 0; sent < 1000; sent++) {
			send_one(GROUP, 0x11);
			if (ibv_poll_cq(one.cq, 1, &wc))
				break;
		}
		note("%u datagrams missed", sent);
		check(sent < 1000 && !wc.status && one.at[GRH] == 0x11, "none has arrived");
		check(!leave(&one, GROUP), "leave");
	}
	member_close(&one);
	closed();
}

/* Send bytes of @mark from a member to the group, which has members on its own device as well. */
static void send_from(struct member *m, const char *group, uint8_t mark)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)m->at + 2048, .length = LENGTH, .lkey = m->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.wr.ud = { .remote_qpn = MCAST_QPN, .remote_qkey = END_QKEY,
			   .ah = address_of(&xr_end, xr_end.gid_index, group_of(group)) },
	}, *bad;

	if (!wr.wr.ud.ah)
		return;
	memset(m->at + 2048, mark, LENGTH);
	check(!ibv_post_send(m->qp, &wr, &bad), "post_send");
	ibv_destroy_ah(wr.wr.ud.ah);
}

/* rxe0 gets datagrams of a group only if a socket of its network device is a member, too. */
static int socket_joins(const char *group, const char *address)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ip_mreq m;

	check(inet_pton(AF_INET, group, &m.imr_multiaddr) == 1 &&
	      inet_pton(AF_INET, address, &m.imr_interface) == 1, "addresses");
	check(!setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &m, sizeof(m)), "join: %s",
	      strerror(errno));
	return fd;
}

/* A member sends: rxe0 has a member, and the device of the sender has the sender and another. */
MEMBERS_TEST(mcast_own, "V9 Q5", "members on the device of the sender")
{
	int fd = socket_joins(GROUP, "10.77.0.1");
	struct member rxe = {};

	if (!member_open_on(&rxe, &rxe_end, 0))
		return;
	check(!join(one, GROUP) && !join(two, GROUP) && !join(&rxe, GROUP), "join");
	receive(one, 1);
	receive(two, 2);
	receive(&rxe, 3);
	send_from(one, GROUP, 0x11);
	arrives_from(one, 1, one->qp, GROUP, 0x11);
	arrives_from(two, 2, one->qp, GROUP, 0x11);
	arrives_from(&rxe, 3, one->qp, GROUP, 0x11);
	/* Other groups and who has left get nothing. */
	receive(one, 4);
	receive(two, 5);
	check(!leave(one, GROUP), "leave");
	send_from(one, OTHER_GROUP, 0x22);
	send_from(one, GROUP, 0x33);
	arrives_from(two, 5, one->qp, GROUP, 0x33);
	quiet(one);
	check(!leave(two, GROUP) && !leave(&rxe, GROUP), "leave");
	member_close(&rxe);
	close(fd);
}

TEST_MAIN(harness_main);
