// SPDX-License-Identifier: GPL-2.0-only
/*
 * The peer or the next hop gets another Ethernet address, or the MTU of a network device falls,
 * while queue pairs of xr1, on p0, are connected with those of xr2, on q0. Beside each change that
 * concerns a connection is one that does not. verbs_path.sh makes the devices.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sys/wait.h>

#include "gid.h"
#include "live.h"
#include "mem.h"
#include "verbs_end.h"

#define LENGTH		1024u			/* the path MTU of most connections */
#define XR		"nsenter --net=/run/netns/xr "
#define YR		"nsenter --net=/run/netns/yr "
#define NEW_MAC		"02:00:00:00:0a:0a"
#define NEWER_MAC	"02:00:00:00:0b:0b"
#define ELSEWHERE	"02:00:00:00:0e:0e"	/* nobody has it */
#define EVENTS		"/dev/shm/verbs_path_events"

/**
 * struct conn - a connection
 * @cq: completion queues of xr1 and xr2
 * @qp: queue pairs of xr1 and xr2
 */
struct conn {
	struct ibv_cq *cq[2];
	struct ibv_qp *qp[2];
};

static struct verbs_end end[2];
static struct ibv_mr *mr[2];
static uint8_t memory[2][2 * LENGTH] __attribute__((aligned(MEM_PAGE)));
static pid_t monitor;

static bool ends_up(const char *a, const char *b)
{
	int i;

	if (!end_open(&end[0], "xr1", a) || !end_open(&end[1], "xr2", b))
		return false;
	for (i = 0; i < 2; i++)
		mr[i] = ibv_reg_mr(end[i].pd, memory[i], sizeof(memory[i]),
				   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_READ);
	return check(mr[0] && mr[1], "regions: %s", strerror(errno));
}

static void ends_down(void)
{
	int i;

	for (i = 0; i < 2; i++) {
		check(!ibv_dereg_mr(mr[i]), "region");
		end_close(&end[i]);
	}
}

/* INIT to RTS: four timeouts of 0.27 s. */
static int connect_end(int i, struct ibv_qp *qp, uint32_t peer_qpn, enum ibv_mtu mtu)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = peer_qpn,
		.rq_psn = END_PSN, .max_dest_rd_atomic = 1, .min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = end[i].gid_index, .hop_limit = 64,
				      .dgid = end[!i].gid } },
	};
	int ret = end_move(&end[i], qp, &end[!i], peer_qpn, IBV_QPS_INIT) ?:
		ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
			      IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
			      IBV_QP_MIN_RNR_TIMER);

	return ret ?: end_step(&end[i], qp, &end[!i], peer_qpn, IBV_QPS_RTS);
}

static bool conn_up(struct conn *c, enum ibv_mtu mtu)
{
	int i, ret = 0;

	for (i = 0; i < 2; i++) {
		c->cq[i] = ibv_create_cq(end[i].ctx, 16, NULL, NULL, 0);
		if (!check(c->cq[i], "completion queue: %s", strerror(errno)))
			return false;
		c->qp[i] = end_qp(&end[i], IBV_QPT_RC, c->cq[i], c->cq[i], NULL, 8, 1);
		if (!c->qp[i])
			return false;
	}
	for (i = 0; i < 2 && !ret; i++)
		ret = connect_end(i, c->qp[i], c->qp[!i]->qp_num, mtu);
	return check(!ret, "connect: %s", strerror(ret));
}

static void conn_down(struct conn *c)
{
	int i;

	for (i = 0; i < 2; i++)
		check(!ibv_destroy_qp(c->qp[i]) && !ibv_destroy_cq(c->cq[i]), "destroy");
}

/* Post a WRITE or READ of end @i, and with it another one of @next bytes, unless that is 0. */
static void post_both(struct conn *c, int i, enum ibv_wr_opcode opcode, uint32_t length,
		      uint32_t next)
{
	struct ibv_sge sge[2] = {
		{ (uintptr_t)memory[i], length, mr[i]->lkey },
		{ (uintptr_t)memory[i], next, mr[i]->lkey },
	};
	struct ibv_send_wr *bad, wr[2] = { {
		.sg_list = sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)memory[!i] + LENGTH, mr[!i]->rkey },
	} };

	wr[1] = wr[0];
	wr[1].sg_list = sge + 1;
	if (next)
		wr[0].next = wr + 1;
	check(!ibv_post_send(c->qp[i], wr, &bad), "post");
}

