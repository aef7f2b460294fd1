// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a request costs its responder. See bench.sh, which runs this.
 *
 *   bench [-o FILE] [-n COUNT] [-r RESPONDER]... [OP[:SIZE]]...
 *
 * -o writes the table as JSON, -n sets the operations of a segment, -r and the
 * arguments choose what is measured; without them, all is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/mman.h>

#include "generator.h"
#include "harness.h"
#include "responder.h"
#include "table.h"

#define WARM_UP		500
#define SEGMENTS	5	/* of which the median counts */
#define SEGMENT		2000	/* operations */
#define SPREAD		0.01	/* of the segments, without a remark */

#define ROW(code, size)	{ { code, size }, { COST_NONE, COST_NONE, COST_NONE } }

static struct row rows[] = {
	ROW(OP_WRITE, 8),
	ROW(OP_WRITE, 64),
	ROW(OP_WRITE, 1024),
	ROW(OP_WRITE, 4096),
	ROW(OP_READ, 64),
	ROW(OP_READ, 1024),
	ROW(OP_READ, 4096),
	ROW(OP_FETCH_ADD, 8),
};

/* What the generator itself costs: the first to be measured. */
static double base[ARRAY_SIZE(rows)];

static const struct {
	const struct responder *responder;
	enum generator_expect expect;
	int column;		/* -1: @base */
} order[] = {
	{ &responder_drop,	EXPECT_NOTHING,	-1 },
	{ &responder_bounce,	EXPECT_REQUEST,	COLUMN_FLOOR },
	{ &responder_xroce,	EXPECT_REPLY,	COLUMN_XROCE },
	{ &responder_rxe,	EXPECT_REPLY,	COLUMN_RXE },
};

static uint32_t segment = SEGMENT;
static uint8_t *memory;
static char **chosen;		/* OP[:SIZE]; none: all */
static const char *only[ARRAY_SIZE(order)];
static size_t onlys;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The frames are prepared. Return: cost of an operation, or COST_*. */
static double run(const char *who, const struct op *op)
{
	enum generator_result result;
	char why[GENERATOR_WHY];
	double cost[SEGMENTS];
	uint64_t ns;
	int i;

	result = generator_send(WARM_UP, &ns, why);
	for (i = 0; i < SEGMENTS && result == GENERATOR_OK; i++) {
		result = generator_send(segment, &ns, why);
		cost[i] = (double)ns / segment;
	}
	if (result != GENERATOR_OK) {
		fprintf(stderr, "bench: %s: %s %u: %s%s\n", who,
			op_names[op->code], op->size, why,
			result == GENERATOR_REFUSED ? " (not supported)" : "");
		return result == GENERATOR_REFUSED ? COST_NONE : COST_ERROR;
	}
	qsort(cost, SEGMENTS, sizeof(cost[0]), compare);
	if (cost[SEGMENTS - 1] > cost[0] * (1 + SPREAD))
		fprintf(stderr, "bench: %s: %s %u: from %.0f to %.0f\n", who,
			op_names[op->code], op->size, cost[0],
			cost[SEGMENTS - 1]);
	return cost[SEGMENTS / 2];
}

static double measure(const struct responder *r, enum generator_expect expect,
		      const struct op *op)
{
	uint32_t n = WARM_UP + SEGMENTS * segment;
	struct target target;
	double cost = COST_ERROR;

	memset(memory, 0, op->size);
	if (!r->connect(&target))
		return COST_ERROR;
	if (generator_prepare(op, &target, n, expect))
		cost = run(r->name, op);
	r->disconnect();
	if (cost >= 0 && r->executes && !op_happened(op, memory, n)) {
		fprintf(stderr, "bench: %s: %s %u: the region is not as it should be\n",
			r->name, op_names[op->code], op->size);
		cost = COST_ERROR;
	}
	return cost;
}

static bool row_chosen(const struct op *op)
{
	char name[64];
	char **c;

	snprintf(name, sizeof(name), "%s:%u", op_names[op->code], op->size);
	for (c = chosen; *c; c++) {
		if (!strcasecmp(*c, name) || !strcasecmp(*c, op_names[op->code]))
			return true;
	}
	return c == chosen;
}

static bool responder_chosen(const struct responder *r)
{
	size_t i;

	for (i = 0; i < onlys; i++) {
		if (!strcmp(only[i], r->name))
			return true;
	}
	return !onlys || r == &responder_drop;
}

static bool measure_all(size_t which)
{
	const struct responder *r = order[which].responder;
	int column = order[which].column;
	bool ok = true;
	double cost;
	size_t i;

	if (!r->open(memory)) {
		r->close();
		return false;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!row_chosen(&rows[i].op))
			continue;
		cost = measure(r, order[which].expect, &rows[i].op);
		ok &= cost != COST_ERROR;
		if (column < 0)
			base[i] = cost;
		else
			rows[i].cost[column] = cost < 0 ? cost : cost - base[i];
	}
	r->close();
	return ok;
}

/* A clock that counts instructions says 2,000,000 here, whatever the machine. */
static bool clock_counts(void)
{
	unsigned long n = 1000000;
	struct timespec a, b;
	double ns;

	clock_gettime(CLOCK_MONOTONIC_RAW, &a);
	asm volatile("1: dec %0; jnz 1b" : "+r"(n));
	clock_gettime(CLOCK_MONOTONIC_RAW, &b);
	ns = (b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec;
	if (ns > 1.98e6 && ns < 2.05e6)
		return true;
	fprintf(stderr, "bench: 2000000 instructions are %.0f ns: not a machine of vm.sh --icount\n",
		ns);
	return false;
}

static void usage(void)
{
	fprintf(stderr, "usage: bench [-o FILE] [-n COUNT] [-r RESPONDER]... [OP[:SIZE]]...\n");
	exit(2);
}

static const char *parse(int argc, char **argv)
{
	const char *out = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "o:n:r:")) != -1) {
		switch (opt) {
		case 'o':
			out = optarg;
			break;
		case 'n':
			segment = strtoul(optarg, NULL, 0);
			break;
		case 'r':
			if (onlys == ARRAY_SIZE(only))
				usage();
			only[onlys++] = optarg;
			break;
		default:
			usage();
		}
	}
	chosen = argv + optind;
	if (!segment || segment > 100000)
		usage();
	return out;
}

int main(int argc, char **argv)
{
	const char *out = parse(argc, argv);
	const char *net = getenv("XROCE_NET");
	bool ok;
	size_t i;

	if (!clock_counts())
		return 1;
	memory = mmap(NULL, RESPONDER_MEMORY, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED || !generator_open())
		return 1;
	for (i = 0, ok = true; i < ARRAY_SIZE(order); i++) {
		if (responder_chosen(order[i].responder))
			ok &= measure_all(i);
	}
	generator_close();
	table_print(rows, ARRAY_SIZE(rows));
	if (out)
		ok &= table_write(out, rows, ARRAY_SIZE(rows),
				  net ? net : "veth");
	return !ok;
}
