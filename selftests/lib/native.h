/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The XDP program without its module: loaded with xroce_kfuncs off, so that it
 * takes every ICRC for good, moves no byte and leaves the ICRC of READ responses
 * zero.
 * The test writes the maps, and packets go through BPF_PROG_TEST_RUN.
 */
#ifndef XROCE_NATIVE_H
#define XROCE_NATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "harness.h"
#include "xroce_map.h"

#define NATIVE_MPT_ENTRIES	1024u
#define NATIVE_QP_ENTRIES	64u
#define NATIVE_LINEAR		3520u	/* bytes in the first buffer of a frame */
#define NATIVE_MIN_FRAME	14u	/* BPF_PROG_TEST_RUN takes no less */

/**
 * native_open() - load the program
 *
 * The object is $XROCE_BPF_OBJECT, or ../bpf/xroce.bpf.o seen from this program.
 *
 * Return: whether it is loaded; if not, a failure or a skip has been noted.
 */
bool native_open(void);

/* The same, with the program that asks the driver of a device for VLAN tags. */
bool native_open_vlan(uint32_t ifindex);
int native_vlan_prog(void);

/* harness_main(), and the program unloaded after it. */
int native_main(int argc, char **argv, const struct test *tests, size_t n);

/* The program, loaded; it stays this file's. */
int native_prog(void);

/*
 * Have the program keep fragments, as on veth, or free them, as it does unless
 * told. Return: whether it could be told.
 */
bool native_keep_frags(bool keep);

void native_put_mpt(uint32_t index, const struct xroce_mpt *mpt);
void native_put_qp(const struct xroce_qp *qp);
void native_get_qp(uint32_t qpn, struct xroce_qp *qp);

/* Responder resources, by the queue pair that they belong to. */
void native_put_rd(uint32_t qpn, const struct xroce_rd_ring *ring);
void native_get_rd(uint32_t qpn, struct xroce_rd_ring *ring);

/* Free every entry of all tables. */
void native_clear(void);

/* The whole table; the first is NATIVE_MPT_ENTRIES long, the others as "qp". */
void native_get_mpts(struct xroce_mpt *mpts);
void native_get_qps(struct xroce_qp *qps);
void native_get_rds(struct xroce_rd_ring *rings);

/* Take all events out. Return: how many; @last is the last of them, if any. */
uint32_t native_get_events(struct xroce_event *last);

/* A map of the program's; it stays this file's. -1 and a failed check: there is none. */
int native_map(const char *name);

/*
 * Requests refused that named the region of an index, so far, on all CPUs. Nothing
 * else is counted of it without the module.
 */
uint64_t native_get_refused(uint32_t index);

/* Sum of all CPUs. */
void native_get_stat(struct xroce_stat *stat);

/**
 * struct native_run - one packet through the program
 * @in: the frame
 * @in_len: its length
 * @verdict: out: XDP_*
 * @out: out: the frame after the program
 * @out_size: room in @out
 * @out_len: out: its length
 */
struct native_run {
	const void *in;
	uint32_t in_len;
	uint32_t verdict;
	void *out;
	uint32_t out_size;
	uint32_t out_len;
};

/* Return: 0 or a negative errno. */
int native_run(struct native_run *run);

#endif /* XROCE_NATIVE_H */