static void post(struct conn *c, int i, enum ibv_wr_opcode opcode, uint32_t length)
{
	post_both(c, i, opcode, length, 0);
}

static void completes(struct conn *c, int i, int want, const char *what)
{
	struct ibv_wc wc;
	int got = end_wait(c->cq[i], &wc);

	check(got == want, "%s, end %d: %s", what, i,
	      got < 0 ? "nothing" : ibv_wc_status_str(got));
}

/* Both ends write, and read again. */
static void works(struct conn *c, const char *what)
{
	static uint8_t number;
	int i;

	for (i = 0; i < 2 && !test_failed(); i++) {
		memset(memory[i], ++number, LENGTH);
		post(c, i, IBV_WR_RDMA_WRITE, LENGTH);
		completes(c, i, IBV_WC_SUCCESS, what);
		check(memory[!i][2 * LENGTH - 1] == number, "%s: bytes of end %d", what, i);
		memset(memory[i], 0, LENGTH);
		post(c, i, IBV_WR_RDMA_READ, LENGTH);
		completes(c, i, IBV_WC_SUCCESS, what);
		check(memory[i][LENGTH - 1] == number, "%s: bytes of the READ", what);
	}
}

struct shown {
	uint32_t qpn;
	const char *mac;
};

/*
 * For live_wait(): whether grep, at the end of the command, finds something. True, and a failed
 * check, if it could not look.
 */
static bool finds(const char *command)
{
	int status = system(command);

	if (!check(status >= 0 && WIFEXITED(status) && WEXITSTATUS(status) <= 1, "%s", command))
		return true;
	return !status;
}

static bool is_shown(void *arg)
{
	const struct shown *s = arg;
	char command[256];

	snprintf(command, sizeof(command),
		 "qp=$(" XR "xroce qp show dev p0 qpn 0x%x) || exit 2; "
		 "echo \"$qp\" | grep -q 'dmac %s'", s->qpn, s->mac);
	return finds(command);
}

/* The Ethernet address to which a queue pair of p0 sends comes to be this one. */
static void sends_to(uint32_t qpn, const char *mac)
{
	struct shown s = { qpn, mac };

	check(live_wait(is_shown, &s), "%#x does not send to %s", qpn, mac);
}

/* The Ethernet address of a device. */
static const char *mac_of(const char *way, const char *dev)
{
	static char mac[18];
	char command[128];
	FILE *f;

	snprintf(command, sizeof(command), "%sip -br link show dev %s | awk '{ print $3 }'", way,
		 dev);
	f = popen(command, "r");
	check(f && fscanf(f, "%17s", mac) == 1, "%s", command);
	check(f && !pclose(f), "%s", command);
	return mac;
}

static bool said(void *arg)
{
	char command[256];

	snprintf(command, sizeof(command), "grep -qE '%s' " EVENTS, (const char *)arg);
	return finds(command);
}

/* "xroce monitor" begins: the first line is about something that is made afterwards. */
static void monitor_begins(void)
{
	fflush(stdout);
	monitor = fork();
	if (!monitor) {
		if (!freopen(EVENTS, "w", stdout))
			_exit(1);
		execlp("nsenter", "nsenter", "--net=/run/netns/xr", "xroce",
		       "monitor", "objects", "dev", "p0", NULL);
		_exit(1);
	}
	/* It compares five times a second. */
	sleep(1);
}

static void monitor_ends(const char *pattern)
{
	check(live_wait(said, (void *)pattern), "no event '%s'", pattern);
	kill(monitor, SIGTERM);
	waitpid(monitor, NULL, 0);
	if (test_failed() && system("sed 's/^/# /' " EVENTS))
		note("no events");
	unlink(EVENTS);
}

