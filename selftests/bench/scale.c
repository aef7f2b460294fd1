// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of a request by the number of queue pairs, regions or requests in flight. Run by
 * bench.sh.
 *
 *   scale [-o FILE] [qps|regions|window]...
 *
 * Requests go to the queue pairs in turn, or to regions evenly spread over all regions.
 * Queue pair number j expects PEER_PSN + j * step as its first PSN, where step * queue
 * pairs is 1 modulo 2^24: the PSNs of consecutive requests differ by step, and those of one
 * queue pair by 1. This requires an odd number of queue pairs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "harness.h"
#include "libxroce.h"
#include "measure.h"
#include "responder.h"

#define MANY		10501u	/* targets, for measure_count() requests */
#define MPT_ENTRIES	(1u << 20)
#define QP_ENTRIES	(1u << 14)

static const uint32_t qps[] = { 1, 101, 10001 };
static const uint32_t regions[] = { 1, 1000, 1000000 };
static const uint32_t windows[] = { 1, 2, 4, 8, 16, 32, 64, 128 };
static const struct op ops[] = { { OP_WRITE, 64 }, { OP_READ, 64 } };

static struct target targets[MANY];
static void *memory;
static json_object *all;

static uint32_t step_of(uint32_t n)
{
	uint32_t x = n, i;

	for (i = 0; i < 5; i++)
		x *= 2 - n * x;
	return x & XROCE_PSN_MASK;
}

static bool connect_all(const struct responder *r, uint32_t n, uint32_t step)
{
	uint32_t i;

	for (i = 0; i < n; i++) {
		targets[i].psn = (PEER_PSN + (uint64_t)i * step) &
				 XROCE_PSN_MASK;
		if (!r->connect(&targets[i]))
			return false;
	}
	return true;
}

/* Measure with @r open and connected. Return: as measure(). */
static double cost_of(const struct responder *r, const struct op *op,
		      uint32_t n_targets, uint32_t step, uint32_t window)
{
	struct generator_run run = {
		.op = op,
		.targets = targets,
		.n_targets = n_targets,
		.step = step,
		.window = window,
		.expect = r->executes ? EXPECT_RESPONSE : EXPECT_NOTHING,
	};

	return measure(r->name, &run, MEASURE_SEGMENT);
}

/* Return: cost of sending @window requests at a time. */
static double sending(const struct op *op, uint32_t window)
{
	double cost = COST_ERROR;

	if (responder_drop.open(memory) && connect_all(&responder_drop, 1, 1))
		cost = cost_of(&responder_drop, op, 1, 1, window);
	responder_drop.close();
	return cost;
}

static void report(const char *what, uint32_t n, const struct op *op,
		   const char *who, double cost, double first)
{
	json_object *o = json_object_new_object();

	printf("%-8s %8u %-6s %5u %-6s %8.0f %9.3f\n", what, n,
	       op_names[op->code], op->size, who, cost, cost / first);
	fflush(stdout);
	json_object_object_add(o, "many", json_object_new_string(what));
	json_object_object_add(o, "n", json_object_new_int(n));
	json_object_object_add(o, "op",
			       json_object_new_string(op_names[op->code]));
	json_object_object_add(o, "size", json_object_new_int(op->size));
	json_object_object_add(o, who, json_object_new_int64(cost + 0.5));
	json_object_array_add(all, o);
}

/* Return: cost of a request with @n queue pairs. */
static double qps_cost(const struct op *op, uint32_t n)
{
	const struct responder *r = &responder_xroce;
	uint32_t step = step_of(n), i;
	double cost = COST_ERROR;

	if (connect_all(r, n, step))
		cost = cost_of(r, op, n, step, 0);
	for (i = 0; i < n; i++)
		r->disconnect(&targets[i]);
	return cost;
}

