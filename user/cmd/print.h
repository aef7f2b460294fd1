/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Output: objects with named fields, as text or JSON from the same calls.
 *
 * As text, an object is a line of "name value" pairs. As JSON, an object inside a list is an
 * element of an array, and any other object is a line of its own. options.json selects the
 * format; options.pretty, options.raw and options.color modify it.
 */
#ifndef _XROCE_PRINT_H
#define _XROCE_PRINT_H

#include <stdbool.h>

#include <linux/types.h>

#include "color.h"

/* A list of objects, which may be empty. */
void print_list_begin(void);
void print_list_end(void);

/* Begin and end an object. Its fields are printed in between. */
void print_begin(void);
void print_end(void);

/*
 * An array of objects within an object, after its other fields. Each element is printed
 * between print_begin() and print_end(). As text, an element is a line that begins with @line.
 */
void print_array_begin(const char *name, const char *line);
void print_array_end(void);

/* An object within an object, after its other fields. As text, a line that begins with @name. */
void print_inner_begin(const char *name);
void print_inner_end(void);

/*
 * A text, printed even if it is empty: as text through text_escape(), as JSON through
 * text_utf8(). print_colored() prints it in a colour.
 */
void print_str(const char *name, const char *value);
void print_colored(const char *name, const char *value, enum color color);

/* A text, or if @value is NULL: null in JSON, nothing in text. */
void print_str_or_null(const char *name, const char *value);

/* The name of a network device, as "dev". */
void print_dev(const char *netdev);

/* A GID, as an IPv4 or IPv6 address. */
void print_gid(const char *name, const __u8 gid[16]);

/* An Ethernet address. */
void print_mac(const char *name, const __u8 mac[6]);

/* A number; as text in decimal, or in hexadecimal with at least @digits digits. */
void print_num(const char *name, __u64 value);
void print_hex(const char *name, int digits, __u64 value);

/* A number of bytes; a rate per second. As text, with a unit. */
void print_size(const char *name, __u64 value);
void print_rate(const char *name, double value);

/* A truth value; as text "yes" or "no". */
void print_bool(const char *name, bool value);

/* A truth value; as text only @name, and only if true. */
void print_flag(const char *name, bool value);

/* Names of the bits that are set. Bit i is named names[i]; NULL: it has no name. */
void print_bits(const char *name, const char *const *names, int count,
		__u32 bits);

/*
 * Physical addresses, numbered from @first, after all other fields. Further calls with the
 * same name append to them. As text, a line each.
 */
void print_addresses(const char *name, __u64 first, const __u64 *address,
		     int count);

/*
 * A number; as text, a line of a table with a description. The line is omitted if the number
 * is zero, unless @all.
 */
void print_row(const char *name, __u64 value, const char *note, bool all);

#endif /* _XROCE_PRINT_H */
