// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "table.h"

static const char *const columns[COLUMNS] = {
	[COLUMN_XROCE]	= "xroce",
	[COLUMN_VERBS]	= "verbs",
	[COLUMN_RXE]	= "rxe",
	[COLUMN_FLOOR]	= "floor",
	[COLUMN_CRC]	= "crc",
	[COLUMN_COPY]	= "copy",
};

static void print_cost(double cost)
{
	if (cost >= 0)
		printf(" %8.0f", cost);
	else
		printf(" %8s", cost == COST_ERROR ? "error" : "-");
}

static bool measured(const struct row *row)
{
	return row->cost[COLUMN_XROCE] != COST_NONE ||
	       row->cost[COLUMN_VERBS] != COST_NONE ||
	       row->cost[COLUMN_RXE] != COST_NONE ||
	       row->cost[COLUMN_FLOOR] != COST_NONE;
}

void table_print(const struct row *rows, size_t n, const char *net)
{
	double xroce, rxe;
	size_t i;
	int c;

	printf("%-7s %-10s %8s", "net", "op", "bytes");
	for (c = 0; c < COLUMNS; c++)
		printf(" %8s", columns[c]);
	printf(" %9s\n", "xroce/rxe");
	for (i = 0; i < n; i++) {
		if (!measured(&rows[i]))
			continue;
		xroce = rows[i].cost[COLUMN_XROCE];
		rxe = rows[i].cost[COLUMN_RXE];
		printf("%-7s %-10s %8u", net, op_names[rows[i].op.code],
		       rows[i].op.size);
		for (c = 0; c < COLUMNS; c++)
			print_cost(rows[i].cost[c]);
		if (xroce >= 0 && rxe > 0)
			printf(" %9.3f\n", xroce / rxe);
		else
			printf(" %9s\n", "-");
	}
}

static json_object *row_json(const struct row *row, const char *net)
{
	json_object *o = json_object_new_object();
	double cost;
	int c;

	json_object_object_add(o, "op",
			       json_object_new_string(op_names[row->op.code]));
	json_object_object_add(o, "size", json_object_new_int(row->op.size));
	json_object_object_add(o, "net", json_object_new_string(net));
	for (c = 0; c < COLUMNS; c++) {
		cost = row->cost[c];
		json_object_object_add(o, columns[c], cost < 0 ? NULL :
				       json_object_new_int64(cost + 0.5));
	}
	return o;
}

/* Return: the rows of @path that are not for @net. */
static json_object *others(const char *path, const char *net)
{
	json_object *all = json_object_from_file(path), *row, *value;
	size_t i;

	if (!json_object_is_type(all, json_type_array)) {
		json_object_put(all);
		return json_object_new_array();
	}
	for (i = json_object_array_length(all); i--;) {
		row = json_object_array_get_idx(all, i);
		if (json_object_object_get_ex(row, "net", &value) &&
		    !strcmp(json_object_get_string(value), net))
			json_object_array_del_idx(all, i, 1);
	}
	return all;
}

bool table_write(const char *path, const struct row *rows, size_t n,
		 const char *net)
{
	json_object *all = others(path, net);
	bool ok;
	size_t i;

	for (i = 0; i < n; i++) {
		if (measured(&rows[i]))
			json_object_array_add(all, row_json(&rows[i], net));
	}
	ok = !json_object_to_file_ext(path, all, JSON_C_TO_STRING_PRETTY);
	if (!ok)
		fprintf(stderr, "bench: %s: %s\n", path, strerror(errno));
	json_object_put(all);
	return ok;
}