/* --- The peer's Ethernet address. */

/* Each end gets another address, which its kernel announces. */
static void announced(const char *a, const char *b)
{
	struct conn c;
	char was[18];

	snprintf(was, sizeof(was), "%s", mac_of(YR, "q0"));
	if (!ends_up(a, b) || !conn_up(&c, IBV_MTU_1024))
		return;
	works(&c, "before");
	monitor_begins();
	check_sh(YR "ip link set q0 address " NEW_MAC);
	sends_to(c.qp[0]->qp_num, NEW_MAC);
	works(&c, "another address of xr2");
	monitor_ends("event change dev p0 qpn 0x[0-9a-f]* pd [0-9]* state rts dmac " NEW_MAC
		     " dmac_before ..:..:..:..:..:..$");
	check_sh(XR "ip link set p0 address " NEWER_MAC);
	works(&c, "another address of xr1");
	check_sh(YR "ip link set q0 address %s", was);
	works(&c, "the previous address");
	conn_down(&c);
	ends_down();
}

TEST(path_announced, "V12", "peers get another Ethernet address") {
	announced("10.79.0.2", "10.79.0.3");
}

TEST(path_announced_ipv6, "V12", "over IPv6") { announced("fd79::2", "fd79::3"); }

TEST(path_outstanding, "V12 V7", "what is lost until the address is known is sent again")
{
	struct conn c;
	char was[18];

	snprintf(was, sizeof(was), "%s", mac_of(YR, "q0"));
	check_sh(YR "sysctl -q -w net.ipv4.conf.all.arp_notify=0");
	if (!ends_up("10.79.0.2", "10.79.0.3") || !conn_up(&c, IBV_MTU_1024))
		return;
	works(&c, "before");
	check_sh(YR "ip link set q0 address " NEW_MAC);
	post(&c, 0, IBV_WR_RDMA_WRITE, LENGTH);
	post(&c, 0, IBV_WR_RDMA_READ, LENGTH);
	usleep(300000);
	check_sh(XR "ip neigh replace 10.79.0.3 lladdr " NEW_MAC " dev p0 nud reachable");
	completes(&c, 0, IBV_WC_SUCCESS, "WRITE");
	completes(&c, 0, IBV_WC_SUCCESS, "READ");
	works(&c, "afterwards");
	check_sh(YR "sysctl -q -w net.ipv4.conf.all.arp_notify=1");
	check_sh(YR "ip link set q0 address %s", was);
	works(&c, "the previous address");
	conn_down(&c);
	ends_down();
}

TEST(path_next_hop, "V12", "a route by way of another next hop, which nothing notifies")
{
	struct conn c;

	if (!ends_up("10.79.0.2", "10.79.0.3") || !conn_up(&c, IBV_MTU_1024))
		return;
	works(&c, "before");
	/* Frames to the previous address are lost; the next hop is the peer itself. */
	check_sh(YR "sysctl -q -w net.ipv4.conf.all.arp_notify=0");
	check_sh(XR "ip neigh replace 10.79.0.9 lladdr " NEW_MAC " dev p0 nud permanent");
	usleep(200000);
	check_sh(XR "ip route add 10.79.0.3/32 via 10.79.0.9 dev p0");
	sends_to(c.qp[0]->qp_num, mac_of(YR, "q0"));
	check_sh(YR "ip link set q0 address " NEW_MAC);
	post(&c, 0, IBV_WR_RDMA_WRITE, LENGTH);
	completes(&c, 0, IBV_WC_SUCCESS, "WRITE");
	sends_to(c.qp[0]->qp_num, NEW_MAC);
	check_sh(XR "ip route del 10.79.0.3/32");
	check_sh(XR "ip neigh del 10.79.0.9 dev p0");
	check_sh(XR "ip neigh replace 10.79.0.3 lladdr " NEW_MAC " dev p0 nud reachable");
	check_sh(YR "sysctl -q -w net.ipv4.conf.all.arp_notify=1");
	works(&c, "the route as before");
	conn_down(&c);
	ends_down();
}

