// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <bpf/bpf.h>

#include "live.h"
#include "packet.h"
#include "traffic.h"

struct traffic *traffic_new(void)
{
	void *p = mmap(NULL, sizeof(struct traffic), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return check(p != MAP_FAILED, "%s", strerror(errno)) ? p : NULL;
}

static __u32 expected_psn(int qp_map, __u32 entries, __u32 qpn)
{
	__u32 slot = qpn % entries;
	struct xroce_qp e;

	return bpf_map_lookup_elem(qp_map, &slot, &e) ? 0 : e.epsn;
}

static void send_forever(struct traffic *t, int fd, int qp_map)
{
	static struct frame frame;
	struct packet p = packet_write(TRAFFIC_BYTES);
	const volatile struct traffic_target *to;
	int i;

	p.pattern = 0x5a;
	for (i = 0;; i = (i + 1) % TRAFFIC_TARGETS) {
		to = &t->target[i];
		p.dqpn = to->qpn;
		if (!p.dqpn)
			continue;
		p.rkey = to->rkey;
		p.va = to->iova;
		p.psn = expected_psn(qp_map, LIVE_QP_ENTRIES, p.dqpn);
		packet_build(&p, &frame);
		if (send(fd, frame.bytes, frame.len, 0) > 0)
			__atomic_fetch_add(&t->sent, 1, __ATOMIC_RELAXED);
	}
}

pid_t traffic_start(struct traffic *t, const char *from, const char *dev)
{
	struct sockaddr_ll addr = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = if_nametoindex(from),
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	int qp_map = xroce_pin_open(dev, "qp");
	pid_t sender;

	check(qp_map >= 0 && fd >= 0 &&
	      !bind(fd, (struct sockaddr *)&addr, sizeof(addr)),
	      "socket on %s: %s", from, strerror(errno));
	sender = fork();
	if (!sender) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		send_forever(t, fd, qp_map);
	}
	close(fd);
	close(qp_map);
	return sender;
}

void traffic_stop(pid_t sender)
{
	kill(sender, SIGKILL);
	waitpid(sender, NULL, 0);
}

struct wanted {
	struct traffic *t;
	__u64 sent;
};

static bool has_sent(void *arg)
{
	struct wanted *w = arg;

	return __atomic_load_n(&w->t->sent, __ATOMIC_RELAXED) >= w->sent;
}

bool traffic_goes_on(struct traffic *t, __u64 n)
{
	struct wanted w = { t, __atomic_load_n(&t->sent, __ATOMIC_RELAXED) + n };

	return check(live_wait(has_sent, &w), "the sender sends no more");
}
