/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/*
 * Output: objects with named fields, as text or as JSON from the same calls.
 *
 * Text is one line an object, "name value" after "name value". In JSON an
 * object inside a list becomes part of an array, any other a line of its own.
 * Which of them it is, and how, is in the options.
 */
#ifndef _XROCE_PRINT_H
#define _XROCE_PRINT_H

#include <stdbool.h>

#include <linux/types.h>

#include "color.h"

/* A list of objects; it need not have any. */
void print_list_begin(void);
void print_list_end(void);

/* An object; its fields are printed in between. */
void print_begin(void);
void print_end(void);

/*
 * An array of objects within an object, behind its other fields: print_begin()
 * and print_end() for each. In text each has a line that begins with @line.
 */
void print_array_begin(const char *name, const char *line);
void print_array_end(void);

/* An object within an object, behind its other fields; in text a line. */
void print_inner_begin(const char *name);
void print_inner_end(void);

/*
 * A text; printed even if empty, as text_escape() has it, or in JSON as text_utf8().
 * The second one has a colour.
 */
void print_str(const char *name, const char *value);
void print_colored(const char *name, const char *value, enum color color);

/* A text that is what JSON calls null where it is NULL; text leaves it out. */
void print_str_or_null(const char *name, const char *value);

/* The name of a network device, as "dev". */
void print_dev(const char *netdev);

/* The address of a GID. */
void print_gid(const char *name, const __u8 gid[16]);

/* A number, in text decimal or with @digits of hexadecimal at least. */
void print_num(const char *name, __u64 value);
void print_hex(const char *name, int digits, __u64 value);

/* A number of bytes, or of bytes or events a second. In text with a unit. */
void print_size(const char *name, __u64 value);
void print_rate(const char *name, double value);

/* Yes or no. */
void print_bool(const char *name, bool value);

/* In text the name alone, if true. */
void print_flag(const char *name, bool value);

/* Names of the bits that are set; bit @i is @names[i], up to NULL. */
void print_bits(const char *name, const char *const *names, int count,
		__u32 bits);

/*
 * Physical addresses, numbered from @first; more of the same name may follow. In
 * text a line each, after all other fields.
 */
void print_addresses(const char *name, __u64 first, const __u64 *address,
		     int count);

/*
 * A number; in text a line of a table with a note for people, left out if it is
 * zero and not @all are wanted.
 */
void print_row(const char *name, __u64 value, const char *note, bool all);

#endif /* _XROCE_PRINT_H */
