/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of results: for readers, and as JSON.
 */
#ifndef XROCE_BENCH_TABLE_H
#define XROCE_BENCH_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "measure.h"

enum table_column {
	COLUMN_XROCE,
	COLUMN_VERBS,
	COLUMN_RXE,
	COLUMN_FLOOR,
	COLUMN_CRC,
	COLUMN_COPY,
	COLUMNS
};

/**
 * struct row - a row
 * @op: the operation
 * @cost: instructions of an operation by column, or COST_*
 */
struct row {
	struct op op;
	double cost[COLUMNS];
};

/* Print the rows that were measured. */
void table_print(const struct row *rows, size_t n, const char *net);

/* Write them to @path, keeping its rows of other networks. Return: false after a message. */
bool table_write(const char *path, const struct row *rows, size_t n,
		 const char *net);

#endif /* XROCE_BENCH_TABLE_H */
