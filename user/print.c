// SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause
/* Output: objects with named fields, as text or as JSON from the same calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "print.h"

static bool json;
static int json_flags = JSON_C_TO_STRING_PLAIN;

/* JSON: the array that is open, and the object. */
static struct json_object *list;
static struct json_object *object;

/* Text: fields on this line so far. */
static unsigned int fields;

void print_json(bool pretty)
{
	json = true;
	if (pretty)
		json_flags = JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
}

/* Print and forget. */
static void json_flush(struct json_object *o)
{
	puts(json_object_to_json_string_ext(o, json_flags |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	fflush(stdout);
	json_object_put(o);
}

void print_list_begin(void)
{
	if (json)
		list = json_object_new_array();
}

void print_list_end(void)
{
	if (json)
		json_flush(list);
	list = NULL;
}

void print_begin(void)
{
	fields = 0;
	if (json)
		object = json_object_new_object();
}

void print_end(void)
{
	if (!json) {
		putchar('\n');
		fflush(stdout);
	} else if (list) {
		json_object_array_add(list, object);
	} else {
		json_flush(object);
	}
	object = NULL;
}

static void label(const char *name)
{
	printf("%s%s ", fields++ ? " " : "", name);
}

/* Bytes of the character of UTF-8 that @s begins with; 0: it is none. */
static int character(const unsigned char *s)
{
	int len = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 :
		  *s < 0xf0 ? 3 : *s < 0xf5 ? 4 : 0;
	int i;

	for (i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* Longer than need be, a surrogate, beyond Unicode. */
	if ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] > 0x9f) ||
	    (*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] > 0x8f))
		return 0;
	return len;
}

/* Does it act on a terminal? */
static bool is_control(const unsigned char *s)
{
	return *s < 0x20 || *s == 0x7f || (*s == 0xc2 && s[1] < 0xa0);
}

/*
 * Names are whatever bytes a program gave: here as text, to be freed. JSON escapes
 * control characters by itself.
 */
static char *printable(const char *value)
{
	const unsigned char *from = (const unsigned char *)value;
	char *copy = malloc(4 * strlen(value) + 1), *to = copy;
	int len;

	if (!copy)
		return NULL;
	for (; *from; from += len ? len : 1) {
		len = character(from);
		if (len && (json || !is_control(from))) {
			memcpy(to, from, len);
			to += len;
		} else if (json) {
			to = stpcpy(to, "\xef\xbf\xbd");	/* U+FFFD */
		} else {
			len = 0;
			to += sprintf(to, "\\x%02x", *from);
		}
	}
	*to = 0;
	return copy;
}

void print_str(const char *name, const char *value)
{
	char *text = printable(value);

	if (json) {
		json_object_object_add(object, name,
				       json_object_new_string(text ? : ""));
	} else {
		label(name);
		fputs(text ? : "", stdout);
	}
	free(text);
}

void print_num(const char *name, __u64 value)
{
	if (json) {
		json_object_object_add(object, name,
				       json_object_new_uint64(value));
		return;
	}
	label(name);
	printf("%llu", (unsigned long long)value);
}

void print_hex(const char *name, int digits, __u64 value)
{
	if (json) {
		print_num(name, value);
		return;
	}
	label(name);
	printf("0x%0*llx", digits, (unsigned long long)value);
}

void print_flag(const char *name, bool value)
{
	if (json)
		json_object_object_add(object, name,
				       json_object_new_boolean(value));
	else if (value)
		printf("%s%s", fields++ ? " " : "", name);
}

void print_bits(const char *name, const char *const *names, int count,
		__u32 bits)
{
	struct json_object *array = NULL;
	const char *comma = "";
	int i;

	if (json)
		array = json_object_new_array();
	else
		label(name);
	for (i = 0; i < count; i++) {
		if (!names[i] || !(bits & (1u << i)))
			continue;
		if (json)
			json_object_array_add(array,
					      json_object_new_string(names[i]));
		else
			printf("%s%s", comma, names[i]);
		comma = ",";
	}
	if (json)
		json_object_object_add(object, name, array);
	else if (!*comma)
		putchar('-');
}

void print_addresses(const char *name, __u64 first, const __u64 *address,
		     int count)
{
	struct json_object *array = NULL;
	int i;

	if (json && !json_object_object_get_ex(object, name, &array)) {
		array = json_object_new_array();
		json_object_object_add(object, name, array);
	}
	for (i = 0; i < count; i++) {
		if (json)
			json_object_array_add(array,
				json_object_new_uint64(address[i]));
		else
			printf("\n  %s %llu 0x%llx", name,
			       (unsigned long long)first + i,
			       (unsigned long long)address[i]);
	}
}

void print_row(const char *name, __u64 value, const char *note, bool all)
{
	if (json)
		print_num(name, value);
	else if (value || all)
		printf("%s  %-14s %16llu  %s", fields++ ? "\n" : "", name,
		       (unsigned long long)value, note);
}
