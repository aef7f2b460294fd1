/* SPDX-License-Identifier: LGPL-2.1-only OR BSD-2-Clause */
/* Declarations shared by the files of "xroce link". */
#ifndef _XROCE_LINK_H
#define _XROCE_LINK_H

#include "xroce_cc.h"

#include "arg.h"
#include "libxroce.h"
#include "moderation.h"
#include "provider.h"
#include "verbs.h"

/* The verb show, link_show.c. */
int link_show(int argc, char **argv);

/* The verb set, link_set.c. */
int link_set(int argc, char **argv);

/* The verb limit, link_limit.c. */
int link_limit(int argc, char **argv);

/*
 * Read those words of the verb limit that set limits; a device is not accepted. Return: an
 * exit status; an error has been printed.
 */
int link_limit_read(int argc, char **argv, struct xroce_limit_set *set);

extern const struct arg_type link_arg_mode;	/* enum xroce_mode */
extern const struct arg_type link_arg_mpt;	/* __u32, entries of the memory protection table */
extern const struct arg_type link_arg_qp;	/* __u32, entries of the queue pair table */
extern const struct arg_type link_arg_paths;	/* __u32, UDP source ports of a connection */

#define LINK_CONF_LIMITS	16

/**
 * struct link_conf - settings of a link
 * @mode: how to attach
 * @mpt: entries of the memory protection table; 0: not given
 * @qp: entries of the queue pair table; 0: not given
 * @paths: UDP source ports of a connection; 0: not given
 * @cc: algorithm of congestion control of new connections, or empty
 * @moderation: of completion events
 * @verbs: name of the verbs device to make, or empty
 * @provider: the provider that programs need for it
 * @limit: limits to set, without the link's number
 * @limits: number of elements in @limit
 * @batch: file of commands to run after the link is made, or NULL
 */
struct link_conf {
	enum xroce_mode mode;
	__u32 mpt;
	__u32 qp;
	__u32 paths;
	char cc[XROCE_CC_NAME_MAX];
	struct moderation moderation;
	char verbs[VERBS_NAME_MAX];
	struct provider provider;
	struct xroce_limit_set limit[LINK_CONF_LIMITS];
	int limits;
	char *batch;
};

/**
 * link_conf_read() - read settings from a file
 * @path: the file
 * @optional: the file may be missing
 * @conf: out; to be freed by link_conf_free(), also after an error
 *
 * Return: an exit status; an error, with the number of the line, has been printed.
 */
int link_conf_read(const char *path, bool optional, struct link_conf *conf);

/* Set the limits; run the batch. Return: an exit status; an error has been printed. */
int link_conf_limit(const struct link_conf *conf, const char *dev, __u32 link);
int link_conf_batch(const struct link_conf *conf);

void link_conf_free(struct link_conf *conf);

/*
 * Print the name of a link in the kernel's RDMA control groups; and, as an inner object, the
 * link's limits and their present use.
 */
void link_limit_print_group(__u32 link);
void link_limit_print(__u32 link);

/* How the XDP program of a device in this namespace is attached: "native", "generic", ... */
const char *link_mode(int ifindex);

/*
 * Print the kernel's information about the pinned program and maps: the fields of the line,
 * and then the inner objects. They print nothing if the pins belong to another device that
 * had this name. In link_bpf.c.
 */
void link_bpf_print(const char *dev, __u32 ifindex);
void link_bpf_print_maps(const char *dev, __u32 ifindex);

#endif /* _XROCE_LINK_H */
