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

#define NAME(field, ...)	{ #field },

static const char names[COUNTERS][24] = { XROCE_LINK_COUNTERS(NAME, NAME, NAME, NAME, NAME) };

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

void counters_note(int fd)
{
	struct xroce_stat stat;
	size_t i;

	counters_read(fd, &stat);
	for (i = 0; i < COUNTERS; i++)
		if (((__u64 *)&stat)[i])
			note("%s %llu", counters_name(i), ((__u64 *)&stat)[i]);
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
		      names[i], is[i] - was[i], want[i]);
}
