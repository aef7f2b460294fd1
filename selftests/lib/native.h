/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The XDP program without its module: it is loaded with xroce_kfuncs off, so that it
 * accepts every ICRC, moves no data, and leaves the ICRC of READ responses zero. The test
 * writes the maps, and packets are run by BPF_PROG_TEST_RUN.
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
#define NATIVE_MIN_FRAME	14u	/* the minimum of BPF_PROG_TEST_RUN */

/**
 * native_open() - load the program
 *
 * The object is $XROCE_BPF_OBJECT, or ../bpf/xroce.bpf.o relative to this program.
 *
 * Return: whether it is loaded; if not, the test has failed or is marked as skipped.
 */
bool native_open(void);

/* The same, also with the program that reads VLAN tags from the driver of this device. */
bool native_open_vlan(uint32_t ifindex);
int native_vlan_prog(void);

/* harness_main(), which unloads the program at the end. */
int native_main(int argc, char **argv);

/* Descriptor of the loaded program. The caller must not close it. */
int native_prog(void);

/*
 * Set xroce_keep_frags: keep fragments of frames, as on veth, or free them.
 * native_open() clears it. Return: whether that worked.
 */
bool native_keep_frags(bool keep);

void native_put_mpt(uint32_t index, const struct xroce_mpt *mpt);
void native_put_qp(const struct xroce_qp *qp);
void native_get_qp(uint32_t qpn, struct xroce_qp *qp);

/* The responder resources of a queue pair. */
void native_put_rd(uint32_t qpn, const struct xroce_rd_ring *ring);
void native_get_rd(uint32_t qpn, struct xroce_rd_ring *ring);

/* Free every entry of all tables. */
void native_clear(void);

/* Read a whole table: NATIVE_MPT_ENTRIES entries, or else NATIVE_QP_ENTRIES. */
void native_get_mpts(struct xroce_mpt *mpts);
void native_get_qps(struct xroce_qp *qps);
void native_get_rds(struct xroce_rd_ring *rings);

/* Consume all events. Return: number of events; @last: out: the last one, if any. */
uint32_t native_get_events(struct xroce_event *last);

/* Descriptor of a map; the caller must not close it. -1 and a failed check: no such map. */
int native_map(const char *name);

/*
 * Number of refused requests that named the region at @index, on all CPUs. The other
 * counters of a region are the module's; the test fails if they are not zero.
 */
uint64_t native_get_refused(uint32_t index);

/* Counters of the link, summed over all CPUs. */
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