TEST(path_not_concerned, "V12", "neighbours that are not the peer, or do not answer")
{
	struct conn c;
	char mac[18];

	snprintf(mac, sizeof(mac), "%s", mac_of(YR, "q0"));
	if (!ends_up("10.79.0.2", "10.79.0.3") || !conn_up(&c, IBV_MTU_1024))
		return;
	works(&c, "before");
	check_sh(XR "ip neigh replace 10.79.0.77 lladdr " ELSEWHERE " dev p0 nud reachable");
	check_sh(XR "ip neigh replace fd79::3 lladdr " ELSEWHERE " dev p0 nud reachable");
	usleep(300000);
	sends_to(c.qp[0]->qp_num, mac);
	works(&c, "another neighbour");
	check_sh(XR "ip neigh replace 10.79.0.3 dev p0 nud failed");
	usleep(300000);
	works(&c, "the neighbour has failed");
	check_sh(XR "ip neigh del 10.79.0.3 dev p0");
	check_sh(XR "ip neigh del fd79::3 dev p0");
	usleep(300000);
	works(&c, "the neighbour is deleted");
	sends_to(c.qp[0]->qp_num, mac);
	check_sh(XR "ip neigh replace 10.79.0.3 lladdr " ELSEWHERE " dev p0 nud reachable");
	sends_to(c.qp[0]->qp_num, ELSEWHERE);
	post(&c, 0, IBV_WR_RDMA_WRITE, LENGTH);
	completes(&c, 0, IBV_WC_RETRY_EXC_ERR, "nobody has this address");
	check_sh(XR "ip neigh replace 10.79.0.3 lladdr %s dev p0 nud reachable", mac);
	conn_down(&c);
	ends_down();
}

/* Many changes in a short time: the last one counts. */
TEST(path_storm, "V12", "a thousand changes")
{
	struct conn c;
	char mac[18];

	snprintf(mac, sizeof(mac), "%s", mac_of(YR, "q0"));
	if (!ends_up("10.79.0.2", "10.79.0.3") || !conn_up(&c, IBV_MTU_1024))
		return;
	check_sh("for i in $(seq 500); do "
		 "echo neigh replace 10.79.0.3 lladdr " ELSEWHERE " dev p0 nud reachable; "
		 "echo neigh replace 10.79.0.3 lladdr %s dev p0 nud reachable; "
		 "done | " XR "ip -batch -", mac);
	works(&c, "after a thousand changes");
	sends_to(c.qp[0]->qp_num, mac);
	conn_down(&c);
	ends_down();
}

/* Enter the namespace of p0; leave it again. */
static int enter(void)
{
	int was = open("/proc/self/ns/net", O_RDONLY), fd = open("/run/netns/xr", O_RDONLY);

	check(was >= 0 && fd >= 0 && !setns(fd, CLONE_NEWNET), "setns: %s", strerror(errno));
	close(fd);
	return was;
}

static void leave(int was)
{
	check(!setns(was, CLONE_NEWNET), "setns back");
	close(was);
}

/* A queue pair of libxroce; @dmac: what is given. Return: its number. */
static uint32_t own_qp(struct xroce *x, __u32 pd, __u32 cq, const __u8 *dmac)
{
	struct xroce_qp_add add = {
		.pd = pd, .type = XROCE_QPT_RC, .send_cq = cq, .send_entries = 8,
		.send_max_sge = 1,
	};
	struct xroce_connect c = { .size = sizeof(c), .dest_qpn = 0x11 };
	struct xroce_rq *rq;
	int err = xroce_qp_create(x, &add, &rq);

	gid_parse("10.79.0.2", c.sgid);
	gid_parse("10.79.0.3", c.dgid);
	c.qpn = add.qpn;
	c.dest_qpn += dmac ? *dmac : 0;
	if (dmac)
		memcpy(c.dmac, dmac, sizeof(c.dmac));
	err = err ?: xroce_qp_connect(x, &c);
	check(!err, "queue pair: %s", strerror(-err));
	return add.qpn;
}

