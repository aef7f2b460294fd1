// SPDX-License-Identifier: GPL-2.0-only
/*
 * VLAN tags beside the frame, as most NICs deliver them: the program for VLANs, on a veth
 * pair, without the module. A program at the egress of c0 moves a tag there.
 *
 *   c0: the test, 02:00:00:00:00:01  ---->  x0: the program, 02:00:00:00:00:02
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "sibling_path.h"
#include "counters.h"
#include "native.h"
#include "scene.h"

#define TCI		0x2064
#define NO_TAG		(-1)
#define COMES_MS	5000
#define QUIET_MS	150

static int c0, x0, pushes, socks[2];
static bool ready;

static bool sh(const char *command)
{
	return check(!system(command), "%s", command);
}

/* A program that puts a tag of @tpid, with TCI, beside all frames that leave. */
static int push_program(uint16_t tpid)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2,
		  .imm = htons(tpid) },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = TCI },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_skb_vlan_push },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "push", "GPL", insns,
			     ARRAY_SIZE(insns), NULL);
}

/* From now on frames leave with this tag beside them; 0: without. */
static bool push(uint16_t tpid)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = c0, .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .handle = 1, .priority = 1);
	int err = 0;

	if (pushes) {
		err = bpf_tc_detach(&hook, &opts);
		close(pushes);
		pushes = 0;
	}
	if (!err && tpid) {
		pushes = push_program(tpid);
		opts.prog_fd = pushes;
		err = pushes < 0 ? pushes : bpf_tc_attach(&hook, &opts);
	}
	return check(!err, "tag %#x: %s", tpid, strerror(-err));
}

static int packets_of(int ifindex)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = ifindex,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), one = 1;

	check(fd >= 0 &&
	      !setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) &&
	      !setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) &&
	      !bind(fd, (struct sockaddr *)&addr, sizeof(addr)), "packets: %s",
	      strerror(errno));
	return fd;
}

/* Return: whether all is set up; if not, the test has failed or is marked as skipped. */
static bool set_up(struct scene *s)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .attach_point = BPF_TC_EGRESS);
	char object[PATH_MAX], command[PATH_MAX + 64];
	int err;

	if (ready)
		return scene_init(s);
	if (unshare(CLONE_NEWNET)) {
		skip("no network namespace");
		return false;
	}
	if (!sh("ip link add c0 type veth peer name x0 && ip link set c0 up && ip link set x0 up") ||
	    !check(sibling_path("lib/pass.bpf.o", object), "the path of pass.bpf.o"))
		return false;
	/* veth delivers XDP_TX frames only to a peer with an XDP program. */
	snprintf(command, sizeof(command),
		 "ip link set c0 xdpdrv object %s section xdp.frags", object);
	if (!sh(command))
		return false;
	c0 = if_nametoindex("c0");
	x0 = if_nametoindex("x0");
	if (!native_open_vlan(x0))
		return false;
	err = bpf_xdp_attach(x0, native_vlan_prog(), XDP_FLAGS_DRV_MODE, NULL);
	hook.ifindex = c0;
	err = err ? : bpf_tc_hook_create(&hook);
	if (!check(!err, "programs: %s", strerror(-err)))
		return false;
	socks[0] = packets_of(c0);
	socks[1] = packets_of(x0);
	ready = !test_failed();
	return ready && scene_init(s);
}

/* The tag beside a received packet, or NO_TAG. */
static int tag_of(struct msghdr *m)
{
	const struct tpacket_auxdata *aux;
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		aux = (const void *)CMSG_DATA(c);
		if (c->cmsg_level == SOL_PACKET && c->cmsg_type == PACKET_AUXDATA)
			return aux->tp_status & TP_STATUS_VLAN_VALID ?
			       aux->tp_vlan_tci : NO_TAG;
	}
	return NO_TAG;
}

