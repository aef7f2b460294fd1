/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* What the files of "xroce link" share. */
#ifndef _XROCE_LINK_H
#define _XROCE_LINK_H

#include "arg.h"
#include "libxroce.h"

/* The verb show, link_show.c. */
int link_show(int argc, char **argv);

/* The verb limit, link_limit.c. */
int link_limit(int argc, char **argv);

/*
 * Read the words of the verb limit that set limits, without a device. Return: an exit
 * status; what is wrong has been said.
 */
int link_limit_read(int argc, char **argv, struct xroce_limit_set *set);

extern const struct arg_type link_arg_mode;	/* enum xroce_mode */

#define LINK_CONF_LIMITS	16

/**
 * struct link_conf - settings of a link
 * @mode: how to attach
 * @mpt: size of the memory protection table; 0: not said
 * @qp: of the queue pair table; 0: not said
 * @limit: limits to set, without the link's number
 * @limits: how many
 * @batch: file of commands to run on it, or NULL
 */
struct link_conf {
	enum xroce_mode mode;
	__u32 mpt;
	__u32 qp;
	struct xroce_limit_set limit[LINK_CONF_LIMITS];
	int limits;
	char *batch;
};

/**
 * link_conf_read() - read settings from a file
 * @path: the file
 * @optional: it may be missing
 * @conf: out; for link_conf_free(), also after an error
 *
 * Return: an exit status; what is wrong, and in which line, has been said.
 */
int link_conf_read(const char *path, bool optional, struct link_conf *conf);

/* Set the limits and run the batch. Return: an exit status; what is wrong has been said. */
int link_conf_apply(const struct link_conf *conf, const char *dev, __u32 link);

void link_conf_free(struct link_conf *conf);

/*
 * Print what the control groups of the kernel call a link; and, an inner object, its
 * limits and what is used of them.
 */
void link_limit_print_group(__u32 link);
void link_limit_print(__u32 link);

/* How the program of a device of this namespace is attached, for people. */
const char *link_mode(int ifindex);

/*
 * Print what the kernel knows of the pinned program and maps, link_bpf.c; nothing
 * where the pins are of another device of this name. Those that make a line, and
 * then the inner objects.
 */
void link_bpf_print(const char *dev, __u32 ifindex);
void link_bpf_print_maps(const char *dev, __u32 ifindex);

#endif /* _XROCE_LINK_H */
