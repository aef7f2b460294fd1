// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce stat: counters of a link, summed over the CPUs. */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "arg.h"
#include "cmd.h"
#include "dev.h"
#include "print.h"

#define COUNTER(name, note)	{ #name, offsetof(struct xroce_stat, name), note }

static const struct counter {
	const char *name;
	size_t offset;
	const char *note;
} counters[] = {
	COUNTER(rx, "packets for a queue pair number of ours"),
	COUNTER(rx_bytes, "their bytes, with all headers"),
	COUNTER(tx, "replies sent"),
	COUNTER(kept, "packets put aside, for memory on demand"),
	COUNTER(pass, "RoCEv2 packets for others, handed to the stack"),
	COUNTER(write, "RDMA WRITE packets executed"),
	COUNTER(write_bytes, "their payload"),
	COUNTER(send, "SEND packets executed"),
	COUNTER(send_bytes, "their payload"),
	COUNTER(read, "RDMA READ requests taken"),
	COUNTER(read_bytes, "bytes that they asked for"),
	COUNTER(atomic, "atomic operations executed"),
	COUNTER(flush, "FLUSH operations executed"),
	COUNTER(queued, "replies left to the module"),
	COUNTER(ack, "positive acknowledgements sent"),
	COUNTER(duplicate, "requests seen again, acknowledged again"),
	COUNTER(nak_seq, "NAKs: PSN sequence error"),
	COUNTER(nak_inv, "NAKs: invalid request"),
	COUNTER(nak_acc, "NAKs: remote access error"),
	COUNTER(nak_op, "NAKs: remote operational error"),
	COUNTER(nak_rnr, "NAKs: receiver not ready"),
	COUNTER(ecn_ce, "packets marked: congestion experienced"),
	COUNTER(cnp_tx, "congestion notifications sent"),
	COUNTER(cnp_rx, "congestion notifications received"),
	COUNTER(inv_opcode, "invalid: opcode not supported"),
	COUNTER(inv_order, "invalid: first, middle, last out of order"),
	COUNTER(inv_qp_access, "invalid: the queue pair lacks the right"),
	COUNTER(inv_length, "invalid: payload, pad or length"),
	COUNTER(inv_resources, "invalid: too many READs or atomics"),
	COUNTER(inv_align, "invalid: atomic not on eight bytes"),
	COUNTER(acc_key, "access: no such key, or not valid now"),
	COUNTER(acc_pd, "access: protection domains differ"),
	COUNTER(acc_qp, "access: a window of another queue pair"),
	COUNTER(acc_right, "access: region or window lacks the right"),
	COUNTER(acc_bounds, "access: outside region or window"),
	COUNTER(acc_module, "access: gone between look-up and access"),
	COUNTER(op_wqe, "operational: malformed receive work request"),
	COUNTER(op_prot, "operational: it points where it must not"),
	COUNTER(op_cq, "operational: completion queue full"),
	COUNTER(op_memory, "operational: memory too short for a page on demand"),
	COUNTER(drop_length, "dropped: does not fit the frame"),
	COUNTER(drop_checksum, "dropped: IPv4 header checksum"),
	COUNTER(drop_tver, "dropped: transport header version"),
	COUNTER(drop_qpn, "dropped: no such queue pair"),
	COUNTER(drop_opcode, "dropped: not a request of the service"),
	COUNTER(drop_state, "dropped: queue pair not ready to receive"),
	COUNTER(drop_error, "dropped: queue pair in error"),
	COUNTER(drop_addr, "dropped: not the queue pair's addresses"),
	COUNTER(drop_pkey, "dropped: partition key"),
	COUNTER(drop_qkey, "dropped: queue key of a datagram"),
	COUNTER(drop_recv, "dropped: no receive work request"),
	COUNTER(drop_icrc, "dropped: invariant CRC"),
	COUNTER(drop_kept, "dropped: no room to put it aside"),
	COUNTER(drop_busy, "dropped: another CPU has the queue pair"),
	COUNTER(drop_psn, "dropped: out of sequence, not repeatable"),
	COUNTER(drop_reply, "dropped: no room for a reply"),
	COUNTER(event_lost, "events that found no room"),
};

#define COUNTERS	(sizeof(counters) / sizeof(counters[0]))

_Static_assert(COUNTERS * sizeof(__u64) == sizeof(struct xroce_stat),
	       "every counter has a name");

/* Sum the CPUs' copies. Return: 0 or a negative errno. */
static int sum_counters(int fd, __u64 *sums)
{
	int cpus = libbpf_num_possible_cpus();
	struct xroce_stat *stats;
	__u32 key = 0;
	int err, cpu;
	size_t i;

	if (cpus < 0)
		return cpus;
	stats = calloc(cpus, sizeof(*stats));
	if (!stats)
		return -ENOMEM;
	memset(sums, 0, COUNTERS * sizeof(*sums));
	err = bpf_map_lookup_elem(fd, &key, stats);
	for (cpu = 0; !err && cpu < cpus; cpu++)
		for (i = 0; i < COUNTERS; i++)
			sums[i] += *(__u64 *)((char *)&stats[cpu] +
					      counters[i].offset);
	free(stats);
	return err;
}

static int show_counters(struct xroce *x, const char *netdev, void *arg)
{
	__u64 sums[COUNTERS];
	bool *all = arg;
	int fd, err;
	size_t i;

	(void)x;
	fd = xroce_pin_open(netdev, "stat");
	if (fd < 0)
		return fail("dev %s: stat: %s", netdev, fd == -ENOENT ?
			    "it has no pinned map" : strerror(-fd));
	err = sum_counters(fd, sums);
	close(fd);
	if (err)
		return fail("dev %s: stat: %s", netdev, strerror(-err));

	print_begin();
	print_str("dev", netdev);
	for (i = 0; i < COUNTERS; i++)
		print_row(counters[i].name, sums[i], counters[i].note, *all);
	print_end();
	return EXIT_OK;
}

static int stat_show(int argc, char **argv)
{
	const char *dev = NULL;
	bool all = false;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "all", &arg_flag, &all, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	print_list_begin();
	status = dev_each_pin(dev, show_counters, &all);
	print_list_end();
	return status;
}

static const struct cmd verbs[] = {
	{ "show", stat_show, "[dev DEV] [all]" },
	{}
};

int do_stat(int argc, char **argv)
{
	return cmd_run("stat", verbs, argc, argv);
}
