// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Reading a pinned map, whose values may be of another version than the caller's structure. */
#include <errno.h>
#include <stdlib.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "priv.h"

/* The bpf(2) of the kernel writes values of a per-CPU map at multiples of 8 bytes. */
static size_t stride(__u32 value_size)
{
	return (value_size + 7) & ~(size_t)7;
}

/* Add up counters of eight bytes, of @n copies, in the first one. */
static void sum(__u64 *values, size_t words, int n)
{
	size_t i;
	int cpu;

	for (cpu = 1; cpu < n; cpu++)
		for (i = 0; i < words; i++)
			values[i] += values[cpu * words + i];
}

int xroce_map_read(int fd, __u32 key, void *value, size_t size)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info);
	__u64 *values;
	int n = 1, err = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (info.key_size != sizeof(key) || !info.value_size)
		return -EINVAL;
	if (info.type == BPF_MAP_TYPE_PERCPU_ARRAY) {
		n = libbpf_num_possible_cpus();
		if (n < 1)
			return n;
	}
	values = calloc(n, stride(info.value_size));
	if (!values)
		return -ENOMEM;
	if (bpf_map_lookup_elem(fd, &key, values)) {
		err = -errno;
	} else {
		sum(values, stride(info.value_size) / sizeof(*values), n);
		xroce_give(value, size, values, info.value_size);
	}
	free(values);
	return err;
}
