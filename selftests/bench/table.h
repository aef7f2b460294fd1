/* SPDX-License-Identifier: GPL-2.0-only */
/* What was measured: for people, and as JSON. */
#ifndef XROCE_BENCH_TABLE_H
#define XROCE_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "op.h"

enum table_column {
	COLUMN_XROCE,
	COLUMN_RXE,
	COLUMN_FLOOR,
	COLUMNS
};

/* In place of a cost. */
#define COST_NONE	(-1.0)	/* not measured, or not supported */
#define COST_ERROR	(-2.0)

/**
 * struct row - a row
 * @op: the operation
 * @cost: instructions an operation
 */
struct row {
	struct op op;
	double cost[COLUMNS];
};

void table_print(const struct row *rows, size_t n);

/* Write @path. Return: false after a message. */
bool table_write(const char *path, const struct row *rows, size_t n,
		 const char *net);

#endif /* XROCE_BENCH_TABLE_H */
