// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of a request for its responder. Run by bench.sh.
 *
 *   bench [-o FILE] [-b FILE] [-k FILE] [-n COUNT] [-r RESPONDER]... [OP[:SIZE]]...
 *
 * -o writes the table as JSON and keeps rows of other networks in the file; -b reads the
 * cost of CRC and copy as printed by bytes/bench.c; -k copies the names of the kernel's functions
 * to a file for where.sh, while the responder's program is attached; -n sets the operations of a
 * segment; -r and the arguments select responders and operations (default: all).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "measure.h"
#include "responder.h"
#include "table.h"

#define LARGEST_HUB	65536	/* bytes of a response */
#define PAUSE_NS	300000	/* twice the delay of a frame in the hub */

#define ROW(code, size)	{ { code, size }, { [0 ... COLUMNS - 1] = COST_NONE } }

static struct row rows[] = {
	ROW(OP_WRITE, 8),
	ROW(OP_WRITE, 64),
	ROW(OP_WRITE, 512),
	ROW(OP_WRITE, 1024),
	ROW(OP_WRITE, 2048),
	ROW(OP_WRITE, 4096),
	ROW(OP_READ, 8),
	ROW(OP_READ, 64),
	ROW(OP_READ, 512),
	ROW(OP_READ, 1024),
	ROW(OP_READ, 2048),
	ROW(OP_READ, 4096),
	ROW(OP_READ, 65536),
	ROW(OP_READ, 1048576),
	ROW(OP_FETCH_ADD, 8),
	ROW(OP_CMP_SWAP, 8),
	ROW(OP_SEND, 64),
};

/*
 * Cost of the generator and of the path to the responder, for frames like a row's request
 * and like a packet of its response: dropped by an XDP program (xdp), or by the stack or
 * the NIC without one (unseen).
 */
static struct base {
	double request;
	double response;
} xdp[ARRAY_SIZE(rows)], unseen[ARRAY_SIZE(rows)];

static struct {
	const struct responder *responder;
	enum generator_expect expect;
	int column;
	struct base *base;	/* where to store the costs, instead of @column */
} order[] = {
	{ &responder_drop,	EXPECT_NOTHING,	.base = xdp },
	{ &responder_drop_skb,	EXPECT_NOTHING,	.base = unseen },
	{ &responder_bounce,	EXPECT_REQUEST,	COLUMN_FLOOR },
	{ &responder_xroce,	EXPECT_RESPONSE,	COLUMN_XROCE },
	{ &responder_verbs,	EXPECT_RESPONSE,	COLUMN_VERBS },
	{ &responder_rxe,	EXPECT_RESPONSE,	COLUMN_RXE },
};

static uint32_t segment = MEASURE_SEGMENT;
static uint8_t *memory;
static char **chosen;		/* OP[:SIZE]; none: all */
static const char *only[ARRAY_SIZE(order)];
static size_t onlys;
static const char *bytes;	/* name of a file */
static const char *kernel_names;	/* that of a file, too */
static uint32_t largest = UINT32_MAX;
static bool copies = true;	/* the network copies socket buffers for XDP programs */
static uint64_t pause_ns;	/* until a frame has left */

static bool copy_kernel_names(void)
{
	FILE *from = fopen("/proc/kallsyms", "r"), *to = fopen(kernel_names, "w");
	char *line = NULL;
	size_t size = 0;
	bool ok;

	while (from && to && getline(&line, &size, from) > 0)
		fputs(line, to);
	free(line);
	ok = from && feof(from) && to && !ferror(to);
	if (from)
		fclose(from);
	if (to)
		ok &= !fclose(to);
	if (!ok)
		perror(kernel_names);
	return ok;
}

static double cost_of(const struct responder *r, enum generator_expect expect,
		      const struct op *op)
{
	uint32_t n = measure_count(op, segment);
	struct target target = { .psn = PEER_PSN };
	struct generator_run run = {
		.op = op,
		.targets = &target,
		.n_targets = 1,
		.step = expect == EXPECT_RESPONSE ? op_psns(op) : 1,
		.expect = expect,
		.dropped = r->dropped ? r->dropped() : NULL,
		.misdirected = r->misdirected,
		.pause = r->misdirected ? pause_ns : 0,
	};
	double cost;

	memset(memory, 0, op->size);
	if (op->code == OP_SEND)
		target.receives = n;
	if (!r->connect(&target))
		return COST_ERROR;
	cost = measure(r->name, &run, segment);
	if (cost >= 0 && !measure_executed(r->name, op, r, memory, n))
		cost = COST_ERROR;
	if (kernel_names && !copy_kernel_names())
		cost = COST_ERROR;
	r->disconnect(&target);
	return cost;
}

