// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the hardware reports as lost (hwpoison), in on-demand and pinned regions. A
 * file in sysfs simulates the report.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "counters.h"
#include "live_mr.h"
#include "mem.h"
#include "odp.h"

#define RING_PAGES	4
#define LOST	"/sys/devices/system/memory/hard_offline_page"

/*
 * Report a page of ours as lost. EBUSY: the kernel has taken it from us, but it has other
 * users. Return: false: that is not possible, and the test is skipped.
 */
static bool poison(const void *page)
{
	uint64_t pfn = mem_pfn(page);
	int fd = open(LOST, O_WRONLY | O_CLOEXEC), err = 0;

	if (fd < 0) {
		skip("the kernel has no " LOST);
		return false;
	}
	if (dprintf(fd, "%#llx", (unsigned long long)pfn << MEM_PAGE_SHIFT) < 0)
		err = errno;
	close(fd);
	check(pfn && (!err || err == EBUSY), "page frame %#llx: %s", (unsigned long long)pfn,
	      strerror(err));
	return true;
}

/* A resident page and one that is not: neither can be accessed, all others can. */
ODP_TEST(poison_on_demand, "O4 O6", "lost memory in an on-demand region", 32)
{
	char buf[64];

	ACKED(odp_write(o, 0, 64, 0x31));
	ACKED(odp_write(o, 16 * MEM_PAGE, 64, 0x32));
	o->mem[20 * MEM_PAGE] = 1;
	if (!poison(o->mem) || !poison(o->mem + 20 * MEM_PAGE))
		goto out;
	REFUSED(odp_read(o, 0, 64, buf));
	wire_again(&o->w);
	REFUSED(odp_write(o, 20 * MEM_PAGE, 64, 0x33));
	wire_again(&o->w);
	/* A packet of which half would go to the lost page: nothing is written. */
	memset(o->mem + 19 * MEM_PAGE, 7, MEM_PAGE);
	REFUSED(odp_write(o, 20 * MEM_PAGE - 32, 64, 0x34));
	check(o->mem[20 * MEM_PAGE - 1] == 7, "half of it was written");
	wire_again(&o->w);
	ACKED(odp_read(o, 16 * MEM_PAGE, 64, buf));
	odp_is(buf, 64, 0x32);
	/* The neighbours, which otherwise are brought in together with it. */
	ACKED(odp_write(o, MEM_PAGE, 64, 0x35));
	ACKED(odp_write(o, 21 * MEM_PAGE, 64, 0x36));
	/* A page that replaces the lost one can be accessed. */
	check(mmap(o->mem, MEM_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		   MAP_ANONYMOUS | MAP_FIXED, -1, 0) == o->mem, "mmap");
	ACKED(odp_write(o, 0, 64, 0x37));
	odp_is(o->mem, 64, 0x37);
out:
}

/* The pages of a packet socket's ring, which the kernel maps and cannot unmap. */
static int ring_at(void *at)
{
	struct tpacket_req req = {
		.tp_block_size = MEM_PAGE, .tp_block_nr = RING_PAGES,
		.tp_frame_size = MEM_PAGE, .tp_frame_nr = RING_PAGES,
	};
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	check(fd >= 0 &&
	      !setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)) &&
	      mmap(at, RING_PAGES * MEM_PAGE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_FIXED, fd, 0) == at, "ring: %s", strerror(errno));
	return fd;
}

/* A lost page that stays mapped is not brought in. */
TEST(poison_still_mapped, "O4 O6", "lost on-demand memory that the kernel cannot unmap")
{
	struct odp o;
	int fd;

	if (!odp_open(&o, 8))
		return;
	fd = ring_at(o.mem);
	ACKED(odp_write(&o, MEM_PAGE, 64, 0x41));
	if (!poison(o.mem))
		goto out;
	check(mem_pfn(o.mem), "the page is not mapped any more");
	REFUSED(odp_write(&o, 0, 64, 0x42));
	check(!o.mem[0], "the lost page was written");
	wire_again(&o.w);
	/* Nor is a packet executed that also needs an intact page. */
	REFUSED(odp_write(&o, MEM_PAGE - 32, 64, 0x43));
	check(!o.mem[MEM_PAGE - 1], "half of it was written");
	wire_again(&o.w);
	ACKED(odp_write(&o, MEM_PAGE, 64, 0x44));
	ACKED(odp_write(&o, 2 * MEM_PAGE, 64, 0x45));
	odp_is(o.mem + MEM_PAGE, 64, 0x44);
out:
	odp_close(&o);
	close(fd);
}

/*
 * The kernel can take the page from the process, but not from the region: the peer can
 * access it until the region is deregistered. A new region over it is refused.
 */
WIRE_TEST(poison_pinned, "R7", "lost memory in a pinned region", &(struct wire_opts){})
{
	wire_counted(w, COUNTER(write));
	if (!poison(w->mem))
		goto out;
	w->req.psn = (w->req.psn + 1) & XROCE_PSN_MASK;
	wire_counted(w, COUNTER(write));
	mr_refused(w->x, mr_region(w->pd, w->mem, MEM_PAGE), -EFAULT);
	check(!xroce_mr_dereg(w->x, w->mr.mr), "dereg");
	mr_refused(w->x, mr_region(w->pd, w->mem, MEM_PAGE), -EFAULT);
	mr_accepted(w->x, mr_region(w->pd, w->mem + MEM_PAGE, MEM_PAGE));
out:
}

TEST_MAIN(live_main);
