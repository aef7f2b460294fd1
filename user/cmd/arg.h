/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* The words after a verb: "name value" pairs and flags. */
#ifndef _XROCE_ARG_H
#define _XROCE_ARG_H

#include <stdbool.h>

#include <linux/types.h>

/**
 * struct arg_type - type of a value
 * @want: description of valid values, for error messages
 * @parse: reads @text into @to; returns false if @text is not valid
 *
 * A type without @parse is a flag: the name alone sets the bool at @to.
 */
struct arg_type {
	const char *want;
	bool (*parse)(const char *text, void *to);
};

extern const struct arg_type arg_flag;		/* bool */
extern const struct arg_type arg_text;		/* const char * */
/*
 * Parse a number up to @most, decimal or hexadecimal with 0x. Return: the text behind it, or NULL.
 */
const char *arg_number_at(const char *text, __u64 most, __u64 *value);

extern const struct arg_type arg_number;	/* __u32 */
extern const struct arg_type arg_count;		/* __u32, not 0 */
extern const struct arg_type arg_byte;		/* __u8 */
extern const struct arg_type arg_rnr_timer;	/* __u8, code of the RNR NAK timer */
extern const struct arg_type arg_rd_atomic;	/* __u8, READs and atomics kept for replay */
extern const struct arg_type arg_pkey;		/* __u16; qp_change_check() checks the range */
extern const struct arg_type arg_sport;		/* __u16, likewise */
extern const struct arg_type arg_24bit;		/* __u32 */
extern const struct arg_type arg_address;	/* __u64 */
extern const struct arg_type arg_size;		/* __u64, bytes with K, M, G, T */
extern const struct arg_type arg_access;	/* __u32, XROCE_ACCESS_* */
extern const struct arg_type arg_gid;		/* __u8[16], IPv4 mapped */
extern const struct arg_type arg_mtu;		/* __u32, enum xroce_mtu, from bytes */

/**
 * struct arg - an argument of a verb
 * @name: the word before the value
 * @type: type of the value
 * @to: where the value is stored
 * @state: ARG_OPTIONAL or ARG_NEEDED, and possibly ARG_BARE; arg_parse() adds ARG_SEEN if
 *	the argument is given
 *
 * A table ends with an empty entry.
 */
struct arg {
	const char *name;
	const struct arg_type *type;
	void *to;
	unsigned int state;
};

enum {
	ARG_OPTIONAL	= 0,
	ARG_NEEDED	= 1 << 0,	/* it is an error if the argument is missing */
	ARG_SEEN	= 1 << 1,
	ARG_BARE	= 1 << 2,	/* the value may stand without @name; one per table */
};

/* Read all words. Return: EXIT_OK, or EXIT_USAGE after printing an error. */
int arg_parse(struct arg *table, int argc, char **argv);

/* Names of the bits of XROCE_ACCESS_*, for print_bits(). */
#define ACCESS_BITS	10
extern const char *const access_names[ACCESS_BITS];

/* True if the argument @i of the table @args was given. */
static inline bool arg_seen(const struct arg *args, int i)
{
	return args[i].state & ARG_SEEN;
}

#endif /* _XROCE_ARG_H */
