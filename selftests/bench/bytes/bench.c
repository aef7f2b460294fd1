// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of the bytes of a message, with the module's own functions: the invariant CRC of a
 * WRITE of so many bytes, from the IP header on, and a copy of its payload. bench/bench.sh
 * loads this on a machine where a nanosecond is one instruction, and reads the parameter
 * "result", lines of "SIZE CRC COPY".
 */
#include <linux/gfp.h>
#include <linux/ip.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/udp.h>
#include <net/xdp.h>

#include "xroce_wire.h"

#include "icrc.h"
#include "vector.h"

#define ORDER	1
#define TIMES	1000
#define HEADERS	(sizeof(struct iphdr) + sizeof(struct udphdr) + \
		 sizeof(struct xroce_bth) + sizeof(struct xroce_reth))

static const u32 sizes[] = { 8, 64, 512, 1024, 2048, 4096 };

static char result[512];
module_param_string(result, result, sizeof(result), 0444);
MODULE_PARM_DESC(result, "out: a line a size");

enum work { NOTHING, CRC, COPY };

static u64 measure(enum work work, struct xdp_buff *xdp, void *to, u32 size)
{
	u32 end = ETH_HLEN + HEADERS + size, crc, i;
	void *payload = xdp->data + ETH_HLEN + HEADERS;
	u64 start;

	/* As in the data path. */
	local_bh_disable();
	start = ktime_get_ns();
	for (i = 0; i < TIMES; i++) {
		switch (work) {
		case CRC:
			xr_icrc(xdp, ETH_HLEN, end, &crc);
			break;
		case COPY:
			xr_copy(to, payload, size);
			break;
		default:
			break;
		}
		barrier();
	}
	start = ktime_get_ns() - start;
	local_bh_enable();
	return start;
}

static int run(u8 *frame, void *to)
{
	u64 none, crc, copy;
	struct xdp_buff xdp;
	int i, n = 0;

	((struct iphdr *)(frame + ETH_HLEN))->version = 4;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		xdp_init_buff(&xdp, PAGE_SIZE << ORDER, NULL);
		xdp_prepare_buff(&xdp, frame, 0, ETH_HLEN + HEADERS + sizes[i] +
				 XROCE_ICRC_LEN, false);
		if (xr_icrc_check(&xdp, ETH_HLEN, ETH_HLEN + HEADERS +
				  sizes[i]) == -EINVAL)
			return -EINVAL;
		none = measure(NOTHING, &xdp, to, sizes[i]);
		crc = measure(CRC, &xdp, to, sizes[i]);
		copy = measure(COPY, &xdp, to, sizes[i]);
		n += scnprintf(result + n, sizeof(result) - n, "%u %llu %llu\n",
			       sizes[i], (crc - none) / TIMES,
			       (copy - none) / TIMES);
	}
	return 0;
}

static int __init bytes_bench_init(void)
{
	void *frame, *to;
	int ret = -ENOMEM;

	frame = (void *)__get_free_pages(GFP_KERNEL | __GFP_ZERO, ORDER);
	to = (void *)__get_free_pages(GFP_KERNEL, ORDER);
	if (frame && to) {
		xr_vector_init();
		ret = run(frame, to);
	}
	free_pages((unsigned long)frame, ORDER);
	free_pages((unsigned long)to, ORDER);
	return ret;
}

static void __exit bytes_bench_exit(void)
{
}

module_init(bytes_bench_init);
module_exit(bytes_bench_exit);

MODULE_DESCRIPTION("xroce: what the bytes of a message cost");
MODULE_AUTHOR("xroce maintainers");
MODULE_LICENSE("GPL");
