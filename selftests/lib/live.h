/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test with the real module: it is loaded, and has a link on x0, one end of the veth pair
 * c0 - x0, in a network namespace of the test. For the virtual machine.
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
/* A second veth pair, c1 - x1, without a link, and the entries for a link on it. */
#define LIVE_SPARE		"x1"
#define LIVE_SPARE_ENTRIES	16u

/**
 * live_main() - harness_main(), with module, network and link set up around it
 * @argc: of main()
 * @argv: of main()
 *
 * Return: the program's exit status.
 */
int live_main(int argc, char **argv);

/*
 * The same for tests whose link judges no packet of RoCE: it has the program of small.bpf.c,
 * which is verified in a fraction of the time. If a packet comes nevertheless, run.sh fails
 * the test.
 */
int live_main_no_packets(int argc, char **argv);

/* live_main() for tests that load the module themselves: only a network namespace. */
int live_main_alone(int argc, char **argv);

/*
 * What live_main() does before and after the tests. Return: 0, or an exit status. A program in
 * whose environment LIVE_ONE_LINK is finds all that: see one_link.c.
 */
#define LIVE_ONE_LINK		"XROCE_ONE_LINK"
int live_up(void);
int live_down(void);

/* Parts of live_main(), for tests that need only these. Return: 0 or a negative errno. */
int live_skip(void);		/* 0, or an exit status after the plan was skipped */
int live_module_load(void);
int live_module_load_with(const char *parameters);

/* Set a parameter of the loaded module. */
void live_parameter(const char *name, unsigned int value);
int live_module_unload(void);
int live_module_refused(void);	/* try to unload the module, once */
int live_veth_add(const char *dev, const char *peer);

/*
 * Give the end of a veth pair a program that passes all frames, as live_veth_add() does. veth
 * delivers the frames of XDP_TX only to an end that has one; otherwise the module sends all
 * responses.
 */
int live_peer_program(const char *peer);
int live_veth_del(const char *dev);
bool live_rename(const char *from, const char *to);
int live_attach(const char *dev, __u32 mpt_entries, __u32 qp_entries);
bool live_attach_generic(void);	/* LIVE_SPARE, in mode generic */
int live_detach(const char *dev, __u32 flags);

/* Seconds to wait for work that the kernel does asynchronously, on a busy host. */
#define LIVE_PATIENCE		60

/* Poll until @done returns true. Return: false after LIVE_PATIENCE seconds. */
bool live_wait(bool (*done)(void *arg), void *arg);

/* ioctl(2) that returns 0 or a negative errno. */
int live_ioctl(int fd, unsigned long cmd, void *arg);

/* Open a handle on LIVE_DEV. Return: the handle; NULL and a failed check on error. */
struct xroce *live_open(void);

/* Close it, and check that LIVE_DEV's link has no objects left. */
void live_close(struct xroce *x);

/* A test between live_open() and live_close(), whose parameter is the handle: x. */
#define HANDLE_TEST(name, ids, about) \
	TEST_CALLED((struct xroce *x), live_call(in_##name), name, ids, about)
void live_call(void (*test)(struct xroce *x));

/* The same with a protection domain of the handle: pd. */
#define PD_TEST(name, ids, about) \
	TEST_CALLED((struct xroce *x, __u32 pd), live_call_pd(in_##name), name, ids, about)
void live_call_pd(void (*test)(struct xroce *x, __u32 pd));

/* Check that @dev's link has no objects and no users, and that no page is pinned. */
void live_check_idle(const char *dev);

/* Number of pages that are pinned now, in the whole system. */
long live_pinned(void);

/* Kilobytes that are pinned by this process (VmPin). */
long live_vmpin(void);

/* Drop a capability, CAP_*, from the effective set; restore all that are permitted. */
void live_drop_cap(int cap);
void live_restore_caps(void);

/* The same for all that let a process send any packet. */
void live_drop_net_caps(void);

/* Read or write an entry of a map of @dev's link. Return: whether it worked. */
bool live_map_get(const char *dev, const char *map, __u32 key, void *value);
bool live_map_put(const char *dev, const char *map, __u32 key,
		  const void *value);

/* The counters of LIVE_DEV's link. */
struct xroce_stat live_stat(void);

/* Load a program without effect, of these types of <linux/bpf.h>. Return: its descriptor. */
int live_program(int type, int attach);

/* Make a protection domain. Return: its number; 0 and a failed check on error. */
__u32 live_pd(struct xroce *x);

#endif /* XROCE_LIVE_H */