static double regions_cost(const struct op *op, uint32_t n)
{
	const struct responder *r = &responder_xroce;
	uint32_t n_targets = n < MANY ? n : MANY - 1, i;
	struct target qp = { .psn = PEER_PSN };
	double cost;

	if (!r->connect(&qp))
		return COST_ERROR;
	for (i = 0; i < n_targets; i++)
		targets[i].qpn = qp.qpn;
	cost = cost_of(r, op, n_targets, 1, 0);
	r->disconnect(&qp);
	return cost;
}

static bool many(const char *what, const uint32_t *numbers, size_t n,
		 double (*cost_with)(const struct op *op, uint32_t n))
{
	double sent[ARRAY_SIZE(ops)], first[ARRAY_SIZE(ops)], cost;
	bool ok = true;
	size_t i, k;

	for (k = 0; k < ARRAY_SIZE(ops); k++) {
		sent[k] = sending(&ops[k], 0);
		ok &= sent[k] >= 0;
	}
	responder_xroce_tables(MPT_ENTRIES, QP_ENTRIES);
	ok = ok && responder_xroce.open(memory);
	for (i = 0; i < n; i++) {
		if (cost_with == regions_cost)
			ok = ok && responder_xroce_regions(
				i ? numbers[i - 1] : 0, numbers[i], targets,
				numbers[i] < MANY ? numbers[i] : MANY - 1);
		for (k = 0; ok && k < ARRAY_SIZE(ops); k++) {
			cost = cost_with(&ops[k], numbers[i]);
			ok = cost >= 0;
			cost -= sent[k];
			if (!i)
				first[k] = cost;
			if (ok)
				report(what, numbers[i], &ops[k], "xroce",
				       cost, first[k]);
		}
	}
	responder_xroce.close();
	responder_xroce_tables(0, 0);
	/* Maps and pages are freed in the background. */
	sleep(2);
	return ok;
}

static bool window(void)
{
	const struct responder *const who[] = { &responder_xroce, &responder_rxe };
	double sent[ARRAY_SIZE(windows)], first = 0, cost;
	bool ok = true;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		sent[i] = sending(&ops[0], windows[i]);
		ok &= sent[i] >= 0;
	}
	for (k = 0; k < ARRAY_SIZE(who); k++) {
		ok = ok && who[k]->open(memory);
		for (i = 0; ok && i < ARRAY_SIZE(windows); i++) {
			ok = connect_all(who[k], 1, 1);
			cost = ok ? cost_of(who[k], &ops[0], 1, 1, windows[i]) :
				    COST_ERROR;
			ok = cost >= 0;
			cost -= sent[i];
			if (!i)
				first = cost;
			if (ok)
				report("window", windows[i], &ops[0],
				       who[k]->name, cost, first);
			who[k]->disconnect(&targets[0]);
		}
		who[k]->close();
	}
	return ok;
}

static bool chosen(char **words, const char *what)
{
	char **w;

	for (w = words; *w; w++)
		if (!strcmp(*w, what))
			return true;
	return w == words;
}

int main(int argc, char **argv)
{
	const char *out = NULL;
	bool ok = true;
	int opt;

	while ((opt = getopt(argc, argv, "o:")) != -1) {
		if (opt != 'o') {
			fprintf(stderr, "usage: scale [-o FILE] [qps|regions|window]...\n");
			return 2;
		}
		out = optarg;
	}
	memory = measure_open();
	if (!memory)
		return 1;
	all = json_object_new_array();
	printf("%-8s %8s %-6s %5s %-6s %8s %9s\n", "many", "n", "op", "bytes",
	       "who", "cost", "to first");
	if (chosen(argv + optind, "qps"))
		ok &= many("qps", qps, ARRAY_SIZE(qps), qps_cost);
	if (chosen(argv + optind, "regions"))
		ok &= many("regions", regions, ARRAY_SIZE(regions), regions_cost);
	if (chosen(argv + optind, "window"))
		ok &= window();
	measure_close();
	if (out && json_object_to_file_ext(out, all, JSON_C_TO_STRING_PRETTY)) {
		fprintf(stderr, "bench: %s: %s\n", out, strerror(errno));
		ok = false;
	}
	json_object_put(all);
	return !ok;
}
