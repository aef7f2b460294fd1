/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One figure: a warm-up, then the median of MEASURE_SEGMENTS segments. A remark on stderr
 * names figures whose segments differ much.
 */
#ifndef XROCE_BENCH_MEASURE_H
#define XROCE_BENCH_MEASURE_H

#include "generator.h"

#define MEASURE_SEGMENTS	5
#define MEASURE_SEGMENT		2000	/* operations of up to OP_MTU bytes */

/* Values in place of a figure. */
#define COST_NONE	(-1.0)	/* not measured, or refused */
#define COST_ERROR	(-2.0)

/* Allocate memory for regions, and open the generator. Return: NULL after a message. */
void *measure_open(void);
void measure_close(void);

/* Return: number of operations that measure() sends, including the warm-up. */
uint32_t measure_count(const struct op *op, uint32_t segment);

/**
 * measure() - measure the cost of an operation
 * @who: for messages
 * @run: the run, without @count and, if 0, @window; the targets are connected
 * @segment: operations of a segment, if they are small
 *
 * Return: nanoseconds, which are instructions, or COST_*.
 */
double measure(const char *who, struct generator_run *run, uint32_t segment);

/**
 * measure_executed() - check that the operations were executed
 * @who: for messages
 * @op: the operation
 * @r: the responder
 * @memory: result of measure_open(), zero before the run
 * @n: number of operations
 *
 * Return: false after a message.
 */
bool measure_executed(const char *who, const struct op *op,
		      const struct responder *r, const void *memory, uint32_t n);

#endif /* XROCE_BENCH_MEASURE_H */
