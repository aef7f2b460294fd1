/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The tables of "xroce top": rows of rates between two samples. */
#ifndef _XROCE_TOP_H
#define _XROCE_TOP_H

#include <stdbool.h>

#include "watch/sample.h"

/* Keys by which rows are sorted. */
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
 * @id: number of the object
 * @name: region: its name; queue pair: address of the peer
 * @state: link: how the program is attached; queue pair: its state; region: "not counted" if
 *	it has no counters
 * @cause: queue pair in error: the cause; else empty
 * @length: region: its length in bytes
 * @rates: rates per second, in the order of the table's columns
 * @key: sort keys other than TOP_ID
 * @bad: there were errors in this interval, or the queue pair is in error
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
 * @rows: the sorted rows
 * @count: number of rows
 */
struct top_rows {
	struct top_row *rows;
	size_t count;
};

/* Names of each table's rates, ended by NULL. */
extern const char *const top_rate_names[TOP_TABLES][TOP_RATES + 1];

/**
 * top_make() - make tables of the rates between two samples
 * @before: the first sample
 * @now: the second sample; device names in the rows point into it
 * @sort: order of the rows
 * @tables: out: to be freed by top_free()
 *
 * Counters of an object that is only in the second sample are assumed to start at zero.
 *
 * Return: 0 or -ENOMEM.
 */
int top_make(const struct sample *before, const struct sample *now,
	     enum top_sort sort, struct top_rows tables[TOP_TABLES]);

void top_free(struct top_rows tables[TOP_TABLES]);

/* Format a row as a line of text. @row NULL: the head of the table. */
#define TOP_LINE_MAX	256
void top_line(enum top_table table, const struct top_row *row,
	      char line[TOP_LINE_MAX]);

/* Print the tables once, as text or JSON. */
void top_print(const struct top_rows tables[TOP_TABLES], double interval);

/**
 * top_screen() - show the tables on the terminal until a key or a signal ends it
 * @netdev: name of the device whose link is shown; NULL: all links
 * @interval: seconds between samples
 * @sort: initial order
 *
 * Return: an exit status; an error has been printed after restoring the terminal.
 */
int top_screen(const char *netdev, double interval, enum top_sort sort);

#endif /* _XROCE_TOP_H */