/* Take the next RoCEv2 packet. Return: false: there is none within @ms milliseconds. */
static bool take(int fd, int ms, struct packet *p, int *tag, struct frame *f)
{
	char control[256] __attribute__((aligned(8)));
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	struct iovec iov = { f->bytes, sizeof(f->bytes) };
	struct msghdr m;
	ssize_t n;

	while (poll(&wait, 1, ms) > 0) {
		m = (struct msghdr){
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		n = recvmsg(fd, &m, 0);
		f->len = n < 0 ? 0 : n;
		*tag = tag_of(&m);
		/* Packets of the kernel itself have other ports. */
		if (n > 0 && !packet_parse(f->bytes, f->len, PACKET_READ_NO_ICRC, p) &&
		    p->dport == XROCE_UDP_PORT)
			return true;
	}
	return false;
}

static void send_it(const struct scene *s, struct frame *f)
{
	packet_build(&s->req, f);
	check(send(socks[0], f->bytes, f->len, 0) == (ssize_t)f->len, "send: %s",
	      strerror(errno));
}

/* The request is executed; the response has @tag beside it, and the request's tags in it. */
static void answered(struct scene *s, int tag)
{
	struct xroce_qp q;
	struct packet got;
	struct frame f;
	int is;

	send_it(s, &f);
	if (!check(take(socks[0], COMES_MS, &got, &is, &f), "no response"))
		return;
	check(is == tag, "tag %#x, not %#x", is, tag);
	check(got.opcode == XROCE_RC_ACK && got.syndrome == XROCE_SYN_ACK &&
	      got.psn == s->req.psn, "opcode %#x, syndrome %#x, PSN %#x", got.opcode,
	      got.syndrome, got.psn);
	check(got.vlans == s->req.vlans &&
	      !memcmp(got.vlan, s->req.vlan, sizeof(got.vlan)), "tags in the frame");
	check(!memcmp(got.src_mac, s->req.dst_mac, 6) &&
	      !memcmp(got.dst_mac, s->req.src_mac, 6), "addresses");
	native_get_qp(SCENE_QPN, &q);
	check(q.packets == s->qp.packets + 1, "not executed");
}

/* The stack of x0 receives the frame unchanged, and nothing is executed. */
static void passed(struct scene *s, int tag, unsigned int counted)
{
	struct xroce_stat before, after;
	struct frame sent, f;
	struct packet got;
	int is;

	native_get_stat(&before);
	send_it(s, &sent);
	if (check(take(socks[1], COMES_MS, &got, &is, &f), "not passed to the stack")) {
		check(is == tag, "tag %#x, not %#x", is, tag);
		check(f.len == sent.len && !memcmp(f.bytes, sent.bytes, f.len),
		      "the frame has changed");
	}
	check(!take(socks[0], QUIET_MS, &got, &is, &f), "there is a response");
	native_get_stat(&after);
	check(after.rx == before.rx && after.pass == before.pass + counted,
	      "rx %llu, pass %llu", after.rx - before.rx, after.pass - before.pass);
}

TEST(vlan_beside, "D1", "the response has the tag of the request")
{
	struct scene s;

	if (set_up(&s) && push(ETH_P_8021Q))
		answered(&s, TCI);
	if (set_up(&s) && push(ETH_P_8021AD))
		answered(&s, TCI);
}

TEST(vlan_beside_ipv6, "D1", "a tag before IPv6")
{
	struct scene s;

	if (!set_up(&s) || !push(ETH_P_8021Q))
		return;
	scene_ipv6(&s);
	answered(&s, TCI);
}

TEST(vlan_beside_none, "D1", "no tag, and none in the response")
{
	struct scene s;

	if (set_up(&s) && push(0))
		answered(&s, NO_TAG);
}

TEST(vlan_beside_two, "D1", "one tag beside the frame, another one in it")
{
	struct scene s;

	if (!set_up(&s) || !push(ETH_P_8021AD))
		return;
	s.req.vlan[s.req.vlans].tpid = ETH_P_8021Q;
	s.req.vlan[s.req.vlans++].tci = 7;
	answered(&s, TCI);
}

/* Frames that are not for xroce, or have three tags, pass unchanged. */
TEST(vlan_beside_others, "D3", "frames for others pass unchanged")
{
	struct scene s;

	if (!set_up(&s) || !push(ETH_P_8021Q))
		return;
	s.req.dqpn = 0x11;
	passed(&s, TCI, 1);
	s.req.dqpn = SCENE_QPN;
	s.req.dst_mac[5] ^= 1;
	passed(&s, TCI, 1);
	s.req.dst_mac[5] ^= 1;
	while (s.req.vlans < PACKET_VLANS)
		s.req.vlan[s.req.vlans++].tpid = ETH_P_8021Q;
	passed(&s, TCI, 0);
	if (scene_init(&s))
		answered(&s, TCI);
}

TEST_MAIN(native_main);