TEST(path_given, "V12 U3", "an address that a program has given is kept, one that was found is not")
{
	static const __u8 given[6] = { 0x02, 0, 0, 0, 0x0e, 0x0e };
	uint32_t found_qpn, given_qpn;
	struct xroce_cq *ring;
	struct xroce *x;
	__u32 pd = 0;
	char mac[18];
	int was;

	snprintf(mac, sizeof(mac), "%s", mac_of(YR, "q0"));
	was = enter();
	x = xroce_open("p0");
	if (!check(x, "open: %s", strerror(errno)))
		return;
	ring = xroce_cq_add(x, 64);
	if (!check(ring && !xroce_pd_add(x, 0, &pd), "objects"))
		return;
	found_qpn = own_qp(x, pd, xroce_cq_id(ring), NULL);
	given_qpn = own_qp(x, pd, xroce_cq_id(ring), given);
	leave(was);
	sends_to(found_qpn, mac);
	sends_to(given_qpn, ELSEWHERE);
	check_sh(XR "ip neigh replace 10.79.0.3 lladdr " NEW_MAC " dev p0 nud reachable");
	sends_to(found_qpn, NEW_MAC);
	sends_to(given_qpn, ELSEWHERE);
	check_sh(XR "ip neigh replace 10.79.0.3 lladdr %s dev p0 nud reachable", mac);
	sends_to(found_qpn, mac);
	sends_to(given_qpn, ELSEWHERE);
	xroce_close(x);
}

/* --- The MTU of the network device. */

TEST(path_mtu_raised, "V12", "a packet waits until the MTU is raised again")
{
	struct conn c;
	struct ibv_wc wc;

	if (!ends_up("10.79.0.2", "10.79.0.3") || !conn_up(&c, IBV_MTU_1024))
		return;
	works(&c, "before");
	check_sh(XR "ip link set p0 mtu 600");
	post(&c, 0, IBV_WR_RDMA_WRITE, 64);
	completes(&c, 0, IBV_WC_SUCCESS, "a small WRITE");
	post_both(&c, 0, IBV_WR_RDMA_WRITE, 64, LENGTH);
	completes(&c, 0, IBV_WC_SUCCESS, "a small WRITE before");
	/* Longer than all attempts without a response together. */
	usleep(2500000);
	check(!ibv_poll_cq(c.cq[0], 1, &wc), "it has not waited: %s", ibv_wc_status_str(wc.status));
	check_sh(XR "ip link set p0 mtu 4300");
	completes(&c, 0, IBV_WC_SUCCESS, "the MTU is raised");
	works(&c, "afterwards");
	conn_down(&c);
	ends_down();
}

TEST(path_mtu_falls, "V12 V6", "a connection whose packets do not fit ends, another one does not")
{
	struct conn big, small;

	if (!ends_up("10.79.0.2", "10.79.0.3") || !conn_up(&big, IBV_MTU_1024) ||
	    !conn_up(&small, IBV_MTU_256))
		return;
	monitor_begins();
	check_sh(XR "ip link set p0 mtu 600");
	post(&big, 0, IBV_WR_RDMA_WRITE, LENGTH);
	post(&big, 0, IBV_WR_RDMA_WRITE, LENGTH);
	works(&small, "path MTU 256 meanwhile");
	completes(&big, 0, IBV_WC_LOC_LEN_ERR, "the MTU stays");
	completes(&big, 0, IBV_WC_WR_FLUSH_ERR, "what is behind");
	works(&small, "path MTU 256 afterwards");
	check_sh("qp=$(" XR "xroce -s qp show dev p0 qpn 0x%x) && ! echo \"$qp\" | "
		 "grep req_timeout", big.qp[0]->qp_num);
	check(said("state rts mtu 1024 netdev_mtu 600$"), "an event when the MTU falls");
	monitor_ends("state err mtu 1024 netdev_mtu 600$");
	check_sh(XR "ip link set p0 mtu 4300");
	conn_down(&big);
	conn_down(&small);
	ends_down();
}

TEST_MAIN(harness_main);
