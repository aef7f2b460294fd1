// SPDX-License-Identifier: GPL-2.0-only
/*
 * Duration of a WRITE to on-demand memory, from its first packet to the acknowledgement of
 * its last, in nanoseconds of the machine: with --icount these are the instructions of
 * peer, kernel and module, plus the time during which all of them wait.
 *
 *   pagein [-o FILE]		run by bench.sh
 *
 * "resident": the memory is resident. "deferred": the memory was never touched, and packets
 * wait for it in the module. "RNR": the same with nothing deferred (odp_defer_max=0): the
 * peer gets RNR NAKs and retries after a jiffy, as Soft-RoCE does. "advised": after
 * MR_ADVISE, whose own duration, including page faults, is "advice".
 *
 * The peer sends 64 packets of 2 KiB, then waits until all of them are acknowledged.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>
#include <sys/mman.h>

#include "clock.h"
#include "live_mr.h"
#include "mem.h"
#include "odp.h"

#define MTU	2048u
#define WINDOW	64u
#define ROUNDS	3		/* the best is reported */
#define LONGEST	(64u << 20)
#define JIFFY	4000000l	/* nanoseconds, at HZ=250 */

static const struct {
	const char *name;
	uint32_t bytes;
	uint32_t message;
} sizes[] = {
	{ "4 KiB", 4096, 4096 },
	{ "64 KiB", 65536, 65536 },
	{ "4 MiB", 4 << 20, 4 << 20 },
	{ "64 MiB, by 1 MiB", LONGEST, 1 << 20 },
};

enum way { RESIDENT, ASIDE, RNR, ADVISED, WAYS };
static const char *const way_names[WAYS] = {
	"resident", "put_aside", "rnr", "advised",
};

static struct odp o;
static const char *out;

static uint64_t now(void)
{
	return clock_now() * 1e9;
}

/* Send packet @i of @n of a message to @off; the last of a window requests an ACK. */
static void send_one(uint64_t off, uint32_t psn, uint32_t i, uint32_t n)
{
	struct packet *req = &o.w.req;

	req->opcode = n == 1 ? XROCE_RC_WRITE_ONLY :
		      !i ? XROCE_RC_WRITE_FIRST :
		      i + 1 < n ? XROCE_RC_WRITE_MIDDLE : XROCE_RC_WRITE_LAST;
	req->psn = (psn + i) & XROCE_PSN_MASK;
	req->va = ODP_IOVA + off;
	req->rkey = o.mr.rkey;
	req->dmalen = n * MTU;
	req->payload = MTU;
	req->ackreq = i % WINDOW == WINDOW - 1 || i + 1 == n;
	wire_send(&o.w);
}

/* Send a message. Return: number of RNR NAKs. */
static uint32_t message(uint64_t off, uint32_t bytes)
{
	const struct timespec jiffy = { .tv_nsec = JIFFY };
	uint32_t n = bytes / MTU, psn = o.w.req.psn, acked = 0, i, rnr = 0;
	struct packet got;

	while (acked < n && !test_failed()) {
		for (i = acked; i < n && i < (acked / WINDOW + 1) * WINDOW; i++)
			send_one(off, psn, i, n);
		do {
			if (!check(wire_take(&o.w, WIRE_MS, &got, NULL),
				   "no response after %u of %u", acked, n))
				return rnr;
			acked = (got.psn - psn) & XROCE_PSN_MASK;
			if (got.syndrome == XROCE_SYN_ACK)
				acked++;
		} while (got.syndrome == XROCE_SYN_ACK && acked < i);
		if (got.syndrome == XROCE_SYN_ACK)
			continue;
		if (!check(got.syndrome == (XROCE_SYN_RNR | XROCE_RNR_FAULT),
			   "syndrome %#x", got.syndrome))
			return rnr;
		rnr++;
		nanosleep(&jiffy, NULL);
	}
	o.w.req.psn = (psn + n) & XROCE_PSN_MASK;
	return rnr;
}

static uint64_t advise(uint32_t bytes)
{
	struct xroce_mr_advise a = {
		.mr = o.mr.mr,
		.advice = XROCE_ADVISE_PREFETCH_WRITE,
		.iova = ODP_IOVA,
		.length = bytes,
	};
	uint64_t start = now();

	check(!xroce_mr_advise(o.w.x, &a), "MR_ADVISE");
	return now() - start;
}

static void one(json_object *all, size_t i)
{
	json_object *row = json_object_new_object();
	uint64_t best[WAYS], advice = 0, start, took;
	uint32_t rnr[WAYS] = {}, off, round;
	enum way way;

	memset(best, 0xff, sizeof(best));
	for (round = 0; round < ROUNDS; round++) {
		for (way = 0; way < WAYS && !test_failed(); way++) {
			if (way == RESIDENT)
				memset(o.mem, 1, LONGEST);
			else
				madvise(o.mem, LONGEST, MADV_DONTNEED);
			if (way == RESIDENT || way == ADVISED)
				advice = advise(sizes[i].bytes);
			live_parameter("odp_defer_max", way == RNR ? 0 : 256);
			rnr[way] = 0;
			start = now();
			for (off = 0; off < sizes[i].bytes;
			     off += sizes[i].message)
				rnr[way] += message(off, sizes[i].message);
			took = now() - start;
			if (took < best[way])
				best[way] = took;
		}
	}
	printf("%-17s %12lu %12lu %12lu %6u %12lu %12lu\n", sizes[i].name,
	       best[RESIDENT], best[ASIDE], best[RNR], rnr[RNR], best[ADVISED],
	       advice);
	json_object_object_add(row, "bytes", json_object_new_int64(sizes[i].bytes));
	for (way = 0; way < WAYS; way++)
		json_object_object_add(row, way_names[way],
				       json_object_new_int64(best[way]));
	json_object_object_add(row, "advice", json_object_new_int64(advice));
	json_object_object_add(row, "rnr_naks", json_object_new_int64(rnr[RNR]));
	json_object_object_add(row, "rnr_naks_put_aside",
			       json_object_new_int64(rnr[ASIDE]));
	json_object_array_add(all, row);
}

TEST(pagein, "O3 O5", "on-demand memory, from miss to answer")
{
	static const struct wire_opts opts = { .mtu = XROCE_MTU_2048 };
	json_object *all = json_object_new_array();
	size_t i;

	if (!odp_open_opts(&o, LONGEST / MEM_PAGE, &opts))
		return;
	printf("%-17s %12s %12s %12s %6s %12s %12s\n", "WRITE", "resident",
	       "deferred", "RNR", "NAKs", "advised", "advice");
	for (i = 0; i < ARRAY_SIZE(sizes) && !test_failed(); i++)
		one(all, i);
	if (out && !test_failed())
		check(!json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY),
		      "%s", out);
	json_object_put(all);
	odp_close(&o);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "-o"))
		out = argv[2];
	return live_main(1, argv);
}
