/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One figure: a warm-up, then the median of MEASURE_SEGMENTS segments. A remark on
 * stderr names figures whose segments differ much.
 */
#ifndef XROCE_BENCH_MEASURE_H
#define XROCE_BENCH_MEASURE_H

#include "generator.h"

#define MEASURE_SEGMENTS	5
#define MEASURE_SEGMENT		2000	/* operations, of up to OP_MTU bytes */

/* Instead of a figure. */
#define COST_NONE	(-1.0)	/* not measured, or refused */
#define COST_ERROR	(-2.0)

/* Allocate memory to be registered, and the generator. Return: NULL after a message. */
void *measure_open(void);
void measure_close(void);

/* Operations that measure() sends, the warm-up among them. */
uint32_t measure_count(const struct op *op, uint32_t segment);

/**
 * measure() - what an operation costs
 * @who: for messages
 * @run: all of it but @count and, if 0, @window; the targets are connected
 * @segment: operations, if they are small
 *
 * Return: nanoseconds, which is instructions, or COST_*.
 */
double measure(const char *who, struct generator_run *run, uint32_t segment);

/**
 * measure_executed() - was it done?
 * @who: for messages
 * @op: the operation
 * @r: the responder
 * @memory: what measure_open() gave, zero before
 * @n: how often
 *
 * Return: false after a message.
 */
bool measure_executed(const char *who, const struct op *op,
		      const struct responder *r, const void *memory, uint32_t n);

#endif /* XROCE_BENCH_MEASURE_H */
