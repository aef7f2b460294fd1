// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of verbs objects, by their size. Run by memory.sh.
 *
 *   memory free
 *   memory DEVICE ADDRESS PEER-ADDRESS
 *
 * The first prints the free bytes of the machine, once they do not grow any more. The second one
 * prints a line "OBJECT SIZE BYTES" for each: SIZE is the depth of both queues of a queue pair,
 * which is in RTS; completions of a completion queue; or pages of a region. BYTES are what the
 * machine has less of with one object more, of kernel and program together, as /proc/meminfo says.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gid.h"
#include "rc_end.h"

#define PAGE	4096ull
#define MOST	1000u		/* objects at the same time */
#define FIRST	8u
#define SETTLE	20		/* seconds at most */
#define ROOM	(64ull << 20)	/* of the objects of a row, about */

/* What makes and frees an object of a size. */
struct kind {
	const char *name;
	uint32_t size[3];
	uint64_t about;		/* bytes for each unit of size, for ROOM */
	void *(*make)(uint32_t size);
	int (*free)(void *object);
};

static struct rc_end end, peer;
static void *objects[MOST];

/* Add up the numbers behind @name, on lines of their own in @path. */
static int64_t sum(const char *path, const char *name)
{
	FILE *f = fopen(path, "r");
	char line[256], word[64];
	int64_t all = 0, n;

	needs(f, path);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, " %63s %" SCNd64, word, &n) == 2 && !strcmp(word, name))
			all += n;
	fclose(f);
	return all;
}

/* Return: free bytes of the machine, with the free pages that each CPU keeps. */
static int64_t free_bytes(void)
{
	return sum("/proc/meminfo", "MemFree:") * 1024 + sum("/proc/zoneinfo", "count:") * PAGE;
}

/* The same, once what was freed before has arrived: much of it comes after a grace period. */
static int64_t settled(void)
{
	int64_t now = free_bytes(), last;
	int i;

	for (i = 0; i < SETTLE; i++) {
		last = now;
		sleep(1);
		now = free_bytes();
		if (now - last < (int64_t)(16 * PAGE))
			break;
	}
	return now;
}

static void *make_qp(uint32_t size)
{
	struct ibv_qp_init_attr init = {
		.send_cq = end.cq,
		.recv_cq = end.cq,
		.cap = { size, size, 1, 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct rc_end e = end;

	e.qp = ibv_create_qp(end.pd, &init);
	if (e.qp)
		rc_end_connect(&e, &peer, 14);
	return e.qp;
}

static int free_qp(void *object)
{
	return ibv_destroy_qp(object);
}

static void *make_cq(uint32_t size)
{
	return ibv_create_cq(end.ctx, size, NULL, NULL, 0);
}

static int free_cq(void *object)
{
	return ibv_destroy_cq(object);
}

static void *make_mr(uint32_t size)
{
	return ibv_reg_mr(end.pd, end.memory, size * PAGE, RC_END_ACCESS);
}

static int free_mr(void *object)
{
	return ibv_dereg_mr(object);
}

static const struct kind kinds[] = {
	{ "qp", { 16, 128, 1024 }, 1024, make_qp, free_qp },
	{ "cq", { 16, 128, 1024 }, 64, make_cq, free_cq },
	{ "mr", { 1, 256, 4096 }, 8, make_mr, free_mr },
};

/* Make the objects from number @i to @n. */
static void make(const struct kind *k, uint32_t size, uint32_t i, uint32_t n)
{
	for (; i < n; i++) {
		objects[i] = k->make(size);
		needs(objects[i], k->name);
	}
}

/* The first objects may fill slabs and heap, so they are not counted. */
static void measure(const struct kind *k, uint32_t size)
{
	uint64_t fit = ROOM / (k->about * size);
	uint32_t n = fit < MOST ? fit : MOST, i;
	int64_t before;

	make(k, size, 0, FIRST);
	before = settled();
	make(k, size, FIRST, n);
	printf("%s %u %" PRId64 "\n", k->name, size, (before - settled()) / (n - FIRST));
	for (i = 0; i < n; i++) {
		errno = k->free(objects[i]);
		needs(!errno, k->name);
	}
}

int main(int argc, char **argv)
{
	size_t i, s;

	if (argc == 2 && !strcmp(argv[1], "free")) {
		printf("%" PRId64 "\n", settled());
		return 0;
	}
	if (argc != 4) {
		fprintf(stderr, "usage: memory free | memory DEVICE ADDRESS PEER-ADDRESS\n");
		return 2;
	}
	rc_end_open(&end, argv[1], argv[2], 4096 * PAGE, 16);
	gid_parse(argv[3], peer.gid.raw);
	peer.qp = end.qp;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		for (s = 0; s < 3; s++)
			measure(&kinds[i], kinds[i].size[s]);
	rc_end_close(&end);
	return 0;
}
