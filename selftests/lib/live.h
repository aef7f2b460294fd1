/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The real module under a test: loaded, and a link on one end of a veth pair,
 * c0 - x0, in a network namespace of the test's own. For the virtual machine.
 */
#ifndef XROCE_LIVE_H
#define XROCE_LIVE_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "harness.h"
#include "libxroce.h"
#include "xroce_map.h"

#define LIVE_DEV		"x0"
#define LIVE_MPT_ENTRIES	4096u
#define LIVE_QP_ENTRIES		64u
/* A second pair, without a link; and what a test may attach to it. */
#define LIVE_SPARE		"x1"
#define LIVE_SPARE_ENTRIES	16u

/**
 * live_main() - harness_main() with all set up before and taken down after
 * @argc: of main()
 * @argv: of main()
 * @tests: the table
 * @n: its length
 *
 * Return: the program's exit status.
 */
int live_main(int argc, char **argv, const struct test *tests, size_t n);

/* The same for tests that load the module themselves: a namespace, and no more. */
int live_main_alone(int argc, char **argv, const struct test *tests, size_t n);

/* The parts of it, for tests of just these. Return: 0 or a negative errno. */
int live_skip(void);		/* 0: here; else the plan has been skipped */
int live_module_load(void);
int live_module_load_with(const char *parameters);

/* Set a parameter of the module that is loaded. */
void live_parameter(const char *name, unsigned int value);
int live_module_unload(void);
int live_module_refused(void);	/* try to unload it, once */
int live_veth_add(const char *dev, const char *peer);
int live_veth_del(const char *dev);
bool live_rename(const char *from, const char *to);
int live_attach(const char *dev, __u32 mpt_entries, __u32 qp_entries);
int live_detach(const char *dev, __u32 flags);

/* Seconds for what the kernel does in its own time, on a host that is busy. */
#define LIVE_PATIENCE		60

/* Ask again and again. Return: false when patience ended. */
bool live_wait(bool (*done)(void *arg), void *arg);

/* ioctl(2) with the errno as the result. */
int live_ioctl(int fd, unsigned long cmd, void *arg);

/* A handle on LIVE_DEV; NULL and a failed check if there is none. */
struct xroce *live_open(void);

/* Close it, and check that nothing is left of anybody's on LIVE_DEV. */
void live_close(struct xroce *x);

/* In a row of a table: a test that begins with the one, and ends with the other. */
#define ON_HANDLE(test)	.on_handle = (test), .around = live_around
void live_around(const struct test *test);

/* Nobody's objects on @dev, no user, no page pinned in the whole system. */
void live_check_idle(const char *dev);

/* Pages pinned now, in the whole system. */
long live_pinned(void);

/* Kilobytes pinned by this process (VmPin). */
long live_vmpin(void);

/* Give up a capability, CAP_*, and take it back. */
void live_drop_cap(int cap);
void live_restore_caps(void);

/* Read or write an entry of a map of @dev's. Return: whether it worked. */
bool live_map_get(const char *dev, const char *map, __u32 key, void *value);
bool live_map_put(const char *dev, const char *map, __u32 key,
		  const void *value);

/* The counters of LIVE_DEV's link, now. */
struct xroce_stat live_stat(void);

/* A program of no effect, but for its types; of <linux/bpf.h>. */
int live_program(int type, int attach);

/* A protection domain of @x's; 0 and a failed check if there is none. */
__u32 live_pd(struct xroce *x);

#endif /* XROCE_LIVE_H */
