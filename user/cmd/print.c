// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Output: objects with named fields, as text or JSON from the same calls. */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "names.h"
#include "options.h"
#include "print.h"
#include "text.h"
#include "units.h"

/* JSON: the open list, and the open object. */
static struct json_object *list;
static struct json_object *object;

/*
 * Within an array or an inner object: the object around it; JSON: the array; text: the word
 * that begins a line of the array.
 */
static struct json_object *outer;
static struct json_object *array;
static const char *line;

/* Text: number of fields on this line so far. */
static unsigned int fields;

/* malloc() that ends the program if there is no memory. */
static char *buffer(size_t size)
{
	char *p = malloc(size);

	if (!p) {
		perror("xroce");
		exit(1);
	}
	return p;
}

/* Print a JSON object and release it. */
static void json_flush(struct json_object *o)
{
	int flags = JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text;
	char *ascii;

	if (options.pretty)
		flags |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	text = json_object_to_json_string_ext(o, flags);
	ascii = buffer(TEXT_JSON_SIZE(strlen(text)));
	puts(text_json(text, ascii));
	fflush(stdout);
	free(ascii);
	json_object_put(o);
}

void print_list_begin(void)
{
	if (options.json)
		list = json_object_new_array();
}

void print_list_end(void)
{
	if (options.json)
		json_flush(list);
	list = NULL;
}

void print_begin(void)
{
	if (line)
		printf("\n    %s", line);
	fields = !!line;
	if (options.json)
		object = json_object_new_object();
}

void print_end(void)
{
	if (array) {
		json_object_array_add(array, object);
		object = outer;
		return;
	}
	if (line)
		return;
	if (!options.json) {
		putchar('\n');
		fflush(stdout);
	} else if (list) {
		json_object_array_add(list, object);
	} else {
		json_flush(object);
	}
	object = NULL;
}

void print_array_begin(const char *name, const char *of_line)
{
	if (options.json) {
		array = json_object_new_array();
		json_object_object_add(object, name, array);
		outer = object;
	} else {
		line = of_line;
	}
}

void print_array_end(void)
{
	array = NULL;
	line = NULL;
}

void print_inner_begin(const char *name)
{
	outer = object;
	if (options.json) {
		object = json_object_new_object();
		json_object_object_add(outer, name, object);
	} else {
		printf("\n    %s", name);
		fields = 1;
	}
}

void print_inner_end(void)
{
	object = outer;
}

static void label(const char *name)
{
	printf("%s%s ", fields++ ? " " : "", name);
}

void print_colored(const char *name, const char *value, enum color color)
{
	char *clean = buffer(TEXT_SIZE(strlen(value)));

	if (options.json) {
		json_object_object_add(object, name, json_object_new_string(
			text_utf8(value, clean)));
	} else {
		label(name);
		color_begin(color);
		fputs(text_escape(value, clean), stdout);
		color_end(color);
	}
	free(clean);
}

void print_str(const char *name, const char *value)
{
	print_colored(name, value, COLOR_NONE);
}

void print_str_or_null(const char *name, const char *value)
{
	if (value)
		print_str(name, value);
	else if (options.json)
		json_object_object_add(object, name, NULL);
}

void print_dev(const char *netdev)
{
	print_colored("dev", netdev, COLOR_DEV);
}

void print_gid(const char *name, const __u8 gid[16])
{
	char text[INET6_ADDRSTRLEN];

	name_of_gid(gid, text);
	print_colored(name, text, strchr(text, ':') ? COLOR_INET6 : COLOR_INET);
}

void print_mac(const char *name, const __u8 mac[6])
{
	char text[sizeof("00:00:00:00:00:00")];

	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	print_str(name, text);
}

void print_num(const char *name, __u64 value)
{
	if (options.json) {
		json_object_object_add(object, name,
				       json_object_new_uint64(value));
		return;
	}
	label(name);
	printf("%llu", (unsigned long long)value);
}

void print_hex(const char *name, int digits, __u64 value)
{
	if (options.json) {
		print_num(name, value);
		return;
	}
	label(name);
	printf("0x%0*llx", digits, (unsigned long long)value);
}

void print_size(const char *name, __u64 value)
{
	char text[UNITS_MAX];

	if (options.json || options.raw) {
		print_num(name, value);
		return;
	}
	label(name);
	fputs(units_exact(value, text), stdout);
}

void print_rate(const char *name, double value)
{
	char text[UNITS_MAX];

	if (options.json) {
		json_object_object_add(object, name,
				       json_object_new_double(value));
		return;
	}
	label(name);
	if (options.raw)
		printf("%.0f", value);
	else
		printf("%s/s", units_short(value, text));
}

void print_bool(const char *name, bool value)
{
	if (options.json)
		json_object_object_add(object, name,
				       json_object_new_boolean(value));
	else
		print_colored(name, value ? "yes" : "no",
			      value ? COLOR_GOOD : COLOR_BAD);
}

void print_flag(const char *name, bool value)
{
	if (options.json)
		json_object_object_add(object, name,
				       json_object_new_boolean(value));
	else if (value)
		printf("%s%s", fields++ ? " " : "", name);
}

void print_bits(const char *name, const char *const *names, int count,
		__u32 bits)
{
	struct json_object *names_set = NULL;
	const char *comma = "";
	int i;

	if (options.raw && !options.json) {
		print_hex(name, 1, bits);
		return;
	}
	if (options.json)
		names_set = json_object_new_array();
	else
		label(name);
	for (i = 0; i < count; i++) {
		if (!names[i] || !(bits & (1u << i)))
			continue;
		if (options.json)
			json_object_array_add(names_set,
					      json_object_new_string(names[i]));
		else
			printf("%s%s", comma, names[i]);
		comma = ",";
	}
	if (options.json)
		json_object_object_add(object, name, names_set);
	else if (!*comma)
		putchar('-');
}

void print_addresses(const char *name, __u64 first, const __u64 *address,
		     int count)
{
	struct json_object *all = NULL;
	int i;

	if (options.json && !json_object_object_get_ex(object, name, &all)) {
		all = json_object_new_array();
		json_object_object_add(object, name, all);
	}
	for (i = 0; i < count; i++) {
		if (options.json)
			json_object_array_add(all,
				json_object_new_uint64(address[i]));
		else
			printf("\n  %s %llu 0x%llx", name,
			       (unsigned long long)first + i,
			       (unsigned long long)address[i]);
	}
}

void print_row(const char *name, __u64 value, const char *note, bool all)
{
	if (options.json)
		print_num(name, value);
	else if (value || all)
		printf("%s  %-14s %16llu  %s", fields++ ? "\n" : "", name,
		       (unsigned long long)value, note);
}
