// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* xroce top: rates of links, queue pairs and regions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arg.h"
#include "cmd.h"
#include "print.h"
#include "watch/top.h"

static bool parse_interval(const char *text, void *to)
{
	double *seconds = to;
	char *end;

	*seconds = strtod(text, &end);
	return end > text && !*end && *seconds >= 0.1 && *seconds <= 3600;
}

static const struct arg_type arg_interval = {
	"seconds, from 0.1 to 3600", parse_interval
};

static bool parse_sort(const char *text, void *to)
{
	int i;

	for (i = 0; i < TOP_SORTS; i++) {
		if (!strcmp(text, top_sort_names[i])) {
			*(enum top_sort *)to = i;
			return true;
		}
	}
	return false;
}

static const struct arg_type arg_sort = {
	"bytes, packets, errors or id", parse_sort
};

static void print_row_json(enum top_table table, const struct top_row *r)
{
	int i;

	print_begin();
	print_dev(r->dev);
	print_num(table == TOP_LINKS ? "link" : table == TOP_QPS ? "qpn" : "mr",
		  r->id);
	if (table == TOP_LINKS)
		print_str("mode", r->state);
	if (table == TOP_QPS) {
		print_str("state", r->state);
		print_str("peer", r->name);
		print_str("cause", r->cause);
	}
	if (table == TOP_MRS) {
		print_str("name", r->name);
		print_size("length", r->length);
	}
	print_flag("bad", r->bad);
	for (i = 0; top_rate_names[table][i]; i++)
		print_rate(top_rate_names[table][i], r->rates[i]);
	print_end();
}

static void print_json(const struct top_rows tables[TOP_TABLES],
		       double interval)
{
	static const char *const names[TOP_TABLES] = { "links", "qps", "mrs" };
	size_t i;
	int t;

	print_begin();
	print_rate("interval", interval);
	for (t = 0; t < TOP_TABLES; t++) {
		print_array_begin(names[t], names[t]);
		for (i = 0; i < tables[t].count; i++)
			print_row_json(t, &tables[t].rows[i]);
		print_array_end();
	}
	print_end();
}

void top_print(const struct top_rows tables[TOP_TABLES], double interval)
{
	char line[TOP_LINE_MAX];
	size_t i;
	int t;

	if (options.json) {
		print_json(tables, interval);
		return;
	}
	for (t = 0; t < TOP_TABLES; t++) {
		top_line(t, NULL, line);
		puts(line);
		for (i = 0; i < tables[t].count; i++) {
			top_line(t, &tables[t].rows[i], line);
			color_begin(tables[t].rows[i].bad ? COLOR_BAD :
							    COLOR_NONE);
			fputs(line, stdout);
			color_end(tables[t].rows[i].bad ? COLOR_BAD :
							  COLOR_NONE);
			putchar('\n');
		}
	}
	putchar('\n');
	fflush(stdout);
}

/* Print the tables options.iterations times. stdout need not be a terminal. */
static int print_times(const char *dev, double interval, enum top_sort sort)
{
	struct top_rows tables[TOP_TABLES];
	struct sample before, now;
	struct timespec pause = {
		.tv_sec = interval,
		.tv_nsec = (interval - (__u64)interval) * 1e9,
	};
	__u32 left = options.iterations;
	int status;

	status = sample_take(dev, &before);
	while (!status && left--) {
		nanosleep(&pause, NULL);
		status = sample_take(dev, &now);
		if (status)
			break;
		if (top_make(&before, &now, sort, tables))
			status = fail("top: no memory");
		else
			top_print(tables, now.time - before.time);
		top_free(tables);
		sample_free(&before);
		before = now;
	}
	sample_free(&before);
	return status;
}

int do_top(int argc, char **argv)
{
	enum top_sort sort = TOP_BYTES;
	const char *dev = NULL;
	double interval = 1;
	struct arg args[] = {
		{ "dev", &arg_text, &dev, ARG_OPTIONAL },
		{ "interval", &arg_interval, &interval, ARG_OPTIONAL },
		{ "sort", &arg_sort, &sort, ARG_OPTIONAL },
		{}
	};
	int status;

	status = arg_parse(args, argc, argv);
	if (status)
		return status;
	if (options.iterations)
		return print_times(dev, interval, sort);
	if (options.json)
		return usage("top: JSON output needs -n N");
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return fail("top: standard %s is not a terminal; -n N prints N times without one",
			    isatty(STDOUT_FILENO) ? "input" : "output");
	return top_screen(dev, interval, sort);
}
