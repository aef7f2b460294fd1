// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "counters.h"
#include "harness.h"
#include "setting.h"

#define CPUS_MAX	256
#define PATIENCE	30			/* seconds; long, for emulated machines */
#define REST		20000			/* microseconds between two reads */

/* An entry of names[]. */
#define NAME(n) \
	[COUNTER(n)] = #n

static const char *const names[COUNTERS] = {
	NAME(rx), NAME(rx_bytes), NAME(tx), NAME(tx_more), NAME(deferred), NAME(pass), NAME(write),
	NAME(write_bytes), NAME(send), NAME(send_bytes), NAME(read),
	NAME(read_bytes), NAME(atomic), NAME(flush), NAME(queued), NAME(ack),
	NAME(duplicate), NAME(nak_seq),
	NAME(nak_inv), NAME(nak_acc), NAME(nak_op), NAME(nak_rnr),
	NAME(ecn_ce), NAME(cnp_tx), NAME(cnp_rx),
	NAME(inv_opcode), NAME(inv_order), NAME(inv_qp_access),
	NAME(inv_length), NAME(inv_resources), NAME(inv_align),
	NAME(acc_key), NAME(acc_pd), NAME(acc_qp), NAME(acc_right), NAME(acc_bounds),
	NAME(acc_module), NAME(op_wqe), NAME(op_prot), NAME(op_cq),
	NAME(op_memory),
	NAME(drop_qkey), NAME(drop_recv),
	NAME(drop_length), NAME(drop_checksum), NAME(drop_tver),
	NAME(drop_qpn), NAME(drop_peer), NAME(drop_opcode), NAME(drop_state),
	NAME(drop_error), NAME(drop_addr), NAME(drop_pkey), NAME(drop_icrc),
	NAME(drop_defer), NAME(drop_busy), NAME(drop_psn), NAME(drop_response),
	NAME(drop_tx), NAME(event_lost), NAME(event_limited),
	NAME(module_tx), NAME(module_tx_bytes),
	NAME(req_tx), NAME(req_tx_bytes), NAME(req_retransmit), NAME(req_timeout),
	NAME(req_rx), NAME(req_rx_bytes), NAME(req_ignored),
	NAME(own_refused), NAME(peer_refused),
};
#undef NAME

const char *counters_name(size_t counter)
{
	return names[counter];
}

void counters_add(struct xroce_stat *stat, size_t counter, __u64 n)
{
	((__u64 *)stat)[counter] += n;
}

void counters_read(int fd, struct xroce_stat *sum)
{
	static struct xroce_stat percpu[CPUS_MAX];
	int cpu, cpus = libbpf_num_possible_cpus();
	__u32 zero = 0;
	size_t i;

	memset(sum, 0, sizeof(*sum));
	if (!check(cpus > 0 && cpus <= CPUS_MAX, "%d CPUs", cpus) ||
	    !check(!bpf_map_lookup_elem(fd, &zero, percpu), "stat: %s",
		   strerror(errno)))
		return;
	for (cpu = 0; cpu < cpus; cpu++) {
		for (i = 0; i < COUNTERS; i++)
			counters_add(sum, i, ((__u64 *)&percpu[cpu])[i]);
	}
}

bool counters_settled(int fd, const struct xroce_stat *before, __u64 packets,
		      struct xroce_stat *after)
{
	time_t end = time(NULL) + patience(PATIENCE);
	struct xroce_stat last;
	__u64 came;
	bool still;

	counters_read(fd, after);
	do {
		last = *after;
		usleep(REST);
		counters_read(fd, after);
		came = after->rx - before->rx;
		still = !memcmp(&last, after, sizeof(last));
	} while (!(came >= packets && still) && time(NULL) <= end);
	return check(came >= packets && still, "%llu of %llu packets came%s",
		     came, packets, still ? "" : ", and more come");
}

void counters_check(const struct xroce_stat *before,
		    const struct xroce_stat *after,
		    const struct xroce_stat *delta)
{
	const __u64 *was = (const __u64 *)before;
	const __u64 *is = (const __u64 *)after;
	const __u64 *want = (const __u64 *)delta;
	size_t i;

	for (i = 0; i < COUNTERS; i++)
		check(is[i] - was[i] == want[i], "%s moved by %llu, not %llu",
		      names[i] ? names[i] : "a counter without a name",
		      is[i] - was[i], want[i]);
}
