/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Queue and rates over time, as CSV: milliseconds; packets and bytes in the queue of the first
 * port; for each of the first TRACE_FLOWS connections, the payload that has arrived in Mbit/s.
 */
#ifndef XROCE_SIM_TRACE_H
#define XROCE_SIM_TRACE_H

struct flow;
struct network;
struct spec;

#define TRACE_FLOWS	16

/* Begin, if the spec wants one. */
void trace_open(const struct spec *s, const struct network *n, const struct flow *f);
void trace_close(void);

#endif /* XROCE_SIM_TRACE_H */
