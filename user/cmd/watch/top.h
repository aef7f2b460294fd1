/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What "xroce top" shows: rows of rates between two samples. */
#ifndef _XROCE_TOP_H
#define _XROCE_TOP_H

#include <stdbool.h>

#include "watch/sample.h"

/* What rows are sorted by. */
enum top_sort {
	TOP_BYTES,
	TOP_PACKETS,
	TOP_ERRORS,
	TOP_ID,
	TOP_SORTS
};

extern const char *const top_sort_names[TOP_SORTS];

/* The tables, from top to bottom. */
enum top_table {
	TOP_LINKS,
	TOP_QPS,
	TOP_MRS,
	TOP_TABLES
};

#define TOP_RATES	7

/**
 * struct top_row - a link, a queue pair or a region
 * @dev: name of the link's device
 * @id: number of it
 * @name: of a region, or address of the peer
 * @state: how the program of a link is attached, or state of a queue pair
 * @cause: of a queue pair in error; else empty
 * @length: bytes of a region
 * @rates: by the table's columns, each a second
 * @key: what it is sorted by, but for TOP_ID
 * @bad: there have been errors in this interval, or it is in error
 */
struct top_row {
	const char *dev;
	__u64 id;
	char name[XROCE_NAME_MAX + 16];
	const char *state;
	const char *cause;
	__u64 length;
	double rates[TOP_RATES];
	double key[TOP_ID];
	bool bad;
};

/**
 * struct top_rows - a table
 * @rows: sorted
 * @count: how many
 */
struct top_rows {
	struct top_row *rows;
	size_t count;
};

/* Names of a table's rates; NULL ends them. */
extern const char *const top_rate_names[TOP_TABLES][TOP_RATES + 1];

/**
 * top_make() - make the tables of what has happened between two samples
 * @before: the first
 * @now: the second; names in the rows point there
 * @sort: order
 * @tables: out: for top_free()
 *
 * What is in the second one alone is taken to have started at zero.
 *
 * Return: 0 or -ENOMEM.
 */
int top_make(const struct sample *before, const struct sample *now,
	     enum top_sort sort, struct top_rows tables[TOP_TABLES]);

void top_free(struct top_rows tables[TOP_TABLES]);

/* A line of a table for people. @row NULL: its head. */
#define TOP_LINE_MAX	256
void top_line(enum top_table table, const struct top_row *row,
	      char line[TOP_LINE_MAX]);

/* Print the tables once, as text or JSON. */
void top_print(const struct top_rows tables[TOP_TABLES], double interval);

/**
 * top_screen() - show the tables on the terminal until a key or a signal ends it
 * @netdev: of this device's link; NULL: of all
 * @interval: seconds between samples
 * @sort: order at first
 *
 * Return: an exit status; what is wrong has been said, after the terminal has
 * been restored.
 */
int top_screen(const char *netdev, double interval, enum top_sort sort);

#endif /* _XROCE_TOP_H */
