// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* usage: map NETDEV */
#include <libxroce.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <sys/syscall.h>

long syscall(long number, ...);	/* unistd.h has it only beyond ISO C */

/* Possible CPUs are numbered from 0; a per-CPU map has a value for each. */
static int cpus(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "r");
	int first = 0, last = 0;

	if (f) {
		if (fscanf(f, "%d-%d", &first, &last) < 2)
			last = first;
		fclose(f);
	}
	return last + 1;
}

int main(int argc, char **argv)
{
	int cpu, n = cpus(), fd, err;
	unsigned long long rx = 0;
	struct xroce_stat *stat;
	union bpf_attr attr;
	__u32 zero = 0;

	if (argc != 2)
		return 2;
	fd = xroce_pin_open(argv[1], "stat");
	if (fd < 0) {
		fprintf(stderr, "%s: %s\n", argv[1], xroce_strerror(fd));
		return 1;
	}
	stat = calloc(n, sizeof(*stat));
	memset(&attr, 0, sizeof(attr));
	attr.map_fd = fd;
	attr.key = (uintptr_t)&zero;
	attr.value = (uintptr_t)stat;
	err = !stat || syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
	if (err)
		perror("stat");
	for (cpu = 0; !err && cpu < n; cpu++)
		rx += stat[cpu].rx;
	if (!err)
		printf("packets %llu\n", rx);
	free(stat);
	close(fd);
	return err;
}
