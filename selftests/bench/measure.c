// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <sys/mman.h>

#include "mark.h"
#include "measure.h"
#include "median.h"

#define SPREAD		0.01	/* of segments, without a remark */
#define IN_FLIGHT	(256u << 10)	/* bytes of all responses of a window */

/*
 * Check that the clock counts instructions: this loop takes 2,000,000, unless something
 * else runs meanwhile.
 */
static bool clock_counts(void)
{
	struct timespec a, b;
	double ns = 0;
	int tries;

	for (tries = 0; tries < 10; tries++) {
		unsigned long n = 1000000;

		clock_gettime(CLOCK_MONOTONIC_RAW, &a);
		asm volatile("1: dec %0; jnz 1b" : "+r"(n));
		clock_gettime(CLOCK_MONOTONIC_RAW, &b);
		ns = (b.tv_sec - a.tv_sec) * 1e9 + b.tv_nsec - a.tv_nsec;
		if (ns > 1.98e6 && ns < 2.05e6)
			return true;
	}
	fprintf(stderr, "bench: 2000000 instructions are %.0f ns: not a machine of vm.sh --icount\n",
		ns);
	return false;
}

void *measure_open(void)
{
	void *memory;

	if (!clock_counts())
		return NULL;
	memory = mmap(NULL, RESPONDER_MEMORY, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (memory == MAP_FAILED || !generator_open())
		return NULL;
	return memory;
}

void measure_close(void)
{
	generator_close();
}

static uint32_t of_size(const struct op *op, uint32_t n)
{
	uint32_t packets = op->size > OP_MTU ? op->size / OP_MTU : 1;

	return n / packets > 4 ? n / packets : 4;
}

static uint32_t warm_up(const struct op *op, uint32_t segment)
{
	return of_size(op, segment / 4);
}

uint32_t measure_count(const struct op *op, uint32_t segment)
{
	return warm_up(op, segment) + MEASURE_SEGMENTS * of_size(op, segment);
}

double measure(const char *who, struct generator_run *run, uint32_t segment)
{
	const struct op *op = run->op;
	uint32_t n = of_size(op, segment);
	enum generator_result result;
	char why[GENERATOR_WHY];
	double cost[MEASURE_SEGMENTS], middle, judging;
	uint64_t ns;
	int i;

	run->count = measure_count(op, segment);
	if (!run->window)
		run->window = GENERATOR_WINDOW;
	if ((uint64_t)run->window * op->size > IN_FLIGHT)
		run->window = op->size < IN_FLIGHT ? IN_FLIGHT / op->size : 1;
	if (!generator_prepare(run))
		return COST_ERROR;
	result = generator_send(warm_up(op, segment), &ns, why);
	mark(MARK_BEGIN);
	for (i = 0; i < MEASURE_SEGMENTS && result == GENERATOR_OK; i++) {
		result = generator_send(n, &ns, why);
		cost[i] = (double)ns / n;
	}
	mark(MARK_END);
	if (result != GENERATOR_OK) {
		fprintf(stderr, "bench: %s: %s %u: %s%s\n", who,
			op_names[op->code], op->size, why,
			result == GENERATOR_REFUSED ? " (not supported)" : "");
		return result == GENERATOR_REFUSED ? COST_NONE : COST_ERROR;
	}
	middle = median(cost, MEASURE_SEGMENTS);
	if (cost[MEASURE_SEGMENTS - 1] > cost[0] * (1 + SPREAD))
		fprintf(stderr, "bench: %s: %s %u: from %.0f to %.0f\n", who,
			op_names[op->code], op->size, cost[0],
			cost[MEASURE_SEGMENTS - 1]);
	judging = generator_judging();
	return judging < 0 ? COST_ERROR : middle - judging;
}

bool measure_executed(const char *who, const struct op *op,
		      const struct responder *r, const void *memory, uint32_t n)
{
	uint32_t received;

	if (!r->executes)
		return true;
	if (!op_happened(op, memory, n)) {
		fprintf(stderr, "bench: %s: %s %u: the region is not as it should be\n",
			who, op_names[op->code], op->size);
		return false;
	}
	received = r->received();
	if (received == (op->code == OP_SEND ? n : 0))
		return true;
	fprintf(stderr, "bench: %s: %s %u: %u receives have completed\n", who,
		op_names[op->code], op->size, received);
	return false;
}