static bool row_chosen(const struct op *op)
{
	char name[64];
	char **c;

	if (op->size > largest)
		return false;
	snprintf(name, sizeof(name), "%s:%u", op_names[op->code], op->size);
	for (c = chosen; *c; c++) {
		if (!strcasecmp(*c, name) || !strcasecmp(*c, op_names[op->code]))
			return true;
	}
	return c == chosen;
}

static bool responder_chosen(size_t which)
{
	size_t i;

	if (order[which].base)
		return true;
	for (i = 0; i < onlys; i++) {
		if (!strcmp(only[i], order[which].responder->name))
			return true;
	}
	return !onlys;
}

/*
 * A frame of about the length of a response: an acknowledgement is about as long as a READ
 * request.
 */
static struct op like_response(const struct op *op)
{
	if (op->code != OP_READ)
		return (struct op){ OP_READ, 8 };
	return (struct op){ OP_WRITE, op->size < OP_MTU ? op->size : OP_MTU };
}

/*
 * Cost to subtract from a row. On a network that copies for XDP, frames to rxe are not
 * copied, but its responses are, for the program that judges them. With NICs, the cost of
 * receiving the responses is the generator's.
 */
static double base_of(const struct responder *r, size_t i)
{
	double response = op_psns(&rows[i].op) * (xdp[i].response - unseen[i].response);

	if (copies)
		return r == &responder_rxe ? unseen[i].request + response :
					     xdp[i].request;
	if (r == &responder_bounce)
		response = xdp[i].request - unseen[i].request;
	return xdp[i].request + response;
}

static bool measure_all(size_t which)
{
	const struct responder *r = order[which].responder;
	struct base *base = order[which].base;
	bool ok = true;
	struct op like;
	double cost;
	size_t i;

	if (!r->open(memory)) {
		r->close();
		return false;
	}
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!row_chosen(&rows[i].op))
			continue;
		cost = cost_of(r, order[which].expect, &rows[i].op);
		ok &= cost != COST_ERROR;
		if (!base) {
			rows[i].cost[order[which].column] =
				cost < 0 ? cost : cost - base_of(r, i);
			continue;
		}
		base[i].request = cost;
		like = like_response(&rows[i].op);
		base[i].response = cost_of(r, order[which].expect, &like);
		ok &= base[i].response != COST_ERROR;
	}
	r->close();
	return ok;
}

/* Read the cost of CRC and copy of a payload. Return: false after a message. */
static bool add_bytes(void)
{
	uint32_t size, crc, copy, packets;
	FILE *f;
	size_t i;

	if (!bytes)
		return true;
	f = fopen(bytes, "r");
	while (f && fscanf(f, "%u %u %u", &size, &crc, &copy) == 3) {
		for (i = 0; i < ARRAY_SIZE(rows); i++) {
			packets = op_psns(&rows[i].op);
			if (rows[i].op.size != size * packets)
				continue;
			rows[i].cost[COLUMN_CRC] = crc * packets;
			rows[i].cost[COLUMN_COPY] = copy * packets;
		}
	}
	if (!f || !feof(f)) {
		perror(bytes);
		return false;
	}
	fclose(f);
	return true;
}

static void usage(void)
{
	fprintf(stderr, "usage: bench [-o FILE] [-b FILE] [-k FILE] [-n COUNT] [-r RESPONDER]... "
			"[OP[:SIZE]]...\n");
	exit(2);
}

static const char *parse(int argc, char **argv)
{
	const char *out = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "o:b:k:n:r:")) != -1) {
		switch (opt) {
		case 'o':
			out = optarg;
			break;
		case 'b':
			bytes = optarg;
			break;
		case 'k':
			kernel_names = optarg;
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

	if (!net)
		net = "veth";
	/*
	 * On veth, sending delivers a frame at once. QEMU's hub loses some of 256
	 * consecutive frames, and the generator does not retransmit.
	 */
	if (strcmp(net, "veth")) {
		order[0].responder = &responder_drop_counted;
		largest = LARGEST_HUB;
		copies = false;
		pause_ns = PAUSE_NS;
	}
	memory = measure_open();
	if (!memory || !add_bytes())
		return 1;
	for (i = 0, ok = true; i < ARRAY_SIZE(order); i++) {
		if (responder_chosen(i))
			ok &= measure_all(i);
	}
	measure_close();
	table_print(rows, ARRAY_SIZE(rows), net);
	if (out)
		ok &= table_write(out, rows, ARRAY_SIZE(rows), net);
	return !ok;
}
